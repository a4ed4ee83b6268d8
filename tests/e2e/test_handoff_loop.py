"""The story that Baton exists for, on the real product: one process tree, one browser, real MCP clients.

An agent saves a plan, a person edits it in the browser, the agent writes on from an older version, nobody's words are
lost, a summary appears by itself, and the next agent reads all of it with citations.
"""

import json
import re
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.agent import PASSWORD, Agent
from tests.instance import Instance, wait_until

PLAN = (Path(__file__).parent / "launch_plan.md").read_text(encoding="utf-8")
PLACE = "product/launch"
PLAN_AT = f"{PLACE}/plan.md"
CAPTURE = """# Session: moving the import to a queue

## Asked

- Make the import of large folders not block the launch.

## Decided

- The import runs as a background job with one row for each file.
- Support answers within one hour during launch week.

## Tried and rejected

- Streaming the upload through the web process used 900 MB for a folder of 4,000 files.

## Changed

- The plan names the queue as the mitigation for the slow import.

## Open

- Nobody has decided who watches the queue at night.
"""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """The running product, with alice signed up by the first link and the rest of the cast made beside her."""

    live: Instance
    alice: Page
    bob: Page
    carol: Page
    mallory: Page
    scout: Agent
    rover: Agent
    stranger: Agent


def sign_in(browser: Browser, live: Instance, email: str) -> Page:
    page = browser.new_context(base_url=live.url).new_page()
    page.goto("/accounts/login/")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page).not_to_have_url(re.compile("login"))
    return page


@pytest.fixture
def scene(instance: Instance, browser: Browser) -> Scene:
    """Alice follows the first sign-in link and shares ``product/launch``, as the story begins."""
    live = instance.start()
    alice = browser.new_context(base_url=live.url).new_page()
    alice.goto(live.welcome)
    alice.get_by_label("Email").fill("alice@example.org")
    alice.get_by_label("Name").fill("Alice")
    alice.get_by_label("Password").fill(PASSWORD)
    alice.locator("main form button.button-primary").click()
    expect(alice.get_by_role("heading", name="Alice")).to_be_visible()
    second = browser.new_context(base_url=live.url).new_page().goto(live.welcome)
    assert second is not None
    assert second.status >= 400, "the link works once"
    for name in ("bob", "carol", "mallory"):
        live.manage(
            "createperson", f"{name}@example.org", "--name", name.capitalize(), "--password-stdin", text=PASSWORD
        )
    tokens = {
        agent: live.manage("mint_token", "--person", f"{owner}@example.org", "--agent", agent).stdout.strip()
        for agent, owner in (("scout", "alice"), ("rover", "bob"), ("prowler", "mallory"))
    }
    scout, rover, stranger = (Agent(url=live.url, token=tokens[name]) for name in ("scout", "rover", "prowler"))
    assert scout.rest("POST", "folders", {"location": PLACE}).status_code == 201
    for subject, role in (("bob@example.org", "editor"), ("carol@example.org", "viewer")):
        alice.goto(f"/share/{PLACE}")
        alice.get_by_label("With whom").fill(subject)
        alice.get_by_label("As", exact=True).select_option(role)
        alice.get_by_role("button", name="Look at what it opens").click()
        expect(alice.locator("#preview")).to_contain_text(subject)
        alice.get_by_role("button", name="Yes, share it").click()
        expect(alice.get_by_text(subject).first).to_be_visible()
    return Scene(
        live=live,
        alice=alice,
        bob=sign_in(browser, live, "bob@example.org"),
        carol=sign_in(browser, live, "carol@example.org"),
        mallory=sign_in(browser, live, "mallory@example.org"),
        scout=scout,
        rover=rover,
        stranger=stranger,
    )


