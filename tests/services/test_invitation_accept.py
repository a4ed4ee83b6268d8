"""Invitations: who may send them, who may take them, and what becomes of them."""

import re
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.utils import timezone

from tests.cast import PASSWORD, Cast
from workspace.access import person_actor
from workspace.actor import Actor, Via
from workspace.errors import AlreadyExists, Forbidden, Gone, Invalid, NotFound, RateLimited
from workspace.models import AuditEntry, Folder, Grant, Group, Invitation, Membership, Person
from workspace.queries import invitations as queries
from workspace.services import folders, invitations, people, sharing

PLACE = "product/launch"


def link_of(url: str) -> str:
    return url.rpartition("/")[2]


def mailed_link() -> str:
    found = re.search(r"/invitation/(\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


@pytest.fixture
def root(cast: Cast) -> Actor:
    return person_actor(Person.objects.create_superuser("root@example.org", PASSWORD, name="Root"), via=Via.WEB)


def test_whoever_takes_an_invitation_gets_what_it_offers(root: Actor, cast: Cast) -> None:
    Group.objects.create(name="designers")
    invited = invitations.create(root, email="Eve@example.org", location=PLACE, role="editor", groups=["designers"])
    person = invitations.sign_up(mailed_link(), email="other@example.org", name="Eve", password=PASSWORD)

    assert invited.mailed
    assert person.email == "eve@example.org"
    assert person.emailaddress_set.get().verified
    assert Grant.objects.get(person=person).role == 2
    assert Grant.objects.get(person=person).created_by_id == root.person
    assert Membership.objects.filter(person=person, group__name="designers").exists()
    assert queries.listing(root).items[0].state == "accepted"
    told = set(AuditEntry.objects.values_list("action", flat=True))
    assert {"invitation.created", "invitation.accepted", "grant.given", "group.member_added"} <= told


def test_the_token_is_in_no_row_of_the_database(root: Actor) -> None:
    invited = invitations.create(root, email="eve@example.org")

    token = link_of(invited.url)
    assert token not in str(list(Invitation.objects.values()))
    assert token not in str(list(AuditEntry.objects.values()))


def test_only_the_mailed_link_of_a_member_confirms_the_address(cast: Cast) -> None:
    shown = link_of(invitations.create(cast.bob, email="eve@example.org", location=PLACE, role="viewer").url)

    assert not invitations.offer(shown).confirmed
    assert not invitations.offer(f"{shown}.{'0' * 32}").confirmed
    assert invitations.offer(mailed_link()).confirmed
    person = invitations.sign_up(shown, email="", name="Eve", password=PASSWORD)
    assert not person.emailaddress_set.get().verified


@pytest.mark.parametrize("how", ["used", "expired", "revoked", "foreign", "unknown", "inviter gone", "right gone"])
def test_every_link_that_does_not_hold_is_one_answer(how: str, cast: Cast) -> None:
    invited = invitations.create(cast.bob, email="eve@example.org", location=PLACE, role="viewer")
    link = link_of(invited.url)
    taker: Any = None
    match how:
        case "used":
            invitations.sign_up(link, email="", name="Eve", password=PASSWORD)
        case "expired":
            Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        case "revoked":
            invitations.revoke(cast.bob, invitation=invited.id)
        case "foreign":
            taker = cast.mallory
        case "unknown":
            link = "nothing"
        case "inviter gone":
            Person.objects.filter(email="bob@example.org").update(is_active=False)
        case "right gone":
            sharing.revoke(cast.alice, location=PLACE, subject="bob@example.org")

    eve = {"email": "eve@example.org", "name": "Eve", "password": PASSWORD}
    with pytest.raises(Gone) as caught:
        invitations.accept(taker, link=link) if taker else invitations.sign_up(link, **eve)
    assert caught.value.detail == invitations.ENDED


def test_somebody_with_an_account_takes_one_once_and_keeps_the_higher_role(cast: Cast) -> None:
    link = link_of(invitations.create(cast.alice, location=PLACE, role="editor", uses=2).url)
    invitations.accept(cast.mallory, link=link)
    invitations.accept(cast.mallory, link=link)
    down = link_of(invitations.create(cast.alice, location=PLACE, role="viewer", uses=2).url)
    invitations.accept(cast.mallory, link=down)

    assert Grant.objects.get(person__email="mallory@example.org").role == 2
    assert [len(row.accepted_by) for row in Invitation.objects.order_by("created_at")] == [1, 1]


def test_a_member_invites_up_to_their_own_role_and_only_to_a_place(cast: Cast) -> None:
    for refused, how in (
        (Forbidden, {}),
        (Forbidden, {"location": PLACE, "role": "manager"}),
        (NotFound, {"location": "product/secret", "role": "viewer"}),
    ):
        with pytest.raises(refused):
            invitations.create(cast.bob, email="eve@example.org", **how)
    Group.objects.create(name="designers")
    with pytest.raises(Forbidden):
        invitations.create(cast.alice, location=PLACE, role="viewer", groups=["designers"])
    with pytest.raises(Forbidden):
        invitations.create(cast.carol, email="eve@example.org", location=PLACE, role="viewer")
    with pytest.raises(Forbidden):
        invitations.create(cast.scout, email="eve@example.org", location=PLACE, role="viewer")
    assert not Invitation.objects.exists()
    assert not mail.outbox


def test_editors_invite_nobody_where_a_manager_turned_their_sharing_off(cast: Cast) -> None:
    link = link_of(invitations.create(cast.bob, location=PLACE, role="viewer").url)
    Folder.objects.filter(path=PLACE).update(editors_share=False)

    with pytest.raises(Forbidden):
        invitations.create(cast.bob, location=PLACE, role="viewer")
    with pytest.raises(Gone):
        invitations.offer(link)


@pytest.mark.parametrize(
    ("field", "how"),
    [
        ("email", {"email": "eve"}),
        ("email", {"email": "eve@example.org\nBcc: all@example.org"}),
        ("email", {"email": "bob@example.org"}),
        ("uses", {"uses": 0}),
        ("uses", {"uses": 101}),
        ("uses", {"email": "eve@example.org", "uses": 2}),
        ("expires_days", {"expires_days": 91}),
        ("role", {"location": PLACE, "role": "owner"}),
        ("location", {"role": "viewer"}),
        ("groups", {"groups": ["nobody"]}),
    ],
)
def test_what_cannot_be_taken_is_named(field: str, how: dict[str, Any], root: Actor) -> None:
    with pytest.raises(Invalid) as caught:
        invitations.create(root, **how)
    assert {error.field for error in caught.value.errors} == {field}
    assert not Invitation.objects.exists()


def test_a_new_link_ends_the_one_before(cast: Cast) -> None:
    first = invitations.create(cast.bob, location=PLACE, role="viewer")
    second = invitations.renew(cast.bob, invitation=first.id)

    assert invitations.offer(link_of(second.url)).location == PLACE
    with pytest.raises(Gone):
        invitations.offer(link_of(first.url))
    with pytest.raises(NotFound):
        invitations.renew(cast.alice, invitation=first.id)


def test_managers_see_and_revoke_invitations_to_their_place_and_others_do_not(cast: Cast) -> None:
    made = invitations.create(cast.bob, location=PLACE, role="viewer")

    assert [row.id for row in queries.listing(cast.alice, location=PLACE).items] == [made.id]
    assert not queries.listing(cast.alice).items
    assert not queries.listing(cast.alice, everybody=True).items
    with pytest.raises(Forbidden):
        queries.listing(cast.carol, location=PLACE)
    for stranger in (cast.carol, cast.mallory):
        with pytest.raises(NotFound):
            invitations.revoke(stranger, invitation=made.id)
    invitations.revoke(cast.alice, invitation=made.id)
    assert queries.listing(cast.bob).items[0].state == "revoked"


def test_an_invitation_follows_its_place_and_ends_with_it(cast: Cast) -> None:
    link = link_of(invitations.create(cast.alice, location=PLACE, role="viewer").url)
    Folder.objects.filter(path=PLACE).update(path="product/start", name="start")
    assert invitations.offer(link).location == "product/start"

    folders.delete(cast.alice, location="product/start")
    with pytest.raises(Gone):
        invitations.offer(link)


def test_a_taken_address_is_told_apart_from_success_by_the_service_alone(cast: Cast) -> None:
    link = link_of(invitations.create(cast.alice, location=PLACE, role="viewer").url)

    with pytest.raises(AlreadyExists):
        invitations.sign_up(link, email="Mallory@example.org", name="M", password=PASSWORD)
    assert invitations.offer(link)
    assert not Grant.objects.filter(person__email="mallory@example.org").exists()


def test_what_a_person_has_to_mend_leaves_the_link_good(cast: Cast) -> None:
    link = link_of(invitations.create(cast.alice, location=PLACE, role="viewer").url)
    good = {"email": "eve@example.org", "name": "Eve", "password": PASSWORD}

    for field, value in (("email", "eve"), ("name", " "), ("name", "a\nb"), ("password", "short"), ("password", None)):
        with pytest.raises(Invalid) as caught:
            invitations.sign_up(link, **{**good, field: value})  # type: ignore[arg-type]
        assert {error.field for error in caught.value.errors} == {field}
    assert invitations.sign_up(link, **good).email == "eve@example.org"


def test_groups_are_an_administrators_to_give_when_the_link_is_taken_too(root: Actor) -> None:
    Group.objects.create(name="designers")
    link = link_of(invitations.create(root, groups=["designers"]).url)
    Person.objects.create_superuser("other@example.org", PASSWORD)
    assert invitations.offer(link).groups == ("designers",)

    Person.objects.filter(pk=root.person).update(is_superuser=False)
    with pytest.raises(Gone):
        invitations.sign_up(link, email="eve@example.org", name="Eve", password=PASSWORD)
    assert not Membership.objects.exists()


def test_an_account_alone_is_an_administrators_to_give_when_the_link_is_taken_too(root: Actor) -> None:
    link = link_of(invitations.create(root, uses=100, expires_days=90).url)
    Person.objects.create_superuser("other@example.org", PASSWORD)
    assert invitations.offer(link).location == ""

    Person.objects.filter(pk=root.person).update(is_superuser=False)
    with pytest.raises(Gone):
        invitations.sign_up(link, email="eve@example.org", name="Eve", password=PASSWORD)
    assert not Person.objects.filter(email="eve@example.org").exists()


def test_a_member_does_not_mail_the_world(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invitations.sending, "MOST_A_DAY", 2)
    for number in range(2):
        invitations.create(cast.bob, email=f"eve{number}@example.org", location=PLACE, role="viewer")
    with pytest.raises(RateLimited):
        invitations.create(cast.bob, email="eve3@example.org", location=PLACE, role="viewer")
    assert len(mail.outbox) == 2


def test_a_name_puts_no_header_into_the_mail(cast: Cast) -> None:
    with pytest.raises(Invalid):
        people.rename(cast.bob, name="Bob\r\nBcc: all@example.org")
    # A row that came in another way is no way in either.
    Person.objects.filter(email="bob@example.org").update(name="Bob\r\nBcc: all@example.org")
    bob = person_actor(Person.objects.get(email="bob@example.org"), via=Via.WEB)
    invitations.create(bob, email="eve@example.org", location=PLACE, role="viewer")

    message = mail.outbox[0]
    assert message.recipients() == ["eve@example.org"]
    assert "\n" not in message.subject
    assert "Bcc" not in dict(message.message().items())


@pytest.mark.django_db(transaction=True)
def test_two_people_at_the_last_use_of_a_link_are_one(committed_cast: Cast) -> None:
    link = link_of(invitations.create(committed_cast.alice, location=PLACE, role="viewer").url)
    outcomes: list[str] = []
    begin = threading.Barrier(2)

    def take(name: str) -> None:
        begin.wait()
        try:
            invitations.sign_up(link, email=f"{name}@example.org", name=name, password=PASSWORD)
            outcomes.append("in")
        except Gone:
            outcomes.append("gone")
        finally:
            connection.close()

    threads = [threading.Thread(target=take, args=(name,)) for name in ("eve", "dan")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["gone", "in"]
    assert Person.objects.filter(email__in=["eve@example.org", "dan@example.org"]).count() == 1
    assert len(Invitation.objects.get().accepted_by) == 1
