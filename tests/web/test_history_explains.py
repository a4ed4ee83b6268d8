"""History that explains: who wrote a sentence and why, what a merge settled, what changed since one last read."""

import re
from datetime import UTC, datetime

import pytest
from django.test import Client

from tests.cast import PLAN, Cast
from tests.web.conftest import SignIn
from workspace.models import Document
from workspace.queries import authorship, documents, history
from workspace.services import documents as services
from workspace.services import replay

LOCATION = "product/launch/plan.md"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def edited(cast: Cast, plan: str) -> str:
    """rover's edit of one sentence, with why."""
    return services.substitute(
        cast.rover,
        location=LOCATION,
        old_string="a thousand teams",
        new_string="two thousand teams",
        message="Aim higher",
        reason="The pilot went well",
    ).commit


def who(client: Client, **query: object) -> str:
    response = client.get(f"/who/{LOCATION}", {**query}, headers=HTMX)
    assert response.status_code == 200
    return response.content.decode()


def test_a_sentence_tells_who_wrote_it_when_and_why(signed_in: SignIn, edited: str) -> None:
    html = who(signed_in("carol"), lines="7-7", words="two thousand teams in", skip=6)
    assert "We want two thousand teams in the first month." in html
    assert "Aim higher" in html
    assert "The pilot went well" in html
    assert "rover" in html
    assert edited in html
    assert "Alice" in html, "the rest of the sentence is hers"


def test_the_sentence_beside_it_is_its_own_authors(signed_in: SignIn, edited: str) -> None:
    carol = signed_in("carol")
    html = who(carol, lines="7-7", words="Support answers")
    assert "Support answers within an hour." in html
    assert "Aim higher" not in html
    before = re.search(r"offset=(\d+)\"[^>]*>.{0,200}Sentence before", html, re.DOTALL)
    assert before is not None
    assert "We want two thousand" in who(carol, offset=before[1])


@pytest.mark.parametrize(
    ("into", "said"),
    [
        (len("thefirstmont"), "We want two thousand teams in the first month."),
        (len("thefirstmonth"), "Support answers within an hour."),
        (len("thefirstmonthSupportans"), "Support answers within an hour."),
        (999_999_999, "Support answers within an hour."),
        ("many", "We want two thousand teams in the first month."),
    ],
)
def test_the_place_in_the_words_decides_between_two_sentences(
    signed_in: SignIn, edited: str, into: int | str, said: str
) -> None:
    html = who(signed_in("carol"), lines="7-7", words="the first month. Support answers", into=into)
    assert f'<blockquote class="who-quote">{said}</blockquote>' in html


def test_a_moved_paragraph_still_tells_its_author(signed_in: SignIn, cast: Cast, edited: str) -> None:
    text = documents.read(cast.alice, location=LOCATION).content
    goals = text[text.index("## Goals") : text.index("## Risks")]
    services.edit(
        cast.bob, location=LOCATION, content=text.replace(goals, "").rstrip() + "\n\n" + goals, expected_commit=edited
    )
    carol = signed_in("carol")
    moved = documents.read(cast.alice, location=LOCATION).content
    assert "Aim higher" in who(carol, offset=moved.index("two thousand"))
    page = carol.get(f"/blame/{LOCATION}?view=sentence")
    wrote = {sentence.text: sentence.commits[0].author.label for sentence in page.context["blame"].sentences}
    assert set(wrote.values()) == {"Alice"}
    assert {"## Goals", "Support answers within an hour."} <= set(wrote)


def test_without_script_it_leads_to_the_line_of_the_blame_page(signed_in: SignIn, edited: str) -> None:
    response = signed_in("carol").get(f"/who/{LOCATION}", {"lines": "7-7", "words": "Support answers"})
    assert response.status_code == 302
    assert response["Location"] == f"/blame/{LOCATION}?at={edited}#L7"


@pytest.mark.parametrize("query", [{}, {"offset": "999999"}, {"lines": "900-901"}, {"lines": "x", "skip": "-1"}])
def test_a_place_that_is_not_there_is_answered_with_one_that_is(signed_in: SignIn, plan: str, query: dict) -> None:
    assert "who-quote" in who(signed_in("carol"), **query)


def test_an_offset_that_is_no_number_and_an_empty_document_are_told(signed_in: SignIn, cast: Cast, plan: str) -> None:
    carol = signed_in("carol")
    assert carol.get(f"/who/{LOCATION}?offset=x", headers=HTMX).status_code == 422
    services.create(cast.alice, location="product/launch/empty.md", content="")
    html = carol.get("/who/product/launch/empty.md?offset=0", headers=HTMX).content.decode()
    assert "There is no text here" in html


