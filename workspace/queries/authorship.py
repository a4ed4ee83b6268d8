"""Who wrote each character of a document at a commit, from the nearest commit before it of which that is kept."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import NamedTuple

from workspace.merge import authorship
from workspace.merge.authorship import BLAME_VERSION, Run, Runs
from workspace.models import Blame, BlameMark, Blob, Commit, CommitKind, Document

AT_ONCE = 50
"""Texts that are read together: a history of long texts does not fit in memory."""
EVERY = 100
"""Commits between two marks, from which the authorship of an old commit is made; fewer where texts are long."""
EVERY_BYTES = 4 * 1024 * 1024
STEPS = 200
"""Commits that a reader waits for, of up to ``STEP_BYTES`` together; what was before is left to the jobs."""
STEP_BYTES = 8 * 1024 * 1024
BETWEEN = 300
"""Commits between two versions up to which it is told who made each of the changes."""
_EARLIER = "?"
"""The author of what was written before the commits that were read."""


class Mark(NamedTuple):
    """The runs of commit ``commit``, the document's ``number``th."""

    commit: str
    number: int
    runs: Runs


@dataclass(frozen=True, kw_only=True)
class Authorship:
    """The ``runs`` over the text of commit ``commit``, how many commits were ``walked`` to make them, and how many
    seconds that took. ``marks`` are those of commits on the way which are worth to be kept.

    With ``earlier``, not all of the history was read: what that commit has was written by it or by one before it.
    """

    commit: str
    runs: Runs
    walked: int
    took: float = 0.0
    marks: tuple[Mark, ...] = ()
    earlier: str | None = None


class _Step(NamedTuple):
    id: str
    number: int
    parent: str | None
    merged: str | None
    blob: str
    size: int
    kind: str


class _State(NamedTuple):
    blob: str
    text: str
    runs: Runs


def of(document: Document, until: Commit) -> Authorship:
    """The authorship of ``until``, whose ``blob`` is loaded, in bounded time."""
    return _Walk(document, left=STEPS, room=STEP_BYTES).run(until)


def made(document: Document, until: Commit, *, seconds: float) -> Authorship:
    """The authorship of ``until``, whose ``blob`` is loaded, however long its history is.

    After ``seconds`` it is that of a commit before, from which a later call goes on once it is kept.
    """
    return _Walk(document, seconds=seconds).run(until)


def since(document: Document, frm: Commit, to: Commit) -> Runs | None:
    """The runs of ``to``, as if ``frm`` had written all that it has; both with ``blob`` loaded. None where ``frm`` is
    not among what led to ``to``, or is more than ``BETWEEN`` commits before."""
    if frm.number >= to.number or to.number - frm.number > BETWEEN:
        return None
    walk = _Walk(document, left=BETWEEN, room=STEP_BYTES, floor=frm)
    found = walk.run(to)
    return found.runs if walk.met and found.earlier in (None, frm.pk) else None


