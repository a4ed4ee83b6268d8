"""What a change of sharing would do to whom: as a value, as machines are told it, and in a sentence or a few.

Every surface says the same words. Labels and names of groups are what people typed: a surface whose reader takes text
for instructions fences them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workspace.models.people import GROUP

NAMED = 100
"""People whom a preview names of those who gain, of those who lose and of those who keep what they have."""
SAID = 2
"""People whom a sentence names before it counts the others."""
_GAINED = {"viewer": "reading", "editor": "reading and writing", "manager": "management"}


@dataclass(frozen=True, kw_only=True)
class Change:
    """A person's role in effect before and after; each empty without one."""

    email: str
    label: str
    before: str
    after: str

    def __str__(self) -> str:
        return self.email


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What a grant, or its taking back (``role`` empty), would change for whom.

    ``before`` is what the subject's own grant at the place gives now, empty without one. ``gains``, ``loses`` and
    ``keeps`` name up to 100 people each, of ``gaining``, ``losing`` and ``keeping``; who keeps holds as much by another
    grant, or is an administrator. ``documents`` and ``folders`` are those that the place holds now; with ``future``,
    whatever is put there later is included as well. ``changes`` is false where nobody's role would differ and the
    grant itself stays as it is.
    """

    location: str
    subject: str
    role: str
    before: str
    gains: tuple[Change, ...]
    loses: tuple[Change, ...]
    keeps: tuple[Change, ...]
    gaining: int
    losing: int
    keeping: int
    documents: int
    folders: int
    future: bool
    changes: bool

    @property
    def more(self) -> int:
        """How many people gain or lose and are not named."""
        return self.gaining + self.losing - len(self.gains) - len(self.loses)

    def data(self) -> dict[str, Any]:
        """The preview as every machine is told it, JSON-ready."""
        return {
            "location": self.location,
            "subject": self.subject,
            "role": self.role or None,
            "role_before": self.before or None,
            "gains": [_told(change) for change in self.gains],
            "loses": [_told(change) for change in self.loses],
            "keeps": [_told(change) for change in self.keeps],
            "people": {"gain": self.gaining, "lose": self.losing, "keep": self.keeping},
            "more": self.more,
            "documents": self.documents,
            "folders": self.folders,
            "future": self.future,
            "changes": self.changes,
        }

    def decided_on(self) -> dict[str, Any]:
        """What a confirmation holds on to: all but how much there is now, as what comes later was stated too."""
        return {name: value for name, value in self.data().items() if name not in ("documents", "folders")}


def _told(change: Change) -> dict[str, str | None]:
    return {
        "email": change.email,
        "label": change.label,
        "role_before": change.before or None,
        "role_after": change.after or None,
    }


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
    shown = [change.label for change in changes[: SAID if count > SAID + 1 else count]]
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
