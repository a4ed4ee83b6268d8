"""The page that settles a conflict, without a browser: what it shows, what it keeps, and what it costs."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.cast import PLAN, Cast
from tests.web.conftest import SignIn
from workspace.models import AuditEntry, Settling
from workspace.queries import documents, settling
from workspace.services import documents as services
from workspace.services import sharing

pytestmark = pytest.mark.django_db

LOCATION = "product/launch/plan.md"
THEIRS = PLAN.replace("a thousand", "nine hundred").replace("a progress bar", "a queue")
MINE = PLAN.replace("a thousand", "two thousand").replace("a progress bar", "a pause")


@pytest.fixture
def conflict(cast: Cast, plan: str) -> str:
    """Scout and then bob changed two sentences differently."""
    services.edit(cast.scout, location=LOCATION, content=THEIRS, expected_commit=plan, message="As counted")
    kept = services.edit(cast.bob, location=LOCATION, content=MINE, expected_commit=plan, message="As hoped")
    return str(kept.conflict)  # type: ignore[union-attr]


def form_of(client: Client, conflict: str) -> dict[str, str]:
    view = client.get(f"/conflicts/{conflict}").context["view"]
    return {"expected_commit": view.current_commit, "places": str(len(view.hunks))}


def checked(response: Any) -> dict[str, str]:
    """The choices of the page by the name of their field."""
    return dict(re.findall(r'name="(choice-\d+)" value="(\w+)"[^>]* checked', response.content.decode()))


def test_the_page_says_who_wrote_what_and_marks_the_words(signed_in: SignIn, conflict: str) -> None:
    html = signed_in("alice").get(f"/conflicts/{conflict}").content.decode()
    assert "<del>a</del><ins>two</ins> thousand teams" in html
    assert "<ins>nine hundred</ins>" in html
    assert "0 of 2 decided" in html
    for said in ("scout", "Bob", "As counted", "As hoped", "Goals"):
        assert said in html


def test_who_wrote_a_place_is_told_though_others_wrote_since(signed_in: SignIn, cast: Cast, conflict: str) -> None:
    head = documents.read(cast.alice, location=LOCATION).commit
    later = THEIRS.replace("second of March", "third of March")
    services.edit(cast.alice, location=LOCATION, content=later, expected_commit=head, message="A day on")
    places = signed_in("bob").get(f"/conflicts/{conflict}").context["places"]
    assert [place.wrote.message for place in places] == ["As counted", "As counted"]


def test_choices_are_kept_and_come_back(signed_in: SignIn, conflict: str) -> None:
    bob = signed_in("bob")
    sent = {**form_of(bob, conflict), "choice-0": "mine", "choice-1": "text", "text-1": "\nWithin two.\r\n"}
    assert bob.post(f"/conflicts/{conflict}/choices", sent).status_code == 200
    again = signed_in("bob").get(f"/conflicts/{conflict}")
    assert checked(again) == {"choice-0": "mine", "choice-1": "text"}
    # A parser drops the first line end inside a textarea, so that one stands before the text's own.
    assert 'rows="4" spellcheck="true">\n\nWithin two.\n</textarea>' in again.content.decode()
    assert checked(signed_in("alice").get(f"/conflicts/{conflict}")) == {}


def test_choices_that_still_fit_are_kept_when_the_document_moves_on(
    signed_in: SignIn, cast: Cast, conflict: str
) -> None:
    bob = signed_in("bob")
    form = form_of(bob, conflict)
    bob.post(f"/conflicts/{conflict}/choices", {**form, "choice-0": "mine", "choice-1": "base"})
    services.edit(
        cast.alice,
        location=LOCATION,
        content=THEIRS.replace("nine hundred", "eight hundred"),
        expected_commit=form["expected_commit"],
    )
    page = bob.get(f"/conflicts/{conflict}")
    assert checked(page) == {"choice-1": "base"}
    assert "1 of your choices is to be made again" in page.content.decode()
    assert "The document changed" in bob.post(f"/conflicts/{conflict}/choices", form).content.decode()


@pytest.mark.parametrize("asked", ["", "/preview", "/choices"])
def test_what_is_undecided_is_asked_for_and_the_rest_kept(signed_in: SignIn, conflict: str, asked: str) -> None:
    bob = signed_in("bob")
    response = bob.post(f"/conflicts/{conflict}{asked}", {**form_of(bob, conflict), "choice-1": "theirs"})
    assert response.status_code == (200 if asked else 422)
    assert checked(bob.get(f"/conflicts/{conflict}")) == {"choice-1": "theirs"}


def test_a_page_that_only_lies_open_leaves_what_was_chosen_elsewhere(signed_in: SignIn, conflict: str) -> None:
    bob = signed_in("bob")
    form = form_of(bob, conflict)
    bob.post(f"/conflicts/{conflict}/choices", {**form, "choice-0": "mine"})
    for what in ("choices", "preview"):
        bob.post(f"/conflicts/{conflict}/{what}", {**form, "old": "1"}, headers={"hx-request": "true"})
    assert checked(bob.get(f"/conflicts/{conflict}")) == {"choice-0": "mine"}


def test_choices_that_were_overtaken_on_their_way_do_not_come_back(signed_in: SignIn, conflict: str) -> None:
    bob = signed_in("bob")
    form = form_of(bob, conflict)

    def send(choice: str, page: str, step: object) -> str:
        sent = {**form, "choice-0": choice, "page": page, "step": step}
        return bob.post(f"/conflicts/{conflict}/choices", sent).content.decode()

    send("mine", "tab", 2)
    send("theirs", "tab", 1)
    assert checked(bob.get(f"/conflicts/{conflict}")) == {"choice-0": "mine"}
    send("base", "tab", 2)
    assert checked(bob.get(f"/conflicts/{conflict}")) == {"choice-0": "base"}
    send("theirs", "another tab", 1)
    assert checked(bob.get(f"/conflicts/{conflict}")) == {"choice-0": "theirs"}
    assert "must be a whole number" in send("mine", "another tab", "soon")
    assert "must be at most 64 characters" in send("mine", "x" * 65, 2)
    assert checked(bob.get(f"/conflicts/{conflict}")) == {"choice-0": "theirs"}


LATE = "The launch is late. Everybody knows their part.\n"
LOST = ("Nobody works on Mondays.", "The rest is free.")


@pytest.fixture
def grown(cast: Cast, plan: str) -> str:
    """Scout changed what bob changes, and put two lines after it."""
    theirs = PLAN.replace("second", "third").replace("their part.\n", "their part.\n{}\n{}\n".format(*LOST))
    services.edit(cast.scout, location=LOCATION, content=theirs, expected_commit=plan)
    kept = services.edit(cast.bob, location=LOCATION, content=PLAN.replace("second", "fourth"), expected_commit=plan)
    return str(kept.conflict)  # type: ignore[union-attr]


def tick(response: Any) -> dict[str, str]:
    found = re.search(r'type="checkbox" name="(confirm_drop)" value="(\w+)"', response.content.decode())
    return {found[1]: found[2]} if found else {}


def test_words_that_leave_out_added_lines_ask_for_a_tick_beside_them(signed_in: SignIn, cast: Cast, grown: str) -> None:
    bob = signed_in("bob")
    assert not tick(bob.get(f"/conflicts/{grown}"))
    typed = f"{LATE}{LOST[1]}\n"
    sent = {**form_of(bob, grown), "key": "k", "choice-0": "text", "text-0": typed, "message": "As said"}
    asked = bob.post(f"/conflicts/{grown}", sent)
    html = asked.content.decode()
    assert asked.status_code == 422
    assert asked.context["drops"].lines == (LOST[0],)
    assert f"<li>{LOST[0]}</li>" in html
    assert checked(asked) == {"choice-0": "text"}
    assert f"\n{typed}</textarea>" in html
    assert 'value="As said"' in html
    less = bob.post(f"/conflicts/{grown}", {**sent, **tick(asked), "text-0": LATE})
    assert less.status_code == 422, "a tick is for the lines that it stood beside"
    assert less.context["drops"].lines == LOST
    assert bob.post(f"/conflicts/{grown}", {**sent, **tick(asked)}).status_code == 302
    assert LOST[0] not in documents.read(cast.bob, location=LOCATION).content


def test_a_named_side_or_words_that_hold_the_lines_are_saved_at_once(signed_in: SignIn, grown: str) -> None:
    bob = signed_in("bob")
    form = form_of(bob, grown)
    assert bob.post(f"/conflicts/{grown}", {**form, "choice-0": "mine"}).status_code == 302


def test_words_for_a_document_that_moved_on_are_asked_about_and_kept(signed_in: SignIn, cast: Cast, grown: str) -> None:
    bob = signed_in("bob")
    sent = {**form_of(bob, grown), "choice-0": "text", "text-0": LATE}
    services.append(cast.alice, location=LOCATION, content="More.\n")
    asked = bob.post(f"/conflicts/{grown}", sent)
    assert asked.status_code == 422
    assert checked(asked) == {"choice-0": "text"}
    assert f"\n{LATE}</textarea>" in asked.content.decode()
    assert asked.context["drops"].lines == LOST
    again = bob.post(f"/conflicts/{grown}", {**sent, **form_of(bob, grown), **tick(asked)})
    assert again.status_code == 302
    assert documents.read(cast.bob, location=LOCATION).content.endswith("More.\n")


def test_others_who_settle_it_are_seen_for_a_minute(signed_in: SignIn, cast: Cast, conflict: str) -> None:
    bob, alice = signed_in("bob"), signed_in("alice")
    bob.post(f"/conflicts/{conflict}/choices", {**form_of(bob, conflict), "choice-0": "mine"})
    seen = alice.post(f"/conflicts/{conflict}/choices", form_of(alice, conflict)).content.decode()
    assert "Bob is settling this too, 1 chosen" in seen
    assert "Alice is settling this too" in bob.get(f"/conflicts/{conflict}").content.decode()
    Settling.objects.update(seen_at=timezone.now() - timedelta(seconds=61))
    assert settling.others(cast.alice, conflict=conflict) == ()


def test_a_conflict_that_somebody_else_settled_says_so(signed_in: SignIn, conflict: str) -> None:
    bob, alice = signed_in("bob"), signed_in("alice")
    form = form_of(bob, conflict)
    assert bob.post(f"/conflicts/{conflict}", {**form, "choice-0": "mine", "choice-1": "mine"}).status_code == 302
    assert "This is resolved already" in alice.post(f"/conflicts/{conflict}/choices", form).content.decode()


def test_beginning_is_in_the_log_once(signed_in: SignIn, conflict: str) -> None:
    bob = signed_in("bob")
    for choice in ("mine", "theirs", "mine"):
        bob.post(f"/conflicts/{conflict}/choices", {**form_of(bob, conflict), "choice-0": choice})
    assert AuditEntry.objects.filter(action="conflict.begun").count() == 1


def test_the_result_is_drawn_with_its_places(signed_in: SignIn, conflict: str) -> None:
    bob = signed_in("bob")
    sent = {**form_of(bob, conflict), "choice-0": "mine", "choice-1": "text", "text-1": "One.\r\n\r\nTwo.\r\n"}
    html = bob.post(f"/conflicts/{conflict}/preview", sent, headers={"hx-request": "true"}).content.decode()
    assert "two thousand teams" in html
    first, second = re.search(r'data-spans="([^"]*)"', html)[1].split()  # type: ignore[index]
    a, b = (int(n) for n in second.split("-"))
    assert b - a == 2
    assert f'data-lines="{a}-{a}"' in html or f'data-lines="{a}' in html
    assert first.split("-")[0] == first.split("-")[1]


@pytest.mark.parametrize("choice", ["nonsense", "suggestion"])
def test_a_choice_that_is_none_is_refused(signed_in: SignIn, cast: Cast, conflict: str, choice: str) -> None:
    bob = signed_in("bob")
    sent = {**form_of(bob, conflict), "choice-0": choice, "choice-1": "mine"}
    assert bob.post(f"/conflicts/{conflict}", sent).status_code == 422
    assert bob.post(f"/conflicts/{conflict}/preview", sent).status_code == 422
    assert documents.read(cast.bob, location=LOCATION).content == THEIRS


def test_a_reader_cannot_choose(signed_in: SignIn, cast: Cast, conflict: str) -> None:
    carol = signed_in("carol")
    assert carol.get(f"/conflicts/{conflict}").status_code == 404
    assert carol.post(f"/conflicts/{conflict}/choices", {"choice-0": "mine"}).status_code == 404


def test_an_author_who_may_only_read_sees_the_places_and_settles_none(
    signed_in: SignIn, cast: Cast, conflict: str
) -> None:
    sharing.grant(cast.alice, location="product/launch", subject="bob@example.org", role="viewer")
    bob = signed_in("bob")
    page = bob.get(f"/conflicts/{conflict}").content.decode()
    assert "<ins>two</ins>" in page
    assert "Save the result" not in page
    assert bob.post(f"/conflicts/{conflict}/choices", {"choice-0": "mine", "places": "2"}).status_code == 200
    assert not Settling.objects.exists()


def test_texts_that_fit_by_now_are_saved_without_a_choice(signed_in: SignIn, cast: Cast, conflict: str) -> None:
    head = documents.read(cast.alice, location=LOCATION).commit
    services.edit(cast.alice, location=LOCATION, content=PLAN + "\nOne more.\n", expected_commit=head)
    bob = signed_in("bob")
    assert "Nothing contradicts" in bob.get(f"/conflicts/{conflict}").content.decode()
    assert bob.post(f"/conflicts/{conflict}", form_of(bob, conflict)).status_code == 302
    assert documents.read(cast.bob, location=LOCATION).content == MINE + "\nOne more.\n"


def test_what_was_chosen_goes_with_the_conflict(signed_in: SignIn, conflict: str) -> None:
    bob, alice = signed_in("bob"), signed_in("alice")
    alice.post(f"/conflicts/{conflict}/choices", {**form_of(alice, conflict), "choice-0": "text", "text-0": "typed"})
    assert Settling.objects.count() == 1
    bob.post(f"/conflicts/{conflict}/discard")
    assert not Settling.objects.exists()


def test_the_list_is_narrowed_by_its_address(signed_in: SignIn, conflict: str) -> None:
    bob = signed_in("bob")
    assert "2 places" in bob.get("/conflicts?in=product/launch").content.decode()
    assert conflict not in bob.get("/conflicts?in=product/launch&state=resolved").content.decode()
    assert conflict in bob.get("/conflicts?mine=1").content.decode()
    assert conflict not in signed_in("alice").get("/conflicts?mine=1").content.decode()
    assert bob.get("/conflicts?in=nowhere").status_code == 422


def test_the_page_costs_as_much_for_many_places_as_for_few(
    signed_in: SignIn, cast: Cast, conflict: str, django_assert_max_num_queries: Any
) -> None:
    bob = signed_in("bob")
    form = form_of(bob, conflict)
    with django_assert_max_num_queries(16):
        bob.get(f"/conflicts/{conflict}")
    with django_assert_max_num_queries(15):
        bob.post(f"/conflicts/{conflict}/choices", {**form, "choice-0": "mine"})
    for _ in range(3):
        services.append(cast.alice, location=LOCATION, content="One more.")
    with django_assert_max_num_queries(16):
        bob.get(f"/conflicts/{conflict}")
