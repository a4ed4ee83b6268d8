"""Asking for access, deciding, looking at a place as somebody else."""

import re
from typing import Any

import pytest

from tests.cast import Cast
from tests.web.conftest import SignIn
from tests.web.test_access_shares import administrator, token
from workspace.models import AccessRequest, AuditEntry, Document, Receipt
from workspace.queries import access
from workspace.services import documents, folders, sharing

PLACE = "product/launch"
PLAN = f"{PLACE}/plan.md"
ASK = {"location": PLACE, "role": "editor", "reason": "I write the notes."}


def asked(signed_in: SignIn) -> str:
    assert signed_in("mallory").post("/access-requests/new", ASK).status_code == 302
    return str(AccessRequest.objects.get().pk)


def text(response: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


# -- from a page that is not there --


@pytest.mark.parametrize(
    "address", [f"/d/{PLAN}", "/d/product/none.md", f"/f/{PLACE}", f"/share/{PLACE}", f"/edit/{PLAN}"]
)
def test_the_page_of_what_is_not_there_leads_to_asking(signed_in: SignIn, plan: str, address: str) -> None:
    mallory = signed_in("mallory")
    page = mallory.get(address)
    assert page.status_code == 404
    assert 'href="?ask"' in page.content.decode()
    location = address.split("/", 2)[2]
    form = mallory.get(f"{address}?ask", follow=True)
    assert form.redirect_chain == [(f"/access-requests/new?location={location.replace('/', '%2F')}", 302)]
    assert f'value="{location}"' in form.content.decode()


def test_what_ones_role_does_not_allow_leads_to_asking_for_more(signed_in: SignIn, plan: str) -> None:
    form = signed_in("carol").get(f"/edit/{PLAN}?ask", follow=True)
    assert '<option value="editor" selected>' in form.content.decode()


def test_what_somebody_sees_is_shown_and_not_asked_for(signed_in: SignIn, plan: str) -> None:
    assert signed_in("carol").get(f"/d/{PLAN}?ask").status_code == 200


def test_nobody_is_led_there_without_signing_in(client: Any, plan: str) -> None:
    assert client.get(f"/d/{PLAN}?ask")["Location"].startswith("/accounts/login/")


# -- asking --


def test_asking_is_answered_alike_for_what_never_was(signed_in: SignIn, cast: Cast) -> None:
    mallory = signed_in("mallory")
    answers = [
        mallory.post("/access-requests/new", ASK | {"location": place}, follow=True)
        for place in (PLACE, "product/none")
    ]
    assert answers[0].redirect_chain == answers[1].redirect_chain == [("/access-requests?list=mine", 302)]
    assert "Asked." in text(answers[0])


@pytest.mark.parametrize("sent", [{"location": ""}, {"location": "a//b"}, {"role": "owner"}, {"reason": "x" * 2001}])
def test_a_bad_request_is_422(signed_in: SignIn, cast: Cast, sent: dict[str, str]) -> None:
    assert signed_in("mallory").post("/access-requests/new", ASK | sent).status_code == 422
    assert not AccessRequest.objects.exists()


def test_what_one_holds_is_said_at_its_field(signed_in: SignIn, cast: Cast) -> None:
    response = signed_in("bob").post("/access-requests/new", ASK)
    assert response.status_code == 422
    assert "held already" in text(response)


def test_ones_own_are_listed_and_withdrawn(signed_in: SignIn, cast: Cast) -> None:
    request, mallory = asked(signed_in), signed_in("mallory")
    assert PLACE in text(mallory.get("/access-requests?list=mine"))
    assert signed_in("carol").post(f"/access-requests/{request}/withdraw").status_code == 404
    assert mallory.post(f"/access-requests/{request}/withdraw").status_code == 302
    assert AccessRequest.objects.get().state == "withdrawn"


# -- deciding --


def test_who_can_share_the_place_finds_the_request_counted_on_every_page(signed_in: SignIn, cast: Cast) -> None:
    request = asked(signed_in)
    counted = re.compile(r'href="/access-requests"[^>]*>.*?Requests<span class="count">1</span>', re.DOTALL)

    assert counted.search(signed_in("bob").get("/").content.decode())
    assert not counted.search(signed_in("carol").get("/").content.decode())
    assert f"/access-requests/{request}" in signed_in("bob").get("/access-requests").content.decode()
    assert f"/access-requests/{request}" not in signed_in("carol").get("/access-requests").content.decode()


def test_the_closed_drawers_button_tells_that_a_request_waits(signed_in: SignIn, cast: Cast) -> None:
    asked(signed_in)
    button = re.compile(r'<button[^>]*drawer-button[^>]*aria-label="([^"]*)".*?</button>', re.DOTALL)
    found = {name: button.search(signed_in(name).get("/").content.decode()) for name in ("bob", "carol")}

    assert found["bob"]
    assert found["carol"]
    assert found["bob"][1] == "Folders; 1 request for access waiting"
    assert '<span class="count">1</span>' in found["bob"][0]
    assert found["carol"][1] == "Folders"
    assert "count" not in found["carol"][0]


def test_home_tells_that_a_request_waits(signed_in: SignIn, cast: Cast) -> None:
    asked(signed_in)
    bobs, carols = text(signed_in("bob").get("/")), text(signed_in("carol").get("/"))
    assert "1 request waits for your decision." in bobs
    assert "1 request for access" in bobs
    assert "Nothing waits for you." in carols or "will stand" in carols


def test_approving_shows_first_what_it_opens(signed_in: SignIn, cast: Cast, plan: str) -> None:
    request, bob = asked(signed_in), signed_in("bob")
    shown = bob.get(f"/access-requests/{request}")
    assert "Mallory gains reading and writing of 1 document in 1 folder" in text(shown)
    done = bob.post(
        f"/access-requests/{request}",
        {"role": "editor", "answer": "Welcome.", "decision": "approve", "confirm_token": token(shown)},
        follow=True,
    )
    assert f"mallory@example.org is editor of {PLACE} now." in text(done)
    mine = text(signed_in("mallory").get("/access-requests?list=mine"))
    assert "You are editor there now. “Welcome.”" in mine


def test_a_lesser_role_is_looked_at_before_it_is_given(signed_in: SignIn, cast: Cast) -> None:
    request, bob = asked(signed_in), signed_in("bob")
    sent = {"role": "viewer", "answer": "", "decision": "approve"}
    first = token(bob.get(f"/access-requests/{request}"))
    other = bob.post(f"/access-requests/{request}", sent | {"confirm_token": first})
    assert other.status_code == 409
    assert "Mallory gains reading of" in text(other)
    assert bob.post(f"/access-requests/{request}", sent | {"confirm_token": token(other)}).status_code == 302
    held = {r.email: r.role.label for r in access.readers(cast.alice, location=PLACE)}
    assert held["mallory@example.org"] == "viewer"


def test_looking_and_declining_give_nothing(signed_in: SignIn, cast: Cast) -> None:
    request, bob = asked(signed_in), signed_in("bob")
    looked = bob.post(f"/access-requests/{request}", {"role": "viewer", "decision": "look"})
    assert looked.status_code == 200
    assert "gains reading of" in text(looked)
    bob.post(f"/access-requests/{request}", {"role": "editor", "answer": "Ask Ann.", "decision": "decline"})
    assert "Ask Ann." in text(signed_in("mallory").get("/access-requests?list=mine"))
    assert signed_in("mallory").get(f"/f/{PLACE}").status_code == 404


def test_without_a_token_nothing_is_approved(signed_in: SignIn, cast: Cast) -> None:
    request, bob = asked(signed_in), signed_in("bob")
    assert bob.post(f"/access-requests/{request}", {"role": "editor", "decision": "approve"}).status_code == 409
    assert AccessRequest.objects.get().state == "open"


@pytest.mark.parametrize("name", ["carol", "mallory"])
def test_a_request_of_others_is_not_there(signed_in: SignIn, cast: Cast, name: str) -> None:
    request, client = asked(signed_in), signed_in(name)
    assert client.get(f"/access-requests/{request}").status_code == 404
    assert client.post(f"/access-requests/{request}", {"role": "viewer", "decision": "decline"}).status_code == 404
    assert AccessRequest.objects.get().state == "open"


# -- view as --


def test_a_manager_sees_a_place_as_somebody_else_does(signed_in: SignIn, cast: Cast, plan: str) -> None:
    documents.create(cast.alice, location="product/secret.md", content="Hush.\n")
    alice, query = signed_in("alice"), "?person=carol@example.org"
    before = Receipt.objects.count()
    folder = alice.get(f"/view-as/product{query}")
    assert "You see this as Carol does." in text(folder)
    assert "secret" not in folder.content.decode()
    assert f"/view-as/{PLACE}?person=carol%40example.org" in folder.content.decode()
    document = alice.get(f"/view-as/{PLAN}{query}")
    assert "Everybody knows their part." in document.content.decode()
    nothing = alice.get(f"/view-as/product/secret.md{query}")
    assert "Carol sees nothing here" in text(nothing)
    assert "Hush" not in nothing.content.decode()
    assert Receipt.objects.count() == before
    assert AuditEntry.objects.filter(action="access.viewed_as").exists()


def test_a_view_shows_no_folder_beside_it_that_they_do_not_see(signed_in: SignIn, cast: Cast, plan: str) -> None:
    folders.create(cast.alice, location="product/vault")
    page = signed_in("alice").get("/view-as/product?person=carol@example.org")
    assert "product/launch" in page.content.decode()
    assert "vault" not in page.content.decode()


def test_a_view_claims_no_lesser_role_than_they_have(signed_in: SignIn, cast: Cast, plan: str) -> None:
    for address in ("product", PLACE, PLAN):
        body = text(signed_in("alice").get(f"/view-as/{address}?person=bob@example.org")).split("You see this as Bob")[
            1
        ]
        assert "viewer" not in body


def test_a_view_holds_no_form_that_acts_as_them(signed_in: SignIn, cast: Cast, plan: str) -> None:
    html = signed_in("alice").get(f"/view-as/{PLAN}?person=bob@example.org").content.decode()
    body = html.split('id="main"')[1].split("</main>")[0]
    assert "<form" not in body
    assert f"/edit/{PLAN}" not in body


def test_the_choice_lists_those_who_can_read(signed_in: SignIn, cast: Cast) -> None:
    page = signed_in("alice").get(f"/view-as/{PLACE}")
    assert "?person=carol%40example.org" in page.content.decode()


@pytest.mark.parametrize(("name", "status"), [("bob", 403), ("carol", 403), ("mallory", 404)])
def test_only_managers_view_as(signed_in: SignIn, plan: str, name: str, status: int) -> None:
    for address in (f"/view-as/{PLACE}", f"/view-as/{PLACE}?person=carol@example.org", f"/view-as/{PLAN}?person=x"):
        assert signed_in(name).get(address).status_code == status


@pytest.mark.parametrize("subject", ["nobody@example.org", "a\0b", "\u202e", "x" * 3000])
def test_an_unknown_person_is_named_at_the_field(signed_in: SignIn, cast: Cast, subject: str) -> None:
    response = signed_in("alice").get(f"/view-as/{PLACE}", {"person": subject})
    assert response.status_code == 422
    assert "Names nobody who has an account here" in text(response)


def test_an_administrator_is_seen_as_they_see_it(signed_in: SignIn, cast: Cast, plan: str) -> None:
    administrator(cast)
    sharing.grant(cast.alice, location="product", subject="bob@example.org", role="manager")
    assert Document.objects.exists()
    page = signed_in("bob").get("/view-as/product?person=root@example.org")
    assert "You see this as Root does." in text(page)
