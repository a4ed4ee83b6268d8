"""Search finds what it should, in any script, and nothing else."""

import pytest

from tests.cast import Cast
from workspace.actor import Actor, Via
from workspace.errors import Invalid, NotFound
from workspace.jobs import work
from workspace.models import Commit, Document
from workspace.queries.search import Hit, search
from workspace.services import agents, bearer, documents, folders, sharing

LAUNCH = "product/launch"


def write(cast: Cast, name: str, content: str, *, folder: str = LAUNCH) -> str:
    return documents.create(cast.alice, location=f"{folder}/{name}", content=content).commit


def names(hits: tuple[Hit, ...]) -> list[str]:
    return list(dict.fromkeys(hit.location.rpartition("/")[2] for hit in hits))


def index() -> None:
    work.drain(seconds=30)


def test_a_hit_says_where_it_stands_who_wrote_it_and_how_fresh_it_is(cast: Cast, plan: str) -> None:
    index()
    (hit, *_) = search(cast.bob, q="thousand teams")
    document = Document.objects.get(name="plan.md")
    assert (hit.location, hit.id, hit.title) == (f"{LAUNCH}/plan.md", document.pk, "Launch plan")
    assert hit.heading == "Launch plan > Goals"
    assert hit.lines == (5, 8)
    assert hit.citation == f"{LAUNCH}/plan.md@{plan}#L5-L8"
    assert hit.author.label == "Alice"
    assert hit.committed_at == Commit.objects.get(pk=plan).created_at
    assert (hit.indexed_at, hit.stale, hit.superseded_by) == (document.indexed_at, False, None)
    assert hit.snippet == "Goals: We want a thousand teams in the first month. Support answers within an hour."
    assert [hit.snippet[a:b] for a, b in hit.highlights] == ["thousand", "teams"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("発売日", "新しい発売日は三月九日です。"),
        ("发布计划", "我们的发布计划已经改变。"),
        ("계획", "새로운 계획을 세웠다."),
        ("перенос запуска", "Решили: перенос запуска на март."),
        ("naive cafe", "A naïve plan made in a café."),
        ("naïve CAFÉ", "A naive plan made in a cafe."),
        ("C++", "The parser is written in C++ today."),
        ("ab", "The ab test ran for a week."),
        ("user_id", "The column user_id is indexed."),
        ("v2.1.3", "Fixed in v2.1.3 of the importer."),
        ("getUserName", "Call getUserName first."),
        ("user name", "Call getUserName first."),
        ("ราคา", "ราคาใหม่เริ่มเดือนหน้า"),
        ("don't", "We don't ship on Fridays."),
        ("'; DROP TABLE x; --", "Somebody wrote drop table here."),
        ("\\' & | ! ( :* <->", None),
    ],
)
def test_every_script_and_spelling_is_found(cast: Cast, query: str, text: str | None) -> None:
    write(cast, "other.md", "# Other\n\nSomething else entirely, of no relation.\n")
    write(cast, "wanted.md", f"# Wanted\n\n{text}\n")
    index()
    found = names(search(cast.alice, q=query, mode="text"))
    assert found[:1] == ([] if text is None else ["wanted.md"])


@pytest.mark.parametrize("query", ["", " ", "?!…", "。、", "\x00", "— ** —", "\ud800", "(((("])
def test_a_query_without_a_word_finds_nothing_at_all(cast: Cast, plan: str, query: str) -> None:
    index()
    assert search(cast.alice, q=query) == ()


def test_a_rare_word_counts_more_than_common_ones(cast: Cast) -> None:
    for number in range(30):
        write(cast, f"common-{number}.md", f"The launch of the import is on the day {number} of the launch.\n")
    write(cast, "rare.md", "The zeppelin is mentioned once in this long note of many other words.\n")
    index()
    assert names(search(cast.alice, q="the launch of the zeppelin"))[0] == "rare.md"


