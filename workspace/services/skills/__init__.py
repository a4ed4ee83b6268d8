"""What an agent is told to do with an answer of this product, as Markdown that every host can be given."""

from pathlib import Path
from typing import Final

RECONCILING: Final = (Path(__file__).parent / "reconciling.md").read_text(encoding="utf-8")
"""How to settle a conflict."""
