"""A session whose methods are awaited. Each runs in a thread of its own, bounded by the same deadline."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import TracebackType
from typing import Optional, Type

from ._content import Lines
from ._found import Brief, Captured, Found, Report, Tell, broken_off
from ._hook import DRAIN_S
from ._session import Session
from ._settings import Settings
from ._spool import Drained
from ._waits import apart


@dataclass(frozen=True)
class AsyncContext(Found):
    """As ``Context``, with its methods awaited.

    async with await s.context(prompt) as found:
        answer = await model(f"{found}\\n\\n{prompt}")
    """

    tell: Optional[Tell] = field(default=None, repr=False, compare=False)

    async def attached(self) -> None:
        """Says that the model was given ``str`` of this. Takes at most half a second."""
        await self._say("attached", "")

    async def withheld(self, reason: str) -> None:
        """Says that the model was not given it, and why."""
        await self._say("withheld", reason)

    async def _say(self, stage: str, reason: str) -> None:
        tell = self.tell
        if tell is not None and self.receipt:
            await apart(lambda: tell(self.receipt, stage, reason))

    async def __aenter__(self) -> AsyncContext:
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if kind is None:
            await self.attached()
        else:
            await self.withheld(broken_off(kind))


class AsyncSession:
    """See ``baton.asession``. Opened by ``async with``."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._opened: Optional[Session] = None

    async def __aenter__(self) -> AsyncSession:
        self._opened = await apart(lambda: Session(self._settings))
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """As ``Session.close``."""
        await apart(self._session.close)

    @property
    def _session(self) -> Session:
        if self._opened is None:
            raise RuntimeError("an asession is opened by `async with`")
        return self._opened

    async def context(self, prompt: str, *, turn: Optional[str] = None) -> AsyncContext:
        """As ``Session.context``."""
        session = self._session
        taken = session.take_turn(prompt, turn)
        found = await apart(lambda: session.find(prompt, taken))
        return AsyncContext(**vars(found), tell=session.tell)

    async def brief(self, *, ack_through: str = "") -> Brief:
        """As ``Session.brief``."""
        session = self._session
        return await apart(lambda: session.brief(ack_through=ack_through))

    async def capture(
        self,
        text: str = "",
        *,
        asked: Lines = (),
        decided: Lines = (),
        changed: Lines = (),
        open: Lines = (),
        turn: Optional[str] = None,
        event: str = "turn-end",
    ) -> Captured:
        """As ``Session.capture``."""
        session = self._session
        return await apart(
            lambda: session.capture(
                text, asked=asked, decided=decided, changed=changed, open=open, turn=turn, event=event
            )
        )

    async def drain(self, limit_s: float = DRAIN_S) -> Drained:
        """As ``Session.drain``."""
        session = self._session
        return await apart(lambda: session.drain(limit_s))

    @property
    def report(self) -> Report:
        """What was done so far."""
        return self._session.report
