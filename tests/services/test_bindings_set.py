"""A repository is bound to a folder; that sessions are saved there is the person's decision alone."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from tests.cast import Cast
from workspace.access import person_actor
from workspace.actor import Actor, Role, Scope, Via
from workspace.errors import Forbidden, Invalid, NotFound
from workspace.models import AuditEntry, Binding, Folder, Person
from workspace.queries import bindings as reads
from workspace.services import bindings, folders, sharing

PLACE = "product/launch"
SHOP = "github.com/acme/shop"


@pytest.fixture
def root(cast: Cast) -> Actor:
    person = Person.objects.create_superuser("root@example.org", "x")
    return person_actor(person, via=Via.ADMIN)


def bind(actor: Actor, **given: Any) -> str:
    return bindings.bind(actor, **{"repository": SHOP, "folder": PLACE, **given}).id


def switched(actor: Actor, binding: str, capture: str = "on") -> None:
    bindings.switch_capture(actor, binding=binding, capture=capture, seen=reads.consent(actor, id=binding).seen)


def test_it_is_found_by_any_spelling_of_the_repository(cast: Cast, plan: str) -> None:
    made = bindings.bind(cast.alice, repository="git@GitHub.com:Acme/Shop.git", folder=PLACE, policy="required")
    for spelling in (SHOP, "https://token@github.com/acme/shop.git/", "ssh://git@github.com:22/Acme/shop"):
        (row,) = reads.listing(cast.alice, repository=spelling).items
        assert (row.id, row.folder, row.policy, row.own, row.capture) == (made.id, PLACE, "required", True, "off")
    assert reads.listing(cast.bob, repository=SHOP).items == ()


def test_binding_again_replaces_and_doing_it_twice_changes_nothing(cast: Cast, plan: str) -> None:
    first = bind(cast.alice, deadline_ms=300)
    assert bind(cast.scout, repository="https://github.com/ACME/shop", deadline_ms=400) == first
    before = (AuditEntry.objects.count(), Binding.objects.get().updated_at)
    assert bind(cast.alice, deadline_ms=400) == first
    assert (AuditEntry.objects.count(), Binding.objects.get().updated_at) == before
    assert Binding.objects.get().deadline_ms == 400


def test_no_secret_of_a_remote_is_stored(cast: Cast, plan: str) -> None:
    bindings.bind(cast.alice, repository="https://ann:s3cret@github.com/acme/shop.git", folder=PLACE)
    assert Binding.objects.get().repository == SHOP
    assert "s3cret" not in repr(list(AuditEntry.objects.values()))


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"repository": "./shop"}, "repository"),
        ({"policy": "always"}, "policy"),
        ({"deadline_ms": 99}, "deadline_ms"),
        ({"deadline_ms": 15_001}, "deadline_ms"),
        ({"deadline_ms": True}, "deadline_ms"),
        ({"budget_chars": 199}, "budget_chars"),
        ({"budget_chars": 100_001}, "budget_chars"),
    ],
)
def test_what_is_out_of_bounds_is_refused(cast: Cast, plan: str, given: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        bind(cast.alice, **given)
    assert [error.field for error in refused.value.errors] == [field]
    assert not Binding.objects.exists()


def test_a_folder_has_to_be_readable_and_a_reading_agent_binds_nothing(cast: Cast, plan: str) -> None:
    assert bind(cast.carol)
    with pytest.raises(NotFound):
        bind(cast.mallory)
    only_reads = Actor(
        person=cast.people["alice"].pk, label="scout", via=Via.REST, agent=cast.scout.agent,
        scopes=(Scope(role=Role.VIEWER),),
    )  # fmt: skip
    with pytest.raises(Forbidden):
        bind(only_reads)
    with pytest.raises(Forbidden):
        bindings.remove(only_reads, binding="bnd_x")


def test_anothers_is_as_one_that_never_was(cast: Cast, plan: str) -> None:
    made = bind(cast.alice)
    for act in (
        lambda: reads.show(cast.bob, id=made),
        lambda: reads.consent(cast.bob, id=made),
        lambda: bindings.remove(cast.bob, binding=made),
        lambda: bindings.switch_capture(cast.bob, binding=made, capture="off"),
    ):
        with pytest.raises(NotFound):
            act()
    assert reads.listing(cast.bob).items == ()
    assert Binding.objects.filter(pk=made).exists()


def narrowed(cast: Cast, location: str) -> Actor:
    scope = Scope(role=Role.EDITOR, folder=Folder.objects.get(path=location).pk)
    return Actor(person=cast.people["alice"].pk, label="scout", via=Via.REST, agent=cast.scout.agent, scopes=(scope,))


def test_a_narrowed_agent_neither_sees_nor_turns_what_is_bound_elsewhere(cast: Cast, plan: str, root: Actor) -> None:
    folders.create(cast.alice, location="product/other")
    agent = narrowed(cast, "product/other")
    bind(root, everybody=True, folder="product/other")
    sharing.grant(root, location="product", subject="alice@example.org", role="manager")
    made = bind(cast.alice)
    assert reads.listing(agent, repository=SHOP).items == ()
    assert reads.listing(agent).items == ()
    with pytest.raises(Forbidden):
        bind(agent, folder="product/other")
    with pytest.raises(NotFound):
        bindings.remove(agent, binding=made)
    assert Binding.objects.get(pk=made).folder.path == PLACE


def test_the_instances_default_holds_for_readers_who_bound_no_other(cast: Cast, plan: str, root: Actor) -> None:
    with pytest.raises(Forbidden):
        bind(cast.alice, everybody=True)
    default = bind(root, everybody=True, policy="required")
    for actor in (cast.alice, cast.carol, cast.rover):
        (row,) = reads.listing(actor, repository=SHOP).items
        assert (row.id, row.own, row.policy, row.capture) == (default, False, "required", "off")
        assert [one.id for one in reads.defaults(actor)] == [default]
        assert reads.listing(actor).items == ()
    assert reads.listing(cast.mallory, repository=SHOP).items == ()
    assert reads.defaults(cast.mallory) == ()
    own = bind(cast.bob, repository="github.com/Acme/Shop")
    assert [row.id for row in reads.listing(cast.bob, repository=SHOP).items] == [own]
    assert reads.defaults(cast.bob) == ()
    with pytest.raises(NotFound):
        bindings.remove(cast.alice, binding=default)
    bindings.remove(root, binding=default)
    assert reads.listing(cast.alice, repository=SHOP).items == ()


def test_saving_is_switched_on_only_by_the_person_who_was_told(cast: Cast, plan: str) -> None:
    made = bind(cast.alice)
    told = reads.consent(cast.alice, id=made)
    assert [one.email for one in told.named] == ["alice@example.org", "bob@example.org", "carol@example.org"]
    assert (told.readers, told.days, told.may_write) == (3, None, True)
    for seen in ("", "x"):
        with pytest.raises(Invalid):
            bindings.switch_capture(cast.alice, binding=made, capture="on", seen=seen)
    with pytest.raises(Forbidden):
        bindings.switch_capture(cast.scout, binding=made, capture="on", seen=told.seen)
    with pytest.raises(Invalid):
        bindings.switch_capture(cast.alice, binding=made, capture="always", seen=told.seen)
    bindings.switch_capture(cast.alice, binding=made, capture="ask", seen=told.seen)
    row = Binding.objects.get()
    assert row.capture == "ask"
    assert row.capture_at is not None
    bindings.switch_capture(cast.alice, binding=made, capture="off")
    assert Binding.objects.get().capture == "off"


@pytest.mark.parametrize("change", ["a reader more", "another retention"])
def test_what_was_told_has_to_hold_still(cast: Cast, plan: str, change: str) -> None:
    made = bind(cast.alice)
    seen = reads.consent(cast.alice, id=made).seen
    if change == "a reader more":
        sharing.grant(cast.alice, location=PLACE, subject="mallory@example.org", role="viewer")
    else:
        folders.settings(cast.alice, location=PLACE, retention_days=30)
    with pytest.raises(Invalid) as refused:
        bindings.switch_capture(cast.alice, binding=made, capture="on", seen=seen)
    assert refused.value.errors[0].field == "seen"
    switched(cast.alice, made)


def test_a_reader_cannot_have_sessions_saved(cast: Cast, plan: str) -> None:
    made = bind(cast.carol)
    assert not reads.consent(cast.carol, id=made).may_write
    with pytest.raises(Forbidden):
        switched(cast.carol, made)


@pytest.mark.parametrize("who", ["alice", "scout"])
def test_another_folder_takes_the_consent_back_and_other_settings_do_not(cast: Cast, plan: str, who: str) -> None:
    made = bind(cast.alice)
    switched(cast.alice, made)
    bind(getattr(cast, who), deadline_ms=500)
    assert reads.show(cast.alice, id=made).capture == "on"
    moved = bindings.bind(getattr(cast, who), repository=SHOP, folder="product")
    assert moved.capture_ended
    assert reads.show(cast.alice, id=made).capture == "off"
    assert not bindings.bind(cast.alice, repository=SHOP, folder=PLACE).capture_ended


def test_binding_anew_after_removing_saves_nothing(cast: Cast, plan: str) -> None:
    made = bind(cast.alice)
    switched(cast.alice, made)
    bindings.remove(cast.scout, binding=made)
    assert reads.show(cast.alice, id=bind(cast.alice)).capture == "off"


def test_a_folder_that_is_no_longer_seen_is_named_as_it_was_bound(cast: Cast, plan: str) -> None:
    made = bind(cast.bob, policy="required")
    switched(cast.bob, made, "ask")
    sharing.revoke(cast.alice, location=PLACE, subject="bob@example.org")
    folders.move(cast.alice, source=PLACE, target="product/secret-name", acknowledge_access_change=True)
    (row,) = reads.listing(cast.rover, repository=SHOP).items
    assert (row.folder, row.reached, row.capture, row.policy) == (PLACE, False, "off", "required")
    with pytest.raises(NotFound):
        reads.consent(cast.bob, id=made)
    bindings.switch_capture(cast.bob, binding=made, capture="off")
    bindings.remove(cast.bob, binding=made)


def test_a_folder_that_moved_is_named_where_it_is(cast: Cast, plan: str) -> None:
    bind(cast.alice)
    folders.move(cast.alice, source=PLACE, target="product/start", acknowledge_access_change=True)
    assert reads.listing(cast.alice, repository=SHOP).items[0].folder == "product/start"


@pytest.mark.parametrize(
    "wrong",
    [
        {"deadline_ms": 1},
        {"budget_chars": 1},
        {"policy": "x"},
        {"capture": "on"},
        {"person": None, "capture": "ask"},
    ],
)
def test_the_database_holds_the_bounds_too(cast: Cast, plan: str, wrong: dict[str, Any]) -> None:
    made = bind(cast.alice)
    with pytest.raises(IntegrityError), transaction.atomic():
        Binding.objects.filter(pk=made).update(**wrong)
