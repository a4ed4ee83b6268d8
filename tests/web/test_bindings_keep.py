"""Bindings and proposals on the pages: one's own, told plainly, and decided by a tick."""

import pytest
from django.test import Client

from tests.cast import Cast
from tests.web.conftest import SignIn
from workspace.models import Binding, Capture, Job, JobKind, Receipt
from workspace.queries import captures as kept
from workspace.services import bindings, captures, folders

PLACE = "product/launch"
FIELDS = {
    "repository": "https://ann:s3cret@github.com/acme/shop.git",
    "folder": "product/launch/",
    "policy": "required",
    "deadline_ms": "3000",
    "budget_chars": "9000",
}


@pytest.fixture
def alice(signed_in: SignIn, plan: str) -> Client:
    return signed_in("alice")


def html(client: Client, path: str) -> str:
    return client.get(path).content.decode()


def test_a_repository_is_bound_changed_and_let_go(alice: Client, cast: Cast) -> None:
    folders.create(cast.alice, location="product/other")
    assert "Nothing bound yet" in html(alice, "/bindings")
    assert alice.post("/bindings", FIELDS).status_code == 302
    row = Binding.objects.get()
    page = html(alice, "/bindings")
    assert "github.com/acme/shop" in page
    assert "s3cret" not in page
    assert "required · 3000 ms · 9000 characters" in page
    assert 'value="product/launch"' in html(alice, f"/bindings/{row.pk}")
    assert alice.post(f"/bindings/{row.pk}", {**FIELDS, "folder": "product/other"}).status_code == 302
    assert "product/other ·" in html(alice, "/bindings")
    assert alice.post(f"/bindings/{row.pk}/remove").status_code == 302
    assert not Binding.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"repository": "./shop"}, "Names no host"),
        ({"folder": "nowhere"}, "There is no folder here that you can see"),
        ({"folder": "a//b"}, "empty segment"),
        ({"deadline_ms": "1"}, "greater than or equal to 100"),
        ({"policy": "x"}, "Select a valid choice"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(alice: Client, wrong: dict[str, str], said: str) -> None:
    answer = alice.post("/bindings", {**FIELDS, **wrong})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not Binding.objects.exists()


def test_saving_is_switched_on_after_it_was_told_and_ticked(alice: Client, cast: Cast) -> None:
    folders.settings(cast.alice, location=PLACE, retention_days=30)
    made = bindings.bind(cast.alice, repository="github.com/acme/shop", folder=PLACE).id
    page = html(alice, f"/bindings/{made}/capture")
    for told in ("Never the transcript", "16 KiB", "http://", PLACE, "3 people", "carol@example.org", "30 days"):
        assert told in page
    seen = page.partition('name="seen" value="')[2].partition('"')[0]
    answer = alice.post(f"/bindings/{made}/capture", {"capture": "on", "seen": seen})
    assert answer.status_code == 422
    assert "Tick this first" in answer.content.decode()
    stale = alice.post(f"/bindings/{made}/capture", {"capture": "on", "seen": "x", "agreed": "on"})
    assert stale.status_code == 409
    assert "Something changed" in stale.content.decode()
    assert "checked" not in stale.content.decode().partition('name="agreed"')[2].partition(">")[0]
    assert Binding.objects.get().capture == "off"
    assert alice.post(f"/bindings/{made}/capture", {"capture": "on", "seen": seen, "agreed": "on"}).status_code == 302
    assert Binding.objects.get().capture == "on"
    assert "Sessions are saved" in html(alice, "/bindings")
    assert alice.post(f"/bindings/{made}/capture", {"capture": "off"}).status_code == 302
    assert Binding.objects.get().capture == "off"


def test_a_reader_is_told_that_nothing_can_be_saved(signed_in: SignIn, cast: Cast, plan: str) -> None:
    made = bindings.bind(cast.carol, repository="github.com/acme/shop", folder=PLACE).id
    carol = signed_in("carol")
    page = html(carol, f"/bindings/{made}/capture")
    assert "Ask for editor" in page
    assert 'value="on"' not in page
    seen = "x"
    answer = carol.post(f"/bindings/{made}/capture", {"capture": "on", "seen": seen, "agreed": "on"})
    assert answer.status_code == 403


# -- proposals --


def propose(cast: Cast, name: str = "one") -> str:
    """Rover, bob's agent, proposes to bob what it saw in a folder that alice manages."""
    return captures.commit(
        cast.rover, folder=PLACE, content=f"# Decided\n\n- between us: {name}", operation_id=name, propose=True,
        session="s1", host="codex",
    ).id  # fmt: skip


def test_a_proposal_is_its_persons_alone(signed_in: SignIn, alice: Client, cast: Cast) -> None:
    made = propose(cast)
    bob = signed_in("bob")
    page = html(bob, f"/captures/{made}")
    assert "nobody else sees it" in page
    assert "3 people" in page
    assert made in html(bob, "/captures?state=proposed")
    assert 'title="Proposed to you">1<' in html(bob, "/help")
    for path in ("/captures", "/captures?state=proposed", f"/captures?folder={PLACE}", f"/f/{PLACE}", "/", "/jobs"):
        assert made not in html(alice, path)
        assert "between us" not in html(alice, path)
    assert 'Proposed to you">' not in html(alice, "/help")
    assert made not in html(alice, f"/activity/{PLACE}")
    assert made not in html(alice, f"/audit?place={PLACE}")
    assert alice.get(f"/captures/{made}").status_code == 404
    for what in ("approve", "erase"):
        assert alice.post(f"/captures/{made}/{what}").status_code == 404
    assert not Job.objects.exclude(kind=JobKind.INDEX).exists()
    assert not Receipt.objects.filter(capture=made).exists()


def test_approving_gives_it_to_the_folder(signed_in: SignIn, alice: Client, cast: Cast) -> None:
    made = propose(cast)
    bob = signed_in("bob")
    for _ in range(2):
        assert bob.post(f"/captures/{made}/approve").status_code == 302
    row = Capture.objects.get()
    assert (row.approved_by, row.agent_id) == (cast.people["bob"], cast.rover.agent)
    facts = Receipt.objects.filter(capture=made).order_by("at")
    assert [(f.kind, f.agent_id, f.session, f.host, f.data) for f in facts] == [
        (kind, cast.rover.agent, "s1", "codex", {"approved_by": "Bob"}) for kind in ("captured", "acknowledged")
    ]
    assert Job.objects.get(kind=JobKind.SUMMARISE).target == made
    assert "between us" in html(alice, f"/captures/{made}")
    assert "Approved" in html(alice, f"/captures/{made}")
    assert "capture.approved" in html(alice, f"/audit?place={PLACE}")


def test_declining_erases_it_and_leaves_no_trace_for_others(signed_in: SignIn, alice: Client, cast: Cast) -> None:
    made = propose(cast)
    bob = signed_in("bob")
    assert bob.post(f"/captures/{made}/erase").status_code == 302
    assert Capture.objects.get().content == ""
    assert bob.post(f"/captures/{made}/approve").status_code == 410
    assert alice.get(f"/captures/{made}").status_code == 404
    assert made not in html(alice, "/captures")
    assert not Receipt.objects.filter(capture=made).exists()
    assert not Job.objects.exclude(kind=JobKind.INDEX).exists()


def test_several_are_decided_at_once_and_what_is_refused_leaves_the_others_be(signed_in: SignIn, cast: Cast) -> None:
    made = [propose(cast, name) for name in ("one", "two", "three")]
    bob = signed_in("bob")
    bob.post("/captures", {"capture": [made[0], "cap_nothing"], "decision": "approve"})
    bob.post("/captures", {"capture": [made[0], made[1]], "decision": "decline"})
    states = {one.id: one.state for one in kept.listing(cast.bob).items}
    assert states == {made[0]: "captured", made[1]: "deleted", made[2]: "proposed"}
    assert bob.post("/captures", {"capture": made, "decision": "x"}).status_code == 422
    assert "Tick what to decide" in bob.post("/captures", {"decision": "approve"}, follow=True).content.decode()
