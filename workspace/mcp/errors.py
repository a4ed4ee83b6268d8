"""Every refusal in the form that MCP gives it: ``CODE: what happened; what to do next``, as a tool result.

The model reads the text; a program reads the structured content, which holds the same code and fields as the REST
problem. Neither shows paths, SQL or traces.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

from workspace import errors

INTERNAL = "INTERNAL"


class FieldProblem(TypedDict):
    field: str
    message: str


class RefusalShape(TypedDict):
    """Structured content of every refusal; some codes add fields of their own."""

    code: str
    detail: str
    next: NotRequired[str]
    errors: NotRequired[list[FieldProblem]]


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A refusal as MCP shows it. ``happened`` and ``advice`` are clauses without a final stop."""

    code: str
    happened: str
    advice: str
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return f"{self.code}: {self.happened}; {self.advice}."

    @property
    def structured(self) -> dict[str, Any]:
        return {"code": self.code, "detail": f"{self.happened}.", "next": f"{self.advice}.", **self.data}


type Wording = tuple[str, str]


def _clause(sentence: str) -> str:
    return sentence.strip().rstrip(".")


def _people(names: tuple[str, ...]) -> str:
    if not names:
        return "nobody"
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")


def _unauthenticated(refusal: errors.Unauthenticated) -> Wording:
    return "the token is not valid, or not any more", "connect again with a valid token"


def _forbidden(refusal: errors.Forbidden) -> Wording:
    if refusal.need:
        return _clause(refusal.detail), (
            f"ask for the role {refusal.need} with access_grant action request, or work where you have it "
            "(identity with action tree shows your roles)"
        )
    return _clause(refusal.detail), "call identity with action self to see what you may do"


def _not_found(refusal: errors.NotFound) -> Wording:
    return (
        "there is nothing here that you can see",
        "check the location, or call browse with action folders to see what you can reach; if your person should have "
        "access, ask for it with access_grant action request, or have them ask",
    )


def _already_exists(refusal: errors.AlreadyExists) -> Wording:
    happened = refusal.detail.removesuffix(" Choose another name, or edit what is there.")
    return f"{_clause(happened)}, and nothing was overwritten", (
        "read what is there and change it with doc_update, or choose another name"
    )


def _idempotency_mismatch(refusal: errors.IdempotencyMismatch) -> Wording:
    return (
        f"this {refusal.field} was already used with other content",
        "use a new one for a new request, or repeat the first request unchanged",
    )


def _access_change(refusal: errors.AccessChange) -> Wording:
    return (
        f"this changes who can read it: {_people(refusal.gains)} would gain access, "
        f"{_people(refusal.loses)} would lose it",
        "if that is wanted, repeat the call with acknowledge_access_change true",
    )


def _gone(refusal: errors.Gone) -> Wording:
    return (
        "this document was deleted",
        "find a commit of it with history action log and read it with at, "
        "or bring it back with doc_update action restore",
    )


def _precondition_required(refusal: errors.PreconditionRequired) -> Wording:
    return _clause(refusal.detail), f"read the document and repeat the call with {refusal.field}"


def _invalid(refusal: errors.Invalid) -> Wording:
    problems = [f"{e.field}: {_clause(e.message)}" if e.field else _clause(e.message) for e in refusal.errors]
    return " | ".join(problems), "nothing was changed; correct it and call again"


def _too_large(refusal: errors.TooLarge) -> Wording:
    return f"{refusal.field} is over the limit of {refusal.limit:,} bytes", "split it into several"


def _rate_limited(refusal: errors.RateLimited) -> Wording:
    return (
        refusal.happened or "there were too many requests",
        refusal.mend or f"wait {refusal.retry_after} s and repeat the same call",
    )


def _unavailable(refusal: errors.Unavailable) -> Wording:
    return (
        "a part of the service does not answer now",
        f"repeat the same call, with the same idempotency_key if it had one, in {refusal.retry_after} s",
    )


WORDINGS: Mapping[type[errors.Refusal], Callable[[Any], Wording]] = {
    errors.Unauthenticated: _unauthenticated,
    errors.Forbidden: _forbidden,
    errors.NotFound: _not_found,
    errors.AlreadyExists: _already_exists,
    errors.IdempotencyMismatch: _idempotency_mismatch,
    errors.AccessChange: _access_change,
    errors.Gone: _gone,
    errors.PreconditionRequired: _precondition_required,
    errors.Invalid: _invalid,
    errors.TooLarge: _too_large,
    errors.RateLimited: _rate_limited,
    errors.Unavailable: _unavailable,
}


def refused(refusal: errors.Refusal) -> Refused:
    """The MCP form of ``refusal``."""
    happened, advice = WORDINGS[type(refusal)](refusal)
    return Refused(code=refusal.code, happened=happened, advice=advice, data=refusal.data)


def internal() -> Refused:
    """What is told of a fault in the product itself: nothing of its inside."""
    return Refused(
        code=INTERNAL,
        happened="something went wrong inside Baton",
        advice="repeat the call once; if it fails again, tell the administrator the time of this call",
    )
