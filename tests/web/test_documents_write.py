"""Writing through the pages: nothing typed is lost, whoever else writes meanwhile."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from tests.cast import PLAN, Cast
from tests.web.conftest import SignIn
from workspace.queries import conflicts, documents, history
from workspace.services import documents as services
from workspace.services import sharing

LOCATION = "product/launch/plan.md"


def form_of(client: Client, address: str) -> dict[str, str]:
    """The form of an editor page, as a browser would send it back."""
    response = client.get(address)
    assert response.status_code == 200
    form = response.context["form"]
    return {name: str(form[name].value() or "") for name in form.fields}


def typed(text: str) -> str:
    """Text as browsers send it."""
    return text.replace("\n", "\r\n")


def text_of(cast: Cast) -> str:
    return documents.read(cast.alice, location=LOCATION).content


def commits(cast: Cast) -> tuple[Any, ...]:
    return history.log(cast.alice, location=LOCATION).items


def test_an_editor_saves_and_lands_on_the_document(signed_in: SignIn, cast: Cast, plan: str) -> None:
    bob = signed_in("bob")
    form = form_of(bob, f"/edit/{LOCATION}")
    changed = PLAN.replace("a thousand teams", "two thousand teams")
    response = bob.post(f"/edit/{LOCATION}", {**form, "content": typed(changed), "message": "More"}, follow=True)

    assert response.redirect_chain[0][0].startswith(f"/d/{LOCATION}")
    assert "two thousand teams" in response.content.decode()
    assert text_of(cast) == changed
    assert commits(cast)[0].author.label == "Bob"
    assert commits(cast)[0].message == "More"
    assert commits(cast)[0].via == "web"


def test_saving_the_same_text_makes_no_version(signed_in: SignIn, cast: Cast, plan: str) -> None:
    bob = signed_in("bob")
    form = form_of(bob, f"/edit/{LOCATION}")
    bob.post(f"/edit/{LOCATION}", {**form, "content": typed(PLAN)})

    assert [c.id for c in commits(cast)] == [plan]


def test_a_double_click_on_save_is_one_commit(signed_in: SignIn, cast: Cast, plan: str) -> None:
    bob = signed_in("bob")
    form = {**form_of(bob, f"/edit/{LOCATION}"), "content": typed(PLAN + "\nOne more line.\n")}
    first, second = bob.post(f"/edit/{LOCATION}", form), bob.post(f"/edit/{LOCATION}", form)

    assert first.status_code == second.status_code == 302
    assert len(commits(cast)) == 2


def test_a_form_that_comes_back_is_another_request(signed_in: SignIn, cast: Cast, plan: str) -> None:
    bob = signed_in("bob")
    form = form_of(bob, f"/edit/{LOCATION}")
    bob.post(f"/edit/{LOCATION}", {**form, "content": typed(PLAN + "\nOne.\n")})
    response = bob.post(f"/edit/{LOCATION}", {**form, "content": typed(PLAN.replace("an hour", "a minute"))})

    assert response.status_code == 302
    assert "One." in text_of(cast)
    assert "a minute" in text_of(cast)


def test_a_stale_form_is_merged(signed_in: SignIn, cast: Cast, plan: str) -> None:
    bob = signed_in("bob")
    form = form_of(bob, f"/edit/{LOCATION}")
    services.edit(cast.scout, location=LOCATION, content=PLAN.replace("progress bar", "queue"), expected_commit=plan)
    response = bob.post(
        f"/edit/{LOCATION}", {**form, "content": typed(PLAN.replace("an hour", "a minute"))}, follow=True
    )

    assert "Merged" in response.content.decode()
    assert "queue" in text_of(cast)
    assert "a minute" in text_of(cast)
    assert len(commits(cast)[0].parents) == 2


@pytest.fixture
def contested(signed_in: SignIn, cast: Cast, plan: str) -> Any:
    """Bob and scout changed one sentence; bob's answer is the page that settles it."""
    bob = signed_in("bob")
    form = form_of(bob, f"/edit/{LOCATION}")
    services.edit(
        cast.scout, location=LOCATION, content=PLAN.replace("a thousand", "nine hundred"), expected_commit=plan
    )
    return bob.post(f"/edit/{LOCATION}", {**form, "content": typed(PLAN.replace("a thousand", "two thousand"))})


def test_a_conflict_is_409_and_shows_both_texts(contested: Any, cast: Cast) -> None:
    html = re.sub(r"</?ins>", "", contested.content.decode())

    assert contested.status_code == 409
    assert "nine hundred teams" in html
    assert "two thousand teams" in html
    assert "nine hundred" in text_of(cast)
    assert len(conflicts.listing(cast.bob).items) == 1


