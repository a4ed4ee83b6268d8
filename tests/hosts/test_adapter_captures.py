"""What a program leaves is on disk before it is sent, and is one capture however often it is told or sent."""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.adapter import Person
from tests.hosts.server import Server

CAPTURES = "/api/v1/captures"
KEEP = """
with baton.session(folder="product/launch", host="nightly", session="run-7", deadline_ms=700) as s:
    s.context("When is the launch?")
    kept = s.capture("We decided on June.")
    show([kept.state, kept.id, kept.why, dataclasses.asdict(s.report)])
"""
AKEEP = """
async def main():
    async with baton.asession(folder="product/launch", host="nightly", session="run-7", deadline_ms=700) as s:
        await s.context("When is the launch?")
        kept = await s.capture("We decided on June.")
        show([kept.state, kept.id, kept.why, dataclasses.asdict(s.report)])
asyncio.run(main())
"""
KINDS = {"sync": KEEP, "async": AKEEP}


@pytest.mark.parametrize("kind", KINDS)
def test_a_capture_is_sent_and_acknowledged(person: Person, scripted: Server, kind: str) -> None:
    state, known, why, report = person.run(KINDS[kind]).json
    assert (state, known, why) == ("acknowledged", "cap_1", "")
    (kept,) = scripted.kept.values()
    assert {name: kept[name] for name in ("folder", "content", "host", "session", "event")} == {
        "folder": "product/launch",
        "content": "We decided on June.",
        "host": "nightly",
        "session": "run-7",
        "event": "turn-end",
    }
    assert (report["captured"], report["acknowledged"], report["waiting"]) == (1, 1, 0)
    assert person.spooled == []


def test_the_same_call_ten_times_is_one_capture(person: Person, scripted: Server) -> None:
    told = person.run("""
with baton.session(folder="product/launch") as s:
    states = [s.capture("Done.").state for _ in range(10)]
    show([states, s.report.captured])
""").json
    assert told == [["acknowledged"] * 10, 1]
    assert len(scripted.to(CAPTURES)) == len(scripted.kept) == 1


def test_ten_processes_and_both_kinds_are_one_capture(person: Person, scripted: Server) -> None:
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(person.run, [*KINDS.values()] * 5))
    assert len(scripted.kept) == 1


def test_other_words_and_other_turns_are_other_captures(person: Person, scripted: Server) -> None:
    person.run("""
with baton.session(folder="product/launch", session="s1") as s:
    s.context("p"); s.capture("Done.")
    s.capture("Done, and told.")
    s.context("p"); s.capture("Done.")
    s.capture("Done.", turn="mine")
""")
    assert len(scripted.kept) == 4


def test_sections_are_told_apart(person: Person, scripted: Server) -> None:
    person.run("""
with baton.session(folder="product/launch") as s:
    s.capture("All of it.", asked="When?", decided=["June.", "No beta."], changed=["src/launch.py"], open="Who tells?")
""")
    (kept,) = scripted.kept.values()
    assert kept["content"] == (
        "## Asked\n\n- When?\n\n## Decided\n\n- June.\n- No beta.\n\n## Changed\n\n- src/launch.py\n\n"
        "## Open\n\n- Who tells?\n\n## Notes\n\nAll of it."
    )


def test_secrets_stay_here(person: Person, scripted: Server) -> None:
    scripted.answers[CAPTURES] = (500, {})
    secrets = ["btn_" + "a1B2" * 8, "ghp_" + "x9Y8" * 9, "hunter2hunter2"]
    text = f"{secrets[0]} password={secrets[2]} https://bob:{secrets[2]}@db/x"
    person.run(f"with baton.session(folder='a') as s: s.capture({text!r}, decided=[{secrets[1]!r}])")
    assert len(person.spooled) == 1
    everything = b"".join(path.read_bytes() for path in person.home.rglob("*") if path.is_file()).decode()
    sent = json.dumps([call.body for call in scripted.to(CAPTURES)])
    for secret in (*secrets, person.token):
        assert secret not in everything
        assert secret not in sent
    assert os.stat(person.spooled[0]).st_mode & 0o077 == 0


