"""Who wrote which sentence, kept commit by commit."""

import pytest

from tests.cast import PLAN, Cast
from tests.services.histories import MERGED, merge_back_to
from workspace.jobs import work
from workspace.models import Blame, Commit, Document
from workspace.queries import authorship as reading
from workspace.queries import history
from workspace.services import authorship, documents

LOCATION = "product/launch/plan.md"


def head() -> Document:
    return Document.objects.get(name="plan.md")


def keep() -> None:
    row = head()
    authorship.record(row.pk, authorship.make(row.pk, row.head_id))


def made(commit: str) -> reading.Authorship:
    row = Commit.objects.select_related("blob", "document").get(pk=commit)
    return reading.of(row.document, row)


def test_the_index_job_keeps_it_up_to_the_head(cast: Cast, plan: str) -> None:
    second = documents.append(cast.rover, location=LOCATION, content="More of it.").commit
    work.drain(seconds=20)
    kept = Blame.objects.get()
    assert kept.commit_id == second
    assert kept.commits == [plan, second]
    assert sum(length for _, length in kept.runs) == len(PLAN + "More of it.\n")
    assert made(second).walked == 0


def test_a_read_goes_on_from_what_is_kept_and_gives_what_a_whole_walk_gives(cast: Cast, plan: str) -> None:
    for n in range(6):
        last = documents.append(cast.bob, location=LOCATION, content=f"Sentence number {n} of the log.").commit
        if n == 3:
            keep()
    found = made(last)
    assert found.walked == 2
    Blame.objects.all().delete()
    whole = made(last)
    assert whole.walked == 7
    assert whole.runs == found.runs


def test_what_an_older_algorithm_made_is_made_anew(cast: Cast, plan: str) -> None:
    keep()
    Blame.objects.update(version=0, runs=[[0, 1]])
    assert sum(run.length for run in made(plan).runs) == len(PLAN)
    keep()
    assert Blame.objects.get().runs == [[0, len(PLAN)]]


def test_the_slower_of_two_that_make_it_takes_nothing_back(cast: Cast, plan: str) -> None:
    document = head().pk
    early = authorship.make(document, plan)
    documents.append(cast.bob, location=LOCATION, content="More.")
    keep()
    assert not authorship.record(document, early)
    assert Blame.objects.get().commit_id == head().head_id


def test_an_old_version_is_told_as_it_was_then(cast: Cast, plan: str) -> None:
    second = documents.append(cast.rover, location=LOCATION, content="More.").commit
    documents.append(cast.bob, location=LOCATION, content="And more.")
    keep()
    found = history.blame(cast.carol, location=LOCATION, at=second)
    assert {run.commit.id for run in found.runs} == {plan, second}
    assert found.sentences[-1].text == "More."


def test_a_long_walk_is_kept_in_parts(cast: Cast, plan: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(4):
        documents.append(cast.bob, location=LOCATION, content=f"{n}.")
    monkeypatch.setattr(authorship, "SECONDS", -1.0)
    reached = []
    while not reached or reached[-1] != head().head_id:
        keep()
        reached.append(Blame.objects.get().commit_id)
    assert len(reached) == 5


def test_a_reader_keeps_what_was_dear_and_no_more(cast: Cast, plan: str) -> None:
    history.blame(cast.carol, location=LOCATION, keep=authorship.keep)
    assert not Blame.objects.exists()
    for n in range(authorship.FEW):
        documents.append(cast.bob, location=LOCATION, content=f"{n}.")
    history.blame(cast.carol, location=LOCATION, at=plan, keep=authorship.keep)
    assert not Blame.objects.exists()
    history.blame(cast.carol, location=LOCATION, keep=authorship.keep)
    assert Blame.objects.get().commit_id == head().head_id


def test_a_merge_gives_each_sentence_to_its_writer(cast: Cast, plan: str) -> None:
    first = documents.edit(
        cast.bob, location=LOCATION, content=PLAN.replace("a thousand", "two thousand"), expected_commit=plan
    ).commit
    merged = documents.edit(
        cast.scout,
        location=LOCATION,
        content=PLAN.replace("a progress bar", "a queue"),
        expected_commit=plan,
        on_conflict="merge",
    ).commit
    wrote = {s.text: [c.id for c in s.commits] for s in history.blame(cast.carol, location=LOCATION).sentences}
    assert wrote["We want two thousand teams in the first month."] == [plan, first]
    assert wrote["The mitigation is a queue."] == [plan, merged]
    assert wrote["Support answers within an hour."] == [plan]


def test_text_that_a_merge_brings_back_from_its_base_is_its_writers(cast: Cast, plan: str) -> None:
    sentence = " Support answers within an hour."
    without = documents.edit(cast.bob, location=LOCATION, content=PLAN.replace(sentence, ""), expected_commit=plan)
    row = merge_back_to(plan, upon=without.commit)
    assert {run.id for run in made(MERGED).runs} == {plan}
    authorship.record(row.document_id, authorship.make(row.document_id, without.commit))
    assert {run.id for run in made(MERGED).runs} == {plan}, "also from what is kept of the first parent"


def test_a_restore_leaves_each_sentence_to_its_writer(cast: Cast, plan: str) -> None:
    second = documents.append(cast.rover, location=LOCATION, content="More of it.").commit
    wiped = documents.edit(
        cast.bob, location=LOCATION, content="Nothing.\n", expected_commit=second, confirm_shrink=True
    ).commit
    back = documents.restore(cast.alice, location=LOCATION, commit=second, expected_commit=wiped).commit
    expected = made(second).runs
    assert made(back).runs == expected
    authorship.record(head().pk, authorship.make(head().pk, wiped))
    assert made(back).runs == expected, "also from what is kept of the text that was wiped"
    last = documents.append(cast.bob, location=LOCATION, content="And more.").commit
    keep()
    assert {run.id for run in made(last).runs} == {plan, second, last}


def test_a_diff_names_who_restored_and_not_who_wrote(cast: Cast, plan: str) -> None:
    wiped = documents.edit(
        cast.bob, location=LOCATION, content="No.\n", expected_commit=plan, confirm_shrink=True
    ).commit
    back = documents.restore(cast.alice, location=LOCATION, commit=plan, expected_commit=wiped).commit
    found = history.diff(cast.carol, location=LOCATION, frm=wiped, to=back, authors=True)
    assert [[row.id for row in of] for of in found.authors] == [[back]]


def test_a_deletion_and_its_undoing_take_nothing_over(cast: Cast, plan: str) -> None:
    documents.delete(cast.alice, location=LOCATION, expected_commit=plan)
    documents.undelete(cast.bob, location=LOCATION)
    assert {run.id for run in made(head().head_id).runs} == {plan}
