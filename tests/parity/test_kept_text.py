"""Texts and names that are odd and good: every surface keeps them as they were sent."""

import unicodedata

import pytest

from tests.cast import PLAN, Cast
from tests.parity import rows
from tests.parity.conftest import Act
from tests.parity.outcomes import Ok, refusal
from tests.parity.surfaces import Web
from workspace.models import Document
from workspace.services import documents

PLACE = "product/launch"
MIB = 1024 * 1024


KEPT = {
    "nothing": "",
    "1 MiB": "é" * (MIB // 2),
    "no final newline": "a\nb",
    "a BOM": "\ufeff# A\n",
    "right to left": "# שלום\n\nمرحبا \u200f\u202eabc\u202c\n",
    "emoji": "👩‍👩‍👧 🎈 🏳️‍🌈\n",
    "combining marks": "e\u0301 a\u0308\u0323 " + "z" + "\u0335" * 50 + "\n",
    "both normal forms": "é e\u0301\n",
    "only blanks": " \n\t\n",
    "a replacement character": "\ufffd\n",
    "a form feed": "a\x0cb\n",
}
ENDS = {"CRLF": "a\r\nb\r\n", "CR": "a\rb\r", "mixed": "a\r\nb\nc\r"}


@pytest.mark.parametrize("what", KEPT)
def test_text_is_kept_as_it_was_sent(act: Act, cast: Cast, what: str) -> None:
    bob = act("bob")
    assert isinstance(bob.create(f"{PLACE}/kept.md", "before\n"), Ok)
    base = rows.living(PLACE, "kept.md").head_id
    for outcome in (
        bob.create(f"{PLACE}/new.md", KEPT[what]),
        bob.replace(f"{PLACE}/kept.md", KEPT[what], base=base),
    ):
        assert isinstance(outcome, Ok)
        assert outcome.outcome == "saved"
    assert rows.living(PLACE, "new.md").head.blob.content == KEPT[what]
    assert rows.living(PLACE, "kept.md").head.blob.content == KEPT[what]


@pytest.mark.parametrize("what", ENDS)
def test_line_ends_are_kept_where_the_surface_carries_them(act: Act, cast: Cast, what: str) -> None:
    bob = act("bob")
    assert isinstance(bob.create(f"{PLACE}/ends.md", ENDS[what]), Ok)
    # A browser sends every line end as CRLF, so that a page cannot know them; it writes LF.
    sent = ENDS[what].replace("\r\n", "\n").replace("\r", "\n") if isinstance(bob, Web) else ENDS[what]
    assert rows.living(PLACE, "ends.md").head.blob.content == sent


@pytest.mark.parametrize("what", ENDS)
def test_line_ends_make_no_conflict(act: Act, cast: Cast, what: str) -> None:
    content = PLAN.replace("\n", {"CRLF": "\r\n", "CR": "\r", "mixed": "\n"}[what])
    first = documents.create(cast.alice, location=f"{PLACE}/ends.md", content=content).commit
    documents.substitute(cast.alice, location=f"{PLACE}/ends.md", old_string="slow", new_string="quick")
    outcome = act("bob").replace(f"{PLACE}/ends.md", PLAN.replace("an hour", "a day"), base=first)
    assert isinstance(outcome, Ok)
    assert outcome.outcome == "merged"
    now = rows.living(PLACE, "ends.md").head.blob.content
    assert "quick" in now
    assert "a day" in now


NAMES = [
    "%2F.md", "%252F", "a%00b", "with space.md", "x" * 200, "日本語", "👩‍👩‍👧.md", "שלום.md", "a?b#c&d=e;f.md",
    "~.", "...", "\\",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_taken_and_found_again(act: Act, cast: Cast, name: str) -> None:
    bob, location = act("bob"), f"{PLACE}/{name}"
    assert isinstance(bob.create(location, "x\n"), Ok)
    read = bob.read(location)
    assert isinstance(read, Ok)
    assert read.value == "x\n"
    assert isinstance(bob.replace(location, "y\n", base=rows.living(PLACE, name).head_id), Ok)
    listed = bob.list(PLACE)
    assert isinstance(listed, Ok)
    assert location in listed.value
    assert isinstance(bob.move(location, f"{PLACE}/moved {name[:190]}"), Ok)
    assert Document.objects.get().name == f"moved {name[:190]}"


def test_a_name_is_stored_composed_and_found_in_either_form(act: Act, cast: Cast) -> None:
    bob, composed = act("bob"), "é.md"
    assert isinstance(bob.create(f"{PLACE}/{unicodedata.normalize('NFD', composed)}", "x\n"), Ok)
    assert Document.objects.get().name == composed
    assert bob.create(f"{PLACE}/{composed}", "y") == refusal("ALREADY_EXISTS")
    for form in ("NFC", "NFD"):
        assert isinstance(bob.read(f"{PLACE}/{unicodedata.normalize(form, composed)}"), Ok)
