"""What a prompt is given: where its session works first, then what answers it, within budget and deadline."""

import itertools
import time
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from tests.cast import PLAN, Cast
from tests.locks import held
from workspace.actor import Actor, Via
from workspace.errors import IdempotencyMismatch, Invalid, NotFound
from workspace.jobs import work
from workspace.markdown import passages
from workspace.models import Receipt
from workspace.queries import contexts as reads
from workspace.queries import receipts
from workspace.queries.deadlines import Deadline, Late
from workspace.services import contexts, documents, folders
from workspace.services.contexts import Context

LAUNCH = "product/launch"
ASK = "How many teams do we want in the first month?"


def write(actor: Actor, name: str, content: str, folder: str = LAUNCH) -> str:
    return documents.create(actor, location=f"{folder}/{name}", content=content).commit


def ask(actor: Actor, prompt: str = ASK, **more: Any) -> Context:
    return contexts.prepare(actor, prompt=prompt, **{"deadline_ms": 60_000} | more)


def locations(found: Context) -> list[str]:
    return list(dict.fromkeys(one.location.rpartition("/")[2] for one in found.citations))


@pytest.fixture
def indexed(cast: Cast, plan: str) -> Cast:
    work.drain(seconds=30)
    return cast


def test_a_prompt_is_answered_by_whole_passages_with_their_citations(indexed: Cast, plan: str) -> None:
    found = ask(indexed.rover)
    (one, *_) = found.citations
    assert one.citation == f"{LAUNCH}/plan.md@{plan}#L5-L8"
    assert "We want a thousand teams in the first month. Support answers within an hour." in found.text
    assert f"{one.citation}, by Alice, " in found.text
    assert (found.used, found.asked, found.partial, found.why) == (len(found.text), 8_000, False, "")


def test_the_place_comes_first_then_what_answers(indexed: Cast) -> None:
    write(indexed.alice, "HANDOFF.md", "# Handoff\n\n## Open\n\n- Who speaks to the press?\n")
    documents.create(indexed.alice, location="beach/teams.md", content="# Beach\n\nTeams of the first month.\n")
    work.drain(seconds=30)
    found = ask(indexed.scout, location=LAUNCH)
    assert locations(found)[0] == "HANDOFF.md"
    assert set(locations(found)) == {"HANDOFF.md", "plan.md", "teams.md"}
    assert locations(ask(indexed.scout, location=f"{LAUNCH}/plan.md")) == locations(found)
    assert locations(ask(indexed.scout))[0] != "HANDOFF.md"


def test_open_conflicts_of_the_place_are_told_to_those_who_may_see_them(indexed: Cast, plan: str) -> None:
    for actor, text in ((indexed.bob, "five"), (indexed.alice, "nine")):
        documents.edit(
            actor,
            location=f"{LAUNCH}/plan.md",
            content=PLAN.replace("a thousand teams", f"{text} hundred teams"),
            expected_commit=plan,
            on_conflict="merge",
            message="Fewer teams",
        )
    assert "is open: a draft by Alice could not be merged in 1 place." in ask(indexed.bob, "x", location=LAUNCH).text
    assert "is open" not in ask(indexed.carol, "x", location=LAUNCH).text


def test_what_others_changed_since_the_last_prompt_of_the_session_is_told(committed_cast: Cast) -> None:
    rover = committed_cast.rover
    write(committed_cast.alice, "old.md", "Written before.")
    assert ask(rover, "", location=LAUNCH, session="s").why == "nothing to say"
    Receipt.objects.filter(kind="invoked").update(at=Receipt.objects.earliest("-at").at + timedelta(seconds=1.5))
    time.sleep(1.6)
    write(committed_cast.alice, "new.md", "# The news\n\nSomething changed.")
    write(rover, "own.md", "Rover's own.")
    found = ask(rover, "", location=LAUNCH, session="s", operation_id="two")
    assert locations(found) == ["new.md"]
    assert "changed since your last prompt" in found.text
    assert ask(rover, "", location=LAUNCH, session="s", operation_id="two").text == found.text
    assert ask(rover, "", location=LAUNCH, session="another").why == "nothing to say"
    assert ask(committed_cast.scout, "", location=LAUNCH, session="s").why == "nothing to say"


