"""Saved, merged, unchanged, replayed, conflict: the same on every surface, with the same rows left behind."""

from typing import Any

import pytest

from tests.cast import PLAN, Cast
from tests.parity import rows
from tests.parity.conftest import Act
from tests.parity.outcomes import Conflict, Ok, Outcome
from tests.parity.surfaces import SURFACES, Surface, Unsupported
from workspace.models import Commit, Document
from workspace.models import Conflict as ConflictRow
from workspace.services import documents
from workspace.services.outcomes import Saved

LOCATION = "product/launch/plan.md"


def story(one: Surface, other: Surface, folder: str) -> list[Any]:
    """Two writers at one document, through everything that can come of it; what each step came to."""
    place, told = f"{folder}/plan.md", []

    def does(step: str, outcome: Outcome) -> Outcome:
        number = (
            Commit.objects.filter(pk=outcome.commit).values_list("number", flat=True).first()
            if isinstance(outcome, Ok)
            else None
        )
        told.append((step, type(outcome).__name__, getattr(outcome, "outcome", ""), number))
        return outcome

    def head() -> str:
        return str(Document.objects.get(folder__path=folder, name__in=["plan.md", "moved.md"]).head_id)

    does("create", one.create(place, PLAN, key="k1"))
    does("create again", one.create(place, PLAN, key="k1"))
    first = head()
    does("create on top", one.create(place, "other"))
    does("replace", one.replace(place, PLAN.replace("an hour", "a day"), base=first, key="k2"))
    does("replace again", one.replace(place, PLAN.replace("an hour", "a day"), base=first, key="k2"))
    does("replace by the same", one.replace(place, PLAN.replace("an hour", "a day"), base=head()))
    does("stale, elsewhere", other.edit(place, "slow", "quick", base=first))
    does("stale, what is there", other.edit(place, "an hour", "a day", base=first))
    kept = does("stale, same place", other.replace(place, PLAN.replace("an hour", "a week"), base=first, key="k3"))
    again = does("the same draft", other.replace(place, PLAN.replace("an hour", "a week"), base=first, key="k3"))
    assert kept == again
    assert isinstance(kept, Conflict)
    base = head()
    does("edit", one.edit(place, "second of March", "third of March", base=base, key="k4"))
    does("edit again", one.edit(place, "second of March", "third of March", base=base, key="k4"))
    base = head()
    does("append", one.append(place, "The end.", base=base, key="k5"))
    does("append again", one.append(place, "The end.", base=base, key="k5"))
    does("section", one.section(place, "Risks", "None.\n"))
    does("resolve on a stale head", one.resolve(kept.conflict, ["theirs"], base=first))
    base = head()
    does("resolve", one.resolve(kept.conflict, ["both"], base=base, key="k6"))
    does("resolve again", one.resolve(kept.conflict, ["both"], base=base, key="k6"))
    does("restore on a stale head", one.restore(place, first, base=first))
    base = head()
    does("restore", one.restore(place, first, base=base, key="k7"))
    does("restore again", one.restore(place, first, base=base, key="k7"))
    does("move on a stale head", one.move(place, f"{folder}/moved.md", base=first))
    base = head()
    does("move", one.move(place, f"{folder}/moved.md", base=base, key="k8"))
    does("move again", one.move(place, f"{folder}/moved.md", base=base, key="k8"))
    moved = f"{folder}/moved.md"
    stale = one.deciding(moved)
    does("edit before the deletion", other.edit(moved, "Everybody", "Nobody"))
    does("delete on a stale head", one.delete(moved, stale))
    decision = one.deciding(moved)
    does("delete", one.delete(moved, decision, key="k9"))
    does("delete again", one.delete(moved, decision, key="k9"))
    does("read what is deleted", one.read(moved))
    does("undelete", one.undelete(moved, key="k10"))
    does("undelete again", one.undelete(moved, key="k10"))
    does("read", one.read(moved))
    return told


def told(surface: str, cast: Cast) -> tuple[list[Any], dict[str, list[Any]]]:
    folder = f"product/launch/{surface}"
    kind = SURFACES[surface]
    return story(kind(cast, "alice"), kind(cast, "bob"), folder), rows.left(folder)


EXPECTED = [
    ("create", "Ok", "saved", 1),
    ("create again", "Ok", "replayed", 1),
    ("create on top", "Refusal", "", None),
    ("replace", "Ok", "saved", 2),
    ("replace again", "Ok", "replayed", 2),
    ("replace by the same", "Ok", "unchanged", 2),
    ("stale, elsewhere", "Ok", "merged", 3),
    ("stale, what is there", "Ok", "unchanged", 3),
    ("stale, same place", "Conflict", "", None),
    ("the same draft", "Conflict", "", None),
    ("edit", "Ok", "saved", 4),
    ("edit again", "Ok", "replayed", 4),
    ("append", "Ok", "saved", 5),
    ("append again", "Ok", "replayed", 5),
    ("section", "Ok", "saved", 6),
    ("resolve on a stale head", "Conflict", "", None),
    ("resolve", "Ok", "saved", 7),
    ("resolve again", "Ok", "replayed", 7),
    ("restore on a stale head", "Conflict", "", None),
    ("restore", "Ok", "saved", 8),
    ("restore again", "Ok", "replayed", 8),
    ("move on a stale head", "Conflict", "", None),
    ("move", "Ok", "saved", 9),
    ("move again", "Ok", "replayed", 9),
    ("edit before the deletion", "Ok", "saved", 10),
    ("delete on a stale head", "Conflict", "", None),
    ("delete", "Ok", "saved", 11),
    ("delete again", "Ok", "replayed", 11),
    ("read what is deleted", "Refusal", "", None),
    ("undelete", "Ok", "saved", 12),
    ("undelete again", "Ok", "replayed", 12),
    ("read", "Ok", "", 12),
]


@pytest.mark.parametrize("surface", SURFACES)
def test_the_story_goes_the_same_way(cast: Cast, surface: str) -> None:
    outcomes, _ = told(surface, cast)
    assert outcomes == EXPECTED


def test_the_story_leaves_the_same_rows(cast: Cast) -> None:
    left = {surface: told(surface, cast)[1] for surface in SURFACES}
    assert left["rest"]["commits"]
    assert left["rest"]["conflicts"]
    assert left["mcp"] == left["rest"]
    assert left["web"] == left["rest"]


def test_a_stale_text_never_overwrites_and_is_kept_whole(act: Act, cast: Cast, plan: str) -> None:
    newer = PLAN.replace("an hour", "a minute")
    head = documents.edit(cast.alice, location=LOCATION, content=newer, expected_commit=plan)
    assert isinstance(head, Saved)
    for draft, merge in (("all\nother\ntext\n", True), ("", True), (PLAN.replace("slow", "quick"), False)):
        try:
            outcome = act("bob").replace(LOCATION, draft, base=plan, merge=merge)
        except Unsupported:
            continue  # a page always tries to keep both
        assert isinstance(outcome, Conflict)
        kept = ConflictRow.objects.get(pk=outcome.conflict)
        assert (kept.draft.content, kept.base_id, kept.head_id) == (draft, plan, head.commit)
        assert Document.objects.get(name="plan.md").head_id == head.commit
