"""A location in the path of a URL, over a real server: percent-decoded exactly once, and never tidied."""

import json
import threading
from urllib.parse import quote

import pytest

from tests.cast import Cast
from tests.rest.conftest import Server

DOCUMENTS = "/api/v1/documents"
NAMES = [
    "plain.md",
    "with space.md",
    "100%.md",
    "%2F.md",
    "%252F",
    "a+b&c=d;e.md",
    "what?.md",
    "#1.md",
    "trailing dots...",
    "….md",
    "…",
    "日本語.md",
    "👩‍👩‍👧 🎈.md",
    "é.md",
    "é.md",
    "שלום.md",
    "back\\slash.md",
    'quote".md',
    "~tilde.md",
    "�.md",
    "x" * 200,
]


@pytest.fixture
def headers(committed_cast: Cast) -> dict[str, str]:
    return {"Authorization": f"Bearer {committed_cast.tokens['scout']}", "Content-Type": "application/json"}


def create(server: Server, headers: dict[str, str], location: str, content: str) -> int:
    body = json.dumps({"location": location, "content": content}).encode()
    return server("POST", DOCUMENTS, body, headers | {"Idempotency-Key": quote(location)[-200:]})[0]


def test_any_name_is_found_again_under_its_encoded_location(server: Server, headers: dict[str, str]) -> None:
    for n, name in enumerate(NAMES):
        # One folder each, since two forms of one letter are twins in one.
        location = f"product/launch/{n}/{name}"
        assert create(server, headers, location, name) == 201, name
        for safe in ("/", ""):  # slashes as they are, and as %2F
            status, got, body = server("GET", f"{DOCUMENTS}/{quote(location, safe=safe)}", headers=headers)
            assert (status, json.loads(body).get("content")) == (200, name)
            assert got["etag"] == f'"{json.loads(body)["commit"]}"'


def test_an_encoded_percent_is_decoded_once(server: Server, headers: dict[str, str]) -> None:
    assert create(server, headers, "product/launch/a%2Fb.md", "literal") == 201
    assert server("GET", f"{DOCUMENTS}/product/launch/a%252Fb.md", headers=headers)[0] == 200
    assert server("GET", f"{DOCUMENTS}/product/launch/a%2Fb.md", headers=headers)[0] == 404


@pytest.mark.parametrize(
    "target",
    [
        "product/launch/../plan.md",
        "product/launch/%2E%2E/plan.md",
        "product/launch/.",
        "product/./plan.md",
        "product//plan.md",
        "product/%2Fplan.md",
        "/product/plan.md",
        "product/plan.md/",
        "",
        "product",
        "product/a%00b.md",
        "product/a%0Ab.md",
        "product/%20a.md",
        "product/a.md%20",
        "product/%FF.md",
        "product/%ED%A0%80.md",
        "product/%C3.md",
    ],
)
def test_what_is_no_location_is_invalid_and_never_a_redirect(
    server: Server, headers: dict[str, str], target: str
) -> None:
    status, got, body = server("GET", f"{DOCUMENTS}/{target}", headers=headers)
    problem = json.loads(body)
    assert (status, problem["code"]) == (422, "INVALID")
    assert problem["errors"][0]["field"] == "location"
    assert "location" not in got


@pytest.mark.parametrize(
    "target",
    ["/api/v1/me/", "/api/v1/nothing", "/api", "/api/v1", "/api/", "/api/v1/conflicts/a%00b", "/api/v1/commits/x.y"],
)
def test_an_address_that_is_no_call_is_a_problem_and_no_redirect(
    server: Server, headers: dict[str, str], target: str
) -> None:
    status, got, body = server("GET", target, headers=headers)
    assert (status, json.loads(body)["code"]) == (404, "NOT_FOUND")
    assert got["content-type"] == "application/problem+json"


def test_a_body_in_chunks_is_read(server: Server, headers: dict[str, str]) -> None:
    body = json.dumps({"location": "product/launch/c.md", "content": "chunks"}).encode()

    def chunks():  # type: ignore[no-untyped-def]
        yield body[:10]
        yield body[10:]

    status, _, answer = server("POST", DOCUMENTS, chunks(), headers | {"Idempotency-Key": "k"})  # type: ignore[arg-type]
    assert status == 201, answer


def test_a_method_that_an_address_does_not_take_is_told(server: Server, headers: dict[str, str]) -> None:
    for method in ("DELETE", "PUT", "TRACE"):
        status, got, body = server(method, "/api/v1/me", headers=headers)
        assert (status, json.loads(body)["code"]) == (405, "METHOD_NOT_ALLOWED")
        assert got["allow"] == "GET, HEAD, OPTIONS"


def test_head_sends_no_body(server: Server, headers: dict[str, str]) -> None:
    assert server("HEAD", "/api/v1/me", headers=headers)[2] == b""


def test_sixteen_callers_with_one_key_make_one_commit(server: Server, headers: dict[str, str]) -> None:
    body = json.dumps({"location": "product/launch/one.md", "content": "once"}).encode()
    answers: list[tuple[int, str]] = []

    def call() -> None:
        status, _, answer = server("POST", DOCUMENTS, body, headers | {"Idempotency-Key": "k"})
        answers.append((status, json.loads(answer)["commit"]))

    threads = [threading.Thread(target=call) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 16
    assert len(set(answers)) == 1
    assert answers[0][0] == 201
    log = server("GET", "/api/v1/commits?location=product/launch/one.md", headers=headers)[2]
    assert len(json.loads(log)["items"]) == 1
