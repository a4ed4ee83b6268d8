"""Bars of a counter, as the geometry that a page draws without script or style."""

from dataclasses import dataclass
from datetime import date

from workspace.queries.obligation_counts import Bar, Counter

HEIGHT = 32
WIDTH = 6
GAP = 2
LEAST = 1.5
"""Of a bar that stands for anything at all."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """A bar in the units of its chart. ``said`` is what it stands for, in words."""

    x: int
    y: str
    height: str
    said: str
    empty: bool


@dataclass(frozen=True, kw_only=True)
class Chart:
    """Bars from the left, as high as their share of the highest. ``said`` tells the whole of it in words."""

    width: int
    height: int
    bar: int
    columns: tuple[Column, ...]
    most: int
    said: str


def chart(counter: Counter) -> Chart:
    """The chart of a counter: the highest of its own bars is as high as it."""
    most = max((bar.count for bar in counter.bars), default=0)
    step = WIDTH + GAP
    first, last = counter.bars[0].first, counter.bars[-1].last
    each = "on one day" if counter.bars[-1].first == counter.bars[-1].last else "in one bar"
    said = f"{counter.name}: {counter.total:,} from {_day(first)} to {_day(last)}"
    return Chart(
        width=step * len(counter.bars) - GAP,
        height=HEIGHT,
        bar=WIDTH,
        columns=tuple(_column(bar, step * at, most) for at, bar in enumerate(counter.bars)),
        most=most,
        said=f"{said}, at most {most:,} {each}" if most else said,
    )


def _column(bar: Bar, x: int, most: int) -> Column:
    height = max(HEIGHT * bar.count / most, LEAST) if bar.count else LEAST / 2
    return Column(x=x, y=f"{HEIGHT - height:.2f}", height=f"{height:.2f}", said=_words(bar), empty=not bar.count)


def _words(bar: Bar) -> str:
    days = _day(bar.first) if bar.first == bar.last else f"{_day(bar.first)} to {_day(bar.last)}"
    return f"{days}: {bar.count:,}"


def _day(day: date) -> str:
    return f"{day:%-d %b}"