def test_who_read_an_older_version_may_compare_with_it(signed_in: SignIn, cast: Cast, plan: str) -> None:
    carol, bob = signed_in("carol"), signed_in("bob")
    assert "last read" not in carol.get(f"/d/{LOCATION}").content.decode()
    first = services.append(cast.bob, location=LOCATION, content="One.").commit
    second = services.append(cast.bob, location=LOCATION, content="Two.").commit
    html = carol.get(f"/d/{LOCATION}").content.decode()
    assert "There are 2 new versions since you read this" in html
    assert f"/diff/{LOCATION}?from={plan}&amp;to={second}" in html
    assert "last read" not in carol.get(f"/d/{LOCATION}").content.decode(), "now it is read"
    bob.get(f"/d/{LOCATION}?at={first}")
    assert "last read" not in bob.get(f"/d/{LOCATION}").content.decode(), "bob wrote it"


def test_the_timeline_draws_a_merge_and_lists_what_it_settled(signed_in: SignIn, cast: Cast, plan: str) -> None:
    listed = PLAN + "\n- one item of the list\n"
    base = services.edit(cast.alice, location=LOCATION, content=listed, expected_commit=plan).commit
    services.edit(cast.bob, location=LOCATION, content=listed + "- bob adds a desk\n", expected_commit=base)
    merged = services.edit(
        cast.scout,
        location=LOCATION,
        content=listed + "- scout adds a chair\n",
        expected_commit=base,
        on_conflict="merge",
    )
    html = signed_in("carol").get(f"/history/{LOCATION}").content.decode()
    rows = re.findall(r'<li class="(moment[^"]*)"', html)
    assert ["lane-merge" in rows[0], "lane-beside" in rows[1], "lane-fork" in rows[2]] == [True, True, True]
    assert "lane" not in rows[3]
    assert "1 thing settled by the merge" in html
    assert "both added to one list or table" in html
    change = signed_in("carol").get(f"/diff/{LOCATION}?to={merged.commit}").content.decode()
    assert "both added to one list or table" in change


def test_a_diff_between_any_two_versions_tells_who_made_each_change(
    signed_in: SignIn, cast: Cast, plan: str, edited: str
) -> None:
    services.append(cast.bob, location=LOCATION, content="The end.")
    html = signed_in("carol").get(f"/diff/{LOCATION}?from={plan}").content.decode()
    authors = html[html.index("diff-authors") :]
    assert "rover" in authors
    assert "Bob" in authors


def test_a_diff_over_a_move_says_from_where_to_where(signed_in: SignIn, cast: Cast, plan: str) -> None:
    moved = "product/launch/plans/spring.md"
    services.move(cast.alice, source=LOCATION, target=moved)
    html = signed_in("carol").get(f"/diff/{moved}?from={plan}").content.decode()
    assert f'Moved from <span class="mono">{LOCATION}</span> to <span class="mono">{moved}</span>' in html


@pytest.mark.parametrize("view", ["side", "inline"])
def test_a_paragraph_broken_anew_is_formatting_only(signed_in: SignIn, cast: Cast, plan: str, view: str) -> None:
    services.edit(
        cast.bob, location=LOCATION, content=PLAN.replace("March. Every", "March.\nEvery"), expected_commit=plan
    )
    html = signed_in("carol").get(f"/diff/{LOCATION}?view={view}").content.decode()
    assert "No word differs" in html
    assert "Formatting only" in html
    assert "data-change " not in html


def test_an_editor_restores_one_section_and_the_rest_stays(signed_in: SignIn, cast: Cast, plan: str) -> None:
    services.edit(
        cast.alice,
        location=LOCATION,
        content=PLAN.replace("a thousand", "ten").replace("a progress bar", "a queue"),
        expected_commit=plan,
    )
    bob = signed_in("bob")
    assert f"/restore-section/{LOCATION}?commit={plan}" in bob.get(f"/history/{LOCATION}").content.decode()
    page = bob.get(f"/restore-section/{LOCATION}?commit={plan}")
    states = {item["section"].title: item["state"] for item in page.context["sections"]}
    assert states == {"Launch plan": "differs", "Goals": "differs", "Risks": "differs"}
    form = {"commit": plan, "base": page.context["now"].commit, "section": "#goals", "key": "k"}
    done = bob.post(f"/restore-section/{LOCATION}", form, follow=True)
    assert done.redirect_chain[0][0] == f"/d/{LOCATION}"
    assert documents.read(cast.bob, location=LOCATION).content == PLAN.replace("a progress bar", "a queue")
    newest = history.log(cast.bob, location=LOCATION).items[0]
    assert newest.message == f"Restore “#goals” of {plan[:8]}"
    bob.post(f"/restore-section/{LOCATION}", form)
    assert history.log(cast.bob, location=LOCATION).items[0].id == newest.id, "a double click is one version"


