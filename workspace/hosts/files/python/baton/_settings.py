"""What a session is opened with: the arguments, the project's binding, and what is kept of this machine."""

from __future__ import annotations

import os
import uuid
from dataclasses import dataclass
from typing import Literal, Optional

from ._hook import (
    BUDGET_LEAST,
    BUDGET_MOST,
    DEADLINE_LEAST,
    DEADLINE_MOST,
    Access,
    Address,
    Binding,
    Failed,
    operation,
    own_address,
)

Policy = Literal["optional", "required"]
POLICIES = ("optional", "required")
HOST_CHARS = 64
SESSION_CHARS = 200


@dataclass(frozen=True)
class Settings:
    """``capture`` is ``off``, ``ask`` or ``on``. ``problem`` is what is wrong with the project's file; then nothing is
    sent. ``own`` and ``given`` are the address and token of the arguments, or empty."""

    binding: Binding
    folder: str
    host: str
    session: str
    required: bool
    deadline_s: float
    budget: int
    capture: str
    problem: str
    own: str
    given: str

    @property
    def address(self) -> str:
        """The instance's address in its one form; as it was given where it is none."""
        wanted = self.binding.address or self.own or own_address()
        try:
            return Address(wanted).text
        except ValueError:
            return wanted

    def access(self) -> Access:
        """The address and a token for it, read anew, since another process may have renewed it. Raises ``Failed``."""
        return Access(self.binding.address, self.binding.file, own=self.own, given=self.given)

    def holder(self) -> str:
        """Whose captures these are: the same for the same credential, and ``unheld`` where there is none."""
        try:
            access = self.access()
        except Failed:
            return unheld(self.address)
        return holder(access)


def holder(access: Access) -> str:
    """A name for a credential that does not tell it; the same after it was renewed."""
    if access.held.get("refresh_token"):
        return operation(access.address.text, "client", str(access.held.get("client_id")))[:16]
    return operation(access.address.text, "token", access.token(0.0))[:16]


def unheld(address: str) -> str:
    return operation(address, "nobody")[:16]


def resolved(
    *,
    folder: Optional[str] = None,
    host: str = "python",
    session: Optional[str] = None,
    address: Optional[str] = None,
    token: Optional[str] = None,
    policy: Optional[str] = None,
    deadline_ms: Optional[int] = None,
    budget_chars: Optional[int] = None,
    project: Optional[str] = None,
) -> Settings:
    """The settings of a session, arguments before the project's file. Raises ``ValueError``."""
    if policy is not None and policy not in POLICIES:
        raise ValueError("policy is optional or required, not %r" % (policy,))
    binding = Binding(project or working_folder())
    own = Address(address).text if address else ""
    if own and not binding.file and own != instance():
        binding = Binding(os.path.abspath(os.sep))  # what another instance says of this repository
    if own:
        binding.address = ""
    within = bounded("deadline_ms", deadline_ms, DEADLINE_LEAST, DEADLINE_MOST)
    budget = bounded("budget_chars", budget_chars, BUDGET_LEAST, BUDGET_MOST)
    return Settings(
        binding=binding,
        folder=(folder or binding.folder).strip().strip("/"),
        host=word("host", host, HOST_CHARS),
        session=word("session", uuid.uuid4().hex if session is None else session, SESSION_CHARS),
        required=policy == "required" or binding.required,
        deadline_s=binding.deadline_s if within is None else within / 1_000,
        budget=binding.budget if budget is None else budget,
        capture=binding.capture,
        problem=binding.problem,
        own=own,
        given=(token or "").strip(),
    )


def instance() -> str:
    """The address that this package belongs to; empty where it is none."""
    try:
        return Address(own_address()).text
    except ValueError:
        return ""


def working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return os.path.abspath(os.sep)


def bounded(name: str, value: Optional[int], least: int, most: int) -> Optional[int]:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError("%s is a whole number from %d to %d, not %r" % (name, least, most, value))
    return value


def word(name: str, value: str, most: int) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > most or not value.isprintable():
        raise ValueError("%s is 1 to %d printable characters, not %r" % (name, most, str(value)[:100]))
    return value.strip()