def test_a_reader_cannot_see_the_draft(contested: Any, signed_in: SignIn, cast: Cast) -> None:
    found = conflicts.listing(cast.bob).items[0].id
    carol = signed_in("carol")

    assert carol.get(f"/conflicts/{found}").status_code == 404
    assert "two thousand" not in carol.get("/conflicts").content.decode()
    assert carol.post(f"/conflicts/{found}", {"choice-0": "mine"}).status_code == 404
    assert "could not be merged" not in carol.get(f"/d/{LOCATION}").content.decode()


@pytest.mark.parametrize(
    ("choice", "there", "gone"),
    [
        ({"choice-0": "mine"}, "two thousand", "nine hundred"),
        ({"choice-0": "theirs"}, "nine hundred", "two thousand"),
        ({"choice-0": "base"}, "a thousand", "two thousand"),
        (
            {"choice-0": "both"},
            "two thousand",
            "a thousand teams in the first month. Support answers within an hour.\n\nWe",
        ),
        ({"choice-0": "text", "text-0": "We want all the teams.\r\n"}, "We want all the teams.\n", "\r"),
    ],
)
def test_a_choice_settles_the_conflict(
    contested: Any, signed_in: SignIn, cast: Cast, choice: dict[str, str], there: str, gone: str
) -> None:
    found = conflicts.listing(cast.bob).items[0]
    sent = {**choice, "expected_commit": found.head_commit, "message": "As agreed"}
    response = signed_in("bob").post(f"/conflicts/{found.id}", sent)

    assert response.status_code == 302
    assert there in text_of(cast)
    assert gone not in text_of(cast)
    assert len(commits(cast)[0].parents) == 2
    assert not conflicts.listing(cast.bob).items


def test_an_undecided_place_is_asked_for_again(contested: Any, signed_in: SignIn, cast: Cast) -> None:
    found = conflicts.listing(cast.bob).items[0]
    response = signed_in("bob").post(f"/conflicts/{found.id}", {"expected_commit": found.head_commit})

    assert response.status_code == 422
    assert "Still to be decided: 1" in response.content.decode()
    assert len(conflicts.listing(cast.bob).items) == 1


def test_the_document_moving_on_elsewhere_does_not_undo_the_choices(
    contested: Any, signed_in: SignIn, cast: Cast
) -> None:
    found = conflicts.listing(cast.bob).items[0]
    services.append(cast.alice, location=LOCATION, content="One more.")
    sent = {"choice-0": "mine", "expected_commit": found.head_commit}
    response = signed_in("bob").post(f"/conflicts/{found.id}", sent)

    assert response.status_code == 302
    assert "two thousand" in text_of(cast)
    assert "One more." in text_of(cast)


def test_a_place_that_changed_meanwhile_is_asked_about_again(contested: Any, signed_in: SignIn, cast: Cast) -> None:
    found = conflicts.listing(cast.bob).items[0]
    services.edit(
        cast.alice,
        location=LOCATION,
        content=PLAN.replace("a thousand", "eight hundred"),
        expected_commit=found.head_commit,
    )
    sent = {"choice-0": "mine", "expected_commit": found.head_commit}
    response = signed_in("bob").post(f"/conflicts/{found.id}", sent)
    html = response.content.decode()

    assert response.status_code == 409
    assert "The document changed while you decided" in html
    assert "To be made again: 1." in html
    assert not re.search(r'value="\w+"[^>]* checked', html)
    assert "two thousand" not in text_of(cast)


def test_a_discarded_draft_stays_readable(contested: Any, signed_in: SignIn, cast: Cast) -> None:
    found = conflicts.listing(cast.bob).items[0]
    response = signed_in("bob").post(f"/conflicts/{found.id}/discard", follow=True)

    assert response.status_code == 200
    assert "two thousand" in response.content.decode()
    assert "two thousand" not in text_of(cast)


def test_a_reader_is_offered_no_way_to_write(signed_in: SignIn, plan: str) -> None:
    carol = signed_in("carol")
    html = carol.get(f"/d/{LOCATION}").content.decode()

    for address in ("edit", "move", "delete"):
        assert f'href="/{address}/' not in html
    assert "Look at what it opens" not in carol.get(f"/share/{LOCATION}").content.decode()
    assert carol.get(f"/edit/{LOCATION}").status_code == 403
    assert 'href="/new/document' not in carol.get("/f/product/launch").content.decode()
    assert carol.get("/new/document/product/launch").status_code == 403


