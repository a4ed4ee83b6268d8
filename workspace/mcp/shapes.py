"""Structured content that several tools share, and its lines of text."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NotRequired, TypedDict
from urllib.parse import quote

from workspace.access import Abilities
from workspace.mcp import bounds
from workspace.mcp.errors import Refused
from workspace.mcp.fence import counted, fenced, one_line
from workspace.mcp.times import age, iso, stamp
from workspace.mcp.tool import NOTICE, Answer
from workspace.merge import Choice, Decision, Hunk, LineRange
from workspace.queries import citations, decisions
from workspace.queries.history import CommitRow
from workspace.queries.who import Who
from workspace.services.outcomes import Conflict, Outcome, Replayed, Written, name_of

SCHEME = "baton://"
NEXT = "Next call: "
"""Begins the last line of an answer that is to be followed by another call; a script may obey it."""
CHOICES = (
    'For each hunk in order: "mine" (the draft), "theirs" (the document), "both" (theirs, then mine), "base", '
    '"suggestion" where there is one and it reads well, or {"text": "…"} for other words. Out of order: '
    '{"hunk": 0, "choice": "mine"}. Or content, the whole text, in place of choices.'
)
CHOICES_MOST = 200
"""Choices that the text of a next call holds."""
DECISIONS_MOST = 50


class Author(TypedDict):
    kind: str
    label: str
    email: NotRequired[str]
    person: NotRequired[str]
    agent_id: NotRequired[str]
    host: NotRequired[str]


class CanDo(TypedDict):
    role: str
    read: bool
    edit: bool
    create: bool
    delete: bool
    share: bool
    manage: bool


class DecisionShape(TypedDict):
    """Something that a merge settled beyond lines; ``lines`` are the first and last of it, null where none is left."""

    rule: str
    lines: list[int] | None


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
    decisions: list[DecisionShape]


class CommitShape(TypedDict):
    """One commit, without its text. location is where the document was then; null where you may not know."""

    commit: str
    location: str | None
    number: int
    kind: str
    parents: list[str]
    author: Author
    committed_at: str
    age: str
    message: str
    reason: str
    citation: str
    web_url: str
    decisions: NotRequired[list[DecisionShape]]


class HunkShape(TypedDict):
    """A place that both sides changed. A side that ends in … was cut; ``cut`` says so, and ``more`` has the cursor by
    which conflict shows the rest of it. ``suggestion`` has both changes word by word: read it before you take it."""

    index: int
    kind: str
    heading: str | None
    path: list[str]
    base: str
    theirs: str
    mine: str
    base_lines: list[int] | None
    theirs_lines: list[int] | None
    mine_lines: list[int] | None
    suggestion: NotRequired[str]
    cut: NotRequired[bool]
    more: NotRequired[dict[str, str]]


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
    hunks: list[HunkShape]
    hunk_count: int
    kept: list[KeptShape]
    merged_preview: str
    preview_cut: bool


def call(tool: str, **arguments: Any) -> str:
    """The exact next call, for the text of an answer."""
    return f"{tool} with {json.dumps(arguments, ensure_ascii=False)}"


def uri(location: str) -> str:
    """The address of a document as an MCP resource."""
    return SCHEME + quote(location)


def author(who: Who) -> dict[str, str]:
    shape = {
        "kind": who.kind,
        "label": who.label,
        "email": who.email,
        "person": who.person_label,
        "agent_id": who.agent_id,
        "host": who.host,
    }
    return {name: value for name, value in shape.items() if value or name in ("kind", "label")}


def by(who: Who) -> str:
    """A person, a person's agent or a job, on one line."""
    match who.kind:
        case "agent":
            return one_line(f"{who.label} (agent of {who.person_label})")
        case "job":
            return one_line(f"{who.label} (background job)")
        case _:
            return one_line(who.label)


def can_do(abilities: Abilities) -> dict[str, Any]:
    return asdict(abilities)


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
        "decisions": decisions.stored(outcome.decisions[:DECISIONS_MOST]),
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
    if told := decided(outcome.decisions):
        text += f"\n{told}. Read those lines if they matter."
    text += f"\nexpected_commit for the next write: {outcome.commit}"
    return Answer(text=text, data=written(outcome))


def commit(row: CommitRow) -> dict[str, Any]:
    return {
        "commit": row.id,
        "location": row.location,
        "number": row.number,
        "kind": row.kind,
        "parents": list(row.parents),
        "author": author(row.author),
        "committed_at": iso(row.created_at),
        "age": age(row.created_at),
        "message": bounds.cut(row.message, 500).text,
        "reason": bounds.cut(row.reason, 500).text,
        "citation": citations.citation(row.now, row.id),
        "web_url": citations.web_url(row.now, at=row.id),
        **({"decisions": decisions.stored(row.decisions[:DECISIONS_MOST])} if row.decisions else {}),
    }


def commit_line(row: CommitRow) -> str:
    text = f"#{row.number} {row.id[:12]} {row.kind} by {by(row.author)}, {stamp(row.created_at)}"
    note = " — ".join(one_line(part) for part in (row.message, row.reason) if part)
    return f"{text}: {note}" if note else text


@dataclass(frozen=True, kw_only=True)
class SideAt:
    """A place in one side of a hunk of the merge with ``head``, ``offset`` in characters. As text it is a cursor."""

    head: str
    hunk: int
    side: str
    offset: int

    def __str__(self) -> str:
        return f"hunk-{self.hunk}-{self.side}-{self.offset}-{self.head}"

    @classmethod
    def of(cls, cursor: str) -> "SideAt | None":
        """The place that a cursor names; None where it is none of these."""
        found = _SIDE_AT.fullmatch(cursor)
        return cls(hunk=int(found[1]), side=found[2], offset=int(found[3]), head=found[4]) if found else None


