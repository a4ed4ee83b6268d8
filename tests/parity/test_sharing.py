"""Sharing, asking and answering: the same refusals, the same grants and the same log on every surface."""

import re
from typing import Any
from urllib.parse import quote

import pytest

from tests.cast import Cast
from tests.parity.hidden import Statements
from tests.parity.outcomes import Ok, Outcome, Refusal
from tests.parity.surfaces import SURFACES, Surface, Web
from workspace.models import AccessRequest, AuditEntry, Grant, Receipt, ReceiptKind
from workspace.services import access_requests, folders, sharing


def who(name: str) -> str:
    return f"{name}@example.org"


def story(cast: Cast, surface: type[Any], place: str) -> list[Any]:
    """Five people at one place, through everything that can come of sharing it; what each step came to."""
    alice, bob, carol, mallory = (surface(cast, name) for name in ("alice", "bob", "carol", "mallory"))
    told: list[Any] = []

    def does(step: str, outcome: Outcome) -> Outcome:
        named = sorted(outcome.fields) if isinstance(outcome, Refusal) else ()
        told.append((step, type(outcome).__name__, getattr(outcome, "code", ""), named))
        return outcome

    def share(step: str, by: Surface, name: str, role: str) -> None:
        does(step, by.share(place, who(name), role))

    share("a stranger", mallory, "mallory", "viewer")
    share("a viewer", carol, "mallory", "viewer")
    share("an editor, viewer", bob, "mallory", "viewer")
    share("an editor, the same again", bob, "mallory", "viewer")
    share("an editor, editor", bob, "mallory", "editor")
    share("an editor, manager", bob, "mallory", "manager")
    share("an editor, less for a manager", bob, "alice", "viewer")
    does("an editor takes a manager's", bob.unshare(place, who("alice")))
    share("nobody of that name", bob, "nobody", "viewer")
    share("no such role", bob, "mallory", "owner")
    sharing.set_editors_share(cast.alice, location=place, allowed=False)
    share("an editor where it is closed", bob, "carol", "editor")
    does("an editor takes back where it is closed", bob.unshare(place, who("mallory")))
    share("a manager where it is closed", alice, "carol", "editor")
    sharing.set_editors_share(cast.alice, location=place, allowed=True)
    does("an editor takes back", bob.unshare(place, who("mallory")))
    does("an editor takes back again", bob.unshare(place, who("mallory")))
    does("a stranger looks", mallory.readers(place))
    does("the last manager leaves", alice.unshare(place, who("alice")))
    share("the last manager steps down", alice, "alice", "viewer")
    share("a manager makes another", alice, "bob", "manager")
    share("who lowers the first", bob, "alice", "viewer")
    share("who shares no more", alice, "carol", "viewer")

    asked = does("a stranger asks", mallory.ask(place, "editor", "I write."))
    again = does("and again", mallory.ask(place, "editor", "I write more."))
    absent = does("for what never was", mallory.ask(f"{place}/none", "viewer"))
    assert isinstance(asked, Ok)
    assert isinstance(again, Ok)
    assert isinstance(absent, Ok)
    assert asked.value == again.value
    does("for nothing", mallory.ask("", "viewer"))
    does("for no role", mallory.ask(place, "owner"))
    does("for what one has", carol.ask(place, "viewer"))
    waiting = [surface.waiting() for surface in (alice, bob, carol)]
    assert [found.value for found in waiting if isinstance(found, Ok)] == [[], [asked.value], [asked.value]]
    does("a viewer approves", alice.approve(asked.value, "viewer"))
    does("who asked approves", mallory.approve(asked.value, "viewer"))
    does("more than was asked for", bob.approve(asked.value, "manager"))
    does("another withdraws", carol.withdraw(asked.value))
    does("a lesser role", bob.approve(asked.value, "viewer"))
    does("what never was is withdrawn", mallory.withdraw(absent.value))
    does("an id that never was", mallory.withdraw("acr_01kb7n2g4j6k8m0p2r4t6v8x0z"))
    more = does("more is asked for", mallory.ask(place, "manager"))
    assert isinstance(more, Ok)
    does("and is not an editor's to give", carol.approve(more.value, "manager"))
    does("declined", bob.decline(more.value, "Not now."))
    seen = bob.readers(place)
    assert isinstance(seen, Ok)
    told.append(
        [(email, role, [(way[0].removeprefix(place), *way[1:]) for way in ways]) for email, role, ways in seen.value]
    )
    return told


def left(place: str) -> dict[str, list[Any]]:
    """Grants, requests, receipts and the log at ``place``, without ids, times, and through what."""
    at = {"folder__path": place}
    requests = AccessRequest.objects.filter(location__startswith=place).order_by("created_at")
    entries = AuditEntry.objects.filter(location__startswith=place).exclude(action__startswith="denied")
    return {
        "grants": sorted(Grant.objects.filter(**at).values_list("person__email", "role")),
        "requests": [
            (r.location.removeprefix(place), r.role, r.reason, r.state, r.granted_role, r.answer) for r in requests
        ],
        "receipts": sorted(
            Receipt.objects.filter(**at, kind__in=[ReceiptKind.GRANTED, ReceiptKind.REVOKED]).values_list(
                "kind", flat=True
            )
        ),
        "log": sorted(entries.filter(action__regex=r"^(grant|access)\.(?!denied)").values_list("action", "subject")),
    }


