"""What a merge settles by itself beyond lines, rule by rule, and the dangerous neighbours of each rule."""

import pytest

from workspace.merge import merge, merge_text, resolve

PARAGRAPH = "The queue is swept every minute. A failed job waits an hour. Then it is tried again. {}\n"
TABLE = "| task | state | who |\n|---|---|---|\n| import | open | ann |\n| export | open | bob |\n"
LIST = "# Log\n\n- 09:00 scout read the plan\n- 09:10 rover wrote the tests\n"

CLEAN = {
    "different sentences of one paragraph": (
        PARAGRAPH.format("Nobody is told."),
        PARAGRAPH.format("Nobody is told.").replace("every minute", "every ten seconds"),
        PARAGRAPH.format("The owner is told."),
        PARAGRAPH.format("The owner is told.").replace("every minute", "every ten seconds"),
        "sentences",
    ),
    "a sentence put in where another was reworded further down": (
        PARAGRAPH.format("Nobody is told."),
        PARAGRAPH.format("Nobody is told.").replace("A failed", "Jobs have a lease. A failed"),
        PARAGRAPH.format("The owner is told."),
        PARAGRAPH.format("The owner is told.").replace("A failed", "Jobs have a lease. A failed"),
        "sentences",
    ),
    "entries at the end of a list, the head's first": (
        LIST,
        LIST + "- 09:20 scout merged\n",
        LIST + "- 09:21 rover deployed staging\n",
        LIST + "- 09:20 scout merged\n- 09:21 rover deployed staging\n",
        "union",
    ),
    "entries that differ in a number alone": (
        LIST,
        LIST + "- 09:20 scout finished step 12 of the migration\n",
        LIST + "- 09:25 scout finished step 13 of the migration\n",
        LIST + "- 09:20 scout finished step 12 of the migration\n- 09:25 scout finished step 13 of the migration\n",
        "union",
    ),
    "one entry that both wrote, beside one that only one did": (
        LIST,
        LIST + "- 09:20 scout merged\n",
        LIST + "- 09:20 scout merged\n- 09:21 rover deployed staging\n",
        LIST + "- 09:20 scout merged\n- 09:21 rover deployed staging\n",
        "same",
    ),
    "rows of one table": (
        TABLE,
        TABLE + "| sync | open | carol |\n",
        TABLE + "| audit | done | dave |\n",
        TABLE + "| sync | open | carol |\n| audit | done | dave |\n",
        "union",
    ),
    "cells of one row": (
        TABLE,
        TABLE.replace("| import | open | ann |", "| import | done | ann |"),
        TABLE.replace("| import | open | ann |", "| import | open | eve |"),
        TABLE.replace("| import | open | ann |", "| import | done | eve |"),
        "cells",
    ),
    "neighbouring items": (
        "- [ ] write\n- [ ] review\n- [ ] ship\n",
        "- [x] write\n- [ ] review\n- [ ] ship\n",
        "- [ ] write\n- [x] review\n- [ ] ship\n",
        "- [x] write\n- [x] review\n- [ ] ship\n",
        "blocks",
    ),
    "a list that counts": (
        "1. one\n2. two\n3. three\n",
        "1. one\n2. between\n3. two\n4. three\n",
        "1. one\n2. two\n3. three\n4. last\n",
        "1. one\n2. between\n3. two\n4. three\n5. last\n",
        "renumbered",
    ),
    "a list where every number is one": (
        "1. one\n1. two\n",
        "1. one\n1. two\n1. three\n",
        "1. one\n1. two\n1. four\n",
        "1. one\n1. two\n1. three\n1. four\n",
        "union",
    ),
    "sections of their own": (
        "# Log\n\n## Monday\n\nNothing.\n",
        "# Log\n\n## Monday\n\nNothing.\n\n## Tuesday, scout\n\nThe import works.\n",
        "# Log\n\n## Monday\n\nNothing.\n\n## Tuesday, rover\n\nThe export works.\n",
        "# Log\n\n## Monday\n\nNothing.\n\n## Tuesday, scout\n\nThe import works.\n"
        "\n## Tuesday, rover\n\nThe export works.\n",
        "sections",
    ),
    "front matter key by key": (
        "---\nstatus: draft\nowner: ann\n---\n\ntext\n",
        "---\nstatus: final\nowner: ann\n---\n\ntext\n",
        "---\nstatus: draft\nowner: bob\n---\n\ntext\n",
        "---\nstatus: final\nowner: bob\n---\n\ntext\n",
        "blocks",
    ),
    "keys of front matter put in at one place": (
        "---\nstatus: draft\n---\n\ntext\n",
        "---\nstatus: draft\nowner: ann\n---\n\ntext\n",
        "---\nstatus: draft\ndue: Friday\n---\n\ntext\n",
        "---\nstatus: draft\nowner: ann\ndue: Friday\n---\n\ntext\n",
        "union",
    ),
    "labels of links put in at one place": (
        "[plan]: plan.md\n",
        "[plan]: plan.md\n[log]: log.md\n",
        "[plan]: plan.md\n[^1]: A note.\n",
        "[plan]: plan.md\n[log]: log.md\n[^1]: A note.\n",
        "union",
    ),
    "entries at the top of a list, close together": (
        "# Log\n\n- 09:00 begun\n",
        "# Log\n\n- 09:20 scout merged\n- 09:00 begun\n",
        "# Log\n\n- 09:21 rover deployed staging\n- 09:00 begun\n",
        "# Log\n\n- 09:20 scout merged\n- 09:21 rover deployed staging\n- 09:00 begun\n",
        "union",
    ),
    "an entry put in where a neighbour of the list is left": (
        "- write\n- review\n- ship\n",
        "- write\n- ship\n",
        "- write\n- review\n- tell everybody of it\n- ship\n",
        "- write\n- tell everybody of it\n- ship\n",
        "beside",
    ),
    "where a link leads and the words around it": (
        "Read [the plan](old/plan.md) first.\n",
        "Begin with [the plan](old/plan.md).\n",
        "Read [the plan](new/plan.md) first.\n",
        "Begin with [the plan](new/plan.md).\n",
        "links",
    ),
    "a link made of words that both wrote": (
        "It is described elsewhere.\n",
        "The plan says it.\n",
        "[The plan](plan.md) says it.\n",
        "[The plan](plan.md) says it.\n",
        "links",
    ),
    "sentences of one cell": (
        "| task | note |\n|---|---|\n| import | It is slow. It runs at night. Ann knows. |\n",
        "| task | note |\n|---|---|\n| import | It is fast. It runs at night. Ann knows. |\n",
        "| task | note |\n|---|---|\n| import | It is slow. It runs at night. Bob knows. |\n",
        "| task | note |\n|---|---|\n| import | It is fast. It runs at night. Bob knows. |\n",
        "cells",
    ),
    "a space before the anchor of a heading": (
        "## Storage\n",
        "## Storage {#storage}\n",
        "## Files  {#storage}\n",
        "## Files {#storage}\n",
        "heading",
    ),
    "a heading by its underline below what the other side put in": (
        "",
        "Log\n===\n",
        "- a\nas well.\n",
        "- a\nas well.\n\nLog\n===\n",
        "sections",
    ),
    "a side that has all that the other changed": (
        "one\n\ntwo\n",
        "new\n\nmore\n\nlast\n",
        "new\n\nlast\n",
        "new\n\nmore\n\nlast\n",
        "subsumed",
    ),
    "a re-flow against a change of words": (
        "one two three four five\nsix seven eight nine\n",
        "one two three\nfour five six\nseven eight nine\n",
        "one two three four five\nsix seven EIGHT nine\n",
        "one two three four five\nsix seven EIGHT nine\n",
        "formatting",
    ),
    "another bullet against a change of words": (
        "* alpha and its reasons\n* beta and its reasons\n",
        "- alpha and its reasons\n- beta and its reasons\n",
        "* alpha and its reasons\n* beta and its other reasons\n",
        "- alpha and its reasons\n- beta and its other reasons\n",
        "formatting",
    ),
    "one side's edit holds the other's": (
        "Use the old endpoint for reading.\n",
        "Use the new endpoint for reading.\n",
        "Use the new endpoint for reading and writing.\n",
        "Use the new endpoint for reading and writing.\n",
        "subsumed",
    ),
    "an item reworded where the other side moved it": (
        "# A\n\n- write the import with a progress bar\n- second thing\n\n# B\n\n- third thing\n",
        "# A\n\n- second thing\n\n# B\n\n- third thing\n- write the import with a progress bar\n",
        "# A\n\n- write the import with two progress bars\n- second thing\n\n# B\n\n- third thing\n",
        "# A\n\n- second thing\n\n# B\n\n- third thing\n- write the import with two progress bars\n",
        "moved",
    ),
}


