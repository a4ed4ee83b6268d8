"""What a summariser is."""

from abc import ABC, abstractmethod
from typing import ClassVar

from workspace.digest.summary import Summary


class Summarizer(ABC):
    """Makes a summary of a capture's text. Holds no state of one capture; may be called by several threads."""

    name: ClassVar[str]

    @abstractmethod
    def summarise(self, content: str, *, source: str) -> Summary:
        """At most 500 words about ``content``, each line naming ``source``, the capture's id. Answers within 40
        seconds or raises; called outside any transaction."""
