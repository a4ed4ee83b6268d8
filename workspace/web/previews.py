"""A preview of sharing as pages draw it: the sentences, who is named in them, and the token that confirms it."""

from dataclasses import dataclass

from workspace.actor import Actor
from workspace.errors import AccessChange
from workspace.services import previews, sharing
from workspace.services.previews import Change, Preview


@dataclass(frozen=True, kw_only=True)
class Shown:
    """``verb`` is what the button says that does it. ``more`` counts the people of the sentences who are not rows."""

    location: str
    subject: str
    role: str
    words: str
    rows: tuple[Change, ...]
    people: int
    more: int
    revokes: bool
    verb: str
    token: str


def shown(actor: Actor, *, location: str, subject: str, role: str = "") -> Shown:
    """What giving ``role``, or without one taking back what is given, would change. Raises as the services do."""
    change = {"location": location, "subject": subject}
    if role:
        found = sharing.preview(actor, **change, role=role)
        token = sharing.confirm_token(actor, change={"action": "grant", **change, "role": role})
    else:
        found = sharing.preview_revoke(actor, **change)
        token = sharing.confirm_token(actor, change={"action": "revoke", **change})
    return drawn(found, token, subject=subject)


def shown_again(refusal: AccessChange, *, subject: str) -> Shown:
    """The preview that a refused confirmation carries."""
    return drawn(previews.restored(refusal.preview or {}), refusal.confirm_token, subject=subject)


def drawn(found: Preview, token: str, *, subject: str) -> Shown:
    """A preview as pages draw it. ``subject`` is as it was typed, since that is what the token confirms."""
    rows = (*found.gains, *found.loses)
    return Shown(
        location=found.location,
        subject=subject,
        role=found.role,
        words=" ".join(previews.sentences(found)),
        rows=rows,
        people=len(rows) + found.more,
        more=found.more,
        revokes=not found.role,
        verb=_verb(found),
        token=token,
    )


def _verb(found: Preview) -> str:
    if not found.role:
        return "Yes, take it back"
    return "Yes, share it" if not found.before else f"Yes, make it {found.role}"
