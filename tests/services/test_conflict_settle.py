"""Settling: with the merge that was told, with what still fits, and drafts that are let go after their time."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.cast import PLAN, Cast
from workspace.actor import Actor
from workspace.errors import Invalid
from workspace.jobs.sweeping import RETENTION
from workspace.merge import LINES, MERGE_VERSION, merge
from workspace.models import AuditEntry, Blob, Commit, Conflict, ConflictState, Receipt
from workspace.queries import conflicts as queries
from workspace.services import conflicts, documents, outcomes, purging
from workspace.services.choices import dropped, numbered

PLACE = "product/launch/plan.md"


def text() -> str:
    return Commit.objects.select_related("blob").filter(location=PLACE).latest("number").blob.content


def told(actor: Actor, base: str, draft: str) -> outcomes.Conflict:
    kept = documents.edit(actor, location=PLACE, content=draft, expected_commit=base, on_conflict="merge")
    assert isinstance(kept, outcomes.Conflict)
    return kept


@pytest.fixture
def conflict(cast: Cast, plan: str) -> outcomes.Conflict:
    """Bob's draft, against what alice wrote."""
    documents.substitute(cast.alice, location=PLACE, old_string="second", new_string="third")
    return told(cast.bob, plan, PLAN.replace("second", "fourth"))


def test_a_conflict_is_shown_and_settled_by_the_merge_that_told_it(cast: Cast, plan: str) -> None:
    # By lines the two appended items are one hunk; by blocks only the date is left open.
    documents.edit(
        cast.alice, location=PLACE, content=PLAN.replace("second", "third") + "- one\n", expected_commit=plan
    )
    kept = told(cast.bob, plan, PLAN.replace("second", "fourth") + "- two\n")
    assert len(kept.hunks) == 1
    row = Conflict.objects.get(pk=kept.conflict)
    assert row.merge_version == MERGE_VERSION
    Conflict.objects.update(merge_version=LINES)
    assert len(queries.show(cast.bob, id=row.pk).hunks) == 2
    with pytest.raises(Invalid, match="hunk 1 has no choice"):
        conflicts.resolve(cast.bob, conflict=row.pk, choices=["mine"])
    done = conflicts.resolve(cast.bob, conflict=row.pk, choices=["mine", "theirs"])
    assert isinstance(done, outcomes.Saved)
    commit = Commit.objects.get(pk=done.commit)
    assert (commit.merge_version, commit.decisions) == (LINES, [])
    assert text() == PLAN.replace("second", "fourth") + "- one\n"


def test_what_is_told_after_the_head_moved_is_of_the_present_merge(cast: Cast, conflict: outcomes.Conflict) -> None:
    Conflict.objects.update(merge_version=LINES)
    documents.substitute(cast.alice, location=PLACE, old_string="third", new_string="fifth")
    again = conflicts.resolve(cast.bob, conflict=conflict.conflict or "", choices=["mine"])
    assert isinstance(again, outcomes.Conflict)
    assert again.kept == ()
    assert Conflict.objects.get().merge_version == MERGE_VERSION


def test_a_resolution_names_what_the_merge_decided_beside_the_hunks(cast: Cast, plan: str) -> None:
    documents.edit(
        cast.alice, location=PLACE, content=PLAN.replace("second", "third") + "- one\n", expected_commit=plan
    )
    kept = told(cast.bob, plan, PLAN.replace("second", "fourth") + "- two\n")
    done = conflicts.resolve(cast.bob, conflict=kept.conflict or "", choices=["theirs"])
    assert isinstance(done, outcomes.Saved)
    assert done.decisions
    stored = Commit.objects.get(pk=done.commit).decisions
    assert [one["rule"] for one in stored] == [one.rule for one in done.decisions]


