"""Reading through the pages: provenance, versions and citations."""

import re

from tests.cast import PLAN, Cast
from tests.web.conftest import SignIn
from workspace.queries import citations
from workspace.services import documents as services

LOCATION = "product/launch/plan.md"


def test_a_document_says_who_wrote_it_and_from_which_commit(signed_in: SignIn, cast: Cast, plan: str) -> None:
    services.edit(
        cast.scout,
        location=LOCATION,
        content=PLAN.replace("an hour", "a minute"),
        expected_commit=plan,
        message="Quicker",
        reason="the rota allows it",
    )
    html = signed_in("carol").get(f"/d/{LOCATION}").content.decode()

    assert "mark-agent" in html
    assert "for Alice" in html
    assert "Quicker" in html
    assert "the rota allows it" in html


def test_a_citation_opens_its_version_with_blocks_that_know_their_lines(
    signed_in: SignIn, cast: Cast, plan: str
) -> None:
    services.edit(cast.alice, location=LOCATION, content="# Other\n", expected_commit=plan)
    address = citations.web_path(LOCATION, plan, (7, 7))
    html = signed_in("carol").get(address.split("#")[0]).content.decode()

    assert address.endswith("#L7")
    assert re.search(r'<p data-lines="7-7">We want a thousand teams', html)
    assert "The document has changed since" in html


def test_the_numbered_text_is_an_anchor_for_every_line(signed_in: SignIn, plan: str) -> None:
    html = signed_in("carol").get(f"/raw/{LOCATION}?at={plan}").content.decode()

    assert 'id="L7"' in html
    assert html.count('<tr id="L') == PLAN.count("\n")


def test_front_matter_is_a_table_and_not_text(signed_in: SignIn, cast: Cast) -> None:
    content = "---\nstatus: approved\nlabels: [a, b]\n---\n# Titled\n"
    services.create(cast.alice, location="product/launch/fm.md", content=content)
    html = signed_in("carol").get("/d/product/launch/fm.md").content.decode()

    assert '<th scope="row">status</th><td>approved</td>' in html
    assert "<td>a, b</td>" in html
    assert "status: approved" not in html


def test_a_document_runs_nobodys_script(signed_in: SignIn, cast: Cast) -> None:
    content = '<script>alert(1)</script>\n\n<img src=x onerror="alert(1)">\n\n[x](javascript:alert(1))\n'
    services.create(cast.alice, location="product/launch/bad.md", content=content)
    html = signed_in("carol").get("/d/product/launch/bad.md").content.decode()
    article = html[html.index("<article") : html.index("</article>")]

    assert "<script" not in article
    assert 'href="javascript' not in article
    assert not re.search(r"<img[^>]+onerror", article)


def test_reading_takes_the_unread_mark_away(signed_in: SignIn, plan: str) -> None:
    carol = signed_in("carol")
    assert 'class="dot"' in carol.get("/f/product/launch").content.decode()
    carol.get(f"/d/{LOCATION}")

    assert 'class="dot"' not in carol.get("/f/product/launch").content.decode()


def test_a_newer_commit_is_told_of_without_a_reload(signed_in: SignIn, cast: Cast, plan: str) -> None:
    carol = signed_in("carol")
    assert carol.get(f"/newer/{LOCATION}?than={plan}").status_code == 204
    services.append(cast.bob, location=LOCATION, content="More.")
    strip = carol.get(f"/newer/{LOCATION}?than={plan}")

    assert strip.status_code == 200
    assert "Bob" in strip.content.decode()
    assert "<html" not in strip.content.decode()


def test_a_diff_marks_the_words(signed_in: SignIn, cast: Cast, plan: str) -> None:
    services.edit(cast.bob, location=LOCATION, content=PLAN.replace("an hour", "one day"), expected_commit=plan)
    for view in ("side", "inline"):
        html = signed_in("carol").get(f"/diff/{LOCATION}?view={view}").content.decode()
        assert "<del>an hour</del>" in html
        assert "<ins>one day</ins>" in html


def test_blame_names_who_brought_each_line(signed_in: SignIn, cast: Cast, plan: str) -> None:
    services.append(cast.bob, location=LOCATION, content="Written by bob.", message="A line of mine")
    html = signed_in("carol").get(f"/blame/{LOCATION}").content.decode()

    assert "A line of mine" in html
    assert "Written by bob." in html


def test_text_of_others_is_escaped_everywhere(signed_in: SignIn, cast: Cast) -> None:
    bad = "<b>bold</b>"
    made = services.create(
        cast.bob, location=f"product/launch/{bad}.md".replace("/b", "-b"), content=f"# {bad}\n\nx\n", message=bad
    )
    services.append(cast.bob, location=made.location, content=f"{bad}", message=bad, reason=bad)
    carol = signed_in("carol")
    for address in ("/", "/f/product/launch", f"/history/{made.location}", f"/blame/{made.location}"):
        assert bad not in carol.get(address).content.decode(), address


def test_a_folder_on_the_way_shows_its_name_and_what_can_be_seen(signed_in: SignIn, cast: Cast, plan: str) -> None:
    services.create(cast.alice, location="product/secret.md", content="# Secret\n")
    page = signed_in("bob").get("/f/product")
    html = page.content.decode()

    assert page.status_code == 200
    assert "product/launch" in html
    assert "Secret" not in html
    assert "/new/document/product" not in html.replace("/new/document/product/launch", "")


def test_a_text_of_very_many_lines_is_shown_in_parts(signed_in: SignIn, cast: Cast, plan: str) -> None:
    place = "product/launch/long.md"
    first = services.create(cast.alice, location=place, content="a\n" * 12_000)
    services.edit(cast.alice, location=place, content="b\n" * 12_000, expected_commit=first.commit)
    carol = signed_in("carol")
    for page in ("raw", "blame"):
        top = carol.get(f"/{page}/{place}").content.decode()
        assert 'id="L5000"' in top
        assert 'id="L5001"' not in top
        assert 'href="?line=5001"' in top
        end = carol.get(f"/{page}/{place}?line=10001").content.decode()
        assert 'id="L10001"' in end
        assert 'id="L12000"' in end
        assert "From line" not in end
        assert carol.get(f"/{page}/{place}?line=٣x").status_code == 200
    changes = carol.get(f"/diff/{place}").content.decode()
    assert "+12000" in changes
    assert "more lines than this page shows" in changes
    assert changes.count("<tr>") < 4_000