def test_the_whole_document_helps_its_passage(cast: Cast) -> None:
    filler = "Nothing of interest is told in this sentence. " * 30
    write(cast, "about.md", f"# Widgets\n\nwidget price\n\n# More\n\n{filler}\n\n# End\n\nwidget widget\n")
    write(cast, "aside.md", f"# Aside\n\nwidget price\n\n# More\n\n{filler}\n")
    index()
    assert names(search(cast.alice, q="widget price", mode="text"))[0] == "about.md"


def test_titles_and_names_are_found(cast: Cast, plan: str) -> None:
    write(cast, "rollback-procedure.md", "Switch the flag off.\n")
    index()
    assert names(search(cast.alice, q="launch plan", mode="titles")) == ["plan.md"]
    assert names(search(cast.alice, q="rollback", mode="titles")) == ["rollback-procedure.md"]
    assert names(search(cast.alice, q="rollb", mode="titles")) == ["rollback-procedure.md"]
    assert search(cast.alice, q="thousand teams", mode="titles") == ()
    assert search(cast.alice, q="rollback", mode="text") == ()
    assert names(search(cast.alice, q="rollback")) == ["rollback-procedure.md"]


def test_a_document_that_is_not_indexed_yet_is_found_by_its_title_and_says_so(cast: Cast, plan: str) -> None:
    (hit,) = search(cast.alice, q="launch plan")
    assert (hit.location, hit.lines, hit.indexed_at, hit.stale) == (f"{LAUNCH}/plan.md", None, None, True)
    assert hit.citation == f"{LAUNCH}/plan.md@{plan}"
    assert search(cast.alice, q="thousand teams") == ()


def test_a_hit_from_behind_the_head_is_marked_stale_until_it_is_indexed(cast: Cast, plan: str) -> None:
    index()
    documents.substitute(cast.bob, location=f"{LAUNCH}/plan.md", old_string="thousand", new_string="million")
    (hit, *_) = search(cast.alice, q="thousand teams", mode="text")
    assert (hit.stale, hit.commit) == (True, plan)
    index()
    (hit, *_) = search(cast.alice, q="million teams", mode="text")
    assert not hit.stale
    assert hit.author.label == "Bob"


def test_a_moved_document_is_found_by_its_new_name_at_once(cast: Cast, plan: str) -> None:
    index()
    documents.move(cast.alice, source=f"{LAUNCH}/plan.md", target=f"{LAUNCH}/roadmap.md")
    assert names(search(cast.alice, q="roadmap")) == ["roadmap.md"]
    index()
    assert names(search(cast.alice, q="roadmap", mode="titles")) == ["roadmap.md"]


@pytest.mark.parametrize(
    ("front", "by"),
    [
        ("superseded_by: product/launch/new.md", "product/launch/new.md"),
        ("status: Superseded", "unknown"),
        ("status: accepted", None),
        ("status: [unclosed", None),
    ],
)
def test_a_superseded_document_says_so(cast: Cast, front: str, by: str | None) -> None:
    write(cast, "old.md", f"---\n{front}\n---\n# Old decision\n\nWe ship zeppelins.\n")
    index()
    (hit,) = search(cast.alice, q="zeppelins")
    assert hit.superseded_by == by


