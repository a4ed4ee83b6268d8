"""Refusals: what a service or a query raises when it will not do what was asked.

A refusal carries a stable ``code``, one sentence for the reader and structured data; it knows no HTTP, no MCP
and no page. Each adapter holds one complete table from these classes to its own form. A conflict is not a
refusal: its row must be committed, so it is returned as a value (``workspace.services.outcomes.Conflict``).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self


@dataclass(frozen=True, kw_only=True)
class Target:
    """What a refusal kept somebody from: ids of a folder, and of a document in it."""

    folder: int | None = None
    document: str | None = None


class Refusal(Exception):
    """Base of every refusal. ``detail`` says what happened and what to do next.

    ``target`` is for the audit log alone. No surface prints it: it tells what is hidden from what is absent.
    """

    code: ClassVar[str]
    target: Target | None = None

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail

    def at(self, *, folder: int | None, document: str | None = None) -> Self:
        """The same refusal, with the place that it is about."""
        self.target = Target(folder=folder, document=document)
        return self

    @property
    def data(self) -> dict[str, Any]:
        """Fields of this refusal beside ``code`` and ``detail``, JSON-ready."""
        return {}


class Unauthenticated(Refusal):
    """No credential, or one that is unknown, revoked, expired or of a deactivated person."""

    code = "UNAUTHENTICATED"

    def __init__(self, detail: str = "Sign in, or send a valid token.") -> None:
        super().__init__(detail)


class Forbidden(Refusal):
    """The actor sees the thing and may not do this to it. ``need`` names the role that may."""

    code = "FORBIDDEN"

    def __init__(self, detail: str, *, need: str = "") -> None:
        super().__init__(detail)
        self.need = need

    @property
    def data(self) -> dict[str, Any]:
        return {"need": self.need} if self.need else {}


class NotFound(Refusal):
    """Absent, or hidden from this actor: the sentence is one and the same, and echoes nothing."""

    code = "NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("There is nothing here that you can see. Check the location, or list the folder first.")


class AlreadyExists(Refusal):
    """The name is taken, by itself or by a twin that differs only in case or normalisation."""

    code = "ALREADY_EXISTS"

    def __init__(self, detail: str, *, location: str) -> None:
        super().__init__(detail)
        self.location = location

    @property
    def data(self) -> dict[str, Any]:
        return {"location": self.location}


class IdempotencyMismatch(Refusal):
    """The key was used before by this principal for this operation with another payload."""

    code = "IDEMPOTENCY_MISMATCH"

    def __init__(self, field: str = "idempotency_key") -> None:
        super().__init__(f"This {field} was already used with other content. Use a new one for a new request.")
        self.field = field


class AccessChange(Refusal):
    """The change would alter who can read or share, and was not acknowledged. ``gains`` and ``loses`` name them.

    ``opens_sharing``: editors could share it afterwards, and cannot now. Where a change of grants was confirmed that
    is no longer what it was, ``preview`` is what it would do now (JSON-ready) and ``confirm_token`` confirms that.
    """

    code = "ACCESS_CHANGE"

    def __init__(
        self,
        *,
        gains: tuple[str, ...],
        loses: tuple[str, ...],
        opens_sharing: bool = False,
        preview: Mapping[str, Any] | None = None,
        confirm_token: str = "",
    ) -> None:
        super().__init__(
            "This changes who can read it. Look at gains and loses, then repeat with "
            + ("confirm_token." if confirm_token else "acknowledge_access_change.")
        )
        self.gains = gains
        self.loses = loses
        self.opens_sharing = opens_sharing
        self.preview = preview
        self.confirm_token = confirm_token

    @property
    def data(self) -> dict[str, Any]:
        told: dict[str, Any] = {"gains": list(self.gains), "loses": list(self.loses)}
        if self.opens_sharing:
            told["opens_sharing"] = True
        if self.confirm_token:
            told |= {"preview": dict(self.preview or {}), "confirm_token": self.confirm_token}
        return told


class Gone(Refusal):
    """The document was deleted; it can be undeleted by an editor."""

    code = "GONE"

    def __init__(self, detail: str = "This document was deleted. An editor can undelete it.") -> None:
        super().__init__(detail)


class PreconditionRequired(Refusal):
    """A guard that this call must carry is missing. ``field`` names it."""

    code = "PRECONDITION_REQUIRED"

    def __init__(self, detail: str, *, field: str) -> None:
        super().__init__(detail)
        self.field = field

    @property
    def data(self) -> dict[str, Any]:
        return {"errors": [{"field": self.field, "message": self.detail}]}


@dataclass(frozen=True, kw_only=True)
class FieldError:
    """One thing that is wrong with one input field, and the mend."""

    field: str
    message: str


class Invalid(Refusal):
    """The input is not of the form that the call takes. ``errors`` names each field and its mend."""

    code = "INVALID"

    def __init__(self, field: str = "", message: str = "", *, errors: Iterable[FieldError] = ()) -> None:
        self.errors = tuple(errors) or (FieldError(field=field, message=message),)
        super().__init__("; ".join(f"{e.field}: {e.message}" for e in self.errors))

    @property
    def data(self) -> dict[str, Any]:
        return {"errors": [{"field": e.field, "message": e.message} for e in self.errors]}


class TooLarge(Refusal):
    """The content is over a limit. ``limit`` and ``size`` are in bytes."""

    code = "TOO_LARGE"

    def __init__(self, *, field: str, limit: int, size: int | None = None) -> None:
        super().__init__(f"{field} is over the limit of {limit:,} bytes. Split it into several.")
        self.field = field
        self.limit = limit
        self.size = size

    @property
    def data(self) -> dict[str, Any]:
        return {"errors": [{"field": self.field, "message": self.detail}], "limit": self.limit}


class RateLimited(Refusal):
    """Too many calls. ``retry_after`` is in seconds; ``happened`` and ``mend`` are empty where that is all."""

    code = "RATE_LIMITED"

    def __init__(self, *, retry_after: int, happened: str = "", mend: str = "") -> None:
        said = (happened or "too many requests", mend or f"try again in {retry_after} s")
        super().__init__(" ".join(f"{part[0].upper()}{part[1:]}." for part in said))
        self.happened, self.mend = happened, mend
        self.retry_after = retry_after

    @property
    def data(self) -> dict[str, Any]:
        return {"retry_after": self.retry_after}


class Unavailable(Refusal):
    """A part that this call needs does not answer now. ``retry_after`` is in seconds."""

    code = "UNAVAILABLE"

    def __init__(
        self, detail: str = "A part of the service does not answer. Try again.", *, retry_after: int = 2
    ) -> None:
        super().__init__(detail)
        self.retry_after = retry_after

    @property
    def data(self) -> dict[str, Any]:
        return {"retry_after": self.retry_after}


REFUSALS: tuple[type[Refusal], ...] = (
    Unauthenticated,
    Forbidden,
    NotFound,
    AlreadyExists,
    IdempotencyMismatch,
    AccessChange,
    Gone,
    PreconditionRequired,
    Invalid,
    TooLarge,
    RateLimited,
    Unavailable,
)
"""Every refusal, for the completeness tests of the adapters' tables."""
