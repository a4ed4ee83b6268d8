"""Who wrote each character of a document at a commit, from the nearest commit before it of which that is kept."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import NamedTuple

from workspace.merge import authorship
from workspace.merge.authorship import BLAME_VERSION, Run, Runs
from workspace.models import Blame, Blob, Commit, Document

AT_ONCE = 50
"""Texts that are read together: a history of long texts does not fit in memory."""
STEPS = 300
"""Commits between two versions up to which it is told who made each of the changes."""
_UNKNOWN = "?"


@dataclass(frozen=True, kw_only=True)
class Authorship:
    """The ``runs`` over the text of commit ``commit``, how many commits were ``walked`` to make them, and how many
    seconds that took."""

    commit: str
    runs: Runs
    walked: int
    took: float = 0.0


class _Step(NamedTuple):
    id: str
    parent: str | None
    merged: str | None
    blob: str


class _State(NamedTuple):
    blob: str
    text: str
    runs: Runs


def of(document: Document, until: Commit, *, seconds: float | None = None) -> Authorship:
    """The authorship of ``until``, whose ``blob`` is loaded.

    After ``seconds`` it may be that of a commit before, from which a later call goes on once it is kept.
    """
    kept = (
        Blame.objects.filter(document=document, version=BLAME_VERSION, commit__number__lte=until.number)
        .select_related("commit__blob")
        .first()
    )
    if kept is not None:
        runs = tuple(Run(length, kept.commits[at]) for at, length in kept.runs)
        if kept.commit_id == until.pk:
            return Authorship(commit=until.pk, runs=runs, walked=0)
        start = kept.commit
        state = _State(start.blob_id, start.blob.content, runs)
        steps = _steps(document, until, after=start.number)
        made = {step.id for step in steps} | {start.pk}
        if all(step.parent in made for step in steps) and any(step.parent == start.pk for step in steps):
            return _Walk(document, steps, {start.pk: state}).run(seconds)
    return _Walk(document, _steps(document, until, after=0), {}).run(seconds)


def since(document: Document, frm: Commit, to: Commit) -> Runs | None:
    """The runs of ``to``, as if ``frm`` had written all that it has; both with ``blob`` loaded. None where ``frm`` is
    not among what led to ``to``, or is more than ``STEPS`` commits before."""
    if frm.number >= to.number or to.number - frm.number > STEPS:
        return None
    steps = _steps(document, to, after=frm.number)
    made = {step.id for step in steps} | {frm.pk}
    if not all(step.parent in made for step in steps) or not any(step.parent == frm.pk for step in steps):
        return None
    text = frm.blob.content
    return _Walk(document, steps, {frm.pk: _State(frm.blob_id, text, authorship.begin(text, frm.pk))}).run(None).runs


def _steps(document: Document, until: Commit, *, after: int) -> list[_Step]:
    """The commits that lead to ``until``, itself included, those up to number ``after`` left out; oldest first."""
    rows = Commit.objects.filter(document=document, number__gt=after, number__lte=until.number).order_by("-number")
    wanted, found = {until.pk}, []
    for step in (_Step(*row) for row in rows.values_list("pk", "parent_id", "merged_parent_id", "blob_id")):
        if step.id in wanted:
            found.append(step)
            wanted.update(parent for parent in step[1:3] if parent)
    return found[::-1]


class _Walk:
    """Carries the authorship over commits, of which only those that are still a parent to come are held."""

    def __init__(self, document: Document, steps: Sequence[_Step], known: dict[str, _State]) -> None:
        self._document = document
        self._steps = steps
        self._known = known
        self._left = Counter(parent for step in steps for parent in step[1:3] if parent)

    def run(self, seconds: float | None) -> Authorship:
        begun = time.monotonic()
        last = self._steps[-1].id
        for walked, (step, text) in enumerate(self._texts(), 1):
            self._known[step.id] = state = self._carried(step, text)
            for parent in step[1:3]:
                if parent:
                    self._left[parent] -= 1
                    if self._left[parent] <= 0:
                        self._known.pop(parent, None)
            # From here the walk can go on with this commit alone.
            alone = len(self._known) == 1
            took = time.monotonic() - begun
            if step.id == last or (seconds is not None and alone and took > seconds):
                return Authorship(commit=step.id, runs=state.runs, walked=walked, took=took)
            if self._left[step.id] <= 0:
                self._known.pop(step.id)
        raise AssertionError("the walk ends with its last step")

    def _texts(self) -> Iterator[tuple[_Step, str]]:
        for together in batched(self._steps, AT_ONCE):
            texts = dict(Blob.objects.filter(pk__in={step.blob for step in together}).values_list("pk", "content"))
            yield from ((step, texts[step.blob]) for step in together)

    def _carried(self, step: _Step, text: str) -> _State:
        parent = self._known.get(step.parent or "")
        if parent is None:
            return _State(step.blob, text, authorship.begin(text, step.id))
        if parent.blob == step.blob:
            return parent
        if step.merged is None:
            runs = authorship.advance(parent.runs, parent.text, text, step.id)
            return _State(step.blob, text, runs)
        other = self._known.get(step.merged) or self._other(step, parent, text)
        runs = authorship.advance_merge(parent.runs, parent.text, other.runs, other.text, text, step.id)
        return _State(step.blob, text, runs)

    def _other(self, step: _Step, parent: _State, text: str) -> _State:
        """The state of a merged parent that the walk did not come by: its own walk is made only where something of
        its text is in the merge and not in the other parent."""
        commit = Commit.objects.select_related("blob").get(pk=step.merged)
        content = commit.blob.content
        unknown = _State(commit.blob_id, content, authorship.begin(content, _UNKNOWN))
        found = authorship.advance_merge(parent.runs, parent.text, unknown.runs, content, text, step.id)
        if not any(run.id == _UNKNOWN for run in found):
            return unknown
        walk = _Walk(self._document, _steps(self._document, commit, after=0), {})
        return _State(commit.blob_id, content, walk.run(None).runs)
