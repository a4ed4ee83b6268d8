"""What every change of a document may carry beside its own arguments."""

from collections.abc import Iterable
from typing import Literal, TypedDict

from workspace.access import location_of
from workspace.merge import Decision
from workspace.models import Commit, Document, Folder
from workspace.services import commits
from workspace.services.outcomes import Conflict, Written

OnConflict = Literal["reject", "merge"]
ON_CONFLICT = ("reject", "merge")


class Request(TypedDict, total=False):
    """``message`` says what was changed and ``reason`` why, for the history, at most 2,000 characters each. A request
    repeated with the same ``idempotency_key`` is done once."""

    idempotency_key: str | None
    message: str
    reason: str


class Guarded(Request, total=False):
    """``expected_commit`` is the version that was decided upon, whole or by its first 7 characters or more."""

    expected_commit: str | None


class Replacement(Request, total=False):
    """``on_conflict`` is what to do where the head has moved since: ``reject`` (default) tells, ``merge`` merges.
    ``confirm_shrink`` says that a text that leaves all but nothing is meant (``shrinking``)."""

    on_conflict: OnConflict
    confirm_shrink: bool


class Edit(Replacement, Guarded, total=False):
    """A change that may be based on a version, and may be merged."""


def written[W: Written](
    outcome: type[W],
    document: Document,
    commit: Commit,
    made: Iterable[Folder] = (),
    decisions: tuple[Decision, ...] = (),
) -> W:
    """The outcome of a write after which ``commit`` is what the document holds; ``made`` are the folders it needed,
    ``decisions`` what its merge settled."""
    return outcome(
        document=document.pk,
        location=location_of(document),
        commit=commit.pk,
        parents=tuple(commit.parents),
        created_folders=tuple(folder.path for folder in made),
        decisions=decisions,
    )


def stale(document: Document, expected_commit: str | None) -> Conflict | None:
    """The answer to a decision without a text (a move, a delete) that was made on an older version; else None."""
    if expected_commit is None:
        return None
    base = commits.named(document, expected_commit)
    if base.pk == document.head_id:
        return None
    return Conflict(
        conflict=None,
        document=document.pk,
        location=location_of(document),
        base_commit=base.pk,
        head_commit=document.head_id,
        merged_preview="",
    )
