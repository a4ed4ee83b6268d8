"""What is another's, by its number, cursor, token or key, is answered as what never was, and does nothing.

Ids in addresses and arguments are compared in ``test_property``; here are those that it has no place for.
"""

import json

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.test import Client

from tests.cast import PASSWORD, Cast
from tests.mcp.calls import Calls
from tests.parity import rows
from tests.parity.answers import plain
from tests.parity.routes import routes
from tests.parity.test_asked import OPENAPI
from tests.rest.conftest import Caller
from workspace.access import person_actor
from workspace.actor import Via
from workspace.services import agents, bindings, captures, documents, folders, sharing

PLACE = "product/launch"
BEFORE_ANYBODY = {
    "accounts/^confirm-email/(?P<key>[-:\\w]+)/$": "a signed secret that was mailed",
    "accounts/^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": "a signed secret that was mailed",
    "accounts/oidc/^(?P<provider_id>[^/]+)/login/": "the name of a service in the settings",
    "accounts/oidc/^(?P<provider_id>[^/]+)/login/callback/": "the name of a service in the settings",
}
"""Library routes that take a name of nothing that belongs to anybody, and of what instead."""
OWNED = {"accounts/2fa/webauthn/keys/<int:pk>/remove/", "accounts/2fa/webauthn/keys/<int:pk>/edit/"}


@pytest.fixture
def mallory(cast: Cast) -> Client:
    """Signed in a moment ago, as the pages of one's own account want it."""
    client = Client()
    client.post("/accounts/login/", {"login": "mallory@example.org", "password": PASSWORD})
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def test_every_library_route_that_takes_a_name_is_explained_or_tried() -> None:
    named = {r.address for r in routes() if r.address.startswith("accounts/") and ("<" in r.address)}
    assert named == OWNED | BEFORE_ANYBODY.keys()


