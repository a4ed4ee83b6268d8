"""What goes wrong is a problem with a stable code, whatever it was, and never a trace."""

import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import InterfaceError, OperationalError, connection
from django.http import Http404, UnreadablePostError
from django.test import RequestFactory
from django.urls import resolve
from rest_framework import exceptions
from rest_framework.request import Request

from tests.cast import Cast
from tests.rest.conftest import Caller, code
from workspace import errors as refusals
from workspace.rest import errors
from workspace.rest.endpoint import Endpoint
from workspace.rest.problems import EXAMPLES

CONTRACT = {
    "UNAUTHENTICATED": 401,
    "FORBIDDEN": 403,
    "NOT_FOUND": 404,
    "ALREADY_EXISTS": 409,
    "IDEMPOTENCY_MISMATCH": 409,
    "ACCESS_CHANGE": 409,
    "GONE": 410,
    "PRECONDITION_REQUIRED": 428,
    "INVALID": 422,
    "TOO_LARGE": 413,
    "RATE_LIMITED": 429,
    "UNAVAILABLE": 503,
}


def test_every_refusal_has_its_status_and_its_title() -> None:
    told = {kind.code: errors.STATUS[kind] for kind in refusals.REFUSALS}
    assert told == CONTRACT
    assert {kind.code for kind in errors.STATUS} | {"CONFLICT"} == errors.TITLES.keys()


def test_every_refusal_of_the_product_is_in_the_list() -> None:
    own = {kind for kind in refusals.Refusal.__subclasses__() if kind.__module__ == "workspace.errors"}
    assert own == set(refusals.REFUSALS)


@pytest.mark.parametrize("kind", sorted(errors.STATUS, key=lambda kind: kind.__name__))
def test_every_refusal_becomes_a_problem(kind: type[refusals.Refusal]) -> None:
    request = RequestFactory().get("/")
    without = {errors.NoEndpoint: errors.NoEndpoint(), errors.WrongMethod: errors.WrongMethod("No.")}
    refusal = {**EXAMPLES, **without}[kind]
    response = errors.refuse(request, refusal)
    assert response.status_code == errors.STATUS[kind]
    assert response["Content-Type"] == "application/problem+json"
    assert response.has_header("WWW-Authenticate") == (response.status_code == 401)
    assert response.has_header("Retry-After") == (response.status_code in (429, 503))


FOREIGN: list[tuple[Exception, int, str]] = [
    (OperationalError("server closed the connection"), 503, "UNAVAILABLE"),
    (InterfaceError("connection already closed"), 503, "UNAVAILABLE"),
    (RequestDataTooBig(), 413, "TOO_LARGE"),
    (UnreadablePostError(), 400, "INVALID"),
    (exceptions.ParseError(), 400, "INVALID"),
    (exceptions.NotAuthenticated(), 401, "UNAUTHENTICATED"),
    (exceptions.AuthenticationFailed(), 401, "UNAUTHENTICATED"),
    (exceptions.PermissionDenied(), 403, "FORBIDDEN"),
    (PermissionDenied(), 403, "FORBIDDEN"),
    (exceptions.NotFound(), 404, "NOT_FOUND"),
    (Http404(), 404, "NOT_FOUND"),
    (exceptions.MethodNotAllowed("PUT"), 405, "METHOD_NOT_ALLOWED"),
    (exceptions.NotAcceptable(), 406, "NOT_ACCEPTABLE"),
    (exceptions.UnsupportedMediaType("text/plain"), 415, "UNSUPPORTED_MEDIA_TYPE"),
    (exceptions.Throttled(wait=7), 429, "RATE_LIMITED"),
    (ZeroDivisionError("secret /etc/path"), 500, "INTERNAL"),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("error", "status", "name"), FOREIGN, ids=[type(e[0]).__name__ + str(e[1]) for e in FOREIGN])
def test_what_libraries_raise_is_told_in_the_same_form(error: Exception, status: int, name: str) -> None:
    request = RequestFactory().get("/api/v1/me")
    request.resolver_match = resolve(request.path)
    response = errors.handler(error, {"request": Request(request), "view": Endpoint()})
    assert response.status_code == status
    assert f'"code":"{name}"'.encode() in response.content
    assert b"secret" not in response.content
    assert b"Traceback" not in response.content


def test_a_database_that_does_not_answer_is_unavailable(committed_cast: Cast) -> None:
    caller = Caller(committed_cast.tokens["scout"])
    port = connection.settings_dict["PORT"]
    connection.close()
    connection.settings_dict["PORT"] = "1"
    try:
        response = caller.get("/me")
    finally:
        connection.close()
        connection.settings_dict["PORT"] = port
    assert code(response) == (503, "UNAVAILABLE")
    assert int(response["Retry-After"]) >= 1
    assert caller.get("/me").status_code == 200
