"""``history``: which commits a document has, what they changed, and who wrote which line."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, TypedDict

from pydantic import Field

from workspace.actor import Actor
from workspace.mcp import bounds, shapes
from workspace.mcp.arguments import Arguments, CommitId, Cursor, Location, Takes
from workspace.mcp.fence import counted, fenced, one_line
from workspace.mcp.tool import Answer, Tool
from workspace.mcp.tools import read
from workspace.merge.diff import DiffHunk
from workspace.queries import documents
from workspace.queries import history as queries
from workspace.services import authorship

_MARKS = {"context": " ", "delete": "-", "insert": "+"}
_LINE = 2_000
_QUOTED = 200
"""Characters of a sentence."""
_ALSO = 6
"""Commits that are told of one sentence."""
_DIFF_LINES = 20_000
"""Of a longer diff, no more is listed over all its pages."""
OlderCommit = Annotated[
    str,
    Field(min_length=7, max_length=64, description="diff: the older commit; by default the one before."),
]


class History(Arguments):
    ACTIONS: ClassVar = {
        "log": Takes(needs=("location",), may=("cursor", "limit")),
        "diff": Takes(needs=("location",), may=("from", "to", "cursor")),
        "blame": Takes(needs=("location",), may=("at", "cursor")),
        "show": Takes(needs=("location", "commit"), may=("offset",)),
    }

    action: Literal["log", "diff", "blame", "show"]
    location: Location
    from_: OlderCommit | None = Field(None, alias="from")
    to: (
        Annotated[str, Field(min_length=7, max_length=64, description="diff: the newer; by default the newest.")] | None
    ) = None
    at: Annotated[CommitId, Field(description="blame: by default the newest.")] | None = None
    commit: Annotated[CommitId, Field(description="show: the commit.")] | None = None
    offset: Annotated[int, Field(ge=0, description="show: next_offset of the answer before.")] = 0
    limit: Annotated[int, Field(ge=1, le=bounds.PAGE_MOST, description="log: so many commits.")] = 20
    cursor: Cursor | None = None


class Log(TypedDict):
    """Newest first."""

    location: str
    commits: list[shapes.CommitShape]
    next_cursor: str | None


class DiffPart(TypedDict):
    """Lines begin with a space (both), - (only before) or + (only after), as in a unified diff. ``formatting`` says
    that no word changes: lines broken anew, another bullet. ``commits`` put the new lines there, oldest first, where
    that is known."""

    header: str
    heading: str | None
    formatting: bool
    lines: list[str]
    commits: list[str]


class DiffShape(TypedDict):
    """``commits`` are those that the hunks name."""

    location: str
    from_commit: str
    to_commit: str
    added: int
    removed: int
    hunks: list[DiffPart]
    commits: list[shapes.CommitShape]
    next_cursor: str | None


class Run(TypedDict):
    start_line: int
    end_line: int
    text: str
    commit: str
    author: shapes.Author
    committed_at: str
    message: str


class SentenceShape(TypedDict):
    """A sentence, a heading, a table row or a line of code, in characters of the text counted from 0, the end not
    included. ``commit`` wrote most of it, for its ``reason``; ``also`` are others that wrote in it."""

    start: int
    end: int
    text: str
    commit: str
    author: shapes.Author
    message: str
    reason: str
    also: list[str]


class BlameShape(TypedDict):
    """Lines by the last commit that wrote in them, and the sentences in these. What is older than ``known_since`` is
    given to it until all of the history was read; ask again in a while."""

    location: str
    commit: str
    runs: list[Run]
    sentences: list[SentenceShape]
    known_since: str | None
    next_cursor: str | None


class Shown(TypedDict):
    """One commit with the text that it holds."""

    commit: shapes.CommitShape
    document: read.ReadShape


def history(actor: Actor, given: History) -> Answer:
    match given.action:
        case "log":
            return _log(actor, given)
        case "diff":
            return _diff(actor, given)
        case "blame":
            return _blame(actor, given)
        case "show":
            return _show(actor, given)


def _log(actor: Actor, given: History) -> Answer:
    found = bounds.page(
        lambda limit: queries.log(actor, location=given.location, limit=limit, cursor=given.cursor),
        shapes.commit,
        shapes.commit_line,
        limit=given.limit,
    )
    text = fenced(found.text, source=f"commits of {given.location}, newest first")
    return Answer(
        text=text + bounds.more(cursor=found.cursor),
        data={"location": given.location, "commits": found.rows, "next_cursor": found.cursor},
    )


def _diff(actor: Actor, given: History) -> Answer:
    found = queries.diff(actor, location=given.location, frm=given.from_, to=given.to, most=_DIFF_LINES, authors=True)
    before, after = found.from_commit.id, found.to_commit.id
    listing = ("diff", before, after)
    first = bounds.position(actor, given.cursor, of=listing)
    rows = list(_diff_rows(found.hunks))
    made = {_header(of): authors for of, authors in zip(found.hunks, found.authors, strict=True)}
    shown = rows[first : first + bounds.fitting(list(_weighed(rows[first:], made)))]
    end = first + len(shown)
    cursor = bounds.cursor_at(actor, end, of=listing) if end < len(rows) else None
    parts: list[dict[str, Any]] = []
    named: dict[str, queries.CommitRow] = {}
    for of, line in shown:
        header = _header(of)
        if not parts or parts[-1]["header"] != header:
            parts.append({"header": header, "heading": of.heading, "formatting": of.formatting, "lines": []})
            parts[-1]["commits"] = [commit.id for commit in made[header]]
            named |= {commit.id: commit for commit in made[header]}
        parts[-1]["lines"].append(line)
    data = {
        "location": found.location,
        "from_commit": before,
        "to_commit": after,
        "added": found.added,
        "removed": found.removed,
        "hunks": parts,
        "commits": [shapes.commit(commit) for commit in named.values()],
        "next_cursor": cursor,
    }
    head = (
        f"{one_line(found.location)} from {before[:12]} to {after[:12]}: "
        f"{counted(found.added, 'line')} added, {found.removed} removed."
    )
    if not parts:
        return Answer(text=f"{head} The text is the same.", data=data)
    if all(of.formatting for of in found.hunks):
        head += " No word differs, only how lists, tables and lines are laid out."
    by = {id: shapes.commit_line(commit) for id, commit in named.items()} if named.keys() - {after} else {}
    body = "\n".join(line for part in parts for line in (*_heads(part, by), *part["lines"]))
    return Answer(text=f"{head}\n{fenced(body, source='unified diff')}{bounds.more(cursor=cursor)}", data=data)


def _diff_rows(hunks: tuple[DiffHunk, ...]) -> Iterator[tuple[DiffHunk, str]]:
    for of in hunks:
        for line in of.lines:
            text = line.text if len(line.text) <= _LINE else f"{line.text[:_LINE]}…"
            yield of, _MARKS[line.kind] + text


def _weighed(
    rows: Iterable[tuple[DiffHunk, str]], made: Mapping[str, tuple[queries.CommitRow, ...]]
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Each line, with the commits that it is the first to name."""
    last, told = None, set[str]()
    for of, line in rows:
        new = () if of is last else made[_header(of)]
        yield line, [{"commit": commit.id} if commit.id in told else shapes.commit(commit) for commit in new]
        told |= {commit.id for commit in new}
        last = of


