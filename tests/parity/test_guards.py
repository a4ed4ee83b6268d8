"""What keeps other sites away, on every address there is: CSRF, frames, the Host and Origin headers, caches, and
line ends in what is sent back in a header."""

import re
from urllib.parse import quote, urlencode, urlsplit

import pytest
from django.test import Client

from tests.cast import PASSWORD, Cast
from tests.parity import rows
from tests.parity.routes import SAFE, Route, routes

PROGRAMS = ("api", "oauth/token", "oauth/revoke", "oauth/register", "oauth/device/code", "^(?:oauth/")
"""Where programs call with a token of their own, or none: a browser's session counts for nothing there, or REST asks
for the CSRF token by itself."""
BROKEN_LINES = ("%0d%0aSet-Cookie:%20x=1", "%0aSet-Cookie:%20x=1", "\u2028x", "%E5%98%8D%E5%98%8ASet-Cookie:x=1")
ELSEWHERE = ("https://evil.example/", "//evil.example", r"/\evil.example", r"\\evil.example", "javascript:alert(1)")


def path_of(route: Route) -> str:
    """A path that leads to a route, of things that need not be there."""
    path = re.sub(r"\(\?P<rest>[^)]*\)|\(\?P<provider_id>[^)]*\)", "x", route.address)
    path = re.sub(r"<int:\w+>|\(\?P<\w+>(?:\\d\+|\[0-9\]\+)\)", "1", path)
    path = re.sub(r"<[^>]+>|\(\?P<[^)]*\)", "x", path)
    return "/" + re.sub(r"\(\?:oauth/.*?\)|[\\^$?]", "", path).removesuffix("Z")


def browsers() -> list[Route]:
    return [route for route in routes() if not route.address.startswith(PROGRAMS)]


@pytest.fixture
def alice(cast: Cast) -> Client:
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(cast.people["alice"], backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def test_only_what_programs_call_goes_without_a_csrf_token() -> None:
    exempt = {
        route.address for route in browsers() if getattr(route.view, "csrf_exempt", False) and route.methods - SAFE
    }
    # The library's page for one service, which checks that service's own token, sent twice.
    assert exempt <= {"accounts/google/login/token/"}


def test_no_form_is_taken_without_its_csrf_token(cast: Cast, plan: str, alice: Client) -> None:
    before, sent = rows.state(), 0
    for route in browsers():
        for method in (route.methods or {"POST"}) - SAFE:
            response = alice.generic(
                method, path_of(route), "content=x&name=x", content_type="application/x-www-form-urlencoded"
            )
            assert response.status_code in (403, 404), (method, route.address, response.status_code)
            sent += response.status_code == 403
    assert sent > 80, "too few addresses were found to mean anything"
    assert rows.state() == before


def test_a_session_writes_over_rest_from_this_origin_only(cast: Cast, plan: str, alice: Client) -> None:
    alice.get("/new/folder")
    token = alice.cookies["csrf"].value
    before = rows.state()
    for origin in ("https://evil.example", "null", "http://testserver.evil.example"):
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            response = alice.generic(
                method,
                "/api/v1/folders" if method == "POST" else "/api/v1/folders/product/launch",
                '{"location": "stolen"}',
                content_type="application/json",
                headers={"X-CSRFToken": token, "Origin": origin},
            )
            assert response.status_code in (403, 405), (method, origin)
    assert rows.state() == before


@pytest.mark.parametrize("who", ["alice", None])
def test_no_page_may_be_framed_sniffed_or_kept_for_others(cast: Cast, plan: str, who: str | None) -> None:
    client = Client(raise_request_exception=False)
    if who:
        client.force_login(cast.people[who], backend="allauth.account.auth_backends.AuthenticationBackend")
    paths = ["/d/product/launch/plan.md", "/f/product", "/nothing/here", "/palette?q=plan", "/tree/product"]
    paths += [path_of(route) for route in browsers() if not route.methods or "GET" in route.methods]
    pages = 0
    for path in paths:
        response = client.get(path)
        assert response.status_code < 500, path
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            continue
        pages += 1
        assert response.headers["X-Frame-Options"] == "DENY", path
        assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"], path
        assert response.headers["X-Content-Type-Options"] == "nosniff", path
        cache = response.headers["Cache-Control"]
        assert "private" in cache or "no-store" in cache, path
    assert pages > (40 if who else 8)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "127.0.0.1@evil.example"]
)
def test_no_address_answers_to_another_host(cast: Cast, plan: str, host: str) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(cast.people["alice"], backend="allauth.account.auth_backends.AuthenticationBackend")
    for path in (
        "/", "/d/product/launch/plan.md", "/accounts/login/", "/accounts/password/reset/", "/admin/login/", "/nothing",
        "/api/v1/me", "/api/v1/documents/product/launch/plan.md", "/api/nothing", "/api/v1/openapi.json",
        "/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp", "/oauth/authorize",
        "/oauth/nothing", "/device",
    ):  # fmt: skip
        response = client.get(path, headers={"Host": host})
        assert response.status_code == 400, (path, response.status_code)
        assert b"evil" not in response.content, path
        assert not any("evil" in value for value in response.headers.values()), path