def test_a_location_narrows_and_a_wrong_one_is_not_found(cast: Cast, plan: str) -> None:
    write(cast, "plan.md", "# Beach plan\n\nA thousand umbrellas.\n", folder="beach")
    index()
    assert {hit.location for hit in search(cast.alice, q="thousand")} == {f"{LAUNCH}/plan.md", "beach/plan.md"}
    assert [hit.location for hit in search(cast.alice, q="thousand", location="beach")] == ["beach/plan.md"]
    assert [h.location for h in search(cast.alice, q="thousand", location="beach/plan.md")] == ["beach/plan.md"]
    assert [h.location for h in search(cast.bob, q="thousand", location="product")] == [f"{LAUNCH}/plan.md"]
    folders.create(cast.alice, location="empty")
    assert search(cast.alice, q="thousand", location="empty") == ()
    for place in ("beach", "beach/plan.md", "beach/none.md", "none", "none/at/all.md"):
        with pytest.raises(NotFound):
            search(cast.bob, q="thousand", location=place)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"q": "x", "mode": "meaning"}, "mode"),
        ({"q": "x", "mode": "magic"}, "mode"),
        ({"q": "x" * 4_001}, "q"),
        ({"q": 7}, "q"),
        ({"q": "x", "limit": 0}, "limit"),
        ({"q": "x", "limit": 101}, "limit"),
        ({"q": "x", "location": "a//b"}, "location"),
    ],
)
def test_bad_input_is_named(cast: Cast, given: dict[str, object], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        search(cast.alice, **given)  # type: ignore[arg-type]
    assert refused.value.errors[0].field == field


def test_answers_are_bounded(cast: Cast) -> None:
    sections = "".join(f"# Part {n}\n\n{'zeppelin ' * 120}\n\n" for n in range(12))
    for number in range(4):
        write(cast, f"long-{number}.md", sections)
    index()
    hits = search(cast.alice, q="zeppelin", limit=5)
    assert len(hits) == 5
    assert max(len(hit.snippet) for hit in hits) <= 282
    assert len(search(cast.alice, q="zeppelin")) == 8, "two passages of each document"


# -- what the actor may not read -----------------------------------------------


def test_nothing_hidden_is_found_or_told(cast: Cast, plan: str) -> None:
    """Another's documents change neither the hits nor a single score."""
    write(cast, "extra.md", "# Extra\n\nThe import of teams, and the launch.\n")
    index()
    queries = ("teams", "launch import", "zeppelin", "thousand support", "plan")
    before = [search(cast.carol, q=query) for query in queries]
    for number in range(20):
        write(cast, f"secret-{number}.md", "# Teams plan\n\nzeppelin teams launch thousand\n", folder="secret")
    index()
    assert [search(cast.carol, q=query) for query in queries] == before
    assert search(cast.mallory, q="zeppelin") == ()
    assert names(search(cast.alice, q="zeppelin"))


def test_a_revoked_grant_ends_it_at_once(cast: Cast, plan: str) -> None:
    index()
    assert search(cast.carol, q="thousand")
    sharing.revoke(cast.alice, location=LAUNCH, subject="carol@example.org")
    assert search(cast.carol, q="thousand") == ()


def test_a_deleted_document_is_gone_before_the_index_knows(cast: Cast, plan: str) -> None:
    index()
    documents.delete(cast.alice, location=f"{LAUNCH}/plan.md")
    assert search(cast.alice, q="thousand") == ()
    assert search(cast.alice, q="plan") == ()


def test_an_editors_text_is_found_like_the_owners(cast: Cast) -> None:
    documents.create(cast.rover, location=f"{LAUNCH}/by-rover.md", content="A zeppelin by rover.\n")
    index()
    (hit,) = search(cast.carol, q="zeppelin")
    assert (hit.author.kind, hit.author.label, hit.author.person_label) == ("agent", "rover", "Bob")


def test_the_number_of_queries_does_not_depend_on_the_hits(cast: Cast, plan: str, django_assert_num_queries) -> None:  # type: ignore[no-untyped-def]
    for number in range(12):
        write(cast, f"n-{number}.md", "thousand zeppelins\n")
    index()
    alice = cast.alice
    with django_assert_num_queries(4):
        search(alice, q="thousand")


def test_an_agent_finds_no_more_than_its_scopes_reach(cast: Cast, plan: str) -> None:
    write(cast, "other.md", "A thousand umbrellas.\n", folder="beach")
    index()
    token = agents.create(cast.alice, name="narrow", scopes=("viewer@beach",)).token
    narrow = bearer.authenticate(token, via=Via.MCP)
    assert [hit.location for hit in search(narrow, q="thousand")] == ["beach/other.md"]
    with pytest.raises(NotFound):
        search(narrow, q="thousand", location=LAUNCH)
    assert search(Actor.for_job("nobody", scopes=()), q="thousand") == ()