def test_a_refused_save_gives_the_text_back(signed_in: SignIn, cast: Cast, plan: str) -> None:
    response = signed_in("carol").post(f"/edit/{LOCATION}", {"content": "An hour of typing", "base": plan})

    assert response.status_code == 403
    assert "An hour of typing" in response.content.decode()
    assert text_of(cast) == PLAN


def test_a_base_that_is_no_commit_of_it_is_refused_with_the_text_kept(signed_in: SignIn, cast: Cast, plan: str) -> None:
    response = signed_in("bob").post(f"/edit/{LOCATION}", {"content": "Typed", "base": "zzz"})

    assert response.status_code == 422
    assert "Typed" in response.content.decode()
    assert text_of(cast) == PLAN


def test_a_text_over_the_limit_is_413_with_the_text_kept(signed_in: SignIn, plan: str) -> None:
    response = signed_in("bob").post(f"/edit/{LOCATION}", {"content": "x" * 1_048_577, "base": plan})

    assert response.status_code == 413
    assert "x" * 1000 in response.content.decode()


def test_a_text_at_the_limit_is_saved(signed_in: SignIn, cast: Cast, plan: str) -> None:
    response = signed_in("bob").post(f"/edit/{LOCATION}", {"content": "x" * 1_048_576, "base": plan})

    assert response.status_code == 302
    assert len(text_of(cast)) == 1_048_576


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_browser_does_not_change_line_ends(signed_in: SignIn, cast: Cast, plan: str, end: str) -> None:
    content = PLAN.replace("\n", end)
    made = services.create(cast.alice, location="product/launch/ends.md", content=content)
    bob = signed_in("bob")
    form = form_of(bob, "/edit/product/launch/ends.md")
    bob.post("/edit/product/launch/ends.md", {**form, "content": typed(PLAN.replace("an hour", "a minute"))})
    now = documents.read(cast.alice, location="product/launch/ends.md")

    assert now.content == content.replace("an hour", "a minute")
    assert now.commit != made.commit


@pytest.mark.parametrize("section", ["", "goals"])
def test_a_browser_does_not_change_the_line_ends_of_lines_that_nobody_touched(
    signed_in: SignIn, cast: Cast, plan: str, section: str
) -> None:
    content = PLAN.replace(".\n", ".\r\n")
    services.create(cast.alice, location="product/launch/ends.md", content=content)
    bob, address = signed_in("bob"), "/edit/product/launch/ends.md"
    form = form_of(bob, f"{address}?section={section}")
    whole = "## Goals\n\nWe want a thousand teams in the first month. Support answers within an hour.\n"
    text = (whole if section else PLAN).replace("an hour", "a minute").replace("## Goals", "## Our goals")
    bob.post(address, {**form, "content": typed(text)})

    wanted = content.replace("an hour", "a minute").replace("## Goals", "## Our goals")
    assert documents.read(cast.alice, location="product/launch/ends.md").content == wanted


def test_a_preview_saves_nothing_and_keeps_the_form(signed_in: SignIn, cast: Cast, plan: str) -> None:
    bob = signed_in("bob")
    form = form_of(bob, f"/edit/{LOCATION}")
    response = bob.post(f"/edit/{LOCATION}", {**form, "content": "# Seen\n\n*now*", "preview": "1"})
    html = response.content.decode()

    assert response.status_code == 200
    assert "<em>now</em>" in html
    assert form["key"] in html
    assert text_of(cast) == PLAN


def test_a_preview_runs_nobodys_script(signed_in: SignIn, plan: str) -> None:
    response = signed_in("bob").post("/preview", {"content": "<script>alert(1)</script><img src=x onerror=alert(1)>"})

    assert "<script" not in response.content.decode()
    assert "onerror" not in response.content.decode().replace("&lt;img src=x onerror", "")


def test_a_document_is_made_with_its_folders(signed_in: SignIn, cast: Cast) -> None:
    bob = signed_in("bob")
    form = form_of(bob, "/new/document/product/launch")
    made = "product/launch/notes/who calls.md"
    response = bob.post("/new/document/product/launch", {**form, "location": made, "content": "# Who calls\r\n"})

    assert response.status_code == 302
    assert documents.read(cast.alice, location=made).content == "# Who calls\n"


def test_a_name_that_is_taken_is_409_and_overwrites_nothing(signed_in: SignIn, cast: Cast, plan: str) -> None:
    bob = signed_in("bob")
    form = form_of(bob, "/new/document/product/launch")
    response = bob.post("/new/document/product/launch", {**form, "location": LOCATION, "content": "Mine"})

    assert response.status_code == 409
    assert "Mine" in response.content.decode()
    assert text_of(cast) == PLAN


