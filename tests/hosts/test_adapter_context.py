"""What a program is given before its prompts, whatever the server does."""

import json

import pytest

from tests.hosts.adapter import Person
from tests.hosts.failures import FAILURES, answering
from tests.hosts.server import CONTEXT, TEXT, Server

PATH = "/api/v1/context"
RECEIPTS = "/api/v1/receipts"

SYNC = """
def program(**options):
    begun = time.monotonic()
    try:
        with baton.session(folder="product/launch", host="nightly", session="s1", deadline_ms=700, **options) as s:
            with s.context("When is the launch?") as found:
                took = time.monotonic() - begun
                answer = "model was given: " + str(found)
            show({"text": found.text, "why": found.why, "note": found.note, "given": answer, "took": took,
                  "report": dataclasses.asdict(s.report)})
    except baton.MemoryUnavailable as error:
        show({"why": error.why, "raised": str(error), "mend": error.mend, "took": time.monotonic() - begun})
program(policy=sys.argv[1])
"""
ASYNC = """
async def program(**options):
    ticks = []
    async def tick():
        while True:
            ticks.append(time.monotonic())
            await asyncio.sleep(0.02)
    ticking = asyncio.create_task(tick())
    begun = time.monotonic()
    try:
        options = dict(folder="product/launch", host="nightly", session="s1", deadline_ms=700, **options)
        async with baton.asession(**options) as s:
            async with await s.context("When is the launch?") as found:
                took = time.monotonic() - begun
                answer = "model was given: " + str(found)
            said = {"text": found.text, "why": found.why, "note": found.note, "given": answer, "took": took,
                    "report": dataclasses.asdict(s.report)}
    except baton.MemoryUnavailable as error:
        said = {"why": error.why, "raised": str(error), "mend": error.mend, "took": time.monotonic() - begun}
    ticking.cancel()
    held_up = max((after - before for before, after in zip(ticks, ticks[1:])), default=0)
    show({**said, "held_up": held_up})
asyncio.run(program(policy=sys.argv[1]))
"""
PROGRAMS = {"sync": SYNC, "async": ASYNC}


FAILED = FAILURES | {
    "citations of another form": (answering(200, {"text": TEXT, "citations": [7]}), "unavailable"),
}


@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("policy", ["optional", "required"])
@pytest.mark.parametrize("failure", FAILED)
def test_a_failure_is_told_or_stops_the_prompt(
    person: Person, scripted: Server, failure: str, policy: str, kind: str
) -> None:
    arrange, why = FAILED[failure]
    arrange(person, scripted)
    ran = person.run(PROGRAMS[kind], policy)
    told = ran.json
    assert told["why"] == why
    assert told["took"] < 2
    assert told.get("held_up", 0) < 0.5
    if policy == "required":
        assert f"Baton: memory was unavailable ({why})" in told["raised"]
        assert told["mend"] in told["raised"]
        assert told["mend"]
    else:
        assert told["text"] == ""
        assert f"({why})" in told["note"]
        assert told["given"] == "model was given: " + told["note"]
        assert "Nothing of it is in the context" in told["note"]
        assert len(told["note"]) <= 500
        assert f"Baton: memory was unavailable ({why})" in ran.said  # to the person as well
        assert told["report"]["failed"] == 1
        assert told["report"]["attached"] == 0
        assert "xxxx" not in ran.out


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_name_that_is_not_resolved_in_time_is_told_in_time(person: Person, scripted: Server, kind: str) -> None:
    resolver = "import socket\nsocket.getaddrinfo = lambda *a, **k: time.sleep(30)\nbegun = time.monotonic()\n"
    ran = person.run(resolver + PROGRAMS[kind] + "print(json.dumps(time.monotonic() - begun))", "optional")
    told = json.loads(ran.out.splitlines()[0])
    assert (told["why"], told["report"]["failed"]) == ("unavailable", 1)
    assert told["took"] < 1.5
    assert told.get("held_up", 0) < 0.5
    assert ran.json < 3


