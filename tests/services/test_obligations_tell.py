"""What each session owed: every stage with its time or its reason, for those who read the folder and nobody else."""

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db.models import F
from django.utils import timezone

from tests.cast import Cast
from tests.services.sessions import LAUNCH, ask, attach, keep
from workspace.actor import Actor
from workspace.errors import Invalid, NotFound
from workspace.jobs import work
from workspace.models import Capture, Job, JobKind, JobState, Receipt, ReceiptKind
from workspace.queries import documents as pages
from workspace.queries import obligation_counts, obligation_stages, obligation_timeline, obligations
from workspace.queries.obligation_stages import Stage
from workspace.queries.obligations import Filters, Session
from workspace.services import captures, contexts, documents, folders, receipts, sharing


def told(actor: Actor, **narrowed: Any) -> list[Session]:
    return list(obligations.listing(actor, filters=Filters(**narrowed)).page.items)


def stages(actor: Actor, session: Session | None = None) -> dict[str, Stage]:
    (one,) = [session] if session else told(actor)
    (found,) = obligation_stages.of_sessions(actor, [one])
    return {stage.name: stage for stage in found}


def statuses(actor: Actor, session: Session | None = None) -> list[str]:
    return [stage.status for stage in stages(actor, session).values()]


def counts(actor: Actor, **narrowed: Any) -> dict[str, int]:
    return {
        counter.name: counter.total
        for counter in obligation_counts.counters(actor, filters=Filters(**narrowed))
        if counter.total
    }


@pytest.fixture
def indexed(cast: Cast, plan: str) -> Cast:
    work.drain(seconds=30)
    return cast


def test_a_session_whose_handoff_another_reads_has_closed_its_loop(indexed: Cast) -> None:
    scout, rover = indexed.scout, indexed.rover
    attach(scout, ask(scout))
    kept = keep(scout)
    work.drain(seconds=30)
    attach(rover, ask(rover, session="r7", prompt="Where does the import run?"))

    first = next(session for session in told(indexed.alice) if session.key == "s1")
    assert (first.state, first.prompts, first.captures, first.again) == (obligations.CLOSED, 1, 1, 1)
    assert (first.host, first.folder, first.by.label, first.lead) == ("claude-code", LAUNCH, "scout", kept)
    found = stages(indexed.alice, first)
    assert tuple(found) == obligation_stages.STAGES
    assert {stage.status for stage in found.values()} == {"done"}
    assert all(stage.at for stage in found.values())
    again = found["read again"]
    assert (again.by and again.by.label, again.session) == ("rover", "r7")


def test_the_sessions_own_readings_and_a_persons_close_nothing(indexed: Cast) -> None:
    scout = indexed.scout
    keep(scout)
    work.drain(seconds=30)
    attach(scout, ask(scout))
    page = pages.read(indexed.carol, location=f"{LAUNCH}/HANDOFF.md")
    receipts.read(indexed.carol, document=page.id, commit=page.commit)
    receipts.read(scout, document=page.id, commit=page.commit)  # names no session, so it may be the same one
    (one,) = told(indexed.alice)
    assert one.state == obligations.OPEN
    assert stages(indexed.alice)["read again"].reason == "no other session has read HANDOFF.md yet"
    attach(scout, ask(scout, session="s2"))
    first = next(session for session in told(indexed.alice) if session.key == "s1")
    assert first.state == obligations.CLOSED
    assert stages(indexed.alice, first)["read again"].session == "s2"


def test_a_reading_from_before_it_was_handed_off_is_none_of_it(indexed: Cast) -> None:
    keep(indexed.scout, name="first")
    work.drain(seconds=30)
    attach(indexed.rover, ask(indexed.rover, session="r1"))
    keep(indexed.scout, session="s2", name="second")
    work.drain(seconds=30)
    states = {session.key: session.state for session in told(indexed.alice)}
    assert states == {"s1": obligations.CLOSED, "s2": obligations.OPEN, "r1": obligations.NONE}


def test_nothing_is_owed_where_no_prompt_asked_and_where_nothing_was_captured(indexed: Cast) -> None:
    ask(indexed.scout)
    found = stages(indexed.alice)
    assert found["captured"].reason == found["read again"].reason == "nothing was captured"
    assert told(indexed.alice)[0].state == obligations.NONE
    keep(indexed.rover, session="r1")
    other = next(session for session in told(indexed.alice) if session.key == "r1")
    assert stages(indexed.alice, other)["invoked"].reason == "no prompt of it asked for context"