def test_a_choice_is_not_given_to_a_place_that_no_longer_conflicts(cast: Cast, conflict: outcomes.Conflict) -> None:
    words = {"text": "Some day.\n"}
    documents.substitute(cast.alice, location=PLACE, old_string="third", new_string="fourth")
    again = conflicts.resolve(cast.bob, conflict=conflict.conflict or "", choices=[words])
    assert isinstance(again, outcomes.Conflict), "other words were chosen, and nothing may be decided against them"
    assert again.hunks == ()
    done = conflicts.resolve(cast.bob, conflict=conflict.conflict or "", choices=[], expected_commit=again.head_commit)
    assert isinstance(done, outcomes.Saved)
    assert "fourth" in text()


def test_mine_is_settled_when_the_head_came_to_say_the_same(cast: Cast, conflict: outcomes.Conflict) -> None:
    documents.substitute(cast.alice, location=PLACE, old_string="third", new_string="fourth")
    done = conflicts.resolve(cast.bob, conflict=conflict.conflict or "", choices=["mine"])
    assert isinstance(done, outcomes.Merged)
    assert text() == PLAN.replace("second", "fourth")


def test_a_whole_text_is_merged_with_what_came_meanwhile(cast: Cast, conflict: outcomes.Conflict) -> None:
    documents.append(cast.alice, location=PLACE, content="More.\n")
    done = conflicts.resolve(cast.bob, conflict=conflict.conflict or "", content=PLAN.replace("second", "sixth"))
    assert isinstance(done, outcomes.Merged)
    assert text() == PLAN.replace("second", "sixth") + "More.\n"


def test_a_whole_text_that_does_not_fit_any_more_is_told_with_the_hunks_of_the_draft(
    cast: Cast, conflict: outcomes.Conflict
) -> None:
    documents.substitute(cast.alice, location=PLACE, old_string="third", new_string="fifth")
    again = conflicts.resolve(cast.bob, conflict=conflict.conflict or "", content=PLAN.replace("second", "sixth"))
    assert isinstance(again, outcomes.Conflict)
    assert ["fourth" in hunk.mine for hunk in again.hunks] == [True]
    done = conflicts.resolve(
        cast.bob, conflict=conflict.conflict or "", choices=["mine"], expected_commit=again.head_commit
    )
    assert isinstance(done, outcomes.Saved)


def test_a_repeated_answer_tells_what_was_kept_again(cast: Cast, conflict: outcomes.Conflict) -> None:
    documents.substitute(cast.alice, location=PLACE, old_string="third", new_string="fifth")
    given = {"conflict": conflict.conflict or "", "choices": ["mine"], "idempotency_key": "k"}
    first = conflicts.resolve(cast.bob, **given)  # type: ignore[arg-type]
    again = conflicts.resolve(cast.bob, **given)  # type: ignore[arg-type]
    assert isinstance(first, outcomes.Conflict)
    assert isinstance(again, outcomes.Conflict)
    assert again.replayed
    assert (again.hunks, again.kept) == (first.hunks, first.kept)


def test_a_replayed_merge_tells_its_decisions(cast: Cast, plan: str) -> None:
    documents.append(cast.alice, location=PLACE, content="- one\n")
    given = {"location": PLACE, "content": "- two\n", "expected_commit": plan, "on_conflict": "merge"}
    first = documents.append(cast.bob, **given, idempotency_key="k")  # type: ignore[arg-type]
    again = documents.append(cast.bob, **given, idempotency_key="k")  # type: ignore[arg-type]
    assert isinstance(first, outcomes.Merged)
    assert isinstance(again, outcomes.Replayed)
    assert first.decisions
    assert again.decisions == first.decisions


def test_waiting_tells_whom_a_conflict_concerns(cast: Cast, conflict: outcomes.Conflict) -> None:
    def why(actor: Actor) -> list[str]:
        return [one.why for one in queries.waiting(actor)]

    assert why(cast.bob) == ["yours"]
    assert why(cast.alice) == ["against"]
    assert why(cast.rover) == ["yours"], "an agent is told what its person is"
    assert why(cast.carol) == why(cast.mallory) == []
    documents.append(cast.bob, location=PLACE, content="More.\n")
    assert why(cast.alice) == ["against"], "she wrote what the draft conflicts with"
    conflicts.discard(cast.bob, conflict=conflict.conflict or "")
    assert why(cast.bob) == why(cast.alice) == []