@pytest.mark.parametrize("target", [*ELSEWHERE, *BROKEN_LINES])
def test_signing_in_leads_to_this_instance_only(cast: Cast, target: str) -> None:
    sent = target if "%" not in target else target.replace("%0d%0a", "\r\n").replace("%0a", "\n")
    for given in ({"next": sent}, {}):
        client = Client(raise_request_exception=False)
        form = {"login": "alice@example.org", "password": PASSWORD, **given}
        response = client.post("/accounts/login/" + ("" if given else f"?{urlencode({'next': sent})}"), form)
        assert response.status_code < 500
        location = response.headers.get("Location", "/")
        assert (urlsplit(location).scheme, urlsplit(location).netloc) == ("", ""), location
        assert not location.replace("\\", "/").startswith("//"), location
        assert not re.search(r"[\r\n\u2028]", location)
        assert "x" not in response.cookies
        for path in ("/accounts/logout/", "/accounts/reauthenticate/"):
            response = client.get(f"{path}?{urlencode({'next': sent})}")
            assert response.status_code < 500
            assert "evil" not in response.headers.get("Location", "")


@pytest.mark.parametrize("broken", BROKEN_LINES)
def test_no_name_breaks_into_a_header(cast: Cast, plan: str, alice: Client, broken: str) -> None:
    alice.handler.enforce_csrf_checks = False
    decoded = broken.replace("%0d%0a", "\r\n").replace("%0a", "\n").replace("%20", " ")
    answers = [
        alice.get(f"/d/product/{broken}"),
        alice.get(f"/diff/product/launch/plan.md?from={broken}"),
        alice.get(f"/audit/export?place={broken}"),
        alice.get(f"/audit/export?format={broken}"),
        alice.get(f"/access-requests?list={broken}"),
        alice.post("/new/folder", {"location": f"product/{decoded}"}),
        alice.post("/new/document/product/launch", {"location": f"product/launch/{decoded}", "content": "x"}),
        alice.post("/move/product/launch/plan.md", {"target": f"product/launch/{decoded}"}),
        alice.post("/access-requests/new", {"location": decoded, "role": "viewer"}),
        alice.post("/agents", {"name": decoded, "role": "viewer"}),
        alice.get(f"/api/v1/documents/product/{broken}"),
        alice.get("/api/v1/me", headers={"X-Request-Id": quote(decoded)}),
        alice.get(f"/{broken}"),
    ]
    for response in answers:
        assert response.status_code < 500
        assert "x" not in response.cookies
        assert "Set-Cookie: x=1" not in str(response.headers).replace("\\r", "").replace("\\n", "\n").split("\n")
        assert not any(re.search(r"[\r\n]", value) for value in response.headers.values())
