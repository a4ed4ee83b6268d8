"""A preview of sharing in one sentence or a few, the same words on every surface.

Labels and names of groups are what people typed: a surface whose reader takes text for instructions fences them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from workspace.services.sharing import GROUP, Change, Preview

NAMED = 2
"""People whom a sentence names before it counts the others."""
_GAINED = {"viewer": "reading", "editor": "reading and writing", "manager": "management"}


def sentences(preview: Preview) -> tuple[str, ...]:
    """What would change: who gains, who loses, who keeps what they have. One sentence at least."""
    said = [*_gains(preview), *_losses(preview), *_keeps(preview)]
    if said and (preview.gaining or preview.losing):
        return tuple(said)
    return (_nobody(preview), *said)


def _nobody(preview: Preview) -> str:
    """Where nobody's access differs at once."""
    if not preview.changes:
        return f"Nothing changes: {_subject(preview)} has this role here already."
    if not preview.keeping and preview.role:
        joining = f"Nobody is in {_subject(preview)} yet. Whoever joins it gains {_GAINED[preview.role]} of"
        return f"{joining} {_what(preview)}{_later(preview)}."
    if not preview.keeping:
        return f"Nobody is in {_subject(preview)}, so nobody loses anything."
    return "Nobody gains or loses anything at once."


def _gains(preview: Preview) -> list[str]:
    if not preview.gaining:
        return []
    names = _people(preview.gains, preview.gaining, preview)
    verb = "gains" if preview.gaining == 1 else "gain"
    return [f"{names} {verb} {_GAINED[preview.role]} of {_what(preview)}{_later(preview)}."]


def _losses(preview: Preview) -> list[str]:
    if not preview.losing:
        return []
    out = [change for change in preview.loses if not change.after]
    less = [change for change in preview.loses if change.after]
    unnamed = preview.losing - len(preview.loses)
    said = []
    if out:
        names = _people(out, len(out) + unnamed, preview)
        verb = "loses" if len(out) + unnamed == 1 else "lose"
        said.append(f"{names} {verb} all access to {_what(preview)}{_later(preview, 'to')}.")
    for role in ("viewer", "editor"):
        left = [change for change in less if change.after == role]
        if left:
            verb = "is" if len(left) == 1 else "are"
            said.append(f"{_people(left, len(left), preview)} {verb} left with {role}.")
    return said


def _keeps(preview: Preview) -> list[str]:
    if not preview.keeping or not preview.changes:
        return []
    names = _people(preview.keeps, preview.keeping, preview)
    verb = "keeps" if preview.keeping == 1 else "keep"
    return [f"{names} {verb} as much as now, through another grant or as administrator."]


def _people(changes: Sequence[Change], count: int, preview: Preview) -> str:
    """``Ann, Bob and 3 others of group design``."""
    shown = [change.label for change in changes[: NAMED if count > NAMED + 1 else count]]
    others = count - len(shown)
    if others:
        shown.append(f"{others:,} others")
    names = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    return f"{names} of {_subject(preview)}" if preview.subject.startswith(GROUP) else names


def _subject(preview: Preview) -> str:
    if preview.subject.startswith(GROUP):
        return f"group {preview.subject.removeprefix(GROUP)}"
    return preview.subject


def _what(preview: Preview) -> str:
    if not preview.future:
        return "this document"
    documents = f"{preview.documents:,} document{'' if preview.documents == 1 else 's'}"
    return f"{documents} in {preview.folders:,} folder{'' if preview.folders == 1 else 's'}"


def _later(preview: Preview, word: str = "of") -> str:
    return f", and {word} everything put here later" if preview.future else ""


def restored(told: Mapping[str, Any]) -> Preview:
    """``Preview.data`` turned back into the preview."""
    return Preview(
        location=told["location"],
        subject=told["subject"],
        role=told["role"] or "",
        before=told["role_before"] or "",
        gains=_changes(told["gains"]),
        loses=_changes(told["loses"]),
        keeps=_changes(told["keeps"]),
        gaining=told["people"]["gain"],
        losing=told["people"]["lose"],
        keeping=told["people"]["keep"],
        documents=told["documents"],
        folders=told["folders"],
        future=told["future"],
        changes=told["changes"],
    )


def _changes(told: Sequence[Mapping[str, Any]]) -> tuple[Change, ...]:
    return tuple(
        Change(
            email=one["email"],
            label=one["label"],
            before=one["role_before"] or "",
            after=one["role_after"] or "",
        )
        for one in told
    )
