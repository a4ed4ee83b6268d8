"""Groups within groups: what is refused, and that leaving one is felt at once."""

import threading
from dataclasses import replace
from itertools import pairwise

import pytest
from django.db import connection

from tests.cast import Cast
from workspace import errors
from workspace.actor import Actor
from workspace.models import AuditEntry, Group, Nesting
from workspace.queries import documents as reads
from workspace.services import groups, people, sharing

PLAN_AT = "product/launch/plan.md"


@pytest.fixture
def admin(cast: Cast) -> Actor:
    return replace(cast.alice, admin=True)


def chain(admin: Actor, *names: str) -> list[Group]:
    """Groups of these names, each a part of the one before."""
    made = [groups.create(admin, name=name) for name in names]
    for outer, inner in pairwise(made):
        groups.nest(admin, group=outer.pk, inner=inner.pk)
    return made


def test_a_group_is_not_nested_in_itself_through_however_many_others(cast: Cast, admin: Actor) -> None:
    first, second, third = chain(admin, "all", "makers", "writers")
    with pytest.raises(errors.Invalid) as refused:
        groups.nest(admin, group=third.pk, inner=first.pk)
    assert "writers is in makers is in all is in writers" in refused.value.detail
    with pytest.raises(errors.Invalid) as refused:
        groups.nest(admin, group=second.pk, inner=second.pk)
    assert refused.value.errors[0].field == "inner"
    groups.nest(admin, group=first.pk, inner=third.pk)  # two ways to one group are no circle
    groups.nest(admin, group=first.pk, inner=third.pk)
    assert Nesting.objects.count() == 3


def test_a_member_far_inside_reads_until_any_link_is_taken_away(cast: Cast, plan: str, admin: Actor) -> None:
    mallory = cast.people["mallory"]
    _, second, third = chain(admin, "all", "makers", "writers")
    groups.add(admin, group=third.pk, person=mallory.pk)
    sharing.grant(cast.alice, location="product/launch", subject="group:all", role="viewer")

    def reads_it() -> bool:
        try:
            return bool(reads.read(cast.mallory, location=PLAN_AT).id)
        except errors.NotFound:
            return False

    assert reads_it()
    groups.unnest(admin, group=second.pk, inner=third.pk)
    assert not reads_it()
    groups.nest(admin, group=second.pk, inner=third.pk)
    assert reads_it()
    groups.remove(admin, group=third.pk, person=mallory.pk)
    assert not reads_it()
    groups.add(admin, group=third.pk, person=mallory.pk)
    groups.delete(admin, group=second.pk)  # the one in the middle
    assert not reads_it()
    assert not Nesting.objects.exists()


@pytest.mark.parametrize("verb", ["remove", "unnest", "delete"])
def test_no_change_of_groups_leaves_a_place_without_a_manager(cast: Cast, admin: Actor, verb: str) -> None:
    outer, inner = chain(admin, "leads", "lead of leads")
    bob = cast.people["bob"]
    groups.add(admin, group=inner.pk, person=bob.pk)
    sharing.grant(cast.alice, location="product", subject="group:leads", role="manager")
    sharing.revoke(cast.alice, location="product", subject="alice@example.org")

    def change() -> None:
        match verb:
            case "remove":
                groups.remove(admin, group=inner.pk, person=bob.pk)
            case "unnest":
                groups.unnest(admin, group=outer.pk, inner=inner.pk)
            case _:
                groups.delete(admin, group=inner.pk)

    with pytest.raises(errors.Forbidden) as refused:
        change()
    assert "product" in refused.value.detail
    assert reads.children(cast.bob, location="product").items == ()  # nothing was taken: he still sees it
    groups.add(admin, group=outer.pk, person=cast.people["carol"].pk)
    change()


