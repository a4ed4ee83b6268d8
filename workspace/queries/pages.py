"""Lists in pages. A cursor is signed and bound to the listing and to who asked, and holds the last row's place."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core import signing
from django.db.models import Model, Q, QuerySet

from workspace.actor import Actor
from workspace.errors import Invalid

DEFAULT = 50
MOST = 100
SALT = "workspace.cursor"


@dataclass(frozen=True, kw_only=True)
class Page[T]:
    """Up to ``limit`` items, and the cursor that gives the next ones (None at the end)."""

    items: tuple[T, ...]
    next_cursor: str | None = None


def check_limit(limit: object) -> int:
    """A page size of 1 to 100, 50 when None. Raises ``Invalid``."""
    if limit is None:
        return DEFAULT
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST:
        raise Invalid("limit", f"must be a whole number from 1 to {MOST}.")
    return limit


def encode(actor: Actor, listing: str, place: Sequence[Any]) -> str:
    """A cursor for the rows after ``place`` in ``listing``, of use to this actor alone."""
    values = [{"t": v.isoformat()} if isinstance(v, datetime) else v for v in place]
    return signing.dumps([actor.principal, listing, values], salt=SALT, compress=True)


def decode(actor: Actor, listing: str, cursor: object) -> list[Any]:
    """The place in a cursor. Raises ``Invalid`` for one that was changed, is another listing's or another's."""
    try:
        if not isinstance(cursor, str):
            raise signing.BadSignature
        principal, of, values = signing.loads(cursor, salt=SALT)
    except (signing.BadSignature, ValueError):
        principal = of = values = None
    if principal != actor.principal or of != listing:
        raise Invalid("cursor", "is not one that this listing gave you. Begin again without it.")
    return [datetime.fromisoformat(v["t"]) if isinstance(v, dict) else v for v in values]


def page[M: Model, T](
    actor: Actor,
    rows: QuerySet[M],
    shape: Callable[[M], T],
    *,
    listing: str,
    order: Sequence[str],
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[T]:
    """One page of ``rows`` by ``order`` (field names, ``-`` for descending; together unique), in one query.

    The listing's name must hold everything that chooses the rows, so that a cursor cannot be used on others.
    """
    limit = check_limit(limit)
    if cursor is not None:
        rows = rows.filter(after(actor, listing, order, cursor))
    return cut(actor, list(rows.order_by(*order)[: limit + 1]), shape, listing=listing, order=order, limit=limit)


def cut[R, T](
    actor: Actor,
    found: Sequence[R],
    shape: Callable[[R], T],
    *,
    listing: str,
    order: Sequence[str],
    limit: int | None = None,
) -> Page[T]:
    """One page of rows already ``found`` by ``order``, from behind the cursor to one more than ``limit``."""
    limit = check_limit(limit)
    following = None
    if len(found) > limit:
        last = found[limit - 1]
        following = encode(actor, listing, [_value(last, field.lstrip("-")) for field in order])
    return Page(items=tuple(shape(row) for row in found[:limit]), next_cursor=following)


def after(actor: Actor, listing: str, order: Sequence[str], cursor: object) -> Q:
    """The rows of a listing that come after a cursor. Raises ``Invalid``."""
    return _after(order, decode(actor, listing, cursor))


def _value(row: object, field: str) -> Any:
    value: Any = row
    for part in field.split("__"):
        value = getattr(value, part)
    return value


def _after(order: Sequence[str], place: Sequence[Any]) -> Q:
    """Rows behind ``place``: the first field is beyond, or equal and the second beyond, and so on."""
    condition = Q(pk__in=())
    equal = Q()
    for field, value in zip(order, place, strict=True):
        name = field.lstrip("-")
        beyond = "lt" if field.startswith("-") else "gt"
        condition |= equal & Q(**{f"{name}__{beyond}": value})
        equal &= Q(**{name: value})
    return condition
