"""Citations of captures are chips in pages, and stay links in the texts."""

import re

from tests.cast import Cast
from tests.web.conftest import SignIn
from workspace.digest.handoff import generated
from workspace.digest.summary import SummaryLine
from workspace.models.ids import capture_id
from workspace.services import documents as services
from workspace.web import cited

HANDOFF = "product/launch/HANDOFF.md"


def words(html: str) -> str:
    """What is read on the page, without what only a screen reader says."""
    html = re.sub(r'<span class="visually-hidden">.*?</span>', "", html)
    return " ".join(re.sub(r"<[^>]+>", "", html).split())


def test_a_generated_line_ends_in_a_chip_without_brackets() -> None:
    one, two = capture_id(), capture_id()
    line = generated([SummaryLine(section="open", text="Who pays?", source=one)])[0]
    html, _ = cited.page(f"{line}\n- Both ([{one}](/captures/{one}), [{two}](/captures/{two}))\n")

    assert words(html) == f"Who pays? {one[-6:]} Both {one[-6:]}, {two[-6:]}"
    assert html.count('class="chip"') == 3
    assert f'href="/captures/{one}" title="Capture {one}"' in html


def test_a_link_with_words_of_its_own_stays_as_it_is() -> None:
    one, two = capture_id(), capture_id()
    html, _ = cited.page(
        f"([the session](/captures/{one})) [{one}](/captures/{two}) `[{one}](/captures/{one})` {one}\n"
    )

    assert "chip" not in html
    assert words(html) == f"(the session) {one} [{one}](/captures/{one}) {one}"


def test_nobody_draws_a_chip_by_markup() -> None:
    one = capture_id()
    html, _ = cited.page(f'<a class="chip" href="//evil.example/captures/{one}">{one}</a> <b class="chip">x</b>\n')

    assert "chip" not in html


def test_a_reason_is_escaped_and_a_long_run_is_counted() -> None:
    ids = [capture_id() for _ in range(7)]
    html = cited.reason(f"<b> Summarised {', '.join(ids)}")

    assert words(html) == f"&lt;b&gt; Summarised {' '.join(each[-6:] for each in ids[:4])} and 3 more"
    assert html.count('class="chip"') == 4
    # The end of a reason may be cut in an id.
    assert words(cited.reason(f"Summarised {ids[0]}, {ids[1][:20]}")) == f"Summarised {ids[0][-6:]}, {ids[1][:20]}"


def test_pages_draw_chips_and_the_stored_text_stays(signed_in: SignIn, cast: Cast) -> None:
    one = capture_id()
    line = f"- Kept one queue. ([{one}](/captures/{one}))\n"
    services.create(cast.alice, location=HANDOFF, content=f"# Handoff\n\n{line}", reason=f"Summarised {one}")
    carol = signed_in("carol")
    chip = cited.chip(one)

    assert carol.get(f"/d/{HANDOFF}").content.decode().count(chip) == 2
    assert carol.get(f"/history/{HANDOFF}").content.decode().count(chip) == 1
    assert carol.get("/f/product/launch").content.decode().count(chip) == 1
    assert line.strip() in carol.get(f"/raw/{HANDOFF}").content.decode()
    bob = signed_in("bob")
    assert line.strip() in bob.get(f"/edit/{HANDOFF}").content.decode()
    assert bob.post("/preview", {"content": line}).content.decode().count(chip) == 1
