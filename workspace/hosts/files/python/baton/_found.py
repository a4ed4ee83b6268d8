"""What a session gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Callable, Optional, Type

NOTHING = "nothing to say"
Tell = Callable[[str, str, str], None]


class MemoryUnavailable(Exception):
    """A prompt that requires memory got none, or a capture that had to be kept was not.

    ``why`` is ``unauthorized``, ``unavailable`` or ``starting``; of a capture ``refused`` or ``lost`` as well.
    ``detail`` says more, and ``mend`` what to do.
    """

    def __init__(self, why: str, detail: str, mend: str) -> None:
        super().__init__(why, detail, mend)
        self.why = why
        self.detail = detail
        self.mend = mend

    def __str__(self) -> str:
        return "Baton: memory was unavailable (%s): %s. %s" % (self.why, self.detail.rstrip("."), self.mend)


@dataclass(frozen=True)
class Citation:
    """Where a passage is from. ``citation`` is LOCATION@COMMIT#Lstart-Lend, as the text names it."""

    citation: str
    location: str
    commit: str
    lines: Optional[tuple[int, ...]]
    committed_at: str
    stale: bool
    web_url: str


@dataclass(frozen=True)
class Found:
    """What there is for a prompt. ``text`` is fenced as data that others wrote, at most the budget in characters, and
    empty where there is nothing; then ``why`` is ``nothing to say``, ``unauthorized``, ``unavailable`` or
    ``starting``, ``detail`` says more, and ``note`` is what to put before the model in its place.

    ``str`` of it is the text, or the note where there is none; ``bool`` is whether there is a text. ``partial``: the
    time was over before all was looked for. ``receipt`` names it on the server.
    """

    text: str = ""
    citations: tuple[Citation, ...] = ()
    partial: bool = False
    receipt: str = ""
    why: str = ""
    detail: str = ""
    note: str = ""

    def __str__(self) -> str:
        return self.text or self.note

    def __bool__(self) -> bool:
        return bool(self.text)


@dataclass(frozen=True)
class Context(Found):
    """``Found``, and the way to say what became of it. Retrieved is not read: nothing is reported as attached unless
    the program says so, by ``attached`` or by a ``with`` that ends without an exception.

        with s.context(prompt) as found:
            answer = model(f"{found}\\n\\n{prompt}")

    The first report counts. One that cannot be made now is made later.
    """

    tell: Optional[Tell] = field(default=None, repr=False, compare=False)

    def attached(self) -> None:
        """Says that the model was given ``str`` of this. Takes at most half a second."""
        self._say("attached", "")

    def withheld(self, reason: str) -> None:
        """Says that the model was not given it, and why."""
        self._say("withheld", reason)

    def _say(self, stage: str, reason: str) -> None:
        if self.tell is not None and self.receipt:
            self.tell(self.receipt, stage, reason)

    def __enter__(self) -> Context:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if kind is None:
            self.attached()
        else:
            self.withheld(broken_off(kind))


def broken_off(kind: Type[BaseException]) -> str:
    """The reason of what ended with an exception. Its message may hold anything, and stays here."""
    return "the call to the model ended with %s" % kind.__name__


@dataclass(frozen=True)
class Brief:
    """How things stand near one's work. ``text`` is for the model, fenced; ``data`` is the answer as it came, and
    ``head`` what to acknowledge by ``ack_through`` once a model has had it; ``whole`` is whether the text holds all
    of it. ``why``, ``detail``, ``note`` and ``str`` as of ``Found``."""

    text: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    head: str = ""
    whole: bool = False
    why: str = ""
    detail: str = ""
    note: str = ""

    def __str__(self) -> str:
        return self.text or self.note

    def __bool__(self) -> bool:
        return bool(self.text)


@dataclass(frozen=True)
class Captured:
    """What became of a capture. ``state``:

    ``acknowledged``: it is on the server's disk, as ``id`` where that was told. ``waiting``: it is on this machine's
    disk and is sent later, by this session, the next one of this credential, or ``python -m baton drain``.
    ``refused``: the server does not take it, and it is set aside. ``lost``: it could neither be kept here nor
    sent. ``off``: the project's file says that nothing is captured. ``why`` tells more of each but the first.
    """

    state: str
    operation_id: str
    id: str = ""
    why: str = ""

    def __bool__(self) -> bool:
        return self.state in ("acknowledged", "waiting")


@dataclass(frozen=True)
class Report:
    """What a session has done so far. Counters are separate: found is not attached, and kept is not acknowledged.

    ``asked`` prompts; ``found`` a text for so many; ``nothing`` to say of so many; ``failed`` so many. ``attached``
    and ``withheld`` were reported. ``captured`` is how many different captures there were, of which so many are
    ``acknowledged``, ``refused`` and ``lost``. ``waiting`` counts all on this machine that wait under this credential,
    of whatever session, and ``set_aside`` those that wait under others. ``problems`` are the last 20.
    """

    host: str
    session: str
    folder: str
    address: str
    policy: str
    asked: int
    found: int
    nothing: int
    failed: int
    attached: int
    withheld: int
    captured: int
    acknowledged: int
    refused: int
    lost: int
    waiting: int
    set_aside: int
    problems: tuple[str, ...]


def cited(given: object) -> Optional[tuple[Citation, ...]]:
    """The citations of an answer; None where they have another form."""
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        return None
    found = []
    for each in given:
        lines = each.get("lines")
        found.append(
            Citation(
                citation=str(each.get("citation") or ""),
                location=str(each.get("location") or ""),
                commit=str(each.get("commit") or ""),
                lines=tuple(lines) if isinstance(lines, list) else None,
                committed_at=str(each.get("committed_at") or ""),
                stale=each.get("stale") is True,
                web_url=str(each.get("web_url") or ""),
            )
        )
    return tuple(found)
