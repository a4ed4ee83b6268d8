"""Search terms, the same for the index and for the query.

Terms are NFKC case-folded; accents fall from Latin, Greek and Cyrillic letters and vowel points from Arabic and
Hebrew, while marks that make another letter (Japanese voicing, Cyrillic й, Indic vowels) stay. Identifiers and paths
yield themselves and their parts. Scripts written without spaces (Han, kana, hangul, Thai, Lao, Khmer, Burmese) yield
single characters and pairs. English plurals, -ing and -ed are cut by a few hand-written rules; there are no stop
words, because a ranking with inverse document frequency does not need them and "to be" must be findable.
"""

import re
import sys
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

MAX_LENGTH = 64

# Han with extensions and radicals, iteration marks, kana, bopomofo, hangul, Thai, Lao, Burmese, Khmer.
_DENSE = (
    "\u0e00-\u0e4e\u0e80-\u0ece\u1000-\u103f\u1050-\u109d\u1100-\u11ff\u1780-\u17d3\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029"
    "\u3031-\u3035\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)


def _mark_ranges() -> str:
    """The combining marks as a character class; `\\w` leaves them out and would cut words at every vowel sign."""
    dense = re.compile(f"[{_DENSE}]")
    ranges: list[list[int]] = []
    for code in range(0x300, min(0x12000, sys.maxunicode)):
        if unicodedata.category(chr(code))[0] != "M" or dense.match(chr(code)):
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


_WORD = rf"(?:[^\W_{_DENSE}]|[{_mark_ranges()}\u0640])"
_TOKEN = re.compile(
    rf"(?P<dense>[{_DENSE}]+)"
    rf"|(?P<word>{_WORD}(?:{_WORD}|_)*(?:[-./]_*{_WORD}(?:{_WORD}|_)*)*)(?P<sign>\+\+|\#(?!\w))?(?:['\u2019]s\b)?"
)
_PARTS = re.compile(r"[-_./]+")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+|[^\x00-\x7f]+")
_POINTS = re.compile("[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]")
_SHORT_I = re.compile("([\u0438\u0418])\u0306")
_ACCENTED = re.compile("([A-Za-z\u00c0-\u024f\u0370-\u052f])[\u0300-\u036f]+")
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th", "ħ": "h", "ŧ": "t"}
)
_ENGLISH = re.compile(r"[a-z]{4,}\Z")
_VOWEL = re.compile(r"[aeiouy]")


def terms(text: str) -> list[str]:
    """The terms of `text` in order, repeats included (their number is the term frequency).

    A term is 1 to 64 characters; longer ones are cut. Text without letters or digits has no terms.
    """
    found: list[str] = []
    for token in _TOKEN.finditer(unicodedata.normalize("NFKC", text)):
        dense = token["dense"]
        if dense is not None:
            found.extend(_dense(dense))
        elif token.end() - token.start() <= MAX_LENGTH:
            found.extend(_word(token["word"], token["sign"] or ""))
        else:
            # Long words are rare and would fill the cache.
            found.extend(_word.__wrapped__(token["word"], token["sign"] or ""))
    return found


def fold(text: str) -> str:
    """NFKC, case-folded, accents off: the form in which terms are compared."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).casefold()
    text = unicodedata.normalize("NFD", text)
    text = _SHORT_I.sub("\u0439", text)
    text = _POINTS.sub("", _ACCENTED.sub(r"\1", text))
    return unicodedata.normalize("NFC", text).translate(_LETTERS)


def stem(word: str) -> str:
    """Cut an English plural, -ing or -ed from a folded ASCII word; any other word is returned as it is."""
    if not _ENGLISH.match(word):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for suffix in ("ing", "ed"):
        base = word.removesuffix(suffix)
        if base != word and len(base) >= 3 and _VOWEL.search(base):
            if base[-1] == base[-2] and base[-1] not in "lsz":
                base = base[:-1]
            return base.removesuffix("e")
    if len(word) > 4 and word.endswith("e"):
        return word[:-1]
    return word


@lru_cache(maxsize=20_000)
def _word(word: str, sign: str) -> tuple[str, ...]:
    found: list[str] = []
    whole = fold(word).strip("_")
    if sign:
        found.append(whole[: MAX_LENGTH - len(sign)] + sign)
    parts = [part for part in _PARTS.split(word) if part]
    if len(parts) > 1 and whole:
        found.append(whole[:MAX_LENGTH])
    for part in parts:
        found.extend(_part(part))
    return tuple(found)


def _part(part: str) -> Iterator[str]:
    folded = fold(part)
    if folded:
        yield stem(folded)[:MAX_LENGTH]
    if part.isascii() and not part.islower() and not part.isupper() and not part.isdigit():
        humps = _HUMPS.findall(part)
        if len(humps) > 1:
            for hump in humps:
                yield stem(hump.lower())[:MAX_LENGTH]


def _dense(run: str) -> Iterator[str]:
    run = fold(run)
    for index, character in enumerate(run):
        # A vowel sign alone says nothing; it counts in the pair with its consonant.
        if unicodedata.category(character)[0] != "M":
            yield character
        if index + 1 < len(run):
            yield run[index : index + 2]