def cut_off(agent: Agent, body: dict[str, Any], key: str) -> None:
    """Send a write and hang up before the answer is read."""
    data = json.dumps(body).encode()
    host, port = agent.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as wire:
        head = (
            f"POST /api/v1/documents HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {agent.token}\r\n"
            f"Idempotency-Key: {key}\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        )
        wire.sendall(head.encode() + data)
        time.sleep(0.5)
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")


def edit_in_browser(page: Page, old: str, new: str) -> None:
    """Open the editor, replace text in it as a person would, and save."""
    page.goto(f"/edit/{quote(PLAN_AT)}")
    area = page.locator("textarea[name=content]")
    text = area.input_value()
    assert old in text
    area.fill(text.replace(old, new))
    page.get_by_role("button", name=re.compile("^Save")).click()
    page.wait_for_url(re.compile(f"/d/{quote(PLAN_AT)}"))


def text_of(agent: Agent, location: str) -> str:
    return str(agent.call("read", location=location)["content"])


def test_the_handoff_loop(scene: Scene) -> None:
    scout, rover = scene.scout, scene.rover

    # The reply is cut off and the call repeated: one commit.
    body = {"location": PLAN_AT, "content": PLAN, "message": "First plan"}
    cut_off(scout, body, "plan-1")
    again = scout.call(
        "doc_create",
        action="document",
        folder_path=["product", "launch"],
        name="plan.md",
        content=PLAN,
        message="First plan",
        idempotency_key="plan-1",
    )
    assert again["outcome"] == "replayed", again
    first = again["commit"]
    assert len(scout.call("history", action="log", location=PLAN_AT)["commits"]) == 1

    # Bob edits the second paragraph; the agent, still on the first commit, the third: merged, two parents.
    edit_in_browser(scene.bob, "a thousand teams", "two thousand teams")
    merged = scout.call(
        "doc_update",
        action="replace",
        location=PLAN_AT,
        content=PLAN.replace("a progress bar and a way to stop", "a queue, a progress bar and a way to stop"),
        expected_commit=first,
        on_conflict="merge",
    )
    assert merged["outcome"] == "merged"
    assert len(merged["parents"]) == 2
    both = text_of(scout, PLAN_AT)
    assert "two thousand teams" in both
    assert "a queue, a progress bar" in both

    # The same sentence: a conflict, both texts kept, the draft hidden from the reader.
    edit_in_browser(scene.bob, "the second of March", "the ninth of March")
    contested = scout.call(
        "doc_update",
        action="replace",
        location=PLAN_AT,
        content=both.replace("the second of March", "the first of April"),
        expected_commit=merged["commit"],
        on_conflict="merge",
    )
    assert contested["code"] == "CONFLICT"
    conflict = contested["conflict_id"]
    assert "the ninth of March" in text_of(scout, PLAN_AT)
    assert scene.carol.goto(f"/conflicts/{conflict}").status == 404
    assert scene.mallory.goto(f"/conflicts/{conflict}").status == 404
    scene.bob.goto(f"/conflicts/{conflict}")
    expect(scene.bob.locator("#place-1")).to_contain_text("April")
    expect(scene.bob.locator("#place-1")).to_contain_text("ninth")
    scene.bob.get_by_role("radio", name=re.compile("^The draft")).first.check()
    scene.bob.get_by_role("button", name="Save the result").click()
    scene.bob.wait_for_url(re.compile("/d/"))
    assert "the first of April" in text_of(scout, PLAN_AT)
    resolved = scout.call("history", action="log", location=PLAN_AT)["commits"][0]
    assert len(resolved["parents"]) == 2

    # A capture becomes a cited summary; what Bob typed at the top meanwhile stays.
    made = scout.call(
        "doc_create",
        action="document",
        folder_path=["product", "launch"],
        name="HANDOFF.md",
        content="# Handoff: launch\n\nBob: ask me before touching the billing page.\n",
    )
    assert made["outcome"] == "saved"
    captured = scout.call("capture", action="commit", folder=PLACE, content=CAPTURE, operation_id="session-1")
    capture = captured["capture_id"]
    handoff = f"{PLACE}/HANDOFF.md"
    wait_until(lambda: capture in text_of(rover, handoff), timeout=30, what="the summary")
    page = text_of(rover, handoff)
    assert "Bob: ask me before touching the billing page." in page
    assert "one row for each file" in page
    assert "900 MB" in page
    assert len(page.split()) < 650

    # The next agent, a fresh client: every citation opens the right lines at the right commit.
    folders = rover.call("browse", action="documents", location=PLACE)["documents"]
    assert {d["location"] for d in folders} == {PLAN_AT, handoff}
    wait_until(lambda: rover.call("search", query="queue progress bar")["hits"], timeout=30, what="the index")
    hits = rover.call("search", query="queue progress bar")["hits"]
    assert hits[0]["location"] in (PLAN_AT, handoff)
    for hit in hits:
        location, commit, start, end = re.fullmatch(r"(.+)@([0-9a-f]{64})#L(\d+)(?:-L(\d+))?", hit["citation"]).groups()
        lines = rover.rest("GET", f"documents/{quote(location)}?at={commit}&lines={start}-{end or start}")
        assert lines.status_code == 200
        # A snippet is plain words; in the cited lines they stand in this order, with marks of Markdown between.
        cited = iter(re.findall(r"\w+", lines.json()["content"]))
        assert all(word in cited for word in re.findall(r"\w+", hit["snippet"])), hit
        scene.bob.goto(f"/d/{quote(location)}?at={commit}#L{start}-L{end or start}")
        expect(scene.bob.locator("article, .prose").first).to_contain_text(re.compile(r"\w"))
    timeline = scene.bob.goto(f"/captures/{capture}")
    assert timeline is not None
    assert timeline.status == 200
    expect(scene.bob.get_by_text("summarised", exact=False).first).to_be_visible()

    # A stranger gets not-found everywhere, in the very words of what never existed.
    for path in (
        f"documents/{PLAN_AT}",
        f"documents?location={PLACE}",
        f"commits?location={PLAN_AT}",
        f"commits/{first}",
        f"diff?location={PLAN_AT}",
        f"conflicts/{conflict}",
        f"captures/{capture}",
        f"grants?location={PLACE}",
    ):
        hidden = scene.stranger.rest("GET", path)
        absent = scene.stranger.rest(
            "GET",
            path.replace("launch", "nothing")
            .replace(first, "0" * 64)
            .replace(conflict, "cfl_0")
            .replace(capture, "cap_0"),
        )
        assert hidden.status_code == absent.status_code == 404, path
        drop = {"request_id"}
        assert {k: v for k, v in hidden.json().items() if k not in drop} == {
            k: v for k, v in absent.json().items() if k not in drop
        }
    for path in (f"/d/{PLAN_AT}", f"/f/{PLACE}", f"/history/{PLAN_AT}", f"/captures/{capture}", f"/edit/{PLAN_AT}"):
        answer = scene.mallory.goto(path)
        assert answer is not None
        assert answer.status == 404, path
    assert scene.stranger.call("read", location=PLAN_AT)["code"] == "NOT_FOUND"
    assert scene.stranger.call("search", query="queue")["hits"] == []

    assert "all is as it was written" in scene.live.manage("verify").stdout