LONG = f"# Plan\n\n## All\n\n{'It says much. ' * 200}\n\n## Rest\n\nFew.\n"
SHORT = "# Plan\n\n## All\n\nFew.\n\n## Rest\n\nFew.\n"


@pytest.mark.parametrize(("address", "part"), [("restore", {}), ("restore-section", {"section": "#all"})])
def test_what_leaves_next_to_nothing_comes_back_with_a_tick(
    signed_in: SignIn, cast: Cast, plan: str, address: str, part: dict[str, str]
) -> None:
    short = services.edit(cast.bob, location=LOCATION, content=SHORT, expected_commit=plan).commit  # type: ignore[union-attr]
    long = services.edit(cast.bob, location=LOCATION, content=LONG, expected_commit=short).commit  # type: ignore[union-attr]
    bob = signed_in("bob")
    tick = 'name="confirm_shrink"'
    assert tick not in bob.get(f"/restore-section/{LOCATION}?commit={short}").content.decode()
    form = {"commit": short, "base": long, "key": "k", **part}
    asked = bob.post(f"/{address}/{LOCATION}", form)
    html = asked.content.decode()
    assert asked.status_code == 422
    assert html.count(tick) == 1
    assert documents.read(cast.bob, location=LOCATION).commit == long
    # It stands in the form that was sent, which says what it said.
    [asking] = [one for one in html.split("<form ") if tick in one.partition("</form>")[0]]
    assert f'action="/{address}/{LOCATION}"' in asking
    assert re.findall(r'value="([^"]*)"[^>]* checked', html) == list(part.values())
    assert bob.post(f"/{address}/{LOCATION}", {**form, "confirm_shrink": "on"}).status_code == 302
    assert documents.read(cast.bob, location=LOCATION).content == SHORT


def test_a_section_that_is_not_there_is_told_on_the_form(signed_in: SignIn, plan: str) -> None:
    page = signed_in("bob").post(f"/restore-section/{LOCATION}", {"commit": plan, "section": "Nowhere"})
    assert page.status_code == 422
    assert "o section is called" in page.content.decode()


def test_a_reader_is_offered_no_restoring(signed_in: SignIn, cast: Cast, plan: str) -> None:
    services.append(cast.bob, location=LOCATION, content="More.")
    carol = signed_in("carol")
    assert "restore-section" not in carol.get(f"/history/{LOCATION}").content.decode()
    assert carol.get(f"/restore-section/{LOCATION}?commit={plan}").status_code == 403
    assert carol.post(f"/restore-section/{LOCATION}", {"commit": plan, "section": "Goals"}).status_code == 403


def test_blank_lines_of_the_blame_page_go_with_the_paragraph_above(signed_in: SignIn, cast: Cast, plan: str) -> None:
    services.edit(
        cast.bob,
        location=LOCATION,
        content=PLAN.replace(
            "Everybody knows their part.\n\n", "Everybody knows their part.\n\nBob writes a paragraph.\n\n\n"
        ),
        expected_commit=plan,
    )
    response = signed_in("carol").get(f"/blame/{LOCATION}")
    drawn = [[number for number, _ in run["lines"]] for run in response.context["runs"]]
    assert drawn == [[1, 2, 3, 4], [5, 6, 7], [8, 9, 10, 11, 12, 13, 14]]


def test_what_is_not_known_yet_is_not_said_to_be_somebodys(
    signed_in: SignIn, plan: str, edited: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authorship, "STEPS", 1)
    carol = signed_in("carol")
    html = who(carol, lines="7-7", words="Support answers")
    assert "or one before it" in html
    assert "Alice" not in html
    assert "still being read" in carol.get(f"/blame/{LOCATION}").content.decode()
    monkeypatch.undo()
    assert "still being read" not in carol.get(f"/blame/{LOCATION}").content.decode()


def test_a_merge_that_came_with_a_repository_says_that_it_was_made_elsewhere(signed_in: SignIn, cast: Cast) -> None:
    made: list[str] = []
    for number, parents in enumerate([[], [0], [0], [1, 2]]):
        found = replay.commit(
            cast.alice,
            document=Document.objects.get(name="old.md").pk if made else None,
            location="product/launch/old.md",
            content=f"Text {number}.\n",
            at=datetime(2024, 5, 1 + number, tzinfo=UTC),
            parents=[made[parent] for parent in parents],
            reason=f"Imported, git {number:040x}, SHA-256 {'0' * 64}",
        )
        made.append(found.commit)
    carol = signed_in("carol")
    html = carol.get("/history/product/launch/old.md").content.decode()
    assert html.count("Merged elsewhere") == 1
    assert "Merged elsewhere" in carol.get("/diff/product/launch/old.md").content.decode()
    assert "Merged elsewhere" not in carol.get(f"/diff/product/launch/old.md?to={made[2]}").content.decode()
