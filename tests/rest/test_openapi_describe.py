"""The OpenAPI document: a committed snapshot, and complete."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from workspace.rest import openapi
from workspace.rest.endpoint import Endpoint
from workspace.rest.urls import urlpatterns

SNAPSHOT = Path(__file__).parent / "openapi.json"
UPDATE = "BATON_UPDATE_SNAPSHOTS"


def text(document: Any) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def test_the_document_is_the_committed_one() -> None:
    """Clients are written against it: a change is meant, and shows in review. BATON_UPDATE_SNAPSHOTS=1 writes it."""
    now = text(openapi.generate())
    if os.environ.get(UPDATE):
        SNAPSHOT.write_text(now, encoding="utf-8")
    assert SNAPSHOT.read_text(encoding="utf-8") == now, f"run this test once with {UPDATE}=1 and look at the diff"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(openapi.document())
    return found


def operations(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(f"{m} {p}", call) for p, calls in document["paths"].items() for m, call in calls.items()]


def test_every_method_of_every_address_is_described(document: dict[str, Any]) -> None:
    served = set()
    for pattern in urlpatterns:
        view = pattern.callback.cls  # type: ignore[attr-defined]
        if view.schema is None or not issubclass(view, Endpoint):
            continue
        for method in ("get", "post", "put", "patch", "delete"):
            if hasattr(view, method):
                served.add((method, pattern.pattern._route.count("<"), view.__name__))  # type: ignore[attr-defined]
    assert len(served) == len(operations(document))


def test_every_call_has_a_name_a_text_and_answers(document: dict[str, Any]) -> None:
    names = [call["operationId"] for _, call in operations(document)]
    assert len(set(names)) == len(names)
    for name, call in operations(document):
        assert call["summary"], name
        assert call["description"], name
        assert call["tags"], name
        assert any(status.startswith("2") for status in call["responses"]), name
        assert {"401", "422", "500", "503"} <= call["responses"].keys(), name
        for status, response in call["responses"].items():
            assert response["description"], (name, status)
            if status >= "400":
                content = response["content"]["application/problem+json"]
                for example in content["examples"].values():
                    assert example["value"]["status"] == int(status), (name, status)
        for parameter in call.get("parameters", []):
            assert parameter["description"], (name, parameter["name"])


def test_every_body_has_an_example_and_takes_no_other_fields(document: dict[str, Any]) -> None:
    bodies = [
        call["requestBody"]["content"]["application/json"] for _, call in operations(document) if "requestBody" in call
    ]
    assert len(bodies) > 8
    for body in bodies:
        assert body["examples"]
    for name in ("NewDocument", "Replacement", "Substitution", "Addition", "Section", "Move", "NewGrant"):
        assert document["components"]["schemas"][name]["additionalProperties"] is False


def test_it_is_served_to_anybody_as_openapi_3_1(db: None) -> None:
    response = Client().get("/api/v1/openapi.json")
    assert response.status_code == 200
    assert response.json()["openapi"] == "3.1.0"


def test_references_lead_somewhere(document: dict[str, Any]) -> None:
    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if "$ref" in node:
                target: Any = document
                for part in node["$ref"].removeprefix("#/").split("/"):
                    target = target[part]
            for below in node.values():
                walk(below)
        elif isinstance(node, list):
            for below in node:
                walk(below)

    walk(document)
