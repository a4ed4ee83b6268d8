"""Whether what was cited still stands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from django.db.models import F, Q

from workspace.access import location_of
from workspace.actor import Actor
from workspace.errors import FieldError, Invalid
from workspace.markdown.lines import bare, split
from workspace.models import Blob, Commit, Reach
from workspace.queries.citations import Lines, citation

MOST: Final = 50
STATES: Final = ("unchanged", "changed", "moved", "deleted", "not found")
_CITATION = re.compile(
    r"(?P<location>.+)@(?P<commit>[0-9a-f]{7,64})(?:#L(?P<first>\d{1,9})(?:-L(?P<last>\d{1,9}))?)?\Z", re.S
)

State = Literal["unchanged", "changed", "moved", "deleted", "not found"]


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What became of one citation.

    ``unchanged``: it is the head, or its lines still stand in it word for word; ``now`` then cites them there.
    ``changed``: they do not, or of a citation without lines, the text is another. ``moved``: unchanged, in another
    place. Of what is deleted only the state is told, and what the actor cannot see is ``not found``,
    like lines that never were.
    """

    citation: str
    state: State
    location: str = ""
    head_commit: str = ""
    now: str = ""


def revalidate(actor: Actor, *, citations: Sequence[str]) -> tuple[Standing, ...]:
    """What became of each of up to ``MOST`` citations (``location@commit#L3-L9``), in order. Raises ``Invalid``."""
    if not isinstance(citations, list | tuple) or not 1 <= len(citations) <= MOST:
        raise Invalid("citations", f"must be a list of 1 to {MOST} citations.")
    parsed = [_CITATION.match(one) if isinstance(one, str) else None for one in citations]
    wrong = [
        FieldError(field=f"citations[{index}]", message="must be location@commit, perhaps with #L3-L9 behind it.")
        for index, found in enumerate(parsed)
        if found is None
    ]
    if wrong:
        raise Invalid(errors=wrong)
    matches = [found for found in parsed if found is not None]
    named = Q(pk__in=())
    for prefix in {found["commit"] for found in matches}:
        named |= Q(pk__startswith=prefix)
    rows = list(
        Commit.objects.filter(named, Reach(actor).documents("document__folder__lineage", "document"))
        .select_related("document__folder", "document__head")
        .annotate(counted=F("blob__lines"))
        .order_by("pk")
    )
    return tuple(_standing(found, [row for row in rows if row.pk.startswith(found["commit"])]) for found in matches)


def _standing(cited: "re.Match[str]", rows: list[Commit]) -> Standing:
    given = cited[0]
    if len(rows) != 1:
        return Standing(citation=given, state="not found")
    (commit,) = rows
    document = commit.document
    location = location_of(document)
    lines = _lines(cited)
    there = lines is None or 1 <= lines[0] <= lines[1] <= commit.counted  # type: ignore[attr-defined]
    if cited["location"] not in (commit.location, location) or not there:
        return Standing(citation=given, state="not found")
    if document.deleted_at is not None:
        return Standing(citation=given, state="deleted")
    same = commit.blob_id == document.head.blob_id
    if not same and lines is not None:
        lines = _now(commit.blob_id, document.head.blob_id, lines)
        same = lines is not None
    told: dict[str, Any] = {"citation": given, "location": location, "head_commit": document.head_id}
    if not same:
        return Standing(state="changed", **told)
    moved = location != cited["location"]
    return Standing(state="moved" if moved else "unchanged", now=citation(location, document.head_id, lines), **told)


def _lines(cited: "re.Match[str]") -> Lines | None:
    if cited["first"] is None:
        return None
    first = int(cited["first"])
    return first, int(cited["last"] or first)


def _now(before: str, after: str, lines: Lines) -> Lines | None:
    """Where in ``after`` the ``lines`` of ``before`` stand as they were, nearest to where they stood; None where
    they do not."""
    texts = dict(Blob.objects.filter(pk__in=[before, after]).values_list("pk", "content"))
    old, new = ([bare(line) for line in split(texts[key])] for key in (before, after))
    first, last = lines
    passage = old[first - 1 : last]
    size = len(passage)
    places = [at for at in range(len(new) - size + 1) if new[at] == passage[0] and new[at : at + size] == passage]
    if not places:
        return None
    at = min(places, key=lambda place: (abs(place - first + 1), place))
    return at + 1, at + size
