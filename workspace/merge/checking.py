"""A last look at what a merge by blocks came to, which knows nothing of how."""

from collections import Counter
from collections.abc import Iterable, Sequence

from workspace.merge.hunks import Agreed, Chunk, Disputed
from workspace.merge.lines import Lines, bare, split


def holds(
    chunks: Sequence[Chunk], texts: tuple[Lines, Lines, Lines], reworded: set[str], carried: Iterable[str] = ()
) -> bool:
    """Whether a merge kept what it had to: to be asked of every outcome.

    No line stands there more often than in both sides together, and none is gone that a side added, or that both
    kept. Lines of blocks that were put together from both sides are `reworded` and left out. Lines that were `carried`
    to where the other side moved their block are agreed upon.
    """
    made = Counter(bare(line) for chunk in chunks if isinstance(chunk, Agreed) for line in split(chunk.text))
    if any(bare(line) not in made for line in carried):
        return False
    clean = True
    for chunk in chunks:
        if isinstance(chunk, Disputed):
            # What is in dispute is not lost.
            made.update(bare(line) for text in (chunk.hunk.theirs, chunk.hunk.mine) for line in split(text))
            clean = False
    counted = [made, *(Counter(text.keys) for text in texts)]
    # Most lines stand as often on all sides, and there is nothing to ask of them.
    same = {line for line, count in made.items() if all(other[line] == count for other in counted)}
    made, base, head, incoming = (_plain(counter, same) for counter in counted)
    loose = {_words(line) for line in reworded}
    if clean and any(count > head[line] + incoming[line] for line, count in made.items() if line not in loose):
        return False
    wanted = {line for line in head if head[line] > base[line] or incoming[line]}
    wanted |= {line for line in incoming if incoming[line] > base[line]}
    return not any(line not in made for line in wanted - loose)


def _plain(lines: Counter[str], without: set[str]) -> Counter[str]:
    """How often each line stands there, layout aside."""
    plain: Counter[str] = Counter()
    for line, count in lines.items():
        if line not in without and (words := _words(line)):
            plain[words] += count
    return plain


def _words(line: str) -> str:
    """A line without what layout changes: white space, the style of a bullet, the number of an item."""
    words = line.split()
    if words and (words[0] in ("-", "*", "+") or (words[0][:-1].isdigit() and words[0][-1] in ".)")):
        words[0] = "-"
    return " ".join(words)