def test_waiting_puts_ones_own_first_and_no_more_than_asked(cast: Cast, plan: str) -> None:
    documents.substitute(cast.alice, location=PLACE, old_string="second", new_string="third")
    own = told(cast.bob, plan, PLAN.replace("second", "fourth")).conflict
    told(cast.alice, plan, PLAN.replace("second", "fifth"))
    found = queries.waiting(cast.bob)
    assert [(one.why, one.row.id == own) for one in found] == [("yours", True), ("editor", False)]
    assert len(queries.waiting(cast.bob, limit=1)) == 1


def discarded(cast: Cast, conflict: outcomes.Conflict, *, days: int) -> Conflict:
    conflicts.discard(cast.bob, conflict=conflict.conflict or "")
    Conflict.objects.update(closed_at=timezone.now() - timedelta(days=days))
    return Conflict.objects.get()


def test_a_discarded_draft_is_kept_for_its_time_and_no_longer(cast: Cast, conflict: outcomes.Conflict) -> None:
    row = discarded(cast, conflict, days=89)
    assert purging.drafts(RETENTION) == 0
    assert queries.show(cast.bob, id=row.pk).mine == PLAN.replace("second", "fourth")
    Conflict.objects.update(closed_at=timezone.now() - timedelta(days=91))
    assert purging.drafts(RETENTION) == 1
    assert not Conflict.objects.exists()
    assert not Blob.objects.filter(pk=row.draft_id).exists()
    assert not Receipt.objects.filter(kind__in=("conflicted", "discarded")).exists()
    entry = AuditEntry.objects.filter(action="conflict.purged").get()
    assert (entry.data, entry.document_id, entry.job) == ({"conflict": row.pk}, row.document_id, "retention")
    assert purging.drafts(RETENTION) == 0


def test_a_draft_whose_text_is_used_elsewhere_leaves_that_alone(cast: Cast, conflict: outcomes.Conflict) -> None:
    row = discarded(cast, conflict, days=91)
    documents.create(cast.alice, location="product/launch/other.md", content=PLAN.replace("second", "fourth"))
    assert purging.drafts(RETENTION) == 1
    assert Blob.objects.filter(pk=row.draft_id).exists()


def test_open_conflicts_and_with_0_days_all_are_kept(
    cast: Cast, conflict: outcomes.Conflict, settings: pytest.FixtureRequest
) -> None:
    Conflict.objects.update(created_at=timezone.now() - timedelta(days=1000))
    assert purging.drafts(RETENTION) == 0
    discarded(cast, conflict, days=1000)
    settings.BATON_CONFLICT_DAYS = 0  # type: ignore[attr-defined]
    assert purging.drafts(RETENTION) == 0
    assert Conflict.objects.get().state == ConflictState.DISCARDED


BASE = "# Log\n\n- one\n- two\n\nIt runs.\n"


@pytest.mark.parametrize(
    ("head", "draft", "content", "lost"),
    [
        (BASE + "- three\n", BASE, BASE, ["- three"]),
        (BASE, BASE + "- three\n", BASE, ["- three"]),
        (BASE + "- three\n", BASE + "- four\n", BASE + "* four\n* three\n", []),
        (BASE + "- three\n", BASE, BASE + "We did three things.\n", []),
        (BASE, BASE, "All new.\n", []),
        (BASE + "\n---\n", BASE, BASE, []),
        (BASE.replace("It runs.", "It walks."), BASE, BASE, ["It walks."]),
        # A disputed passage is answered by what stands there.
        (BASE.replace("It runs.", "It walks."), BASE.replace("It runs.", "It stands."), "New.\n", []),
        (
            BASE.replace("It runs.\n", "It walks.\nNobody rides on Mondays.\n"),
            BASE.replace("It runs.", "It stands."),
            BASE.replace("It runs.", "It stands."),
            ["Nobody rides on Mondays."],
        ),
        # Two words that are in every other sentence do not make it the same one.
        (
            BASE.replace("It runs.\n", "It walks on Mondays.\nIt is on time.\n"),
            BASE.replace("It runs.", "It stands on Fridays."),
            BASE.replace("It runs.", "It stands on Mondays, on the whole."),
            ["It is on time."],
        ),
        # One line may say what one line of each side said.
        (
            BASE.replace("It runs.\n", "It walks.\n- three\n"),
            BASE.replace("It runs.\n", "It stands.\n- four\n"),
            BASE.replace("It runs.\n", "It stands or walks.\n- three\n- four\n"),
            [],
        ),
    ],
)
def test_lines_that_a_side_added_are_missed(head: str, draft: str, content: str, lost: list[str]) -> None:
    found = dropped(merge(BASE, head, draft), base=BASE, head=head, draft=draft, content=content)
    assert found == lost


