"""What a workspace is made from by chance."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from workspace.actor import Role

ODD = (
    "notes", "Päge", "a b", "x%2Fy", "v1.2.", "日本語", "e\u0301te", "UPPER", "q?x=1&y", "h#1", "it's", "<b>", "🚀",
    "a+b", "semi;colon", "..x", "100%", "back\\slash", "{brace}", "ﬁ",
)  # fmt: skip
PEOPLE = ("caller", "friend", "other")
GROUPS = 3


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a world is made from: indexes into what was made before, and odd names."""

    seed: int
    folders: tuple[tuple[int, int], ...]
    documents: tuple[tuple[int, int, bool], ...]
    nestings: frozenset[tuple[int, int]]
    members: frozenset[tuple[int, int]]
    grants: tuple[tuple[int, int, Role], ...]
    scopes: tuple[tuple[Role, int], ...]
    expired: bool


@st.composite
def plans(draw: Callable[..., Any], expired: bool = True) -> Plan:
    """Trees of 2 to 6 folders with 2 to 7 documents, and up to eight grants to people and to nested groups."""
    odd = st.integers(0, len(ODD) - 1)
    made = draw(st.lists(odd, min_size=2, max_size=6))
    tree = tuple((draw(st.integers(-1, n - 1)), name) for n, name in enumerate(made))
    pages = st.tuples(st.integers(0, len(tree) - 1), odd, st.booleans())
    texts = tuple(draw(st.lists(pages, min_size=2, max_size=7)))
    place = st.integers(0, len(tree) + len(texts) - 1)
    roles = st.sampled_from(Role)
    group = st.integers(0, GROUPS - 1)
    pairs = st.tuples(group, group).map(lambda pair: (min(pair), max(pair))).filter(lambda pair: pair[0] != pair[1])
    return Plan(
        seed=draw(st.integers(0, 2**32)),
        folders=tree,
        documents=texts,
        nestings=draw(st.frozensets(pairs, max_size=3)),
        members=draw(st.frozensets(st.tuples(group, st.integers(0, len(PEOPLE) - 1)), max_size=4)),
        grants=tuple(draw(st.lists(st.tuples(place, st.integers(0, len(PEOPLE) + GROUPS - 1), roles), max_size=8))),
        scopes=tuple(draw(st.lists(st.tuples(roles, place | st.just(-1)), max_size=3))),
        expired=draw(st.sampled_from([False, False, False, expired])),
    )
