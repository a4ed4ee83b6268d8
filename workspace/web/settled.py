"""The places of a conflict as the page shows them, and the choices of its form."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from workspace.merge import Choice, Decision, Hunk, Merge, Rule, places, resolve
from workspace.merge.hunks import LineRange
from workspace.queries.conflicts import ConflictView
from workspace.queries.history import CommitRow
from workspace.queries.settling import Table, writer
from workspace.services.choices import NAMED_MOST, left_out
from workspace.web.rules import RULES
from workspace.web.wording import against

KINDS = {
    "modify/modify": "both changed the same words",
    "insert/insert": "both added text at the same place",
    "delete/modify": "one removed what the other changed",
}
TEXT = "text"
UNDECIDED = "theirs"
"""How a place without a choice reads meanwhile: the document stands."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """One thing that can be chosen for a place, with the text that it gives and the key that takes it."""

    name: str
    label: str
    key: str
    text: str
    chosen: bool


@dataclass(frozen=True, kw_only=True)
class Place:
    """One hunk as the page shows it, with the choice that has been made for it."""

    path: tuple[str, ...]
    words: str
    lines: str
    base: str
    mine: str
    theirs: str
    mine_html: SafeString
    theirs_html: SafeString
    suggestion_html: SafeString | None
    wrote: CommitRow | None
    """The commit that brought what the document says here."""
    sides: tuple[Option, Option]
    suggested: Option | None
    others: tuple[Option, ...]
    choice: str
    own: str


@dataclass(frozen=True, kw_only=True)
class Drops:
    """Lines that typed words would leave out, ``more`` of them unnamed. A tick with this ``mark`` is for these lines,
    and for no others that are typed away after it was shown."""

    lines: tuple[str, ...]
    more: int
    mark: str


@dataclass(frozen=True, kw_only=True)
class Settled:
    """One rule by which the merge settled something, in words."""

    words: str
    times: int
    lines: str


def place(hunk: Hunk, choice: Choice | None, table: Table | None) -> Place:
    """A hunk for the template."""
    name, own = _named(choice)

    def option(value: str, label: str, key: str, text: str) -> Option:
        return Option(name=value, label=label, key=key, text=text, chosen=name == value)

    suggestion = hunk.suggestion
    return Place(
        path=hunk.path or ((hunk.heading,) if hunk.heading else ()),
        words=KINDS[hunk.kind],
        lines=_spoken([hunk.theirs_lines]),
        base=hunk.base,
        mine=hunk.mine,
        theirs=hunk.theirs,
        mine_html=against(hunk.base, hunk.mine),
        theirs_html=against(hunk.base, hunk.theirs),
        suggestion_html=against(hunk.base, suggestion) if suggestion is not None else None,
        wrote=writer(hunk, table.versions) if table else None,
        sides=(option("mine", "The draft", "1", hunk.mine), option("theirs", "The document", "2", hunk.theirs)),
        suggested=option("suggestion", "Suggestion", "5", suggestion) if suggestion is not None else None,
        others=(
            option("both", "Both, the document's first", "3", _both(hunk)),
            option("base", "As it was before both", "4", hunk.base),
            option(TEXT, "Your own words", "e", ""),
        ),
        choice=name,
        own=own if own is not None else (suggestion if suggestion is not None else hunk.mine),
    )


def is_form(form: Mapping[str, str]) -> bool:
    """Whether what was sent is this page's form, and not the editor's whose text became the conflict."""
    return "places" in form or any(_numbers(form))


def sent(form: Mapping[str, str]) -> list[Choice | None]:
    """The choices of a form, one for each of its places in order; None where nothing is chosen."""
    return list(_sent(form))


def _sent(form: Mapping[str, str]) -> Iterator[Choice | None]:
    try:
        count = int(form.get("places", ""))
    except ValueError:
        count = 1 + max((int(n) for n in _numbers(form)), default=-1)
    for n in range(min(count, len(form))):
        choice = form.get(f"choice-{n}", "")
        if choice == TEXT:
            yield {TEXT: form.get(f"text-{n}", "").replace("\r\n", "\n")}
        else:
            yield choice or None


def _numbers(form: Mapping[str, str]) -> Iterator[str]:
    for name in form:
        word, _, number = name.partition("-")
        if word == "choice" and number.isdecimal() and len(number) < 7:
            yield number


def fitted(choices: Sequence[Choice | None], hunks: Sequence[Hunk]) -> list[Choice | None]:
    """As many choices as there are hunks."""
    return [*choices[: len(hunks)], *[None] * (len(hunks) - len(choices))]


def told(choices: Sequence[Choice | None]) -> list[Choice]:
    """The choices as the merge takes them: undecided places as the document has them."""
    return [choice or UNDECIDED for choice in choices]


def spans(merged: Merge, choices: Sequence[Choice | None]) -> str:
    """Where the places lie in the text that ``choices`` make: ``3-5 9-9``, an empty one as ``-``."""
    return " ".join(f"{lines[0]}-{lines[1]}" if lines else "-" for lines in places(merged, told(choices)))


def drops(view: ConflictView, choices: Sequence[Choice | None]) -> Drops | None:
    """What a side added and the words typed for ``choices`` leave out; None where that is nothing. Raises
    ``ChoiceError``."""
    made = told(choices)
    lines = left_out(
        view.merged, made, base=view.base, head=view.theirs, draft=view.mine, content=resolve(view.merged, made)
    )
    if not lines:
        return None
    mark = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
    return Drops(lines=tuple(lines[:NAMED_MOST]), more=len(lines[NAMED_MOST:]), mark=mark)


def by_itself(decisions: Sequence[Decision]) -> tuple[Settled, ...]:
    """What the merge settled without asking, rule by rule."""
    lines: dict[Rule, list[LineRange]] = {}
    for decision in decisions:
        lines.setdefault(decision.rule, []).append(decision.lines)
    return tuple(Settled(words=RULES[rule], times=len(found), lines=_spoken(found)) for rule, found in lines.items())


def _named(choice: Choice | None) -> tuple[str, str | None]:
    if isinstance(choice, Mapping):
        return TEXT, choice[TEXT]
    return choice or "", None


def _both(hunk: Hunk) -> str:
    parted = hunk.theirs and hunk.mine and not hunk.theirs.endswith(("\n", "\r"))
    return hunk.theirs + ("\n" if parted else "") + hunk.mine


def _spoken(ranges: Sequence[LineRange]) -> str:
    """``line 4``, ``lines 4-5, 9``; nothing where there are no lines."""
    words = [f"{first}-{last}" if last > first else f"{first}" for first, last in filter(None, ranges)]
    plural = "s" if len(words) > 1 or any("-" in word for word in words) else ""
    return f"line{plural} {', '.join(words)}" if words else ""