LOST = "Nobody rides on Mondays.\n"


@pytest.fixture
def grown(cast: Cast, plan: str) -> outcomes.Conflict:
    """Both changed a sentence, and alice put a line after it."""
    theirs = PLAN.replace("second", "third").replace("their part.\n", f"their part.\n{LOST}")
    documents.edit(cast.alice, location=PLACE, content=theirs, expected_commit=plan)
    kept = told(cast.bob, plan, PLAN.replace("second", "fourth"))
    assert LOST in kept.hunks[0].theirs
    return kept


def settle(cast: Cast, told: outcomes.Conflict, choice: object, **more: object) -> object:
    return conflicts.resolve(cast.bob, conflict=told.conflict or "", choices=[choice], **more)  # type: ignore[arg-type, list-item]


def test_words_that_leave_out_an_added_line_ask_and_nothing_is_written(cast: Cast, grown: outcomes.Conflict) -> None:
    words = {"text": "The launch is on the fifth of March. Everybody knows their part.\n"}
    with pytest.raises(Invalid, match=r"Nobody rides on Mondays\.") as refused:
        settle(cast, grown, words, idempotency_key="k")
    assert [error.field for error in refused.value.errors] == ["confirm_drop"]
    assert Conflict.objects.get().state == ConflictState.OPEN
    assert isinstance(settle(cast, grown, words, confirm_drop=True, idempotency_key="k"), outcomes.Saved)
    assert LOST not in text()


@pytest.mark.parametrize(
    "choice", ["mine", "theirs", "both", "base", {"text": f"It is in March; everybody knows their part.\n{LOST}"}]
)
def test_what_is_chosen_by_its_name_is_not_asked_about_nor_words_that_hold_all(
    cast: Cast, grown: outcomes.Conflict, choice: object
) -> None:
    assert isinstance(settle(cast, grown, choice), outcomes.Saved)


def test_a_line_that_a_named_choice_leaves_out_is_not_held_against_words_elsewhere(
    cast: Cast, grown: outcomes.Conflict
) -> None:
    documents.substitute(cast.alice, location=PLACE, old_string="a thousand", new_string="ten")
    draft = PLAN.replace("second", "fourth").replace("a thousand", "two")
    both = told(cast.bob, grown.base_commit, draft)
    assert len(both.hunks) == 2
    choices = ["mine", {"text": "We want all.\n"}]
    done = conflicts.resolve(cast.bob, conflict=both.conflict or "", choices=choices)
    assert isinstance(done, outcomes.Saved)


def test_words_that_still_fit_a_document_that_moved_on_ask_as_well(cast: Cast, grown: outcomes.Conflict) -> None:
    documents.append(cast.alice, location=PLACE, content="More.\n")
    words = {"text": "The launch is soon.\n"}
    with pytest.raises(Invalid, match="confirm_drop"):
        settle(cast, grown, words)
    assert isinstance(settle(cast, grown, words, confirm_drop=True), outcomes.Merged)


def test_choices_are_not_mixed() -> None:
    with pytest.raises(Invalid, match="in order"):
        numbered(["mine", {"hunk": 0, "choice": "mine"}])
    with pytest.raises(Invalid, match="counted from 0"):
        numbered([{"hunk": True, "choice": "mine"}])
