"""Whose log it is, and that no entry tells anybody of a place that is not theirs."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.cast import Cast
from workspace import access, errors
from workspace.access import person_actor
from workspace.actor import Actor, Role, Scope, Via
from workspace.models import AuditEntry, Person
from workspace.queries import audit
from workspace.queries.audit import Entry
from workspace.queries.audit_filters import Filters, parse
from workspace.services import agents, bearer, documents, folders, people, sharing
from workspace.services import audit as services

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(cast: Cast) -> Actor:
    return person_actor(Person.objects.create_superuser("root@example.org", "x" * 20, name="Root"), via=Via.REST)


def read(actor: Actor, **filters: str) -> list[Entry]:
    return [entry for batch in audit.export(actor, filters=parse(filters)) for entry in batch]


def actions(actor: Actor, **filters: str) -> list[str]:
    return [entry.action for entry in read(actor, **filters)]


def refuse(actor: Actor, location: str) -> None:
    """What an adapter does with the refusal of a read."""
    with pytest.raises(errors.NotFound) as refusal:
        access.place(actor, location=location)
    services.attempt(actor, refusal.value, call="read", location=location)


def told(entry: Entry) -> str:
    return repr(entry)


def test_an_administrator_reads_everything_and_a_stranger_their_own(cast: Cast, root: Actor, plan: str) -> None:
    assert len(read(root)) == AuditEntry.objects.count()
    assert read(cast.mallory) == []
    folders.create(cast.mallory, location="den")
    assert set(actions(cast.mallory)) == {"folder.created", "grant.given"}
    assert all(entry.person == cast.mallory.person for entry in read(cast.mallory))


def test_a_manager_reads_what_others_did_below_and_an_editor_does_not(cast: Cast, plan: str) -> None:
    documents.append(cast.bob, location="product/launch/plan.md", content="more")
    assert any(e.by and e.by.label == "Bob" for e in read(cast.alice, place="product"))
    assert all(e.person == cast.bob.person for e in read(cast.bob))
    assert "document.created" not in actions(cast.bob), "that was alice"
    assert read(cast.carol) == []


def test_a_manager_reads_as_far_as_they_manage_now(cast: Cast, plan: str) -> None:
    documents.append(cast.bob, location="product/launch/plan.md", content="more")
    sharing.grant(cast.alice, location="product/launch", subject="carol@example.org", role="manager")
    assert "document.edited" in actions(cast.carol)
    sharing.grant(cast.alice, location="product/launch", subject="carol@example.org", role="editor")
    assert actions(cast.carol) == []


def test_where_from_is_told_to_administrators_and_of_ones_own_acts_alone(cast: Cast, root: Actor, plan: str) -> None:
    actor = Actor(**{**vars(cast.bob), "address": "192.0.2.9"})
    documents.append(actor, location="product/launch/plan.md", content="more")
    assert [read(who, action="document.edited")[0].address for who in (root, cast.bob, cast.alice)] == [
        "192.0.2.9",
        "192.0.2.9",
        None,
    ]


def test_a_move_tells_neither_sides_managers_of_the_other(cast: Cast, root: Actor, plan: str) -> None:
    people_of = {"here": cast.carol, "there": cast.mallory}
    sharing.grant(cast.alice, location="product/launch", subject="carol@example.org", role="manager")
    folders.create(cast.alice, location="vault/inner")
    sharing.grant(cast.alice, location="vault/inner", subject="mallory@example.org", role="manager")
    documents.move(
        cast.alice.because("to vault/inner, from product/launch"),
        source="product/launch/plan.md",
        target="vault/inner/secret.md",
        acknowledge_access_change=True,
    )
    here, there = read(people_of["here"]), read(people_of["there"])
    assert "document.moved_away" in [e.action for e in here]
    assert "document.moved" in [e.action for e in there]
    assert not any("vault" in told(e) or "secret.md" in told(e) for e in here)
    assert not any("product" in told(e) for e in there if e.action != "document.moved")
    moved = next(e for e in there if e.action == "document.moved")
    assert (moved.location, moved.data.keys()) == ("vault/inner/secret.md", {"commit"})
    both = [e for e in read(root) if e.action.startswith("document.moved")]
    assert [e.location for e in both] == ["vault/inner/secret.md", "product/launch/plan.md"]


def test_after_a_folder_was_moved_its_new_managers_do_not_learn_where_it_was(cast: Cast, plan: str) -> None:
    folders.create(cast.alice, location="vault")
    sharing.grant(cast.alice, location="vault", subject="mallory@example.org", role="manager")
    folders.move(cast.alice, source="product/launch", target="vault/launch", acknowledge_access_change=True)
    entries = read(cast.mallory)
    assert "document.created" in [e.action for e in entries], "what happened in it came with it"
    assert not any("product" in told(e) for e in entries)
    created = next(e for e in entries if e.action == "document.created")
    assert created.location == "vault/launch/plan.md"


def test_a_refused_attempt_is_told_to_those_who_manage_the_place_and_to_nobody_else(
    cast: Cast, root: Actor, plan: str
) -> None:
    sharing.grant(cast.alice, location="product/launch", subject="carol@example.org", role="manager")
    folders.create(cast.bob, location="bobs")
    refuse(cast.mallory, "product/launch/plan.md")
    refuse(cast.mallory, "product/launch/absent.md")
    for manager in (cast.alice, cast.carol):
        found = read(manager, denied="true")
        assert [(e.location, e.by and e.by.label) for e in found] == [("product/launch/plan.md", "Mallory")]
    assert read(cast.bob, denied="true") == [], "an editor of that place, and manager of another"
    assert [e.location for e in read(root, denied="true")] == ["product/launch/absent.md", "product/launch/plan.md"]


def test_ones_own_attempts_look_the_same_for_what_is_hidden_and_what_is_absent(cast: Cast, plan: str) -> None:
    refuse(cast.mallory, "product/launch/plan.md")
    refuse(cast.mallory, "product/launch/absent.md")
    absent, hidden = read(cast.mallory, denied="true")

    def plain(entry: Entry) -> dict[str, object]:
        return {k: v for k, v in vars(entry).items() if k not in ("id", "at", "location", "request_id")}

    assert plain(hidden) == plain(absent)
    assert (hidden.folder, hidden.document, hidden.location) == (None, None, "product/launch/plan.md")


def test_no_filter_of_ones_own_attempts_tells_hidden_from_absent(cast: Cast, plan: str) -> None:
    # Mallory reads one document of the folder, so that its location may be a filter.
    documents.create(cast.alice, location="product/launch/open.md", content="x")
    folders.create(cast.alice, location="product/launch/open")
    sharing.grant(cast.alice, location="product/launch/open", subject="mallory@example.org", role="viewer")
    documents.create(cast.alice, location="product/launch/open/x.md", content="x")
    folders.create(cast.alice, location="product/launch/open/deep")
    refuse(cast.mallory, "product/launch/plan.md")
    refuse(cast.mallory, "product/launch/absent.md")
    for filters in (
        {"place": "product/launch/open"},
        {"action": "attempt."},
        {"via": "rest"},
        {"person": "mallory@example.org"},
    ):
        found = [e.location for e in read(cast.mallory, **filters) if e.denied]
        assert found in ([], ["product/launch/absent.md", "product/launch/plan.md"]), filters
    for place in ("product/launch", "product/launch/plan.md", "product/launch/absent.md"):
        with pytest.raises(errors.NotFound):
            read(cast.mallory, place=place)


def test_a_page_of_the_log_asks_as_much_whatever_is_hidden(cast: Cast, plan: str) -> None:
    counts = []
    for location in ("product/launch/plan.md", "product/launch/absent.md"):
        with CaptureQueriesContext(connection) as queries, pytest.raises(errors.NotFound):
            audit.listing(cast.mallory, filters=parse({"place": location}))
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_manager_of_one_document_reads_of_that_and_not_of_its_neighbours(cast: Cast, plan: str) -> None:
    documents.create(cast.alice, location="product/launch/other.md", content="x")
    sharing.grant(cast.alice, location="product/launch/plan.md", subject="mallory@example.org", role="manager")
    documents.append(cast.bob, location="product/launch/plan.md", content="more")
    found = read(cast.mallory)
    assert {e.location for e in found} == {"product/launch/plan.md"}
    assert "document.edited" in [e.action for e in found]


def test_an_agent_reads_its_own_acts_and_others_only_where_it_manages(cast: Cast, root: Actor, plan: str) -> None:
    documents.append(cast.rover, location="product/launch/plan.md", content="more")
    assert actions(cast.rover) == ["document.edited"]
    assert any(e.by and e.by.label == "Bob" for e in read(cast.scout)) is False
    documents.append(cast.bob, location="product/launch/plan.md", content="again")
    assert any(e.by and e.by.label == "Bob" for e in read(cast.scout)), "scout manages what alice does"
    minted = agents.create(cast.alice, name="reader", scopes=["viewer@product"])
    reader = bearer.authenticate(minted.token, via=Via.REST)
    assert read(reader) == []
    shipping = bearer.authenticate(agents.create(root, name="siem").token, via=Via.REST)
    assert len(read(shipping)) == AuditEntry.objects.count()
    narrowed = bearer.authenticate(agents.create(root, name="narrow", scopes=["viewer@*"]).token, via=Via.REST)
    assert read(narrowed) == []
    assert not audit.reads_all(Actor(**{**vars(root), "scopes": (Scope(role=Role.MANAGER, folder=1),)}))


def test_filters_narrow_together(cast: Cast, root: Actor, plan: str) -> None:
    documents.append(cast.rover, location="product/launch/plan.md", content="more")
    folders.create(cast.mallory, location="den")
    assert {e.action for e in read(root, person="Bob@Example.org")} == {"document.edited", "token.minted"}
    assert actions(root, agent="rover") == ["document.edited"]
    assert actions(root, agent=str(cast.rover.agent)) == ["document.edited"]
    assert set(actions(root, action="document.")) == {"document.created", "document.edited"}
    assert set(actions(root, action="document.*")) == {"document.created", "document.edited"}
    assert actions(root, action="document.edited", via="rest") == []
    assert {e.location for e in read(root, place="den")} == {"den"}
    assert {e.location.partition("/")[0] for e in read(root, place="product")} == {"product"}
    assert actions(root, place="nowhere/at/all") == []
    assert actions(root, denied="true") == []
    assert read(root, **{"to": "2020-01-01"}) == []
    assert len(read(root, **{"from": "2020-01-01"})) == AuditEntry.objects.count()


def test_a_day_is_whole_and_a_time_without_offset_is_utc() -> None:
    found = parse({"from": "2026-11-30", "to": "2026-11-30"})
    assert found.since == datetime(2026, 11, 30, tzinfo=UTC)
    assert found.until == datetime(2026, 12, 1, tzinfo=UTC)
    assert parse({"from": "2026-11-30T10:00"}).since == datetime(2026, 11, 30, 10, tzinfo=UTC)
    assert parse({"from": "2026-11-30T10:00+02:00"}).since == datetime(2026, 11, 30, 8, tzinfo=UTC)
    assert parse({}) == Filters()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("from", "yesterday"),
        ("to", "2026-13-01"),
        ("to", "9999-12-31"),
        ("via", "telepathy"),
        ("denied", "perhaps"),
        ("action", "'; DROP TABLE"),
        ("person", "a\x00b"),
        ("place", "x" * 1_001),
    ],
)
def test_a_wrong_filter_is_named(name: str, value: str) -> None:
    with pytest.raises(errors.Invalid) as refusal:
        parse({name: value})
    assert [error.field for error in refusal.value.errors] == [name]


def test_pages_hold_each_entry_once_in_order_and_a_cursor_is_its_readers(cast: Cast, plan: str) -> None:
    for n in range(12):
        documents.append(cast.bob, location="product/launch/plan.md", content=f"line {n}")
    everything, found, cursor = read(cast.alice), [], None
    while True:
        page = audit.listing(cast.alice, filters=Filters(), limit=5, cursor=cursor)
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    assert [e.id for e in found] == [e.id for e in everything]
    assert len({e.id for e in found}) == len(found)
    assert [e.at for e in found] == sorted((e.at for e in found), reverse=True)
    first = audit.listing(cast.alice, filters=Filters(), limit=5).next_cursor
    with pytest.raises(errors.Invalid):
        audit.listing(cast.bob, filters=Filters(), cursor=first)
    with pytest.raises(errors.Invalid):
        audit.listing(cast.alice, filters=Filters(action="document."), cursor=first)


def test_entries_of_one_moment_are_neither_lost_nor_doubled(cast: Cast) -> None:
    at = datetime.now(UTC) + timedelta(hours=1)
    AuditEntry.objects.bulk_create(
        AuditEntry(at=at, action="folder.created", person_id=cast.carol.person, via="web") for _ in range(25)
    )
    found, cursor = [], None
    while True:
        page = audit.listing(cast.carol, filters=Filters(), limit=7, cursor=cursor)
        found += [e.id for e in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len(found) == len(set(found)) == 25


def test_neither_a_cursor_nor_an_id_tells_how_much_others_do(cast: Cast) -> None:
    for _ in range(3):
        services.record(cast.carol, "folder.created")
    numbers = list(AuditEntry.objects.order_by("-id").values_list("pk", flat=True)[:3])
    page = audit.listing(cast.carol, filters=Filters(), limit=1)
    assert page.next_cursor is not None
    place = audit.pages.decode(cast.carol, _name(), page.next_cursor)
    assert place[1] != numbers[0]
    assert audit._unmask(*place)[1] == numbers[0]
    assert not any(str(number) in entry.id for number in numbers for entry in page.items)


def _name() -> str:
    return "audit:" + ":".join(str(value) for value in vars(Filters()).values())


def test_a_deactivated_person_is_no_reader_and_their_entries_stay(cast: Cast, root: Actor, plan: str) -> None:
    documents.append(cast.bob, location="product/launch/plan.md", content="more")
    people.update(root, person=cast.people["bob"].pk, active=False)
    assert "document.edited" in actions(root, person="bob@example.org")


def test_a_page_costs_the_same_however_many_entries_it_shows(cast: Cast, root: Actor, plan: str) -> None:
    def cost(actor: Actor) -> int:
        with CaptureQueriesContext(connection) as queries:
            audit.listing(actor, filters=Filters())
        return len(queries)

    few = [cost(actor) for actor in (root, cast.alice, cast.bob)]
    for n in range(20):
        documents.append(cast.bob, location="product/launch/plan.md", content=f"{n}")
    assert [cost(actor) for actor in (root, cast.alice, cast.bob)] == few
    assert few[0] == 1
    assert max(few) <= 5
