"""What a preview of sharing says of whom, in words and as JSON."""

import json
from typing import Any

import pytest

from workspace.services import previews
from workspace.services.previews import Change, Preview

PEOPLE = ("Ann", "Bob", "Cleo", "Dan")


def changes(*names: str, before: str = "", after: str = "") -> tuple[Change, ...]:
    return tuple(Change(email=f"{n.lower()}@example.org", label=n, before=before, after=after) for n in names)


def preview(**given: Any) -> Preview:
    usual: dict[str, Any] = {"location": "product", "subject": "group:design", "role": "editor", "before": ""}
    named: dict[str, Any] = {name: given.get(name, ()) for name in ("gains", "loses", "keeps")}
    counts = {"gaining": len(named["gains"]), "losing": len(named["loses"]), "keeping": len(named["keeps"])}
    holds = {"documents": 1_200, "folders": 1, "future": True, "changes": True}
    return Preview(**{**usual, **named, **counts, **holds, **given})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"gains": changes("Ann", after="editor")},
            "Ann of group design gains reading and writing of 1,200 documents in 1 folder, and of everything put here "
            "later.",
        ),
        (
            {
                "gains": changes(*PEOPLE, after="viewer"), "role": "viewer", "documents": 1, "folders": 0,
                "future": False,
            },
            "Ann, Bob and 2 others of group design gain reading of this document.",
        ),
        (
            {"gains": changes(*PEOPLE[:3], after="manager"), "role": "manager", "documents": 0, "folders": 2},
            "Ann, Bob and Cleo of group design gain management of 0 documents in 2 folders, and of everything put here "
            "later.",
        ),
        (
            {
                "subject": "ann@example.org", "role": "", "before": "editor", "loses": changes("Ann", before="editor"),
                "future": False,
            },
            "Ann loses all access to this document.",
        ),
        (
            {
                "role": "", "before": "editor", "future": False,
                "loses": changes("Ann", before="editor") + changes("Bob", before="editor", after="viewer"),
                "keeps": changes("Cleo", "Dan", before="editor", after="editor"),
            },
            "Ann of group design loses all access to this document. Bob of group design is left with viewer. "
            "Cleo and Dan of group design keep as much as now, through another grant or as administrator.",
        ),
        (
            {"changes": False, "keeps": changes("Ann", before="editor", after="editor")},
            "Nothing changes: group design has this role here already.",
        ),
        (
            {"future": False},
            "Nobody is in group design yet. Whoever joins it gains reading and writing of this document.",
        ),
        ({"role": ""}, "Nobody is in group design, so nobody loses anything."),
        (
            {"keeps": changes("Ann", before="manager", after="manager")},
            "Nobody gains or loses anything at once. "
            "Ann of group design keeps as much as now, through another grant or as administrator.",
        ),
    ],
)  # fmt: skip
def test_a_preview_says_who_gains_who_loses_and_who_keeps(given: dict[str, Any], said: str) -> None:
    assert " ".join(previews.sentences(preview(**given))) == said


def test_those_who_are_counted_and_not_named_are_told_of() -> None:
    many = preview(gains=changes("Ann", after="editor"), gaining=150)
    assert (many.more, many.data()["more"]) == (149, 149)
    assert previews.sentences(many)[0].startswith("Ann and 149 others of group design gain ")


def test_a_preview_comes_back_from_its_json_as_it_was() -> None:
    told = preview(
        role="", before="editor", keeps=changes("Cleo", before="viewer", after="viewer"),
        loses=changes("Ann", before="editor") + changes("Bob", before="editor", after="viewer"), losing=7,
    )  # fmt: skip
    assert previews.restored(json.loads(json.dumps(told.data()))) == told