_SIDE_AT = re.compile(r"hunk-(\d{1,6})-(base|theirs|mine|suggestion)-(\d{1,8})-([0-9a-f]{7,64})", re.ASCII)


def side(text: str) -> tuple[str, int]:
    """One side of a hunk, and where it goes on, in characters; 0 where that is all of it."""
    part = bounds.cut(text, bounds.SIDE)
    return (f"{part.text}…", len(part.text)) if part.left else (text, 0)


def hunk(index: int, of: Hunk, *, head: str) -> dict[str, Any]:
    sides = {name: side(text) for name, text in (("base", of.base), ("theirs", of.theirs), ("mine", of.mine))}
    shape: dict[str, Any] = {
        "index": index,
        "kind": of.kind,
        "heading": of.heading,
        "path": list(of.path),
        **{name: text for name, (text, _) in sides.items()},
        "base_lines": _lines(of.base_lines),
        "theirs_lines": _lines(of.theirs_lines),
        "mine_lines": _lines(of.mine_lines),
    }
    if of.suggestion is not None:
        sides["suggestion"] = side(of.suggestion)
        shape["suggestion"] = sides["suggestion"][0]
    more = {name: str(SideAt(head=head, hunk=index, side=name, offset=end)) for name, (_, end) in sides.items() if end}
    return shape | ({"cut": True, "more": more} if more else {})


def _lines(lines: LineRange) -> list[int] | None:
    return list(lines) if lines else None


def hunk_text(shape: Mapping[str, Any]) -> str:
    """A hunk for the model, as diff3 writes it."""
    path = " > ".join(shape["path"]) or shape["heading"] or ""
    where = f" under “{one_line(path)}”" if path else ""
    if lines := shape["theirs_lines"]:
        where += f", {span(lines)} of the document"
    parts = [f"Hunk {shape['index']}, {shape['kind']}{where}"]
    sides = [("theirs", "theirs (in the document now)"), ("base", "base (before both)"), ("mine", "mine (the draft)")]
    if "suggestion" in shape:
        sides.append(("suggestion", "suggestion (both, word by word)"))
    for name, label in sides:
        parts.append(f"--- {label}\n{shape[name]}" + ("" if shape[name].endswith("\n") else "\n"))
    return "\n".join(parts)


def span(lines: Sequence[int]) -> str:
    """``L4`` or ``L4-L6``."""
    return f"L{lines[0]}" if lines[0] == lines[1] else f"L{lines[0]}-L{lines[1]}"


def decided(found: Sequence[Decision]) -> str:
    """What a merge settled beyond lines, on one line; nothing where that is nothing."""
    if not found:
        return ""
    named = [f"{one.rule} {span(one.lines)}" if one.lines else one.rule for one in found[:DECISIONS_MOST]]
    more = f" and {len(found) - DECISIONS_MOST} more" if len(found) > DECISIONS_MOST else ""
    return f"Decided by the merge beyond lines: {', '.join(named)}{more}"


def conflict_answer(outcome: Conflict) -> Answer:
    """The answer to a write that was not made because the head had moved. It names the exact next call."""
    rows = [hunk(index, of, head=outcome.head_commit) for index, of in enumerate(outcome.hunks)]
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
    text = "\n\n".join([form.text, *conflict_parts(shown, len(rows))])
    if outcome.conflict is not None and (rest := the_rest(outcome.conflict, shown)):
        text += f"\n{rest}"
    if data["kept"] and len(shown) < len(rows):
        text += f"\nYour choices that are kept: {json.dumps(data['kept'][:CHOICES_MOST], ensure_ascii=False)}"
    return Answer(text=text + f"\n{NEXT}{following}", data=data, error=True)


def conflict_parts(shown: Sequence[Mapping[str, Any]], total: int) -> list[str]:
    """Hunks as text, fenced, with what may stand in their places."""
    if not shown:
        return []
    parts = [fenced("\n".join(hunk_text(shape) for shape in shown), source=f"{len(shown)} of {counted(total, 'hunk')}")]
    if len(shown) < total:
        parts.append(f"These are the first {len(shown)} of {total}; conflict with action show has all.")
    parts.append(CHOICES)
    return parts


def the_rest(conflict: str, shown: Sequence[Mapping[str, Any]]) -> str:
    """The calls that read on where a side of a hunk was cut; nothing where none was."""
    told = []
    for shape in shown:
        for name, cursor in shape.get("more", {}).items():
            following = call("conflict", action="show", conflict_id=conflict, cursor=cursor)
            told.append(f"The rest of {name} of hunk {shape['index']}: {following}")
    return "\n".join(told)


def resolving(conflict: str, head: str, *, hunks: int, kept: Sequence[Choice | None] = ()) -> str:
    """The call that settles a conflict of so many hunks: what was kept stands in it, both where nothing was."""
    chosen = [kept[index] if index < len(kept) else None for index in range(min(hunks, CHOICES_MOST))]
    text = call(
        "conflict",
        action="resolve",
        conflict_id=conflict,
        expected_commit=head,
        choices=["both" if choice is None else choice for choice in chosen],
    )
    return text if hunks <= CHOICES_MOST else f"{text}, and choices go on so for all {hunks} hunks"


def _following(outcome: Conflict, shown: int) -> str:
    """The exact next call."""
    if outcome.conflict is None:
        return call("read", location=outcome.location)
    if shown < len(outcome.hunks):
        return call("conflict", action="show", conflict_id=outcome.conflict)
    return resolving(outcome.conflict, outcome.head_commit, hunks=len(outcome.hunks), kept=outcome.kept)


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