@pytest.mark.parametrize("name", CLEAN)
def test_it_is_merged_and_told(name):
    base, head, incoming, expected, rule = CLEAN[name]
    merged = merge(base, head, incoming)
    assert merged.text == expected
    assert rule in {decision.rule for decision in merged.decisions}


CONFLICTS = {
    "a sentence that the other side's longer one does not say": (
        "Retries must go on after three.\n",
        "Retries must stop after three.\n",
        "Retries must not stop after three.\n",
    ),
    "a key of the front matter gone and changed": (
        "---\nstatus: draft\nowner: ann\n---\n\ntext\n",
        "---\nowner: ann\n---\n\ntext\n",
        "---\nstatus: final\nowner: ann\n---\n\ntext\n",
    ),
    "a block gone and shortened": (
        "a\n\nThe cache is flushed at night by the sweeper.\n\nb\n",
        "a\n\nb\n",
        "a\n\nThe cache is flushed at night.\n\nb\n",
    ),
    "an entry at the end of a list that the other side took out": (
        "x\n\n- one\n- two\n",
        "x\n",
        "x\n\n- one\n- two\n- three\n",
    ),
    "an entry at the end of a section that the other side took out": (
        "# A\n\na.\n\n# B\n\nb.\n",
        "# A\n\na.\n",
        "# A\n\na.\n\n# B\n\nb.\n\n- more\n",
    ),
    "an entry below one that the other side took out": (
        "- write it\n- ship it\n",
        "- ship it\n",
        "- write it\n  - with tests\n- ship it\n",
    ),
    "a row put into a table that lost a column": (
        "| a | b |\n|---|---|\n| x | 1 |\n| z | 3 |\n",
        "| a |\n|---|\n| x |\n| z |\n",
        "| a | b |\n|---|---|\n| x | 1 |\n| y | 2 |\n| z | 3 |\n",
    ),
    "a link of which both changed where it leads": (
        "Read [the plan](plan.md) first.\n",
        "Read [the plan](new/plan.md) first.\n",
        "Read [the plan](plan.txt) first.\n",
    ),
    "where a link leads and the link": (
        "Read [the plan](plan.md) first.\n",
        "Read the plan first of all.\n",
        "Read [the plan](new/plan.md) first.\n",
    ),
    "one key put in with two values": (
        "---\nstatus: a\n---\n",
        "---\nstatus: a\nowner: ann\n---\n",
        "---\nstatus: a\nowner: bob\n---\n",
    ),
    "one sentence in two wordings": (
        PARAGRAPH.format("x."),
        PARAGRAPH.format("x.").replace("every minute", "every hour"),
        PARAGRAPH.format("x.").replace("is swept every minute", "is never swept"),
    ),
    "a value and a negation": (
        "Retries must stop after three.\n",
        "Retries must not stop after three.\n",
        "Retries must stop after five.\n",
    ),
    "a tick for words that the other side changed": (
        "- [ ] delete the old rows\n",
        "- [x] delete the old rows\n",
        "- [ ] delete the old rows and their backups\n",
    ),
    "one entry in two wordings": (
        LIST,
        LIST + "- rover deployed the new staging server\n",
        LIST + "- rover has deployed the new staging server\n",
    ),
    "one heading with two contents": (
        "# H\n\nintro\n",
        "# H\n\nintro\n\n## Decision\n\nFiles.\n",
        "# H\n\nintro\n\n## Decision\n\nA database.\n",
    ),
    "a block gone and reworded": (
        "a\n\nThe cache is flushed at night.\n\nb\n",
        "a\n\nb\n",
        "a\n\nThe cache is flushed at noon.\n\nb\n",
    ),
    "an item put in where the other side took out the list": (
        "a\n\n- one thing\n- another thing\n\nb\n",
        "a\n\nb\n",
        "a\n\n- one thing\n- between them\n- another thing\n\nb\n",
    ),
    "an item moved and taken out": (
        "# A\n\n- write the import tool\n- second\n\n# B\n\n- third\n",
        "# A\n\n- second\n\n# B\n\n- third\n- write the import tool\n",
        "# A\n\n- second, reworded\n\n# B\n\n- third\n",
    ),
    "one key twice": ("---\nstatus: a\n---\n", "---\nstatus: b\n---\n", "---\nstatus: c\n---\n"),
    "one line of code": ("```\nrun --a 1 --b 2\n```\n", "```\nrun --a 9 --b 2\n```\n", "```\nrun --a 1 --b 7\n```\n"),
    "code put in beside a line that changed": (
        "```\nopen()\nclose()\n```\n",
        "```\nopen(safely)\nclose()\n```\n",
        "```\nopen()\nwrite()\nclose()\n```\n",
    ),
    "a cell that both changed": (TABLE, TABLE.replace("ann", "eve"), TABLE.replace("ann", "dan")),
    "a row of another shape": (
        TABLE,
        TABLE.replace("| import | open | ann |", "| import | done | ann |"),
        "| task | state |\n|---|---|\n| import | open |\n| export | open |\n",
    ),
    "an item at another depth with other words": (
        "- a\n- nested under a\n",
        "- a\n  - nested under a\n",
        "- a\n- no more nested under a\n",
    ),
    "a paragraph of which no sentence is left": (
        "First said this. Then that.\n",
        "First told this. Then that.\n",
        "First said this. Then those.\n",
    ),
}


