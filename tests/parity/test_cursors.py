"""Cursors, on every surface: each is good for its own listing and for who was given it."""

from urllib.parse import quote

from tests.cast import Cast
from tests.parity.conftest import Act
from tests.parity.outcomes import Ok, Outcome, refusal
from tests.parity.surfaces import Mcp, Rest, Surface, Web
from workspace.services import documents, folders

PLACE = "product/launch"


def test_a_cursor_is_good_for_its_listing_and_its_holder_alone(act: Act, cast: Cast) -> None:
    for n in range(3):
        documents.create(cast.alice, location=f"{PLACE}/{n}.md", content="x")
        folders.create(cast.alice, location=f"{PLACE}/folder {n}")
    for n in range(50):  # a page of history
        documents.append(cast.alice, location=f"{PLACE}/0.md", content=str(n))
    bob, carol = act("bob"), act("carol")
    cursors = list(given(bob))
    assert cursors
    for listing, cursor in cursors:
        broken = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")
        assert ask(bob, listing, broken) == refusal("INVALID", "cursor"), listing
        assert ask(carol, listing, cursor) == refusal("INVALID", "cursor"), listing
        assert isinstance(ask(bob, listing, cursor), Ok), listing
        for another in LISTINGS[bob.name]:
            if another != listing:
                assert ask(bob, another, cursor) == refusal("INVALID", "cursor"), (listing, another)


LISTINGS: dict[str, list[str]] = {
    "rest": [
        f"/documents?location={PLACE}",
        "/documents?recursive=true",
        f"/folders?parent={PLACE}",
        f"/commits?location={PLACE}/0.md",
        "/conflicts?state=open",
        "/captures?folder=",
        "/jobs?kind=index",
        "/receipts?kind=written",
    ],
    "mcp": ["browse folders", "browse documents", "history log", "conflict list", "capture list"],
    "web": [f"/f/{PLACE}?", f"/history/{PLACE}/0.md?", "/conflicts?", "/captures?", "/jobs?"],
}


def given(one: Surface) -> list[tuple[str, str]]:
    """Listings with more than one row, and the cursor after the first."""
    found = []
    for listing in LISTINGS[one.name]:
        outcome = ask(one, listing, None)
        assert isinstance(outcome, Ok), listing
        if outcome.value:
            found.append((listing, outcome.value))
    return found


def ask(one: Surface, listing: str, cursor: str | None) -> Outcome:
    """One row of a listing; the value is the cursor to the next."""
    match one:
        case Rest():
            more = f"&cursor={quote(cursor)}" if cursor else ""
            outcome = one._send("GET", f"{listing}&limit=1{more}")
            return Ok(value=outcome.value["next_cursor"]) if isinstance(outcome, Ok) else outcome
        case Mcp():
            tool, action = listing.split()
            place = {"history": f"{PLACE}/0.md", "browse": PLACE}.get(tool)
            outcome = one._call(tool, action=action, location=place, limit=1, cursor=cursor)
            return Ok(value=outcome.value["next_cursor"]) if isinstance(outcome, Ok) else outcome
        case Web():
            response = one.client.get(listing + (f"cursor={quote(cursor)}" if cursor else ""))
            if response.status_code == 200:
                return Ok(value=response.context["page"].next_cursor)
            return one.outcome(response)
    raise AssertionError(one)
