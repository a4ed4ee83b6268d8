"""Bodies that are no JSON, no UTF-8, no object, or too large."""

import pytest
from django.conf import settings

from tests.rest.conftest import Caller, code, fields

GOOD = b'{"location": "product/launch/x.md", "content": "x"}'


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b"not json",
        b'{"a": 1,}',
        b"{'a': 1}",
        b'{"location": "x", "content": NaN}',
        b'{"location": "x", "content": Infinity}',
        b'{"content": "\xff"}',
        b'{"content": "\xed\xa0\x80"}',
        '{"content": "x"}'.encode("utf-16"),
        b'{"content": "a\nb"}',
        b"[" * 200_000,
        b'{"n": ' + b"9" * 10_000 + b"}",
        GOOD + b"x",
    ],
    ids=range(13),
)
def test_what_is_no_json_is_invalid_with_400(scout: Caller, raw: bytes) -> None:
    response = scout("POST", "/documents", raw=raw, Idempotency_Key="k")
    assert code(response) == (400, "INVALID")
    assert fields(response) == ["body"]


@pytest.mark.parametrize("raw", [b"[]", b"null", b'"text"', b"1", b"true"])
def test_what_is_no_object_is_invalid(scout: Caller, raw: bytes) -> None:
    response = scout("POST", "/documents", raw=raw, Idempotency_Key="k")
    assert code(response) == (422, "INVALID")
    assert fields(response) == ["body"]


def test_no_body_names_what_is_missing(scout: Caller) -> None:
    assert set(fields(scout("POST", "/documents", raw=b"", Idempotency_Key="k"))) == {"location", "content"}


@pytest.mark.parametrize(
    "kind",
    [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=latin-1",
    ],
)
def test_a_body_of_another_media_type_is_unsupported(scout: Caller, kind: str) -> None:
    response = scout("POST", "/documents", raw=GOOD, Idempotency_Key="k", Content_Type=kind)
    assert code(response) == (415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize(
    "kind", ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]
)
def test_json_in_utf_8_is_taken(scout: Caller, kind: str) -> None:
    assert scout("POST", "/documents", raw=GOOD, Idempotency_Key="k", Content_Type=kind).status_code == 201


def test_a_byte_order_mark_before_the_json_is_ignored(scout: Caller) -> None:
    assert scout("POST", "/documents", raw=b"\xef\xbb\xbf" + GOOD, Idempotency_Key="k").status_code == 201


def test_an_oversize_body_is_too_large(scout: Caller) -> None:
    raw = b'{"content": "' + b"x" * settings.BATON_BODY_BYTES + b'"}'
    response = scout("POST", "/documents", raw=raw, Idempotency_Key="k")
    assert code(response) == (413, "TOO_LARGE")
    assert fields(response) == ["body"]


def test_a_wrong_name_with_a_lone_surrogate_is_told_all_the_same(scout: Caller) -> None:
    response = scout("POST", "/documents", raw=b'{"\\ud800": 1}', Idempotency_Key="k")
    assert code(response) == (422, "INVALID")


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("*/*", 200),
        ("application/json", 200),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", 200),
        ("application/problem+json", 200),
        ("application/*", 200),
        ("text/html", 406),
        ("application/json;q=0", 406),
    ],
)
def test_what_takes_no_json_gets_nothing(scout: Caller, accept: str, status: int) -> None:
    assert scout.get("/me", Accept=accept).status_code == status