def _heads(part: Mapping[str, Any], by: Mapping[str, str]) -> Iterator[str]:
    """The line above a hunk, and those who wrote it, where ``by`` tells them apart."""
    yield part["header"]
    yield from (f"# {by[id]}" for id in part["commits"] if id in by)


def _header(of: DiffHunk) -> str:
    heading = f" {one_line(of.heading)}" if of.heading else ""
    layout = " (formatting only)" if of.formatting else ""
    return f"@@ -{of.old_start},{of.old_lines} +{of.new_start},{of.new_lines} @@{heading}{layout}"


def _blame(actor: Actor, given: History) -> Answer:
    found = queries.blame(actor, location=given.location, at=given.at, keep=authorship.keep)
    since = found.known_since
    # All of one listing goes by one history, so a cursor of what was known in part is not one of the whole.
    listing = ("blame", found.commit, *([since.id] if since else []))
    first = bounds.position(actor, given.cursor, of=listing)
    every = list(_parts(found))
    some = [_run(of) if isinstance(of, queries.BlameRun) else _sentence(of) for of, _ in every[first : first + 1_000]]
    shown = some[: bounds.fitting(some)]
    end = first + len(shown)
    cursor = bounds.cursor_at(actor, end, of=listing) if end < len(every) else None
    text = fenced(
        "\n".join(line for _, line in every[first:end] if line),
        source=f"{found.location}@{found.commit} by who wrote which lines, and sentences of others in them",
    )
    if since is not None:
        text += (
            f"\nThe history is still being read: what is older than #{since.number} {since.id[:12]} is given to it. "
            "Ask again in a while."
        )
    data = {
        "location": found.location,
        "commit": found.commit,
        "runs": [part for part in shown if "start_line" in part],
        "sentences": [part for part in shown if "start" in part],
        "known_since": since.id if since else None,
        "next_cursor": cursor,
    }
    return Answer(text=text + bounds.more(cursor=cursor), data=data)


