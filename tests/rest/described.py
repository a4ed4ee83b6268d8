"""Compares what is answered with what the OpenAPI document says is answered."""

import copy
import functools
import json
import re
from typing import Any

import jsonschema

from workspace.rest import openapi


@functools.cache
def closed() -> dict[str, Any]:
    """The document, in which no answer may have a field that is not described."""
    found: dict[str, Any] = copy.deepcopy(json.loads(openapi.document()))
    for shape in found["components"]["schemas"].values():
        if "properties" in shape:
            shape["additionalProperties"] = False
    return found


@functools.cache
def calls() -> list[tuple[str, re.Pattern[str], dict[str, Any]]]:
    """Method, path and description of every call, the most exact paths first."""
    found = []
    for path, operations in closed()["paths"].items():
        pattern = re.escape(path).replace(r"\{location\}", ".*").replace(r"\{id\}", "[^/]+")
        found += [(method.upper(), re.compile(pattern + r"\Z", re.DOTALL), call) for method, call in operations.items()]
    return sorted(found, key=lambda one: ".*" in one[1].pattern)


def check(method: str, path: str, response: Any) -> None:
    """Fails where the call does not say that it answers with this status, or with a body of this shape."""
    call = next((c for m, pattern, c in calls() if m == method and pattern.match(path)), None)
    if call is None:
        return
    described = call["responses"].get(str(response.status_code))
    assert described is not None, f"{method} {path} does not say that it answers {response.status_code}"
    content = described.get("content")
    if content is None:
        assert response.content == b""
        return
    kind = response["Content-Type"]
    assert kind in content, f"{method} {path} does not say that {response.status_code} is {kind}"
    shape = {**content[kind]["schema"], "components": closed()["components"]}
    jsonschema.validate(response.json(), shape, cls=jsonschema.Draft202012Validator)