@pytest.mark.parametrize("kind", PROGRAMS)
def test_the_context_is_given_and_reported(person: Person, scripted: Server, kind: str) -> None:
    told = person.run(PROGRAMS[kind], "required").json
    assert told["given"] == "model was given: " + TEXT
    (asked,) = scripted.to(PATH)
    assert asked.token == person.token
    sent = {name: asked.body[name] for name in ("prompt", "location", "host", "session", "budget_chars")}
    assert sent == {
        "prompt": "When is the launch?",
        "location": "product/launch",
        "host": "nightly",
        "session": "s1",
        "budget_chars": 8_000,
    }
    assert 0 < asked.body["deadline_ms"] < 700
    assert [call.body for call in scripted.to(RECEIPTS)] == [{"receipt": "rec_1", "stage": "attached"}]
    assert len(scripted.calls) == 2
    counts = {name: told["report"][name] for name in ("asked", "found", "attached", "withheld", "captured", "failed")}
    assert counts == {"asked": 1, "found": 1, "attached": 1, "withheld": 0, "captured": 0, "failed": 0}


def test_both_kinds_ask_under_the_same_identity_and_another_turn_under_another(
    person: Person, scripted: Server
) -> None:
    for kind in (*PROGRAMS, "sync"):
        person.run(PROGRAMS[kind], "optional")
    assert len({call.body["operation_id"] for call in scripted.to(PATH)}) == 1
    person.run("""
with baton.session(folder="product/launch", host="nightly", session="s1") as s:
    s.context("When is the launch?")
    s.context("When is the launch?")
    s.context("Who tells support?")
""")
    assert len({call.body["operation_id"] for call in scripted.to(PATH)}) == 3


def test_retrieved_is_not_attached_until_the_program_says_so(person: Person, scripted: Server) -> None:
    told = person.run("""
with baton.session(folder="product/launch") as s:
    found = s.context("p")
    used = f"{found}"
    before = s.report.attached
    found.attached()
    found.attached()
    found.withheld("too late to say so")
    show([before, s.report.attached, s.report.withheld])
""").json
    assert told == [0, 1, 0]
    assert [call.body["stage"] for call in scripted.to(RECEIPTS)] == ["attached"]
    person.run("with baton.session(folder='product/launch') as s: str(s.context('p'))")
    assert len(scripted.to(RECEIPTS)) == 1


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_model_that_fails_was_not_given_it(person: Person, scripted: Server, kind: str) -> None:
    program = {
        "sync": """
with baton.session() as s:
    with s.context("p"):
        raise TimeoutError("with a secret in it")
""",
        "async": """
async def main():
    async with baton.asession() as s:
        async with await s.context("p"):
            raise TimeoutError("with a secret in it")
asyncio.run(main())
""",
    }[kind]
    assert person.run(program).code == 1
    (told,) = scripted.to(RECEIPTS)
    assert (told.body["stage"], told.body["reason"]) == ("withheld", "the call to the model ended with TimeoutError")


def test_what_is_over_the_budget_is_reported_as_withheld(person: Person, scripted: Server) -> None:
    scripted.answers[PATH] = (200, {**CONTEXT, "text": "日" * 301})
    program = "with baton.session(budget_chars=300) as s:\n    show(str(s.context('p')))\n    time.sleep(0.5)"
    assert "longer than was asked for" in person.run(program).json
    (told,) = scripted.eventually(RECEIPTS)
    assert told.body["stage"] == "withheld"


def test_a_report_that_cannot_be_made_is_made_later(person: Person, scripted: Server) -> None:
    scripted.answers[RECEIPTS] = (500, {})
    person.run("s = baton.session(); s.context('p').attached(); os._exit(0)")
    assert len(person.spooled) == 1
    scripted.answers[RECEIPTS] = (201, {})
    person.run("with baton.session(): pass")
    assert person.spooled == []
    assert {call.body["stage"] for call in scripted.to(RECEIPTS)} == {"attached"}


def test_nothing_to_say_is_no_failure(person: Person, scripted: Server) -> None:
    scripted.answers[PATH] = (200, {**CONTEXT, "text": "", "citations": [], "why": "nothing to say"})
    ran = person.run("""
with baton.session(policy="required") as s:
    found = s.context("p")
    show([bool(found), found.why, str(found), s.report.nothing, s.report.failed])
""")
    assert ran.json == [False, "nothing to say", "Baton: nothing to say about this prompt.", 1, 0]
    assert ran.said == ""


@pytest.mark.parametrize("prompt", ["''", "'x' * 1_000_000", r"'\0\x01\ud800\udfff'", "'日本語とقصة 🙂 ' * 400"])
def test_any_prompt_is_asked_about(person: Person, scripted: Server, prompt: str) -> None:
    ran = person.run(f"with baton.session() as s: show(str(s.context({prompt})))")
    assert ran.json == TEXT
    assert len(scripted.to(PATH)[0].body["prompt"]) <= 100_000


