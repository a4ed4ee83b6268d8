"""What a conflict says about itself."""

from workspace.merge import LINES, MERGE_VERSION, Agreed, Disputed, Hunk, merge

PAGE = "# Plan\n\nIntro.\n\n## Storage\n\nUse {}.\n\n## Open\n\nNone.\n"


def only(merged) -> Hunk:
    (hunk,) = merged.hunks
    return hunk


def test_a_conflict_has_no_text_and_says_what_each_side_wrote():
    merged = merge(PAGE.format("files"), PAGE.format("PostgreSQL"), PAGE.format("SQLite"))
    assert merged.text is None
    assert merged.version == MERGE_VERSION == 2
    assert only(merged) == Hunk(
        kind="modify/modify",
        base="Use files.\n",
        theirs="Use PostgreSQL.\n",
        mine="Use SQLite.\n",
        heading="Storage",
        path=("Plan", "Storage"),
        base_lines=(7, 7),
        theirs_lines=(7, 7),
        mine_lines=(7, 7),
    )


def test_the_chunks_make_up_the_whole_document():
    merged = merge(PAGE.format("files"), PAGE.format("PostgreSQL"), PAGE.format("SQLite"))
    match merged.chunks:
        case (Agreed(above), Disputed(hunk), Agreed(below)):
            assert above == "# Plan\n\nIntro.\n\n## Storage\n\n"
            assert hunk is only(merged)
            assert below == "\n## Open\n\nNone.\n"
        case _:
            raise AssertionError(merged.chunks)


def test_edits_apart_from_the_conflict_are_merged():
    head = PAGE.format("PostgreSQL").replace("Intro.", "A better intro.")
    incoming = PAGE.format("SQLite").replace("None.", "One question.")
    merged = merge(PAGE.format("files"), head, incoming)
    assert only(merged).kind == "modify/modify"
    assert "A better intro." in merged.preview
    assert "One question." in merged.preview


def test_two_insertions_at_one_place_conflict_without_the_lines_they_share():
    merged = merge("a\n", "a\n\nb\n\nx\n\ne\n", "a\n\nb\n\ny\n\ne\n")
    hunk = only(merged)
    assert (hunk.kind, hunk.base, hunk.theirs, hunk.mine) == ("insert/insert", "", "x\n", "y\n")
    assert (hunk.base_lines, hunk.theirs_lines, hunk.mine_lines) == (None, (5, 5), (5, 5))


def test_lines_that_both_insertions_start_and_end_with_are_taken_once():
    merged = merge("x\n", "x\na\n", "x\na\na\n", version=LINES)
    hunk = only(merged)
    assert (hunk.theirs, hunk.mine) == ("", "a\n")
    assert merged.preview.startswith("x\na\n<<<<<<< mine\na\n")


def test_a_changed_base_is_quoted_whole_with_both_its_versions():
    hunk = only(merge("a\nb\n", "same\nx\n", "same\ny\n"))
    assert (hunk.base, hunk.theirs, hunk.mine) == ("a\nb\n", "same\nx\n", "same\ny\n")


def test_a_deletion_against_a_change_conflicts():
    hunk = only(merge("a\n\nb\n\nc\n", "a\n\nc\n", "a\n\nB\n\nc\n"))
    assert hunk.kind == "delete/modify"
    assert "B\n" in hunk.mine
    assert hunk.theirs == ""
    assert hunk.theirs_lines is None


def test_edits_of_neighbouring_lines_conflict_as_they_do_in_git():
    assert only(merge("a\nb\n", "A\nb\n", "a\nB\n")).base == "a\nb\n"


def test_the_preview_marks_the_conflict():
    merged = merge(PAGE.format("files"), PAGE.format("PostgreSQL"), PAGE.format("SQLite"))
    marked = "<<<<<<< mine\nUse SQLite.\n||||||| base\nUse files.\n=======\nUse PostgreSQL.\n>>>>>>> theirs\n"
    assert merged.preview == PAGE.replace("Use {}.\n", marked)


def test_the_preview_puts_every_marker_on_a_line_of_its_own():
    merged = merge("a", "b", "c")
    assert merged.preview == "<<<<<<< mine\nc\n||||||| base\na\n=======\nb\n>>>>>>> theirs\n"
    assert merge("a\r\n", "b\r\n", "c\r\n").preview.count("\r\n") == 7


def test_the_heading_is_the_nearest_above_and_not_one_in_a_code_block():
    above = "# One\n\n```sh\n# not a heading\n```\n\n"
    assert only(merge(above + "x\n", above + "y\n", above + "z\n")).heading == "One"
    longer = "# One\n\n````\n```\n# not a heading\n````\n\n"
    assert only(merge(longer + "x\n", longer + "y\n", longer + "z\n")).heading == "One"
    setext = "# One\n\nTwo\n---\n\n"
    assert only(merge(setext + "x\n", setext + "y\n", setext + "z\n")).heading == "Two"
    closed = "## Three ##\n\n"
    assert only(merge(closed + "x\n", closed + "y\n", closed + "z\n")).heading == "Three"


def test_a_rule_a_table_and_a_hash_without_a_space_are_no_headings():
    for above in ("---\n\n", "| a |\n---\n\n", "- item\n---\n\n", "#hashtag\n\n", "    # indented\n\n"):
        assert only(merge(above + "x\n", above + "y\n", above + "z\n")).heading is None


def test_a_heading_that_one_side_put_above_is_the_heading():
    base = "intro\n\nx\n"
    assert only(merge(base, "# New\n\nintro\n\ny\n", "intro\n\nz\n")).heading == "New"
