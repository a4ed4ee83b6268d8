"""Whether what was cited still stands."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from django.db.models import F, Q

from workspace.access import location_of
from workspace.actor import Actor
from workspace.errors import FieldError, Invalid
from workspace.markdown.lines import normalise
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
    texts, told = _Texts(), {}
    for index in sorted(range(len(matches)), key=lambda index: matches[index]["commit"]):
        cited_commit = matches[index]["commit"]
        told[index] = _standing(matches[index], [row for row in rows if row.pk.startswith(cited_commit)], texts)
    return tuple(told[index] for index in range(len(matches)))


def _standing(cited: "re.Match[str]", rows: list[Commit], texts: "_Texts") -> Standing:
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
        lines = texts.now(commit.blob_id, document.head.blob_id, lines)
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


class _Framed:
    """A text with a line break before and behind each line, so that whole lines are found as a string is."""

    def __init__(self, text: str) -> None:
        ended = normalise(text)
        self.text = f"\n{ended}" if not ended or ended.endswith("\n") else f"\n{ended}\n"
        self._starts = [found.start() for found in re.finditer("\n", self.text)]

    def start(self, line: int) -> int:
        """Where the line break before ``line`` is; the last one where there are fewer lines."""
        return self._starts[min(line, len(self._starts)) - 1]

    def line(self, start: int) -> int:
        return bisect_left(self._starts, start) + 1


class _Texts:
    """Texts of versions by the hash of each. The last pair is kept: citations of one version, one after the other,
    load and cut it once."""

    def __init__(self) -> None:
        self._pair: tuple[str, str] | None = None
        self._framed: tuple[_Framed, _Framed]

    def now(self, before: str, after: str, lines: Lines) -> Lines | None:
        """Where in ``after`` the ``lines`` of ``before`` stand as they were, nearest to where they stood; None where
        they do not."""
        if self._pair != (before, after):
            found = dict(Blob.objects.filter(pk__in=[before, after]).values_list("pk", "content"))
            self._pair, self._framed = (before, after), (_Framed(found[before]), _Framed(found[after]))
        return _nearest(*self._framed, lines)


def _nearest(old: _Framed, new: _Framed, lines: Lines) -> Lines | None:
    first, last = lines
    passage = old.text[old.start(first) : old.start(last + 1) + 1]
    spot = new.start(first)
    following = new.text.find(passage, spot)
    # Backwards by a forward search of the mirrored text: that takes time by the length, and rfind by the product.
    earlier = new.text[: spot + len(passage) - 1]
    mirrored = earlier[::-1].find(passage[::-1])
    preceding = len(earlier) - mirrored - len(passage) if mirrored >= 0 else -1
    places = [new.line(at) for at in (preceding, following) if at >= 0]
    if not places:
        return None
    at = min(places, key=lambda place: (abs(place - first), place))
    return at, at + last - first