def test_sharing_is_the_same_on_every_surface(cast: Cast) -> None:
    told, rows = {}, {}
    for name, surface in SURFACES.items():
        place = f"shared-{name}"
        folders.create(cast.alice, location=place)
        for person, role in (("bob", "editor"), ("carol", "viewer")):
            sharing.grant(cast.alice, location=place, subject=who(person), role=role)
        told[name], rows[name] = story(cast, surface, place), left(place)
    assert told["mcp"] == told["rest"]
    assert told["web"] == told["rest"]
    assert rows["rest"] == rows["mcp"] == rows["web"]
    assert rows["rest"]["grants"] == [(who("alice"), 1), (who("bob"), 3), (who("carol"), 2), (who("mallory"), 1)]
    assert [row[3] for row in rows["rest"]["requests"]] == ["approved", "withdrawn", "declined"]
    assert len(rows["rest"]["log"]) > len(rows["rest"]["receipts"]) > 5
    refused = {step: code for step, _, code, _ in told["rest"][:-1] if code}
    assert refused == {
        "a stranger": "NOT_FOUND",
        "a viewer": "FORBIDDEN",
        "an editor, manager": "FORBIDDEN",
        "an editor, less for a manager": "FORBIDDEN",
        "an editor takes a manager's": "FORBIDDEN",
        "nobody of that name": "INVALID",
        "no such role": "INVALID",
        "an editor where it is closed": "FORBIDDEN",
        "an editor takes back where it is closed": "FORBIDDEN",
        "an editor takes back again": "INVALID",
        "a stranger looks": "NOT_FOUND",
        "the last manager leaves": "FORBIDDEN",
        "the last manager steps down": "FORBIDDEN",
        "who shares no more": "FORBIDDEN",
        "for nothing": "INVALID",
        "for no role": "INVALID",
        "for what one has": "INVALID",
        "a viewer approves": "NOT_FOUND",
        "who asked approves": "NOT_FOUND",
        "more than was asked for": "INVALID",
        "another withdraws": "NOT_FOUND",
        "an id that never was": "NOT_FOUND",
        "and is not an editor's to give": "NOT_FOUND",
    }


def bare(value: Any, place: str) -> str:
    """An answer without the location, the ids and the times that differ on every call."""
    text = value.content.decode() if hasattr(value, "content") else str(value)
    for named in (place, quote(place), quote(place, safe="")):
        text = text.replace(named, "…")
    text = re.sub(r"(acr|req)_[0-9a-z]+|'nonce-[^']+'|nonce=\"[^\"]*\"", "", text)
    text = re.sub(r'(csrfmiddlewaretoken" value="|X-CSRFToken": ")[^"]+', "", text)
    return re.sub(r"\d{4}-\d\d-\d\dT[^\"'<]+|\d{4}-\d\d-\d\d \d\d:\d\d[^\"<]*", "", text)


@pytest.mark.parametrize("name", ["rest", "mcp", "web"])
@pytest.mark.parametrize("hidden", ["product/launch", "product/launch/plan.md"])
def test_asking_tells_nothing(cast: Cast, plan: str, name: str, hidden: str) -> None:
    """The same answer after the same number of statements, and the same list of one's own afterwards."""
    mallory, answers = SURFACES[name](cast, "mallory"), []
    mallory.waiting()  # the first call of a token notes when it was last seen
    for place in (hidden, "product/nothing/at.md"):
        with Statements() as statements:
            made = mallory.ask(place, "editor", "please")
        assert isinstance(made, Ok)
        row = AccessRequest.objects.get(pk=made.value)
        assert (row.folder or row.document or None) is not None or place != hidden
        answers.append(len(statements.ran))
        mallory.withdraw(made.value)
    assert answers[0] == answers[1]


@pytest.mark.parametrize("name", ["rest", "mcp", "web"])
def test_who_asked_too_often_is_told_the_same_of_any_place(cast: Cast, plan: str, name: str) -> None:
    mallory, answers = SURFACES[name](cast, "mallory"), []
    for _ in range(access_requests.MOST_A_DAY):
        asked = access_requests.ask(cast.mallory, location="product/launch", role="viewer")
        access_requests.withdraw(cast.mallory, request=asked.id)
    mallory.waiting()  # the first call of a token notes when it was last seen
    for place in ("product/launch", "product/launch/plan.md", "product/nothing/at.md"):
        with Statements() as statements:
            refused = mallory.ask(place, "editor", "please")
        assert isinstance(refused, Refusal)
        assert refused.code == "RATE_LIMITED"
        answers.append(len(statements.ran))
    assert len(set(answers)) == 1


@pytest.mark.parametrize("address", ["/d/{}?ask", "/share/{}?ask", "/view-as/{}?ask"])
def test_the_way_to_asking_tells_nothing(cast: Cast, plan: str, address: str) -> None:
    client, answers = Web(cast, "mallory").client, []
    for place in ("product/launch/plan.md", "product/launch/nothing.md"):
        with Statements() as statements:
            response = client.get(address.format(place))
        form = client.get(response["Location"])
        answers.append(
            (response.status_code, bare(response["Location"], place), bare(form, place), len(statements.ran))
        )
    assert answers[0] == answers[1]
