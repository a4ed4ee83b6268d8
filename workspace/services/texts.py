"""What is taken of what callers give: a document's text, notes, words and numbers; and the facts shown of a text."""

import hashlib
from dataclasses import dataclass

from django.conf import settings

from workspace.errors import Invalid, TooLarge
from workspace.markdown import front_matter, lines
from workspace.markdown.sections import labels_of, title_of, type_of

SUMMARY = 200
MESSAGE = 2_000


@dataclass(frozen=True, kw_only=True)
class Text:
    """A checked text with its SHA-256 (hex of its UTF-8 bytes), size in bytes and count of lines."""

    content: str
    hash: str
    size: int
    lines: int


def check(content: object, *, field: str = "content", limit: int | None = None) -> Text:
    """``content`` as a ``Text``. Raises ``Invalid`` or ``TooLarge``, naming ``field``."""
    if not isinstance(content, str):
        raise Invalid(field, "must be text.")
    try:
        data = content.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Invalid(
            field, f"holds a lone surrogate at character {error.start}, which is not text. Remove it."
        ) from None
    if "\x00" in content:
        raise Invalid(field, f"holds a NUL at character {content.index(chr(0))}. Remove it.")
    limit = settings.BATON_DOCUMENT_BYTES if limit is None else limit
    if len(data) > limit:
        raise TooLarge(field=field, limit=limit, size=len(data))
    return Text(content=content, hash=hashlib.sha256(data).hexdigest(), size=len(data), lines=lines.count(content))


def note(value: object, *, field: str) -> str:
    """A message or a reason: text of at most 2,000 characters, trimmed. Raises ``Invalid``."""
    if not isinstance(value, str):
        raise Invalid(field, "must be text.")
    check(value, field=field)
    if len(value) > MESSAGE:
        raise Invalid(field, f"has {len(value)} characters. At most {MESSAGE} are kept.")
    return value.strip()


def word(value: object, *, field: str, limit: int) -> str:
    """A name or an id that a program gives: at most ``limit`` printable characters, trimmed. Raises ``Invalid``."""
    if not isinstance(value, str):
        raise Invalid(field, "must be text.")
    check(value, field=field)
    value = value.strip()
    if len(value) > limit or not value.isprintable():
        raise Invalid(field, f"must be at most {limit} printable characters.")
    return value


def whole(value: object, *, field: str, least: int, most: int) -> int:
    """A whole number from ``least`` to ``most``. Raises ``Invalid``."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Invalid(field, f"must be a whole number from {least:,} to {most:,}.")
    return value


def facts(content: str, *, name: str) -> dict[str, object]:
    """``title type labels summary`` of a document, from its front matter, else its first heading and prose."""
    front = front_matter.split(content)
    given = front.fields.get("summary") or front.fields.get("description")
    return {
        "title": (title_of(content) or name.removesuffix(".md"))[:300],
        "type": (type_of(content) or "")[:100],
        "labels": [label[:100] for label in labels_of(content)[:20]],
        "summary": given.strip()[:SUMMARY] if isinstance(given, str) else _first_prose(front.body),
    }


def _first_prose(body: str) -> str:
    for line in body[:20_000].splitlines():
        line = line.strip()
        if line and line[0] not in "#>|`~<-=*+![" and not line[0].isdigit():
            return line if len(line) <= SUMMARY else line[: SUMMARY - 1] + "…"
    return ""
