"""Laws: whoever wrote a sentence is its author, whatever is merged, moved and broken anew around it."""

import random
import string

from hypothesis import given
from hypothesis import strategies as st

from workspace.merge import merge
from workspace.merge.authorship import Owners, Runs, advance, advance_merge, begin, parts

NUMBER = st.integers(0, 9_999)


def sentence(number: int, by: str) -> str:
    """One that no other is like."""
    chance = random.Random(f"{by} {number}")
    words = ("".join(chance.choices(string.ascii_lowercase, k=chance.randint(4, 9))) for _ in range(7))
    return f"{by.capitalize()} {' '.join(words)}."


@st.composite
def pages(draw: st.DrawFn) -> list[list[str]]:
    """Paragraphs of sentences, all different."""
    numbers = iter(draw(st.lists(NUMBER, unique=True, min_size=3, max_size=12)))
    page: list[list[str]] = [[]]
    for number in numbers:
        if page[-1] and draw(st.booleans()):
            page.append([])
        page[-1].append(sentence(number, "alice"))
    return page


def changed(draw: st.DrawFn, page: list[list[str]], by: str, low: int) -> list[list[str]]:
    """The page with sentences added, taken out and moved, and a paragraph moved."""
    page = [list(paragraph) for paragraph in page]
    for step in range(draw(st.integers(1, 3))):
        places = [(n, m) for n, paragraph in enumerate(page) for m in range(len(paragraph))]
        if not places:
            break
        n, m = draw(st.sampled_from(places))
        match draw(st.sampled_from(("add", "take out", "move", "move paragraph", "new paragraph"))):
            case "add":
                page[n].insert(m, sentence(low + step, by))
            case "take out":
                del page[n][m]
            case "move":
                page[draw(st.integers(0, len(page) - 1))].append(page[n].pop(m))
            case "move paragraph":
                page.insert(draw(st.integers(0, len(page) - 1)), page.pop(n))
            case "new paragraph":
                page.insert(n, [sentence(low + step, by)])
    return [paragraph for paragraph in page if paragraph]


def text(draw: st.DrawFn, page: list[list[str]]) -> str:
    """The page as somebody's editor breaks its lines."""
    between = draw(st.sampled_from((" ", "\n")))
    return "\n\n".join(between.join(paragraph) for paragraph in page) + "\n"


@st.composite
def sides(draw: st.DrawFn) -> tuple[str, str, str]:
    page = draw(pages())
    base = text(draw, page)
    return base, text(draw, changed(draw, page, "bob", 10_000)), text(draw, changed(draw, page, "carol", 20_000))


def wrote(runs: Runs, whole: str) -> dict[str, set[str]]:
    """Of each sentence, who wrote in it."""
    owners = Owners(runs)
    return {
        " ".join(whole[start:end].split()): {span.id for span in owners.between(start, end)}
        for start, end in parts(whole)
    }


@given(sides())
def test_a_merge_names_of_each_sentence_who_wrote_it_and_never_who_merged(texts: tuple[str, str, str]):
    base, head, other = texts
    merged = merge(base, head, other).text
    if merged is None:
        return
    first = begin(base, "alice")
    runs = advance_merge(
        advance(first, base, head, "bob"), head, advance(first, base, other, "carol"), other, merged, "merger"
    )
    for said, authors in wrote(runs, merged).items():
        assert authors == {said.split(" ", 1)[0].lower()}


@given(sides(), NUMBER)
def test_what_whoever_resolves_types_is_theirs_and_nothing_else_is(texts: tuple[str, str, str], number: int):
    base, head, other = texts
    typed = sentence(30_000 + number, "dora")
    resolved = f"{other}\n{typed}\n"
    first = begin(base, "alice")
    runs = advance_merge(
        advance(first, base, head, "bob"), head, advance(first, base, other, "carol"), other, resolved, "dora"
    )
    for said, authors in wrote(runs, resolved).items():
        assert authors == {said.split(" ", 1)[0].lower()}


@given(pages(), st.data())
def test_a_paragraph_keeps_its_author_wherever_it_is_moved(page: list[list[str]], data: st.DataObject):
    draw = data.draw
    old = text(draw, page)
    order = draw(st.permutations(page))
    new = text(draw, list(order))
    assert set().union(*wrote(advance(begin(old, "alice"), old, new, "bob"), new).values()) == {"alice"}


@given(pages(), st.data())
def test_a_history_of_many_hands_names_each_sentence_by_its_hand(page: list[list[str]], data: st.DataObject):
    draw = data.draw
    old = text(draw, page)
    runs = begin(old, "alice")
    for number, by in enumerate(("bob", "carol", "dora", "bob", "carol")):
        page = changed(draw, page, by, 10_000 * (number + 1))
        new = text(draw, page)
        runs, old = advance(runs, old, new, by), new
    for said, authors in wrote(runs, old).items():
        assert authors == {said.split(" ", 1)[0].lower()}
