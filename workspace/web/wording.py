"""One text against the one that it came from, word by word, as marked-up prose."""

from collections.abc import Iterator, Sequence
from html import escape

from django.utils.safestring import SafeString, mark_safe

from workspace.merge.myers import Change, changes
from workspace.merge.words import tokens

_READS = 60_000
"""Characters of both texts; longer ones are shown unmarked."""
_WORK = 200_000
"""Steps of search, some tens of milliseconds."""


def against(base: str, text: str) -> SafeString:
    """``text``, with the words that ``base`` has not as insertions and those of ``base`` that are gone as deletions.

    Where lines break is no difference, so that a paragraph that was only filled anew is unmarked.
    """
    base, text = base.rstrip("\r\n"), text.rstrip("\r\n")
    if len(base) + len(text) > _READS:
        return mark_safe(escape(text))
    before, after = tokens(base), tokens(text)
    out, at = [], 0
    for change in _joined(changes(_keys(before), _keys(after), work=_WORK), before, after):
        out.append(escape("".join(after[at : change.new_start])))
        out.append(_tagged("del", before[change.old_start : change.old_end]))
        out.append(_tagged("ins", after[change.new_start : change.new_end]))
        at = change.new_end
    out.append(escape("".join(after[at:])))
    return mark_safe("".join(out))


def _keys(words: Sequence[str]) -> list[str]:
    """What makes tokens equal: of blanks, whether they part paragraphs."""
    return [("\n\n" if word.count("\n") > 1 else " ") if word.isspace() else word for word in words]


def _joined(found: Sequence[Change], before: Sequence[str], after: Sequence[str]) -> Iterator[Change]:
    """The changes, those that only blanks part made into one: a changed phrase reads as one change."""
    held: Change | None = None
    for change in found:
        if held and not "".join(after[held.new_end : change.new_start]).strip():
            held = Change(held.old_start, change.old_end, held.new_start, change.new_end)
            continue
        if held:
            yield held
        held = change
    if held:
        yield held


def _tagged(tag: str, words: Sequence[str]) -> str:
    whole = "".join(words)
    if not whole.strip():
        return escape(whole) if tag == "ins" else ""
    return f"<{tag}>{escape(whole)}</{tag}>"
