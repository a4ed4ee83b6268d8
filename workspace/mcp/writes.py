"""The answers of tools that write a document: what it came to, or the conflict in its way."""

import json
from collections.abc import Mapping
from typing import Any, TypedDict

from workspace.mcp import bounds, hunks, shapes
from workspace.mcp.errors import Refused
from workspace.mcp.fence import one_line
from workspace.mcp.tool import NOTICE, Answer
from workspace.queries import citations, decisions
from workspace.services.outcomes import Conflict, Outcome, Replayed, Written, name_of


class WriteShape(TypedDict):
    """What a write came to."""

    location: str
    id: str
    commit: str
    parents: list[str]
    outcome: str
    citation: str
    web_url: str
    created_folders: list[str]
    decisions: list[shapes.DecisionShape]


class KeptShape(TypedDict):
    """A choice that was made for an earlier head and still fits."""

    hunk: int
    choice: str | dict[str, str]


class ConflictShape(TypedDict):
    """Not written, because the document had moved on; the draft is kept whole under ``conflict_id``."""

    code: str
    detail: str
    next: str
    notice: str
    location: str
    conflict_id: str | None
    base_commit: str
    head_commit: str
    hunks: list[hunks.HunkShape]
    hunk_count: int
    kept: list[KeptShape]
    merged_preview: str
    preview_cut: bool


def written(outcome: Written) -> dict[str, Any]:
    return {
        "location": outcome.location,
        "id": outcome.document,
        "commit": outcome.commit,
        "parents": list(outcome.parents),
        "outcome": name_of(outcome),
        "citation": citations.citation(outcome.location, outcome.commit),
        "web_url": citations.web_url(outcome.location),
        "created_folders": list(outcome.created_folders),
        "decisions": decisions.stored(outcome.decisions[: shapes.DECISIONS_MOST]),
    }


_SAYS: Mapping[str, str] = {
    "saved": "Saved",
    "merged": "Merged: others had written meanwhile, and both texts are in it. Saved",
    "unchanged": "Nothing differs, so no commit was made. It stands",
    "replayed": "Replayed: this key was used before, so nothing was written again. It was saved",
}


def write_answer(outcome: Outcome) -> Answer:
    """The answer of any tool that writes a document."""
    if isinstance(outcome, Conflict):
        return conflict_answer(outcome)
    text = f"{_SAYS[name_of(outcome)]} as {citations.citation(outcome.location, outcome.commit)}"
    if isinstance(outcome, Replayed) and outcome.first != "saved":
        text += f" ({outcome.first} then)"
    if outcome.created_folders:
        text += f"\nFolders made: {', '.join(outcome.created_folders)}"
    if told := shapes.decided(outcome.decisions):
        text += f"\n{told}. Read those lines if they matter."
    text += f"\nexpected_commit for the next write: {outcome.commit}"
    return Answer(text=text, data=written(outcome))


def conflict_answer(outcome: Conflict) -> Answer:
    """The answer to a write that was not made because the head had moved. It names the exact next call."""
    rows = [hunks.hunk(index, of, head=outcome.head_commit) for index, of in enumerate(outcome.hunks)]
    shown = rows[: bounds.fitting(rows)]
    preview = bounds.cut(outcome.merged_preview, bounds.ROWS)
    happened, advice = _conflict_words(outcome)
    following = _following(outcome, len(shown))
    form = Refused(code="CONFLICT", happened=happened, advice=f"{advice}: {following}")
    data = {
        **form.structured,
        "notice": NOTICE,
        "location": outcome.location,
        "conflict_id": outcome.conflict,
        "base_commit": outcome.base_commit,
        "head_commit": outcome.head_commit,
        "hunks": shown,
        "hunk_count": len(rows),
        "kept": [{"hunk": index, "choice": one} for index, one in enumerate(outcome.kept) if one is not None],
        "merged_preview": preview.text,
        "preview_cut": bool(preview.left),
    }
    text = "\n\n".join([form.text, *hunks.conflict_parts(shown, len(rows))])
    if outcome.conflict is not None and (rest := hunks.the_rest(outcome.conflict, shown)):
        text += f"\n{rest}"
    if data["kept"] and len(shown) < len(rows):
        text += f"\nYour choices that are kept: {json.dumps(data['kept'][: hunks.CHOICES_MOST], ensure_ascii=False)}"
    return Answer(text=text + f"\n{shapes.NEXT}{following}", data=data, error=True)


def _following(outcome: Conflict, shown: int) -> str:
    """The exact next call."""
    if outcome.conflict is None:
        return shapes.call("read", location=outcome.location)
    if shown < len(outcome.hunks):
        return shapes.call("conflict", action="show", conflict_id=outcome.conflict)
    return hunks.resolving(outcome.conflict, outcome.head_commit, hunks=len(outcome.hunks), kept=outcome.kept)


def _conflict_words(outcome: Conflict) -> tuple[str, str]:
    place, since = one_line(outcome.location), outcome.base_commit[:12]
    if outcome.conflict is None:
        return (
            f"{place} has changed since {since}, so nothing was done",
            f"read it again, and if it is still right repeat the call with expected_commit {outcome.head_commit}",
        )
    if not outcome.hunks:
        return (
            f"{place} has changed since {since}; nothing was written, and your draft is kept as {outcome.conflict}. "
            "Both changes fit together",
            "repeat the same call with on_conflict merge (and a new idempotency_key if you sent one), or do it with",
        )
    count = len(outcome.hunks)
    places = "one place" if count == 1 else f"{count} places"
    happened = (
        f"somebody else changed the same text of {place} in {places}; nothing was written, "
        f"and your draft is kept whole as {outcome.conflict}"
    )
    if outcome.kept:
        fits = sum(choice is not None for choice in outcome.kept)
        happened += f". The document moved on while you decided: {fits} of your choices still fit and are kept"
    return happened, "look at the hunks, put your choices into this call, and make it"