def test_the_same_state_and_prompt_give_the_same_text(indexed: Cast) -> None:
    assert ask(indexed.rover).text == ask(indexed.rover).text != ""


@pytest.mark.parametrize("budget", [0, 1, 200, 500, 900, 8_000, 100_000])
def test_the_text_never_exceeds_the_budget(cast: Cast, budget: int) -> None:
    for n, text in enumerate(("launch 発売日は三月九日です。", "launch 👩‍👩‍👧‍👦 ", "launch e\u0301a\u0300 ")):
        write(cast.alice, f"{n}.md", f"# Launch {n}\n\n" + f"{text}\n\n" * 100)
    write(cast.alice, "HANDOFF.md", "# Handoff\n\n" + "- The launch is near.\n" * 200)
    work.drain(seconds=30)
    found = ask(cast.rover, "launch", location=LAUNCH, budget_chars=budget)
    assert len(found.text) == found.used <= budget
    assert bool(found.text) == bool(found.citations) == (budget >= 900)


def test_what_is_hidden_is_neither_told_nor_a_place(indexed: Cast) -> None:
    assert ask(indexed.mallory).text == ""
    assert ask(indexed.mallory).why == "nothing to say"
    for place in (LAUNCH, f"{LAUNCH}/plan.md", "none", "none/at/all.md"):
        with pytest.raises(NotFound):
            ask(indexed.mallory, location=place)
    assert not Receipt.objects.filter(kind="invoked", folder__path=LAUNCH).exists()


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        " \n",
        "?!",
        "\x00\x01\x02",
        "\ud800 teams",
        "teams " * 160_000,
        "\x00" * 1_000_000,
        "発売" * 500_000,
        "é̂" * 9,
    ],
    ids=range(9),
)
def test_any_prompt_is_taken_in_bounded_time(indexed: Cast, prompt: str) -> None:
    begun = time.monotonic()
    found = ask(indexed.rover, prompt[:1_000_000], location=LAUNCH)
    assert time.monotonic() - begun < 5
    assert bool(found.text) == ("teams" in prompt)


