"""Sentences and words of running text, in any script."""

import re

DENSE = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]"
)
_END = re.compile(r"[.!?…]+[\"'”’»)\]*_`]*(?=\s)|[。！？]+[”’」』）]*")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|no|nr|fig|sec|ca|mr|mrs|ms|dr|prof|st|z\.b|d\.h|bzw|v|p|pp)|\b[A-Z])\.\Z",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"[*_`~\"'“”‘’«»()\[\]{}<>]+|(?<=\w)[.,;:!?。，；：！？]+(?=\s|\Z)")
_NUMBER = re.compile(r"\d|\A(?:no|not|never|none|without|cannot|[a-z]+n't)\Z")


def split(text: str) -> list[str]:
    """The sentences of `text`, white space collapsed; a dot in a number, a name or an abbreviation ends none."""
    text = " ".join(text.split())
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        after = text[end.end() :].lstrip()[:1]
        before = text[max(start, end.start() - 8) : end.start() + 1]
        if end[0][0] == "." and (after.islower() or _ABBREVIATION.search(before)):
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def words(text: str) -> int:
    """How many words `text` counts for: runs between spaces, and one for every two characters of a script without
    spaces. Never less than ``len(text.split())``."""
    return len(text.split()) + len(DENSE.findall(text)) // 2


def key(text: str) -> str:
    """Equal for texts that differ in case, markup and punctuation only."""
    return " ".join(_MARKUP.sub("", text).casefold().split()).rstrip(".!?。！？ ")


class Seen:
    """Remembers texts, and tells one that says the same as an earlier one in nearly the same words."""

    def __init__(self) -> None:
        self._keys: set[str] = set()
        self._sets: list[tuple[frozenset[str], frozenset[str]]] = []

    def add(self, text: str) -> bool:
        """False, and nothing is remembered, where `text` repeats an earlier one."""
        whole = key(text)
        if whole in self._keys:
            return False
        if not DENSE.search(whole):
            # A number or a "not" that differs is another statement, however alike the rest.
            every = frozenset(whole.split())
            facts = frozenset(word for word in every if _NUMBER.search(word))
            for earlier, earlier_facts in self._sets:
                common = len(every & earlier)
                if facts == earlier_facts and common >= 4 and common >= 0.8 * len(every | earlier):
                    return False
            self._sets.append((every, facts))
        self._keys.add(whole)
        return True
