"""The same words changed in two places are two changes, of which neither holds the other."""

import pytest

from workspace.merge import merge_text
from workspace.merge.subsumed import subsumed

TWICE = [
    ("Ann pays 10 in May. Bob pays 10 in June.\n", "Ann pays 20", "Bob pays 20"),
    ("- the pump runs at 10 bar by day and the valve holds 10 bar at night\n", "at 20", "holds 20"),
]


@pytest.mark.parametrize(("base", "first", "second"), TWICE)
def test_one_word_changed_in_two_places_loses_neither(base: str, first: str, second: str) -> None:
    head = base.replace(first.replace("20", "10"), first)
    incoming = base.replace(second.replace("20", "10"), second)
    for one, other in ((head, incoming), (incoming, head)):
        merged = merge_text(base, one, other)
        assert merged is None or merged.count("20") == 2
        assert subsumed(base, one, other) is None


def test_a_change_that_holds_the_other_is_taken() -> None:
    base = "Ann pays 10 in May. Bob pays 10 in June.\n"
    both = base.replace("10", "20")
    assert subsumed(base, both, base.replace("Bob pays 10", "Bob pays 20")) == "head"
    assert subsumed(base, base.replace("Ann pays 10", "Ann pays 20"), both) == "incoming"
