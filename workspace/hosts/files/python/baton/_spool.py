"""What has to reach the server, kept on disk until it has.

An entry belongs to the credential that it was made under: another one would put it under another name, and as a
second capture. What was made before there was any is sent by the first that comes.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from typing import Any, Callable, Optional

from ._hook import (
    ATTEMPT_S,
    BACKOFF_S,
    DRAIN_S,
    REFUSED,
    Access,
    Failed,
    Lock,
    Unanswered,
    private_folder,
    read_object,
    remove,
    request,
    set_aside,
    state_folders,
    write_whole,
)
from ._settings import holder, resolved, unheld


@dataclass(frozen=True)
class Delivered:
    """``state`` is ``acknowledged``, ``waiting`` or ``refused``. ``id`` is that of the capture, where it was told."""

    state: str
    id: str = ""
    why: str = ""


@dataclass(frozen=True)
class Drained:
    """How many were ``acknowledged``, ``refused`` and set aside, and still ``waiting``; and the last problem."""

    acknowledged: int
    refused: int
    waiting: int
    problem: str


def folders() -> list[str]:
    return [os.path.join(folder, "python") for folder in state_folders()]


def keep(address: str, owner: str, path: str, body: dict[str, Any], name: str) -> str:
    """Keeps a request on disk; one of this name that is there already stays. Returns its path, on disk when this
    returns. Raises ``OSError`` where no place takes it."""
    entry = {"address": address, "path": path, "body": body, "at": time.time()}
    problem = OSError("there is no place to keep it")
    for folder in folders():
        try:
            private_folder(os.path.dirname(folder))
            place = os.path.join(private_folder(folder), "%s-%s.json" % (owner, name))
            write_whole(place, entry, only_new=True)
            return place
        except OSError as error:
            problem = error
    raise problem


def listed(folder: str) -> list[str]:
    """The paths of what waits in a folder, oldest first."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    found = []
    for name in names:
        if name.endswith(".json"):
            path = os.path.join(folder, name)
            with contextlib.suppress(OSError):  # it went meanwhile
                found.append((os.path.getmtime(path), path))
    return [path for _, path in sorted(found)]


def waiting(owners: Optional[tuple[str, ...]]) -> list[str]:
    """What waits under these credentials, or under any."""
    return [path for folder in folders() for path in listed(folder) if owners is None or owned(path, owners)]


def owned(path: str, owners: tuple[str, ...]) -> bool:
    return os.path.basename(path).partition("-")[0] in owners


def send(access: Access, path: str, body: dict[str, Any], left: float) -> Delivered:
    """Sends a request once. Whatever did not come to an answer has an unknown outcome, and so is ``waiting``."""
    end = time.monotonic() + left
    try:
        token = access.token(left)
        status, found, _ = request(access.address, "POST", path, token=token, body=body, left=least(end))
        if status == 401 and access.held.get("refresh_token"):
            token = access.renewed(least(end))
            status, found, _ = request(access.address, "POST", path, token=token, body=body, left=least(end))
    except Failed as error:
        return Delivered("waiting", why=error.detail)
    except (Unanswered, OSError) as error:
        return Delivered("waiting", why=str(error))
    if status in (200, 201, 204):
        return Delivered("acknowledged", id=str(found.get("id") or ""))
    if found.get("code") == "IDEMPOTENCY_MISMATCH":
        return Delivered("acknowledged")  # what is refused is the repetition: this identity is kept already
    why = str(found.get("detail") or "%s answered %d" % (access.address.text, status))[:300]
    return Delivered("refused" if status in REFUSED else "waiting", why=why)


def least(end: float) -> float:
    return max(0.05, end - time.monotonic())


def deliver(place: str, access: Access, left: float) -> Delivered:
    """Sends one entry; it is removed once it is acknowledged, and set aside where it is refused for good."""
    try:
        entry = read_object(place)
        if entry is None:
            if os.path.exists(place):
                return Delivered("waiting", why="%s cannot be read" % place)
            return Delivered("acknowledged")  # somebody else has sent it
        address, path, body = str(entry["address"]), str(entry["path"]), dict(entry["body"])
    except (ValueError, KeyError, TypeError) as error:
        set_aside(place, "")
        return Delivered("refused", why="it cannot be read: %s" % error)
    if address != access.address.text:
        return Delivered("waiting", why="it is for %s" % address)
    done = send(access, path, body, left)
    if done.state == "acknowledged":
        remove(place)
    elif done.state == "refused":
        set_aside(place, "")
    return done


def drain_for(
    access_now: Callable[[], Access], address: str, *, limit_s: float, adopt: bool = False, again: bool = True
) -> Drained:
    """Sends what waits under a credential, ``again`` with longer and longer pauses, for at most ``limit_s``. One
    does at a time; what is not to be tried again waits for that one."""
    end = time.monotonic() + limit_s
    acknowledged = refused = 0
    owners: Optional[tuple[str, ...]] = (unheld(address),)
    problem = ""
    for pause in (*BACKOFF_S, None):
        failed = False
        try:
            access = access_now()
            owners = None if adopt else (holder(access), unheld(address))
        except Failed as error:
            problem, failed = error.detail, True
        else:
            for folder in folders():
                if not any(owners is None or owned(path, owners) for path in listed(folder)):
                    continue
                try:
                    wait_s = 0.0 if again else max(0.0, end - time.monotonic())
                    lock = Lock(os.path.join(folder, ".lock"), wait_s=wait_s)
                except OSError as error:
                    problem = str(error)
                    continue
                with lock:
                    if not lock.held:
                        problem, failed = "another process is sending", True
                        continue
                    for path in listed(folder):
                        if owners is not None and not owned(path, owners):
                            continue
                        left = end - time.monotonic()
                        done = Delivered("waiting", why="out of time")
                        if left > 0.05:
                            done = deliver(path, access, min(ATTEMPT_S, left))
                        acknowledged += done.state == "acknowledged"
                        refused += done.state == "refused"
                        failed = failed or done.state == "waiting"
                        problem = done.why or problem
        if not failed or not again or pause is None or time.monotonic() + pause > end:
            break
        # Spread, so that many machines do not come back in one moment.
        time.sleep(pause * (0.75 + (os.getpid() % 100) / 200))
    return Drained(acknowledged, refused, len(waiting(owners)), problem)


def drain(
    *, address: Optional[str] = None, token: Optional[str] = None, limit_s: float = DRAIN_S, adopt: bool = False
) -> Drained:
    """Sends what earlier sessions could not, until it is taken or ``limit_s`` seconds are over.

    With ``adopt``, what waits under other credentials for this address is sent too, as this one's: for after a token
    was replaced. Raises ``ValueError`` for an address that is none.
    """
    settings = resolved(address=address, token=token)
    return drain_for(settings.access, settings.address, limit_s=limit_s, adopt=adopt)