@pytest.mark.parametrize("text", ["'日本語🙂' * 20_000", r"'\x01' * 100_000", r"'\"\\' * 40_000", "'x' * 2_000_000"])
def test_what_is_long_is_cut_and_still_can_be_sent_later(person: Person, scripted: Server, text: str) -> None:
    scripted.answers[CAPTURES] = (500, {})
    person.run(f"with baton.session(folder='a') as s: s.capture({text})")
    assert len(person.spooled) == 1
    scripted.answers[CAPTURES] = (201, scripted.keep)
    assert person.command("drain").code == 0
    (kept,) = scripted.kept.values()
    assert 10_000 < len(kept["content"].encode()) <= 16 * 1024


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("policy", ["optional", "required"])
@pytest.mark.parametrize("failure", ["down", "hanging", 401, 500, "not HTTP"])
def test_what_is_not_taken_now_waits_and_is_sent_once(
    person: Person, scripted: Server, failure: Any, policy: str, kind: str
) -> None:
    address = person.address
    answers = {"hanging": (200, scripted.hang), "not HTTP": (200, b"[" * 3_000_000)}
    scripted.answers[CAPTURES] = answers.get(failure, (failure, {}))
    program = KINDS[kind].replace("s.context(", "len(").replace("await len", "len")
    program = program.replace("deadline_ms=700", f"deadline_ms=700, policy={policy!r}")
    if failure == "down":
        # The same address, so that it can come back: a port that is taken by nobody for now.
        person.address = "http://127.0.0.1:9"
    state, _, why, report = person.run(program).json
    assert state == "waiting"
    assert why
    assert report["waiting"] == 1
    assert len(person.spooled) == 1
    if failure == "down":
        entry = json.loads(person.spooled[0].read_text())
        assert entry["address"] == person.address
        return
    person.address = address
    scripted.answers[CAPTURES] = (201, scripted.keep)
    before = len(scripted.to(CAPTURES))
    assert person.command("drain").code == 0
    assert person.spooled == []
    assert len(scripted.to(CAPTURES)) == before + 1
    assert len({call.body["operation_id"] for call in scripted.to(CAPTURES)}) == len(scripted.kept) == 1


@pytest.mark.parametrize("after", [0.0, 0.05, 0.1, 0.15, 0.2, 0.3])
def test_a_kill_at_any_moment_leaves_one_capture_or_the_next_run_makes_it(
    person: Person, scripted: Server, after: float
) -> None:
    scripted.answers[CAPTURES] = (201, scripted.slow(0.05, {"id": "cap_1"}))
    process = person.start(KEEP)
    time.sleep(after)
    process.kill()
    process.communicate()
    for path in person.spooled:
        json.loads(path.read_text())  # whole, or not there
    scripted.answers[CAPTURES] = (201, scripted.keep)
    state, *_ = person.run(KEEP).json
    assert state == "acknowledged"
    person.command("drain")
    assert len(scripted.kept) == 1
    assert person.spooled == []


def test_a_kill_while_it_is_sent_is_drained_once_by_the_next_start(person: Person, scripted: Server) -> None:
    scripted.answers[CAPTURES] = (201, scripted.hang)
    process = person.start(KEEP.replace("deadline_ms=700", "deadline_ms=15000"))
    assert len(scripted.eventually(CAPTURES)) == 1
    process.kill()
    process.communicate()
    assert len(person.spooled) == 1
    scripted.answers[CAPTURES] = (201, scripted.keep)
    person.run("with baton.session(folder='elsewhere'): pass")
    assert person.spooled == []
    assert len(scripted.to(CAPTURES)) == 2
    assert len(scripted.kept) == len({call.body["operation_id"] for call in scripted.to(CAPTURES)}) == 1


def test_drains_at_once_send_once(person: Person, scripted: Server) -> None:
    scripted.answers[CAPTURES] = (500, {})
    person.run("s = baton.session(folder='a')\nfor n in range(5): s.capture(f'part {n}')\nos._exit(0)")
    scripted.answers[CAPTURES] = (201, scripted.keep)
    before = len(scripted.to(CAPTURES))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: person.command("drain"), range(4)))
    assert len(scripted.to(CAPTURES)) - before == len(scripted.kept) == 5


def test_a_drain_tries_again_with_longer_pauses_and_ends(person: Person, scripted: Server) -> None:
    scripted.answers[CAPTURES] = (503, {})
    person.run("s = baton.session(folder='a'); s.capture('x'); os._exit(0)")
    before = len(scripted.to(CAPTURES))
    told = person.run(
        "begun = time.monotonic(); d = baton.drain(limit_s=4); show([d.waiting, time.monotonic() - begun])"
    )
    assert told.json[0] == 1
    assert told.json[1] < 6
    assert 3 <= len(scripted.to(CAPTURES)) - before <= 5


