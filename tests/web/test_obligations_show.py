"""The page of obligations: sessions with their stages, counters, filters in the address, and one session in full."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.cast import Cast
from tests.services.sessions import ASK, LAUNCH, ask, attach, keep
from tests.web.conftest import SignIn
from workspace.jobs import work
from workspace.models import Job, JobKind, JobState
from workspace.services import contexts, folders

MOST_QUERIES = 25


def text(response: Any) -> str:
    assert response.status_code == 200
    return str(response.content.decode())


def said(html: str) -> str:
    """The words of the page itself, without tags and runs of blanks."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html.partition("<main")[2].partition("</main>")[0]))


@pytest.fixture
def loop(cast: Cast, plan: str) -> str:
    """A session of scout that was read again by rover's; the capture that it handed off."""
    work.drain(seconds=30)
    attach(cast.scout, ask(cast.scout))
    kept = keep(cast.scout)
    work.drain(seconds=30)
    attach(cast.rover, ask(cast.rover, session="r7", prompt="Where does the import run?"))
    return kept


def test_a_reader_sees_each_stage_who_read_it_again_and_the_counters(signed_in: SignIn, loop: str) -> None:
    words = said(text(signed_in("carol").get("/obligations?state=closed")))
    for stage in ("Invoked", "Retrieved", "Attached", "Captured", "Acknowledged", "Summarised", "Indexed"):
        assert f"Done: {stage}" in words
    assert "Read again by session r7 of rover for Bob" in words
    assert "1 of 1 handoff closed its loop." in words
    assert "Claude Code · product/launch · s1" in words
    assert re.search(r"Invoked 2 .*Withheld 0 .*Read again 1 ", words)


def test_charts_are_drawn_by_the_server_with_their_figures_in_words(signed_in: SignIn, loop: str) -> None:
    response = signed_in("carol").get("/obligations?days=7")
    html = text(response)
    assert html.count('<svg class="chart"') == 9
    assert re.search(r'role="img" aria-label="invoked: 2 from \d+ \w+ to \d+ \w+, at most 2 on one day"', html)
    assert html.count("<title>") >= 63
    assert " style=" not in html
    assert "unsafe-inline" not in response["Content-Security-Policy"]


def test_a_stranger_sees_an_explanation_and_no_trace(signed_in: SignIn, cast: Cast, loop: str) -> None:
    mallory = signed_in("mallory")
    html = text(mallory.get("/obligations"))
    assert "No session in 30 days" in html
    assert "its hook asks for context before every prompt" in html
    for hidden in ("scout", "rover", "Claude Code", "product/launch", "r7"):
        assert hidden not in said(html)
    assert mallory.get(f"/obligations/{loop}").status_code == 404
    refused = mallory.get("/obligations?folder=product/launch")
    absent = mallory.get("/obligations?folder=product/absent")
    assert (refused.status_code, absent.status_code) == (422, 422)
    assert said(refused.content.decode()).replace("launch", "absent") == said(absent.content.decode())


def test_what_failed_stands_on_top_with_its_reason(signed_in: SignIn, cast: Cast, loop: str) -> None:
    kept = keep(cast.rover, session="broken", name="rover")
    Job.objects.filter(kind=JobKind.SUMMARISE, target=kept).update(
        state=JobState.FAILED, attempts=5, last_error="The engine did not answer."
    )
    ask(cast.scout, session="newer")
    words = said(text(signed_in("alice").get("/obligations")))
    assert words.index("What failed") < words.index("broken") < words.index("All else") < words.index("newer")
    assert "Summarised gave up after 5 tries: The engine did not answer." in words
    assert "Failed jobs" in words


def test_filters_stand_in_the_address_and_in_every_link(signed_in: SignIn, cast: Cast, loop: str) -> None:
    html = text(signed_in("alice").get(f"/obligations?host=codex&agent={cast.rover.agent}&days=90&folder=product"))
    assert '<option value="codex" selected>Codex</option>' in html
    assert f'<option value="{cast.rover.agent}" selected>rover for Bob</option>' in html
    assert '<option value="90" selected>90 days</option>' in html
    assert 'name="folder" value="product"' in html
    assert f"?host=codex&amp;agent={cast.rover.agent}&amp;days=90&amp;folder=product&amp;state=closed" in html
    assert "s1" not in said(html)
    assert "r7" in said(html)


