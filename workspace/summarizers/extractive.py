"""Picks sentences and list items out of the text; never writes a word of its own."""

from typing import ClassVar

from workspace.digest import summary
from workspace.digest.summary import Summary
from workspace.summarizers.base import Summarizer


class Extractive(Summarizer):
    """Needs nothing but the text, and gives the same summary each time."""

    name: ClassVar[str] = "extractive"

    def summarise(self, content: str, *, source: str) -> Summary:
        return summary.extract(content, source)
