"""Sessions: one for each browser, and what ends them."""

import re

import pytest
from allauth.usersessions.models import UserSession
from django.conf import settings as live
from django.core import mail
from django.core.cache import cache
from django.test import Client

from tests.cast import PASSWORD, Cast
from tests.web.entering import ALICE, entered, inside
from workspace.access import person_actor
from workspace.actor import Actor, Via
from workspace.models import AuditEntry, Person
from workspace.services import people


@pytest.fixture(autouse=True)
def unlimited(db: None) -> None:
    """Counts of attempts begin anew for each test."""
    cache.clear()


@pytest.fixture
def root(cast: Cast) -> Actor:
    return person_actor(Person.objects.create_superuser("root@example.org", PASSWORD, name="Root"), via=Via.WEB)


def test_the_session_of_somebody_deactivated_ends_at_once_and_does_not_come_back(cast: Cast, root: Actor) -> None:
    client, alice = entered(), cast.people["alice"].pk
    people.update(root, person=alice, active=False)
    assert not inside(client)
    assert client.post("/accounts/login/", ALICE)["Location"] == "/accounts/inactive/"

    people.update(root, person=alice, active=True)
    assert not inside(client)


def test_an_administrator_signs_somebody_out_everywhere(cast: Cast, root: Actor) -> None:
    first, second = entered(), entered()
    people.sign_out(root, person=cast.people["alice"].pk)
    assert not inside(first)
    assert not inside(second)


def test_a_new_password_ends_the_other_sessions_and_keeps_this_one(cast: Cast) -> None:
    here, there = entered(), entered()
    new = "another fine sentence"
    answer = here.post("/accounts/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new})

    assert answer["Location"] == "/account"
    assert inside(here)
    assert not inside(there)
    assert "was changed" in mail.outbox[-1].subject
    assert AuditEntry.objects.filter(action="password.changed", subject="alice@example.org").exists()


def test_sessions_are_listed_and_the_others_signed_out(cast: Cast) -> None:
    here, there = entered(headers={"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0"}), entered()
    page = here.get("/accounts/sessions/").content.decode()
    assert "Firefox on Linux" in page
    assert page.count(">this one<") == 1
    assert re.search(r'<a href="/accounts/sessions/" aria-current="page">', page)
    here.post("/accounts/sessions/")

    assert inside(here)
    assert not inside(there)


def test_one_other_session_is_ended_alone_and_recorded(cast: Cast) -> None:
    here, there, elsewhere = entered(), entered(headers={"User-Agent": "a lost phone"}), entered()
    rows = UserSession.objects.order_by("pk")
    own, lost = rows[0], rows.get(user_agent="a lost phone")
    page = here.get("/accounts/sessions/").content.decode()
    assert page.count('name="session"') == 2
    assert f'name="session" value="{own.pk}"' not in page
    answer = here.post("/accounts/sessions/", {"session": lost.pk}, follow=True)

    assert "Signed out there." in answer.content.decode()
    assert [inside(client) for client in (here, there, elsewhere)] == [True, False, True]
    entry = AuditEntry.objects.get(action="signin.session_ended")
    assert entry.subject == "alice@example.org"
    assert entry.data["sessions"] == [{"ip": "127.0.0.1", "browser": "a lost phone"}]
    for session in (lost.pk, own.pk, "x", "", "9" * 30):
        assert here.post("/accounts/sessions/", {"session": session}).status_code == 404
    assert inside(here)
    here.post("/accounts/sessions/")
    assert [inside(client) for client in (here, elsewhere)] == [True, False]
    assert [entry.data["count"] for entry in AuditEntry.objects.filter(action="signin.session_ended")] == [1, 1]


def test_signing_in_takes_a_new_session_key(cast: Cast) -> None:
    client = Client()
    client.get("/accounts/login/")
    client.session["a"] = "b"
    before = client.cookies.get(live.SESSION_COOKIE_NAME)
    client.post("/accounts/login/", ALICE)
    assert not before or client.cookies[live.SESSION_COOKIE_NAME].value != before.value
