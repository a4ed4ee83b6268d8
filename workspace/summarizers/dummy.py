"""For tests: the first line, as what was changed."""

from typing import ClassVar

from workspace.digest.summary import Summary, SummaryLine
from workspace.summarizers.base import Summarizer


class Dummy(Summarizer):
    """Predictable, and good for nothing else."""

    name: ClassVar[str] = "dummy"

    def summarise(self, content: str, *, source: str) -> Summary:
        first = content.strip().splitlines()[0].strip() if content.strip() else ""
        return Summary(lines=(SummaryLine(section="changed", text=first, source=source),) if first else ())