def test_what_was_left_under_another_token_is_not_put_under_this_ones_name(person: Person, scripted: Server) -> None:
    scripted.answers[CAPTURES] = (500, {})
    person.run(KEEP)
    scripted.answers[CAPTURES] = (201, scripted.keep)
    person.token = "btn_of_somebody_else_on_this_machine"
    told = person.run(
        "with baton.session(folder='a') as s: time.sleep(0.3); show([s.report.waiting, s.report.set_aside])"
    )
    assert told.json == [0, 1]
    person.command("drain")
    assert len(person.spooled) == 1
    assert scripted.kept == {}
    assert person.command("drain", "--adopt").code == 0
    assert len(scripted.kept) == 1


def test_what_was_made_before_there_was_a_token_is_sent_by_the_first(person: Person, scripted: Server) -> None:
    token, person.token = person.token, ""
    assert person.run(KEEP).json[0] == "waiting"
    person.token = token
    person.command("drain")
    assert len(scripted.kept) == 1


@pytest.mark.parametrize("policy", ["optional", "required"])
def test_what_is_refused_for_good_is_set_aside_and_told(person: Person, scripted: Server, policy: str) -> None:
    scripted.answers[CAPTURES] = (403, {"code": "FORBIDDEN", "detail": "You are viewer here."})
    ran = person.run(KEEP.replace("deadline_ms=700", f"policy={policy!r}"))
    assert "You are viewer here." in ran.said
    if policy == "required":
        assert "MemoryUnavailable" in ran.said
    else:
        assert ran.json[0] == "refused"
    assert person.spooled == []
    assert len(list(person.home.rglob("*.refused"))) == 1


@pytest.mark.parametrize("policy", ["optional", "required"])
def test_where_nothing_can_be_written_it_is_sent_at_once_or_said_to_be_lost(
    person: Person, scripted: Server, policy: str
) -> None:
    (person.home / ".config").write_text("in the way: as root, no mode would keep a folder from being written")
    (person.home / "tmp").rmdir()
    (person.home / "tmp").write_text("")
    program = KEEP.replace("deadline_ms=700", f"policy={policy!r}")
    assert person.run(program).json[0] == "acknowledged"
    scripted.answers[CAPTURES] = (500, {})
    ran = person.run(program)
    if policy == "required":
        assert "MemoryUnavailable" in ran.said
    else:
        assert ran.json[0] == "lost"
    assert "cannot be kept here" in ran.said


@pytest.mark.parametrize(("said", "sent"), [("off", None), ("ask", True), ("on", False)])
def test_the_projects_file_narrows_what_is_kept(person: Person, scripted: Server, said: str, sent: bool | None) -> None:
    (person.root / ".baton.json").write_text(json.dumps({"folder": "product/launch", "capture": said}))
    state = person.run("show(baton.session().capture('x').state)").json
    if sent is None:
        assert (state, scripted.calls) == ("off", [])
    else:
        assert state == "acknowledged"
        assert scripted.to(CAPTURES)[0].body.get("propose", False) is sent


@pytest.mark.parametrize("call", ["baton.session().capture('x')", "baton.session(folder='a').capture(' ', decided=[])"])
def test_a_capture_needs_a_folder_and_a_content(person: Person, scripted: Server, call: str) -> None:
    assert "ValueError" in person.run(call).said
    assert scripted.calls == []


def test_a_session_goes_on_in_forked_processes(person: Person, scripted: Server) -> None:
    told = person.run("""
import warnings
warnings.simplefilter("ignore")
s = baton.session(folder="product/launch", session="s1", deadline_ms=5000)
s._lock.acquire()  # as a thread may, that is not in the child
children = []
for n in range(3):
    child = os.fork()
    if child == 0:
        found = s.context("p")
        state = s.capture(f"part {n}").state
        s.capture("the same").state
        os._exit(0 if found and state == "acknowledged" else 1)
    children.append(child)
show([os.waitpid(child, 0)[1] for child in children])
""").json
    assert told == [0, 0, 0]
    assert sorted(kept["content"] for kept in scripted.kept.values()) == ["part 0", "part 1", "part 2", "the same"]


def test_the_hooks_of_a_host_leave_what_programs_left(person: Person, scripted: Server) -> None:
    scripted.answers[CAPTURES] = (500, {})
    person.run(KEEP)
    scripted.answers[CAPTURES] = (201, scripted.keep)
    before = len(scripted.calls)
    handler = Path(__file__).resolve().parents[2] / "workspace" / "hosts" / "handler" / "baton_hook.py"
    person.run(f"import subprocess; subprocess.run([sys.executable, {str(handler)!r}, 'drain'])")
    assert len(scripted.calls) == before
    assert len(person.spooled) == 1
