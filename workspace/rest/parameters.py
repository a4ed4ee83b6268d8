"""What a request says outside its body: query parameters, preconditions and the location in its path."""

import re
from urllib.parse import unquote

from rest_framework.request import Request

from workspace.errors import Invalid, PreconditionRequired
from workspace.queries import pages
from workspace.services.idempotency import MAX_KEY

REPLACEMENT = "\ufffd"
ENCODED_REPLACEMENT = "%EF%BF%BD"

ANY = "*"
_ETAG = re.compile(r'"([0-9a-f]{7,64})"\Z')
_ETAGS = re.compile(r'(?:W/)?("[^"]*")')
_DIGITS = re.compile(r"[0-9]{1,15}\Z")


def text(request: Request, name: str) -> str | None:
    """A parameter that was sent; None without it. Raises Invalid for what is not text."""
    value: str | None = request.GET.get(name)
    if value is None:
        return None
    if "\0" in value:
        raise Invalid(name, "holds a NUL character. Remove it.")
    # Django decodes what is not UTF-8 to this character, which would then be looked for, and found by chance.
    if REPLACEMENT in value and ENCODED_REPLACEMENT not in request.META["QUERY_STRING"].upper():
        raise Invalid(name, "is not percent-encoded UTF-8.")
    return value


def required(request: Request, name: str) -> str:
    """A parameter that must be there and not empty."""
    value = text(request, name)
    if not value:
        raise Invalid(name, "is required as a query parameter.")
    return value


def whole(request: Request, name: str, *, least: int = 0, most: int = 10**12) -> int | None:
    """A whole number within bounds; None without it."""
    value = text(request, name)
    if value is None:
        return None
    if not _DIGITS.match(value) or not least <= int(value) <= most:
        raise Invalid(name, f"must be a whole number from {least} to {most}.")
    return int(value)


def flag(request: Request, name: str) -> bool:
    """``true`` or ``false``; false without it."""
    value = text(request, name)
    if value not in (None, "true", "false"):
        raise Invalid(name, "must be true or false.")
    return value == "true"


def word(request: Request, name: str, *words: str) -> str | None:
    """One of ``words``; None without it."""
    value = text(request, name)
    if value is not None and value not in words:
        raise Invalid(name, f"must be one of: {', '.join(words)}.")
    return value


def limit(request: Request, default: int = pages.DEFAULT) -> int:
    """How many items a list may answer with."""
    return whole(request, "limit", least=1, most=pages.MOST) or default


def cursor(request: Request) -> str | None:
    """Where a list goes on; None at its start."""
    return text(request, "cursor") or None


def location(request: Request, decoded: str) -> str:
    """The location in the path, which the server percent-decoded once. Raises Invalid where it was not UTF-8."""
    if REPLACEMENT in decoded:
        raw: bytes = getattr(request, "scope", {}).get("raw_path") or b""
        try:
            unquote(raw.decode("ascii"), errors="strict")
        except UnicodeDecodeError:
            raise Invalid("location", "is not percent-encoded UTF-8.") from None
    return decoded


def idempotency_key(request: Request, *, required: bool = False) -> str | None:
    """``Idempotency-Key``: what makes a repeated request one. Raises PreconditionRequired, Invalid."""
    key: str | None = request.headers.get("Idempotency-Key")
    if key is None:
        if required:
            raise PreconditionRequired(
                "Send an Idempotency-Key header of 1 to 255 characters, the same one when you repeat the request.",
                field="Idempotency-Key",
            )
        return None
    if not key or len(key) > MAX_KEY or not key.isprintable():
        raise Invalid("Idempotency-Key", f"takes 1 to {MAX_KEY} printable characters.")
    return key


def if_match(request: Request, *, required: bool = False) -> str | None:
    """The commit that ``If-Match`` names; None where it is ``*``, or absent and not required.

    Raises PreconditionRequired, and Invalid for what is not one strong etag of a commit (RFC 9110, 13.1.1: a weak
    one never matches).
    """
    header: str | None = request.headers.get("If-Match")
    if header is None:
        if required:
            raise PreconditionRequired(
                'Send If-Match: "COMMIT" with the commit that this is based on, as its ETag said, or * for any.',
                field="If-Match",
            )
        return None
    header = header.strip()
    if header == ANY:
        return None
    found = _ETAG.match(header)
    if found is None:
        raise Invalid("If-Match", 'takes one strong etag, "COMMIT" with its quotes, or *.')
    return found[1]


def none_match(request: Request, etag: str) -> bool:
    """Whether ``If-None-Match`` says that the caller has ``etag`` already (compared weakly: RFC 9110, 13.1.2)."""
    header: str | None = request.headers.get("If-None-Match")
    if header is None:
        return False
    return header.strip() == ANY or etag in _ETAGS.findall(header)
