"""What a write came to. Values, to be matched with ``match``; refusals are exceptions (``workspace.errors``)."""

from dataclasses import dataclass, field

from workspace.merge import Choice, Decision, Hunk


@dataclass(frozen=True, kw_only=True)
class Written:
    """Where a document stands after a write that was accepted.

    ``commit`` is the id of the commit that holds it, ``parents`` its parents; ``created_folders`` the locations
    of the folders that had to be made; ``decisions`` what a merge settled beyond lines.
    """

    document: str
    location: str
    commit: str
    parents: tuple[str, ...]
    created_folders: tuple[str, ...] = ()
    decisions: tuple[Decision, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Saved(Written):
    """A new commit upon the one that the writer named."""


@dataclass(frozen=True, kw_only=True)
class Merged(Written):
    """The head had moved; both sides are in a new commit with two parents."""


@dataclass(frozen=True, kw_only=True)
class Unchanged(Written):
    """Nothing differs from the head, so no commit was made; ``commit`` is the head."""


@dataclass(frozen=True, kw_only=True)
class Replayed(Written):
    """The key was used before with the same payload; this is what it came to then (``first``: saved, merged or
    unchanged)."""

    first: str


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """Not written: the head had moved and both cannot stand together, or the writer asked to be told.

    The whole draft is kept under ``conflict``, which is None where there was no text to keep (a delete, move or
    restore that was decided on an older version). ``hunks`` is empty where only the head had moved and a merge would
    be clean; ``merged_preview`` is the merged text, with markers where it conflicts. ``kept`` are choices that were
    made for an earlier head and still fit: one for each hunk, or None; empty where none was made.
    """

    conflict: str | None
    document: str
    location: str
    base_commit: str
    head_commit: str
    hunks: tuple[Hunk, ...] = field(default=())
    merged_preview: str
    kept: tuple[Choice | None, ...] = ()
    replayed: bool = False


@dataclass(frozen=True, kw_only=True)
class Made:
    """A folder as it is after the call; ``created_folders`` are the locations of those that were made."""

    id: int
    location: str
    created_folders: tuple[str, ...] = ()
    replayed: bool = False


WriteResult = Saved | Merged | Unchanged | Replayed
Outcome = Saved | Merged | Unchanged | Replayed | Conflict


def name_of(outcome: Written | Made) -> str:
    """``saved``, ``merged``, ``unchanged`` or ``replayed``, as every surface calls it."""
    if isinstance(outcome, Made):
        return "replayed" if outcome.replayed else "saved"
    return type(outcome).__name__.lower()
