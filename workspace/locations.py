"""Names and locations: ``product/notes/launch.md`` is two folders and a name. Pure."""

import hashlib
import unicodedata

from workspace.errors import Invalid

MAX_NAME = 200
MAX_DEPTH = 32
SEPARATOR = "/"


def clean_name(name: object, *, field: str = "name") -> str:
    """``name`` in NFC. Raises ``Invalid`` naming ``field`` when it is not a legal name.

    Legal: 1-200 characters of any Unicode, no ``/``, no control, surrogate or unassigned line-breaking
    character, not ``.`` or ``..``, no leading or trailing space.
    """
    if not isinstance(name, str):
        raise Invalid(field, "must be text.")
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise Invalid(field, "holds a lone surrogate, which is not a character. Remove it.") from None
    name = unicodedata.normalize("NFC", name)
    if not name:
        raise Invalid(field, "is empty. A name has 1 to 200 characters.")
    if len(name) > MAX_NAME:
        raise Invalid(field, f"has {len(name)} characters. A name has at most {MAX_NAME}.")
    if SEPARATOR in name:
        raise Invalid(field, "may not hold a slash. Give the folders separately.")
    if name in (".", ".."):
        raise Invalid(field, "may not be . or .. Choose another name.")
    if name != name.strip():
        raise Invalid(field, "may not begin or end with a space. Trim it.")
    if any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in name):
        raise Invalid(field, "may not hold control characters or line breaks. Remove them.")
    return name


def split(location: object, *, field: str = "location") -> tuple[str, ...]:
    """The names of a location, each cleaned. Raises ``Invalid`` naming ``field``."""
    if not isinstance(location, str):
        raise Invalid(field, "must be text such as product/notes/launch.md.")
    if not location:
        raise Invalid(field, "is empty. Give the whole path from the root, such as product/notes/launch.md.")
    names = location.split(SEPARATOR)
    if "" in names:
        raise Invalid(field, "has an empty segment. Write it without leading, trailing or doubled slashes.")
    if len(names) > MAX_DEPTH:
        raise Invalid(field, f"is {len(names)} levels deep. At most {MAX_DEPTH} are allowed.")
    return tuple(clean_name(name, field=field) for name in names)


def split_document(location: object, *, field: str = "location") -> tuple[tuple[str, ...], str]:
    """Folder names and the document's name. The top level holds folders only."""
    names = split(location, field=field)
    if len(names) < 2:
        raise Invalid(field, "names no folder. The top level holds folders only: write FOLDER/NAME.")
    return names[:-1], names[-1]


def join(*names: str) -> str:
    """A location from its parts; parts may themselves be locations, empty ones are left out."""
    return SEPARATOR.join(part for part in names if part)


def twin_key(name: str) -> str:
    """Equal for two names that differ only by case or normalisation; such twins are refused in one folder.

    A digest (64 hex characters), since a name may grow to eighteen times its length in compatibility form.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return hashlib.sha256(folded.encode()).hexdigest()