def test_a_long_prompt_is_looked_at_from_both_ends(indexed: Cast) -> None:
    filler = " ".join(f"word{n}" for n in range(20_000))
    assert "thousand teams" in ask(indexed.rover, f"{filler} thousand teams").text
    assert "thousand teams" in ask(indexed.rover, f"thousand teams {filler}").text
    assert [len(query.split()) for query in reads.questions(filler)] == [16, 16]
    assert reads.questions("one short question?") == ("one short question?",)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"prompt": 7}, "prompt"),
        ({"prompt": "x" * 1_000_001}, "prompt"),
        ({"budget_chars": -1}, "budget_chars"),
        ({"budget_chars": 100_001}, "budget_chars"),
        ({"budget_chars": True}, "budget_chars"),
        ({"deadline_ms": 0}, "deadline_ms"),
        ({"deadline_ms": 60_001}, "deadline_ms"),
        ({"host": "x" * 65}, "host"),
        ({"session": "a\nb"}, "session"),
        ({"operation_id": "x" * 256}, "operation_id"),
        ({"location": "a//b"}, "location"),
    ],
)
def test_bad_input_is_named(cast: Cast, given: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        contexts.prepare(cast.rover, **{"prompt": "x"} | given)
    assert [error.field for error in refused.value.errors] == [field]
    assert not Receipt.objects.filter(kind="invoked").exists()


# -- the deadline ---------------------------------------------------------------


def test_what_is_ready_at_the_deadline_is_given_and_said_to_be_partial(
    committed_cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(committed_cast.alice, "HANDOFF.md", "# Handoff\n\nWho speaks to the press?\n")

    def slow(*_: Any, **__: Any) -> tuple[()]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(20)")
        return ()

    monkeypatch.setattr(reads, "search", slow)
    begun = time.monotonic()
    found = ask(committed_cast.rover, location=LAUNCH, deadline_ms=800)
    assert time.monotonic() - begun < 0.95
    assert (locations(found), found.partial, found.why) == (["HANDOFF.md"], True, "")
    found = ask(committed_cast.rover, deadline_ms=300)
    assert (found.text, found.partial, found.why) == ("", True, "unavailable")
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)


@pytest.mark.parametrize(
    ("statement", "recorded"),
    [
        ("SELECT 1 FROM workspace_folder WHERE path = 'product/launch' FOR UPDATE", False),
        ("SELECT 1 FROM workspace_agent FOR UPDATE", False),
        ("LOCK TABLE workspace_receipt IN ACCESS EXCLUSIVE MODE", False),
        ("LOCK TABLE workspace_folder IN ACCESS EXCLUSIVE MODE", False),
        ("LOCK TABLE workspace_chunk IN ACCESS EXCLUSIVE MODE", True),
    ],
)
def test_whatever_others_hold_the_answer_is_there_in_time(committed_cast: Cast, statement: str, recorded: bool) -> None:
    with held(statement):
        begun = time.monotonic()
        found = ask(committed_cast.rover, location=LAUNCH, deadline_ms=600)
        assert time.monotonic() - begun < 0.6
    assert (found.text, found.partial, found.why, bool(found.receipt)) == ("", True, "unavailable", recorded)
    assert Receipt.objects.filter(kind="invoked").count() == recorded
    assert ask(committed_cast.rover, location=LAUNCH).receipt


def test_a_huge_page_takes_no_longer_than_its_beginning(cast: Cast) -> None:
    texts = ("# a\n" * 200_000, "- a line of work\n" * 50_000, "```\n~~~\n" * 100_000, "> " * 400_000)
    for number, text in enumerate(texts):
        content = f"# Handoff\n\nIt begins.\n\n{'What is decided. ' * 60}\n\n{text}"
        write(cast.alice, "HANDOFF.md", content, f"{LAUNCH}/{number}")
        begun = time.monotonic()
        found = ask(cast.alice, prompt="", location=f"{LAUNCH}/{number}")
        assert time.monotonic() - begun < 0.3
        whole = passages.split(content)
        for one, passage in zip(found.citations, whole, strict=False):
            assert (one.text, one.lines) == (passage.text, (passage.start_line, passage.end_line))
        room = reads.PAGE_SHARE * found.asked
        sizes = itertools.accumulate(len(passage.text) for passage in whole)
        assert len(found.citations) >= 1
        assert sum(1 for size in sizes if size <= room) >= len(found.citations)


def test_a_deadline_that_is_over_is_kept_before_every_statement(cast: Cast) -> None:
    def late() -> None:
        with Deadline.after(0.05).kept():
            time.sleep(0.06)
            Receipt.objects.exists()

    def over() -> None:
        with Deadline.after(-1).kept():
            raise AssertionError("it began")

    for begun in (late, over):
        with pytest.raises(Late):
            begun()
    with Deadline.after(5).kept():
        assert Receipt.objects.exists()
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)


# -- receipts -------------------------------------------------------------------


def kinds(operation: str) -> list[str]:
    return sorted(Receipt.objects.filter(operation=operation).values_list("kind", flat=True))


def test_each_stage_is_a_receipt_and_only_what_was_attached_was_read(indexed: Cast, plan: str) -> None:
    rover = indexed.agent("rover", Via.REST)
    found = ask(rover, location=LAUNCH, host="codex", session="s-7", operation_id="op-1")
    assert kinds("op-1") == ["invoked", "retrieved"]
    row = Receipt.objects.get(pk=found.receipt)
    assert (row.kind, row.host, row.session, row.via, row.folder.path) == ("invoked", "codex", "s-7", "hook", LAUNCH)
    assert (row.agent_id, row.person_id) == (rover.agent, rover.person)
    assert "teams" not in str(row.data), "a prompt is nobody else's to read"
    got = Receipt.objects.get(kind="retrieved")
    assert (got.document.name, got.commit_id, got.folder) == ("plan.md", plan, None)
    told = contexts.report(rover, receipt=found.receipt, stage="attached")
    assert (told.kind, told.session, told.location) == ("attached", "s-7", LAUNCH)
    assert kinds("op-1") == ["attached", "invoked", "read", "retrieved"]
    read = Receipt.objects.get(kind="read")
    assert (read.commit_id, read.session, read.host, read.agent_id) == (plan, "s-7", "codex", rover.agent)
    assert contexts.report(rover, receipt=found.receipt, stage="attached").id == told.id
    assert kinds("op-1") == ["attached", "invoked", "read", "retrieved"]


