"""What every answer has, whichever part of the process makes it."""

import contextlib
import gzip
import http.client
import json
import re
import socket
from typing import Any

import pytest
from django.conf import settings

from tests.instance import Instance

REQUEST_ID = re.compile(r"req_[0-9a-f]{20}\Z")
PLACES = ["/", "/nowhere", "/healthz", "/api/v1/me", "/api/v1/nowhere", "/mcp", "/static/nowhere.css", "/admin/"]


def ask(
    live: Instance, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, **options: Any
) -> tuple[http.client.HTTPResponse, bytes]:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", live.port, timeout=30)) as visitor:
        visitor.request(method, path, body, headers or {}, **options)
        answer = visitor.getresponse()
        return answer, answer.read()


@pytest.mark.parametrize("path", PLACES)
def test_every_answer_carries_one_request_id_and_forbids_sniffing(live: Instance, path: str) -> None:
    answer, _ = ask(live, "GET", path)
    names = answer.headers.get_all("X-Request-Id")
    assert names is not None
    assert len(names) == 1
    assert REQUEST_ID.match(names[0])
    assert answer.headers.get_all("X-Content-Type-Options") == ["nosniff"]


def test_a_sane_request_id_is_kept_and_told_in_the_problem(live: Instance) -> None:
    answer, body = ask(live, "GET", "/api/v1/me", headers={"X-Request-Id": "trace-0123.456:7"})
    assert answer.headers["X-Request-Id"] == "trace-0123.456:7"
    assert json.loads(body)["request_id"] == "trace-0123.456:7"


@pytest.mark.parametrize("sent", ["short", "x" * 65, "has space in it", "new\tline-in-it", "<script>alert(1)"])
def test_another_request_id_is_replaced(live: Instance, sent: str) -> None:
    answer, _ = ask(live, "GET", "/healthz", headers={"X-Request-Id": sent})
    assert REQUEST_ID.match(answer.headers["X-Request-Id"])


@pytest.mark.parametrize("path", ["/api/v1/documents", "/mcp"])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_over_the_limit_is_refused_as_a_problem(live: Instance, path: str, chunked: bool) -> None:
    size = settings.BATON_BODY_BYTES + 65536
    body: Any = (b"x" * 65536 for _ in range(size // 65536)) if chunked else b"x" * size
    answer, text = ask(live, "POST", path, body, {"Content-Type": "application/json"}, encode_chunked=chunked)
    problem = json.loads(text)
    assert answer.status == problem["status"] == 413
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert problem["code"] == "TOO_LARGE"
    assert problem["request_id"] == answer.headers["X-Request-Id"]
    assert problem["limit"] == settings.BATON_BODY_BYTES


def test_a_body_over_the_limit_is_refused_in_words_to_a_browser(live: Instance) -> None:
    answer, text = ask(live, "POST", "/accounts/login/", b"x" * (settings.BATON_BODY_BYTES + 1))
    assert answer.status == 413
    assert answer.headers["Content-Type"].startswith("text/")
    assert b"TOO_LARGE" in text


def test_a_chunked_body_within_the_limit_arrives_whole(live: Instance) -> None:
    body = (part for part in (b"login=ann%40", b"example.org", b"&password=x"))
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer, _ = ask(live, "POST", "/accounts/login/", body, headers, encode_chunked=True)
    assert answer.status == 403  # no CSRF token: it was read and judged


@pytest.mark.parametrize(
    "raw",
    [
        b"GET /%ff%fe HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
        b"GET /d/%00 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n",
        b"POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1x\r\nConnection: close\r\n\r\n",
        b"POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data\r\n"
        b"Content-Length: 2\r\nConnection: close\r\n\r\nab",
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: \xff=\xfe; session=\x01\r\nConnection: close\r\n\r\n",
    ],
)
def test_an_odd_request_is_never_a_server_error(live: Instance, raw: bytes) -> None:
    with socket.create_connection(("127.0.0.1", live.port), timeout=20) as visitor:
        visitor.sendall(raw)
        first = visitor.makefile("rb").readline()
    status = int(first.split()[1])
    assert status < 500, first


def test_a_page_names_its_style_by_hash_and_it_is_cached_for_ever(live: Instance) -> None:
    _, page = ask(live, "GET", "/accounts/login/")
    found = re.search(r'href="(/static/css/[^"]+\.[0-9a-f]{12}\.css)"', page.decode())
    assert found, page.decode()[:2000]
    answer, body = ask(live, "GET", found[1])
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/css; charset=utf-8"
    assert "immutable" in answer.headers["Cache-Control"]

    packed, small = ask(live, "GET", found[1], headers={"Accept-Encoding": "gzip, br"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(small) == body

    again, nothing = ask(live, "GET", found[1], headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status, nothing) == (304, b"")
    head, nothing = ask(live, "HEAD", found[1])
    assert (head.status, nothing) == (200, b"")
    assert int(head.headers["Content-Length"]) == len(body)


@pytest.mark.parametrize(
    "path", ["/static/../secret_key", "/static/%2e%2e/secret_key", "/static//etc/passwd", "/static/", "/static/css"]
)
def test_nothing_but_collected_files_is_static(live: Instance, path: str) -> None:
    answer, body = ask(live, "GET", path)
    assert answer.status == 404
    assert b"root:" not in body


def test_metrics_are_for_this_machine_and_not_for_visitors_of_a_proxy_on_it(live: Instance) -> None:
    answer, body = ask(live, "GET", "/metrics")
    text = body.decode()
    assert answer.status == 200
    assert 'baton_requests_total{method="GET",route="probe",status="200"}' in text
    assert 'baton_jobs{state="pending"}' in text
    assert "baton_oldest_pending_job_seconds" in text
    for name in ("X-Forwarded-For", "Forwarded", "Via"):
        answer, _ = ask(live, "GET", "/metrics", headers={name: "127.0.0.1"})
        assert answer.status == 404


def test_metrics_never_name_a_document(live: Instance) -> None:
    ask(live, "GET", "/d/secret-plan.md")
    assert b"secret-plan" not in ask(live, "GET", "/metrics")[1]


def test_pages_carry_the_policy_that_forbids_everything_else(live: Instance) -> None:
    answer, _ = ask(live, "GET", "/accounts/login/")
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for part in ("frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'", "img-src 'self' data:"):
        assert part in policy
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    for cookie in answer.headers.get_all("Set-Cookie") or []:
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