@pytest.mark.parametrize("name", CONFLICTS)
def test_it_is_left_to_a_person(name):
    base, head, incoming = CONFLICTS[name]
    assert merge_text(base, head, incoming) is None
    assert merge_text(base, incoming, head) is None


def test_a_decision_names_its_lines_in_the_merged_text():
    base, head, incoming, expected, _ = CLEAN["rows of one table"]
    (decision,) = merge(base, head, incoming).decisions
    first, last = decision.lines
    assert expected.split("\n")[first - 1 : last] == ["| sync | open | carol |", "| audit | done | dave |"]


def test_what_git_merges_needs_no_decision():
    assert merge("a\n\nb\n\nc\n", "A\n\nb\n\nc\n", "a\n\nb\n\nC\n").decisions == ()


def test_a_hunk_suggests_both_changes_word_by_word():
    (hunk,) = merge(
        "Ship build 41 to staging.\n", "Ship build 42 to staging.\n", "Ship build 41 to production.\n"
    ).hunks
    assert hunk.suggestion == "Ship build 42 to production.\n"


def test_a_hunk_suggests_the_longer_of_two_where_one_change_holds_the_other():
    base, head, incoming = CONFLICTS["a sentence that the other side's longer one does not say"]
    (hunk,) = merge(base, head, incoming).hunks
    assert hunk.suggestion == incoming
    (hunk,) = merge(base, incoming, head).hunks
    assert hunk.suggestion == incoming