@pytest.mark.parametrize("what", ["remove", "edit"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_anothers_passkey_is_as_one_that_never_was(cast: Cast, mallory: Client, what: str, method: str) -> None:
    key, own = (
        Authenticator.objects.create(
            user=cast.people[name], type=Authenticator.Type.WEBAUTHN, data={"name": f"{name}'s key", "credential": {}}
        )
        for name in ("alice", "mallory")
    )
    page = mallory.get(f"/accounts/2fa/webauthn/keys/{own.pk}/{what}/")
    assert (page.status_code, page.headers.get("Location")) == (200, None)
    answers = []
    for number in (key.pk, key.pk + 1_000):
        sent = {"name": "stolen"} if method == "POST" else {}
        response = mallory.generic(method, f"/accounts/2fa/webauthn/keys/{number}/{what}/", json.dumps(sent))
        body = plain(response.content.decode(), [(f"/{key.pk}/", f"/{key.pk + 1_000}/")])
        answers.append((response.status_code, body))
    assert answers[0] == answers[1]
    assert answers[0][0] == 404
    assert Authenticator.objects.get(pk=key.pk).data["name"] == "alice's key"


@pytest.mark.parametrize("action", ["action_remove", "action_primary", "action_send"])
def test_anothers_address_is_as_one_that_nobody_has(cast: Cast, mallory: Client, action: str) -> None:
    before = list(EmailAddress.objects.order_by("pk").values_list())
    answers = []
    for email in ("alice@example.org", "nobod@example.org"):
        response = mallory.post("/accounts/email/", {"email": email, action: ""})
        answers.append((response.status_code, response.headers.get("Location"), response.content.count(b"class=")))
    assert answers[0] == answers[1]
    assert list(EmailAddress.objects.order_by("pk").values_list()) == before


def test_only_ones_own_sessions_are_listed_and_ended(cast: Cast, mallory: Client) -> None:
    alice = Client(headers={"User-Agent": "alices-browser"})
    alice.post("/accounts/login/", {"login": "alice@example.org", "password": PASSWORD})
    alice.get("/")
    assert b"alices-browser" not in mallory.get("/accounts/sessions/").content
    mallory.post("/accounts/sessions/", {})
    theirs = UserSession.objects.get(user=cast.people["alice"]).pk
    answers = [mallory.post("/accounts/sessions/", {"session": session}) for session in (theirs, theirs + 1000)]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert alice.get("/").status_code == 200


# -- cursors --


LISTS: dict[str, dict[str, str]] = {
    "/folders": {"parent": PLACE},
    "/documents": {"location": PLACE},
    "/commits": {"location": f"{PLACE}/plan.md"},
    "/conflicts": {},
    "/captures": {},
    "/bindings": {},
    "/receipts": {},
    "/jobs": {},
    "/audit": {},
    "/access": {"location": PLACE},
    "/access-requests": {},
}
"""Lists that go on by a cursor, with what else to ask so that alice sees two or more."""


def test_every_list_that_goes_on_is_tried() -> None:
    described = json.loads(OPENAPI.read_text(encoding="utf-8"))
    going_on = {
        path.removeprefix("/api/v1")
        for path, operations in described["paths"].items()
        if any(given["name"] == "cursor" for given in operations.get("get", {}).get("parameters", ()))
    }
    assert going_on == LISTS.keys()


@pytest.mark.parametrize("path", LISTS)
def test_anothers_cursor_is_as_one_that_nobody_was_given(cast: Cast, plan: str, path: str) -> None:
    _fill(cast, plan)
    scout, rover = Caller(cast.tokens["scout"]), Caller(cast.tokens["rover"])
    query = "&".join(f"{name}={value}" for name, value in {**LISTS[path], "limit": "1"}.items())
    cursor = scout.get(f"{path}?{query}").json()["next_cursor"]
    assert cursor, "there is nothing to go on with"
    assert scout.get(f"{path}?{query}&cursor={cursor}").status_code == 200
    answers = []
    for given in (cursor, cursor[:-4] + "AAAA", "x"):
        response = rover.get(f"{path}?{query}&cursor={given}")
        problem = response.json()
        assert response.status_code == 422
        answers.append({name: value for name, value in problem.items() if name != "request_id"})
    assert answers[0] == answers[1] == answers[2]


def _fill(cast: Cast, plan: str) -> None:
    """Two of everything that can be listed, for alice."""
    for name in ("one", "two"):
        folders.create(cast.alice, location=f"{PLACE}/{name}")
        documents.create(cast.alice, location=f"{PLACE}/{name}.md", content="x\n")
        captures.commit(cast.alice, folder=PLACE, content=f"# Decided\n\n- {name}", operation_id=name)
        bindings.bind(cast.alice, repository=f"github.com/acme/{name}", folder=PLACE)
        documents.append(cast.alice, location=f"{PLACE}/plan.md", content=name)
        documents.substitute(
            cast.bob, location=f"{PLACE}/plan.md", old_string="slow", new_string=name, expected_commit=plan
        )
        person = type(cast.people["alice"]).objects.create_user(f"{name}@example.org", PASSWORD)
        token = agents.create(person_actor(person, via=Via.REST), name=name).token
        Caller(token).post("/access-requests", {"location": PLACE, "role": "viewer"})


# -- tokens and keys --


def test_anothers_confirm_token_confirms_nothing(cast: Cast, plan: str) -> None:
    sharing.grant(cast.alice, location=PLACE, subject="bob@example.org", role="manager")
    scout, rover = Caller(cast.tokens["scout"]), Caller(cast.tokens["rover"])
    change = {"location": PLACE, "subject": "mallory@example.org", "role": "viewer"}
    token = scout.post("/grants", {**change, "preview": True}).json()["confirm_token"]
    before = rows.counts()
    answers = []
    for given in (token, "x" * len(token)):
        response = rover.post("/grants", {**change, "confirm_token": given})
        problem = response.json()
        assert response.status_code == 409
        answers.append({name: problem[name] for name in problem.keys() - {"request_id", "confirm_token"}})
    assert answers[0] == answers[1]
    assert rows.counts() == before
    assert scout.post("/grants", {**change, "confirm_token": token}).status_code == 201


def test_anothers_token_of_a_deletion_deletes_nothing(cast: Cast, plan: str) -> None:
    for location in (f"{PLACE}/plan.md", PLACE):
        sharing.grant(cast.alice, location=PLACE, subject="bob@example.org", role="manager")
        token = Calls(cast.scout).data("doc_delete", location=location)["confirm_token"]
        before = rows.state()
        refused = [
            Calls(cast.rover).refusal("doc_delete", location=location, confirm_token=given)
            for given in (token, "x" * len(token))
        ]
        assert refused[0] == refused[1]
        assert rows.state() == before


def test_anothers_idempotency_key_is_a_key_like_any_other(cast: Cast, plan: str) -> None:
    scout, rover = Caller(cast.tokens["scout"]), Caller(cast.tokens["rover"])
    body = {"location": f"{PLACE}/once.md", "content": "x"}
    assert scout.post("/documents", body, Idempotency_Key="k").status_code == 201
    answers = [rover.post("/documents", body, Idempotency_Key=key) for key in ("k", "fresh")]
    assert [response.status_code for response in answers] == [409, 409]
    problems = [{n: v for n, v in response.json().items() if n != "request_id"} for response in answers]
    assert problems[0] == problems[1]
    other = {"location": f"{PLACE}/other.md", "content": "y"}
    assert rover.post("/documents", other, Idempotency_Key="k").status_code == 201