def test_citations_tell_where_each_passage_is_from(person: Person, scripted: Server) -> None:
    cited = {"location": "product/launch/plan.md", "commit": "c0ffee", "lines": [3, 4], "stale": True}
    scripted.answers[PATH] = (200, {**CONTEXT, "citations": [cited], "partial": True})
    told = person.run("with baton.session() as s: f = s.context('p'); c = f.citations[0]; "
                      "show([c.location, c.commit, c.lines, c.stale, f.partial, f.receipt])").json  # fmt: skip
    assert told == ["product/launch/plan.md", "c0ffee", [3, 4], True, True, "rec_1"]


def test_a_brief_is_given_fenced_with_what_to_acknowledge(person: Person, scripted: Server) -> None:
    changed = [{"location": "product/launch/plan.md", "commit": "c0ffee"}]
    scripted.answers["/api/v1/brief"] = (200, {"changed": changed, "cursor": {"since": None, "head": "7"}})
    told = person.run("""
with baton.session(folder="product/launch") as s:
    b = s.brief()
    show([str(b), b.head, b.whole, str(s.brief(ack_through=b.head))])
""").json
    assert "plan.md" in told[0]
    assert "not instructions" in told[0]
    assert told[1:3] == ["7", True]
    first, then = (call.path for call in scripted.to("/api/v1/brief"))
    assert first.endswith("?location=product%2Flaunch")
    assert then.endswith("&ack_through=7")


@pytest.mark.parametrize("policy", ["optional", "required"])
def test_a_brief_follows_the_policy(person: Person, scripted: Server, policy: str) -> None:
    scripted.answers["/api/v1/brief"] = (500, {})
    ran = person.run(f"with baton.session(policy={policy!r}) as s: show(s.brief().note)")
    if policy == "required":
        assert "MemoryUnavailable: Baton: memory was unavailable (unavailable)" in ran.said
    else:
        assert "unavailable (unavailable) for this session" in ran.json


def test_threads_share_a_session(person: Person, scripted: Server) -> None:
    told = person.run("""
from concurrent.futures import ThreadPoolExecutor
with baton.session(folder="product/launch", host="nightly") as s:
    def work(number):
        with s.context(f"prompt {number}") as found:
            assert found
        return s.capture("The same words.").state
    with ThreadPoolExecutor(8) as pool:
        states = list(pool.map(work, range(24)))
    show([sorted(set(states)), dataclasses.asdict(s.report)])
""").json
    states, report = told
    assert states == ["acknowledged"]
    assert (report["asked"], report["attached"], report["captured"], report["acknowledged"]) == (24, 1, 24, 24)
    assert len({call.body["operation_id"] for call in scripted.to(PATH)}) == 24
    assert len(scripted.kept) == 24  # a capture belongs to the turn of its own thread


def test_many_at_once_in_one_loop_are_in_time(person: Person, scripted: Server) -> None:
    scripted.answers[PATH] = (200, scripted.slow(0.5, CONTEXT))
    told = person.run("""
from concurrent.futures import ThreadPoolExecutor
async def main():
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(1))
    loop.run_in_executor(None, time.sleep, 5)  # what others do with the loop's own threads
    async with baton.asession(deadline_ms=10000) as s:
        begun = time.monotonic()
        found = await asyncio.gather(*(s.context(f"prompt {n}") for n in range(12)))
        show([sum(map(bool, found)), time.monotonic() - begun])
asyncio.run(main())
""").json
    assert told[0] == 12
    assert told[1] < 3  # one after another they take longer, and after what fills the loop's threads longer still


def test_a_task_that_is_cancelled_leaves_the_loop_free(person: Person, scripted: Server) -> None:
    scripted.answers[PATH] = (200, scripted.hang)
    told = person.run("""
async def main():
    async with baton.asession(deadline_ms=15000) as s:
        try:
            await asyncio.wait_for(s.context("p"), 0.2)
        except asyncio.TimeoutError:
            return "cancelled"
begun = time.monotonic()
show([asyncio.run(main()), time.monotonic() - begun])
""").json
    assert told[0] == "cancelled"
    assert told[1] < 2
