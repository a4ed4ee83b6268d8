"""What a benchmark gives: named figures with their bounds, as a table or as JSON."""

import json
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One measured value; ``bound`` is the most it may be (None: told only), ``against`` what it is held against."""

    name: str
    value: float
    unit: str
    bound: float | None = None
    against: str = ""

    @property
    def met(self) -> bool:
        return self.bound is None or self.value <= self.bound


def table(figures: Sequence[Figure]) -> str:
    """The figures as aligned lines."""
    rows = [("figure", "value", "bound", "", "against")] + [
        (
            f.name,
            f"{f.value:,.2f} {f.unit}".rstrip(),
            "" if f.bound is None else f"<= {f.bound:g}",
            "ok" if f.met else "OVER",
            f.against,
        )
        for f in figures
    ]
    widths = [max(len(row[n]) for row in rows) for n in range(5)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def as_json(figures: Sequence[Figure]) -> str:
    """The figures as a JSON list."""
    return json.dumps([asdict(f) | {"met": f.met} for f in figures], indent=1)


def from_json(text: str) -> list[Figure]:
    """What ``as_json`` gave."""
    return [Figure(**{name: value for name, value in row.items() if name != "met"}) for row in json.loads(text)]


def interleaved(calls: dict[str, Callable[[], object]], *, rounds: int, warm: int = 5) -> dict[str, list[float]]:
    """Milliseconds of each call, taken in turn round by round, so that a slow moment of the machine hits all."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for n in range(rounds + warm):
        for name, call in calls.items():
            begun = time.perf_counter()
            call()
            if n >= warm:
                times[name].append(1000 * (time.perf_counter() - begun))
    return times


def ratio(times: dict[str, list[float]], name: str, against: str) -> float:
    """The median of the rounds' ratios of ``name`` to ``against``."""
    return statistics.median(a / b for a, b in zip(times[name], times[against], strict=True))