def test_what_a_host_has_not_said_is_waited_for(indexed: Cast) -> None:
    attach(indexed.scout, ask(indexed.scout))
    ask(indexed.scout)
    ask(indexed.scout)
    attached = stages(indexed.alice)["attached"]
    assert (attached.status, attached.count, attached.total) == ("waiting", 1, 3)
    assert attached.reason == "the host has not said for 2 prompts"


def test_a_withheld_prompt_is_a_failure_with_the_hosts_reason_until_one_is_attached(indexed: Cast) -> None:
    scout = indexed.scout
    found = ask(scout)
    contexts.report(scout, receipt=found.receipt, stage="withheld", reason="over the budget: 9 characters of 8")
    attached = stages(indexed.alice)["attached"]
    assert (attached.status, attached.reason) == ("failed", "withheld: over the budget: 9 characters of 8")
    assert told(indexed.alice)[0].state == obligations.FAILED
    attach(scout, ask(scout))
    assert told(indexed.alice)[0].state == obligations.NONE
    attached = stages(indexed.alice)["attached"]
    assert (attached.status, attached.count, attached.total) == ("done", 1, 2)


def test_no_time_and_nothing_to_say_are_told_apart(indexed: Cast) -> None:
    scout = indexed.scout
    ask(scout, session="quiet", location=None, prompt="zzzz qqqq")
    late = ask(scout, session="late")
    Receipt.objects.filter(operation=late.receipt, kind=ReceiptKind.RETRIEVED).delete()
    row = Receipt.objects.get(pk=late.receipt)
    Receipt.objects.create(
        kind=ReceiptKind.RETRIEVED, operation=row.operation, folder_id=row.folder_id, person_id=row.person_id,
        agent_id=row.agent_id, session="late", via="hook", reason="unavailable", at=timezone.now(),
    )  # fmt: skip
    by_key = {session.key: session for session in told(indexed.alice)}
    assert (by_key["late"].state, by_key["quiet"].state) == (obligations.FAILED, obligations.NONE)
    failed = stages(indexed.alice, by_key["late"])["retrieved"]
    assert (failed.status, failed.reason[:11]) == ("failed", "unavailable")
    quiet = stages(indexed.alice, by_key["quiet"])
    assert (quiet["retrieved"].status, quiet["retrieved"].reason) == ("none", "nothing to say")
    assert (quiet["attached"].status, quiet["attached"].reason) == ("none", "nothing to attach")


@pytest.mark.parametrize(
    ("kind", "stage", "what"),
    [
        (JobKind.SUMMARISE, "summarised", ""),
        (JobKind.CONSOLIDATE, "indexed", "weaving it into HANDOFF.md: "),
        (JobKind.INDEX, "indexed", "indexing HANDOFF.md: "),
    ],
)
def test_a_job_that_gave_up_is_named_with_its_reason(indexed: Cast, kind: str, stage: str, what: str) -> None:
    keep(indexed.scout)
    for _ in range(20):
        due = Job.objects.exclude(state=JobState.DONE).filter(folder__path=LAUNCH).order_by("created_at")
        if due.filter(kind=kind).exists():
            break
        work.run(due[0].pk)
    waiting = stages(indexed.alice)[stage]
    assert (waiting.status, waiting.reason) == ("waiting", f"{what}queued")
    assert told(indexed.alice)[0].state == obligations.OPEN
    stuck = Job.objects.filter(kind=kind).exclude(state=JobState.DONE)
    stuck.update(last_error="No answer.", attempts=2)
    assert stages(indexed.alice)[stage].reason == f"{what}tried 2 times: No answer."
    stuck.update(state=JobState.FAILED, attempts=5)
    failed = stages(indexed.alice)[stage]
    assert (failed.status, failed.reason) == ("failed", f"{what}gave up after 5 tries: No answer.")
    assert told(indexed.alice)[0].state == obligations.FAILED


def test_a_capture_that_repeats_what_stands_there_hands_nothing_off(indexed: Cast) -> None:
    keep(indexed.scout)
    keep(indexed.rover, session="r1")
    work.drain(seconds=30)
    states = {session.key: session.state for session in told(indexed.alice)}
    quiet = [key for key, state in states.items() if state == obligations.NONE]
    assert len(quiet) == 1
    one = next(session for session in told(indexed.alice) if session.key == quiet[0])
    assert stages(indexed.alice, one)["indexed"].reason.startswith("nothing to say")


def test_an_erased_capture_owes_nothing_any_more(indexed: Cast) -> None:
    kept = keep(indexed.scout)
    captures.erase(indexed.alice, capture=kept)
    (one,) = told(indexed.alice)
    assert (one.state, one.captures, one.handoffs) == (obligations.NONE, 1, 0)
    assert stages(indexed.alice)["read again"].reason.startswith("erased ")


