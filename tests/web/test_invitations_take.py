"""Invitations in the browser: sent on one page, taken on another."""

import re

import pytest
from django.core import mail
from django.test import Client

from tests.cast import PASSWORD, Cast
from tests.web.conftest import SignIn
from workspace.models import AuditEntry, Person
from workspace.services import invitations

PLACE = "product/launch"
NEW = {"name": "Eve", "email": "eve@example.org", "password": PASSWORD}


def path_in(text: str) -> str:
    found = re.search(r"http://127\.0\.0\.1:8000(/invitation/[\w.-]+)", text)
    assert found
    return found[1]


def test_a_mailed_invitation_lets_somebody_in_at_once(signed_in: SignIn, cast: Cast) -> None:
    form = {"email": "eve@example.org", "location": PLACE, "role": "viewer", "uses": "1", "days": "7"}
    sent = signed_in("bob").post("/invitations", form)
    assert sent.status_code == 201
    assert sent["Cache-Control"] == "no-store"
    shown, mailed = path_in(sent.content.decode()), path_in(str(mail.outbox[0].body))
    assert shown != mailed

    eve = Client()
    page = eve.get(mailed).content.decode()
    assert "Bob invites you to" in page
    assert PLACE in page
    answer = eve.post(mailed, {**NEW, "email": "mallory@example.org"})
    assert answer["Location"] == f"/f/{PLACE}"
    assert eve.get(answer["Location"]).status_code == 200
    assert eve.get("/account").context["frame"].me.email == "eve@example.org"
    assert Client().get(mailed).status_code == 410


def test_a_link_asks_for_the_address_to_be_confirmed(cast: Cast) -> None:
    path = path_in(invitations.create(cast.alice, location=PLACE, role="viewer").url)
    answer = Client().post(path, NEW)

    assert answer["Location"] == "/accounts/confirm-email/"
    assert mail.outbox[0].to == ["eve@example.org"]


def test_a_link_tells_nobody_who_has_an_account(cast: Cast) -> None:
    path = path_in(invitations.create(cast.alice, location=PLACE, role="viewer", uses=5).url)
    fresh = Client().post(path, NEW, follow=True)
    taken = Client().post(path, {**NEW, "email": "mallory@example.org"}, follow=True)

    assert fresh.redirect_chain == taken.redirect_chain
    assert fresh.content.decode().replace("eve@", "mallory@") == taken.content.decode()
    assert set(fresh.client.cookies) == set(taken.client.cookies)
    assert [message.to for message in mail.outbox] == [["eve@example.org"], ["mallory@example.org"]]


def test_somebody_with_an_account_signs_in_and_accepts(cast: Cast) -> None:
    path = path_in(invitations.create(cast.alice, location=PLACE, role="viewer").url)
    client = Client()
    assert f"/accounts/login/?next={path}" in client.get(path).content.decode()
    entered = client.post("/accounts/login/", {"login": "mallory@example.org", "password": PASSWORD, "next": path})
    assert entered["Location"] == path
    assert "Accept" in client.get(path).content.decode()

    assert client.post(path)["Location"] == f"/f/{PLACE}"
    assert client.get(f"/f/{PLACE}").status_code == 200


def test_somebody_else_signed_in_is_told_what_an_unknown_link_tells(signed_in: SignIn, cast: Cast) -> None:
    mallory = signed_in("mallory")
    path = path_in(invitations.create(cast.alice, email="eve@example.org", location=PLACE, role="viewer").url)

    foreign, unknown = mallory.get(path), mallory.get("/invitation/nothing")
    assert foreign.status_code == unknown.status_code == 410
    assert foreign.content == unknown.content
    assert mallory.post(path).status_code == 410


def test_a_bad_form_is_422_and_says_why(signed_in: SignIn, cast: Cast) -> None:
    path = path_in(invitations.create(cast.alice, location=PLACE, role="viewer").url)
    answer = Client().post(path, {**NEW, "password": "short"})
    assert answer.status_code == 422
    assert "too short" in answer.content.decode()
    form = {"email": "eve@example.org", "location": "product/none", "role": "viewer", "uses": "1", "days": "7"}
    answer = signed_in("bob").post("/invitations", form)
    assert answer.status_code == 404
    assert 'value="product/none"' in answer.content.decode()
    assert "eve@example.org" in answer.content.decode()
    assert AuditEntry.objects.filter(action="attempt.not_found", location="product/none").count() == 1
    form = {"email": "", "location": PLACE, "role": "manager", "uses": "1", "days": "7"}
    assert signed_in("bob").post("/invitations", form).status_code == 403
    assert signed_in("bob").post("/invitations", {**form, "days": "1000"}).status_code == 422


@pytest.mark.parametrize("verb", ["activate", "deactivate", "sign-out", "reset", "link", "second-steps"])
def test_only_administrators_act_on_people(verb: str, signed_in: SignIn, cast: Cast) -> None:
    alice = signed_in("alice")
    assert alice.get("/people").status_code == 403
    there = alice.post(f"/people/{cast.people['bob'].pk}/{verb}")
    assert there.status_code == alice.post(f"/people/999999/{verb}").status_code == 403
    assert Person.objects.get(email="bob@example.org").is_active


def test_people_are_sought_by_whatever_is_typed(signed_in: SignIn, cast: Cast) -> None:
    Person.objects.filter(email="alice@example.org").update(is_superuser=True)
    found = signed_in("alice").get("/people", {"q": "bob\x00@"})
    assert found.status_code == 200
    assert "bob@example.org" in found.content.decode()


def test_nobody_renews_or_revokes_the_invitation_of_another(signed_in: SignIn, cast: Cast) -> None:
    made = invitations.create(cast.bob, location=PLACE, role="viewer")
    for verb in ("renew", "revoke"):
        hidden = signed_in("mallory").post(f"/invitations/{made.id}/{verb}")
        absent = signed_in("mallory").post(f"/invitations/inv_none/{verb}")
        assert hidden.status_code == absent.status_code == 404
    assert made.id not in signed_in("mallory").get("/invitations").content.decode()


def test_no_passkey_is_offered_where_browsers_keep_none(cast: Cast) -> None:
    invitations.create(cast.alice, email="eve@example.org", location=PLACE, role="viewer")
    path = path_in(str(mail.outbox[0].body))
    offer = "Use a passkey instead"
    assert offer in Client(headers={"host": "localhost"}).get(path).content.decode()
    assert offer not in Client(headers={"host": "127.0.0.1"}).get(path).content.decode()
