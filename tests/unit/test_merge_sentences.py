"""Paragraphs put together from sentences, and how their lines are broken."""

from workspace.merge import merge_text


def test_two_sentences_that_are_all_of_a_paragraph_merge_where_each_was_corrected_by_one_side() -> None:
    for gap in (" ", "\n"):
        base = f"The launch is on Monday.{gap}Support answers within an hour.\n"
        mine = base.replace("Monday", "Tuesday")
        assert merge_text(base, mine, base.replace("an hour", "two hours")) == (
            f"The launch is on Tuesday.{gap}Support answers within two hours.\n"
        )
        assert merge_text(base, mine, base.replace("Monday", "Friday")) is None
        # Rewritten, the second may well speak of the launch as it was.
        assert merge_text(base, mine, f"The launch is on Monday.{gap}Until then nobody answers anything.\n") is None


def test_lines_that_are_sentences_stay_lines() -> None:
    first, second, third = (
        f"The {word} line of this paragraph is a sentence of its own." for word in ("one", "two", "six")
    )
    base = f"{first}\n{second}\n{third}\n"
    mine, theirs = (
        base.replace("one line", "first and by far the longest line"),
        base.replace("two line", "second line"),
    )
    merged = f"{mine.splitlines()[0]}\n{theirs.splitlines()[1]}\n{third}\n"
    assert merge_text(base, mine, theirs) == merge_text(base, theirs, mine) == merged


def test_a_paragraph_is_broken_to_the_wider_side() -> None:
    base = (
        "Nothing else is asked of it. If a server is too old and answers 404 to\n"
        "what the newer endpoint is asked for, clients should fall back to the\n"
        "older one. However, they should know that plain addresses are required.\n"
    )
    wider = (
        "Nothing else is asked of it. If a server is too old and answers 404, 405 or 501\n"
        "to what the newer endpoint is asked for, clients should fall back to the older\n"
        "one. However, they should know that plain addresses are required.\n"
    )
    other = base.replace("plain addresses", "PLAIN addresses")
    assert merge_text(base, wider, other) == merge_text(base, other, wider) == wider.replace("plain", "PLAIN")
