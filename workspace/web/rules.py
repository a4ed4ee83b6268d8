"""What a merge settled, in words."""

from collections.abc import Mapping
from typing import Final

RULES: Final[Mapping[str, str]] = {
    "blocks": "changes of neighbouring paragraphs, items or lines",
    "formatting": "one side only changed the layout of what the other reworded",
    "sentences": "different sentences of one paragraph",
    "links": "the words of a link and where it leads",
    "heading": "the words of a heading and its anchor",
    "cells": "different cells of one table row",
    "subsumed": "one side's change holds the other's",
    "same": "both put in the same",
    "union": "both added to one list or table, and both additions are kept",
    "sections": "both added sections of their own",
    "beside": "one added something next to what the other changed",
    "moved": "a change followed its paragraph to where the other side moved it",
    "renumbered": "a list was numbered anew",
}
"""By ``workspace.merge.Rule``; /help/merging tells more."""