@pytest.mark.parametrize(
    "location", ["", "plan.md", "product//x.md", "product/launch/..", "product/launch/" + "x" * 201]
)
def test_an_illegal_location_is_422_with_the_text_kept(signed_in: SignIn, cast: Cast, location: str) -> None:
    response = signed_in("bob").post("/new/document/product/launch", {"location": location, "content": "Typed"})

    assert response.status_code == 422
    assert "Typed" in response.content.decode()


@pytest.mark.parametrize("name", ["100%.md", "a?b#c.md", "%2F.md", "été ☂.md", "a b.md", "עברית.md", "a'\"<b>.md"])
def test_odd_names_are_reached_by_their_links(signed_in: SignIn, cast: Cast, name: str) -> None:
    services.create(cast.alice, location=f"product/launch/{name}", content="# Odd\n\nHere.\n")
    bob = signed_in("bob")
    html = bob.get("/f/product/launch").content.decode()
    addresses = set(re.findall(r'data-item-link href="(/d/[^"]+)"', html))

    assert len(addresses) == 1
    page = bob.get(unescape(addresses.pop()))
    assert page.status_code == 200
    assert "Here." in page.content.decode()
    for address in re.findall(r'href="(/(?:edit|history|raw|blame|move|delete|share)/[^"]+)"', page.content.decode()):
        assert bob.get(unescape(address)).status_code == 200, address


def test_delete_and_bring_back(signed_in: SignIn, cast: Cast, plan: str) -> None:
    bob = signed_in("bob")
    base = re.search(r'name="base" value="(\w+)"', bob.get(f"/delete/{LOCATION}").content.decode())
    assert base
    bob.post(f"/delete/{LOCATION}", {"base": base[1]})
    gone = bob.get(f"/d/{LOCATION}")

    assert gone.status_code == 410
    assert "Bring it back" in gone.content.decode()
    assert bob.post(f"/undelete/{LOCATION}").status_code == 302
    assert text_of(cast) == PLAN


def test_restore_makes_an_earlier_version_current(signed_in: SignIn, cast: Cast, plan: str) -> None:
    services.edit(cast.alice, location=LOCATION, content="# Wiped\n", expected_commit=plan)
    bob = signed_in("bob")
    assert "Restore this version" in bob.get(f"/d/{LOCATION}?at={plan}").content.decode()
    bob.post(f"/restore/{LOCATION}", {"commit": plan, "base": commits(cast)[0].id})

    assert text_of(cast) == PLAN
    assert len(commits(cast)) == 3


def test_a_move_that_opens_it_to_others_is_asked_first(signed_in: SignIn, cast: Cast, plan: str) -> None:
    alice = signed_in("alice")
    alice.post("/new/folder", {"location": "company"})
    sharing.grant(cast.alice, location="company", subject="mallory@example.org", role="viewer")
    form = {**form_of(alice, f"/move/{LOCATION}"), "target": "company/plan.md"}
    asked = alice.post(f"/move/{LOCATION}", form)

    assert asked.status_code == 409
    assert "mallory@example.org" in asked.content.decode()
    moved = alice.post(f"/move/{LOCATION}", {**form, "acknowledge": "1"})
    assert moved["Location"] == "/d/company/plan.md"


def test_a_move_after_an_edit_asks_to_look_again(signed_in: SignIn, cast: Cast, plan: str) -> None:
    bob = signed_in("bob")
    form = {**form_of(bob, f"/move/{LOCATION}"), "target": "product/launch/new.md"}
    services.append(cast.alice, location=LOCATION, content="More.")
    response = bob.post(f"/move/{LOCATION}", form)

    assert response.status_code == 409
    assert "Look at it once more" in response.content.decode()
    assert "More." in text_of(cast)


def test_a_deletion_decided_on_an_older_version_is_not_done(signed_in: SignIn, cast: Cast, plan: str) -> None:
    services.append(cast.alice, location=LOCATION, content="More.")
    response = signed_in("bob").post(f"/delete/{LOCATION}", {"base": plan})

    assert response.status_code == 409
    assert "More." in text_of(cast)


def test_a_restoration_decided_on_an_older_version_is_not_done(signed_in: SignIn, cast: Cast, plan: str) -> None:
    services.append(cast.alice, location=LOCATION, content="More.")
    response = signed_in("bob").post(f"/restore/{LOCATION}", {"base": plan, "commit": plan})

    assert response.status_code == 409
    assert "More." in text_of(cast)
