"""The editor's requests: drafts, following the head, sections, and asking before a page is emptied."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from tests.cast import PLAN, Cast
from tests.web.conftest import SignIn
from tests.web.test_documents_write import form_of, text_of, typed
from workspace.models import Commit, Draft
from workspace.queries import documents as reads
from workspace.services import documents, drafts
from workspace.services.drafts import Place

LOCATION = "product/launch/plan.md"
THERE = Place(document=LOCATION)


@pytest.fixture
def bob(signed_in: SignIn, plan: str) -> Client:
    return signed_in("bob")


def keep(client: Client, **sent: str) -> Any:
    return client.post(f"/draft/{LOCATION}", sent)


def test_a_draft_is_kept_and_offered_on_the_next_visit(bob: Client, cast: Cast, plan: str) -> None:
    answer = keep(bob, content=typed(PLAN + "More.\n"), base=plan)
    assert answer.status_code == 200
    assert answer.json()["base"] == plan
    html = bob.get(f"/edit/{LOCATION}").content.decode()
    assert "You have a draft" in html
    assert "More." in html[html.index("draft-data") :]
    shown = bob.get(f"/draft/{LOCATION}").content.decode()
    assert "More." in shown
    form = form_of(bob, f"/edit/{LOCATION}?draft=1")
    assert (form["content"], form["base"]) == (PLAN + "More.\n", plan)
    bob.post(f"/edit/{LOCATION}", {**form, "content": typed(form["content"])})
    assert text_of(cast) == PLAN + "More.\n"
    assert not Draft.objects.exists()


def test_another_window_is_told_of_the_draft_it_would_write_over(bob: Client, plan: str) -> None:
    first = keep(bob, content="one", base=plan).json()
    answer = keep(bob, content="two", base=plan)
    assert answer.status_code == 409
    assert answer.json()["other"]["content"] == "one"
    assert keep(bob, content="one more", base=plan, follows=first["mark"]).status_code == 200


def test_a_draft_is_thrown_away_by_its_form(bob: Client, cast: Cast, plan: str) -> None:
    mark = keep(bob, content="one", base=plan).json()["mark"]
    assert bob.post(f"/draft/{LOCATION}", {"discard": "1", "follows": mark}).status_code == 302
    assert drafts.mine(cast.bob, place=THERE) is None


def test_a_save_of_something_else_leaves_the_draft(bob: Client, cast: Cast, plan: str) -> None:
    form = form_of(bob, f"/edit/{LOCATION}")
    keep(bob, content="typed in another window", base=plan)
    bob.post(f"/edit/{LOCATION}", {**form, "content": typed(PLAN + "More.\n")})
    assert drafts.mine(cast.bob, place=THERE).content == "typed in another window"  # type: ignore[union-attr]


def test_a_conflict_takes_the_draft_with_it(bob: Client, cast: Cast, plan: str) -> None:
    form = form_of(bob, f"/edit/{LOCATION}")
    mine = PLAN.replace("an hour", "a minute")
    keep(bob, content=mine, base=plan)
    documents.edit(cast.alice, location=LOCATION, content=PLAN.replace("an hour", "a day"), expected_commit=plan)
    assert bob.post(f"/edit/{LOCATION}", {**form, "content": typed(mine)}).status_code == 409
    assert not Draft.objects.exists()


def test_a_new_document_is_drafted_in_its_folder(bob: Client, cast: Cast, plan: str) -> None:
    sent = {"content": "# New", "location": "product/launch/new.md"}
    mark = bob.post("/draft-new/product/launch", sent).json()["mark"]
    form = form_of(bob, "/new/document/product/launch?draft=1")
    assert (form["content"], form["location"], form["draft"]) == ("# New", "product/launch/new.md", mark)
    bob.post("/new/document/product/launch", form)
    assert not Draft.objects.exists()


@pytest.mark.parametrize("name", ["carol", "mallory"])
def test_who_may_not_edit_drafts_nothing(signed_in: SignIn, cast: Cast, plan: str, name: str) -> None:
    client = signed_in(name)
    for path in (f"/draft/{LOCATION}", f"/rebase/{LOCATION}", "/draft-new/product/launch"):
        assert client.post(path, {"content": "x", "base": plan}).status_code in (403, 404), path
    assert not Draft.objects.exists()


def rebase(client: Client, **sent: str) -> dict[str, Any]:
    return dict(client.post(f"/rebase/{LOCATION}", sent).json())


def test_what_is_typed_follows_the_head_and_nothing_is_written(bob: Client, cast: Cast, plan: str) -> None:
    mine = PLAN.replace("an hour", "a minute")
    assert rebase(bob, content=typed(mine), base=plan) == {"state": "current"}
    theirs = PLAN.replace("progress bar", "queue")
    head = documents.edit(cast.alice, location=LOCATION, content=theirs, expected_commit=plan)
    before = Commit.objects.count()
    found = rebase(bob, content=typed(mine), base=plan)
    assert found["state"] == "merged"
    assert found["content"] == theirs.replace("an hour", "a minute")
    assert (found["original"], found["base"]) == (theirs, head.commit)  # type: ignore[union-attr]
    assert "Alice" in found["strip"]
    assert Commit.objects.count() == before


def test_what_does_not_fit_is_told_and_left_as_it_is(bob: Client, cast: Cast, plan: str) -> None:
    documents.edit(cast.alice, location=LOCATION, content=PLAN.replace("an hour", "a day"), expected_commit=plan)
    found = rebase(bob, content=typed(PLAN.replace("an hour", "a minute")), base=plan)
    assert found["state"] == "apart"
    assert "content" not in found
    assert "See what changed" in found["strip"]


def test_looking_for_a_newer_version_is_one_query(bob: Client, plan: str, django_assert_max_num_queries: Any) -> None:
    bob.get(f"/newer/{LOCATION}?than={plan}")
    with django_assert_max_num_queries(3):  # the session, the person, and the question
        assert bob.get(f"/newer/{LOCATION}?than={plan}").status_code == 204


def test_a_section_is_edited_alone(bob: Client, cast: Cast, plan: str) -> None:
    form = form_of(bob, f"/edit/{LOCATION}?section=goals")
    assert form["content"].startswith("## Goals")
    assert "Risks" not in form["content"]
    documents.edit(cast.alice, location=LOCATION, content=PLAN.replace("second", "third"), expected_commit=plan)
    bob.post(f"/edit/{LOCATION}", {**form, "content": typed("## Aims\n\nFew.\n")})
    wanted = PLAN.replace("second", "third")
    start, end = wanted.index("## Goals"), wanted.index("\n## Risks")
    assert text_of(cast) == wanted[:start] + "## Aims\n\nFew.\n" + wanted[end:]


def test_a_section_follows_its_own_changes(bob: Client, cast: Cast, plan: str) -> None:
    form = form_of(bob, f"/edit/{LOCATION}?section=goals")
    documents.edit(cast.alice, location=LOCATION, content=PLAN.replace("a thousand", "ten"), expected_commit=plan)
    mine = form["content"] + "\nWe tell nobody before.\n"
    found = rebase(bob, content=typed(mine), base=plan, section="goals")
    assert found["content"] == mine.replace("a thousand", "ten")
    documents.edit(cast.alice, location=LOCATION, content="# Other\n", expected_commit=found["base"])
    assert rebase(bob, content=typed(mine), base=plan, section="goals")["state"] == "apart"


def test_a_section_that_is_gone_leads_to_the_whole(bob: Client) -> None:
    assert bob.get(f"/edit/{LOCATION}?section=none").headers["Location"] == f"/edit/{LOCATION}"


def test_the_draft_of_a_section_goes_on_in_the_section(bob: Client, plan: str) -> None:
    keep(bob, content="## Goals\n\nFew.\n", base=plan, section="goals")
    form = form_of(bob, f"/edit/{LOCATION}?draft=1")
    assert (form["section"], form["content"]) == ("goals", "## Goals\n\nFew.\n")


def test_emptying_a_page_is_asked_about(bob: Client, cast: Cast, plan: str) -> None:
    form = form_of(bob, f"/edit/{LOCATION}")
    answer = bob.post(f"/edit/{LOCATION}", {**form, "content": ""})
    html = unescape(answer.content.decode())
    assert answer.status_code == 422
    assert "takes out nearly all" in html
    assert re.search(r'<input type="checkbox" name="confirm_shrink"', html)
    assert text_of(cast) == PLAN
    again = {**form, "content": "", "confirm_shrink": "on"}
    assert bob.post(f"/edit/{LOCATION}", again).status_code == 302
    assert reads.read(cast.bob, location=LOCATION).content == ""


def test_a_form_from_before_signing_in_again_gives_the_text_back(signed_in: SignIn, cast: Cast, plan: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.people["bob"], backend="allauth.account.auth_backends.AuthenticationBackend")
    answer = client.post(f"/edit/{LOCATION}", {"content": "the precious text", "base": plan})
    assert answer.status_code == 403
    assert "the precious text" in answer.content.decode()
    assert f'href="/edit/{LOCATION}"' in answer.content.decode()