def _parts(found: queries.Blame) -> Iterator[tuple[queries.BlameRun | queries.Sentence, str]]:
    """Each run, then the sentences that begin in it, with the text of either; a sentence of the run's own commit needs
    none."""
    left = deque(found.sentences)
    end = 0
    for run in found.runs:
        head = f"L{run.start_line}-L{run.end_line} {shapes.commit_line(run.commit)}"
        yield run, f"{head}\n{shapes.side(run.text)[0].rstrip()}"
        end += len(run.text)
        while left and left[0].start < end:
            said = left.popleft()
            own = [commit.id for commit in said.commits] == [run.commit.id]
            line = f"  “{_quoted(said)}” {shapes.commit_line(said.commits[0])}"
            others = "".join(f"; also {shapes.commit_line(commit)}" for commit in said.commits[1:_ALSO])
            yield said, "" if own else line + others


def _quoted(said: queries.Sentence) -> str:
    text = one_line(said.text)
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"


def _sentence(said: queries.Sentence) -> dict[str, Any]:
    row = shapes.commit(said.commits[0])
    return {
        "start": said.start,
        "end": said.end,
        "text": _quoted(said),
        "commit": row["commit"],
        "author": row["author"],
        "message": row["message"],
        "reason": row["reason"],
        "also": [commit.id for commit in said.commits[1:_ALSO]],
    }


def _run(run: queries.BlameRun) -> dict[str, Any]:
    row = shapes.commit(run.commit)
    return {
        "start_line": run.start_line,
        "end_line": run.end_line,
        "text": shapes.side(run.text)[0],
        "commit": row["commit"],
        "author": row["author"],
        "committed_at": row["committed_at"],
        "message": row["message"],
    }


def _show(actor: Actor, given: History) -> Answer:
    assert given.commit is not None
    text = documents.read(actor, location=given.location, at=given.commit, offset=given.offset, limit=bounds.TEXT * 4)
    row = queries.commit(actor, id=text.commit).row
    document = read.answer(text, most=bounds.TEXT)
    return Answer(
        text="\n".join(filter(None, [shapes.commit_line(row), shapes.decided(row.decisions), document.text])),
        data={"commit": shapes.commit(row), "document": dict(document.data)},
    )


TOOL = Tool(
    name="history",
    title="History of a document",
    description=(
        "log: its commits, newest first. diff: what changed between two of them. blame: who wrote which lines and "
        "sentences, and why. show: one commit with its text."
    ),
    arguments=History,
    shapes=(Log, DiffShape, BlameShape, Shown),
    quotes=True,
    run=history,
)
