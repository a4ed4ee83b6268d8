"""Documents for the laws of merge, diff and blame."""

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st

from workspace.merge.lines import bare, split

LAW = settings(deadline=None, database=None, max_examples=300)

ENDINGS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])
# Few different lines, so that edits meet; and characters that other tools take for the end of a line.
LINES = st.one_of(
    st.sampled_from(["", "", "a", "b", "c", "- x", "## T", "```", "    "]),
    st.text(alphabet="ab\x0b\x0c\x1c\x85\u2028\u2029é日👩\u200d\ufeff", max_size=4),
)


@st.composite
def documents(draw, max_lines: int = 12) -> str:
    """Text of any line endings, mixed at times, with or without a final newline."""
    lines = draw(st.lists(LINES, max_size=max_lines))
    one = draw(st.one_of(st.none(), ENDINGS))
    text = "".join(line + (one or draw(ENDINGS)) for line in lines)
    return text + draw(st.sampled_from(["", "", "end"]))


@st.composite
def edited(draw, lines: list[str], most: int = 4) -> list[str]:
    """`lines` with some of them replaced, removed, or with others put in between."""
    lines = list(lines)
    for _ in range(draw(st.integers(0, most))):
        start = draw(st.integers(0, len(lines)))
        stop = min(len(lines), start + draw(st.integers(0, 3)))
        lines[start:stop] = draw(st.lists(LINES, max_size=3))
    return lines


@st.composite
def three(draw) -> tuple[str, str, str]:
    """A base and two edits of it, all with LF and a final newline."""
    base = draw(st.lists(LINES, max_size=12))
    head, incoming = draw(edited(base)), draw(edited(base))
    return joined(base), joined(head), joined(incoming)


def joined(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def counted(text: str) -> Counter[str]:
    """How often each line occurs, whatever its ending."""
    return Counter(bare(line) for line in split(text))