@pytest.mark.parametrize(
    "asked", ["state=nothing", "days=8", "host=%00", "folder=%00", "folder=a//b", "cursor=x", "agent=" + "a" * 300]
)
def test_a_wrong_address_is_told_and_not_a_fault(signed_in: SignIn, cast: Cast, asked: str) -> None:
    response = signed_in("alice").get(f"/obligations?{asked}")
    assert response.status_code == 422
    assert 'role="alert"' in response.content.decode()


def test_pages_follow_each_other_by_a_cursor(signed_in: SignIn, cast: Cast, plan: str) -> None:
    for number in range(23):
        ask(cast.scout, session=f"session-{number:02}")
    alice = signed_in("alice")
    first = text(alice.get("/obligations?days=7"))
    cursor = re.search(r'href="(\?days=7&amp;cursor=[^"]+)"', first)
    assert cursor
    second = text(alice.get("/obligations" + cursor[1].replace("&amp;", "&")))
    seen = [set(re.findall(r"session-\d\d", said(page))) for page in (first, second)]
    assert (len(seen[0]), len(seen[1]), len(seen[0] | seen[1])) == (20, 3, 23)


def test_a_session_shows_its_prompts_with_citations_and_its_captures(
    signed_in: SignIn, cast: Cast, plan: str, loop: str
) -> None:
    found = ask(cast.scout, prompt="When is the launch?")
    contexts.report(cast.scout, receipt=found.receipt, stage="withheld", reason="the host did not take it")
    html = text(signed_in("carol").get(f"/obligations/{loop}"))
    words = said(html)
    assert f"{len('When is the launch?')} characters asked" in words
    assert "of 8000 used" in words
    assert "Withheld: the host did not take it" in words
    assert f"{len(ASK)} characters asked" in words
    assert f'href="/d/product/launch/plan.md?at={plan}"' in html
    assert f'href="/captures/{loop}"' in html
    assert "Read again by session r7 of rover for Bob" in words
    assert ASK not in html


def test_captures_and_agents_lead_to_their_sessions(signed_in: SignIn, cast: Cast, loop: str) -> None:
    alice = signed_in("alice")
    assert f'href="/obligations/{loop}"' in text(alice.get(f"/captures/{loop}"))
    assert f'href="/obligations?agent={cast.scout.agent}"' in text(alice.get(f"/agents/{cast.scout.agent}"))
    assert 'href="/obligations"' in text(alice.get("/"))
    assert "scout" in said(text(alice.get(f"/obligations?agent={cast.scout.agent}")))


def test_a_page_takes_as_many_queries_for_many_sessions_as_for_one(signed_in: SignIn, cast: Cast, loop: str) -> None:
    alice = signed_in("alice")
    counted = []
    for more in (0, 12):
        for number in range(more):
            session = f"{more}-{number}"
            attach(cast.scout, ask(cast.scout, session=session))
            keep(cast.scout if number % 2 else cast.rover, session=session, name=session)
        work.drain(seconds=60)
        for address in ("/obligations", f"/obligations/{loop}"):
            alice.get(address)
            with CaptureQueriesContext(
                connection,
            ) as queries:
                text(alice.get(address))
            counted.append(len(queries))
    assert counted[2] <= counted[0]
    assert counted[3] <= counted[1]
    assert max(counted) <= MOST_QUERIES


def test_help_says_what_each_stage_means(signed_in: SignIn) -> None:
    words = said(text(signed_in("mallory").get("/help/obligations")))
    assert "another session of an agent" in words
    assert "/api/v1/receipts?session=" in words


def test_a_session_in_a_folder_of_odd_name_is_linked(signed_in: SignIn, cast: Cast) -> None:
    folders.create(cast.alice, location="product/a b%2F<i>?x#1")
    attach(cast.scout, ask(cast.scout, location="product/a b%2F<i>?x#1", session="<b>&'\""))
    html = text(signed_in("alice").get("/obligations"))
    assert 'href="/f/product/a%20b%252F%3Ci%3E%3Fx%231"' in html
    assert "<b>&'" not in html
    found = re.search(r'href="(/obligations/rcp_[^"]+)"', html)
    assert found
    assert "&lt;b&gt;&amp;" in text(signed_in("alice").get(found[1]))
    assert LAUNCH not in said(html)