def test_a_proposed_capture_is_told_to_its_person_alone(indexed: Cast) -> None:
    kept = keep(indexed.scout)
    Capture.objects.filter(pk=kept).update(proposed_at=F("created_at"))
    assert [session.lead for session in told(indexed.alice)] == [kept]
    found = stages(indexed.alice)
    assert (found["captured"].status, found["captured"].reason) == ("waiting", "proposed: it waits for you")
    assert found["acknowledged"].reason == "not before you approve it"
    for other in (indexed.carol, indexed.bob):
        assert not told(other)
        assert "captured" not in counts(other)
        with pytest.raises(NotFound):
            obligations.session(other, id=kept)


def test_sessions_without_a_name_are_each_their_own(indexed: Cast) -> None:
    ask(indexed.scout, session="")
    ask(indexed.scout, session="")
    keep(indexed.scout, session="")
    found = told(indexed.alice)
    assert len(found) == 3
    assert not any(session.named for session in found)


def test_only_folders_that_are_read_are_told_counted_and_drawn(indexed: Cast) -> None:
    folders.create(indexed.alice, location="secret")
    documents.create(indexed.alice, location="secret/teams.md", content="# Teams\n\nTeams of the first month.\n")
    work.drain(seconds=30)
    attach(indexed.scout, ask(indexed.scout, session="hidden", location="secret"))
    kept = keep(indexed.scout, session="hidden", folder="secret")
    work.drain(seconds=30)
    attach(indexed.scout, ask(indexed.scout, session="s9", location="secret", prompt="Where is the import?"))
    hidden = told(indexed.alice)[0].id
    for other in (indexed.carol, indexed.bob, indexed.mallory):
        assert not told(other)
        assert not counts(other)
        overview = obligations.listing(other, filters=Filters())
        assert (overview.hosts, overview.agents) == ((), ())
        assert {tally.sessions for tally in overview.tally.values()} == {0}
        for id in (hidden, kept):
            with pytest.raises(NotFound):
                obligation_timeline.show(other, id=id)
        with pytest.raises(NotFound):
            told(other, folder="secret")
    assert counts(indexed.alice)["invoked"] == 2
    sharing.grant(indexed.alice, location="secret", subject="carol@example.org", role="viewer")
    assert {session.key for session in told(indexed.carol)} == {"hidden", "s9"}
    assert counts(indexed.carol) == counts(indexed.alice)


def test_a_document_that_is_hidden_was_not_retrieved(indexed: Cast) -> None:
    folders.create(indexed.alice, location="secret")
    documents.create(indexed.alice, location="secret/teams.md", content="# Zebras\n\nZebras of the first month.\n")
    work.drain(seconds=30)
    ask(indexed.scout, prompt="zebras")
    assert stages(indexed.alice)["retrieved"].status == "done"
    assert counts(indexed.alice)["retrieved"] == 1
    assert stages(indexed.carol)["retrieved"].reason == "nothing that you may read"
    assert "retrieved" not in counts(indexed.carol)
    (prompt,) = obligation_timeline.show(indexed.carol, id=told(indexed.carol)[0].id).prompts.items
    assert prompt.cited == ()


def test_prompts_that_are_bound_to_no_folder_are_ones_own(indexed: Cast) -> None:
    ask(indexed.scout, location=None)
    (one,) = told(indexed.alice)
    assert one.folder == ""
    assert not told(indexed.bob)
    assert not told(indexed.alice, folder=LAUNCH)


def test_filters_narrow_the_list_the_tally_and_the_counters(indexed: Cast) -> None:
    folders.create(indexed.alice, location="product/launch/press")
    attach(indexed.scout, ask(indexed.scout))
    ask(indexed.rover, session="r1", location=LAUNCH, host="codex")
    ask(indexed.scout, session="s3", location="product/launch/press")
    keep(indexed.rover, session="r1")
    alice = indexed.alice
    assert {session.key for session in told(alice, host="codex")} == {"r1"}
    assert {session.key for session in told(alice, agent=indexed.rover.agent)} == {"r1"}
    assert {session.key for session in told(alice, folder="product/launch/press")} == {"s3"}
    assert {session.key for session in told(alice, state="open")} == {"r1"}
    assert {session.key for session in told(alice, host="codex", state="closed")} == set()
    assert counts(alice, host="codex") == dict.fromkeys(("invoked", "retrieved", "captured", "acknowledged"), 1)
    overview = obligations.listing(alice, filters=Filters(host="codex", state="closed"))
    assert {state: tally.sessions for state, tally in overview.tally.items() if tally.sessions} == {"open": 1}
    assert overview.hosts == ("claude-code", "codex")
    assert [agent.label for agent in overview.agents] == ["rover", "scout"]


