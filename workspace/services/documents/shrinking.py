"""When a write takes out so much that it is asked about first.

Half of the lost pages that people report were emptied by a write that was meant for a part of them: a tool that sent
what it had read of a long text, a form that came up empty. Short pages are replaced all the time, so they are let be.
"""

from workspace.errors import Invalid

FIELD = "confirm_shrink"
EMPTIED_FROM = 200
"""Characters from which on leaving nothing is asked about."""
CUT_FROM = 1_000
"""Characters from which on leaving less than a tenth is asked about."""
TENTH = 10


def shrinks(old: str, new: str) -> bool:
    """Whether ``new`` is all but nothing of ``old``: blank where that had more than 200 characters, or less than a
    tenth of more than 1,000."""
    if len(old) > EMPTIED_FROM and not new.strip():
        return True
    return len(old) > CUT_FROM and len(new) * TENTH < len(old)


def refuse(old: str, new: str) -> None:
    """``Invalid``, naming ``confirm_shrink`` as the mend, where ``new`` is all but nothing of ``old``."""
    if not shrinks(old, new):
        return
    left = "nothing" if not new.strip() else f"{len(new):,}"
    raise Invalid(
        FIELD,
        f"is needed: this would leave {left} of {len(old):,} characters. If that is meant, repeat this very call with "
        f"{FIELD} true; if it was meant for a part of the text, read the document again and change that part alone.",
    )