def test_somebody_deactivated_does_not_count_as_a_manager_and_can_always_be_let_go(cast: Cast, admin: Actor) -> None:
    (leads,) = chain(admin, "leads")
    groups.add(admin, group=leads.pk, person=cast.people["bob"].pk)
    sharing.grant(cast.alice, location="product", subject="group:leads", role="manager")
    cast.people["bob"].is_active = False
    cast.people["bob"].save()
    with pytest.raises(errors.Forbidden):
        sharing.revoke(cast.alice, location="product", subject="alice@example.org")
    people.update(admin, person=cast.people["alice"].pk, active=False)
    groups.remove(admin, group=leads.pk, person=cast.people["bob"].pk)  # nobody managed it before either


def test_groups_are_the_administrators_alone(cast: Cast, admin: Actor) -> None:
    first, second = chain(admin, "all", "makers")
    for actor in (cast.alice, replace(cast.scout, admin=True)):
        for change in (
            lambda a: groups.nest(a, group=second.pk, inner=first.pk),
            lambda a: groups.unnest(a, group=first.pk, inner=second.pk),
            lambda a: groups.delete(a, group=first.pk),
            lambda a: groups.add(a, group=first.pk, person=cast.people["bob"].pk),
        ):
            with pytest.raises(errors.Forbidden):
                change(actor)
    with pytest.raises(errors.NotFound):
        groups.nest(admin, group=first.pk, inner=10**9)


def test_each_change_of_a_group_is_in_the_audit_log_once(cast: Cast, admin: Actor) -> None:
    first, second = chain(admin, "all", "makers")
    groups.nest(admin, group=first.pk, inner=second.pk)  # changes nothing
    groups.add(admin, group=second.pk, person=cast.people["bob"].pk)
    groups.add(admin, group=second.pk, person=cast.people["bob"].pk)
    groups.rename(admin, group=second.pk, name="builders")
    groups.remove(admin, group=second.pk, person=cast.people["bob"].pk)
    groups.unnest(admin, group=first.pk, inner=second.pk)
    groups.delete(admin, group=second.pk)
    entries = AuditEntry.objects.filter(action__startswith="group.").order_by("pk").values_list("action", "subject")
    assert list(entries) == [
        ("group.created", "group:all"),
        ("group.created", "group:makers"),
        ("group.nested", "group:all"),
        ("group.member_added", "group:makers"),
        ("group.renamed", "group:builders"),
        ("group.member_removed", "group:builders"),
        ("group.unnested", "group:all"),
        ("group.deleted", "group:builders"),
    ]


def test_two_administrators_cannot_close_a_circle_together(committed_cast: Cast) -> None:
    admin = replace(committed_cast.alice, admin=True)
    for n in range(6):
        first, second = (groups.create(admin, name=f"{side} {n}") for side in ("left", "right"))
        barrier, refused = threading.Barrier(2), []

        def nest(outer: int, inner: int, barrier: threading.Barrier = barrier, refused: list = refused) -> None:
            barrier.wait()
            try:
                groups.nest(admin, group=outer, inner=inner)
            except errors.Invalid as refusal:
                refused.append(refusal)
            finally:
                connection.close()

        threads = [threading.Thread(target=nest, args=pair) for pair in ((first.pk, second.pk), (second.pk, first.pk))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(refused) == 1
        assert Nesting.objects.filter(outer__in=[first.pk, second.pk]).count() == 1


def test_the_last_two_managers_cannot_leave_at_the_same_moment(committed_cast: Cast) -> None:
    cast = committed_cast
    admin = replace(cast.alice, admin=True)
    leads = groups.create(admin, name="leads")
    groups.add(admin, group=leads.pk, person=cast.people["bob"].pk)
    sharing.grant(cast.alice, location="product", subject="group:leads", role="manager")
    barrier, outcomes = threading.Barrier(2), []

    def leave(act: object) -> None:
        barrier.wait()
        try:
            act()  # type: ignore[operator]
            outcomes.append("gone")
        except errors.Forbidden:
            outcomes.append("kept")
        finally:
            connection.close()

    changes = (
        lambda: sharing.revoke(cast.alice, location="product", subject="alice@example.org"),
        lambda: groups.remove(admin, group=leads.pk, person=cast.people["bob"].pk),
    )
    threads = [threading.Thread(target=leave, args=(change,)) for change in changes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["gone", "kept"]