def test_what_is_older_than_the_period_is_left_out(indexed: Cast) -> None:
    ask(indexed.scout)
    Receipt.objects.update(at=timezone.now() - timedelta(days=40))
    assert not told(indexed.alice)
    assert len(told(indexed.alice, days=90)) == 1
    assert counts(indexed.alice, days=90)["invoked"] == 1


@pytest.mark.parametrize("days", obligations.PERIODS)
def test_the_bars_of_a_counter_hold_every_day_of_the_period_once(indexed: Cast, days: int) -> None:
    ask(indexed.scout)
    for counter in obligation_counts.counters(indexed.alice, filters=Filters(days=days)):
        assert counter.total == sum(bar.count for bar in counter.bars)
        assert len(counter.bars) <= obligation_counts.BARS
        assert sum((bar.last - bar.first).days + 1 for bar in counter.bars) == days
        assert all(one.last + timedelta(days=1) == other.first for one, other in pairwise(counter.bars))
        assert counter.bars[-1].last == timezone.now().date()


def test_each_counter_counts_its_own_facts(indexed: Cast) -> None:
    scout, rover = indexed.scout, indexed.rover
    attach(scout, ask(scout))
    contexts.report(scout, receipt=ask(scout).receipt, stage="withheld", reason="x")
    keep(scout)
    work.drain(seconds=30)
    for session in ("r1", "r2"):
        attach(rover, ask(rover, session=session, prompt="Where does the import run?"))
    assert counts(indexed.alice) == {
        "invoked": 4, "retrieved": 4, "attached": 3, "withheld": 1, "captured": 1, "acknowledged": 1, "summarised": 1,
        "indexed": 1, "read again": 2,
    }  # fmt: skip


def test_pages_hold_every_session_once_and_what_failed_first(indexed: Cast) -> None:
    for number in range(7):
        found = ask(indexed.scout, session=f"s{number}")
        if number in (1, 4):
            contexts.report(indexed.scout, receipt=found.receipt, stage="withheld")
    seen: list[str] = []
    cursor = None
    while True:
        page = obligations.listing(indexed.alice, filters=Filters(), limit=2, cursor=cursor).page
        seen += [session.key for session in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == ["s4", "s1", "s6", "s5", "s3", "s2", "s0"]
    first = obligations.listing(indexed.alice, filters=Filters(), limit=2).page.next_cursor
    with pytest.raises(Invalid):
        obligations.listing(indexed.carol, filters=Filters(), cursor=first)
    with pytest.raises(Invalid):
        obligations.listing(indexed.alice, filters=Filters(days=7), cursor=first)


@pytest.mark.parametrize(
    "given", [{"state": "x"}, {"days": "8"}, {"days": "-1"}, {"host": "a\x00"}, {"agent": "a" * 201}]
)
def test_a_wrong_filter_is_named(given: dict[str, str]) -> None:
    with pytest.raises(Invalid) as refusal:
        obligations.parse(given)
    assert [error.field for error in refusal.value.errors] == list(given)


def test_any_fact_of_a_session_leads_to_all_of_it(indexed: Cast) -> None:
    scout = indexed.scout
    first, second = ask(scout), ask(scout, prompt="When is the launch?")
    kept = keep(scout)
    attach(scout, second)
    ask(scout, session="other")
    for id in (first.receipt, second.receipt, kept):
        view = obligation_timeline.show(indexed.carol, id=id)
        assert [prompt.id for prompt in view.prompts.items] == [second.receipt, first.receipt]
        assert [handoff.id for handoff in view.handoffs] == [kept]
    one, other = view.prompts.items
    assert (one.outcome, other.outcome) == ("attached", "waiting")
    assert (one.characters, one.budget) == (len("When is the launch?"), 8_000)
    assert [cited.location for cited in one.cited] == [f"{LAUNCH}/plan.md"]
    assert one.cited[0].lines
    assert one.used == sum(len(part.text) for part in second.citations)


@pytest.mark.parametrize("id", ["", "rcp_", "cap_nothing", "%00", "x' OR 1=1"])
def test_what_is_no_fact_is_not_found(indexed: Cast, id: str) -> None:
    with pytest.raises(NotFound):
        obligation_timeline.show(indexed.alice, id=id)
