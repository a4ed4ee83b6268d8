"""A session: context before each prompt, captures after, and what became of both."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
import uuid
import weakref
from collections import OrderedDict
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Callable, Optional, Type, TypeVar
from urllib.parse import quote, urlencode

from ._content import Lines, composed
from ._found import NOTHING, Brief, Captured, Context, Found, MemoryUnavailable, Report, cited
from ._hook import (
    DRAIN_S,
    MARGIN_S,
    PROMPT_CHARS,
    REPORT_S,
    WHAT_TO_DO,
    Access,
    Failed,
    ask,
    clean,
    operation,
    orientation,
    quoted,
)
from ._settings import Settings, unheld
from ._spool import Delivered, Drained, deliver, drain_for, keep, send, waiting
from ._waits import within

T = TypeVar("T")
log = logging.getLogger("baton")

REMEMBERED = 4_096
PROBLEMS = 20
COUNTED = ("asked", "found", "nothing", "failed", "attached", "withheld", "captured", "acknowledged", "refused", "lost")
NOTE_CHARS = 500
PYTHON = quoted(sys.executable or "python")
CONNECT = "%s -m baton connect" % PYTHON
TEST = "%s -m baton test" % PYTHON

_turns: ContextVar[dict[str, str]] = ContextVar("baton_turns")
"""The turn that each session is in, in this thread or task: others may be in another."""
_open: weakref.WeakSet[Session] = weakref.WeakSet()


class Session:
    """See ``baton.session``."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._key = uuid.uuid4().hex
        self._lock = threading.Lock()
        self._counts = dict.fromkeys(COUNTED, 0)
        self._problems: list[str] = []
        self._asked: OrderedDict[str, int] = OrderedDict()
        self._kept: OrderedDict[str, Captured] = OrderedDict()
        self._told: OrderedDict[str, str] = OrderedDict()
        self._underway: dict[str, threading.Event] = {}
        _open.add(self)
        if self._waiting():
            threading.Thread(target=self.drain, name="baton", daemon=True).start()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def close(self) -> None:
        """Tries once more to send what waits, inside the deadline. What is left is sent by a later start."""
        if self._waiting():
            limit = self._settings.deadline_s
            try:
                within(limit, lambda: self.drain(limit, again=False), "it took too long")
            except Exception as error:  # it is on disk, and what the block raised matters more
                self._problem("what waits is sent by a later start: %s" % error)

    # --- Before a prompt ---------------------------------------------------------------------------------------------

    def context(self, prompt: str, *, turn: Optional[str] = None) -> Context:
        """What others left that bears on ``prompt``, inside the deadline and the budget.

        Each call is a turn of its own unless ``turn`` names it; a program that is run again with the same ``session``
        and the same prompts has the same turns. Raises ``MemoryUnavailable`` where the policy is ``required``.
        """
        found = self.find(prompt, self.take_turn(prompt, turn))
        return Context(**vars(found), tell=self.tell)

    def take_turn(self, prompt: str, turn: Optional[str]) -> str:
        """Begins a turn of the calling thread or task, and returns its identity."""
        if not isinstance(prompt, str):
            raise TypeError("a prompt is a str, not %s" % type(prompt).__name__)
        if turn is None:
            digest = operation(prompt)[:32]
            with self._lock:
                times = self._asked.pop(digest, 0) + 1
                remember(self._asked, digest, times)
            turn = "%s %d" % (digest, times)
        others = [pair for pair in _turns.get({}).items() if pair[0] != self._key]
        _turns.set(dict([*others[-15:], (self._key, turn)]))  # a thread of a worker sees many sessions
        return turn

    def find(self, prompt: str, turn: str) -> Found:
        """The context for a prompt, of a turn that was taken."""
        self._count("asked")
        settings = self._settings
        end = time.monotonic() + settings.deadline_s
        try:
            found = self._in_time(lambda access: self._context(access, clean(prompt)[:PROMPT_CHARS], turn, end), end)
        except Failed as error:
            self._count("failed")
            return Found(why=error.why, detail=error.detail, note=self._failed(error, "prompt"))
        if not found:
            self._count("nothing")
            return found
        self._count("found")
        return found

    def _context(self, access: Access, prompt: str, turn: str, end: float) -> Found:
        settings = self._settings
        body: dict[str, Any] = {
            "prompt": prompt,
            "budget_chars": settings.budget,
            "deadline_ms": max(50, int((end - time.monotonic() - MARGIN_S) * 1_000)),
            "host": settings.host,
            "session": settings.session,
            "operation_id": operation(settings.host, settings.session, turn, "context"),
        }
        if settings.folder:
            body["location"] = settings.folder
        answer = ask(access, "POST", "/api/v1/context", body, end=end)
        receipt = str(answer.get("receipt") or "")
        text = answer.get("text")
        citations = cited(answer.get("citations", []))
        problem = ""
        if not isinstance(text, str) or citations is None:
            problem = "the answer has another form"
        elif len(text) > settings.budget:
            problem = "the context is longer than was asked for: %d characters of %d" % (len(text), settings.budget)
        if problem or citations is None or not isinstance(text, str):
            if receipt:  # beside the answer, which must not wait for it
                telling = (receipt, "withheld", problem)
                threading.Thread(target=self.tell, args=telling, name="baton", daemon=True).start()
            raise Failed("unavailable", problem)
        if text.strip():
            partial = answer.get("partial") is True
            return Found(text=clean(text), citations=citations, partial=partial, receipt=receipt)
        why = str(answer.get("why") or NOTHING)
        if why in WHAT_TO_DO:
            raise Failed(why, "the server says so")
        return Found(why=NOTHING, receipt=receipt, note="Baton: nothing to say about this prompt.")

    def brief(self, *, ack_through: str = "") -> Brief:
        """How things stand in the folder and near one's work. ``ack_through`` is the ``head`` of an earlier brief:
        what that one told is not told again. Raises as ``context``."""
        end = time.monotonic() + self._settings.deadline_s
        asked = {"location": self._settings.folder, "ack_through": ack_through}
        query = urlencode({name: value for name, value in asked.items() if value}, quote_via=quote)
        path = "/api/v1/brief" + ("?" + query if query else "")
        try:
            answer = self._in_time(lambda access: ask(access, "GET", path, end=end), end)
        except Failed as error:
            return Brief(why=error.why, detail=error.detail, note=self._failed(error, "session"))
        cursor = answer.get("cursor")
        head = str(cursor.get("head") or "") if isinstance(cursor, dict) else ""
        text, whole = orientation(answer, self._settings.folder or "no folder")
        if len(text) > self._settings.budget:  # half a fence would be worse than none
            text = "Baton: what is new near your work is longer than %d characters." % self._settings.budget
            whole = False
        return Brief(text=text, data=answer, head=head, whole=whole)

    def _in_time(self, work: Callable[[Access], T], end: float) -> T:
        """What ``work`` gives by ``end``. Raises ``Failed``, whatever happens."""
        settings = self._settings

        def run() -> T:
            if settings.problem:
                raise Failed("unavailable", settings.problem)
            return work(settings.access())

        try:
            return within(end - time.monotonic(), run, "%s did not answer in time" % settings.address)
        except Failed:
            raise
        except Exception as error:  # the policy decides what becomes of it, and not the program's own handling
            raise Failed("unavailable", "the adapter failed (%s: %s)" % (type(error).__name__, error)) from error

    def _failed(self, error: Failed, what: str) -> str:
        """The note for a failure, which is logged. Raises ``MemoryUnavailable`` where memory is required."""
        refusal = self._unavailable(error.why, error.detail)
        self._problem(str(refusal))
        if self._settings.required:
            raise refusal from None
        log.warning("%s", refusal)
        note = "Baton: memory was unavailable (%s) for this %s. Nothing of it is in the context. %s"
        return (note % (error.why, what, error.detail))[: min(self._settings.budget, NOTE_CHARS)]

    def _unavailable(self, why: str, detail: str) -> MemoryUnavailable:
        mend = WHAT_TO_DO.get(why, "See `{test}`.").format(connect=CONNECT, test=TEST)
        return MemoryUnavailable(why, detail, mend)

    # --- What became of it -------------------------------------------------------------------------------------------

    def tell(self, receipt: str, stage: str, reason: str) -> None:
        """Reports ``attached`` or ``withheld`` on a receipt, the first of them; kept for later where it cannot be
        told now."""
        with self._lock:
            if receipt in self._told:
                return
            remember(self._told, receipt, stage)
            self._counts[stage] += 1
        body = {"receipt": receipt, "stage": stage, **({"reason": clean(reason)[:500]} if reason else {})}
        settings = self._settings
        try:
            path = "/api/v1/receipts"
            done = within(REPORT_S, lambda: send(settings.access(), path, body, REPORT_S), "late")
            if done.state != "waiting":
                return
        except Exception as error:
            log.debug("what became of a context is told later: %s", error)
        try:
            keep(settings.address, settings.holder(), "/api/v1/receipts", body, operation(receipt, stage))
        except OSError as error:
            self._problem("what became of a context could not be told (%s)" % error)

    # --- Captures ----------------------------------------------------------------------------------------------------

    def capture(
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
        """Keeps what came of a turn in the session's folder, where everybody who may read that folder can read it:
        ``text`` as it is, after a section for each of the others. At most 16 KiB, what is longer is cut; what looks
        like a secret is taken out here, before it is written anywhere.

        It is on this machine's disk before it is sent, and this takes no longer than the deadline. The same content in
        the same turn is one capture, however often and in whatever process this is called. ``turn`` is that of the
        last ``context`` in this thread or task where it is left out.

        Raises ``ValueError`` where there is no folder or no content, and ``MemoryUnavailable`` where the policy is
        ``required`` and it was refused or lost.
        """
        settings = self._settings
        if not settings.folder:
            raise ValueError("a capture needs a folder: session(folder=…), or .baton.json")
        content = composed(text, (asked, decided, changed, open))
        if not content.strip():
            raise ValueError("a capture needs a text, or what was asked, decided, changed or left open")
        turn = _turns.get({}).get(self._key, "") if turn is None else turn
        name = operation(settings.host, settings.session, turn, settings.folder, content, "capture")
        if settings.problem:
            return self._captured(Captured("lost", name, why=settings.problem))
        if settings.capture == "off":
            return Captured("off", name, why="%s says that nothing is captured" % settings.binding.file)
        body: dict[str, Any] = {"folder": settings.folder, "content": content, "host": settings.host}
        body.update(session=settings.session, event=event, operation_id=name)
        if settings.capture == "ask":
            body["propose"] = True
        with self._lock:
            before, underway = self._kept.get(name), self._underway.get(name)
            if before is not None and before.state in ("acknowledged", "refused"):
                return before
            done = self._underway.setdefault(name, threading.Event())
        if underway is not None:  # the same is being sent by another thread or task: what comes of that is the answer
            underway.wait(settings.deadline_s)
            with self._lock:
                found = self._kept.get(name)
            return self._captured(found or Captured("waiting", name, why="the same is being sent"))
        try:
            return self._captured(self._sent(body, name))
        finally:
            with self._lock:
                self._underway.pop(name, None)
            done.set()

    def _sent(self, body: dict[str, Any], name: str) -> Captured:
        settings, path = self._settings, "/api/v1/captures"
        place = problem = ""
        try:
            place = keep(settings.address, settings.holder(), path, body, name)
        except OSError as error:
            problem = "it cannot be kept here (%s)" % error
        left = settings.deadline_s

        def run() -> Delivered:
            access = settings.access()
            return deliver(place, access, left) if place else send(access, path, body, left)

        try:
            done = within(left, run, "%s did not answer in time" % settings.address)
        except Exception as error:  # it is on disk: whatever kept it from being sent may be over the next time
            done = Delivered("waiting", why=str(error))
        if done.state == "waiting" and not place:
            return Captured("lost", name, why="%s, and %s" % (done.why, problem))
        return Captured(done.state, name, id=done.id, why=done.why)

    def _captured(self, made: Captured) -> Captured:
        with self._lock:
            before = self._kept.get(made.operation_id)
            self._counts["captured"] += before is None
            if made.state != "waiting" and (before is None or before.state != made.state):
                self._counts[made.state] += 1
            remember(self._kept, made.operation_id, made)
        if made.state != "acknowledged":
            self._problem("a capture is %s: %s" % (made.state, made.why))
        if made.state in ("refused", "lost"):
            if self._settings.required:
                raise self._unavailable(made.state, made.why)
            log.warning("Baton: a capture was %s: %s", made.state, made.why)
        return made

    def drain(self, limit_s: float = DRAIN_S, *, again: bool = True) -> Drained:
        """Sends what waits under this credential, ``again`` with longer and longer pauses, for at most ``limit_s``."""
        settings = self._settings
        done = drain_for(settings.access, settings.address, limit_s=limit_s, again=again)
        if done.problem:
            self._problem(done.problem)
        return done

    def _waiting(self) -> list[str]:
        return waiting((self._settings.holder(), unheld(self._settings.address)))

    @property
    def report(self) -> Report:
        """What was done so far."""
        settings = self._settings
        mine, all_of_them = len(self._waiting()), len(waiting(None))
        with self._lock:
            counts, problems = dict(self._counts), tuple(self._problems)
        return Report(
            host=settings.host,
            session=settings.session,
            folder=settings.folder,
            address=settings.address,
            policy="required" if settings.required else "optional",
            waiting=mine,
            set_aside=all_of_them - mine,
            problems=problems,
            **counts,
        )

    def _count(self, what: str) -> None:
        with self._lock:
            self._counts[what] += 1

    def _problem(self, text: str) -> None:
        with self._lock:
            self._problems = [*self._problems, text][-PROBLEMS:]


def remember(kept: OrderedDict[str, T], name: str, value: T) -> None:
    kept[name] = value
    if len(kept) > REMEMBERED:
        kept.popitem(last=False)


def _after_fork() -> None:
    # A thread of the parent may have held it, and is not here to let go of it.
    for session in list(_open):
        session._lock = threading.Lock()
        session._underway = {}


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
