"""Answers in a form in which two of them can be compared to the byte."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from django.test import Client

from tests.parity.asked import Asked
from tests.parity.hidden import Statements
from workspace.actor import Actor
from workspace.mcp.tools import TOOLS

_NONCE = re.compile(r"""nonce="[^"]*"|'nonce-[^']+'""")
_ONCE = re.compile(
    r"""(csrfmiddlewaretoken" value="|X-CSRFToken": "|X-CSRFToken&quot;: &quot;|name="key" value=")[^"&]+"""
)
# The id and the time of a request for access that was just made, and the time of a draft.
_NEW = re.compile(
    r'acr_[0-9a-z]{26}|(?<="created_at":")[^"]+|(?<=\\"created_at\\":\\")[^"\\]+'
    r'|(?<="mark": ")[^"]+|(?<="saved_at": ")[^"]+'
)
# When a cookie ends, and when one was signed.
_DATED = re.compile(r"expires=[^;]+|:[0-9A-Za-z]{6}:[\w-]{43}")
_REQUEST = re.compile(r"req_[0-9a-f]{20}")


@dataclass(frozen=True)
class Answer:
    """What an asker can tell an answer by. ``statements`` are those that it took, without their values."""

    status: int
    headers: tuple[tuple[str, str], ...]
    cookies: tuple[str, ...]
    body: str
    statements: tuple[str, ...]
    whole: str = field(compare=False)
    """All of it as it was, but for what the asker put into it."""


def filled(value: Any, things: Mapping[str, str]) -> Any:
    """``value`` with its ``{…}`` replaced; the parts of a list of names by themselves, but not of citations."""
    if isinstance(value, str):
        return re.sub(r"\{([a-z_ ]+)\}", lambda found: things[found[1]], value)
    if isinstance(value, list):
        whole = [str(filled(item, things)) for item in value]
        return [part for item in whole for part in ([item] if "@" in item else item.split("/")) if part]
    if isinstance(value, dict):
        return {name: filled(item, things) for name, item in value.items()}
    return value


def address(asked: Asked, things: Mapping[str, str]) -> str:
    return filled(asked.path, {name: quote(value) for name, value in things.items()})


def over_http(client: Client, asked: Asked, things: Mapping[str, str], tokens: Sequence[tuple[str, ...]]) -> Answer:
    """The answer to ``asked``. ``tokens`` are what the asker put into it themselves."""
    body, headers = filled(asked.body, things), filled(asked.headers, things)
    if asked.path.startswith("/api/"):
        sent, kind = "" if body is None else json.dumps(body), "application/json"
    else:
        sent = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in (body or {}).items())
        kind = "application/x-www-form-urlencoded"
    given = {"content_type": kind} if asked.method not in ("GET", "HEAD") else {}
    with Statements() as statements:
        response = client.generic(asked.method, address(asked, things), sent, headers=headers, **given)
        content = b"".join(response.streaming_content) if response.streaming else response.content
    cookies = tuple(_DATED.sub("", morsel.OutputString()) for morsel in response.cookies.values())
    headers = tuple(sorted(response.items()))
    return Answer(
        status=response.status_code,
        headers=tuple((name, plain(value, tokens)) for name, value in headers),
        cookies=tuple(plain(cookie, tokens) for cookie in cookies),
        body=plain(content.decode(), tokens),
        statements=tuple(map(shape, statements.ran)),
        whole=alike(f"{headers}{cookies}{content.decode()}", tokens),
    )


def by_tool(
    actor: Actor, tool: str, arguments: dict[str, Any], things: Mapping[str, str], tokens: Sequence[tuple[str, ...]]
) -> Answer:
    """The answer of an MCP tool, all of it."""
    given = filled(arguments, things)
    with Statements() as statements:
        result = TOOLS[tool].call(actor, given)
    data = result.structured_content or {}
    body = result.model_dump_json()
    return Answer(
        status=200 if not result.is_error else 422 if data["code"] == "INVALID" else 404,
        headers=(),
        cookies=(),
        body=plain(body, tokens),
        statements=tuple(map(shape, statements.ran)),
        whole=alike(body, tokens),
    )


def plain(text: str, tokens: Sequence[tuple[str, ...]]) -> str:
    """``text`` without what is new in every answer, and with ``tokens`` as ``alike`` puts them."""
    text = _REQUEST.sub("req_", _ONCE.sub(r"\1", _NONCE.sub("", text)))
    return alike(_NEW.sub("", text), tokens)


def alike(text: str, tokens: Sequence[tuple[str, ...]]) -> str:
    """``text`` with ``tokens`` by their numbers, those that stand for each other by the same."""
    for number, same in enumerate(tokens):
        for token in same:
            text = text.replace(token, f"‹{number}›")
    return text


def shape(sql: str) -> str:
    """A statement without how many values its lists have."""
    return re.sub(r"%s(, %s)+", "%s…", sql)