class _Walk:
    """Carries the authorship over commits, of which only those that are still a parent to come are held.

    With ``left`` and ``room`` it reads that many commits and bytes and no more. With ``floor`` nothing before that
    commit is read.
    """

    def __init__(
        self,
        document: Document,
        *,
        left: int | None = None,
        room: int = 0,
        seconds: float | None = None,
        floor: Commit | None = None,
    ) -> None:
        self._document = document
        self._left = left
        self._room = room
        self._until = None if seconds is None else time.monotonic() + seconds
        self._floor = floor
        self._marks: list[Mark] = []
        self._walked = 0
        self._cut: tuple[int, str] | None = None
        self.met = False
        """Whether a commit that was read was written upon the floor."""

    def run(self, until: Commit) -> Authorship:
        begun = time.monotonic()
        reached, state = self._to(until, stops=True)
        took = time.monotonic() - begun
        if self._cut is None:
            marks = tuple(self._marks)
            return Authorship(commit=reached, runs=state.runs, walked=self._walked, took=took, marks=marks)
        earlier = self._cut[1]
        runs = tuple(Run(run.length, earlier if run.id == _EARLIER else run.id) for run in state.runs)
        return Authorship(commit=reached, runs=runs, walked=self._walked, took=took, earlier=earlier)

    def _to(self, until: Commit, *, stops: bool = False) -> tuple[str, _State]:
        """The commit that was reached, which is ``until`` but where the time was over and it ``stops`` then."""
        start, number, state = self._start(until)
        if start == until.pk:
            return start, state
        steps = self._steps(until, after=number)
        known = {start: state}
        uses = Counter(parent for step in steps for parent in step[2:4] if parent)
        for step, text in _texts(steps):
            known[step.id] = state = self._carried(step, text, known)
            self._walked += 1
            for parent in step[2:4]:
                if parent:
                    uses[parent] -= 1
                    if uses[parent] <= 0:
                        known.pop(parent, None)
            if step.number % min(EVERY, max(1, EVERY_BYTES // max(1, step.size))) == 0:
                self._marks.append(Mark(step.id, step.number, state.runs))
            late = stops and self._until is not None and time.monotonic() > self._until
            if step.id == until.pk or late:
                return step.id, state
            if uses[step.id] <= 0:
                known.pop(step.id)
        raise AssertionError("the walk ends with its last step")

    def _start(self, until: Commit) -> tuple[str, int, _State]:
        """The nearest commit up to ``until`` of which the authorship is known."""
        if self._floor is not None:
            text = self._floor.blob.content
            runs = authorship.begin(text, self._floor.pk)
            return self._floor.pk, self._floor.number, _State(self._floor.blob_id, text, runs)
        kept = _kept(self._document, until)
        if kept is None:
            return _EARLIER, 0, _State("", "", ())
        runs = tuple(Run(length, kept.commits[at]) for at, length in kept.runs)
        return kept.commit_id, kept.commit.number, _State(kept.commit.blob_id, kept.commit.blob.content, runs)

    def _steps(self, until: Commit, *, after: int) -> list[_Step]:
        """The commits that lead to ``until``, itself included, those up to number ``after`` left out; oldest first."""
        rows = Commit.objects.filter(document=self._document, number__gt=after, number__lte=until.number)
        fields = rows.values_list("pk", "number", "parent_id", "merged_parent_id", "blob_id", "blob__size", "kind")
        newest = fields.order_by("-number")
        wanted, found = {until.pk}, []
        for step in (_Step(*row) for row in (newest if self._left is None else newest[: max(1, self._left)])):
            if step.id not in wanted:
                continue
            found.append(step)
            wanted.update(parent for parent in step[2:4] if parent)
            if self._left is not None:
                self._left -= 1
                self._room -= step.size
                if self._room <= 0:
                    break
        return found[::-1]

    def _carried(self, step: _Step, text: str, known: dict[str, _State]) -> _State:
        if step.parent is None:
            return _State(step.blob, text, authorship.begin(text, step.id))
        if self._floor is not None and step.parent == self._floor.pk:
            self.met = True
        parent = known.get(step.parent) or self._before(step.parent)
        if parent.blob == step.blob:
            return parent
        merged = step.merged or self._restored(step)
        if merged is None:
            runs = authorship.advance(parent.runs, parent.text, text, step.id)
            return _State(step.blob, text, runs)
        other = known.get(merged) or self._other(step, merged, parent, text)
        runs = authorship.advance_merge(parent.runs, parent.text, other.runs, other.text, text, step.id)
        return _State(step.blob, text, runs)

    def _before(self, id: str) -> _State:
        """The state of a commit that the walk did not come by, as far as it may still read."""
        commit = Commit.objects.select_related("blob").get(pk=id)
        content = commit.blob.content
        if self._floor is None and (self._left is None or (self._left > 0 and self._room > 0)):
            return self._to(commit)[1]
        self._cut = max(self._cut or (0, ""), (commit.number, commit.pk))
        return _State(commit.blob_id, content, authorship.begin(content, _EARLIER))

    def _restored(self, step: _Step) -> str | None:
        """The version that a restore brought back: whoever wrote it then wrote it, and not who saved it from loss.
        Between two versions it is the restore that made the change."""
        if step.kind != CommitKind.RESTORE or self._floor is not None:
            return None
        earlier = Commit.objects.filter(document=self._document, blob=step.blob, number__lt=step.number)
        return earlier.order_by("-number").values_list("pk", flat=True).first()

    def _other(self, step: _Step, merged: str, parent: _State, text: str) -> _State:
        """The state of a merged parent that the walk did not come by: its own walk is made only where something of
        its text is in the merge and not in the other parent."""
        commit = Commit.objects.select_related("blob").get(pk=merged)
        content = commit.blob.content
        if self._floor is not None:
            return _State(commit.blob_id, content, authorship.begin(content, self._floor.pk))
        unknown = _State(commit.blob_id, content, authorship.begin(content, _EARLIER))
        known = authorship.begin(parent.text, step.id)
        found = authorship.advance_merge(known, parent.text, unknown.runs, content, text, step.id)
        if not any(run.id == _EARLIER for run in found):
            return unknown
        return self._before(merged)


def _kept(document: Document, until: Commit) -> Blame | BlameMark | None:
    last = Blame.objects.filter(document=document, version=BLAME_VERSION).select_related("commit__blob").first()
    # No mark is later than the last commit that was read.
    if last is not None and last.commit.number <= until.number:
        return last
    marks = BlameMark.objects.filter(document=document, version=BLAME_VERSION, number__lte=until.number)
    return marks.select_related("commit__blob").order_by("-number").first()


def _texts(steps: Sequence[_Step]) -> Iterator[tuple[_Step, str]]:
    for together in batched(steps, AT_ONCE):
        texts = dict(Blob.objects.filter(pk__in={step.blob for step in together}).values_list("pk", "content"))
        yield from ((step, texts[step.blob]) for step in together)
