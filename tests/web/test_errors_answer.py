"""Refusals as pages."""

from django.test import Client, RequestFactory

from tests.web.conftest import SignIn
from workspace import errors
from workspace.web.errors import FACES, broken


def test_every_refusal_has_a_face() -> None:
    assert set(FACES) == set(errors.REFUSALS)
    assert {face.status for face in FACES.values()} <= {401, 403, 404, 409, 410, 413, 422, 428, 429, 503}


def test_a_wrong_verb_is_405(signed_in: SignIn) -> None:
    response = signed_in("alice").post("/history/product/launch/plan.md")

    assert response.status_code == 405
    assert response["Allow"] == "GET, HEAD"


def test_a_form_without_its_token_gives_the_text_back(signed_in: SignIn, plan: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.cookies = signed_in("bob").cookies
    response = client.post("/edit/product/launch/plan.md", {"content": "An hour of typing", "base": plan})

    assert response.status_code == 403
    assert "An hour of typing" in response.content.decode()


def test_a_fault_tells_the_request_and_nothing_else(rf: RequestFactory) -> None:
    request = rf.get("/")
    request.request_id = "req_abc"  # type: ignore[attr-defined]
    html = broken(request).content.decode()

    assert "req_abc" in html
    assert "Traceback" not in html
