"""YAML front matter: split off, read safely, never trusted.

The block opens with ``---`` on the first line and closes with ``---`` or ``...``. Scalars follow the YAML 1.2 core
schema, so that ``yes``, ``12:30`` and ``2026-11-29`` stay the strings that the writer typed. All values are plain
JSON values that PostgreSQL accepts: no NUL, no lone surrogate, no infinity.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from workspace.markdown import lines

MAX_BYTES = 64 * 1024
MAX_DEPTH = 32

_OPENING = re.compile(r"\ufeff?---[ \t]*(?:\r\n|\n|\r)(?![ \t]*(?:\r|\n|\Z))")
_CLOSING = re.compile(r"(?:\A|(?<=[\r\n]))(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)")


@dataclass(frozen=True, kw_only=True)
class FrontMatter:
    """`raw + body == text`. `body_line` is the line number of the body's first line. `error` says what is wrong
    with the YAML; `fields` is then empty."""

    fields: dict[str, Any] = field(default_factory=dict)
    raw: str = ""
    body: str
    body_line: int = 1
    error: str | None = None


class _Refused(ValueError):
    pass


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # libyaml, where it was built in
    yaml_implicit_resolvers: dict[str, Any] = {}


_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), list("tTfF")
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:int", re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})\Z"), list("-+0123456789")
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?[0-9]{1,30}\.[0-9]{1,30}(?:[eE][-+]?[0-9]{1,2})?\Z"),
    list("-+0123456789"),
)


def split(text: str) -> FrontMatter:
    """Separate front matter from body.

    A leading ``---`` that nothing closes, that a blank line follows, or whose block is no mapping is a thematic
    break: the text then has no front matter. YAML that is malformed, larger than 64 KiB, deeper than 32 levels or
    that uses aliases gives empty `fields` and an `error`.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return FrontMatter(body=text)
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        return FrontMatter(body=text)
    source = text[opening.end() : closing.start()]
    error = None
    fields: dict[str, Any] = {}
    try:
        value = _load(source)
    except _Refused as refused:
        error = str(refused)
    else:
        if value is not None and not isinstance(value, dict):
            return FrontMatter(body=text)
        fields = value or {}
    raw, body = text[: closing.end()], text[closing.end() :]
    return FrontMatter(fields=fields, raw=raw, body=body, body_line=lines.count(raw) + 1, error=error)


def _load(source: str) -> Any:
    if len(source.encode("utf-8", "replace")) > MAX_BYTES:
        raise _Refused("the front matter is larger than 64 KiB")
    try:
        depth = 0
        # Events are read without recursion, so an alias or a deep nest is refused before anything is built.
        for event in yaml.parse(source, Loader=_Loader):
            if isinstance(event, yaml.AliasEvent):
                raise _Refused("the front matter uses a YAML alias")
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > MAX_DEPTH:
                    raise _Refused("the front matter is nested too deeply")
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
        return _plain(yaml.load(source, Loader=_Loader))
    except yaml.MarkedYAMLError as problem:
        where = f" in line {problem.problem_mark.line + 2}" if problem.problem_mark else ""
        raise _Refused(f"the front matter is not valid YAML{where}: {problem.problem or problem}") from None
    except (yaml.YAMLError, ValueError, TypeError, OverflowError, RecursionError) as problem:
        if isinstance(problem, _Refused):
            raise
        raise _Refused("the front matter is not valid YAML") from None


def _plain(value: Any) -> Any:
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
        case dict():
            return {str(_plain(key)): _plain(item) for key, item in value.items()}
        case list() | tuple() | set():
            return [_plain(item) for item in value]
        case _:
            return str(value)
