"""What an administrator does to people and invitations in the admin goes through the services."""

import re
from collections.abc import Callable, Iterable

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from tests.cast import PASSWORD, Cast
from workspace.access import person_actor
from workspace.actor import Actor, Via
from workspace.errors import Gone
from workspace.models import AuditEntry, Invitation, Person
from workspace.services import invitations, sign_in_links
from workspace.services import people as people_service

PEOPLE = reverse("admin:workspace_person_changelist")


def act(desk: Client, action: str, people: Iterable[Person], address: str = PEOPLE):
    return desk.post(address, {"action": action, "_selected_action": [p.pk for p in people]}, follow=True)


@pytest.fixture
def bob(cast: Cast) -> Client:
    client = Client()
    client.post("/accounts/login/", {"login": "bob@example.org", "password": PASSWORD})
    assert client.get("/agents").status_code == 200
    return client


def test_deactivating_ends_sessions_and_letting_back_in_revives_none(desk: Client, cast: Cast, bob: Client) -> None:
    people = [cast.people["bob"], cast.people["carol"]]
    assert "2 deactivated" in act(desk, "deactivate", people).content.decode()
    assert bob.get("/agents").status_code == 302
    act(desk, "reactivate", people)
    assert bob.get("/agents").status_code == 302
    assert AuditEntry.objects.filter(action="person.deactivated", via="admin").count() == 2


def test_the_last_administrator_stays(desk: Client, root: Person) -> None:
    assert "last administrator" in act(desk, "deactivate", [root]).content.decode()
    assert Person.objects.get(pk=root.pk).is_active


def test_an_administrator_who_is_deactivated_is_none_to_leave_it_to(desk: Client, root: Person) -> None:
    Person.objects.create_superuser("gone@example.org", PASSWORD, is_active=False)
    assert "last administrator" in act(desk, "deactivate", [root]).content.decode()
    assert Person.objects.get(pk=root.pk).is_active


def test_somebody_is_signed_out_everywhere(desk: Client, cast: Cast, bob: Client) -> None:
    act(desk, "sign_out", [cast.people["bob"]])
    assert bob.get("/agents").status_code == 302


def test_a_link_for_a_new_password_goes_to_the_person_and_not_to_the_administrator(desk: Client, cast: Cast) -> None:
    page = act(desk, "send_reset", [cast.people["bob"]]).content.decode()
    assert [message.to for message in mail.outbox] == [["bob@example.org"]]
    found = re.search(r"/password/reset/key/\S+", str(mail.outbox[0].body))
    assert found
    assert found[0] not in page


def test_sign_in_links_are_shown_once_and_are_in_no_cache(desk: Client, cast: Cast) -> None:
    page = act(desk, "make_link", [cast.people["bob"], cast.people["carol"]])
    paths = re.findall(r"http://127\.0\.0\.1:8000(/enter/[\w-]+)", page.content.decode())
    assert len(paths) == 2
    assert "no-store" in page["Cache-Control"]
    assert not re.search(r"/enter/", desk.get(PEOPLE).content.decode())
    assert [Client().post(path)["Location"] for path in paths] == ["/account"] * 2


def deactivated(actor: Actor, person: int) -> None:
    people_service.update(actor, person=person, active=False)
    people_service.update(actor, person=person, active=True)


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(deactivated, id="deactivated and let back in"),
        pytest.param(lambda actor, person: people_service.sign_out(actor, person=person), id="signed out"),
        pytest.param(
            lambda actor, person: people_service.set_password(actor, person=person, password="a calm and long one"),
            id="password set",
        ),
    ],
)
def test_a_sign_in_link_ends_with_the_sessions(act: Callable[[Actor, int], object], cast: Cast, root: Person) -> None:
    actor, bob = person_actor(root, via=Via.ADMIN), cast.people["bob"].pk
    token = sign_in_links.make(actor, person=bob)
    assert sign_in_links.holder(token).pk == bob
    act(actor, bob)
    with pytest.raises(Gone):
        sign_in_links.redeem(token)


def test_second_steps_are_turned_off(desk: Client, cast: Cast, bob: Client) -> None:
    person = cast.people["bob"]
    person.authenticator_set.create(type="totp", data={"secret": "x"})
    act(desk, "reset_second_steps", [person])
    assert not person.authenticator_set.exists()
    assert bob.get("/agents").status_code == 302
    assert AuditEntry.objects.filter(action="mfa.reset", subject="bob@example.org").exists()


def test_invitations_are_revoked_and_hold_no_secret(desk: Client, cast: Cast) -> None:
    made = invitations.create(cast.alice, location="product/launch", role="viewer")
    address = reverse("admin:workspace_invitation_changelist")
    token = made.url.rpartition("/")[2]
    assert token not in desk.get(address).content.decode()
    act(desk, "revoke", Invitation.objects.all(), address)
    assert Client().get(f"/invitation/{token}").status_code == 410


def test_staff_who_are_no_administrators_are_offered_none_of_it(cast: Cast) -> None:
    Person.objects.filter(pk=cast.people["carol"].pk).update(is_staff=True)
    client = Client()
    client.force_login(Person.objects.get(pk=cast.people["carol"].pk))
    for action in ("deactivate", "sign_out", "make_link", "reset_second_steps", "send_reset"):
        act(client, action, [cast.people["bob"]])
    assert Person.objects.get(pk=cast.people["bob"].pk).is_active
    assert not mail.outbox
    assert not AuditEntry.objects.filter(action__startswith="signin.link").exists()


def test_ones_own_password_is_changed_on_the_products_page(desk: Client) -> None:
    for answer in (
        desk.get("/admin/password_change/"),
        desk.post("/admin/password_change/", {"old_password": PASSWORD}),
    ):
        assert answer["Location"] == reverse("account_change_password")