def test_a_change_that_went_with_a_moved_block_is_not_lost_in_a_dispute():
    base = "- one\n\nBob writes it down.\n\n## Plan\n"
    head = "- one\n\n---\n\n## Plan\n\nBob writes it down.\n\nAnn reads. Bob writes it down. Ann reads.\n"
    incoming = "- one\n\nAnn reads. Bob writes it down. Ann reads.\n\n## Plan\n\nBob writes it down.\n\nA note.\n"
    merged = merge(base, head, incoming)
    assert "Ann reads. Bob writes it down. Ann reads.\n" in resolve(merged, ["mine"] * len(merged.hunks))


def test_no_line_that_is_broken_anew_begins_another_block():
    base = "The first of these sentences goes on and on, and on. The second one is short.\nThe third is of costs.\n"
    head = base.replace("goes on and on, and on", "goes on and on, and then on - and further")
    merged = merge_text(base, head, base.replace("of costs", "of what it costs"))
    assert merged is not None
    assert not any(line.startswith("- ") for line in merged.split("\n"))


def test_a_hunk_suggests_nothing_where_the_same_words_differ():
    (hunk,) = merge("Ship build 41.\n", "Ship build 42.\n", "Ship build 43.\n").hunks
    assert hunk.suggestion is None


def test_the_path_of_a_hunk_leads_down_the_headings():
    page = "# Plan\n\n## Storage\n\n### Cache\n\nUse {}.\n\n## Other\n\nText.\n"
    (hunk,) = merge(page.format("files"), page.format("memory"), page.format("Redis")).hunks
    assert hunk.path == ("Plan", "Storage", "Cache")
    assert hunk.heading == "Cache"


def test_a_section_taken_out_is_in_dispute_with_its_heading():
    page = "# A\n\nx.\n\n## Later\n\nWe will look at colours.\n\nAnd at sounds.\n"
    (hunk,) = merge(page, page.replace("colours", "shapes"), "# A\n\nx.\n").hunks
    assert hunk.theirs == "## Later\n\nWe will look at shapes.\n\nAnd at sounds.\n"
    assert hunk.mine == ""