def test_what_was_withheld_was_not_read(indexed: Cast) -> None:
    found = ask(indexed.rover, operation_id="op-1")
    told = contexts.report(indexed.rover, receipt=found.receipt, stage="withheld", reason="The host timed out.")
    assert (told.kind, told.reason) == ("withheld", "The host timed out.")
    assert kinds("op-1") == ["invoked", "retrieved", "withheld"]


def test_a_prompt_without_an_answer_is_a_receipt_that_says_why(cast: Cast) -> None:
    found = ask(cast.rover, "zeppelin", operation_id="op-1")
    assert (found.text, found.why) == ("", "nothing to say")
    assert Receipt.objects.get(kind="retrieved").reason == "nothing to say"


def test_the_same_operation_again_is_the_same_receipt(indexed: Cast) -> None:
    first = ask(indexed.rover, operation_id="op-1")
    again = ask(indexed.rover, operation_id="op-1")
    assert (again.receipt, again.text) == (first.receipt, first.text)
    assert kinds("op-1") == ["invoked", "retrieved"]
    assert ask(indexed.scout, operation_id="op-1").receipt != first.receipt
    assert ask(indexed.rover).receipt != ask(indexed.rover).receipt
    for change in ({"prompt": "Another question"}, {"location": LAUNCH}):
        with pytest.raises(IdempotencyMismatch):
            ask(indexed.rover, operation_id="op-1", **change)


def test_a_report_names_no_place_that_its_prompt_was_moved_to_since(indexed: Cast) -> None:
    folders.create(indexed.alice, location=f"{LAUNCH}/inner")
    folders.create(indexed.alice, location="vault")
    asked = ask(indexed.rover, location=f"{LAUNCH}/inner", host="claude-code")
    folders.move(indexed.alice, source=f"{LAUNCH}/inner", target="vault/secret", acknowledge_access_change=True)
    told = contexts.report(indexed.rover, receipt=asked.receipt, stage="attached")
    assert (told.kind, told.location) == ("attached", "")
    own = ask(indexed.alice, location="vault/secret", host="claude-code")
    assert contexts.report(indexed.alice, receipt=own.receipt, stage="attached").location == "vault/secret"


def test_nobody_reports_on_anothers_prompt(indexed: Cast) -> None:
    found = ask(indexed.rover)
    for actor in (indexed.bob, indexed.scout, indexed.mallory):
        with pytest.raises(NotFound):
            contexts.report(actor, receipt=found.receipt, stage="attached")
    other = Receipt.objects.exclude(kind="invoked").filter(agent=indexed.rover.agent).first()
    for receipt in ("rcp_none", other.pk if other else ""):
        with pytest.raises(NotFound):
            contexts.report(indexed.rover, receipt=receipt, stage="attached")
    for stage in ("invoked", "read", "sung", ""):
        with pytest.raises(Invalid):
            contexts.report(indexed.rover, receipt=found.receipt, stage=stage)


def test_a_receipt_of_a_document_tells_its_readers_of_nothing_else(indexed: Cast) -> None:
    documents.create(indexed.alice, location="secret/teams.md", content="# Teams\n\nThe first month of teams.\n")
    work.drain(seconds=30)
    found = ask(indexed.scout, location=LAUNCH)
    assert set(locations(found)) == {"plan.md", "teams.md"}
    seen = [row for row in receipts.listing(indexed.carol, limit=100).items if row.kind in ("invoked", "retrieved")]
    assert {row.location for row in seen} == {LAUNCH, f"{LAUNCH}/plan.md"}
    assert "secret" not in str(seen)
