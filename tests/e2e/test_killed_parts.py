"""The running product while its parts are killed."""

import os
import random
import signal
import threading
import time
from typing import Any

import httpx2
import pytest

from tests.e2e.agent import PASSWORD, Agent
from tests.instance import Instance, wait_until


@pytest.mark.parametrize("seed", [1, 2])
def test_killing_any_part_at_random_loses_nothing_that_was_acknowledged(instance: Instance, seed: int) -> None:
    chance = random.Random(seed)
    instance.start()
    instance.manage("createperson", "alice@example.org", "--admin", "--password-stdin", text=PASSWORD)
    token = instance.manage("mint_token", "--person", "alice@example.org", "--agent", "scout").stdout.strip()
    agent = Agent(url=instance.url, token=token)
    over = threading.Event()
    acknowledged: dict[str, set[str]] = {"documents": set(), "lines": set(), "captures": set()}

    def insist(method: str, path: str, body: Any, **headers: str) -> httpx2.Response | None:
        """Repeat one request, with its key, until it is answered; what the connection swallowed is unknown."""
        for _ in range(120):
            try:
                answer = agent.rest(method, path, body, **headers)
            except httpx2.HTTPError:
                time.sleep(0.25)
                continue
            if answer.status_code < 500:
                return answer
            time.sleep(0.25)
        return None

    def write(writer: int) -> None:
        n = 0
        while not over.is_set():
            n += 1
            name = f"w{writer}-{n}"
            made = insist(
                "POST",
                "documents",
                {"location": f"kept/safe/{name}.md", "content": f"# {name}\n"},
                **{"Idempotency-Key": f"doc {name}"},
            )
            if made is not None and made.status_code == 201:
                acknowledged["documents"].add(name)
            added = insist(
                "PATCH", "documents/kept/safe/log.md", {"append": f"- {name}"}, **{"Idempotency-Key": f"line {name}"}
            )
            if added is not None and added.status_code == 200:
                acknowledged["lines"].add(name)
            if n % 3 == 0:
                told = insist(
                    "POST",
                    "captures",
                    {
                        "folder": "kept/safe",
                        "content": f"## Decided\n\n- Keep {name} for good.\n",
                        "host": "test",
                        "session": "s",
                        "event": "stop",
                        "operation_id": name,
                    },
                )
                if told is not None and told.status_code == 201:
                    acknowledged["captures"].add(told.json()["id"])

    insist("POST", "documents", {"location": "kept/safe/log.md", "content": "# Log\n"}, **{"Idempotency-Key": "log"})
    writers = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for writer in writers:
        writer.start()
    for kind in ["web", "postgres", "worker", chance.choice(["web", "postgres"])]:
        time.sleep(chance.uniform(1, 3))
        for pid in instance.children(kind):
            os.kill(pid, signal.SIGKILL)
    time.sleep(3)
    over.set()
    for writer in writers:
        writer.join(90)

    def everything() -> dict[str, Any]:
        found: list[Any] = []
        cursor = ""
        while True:
            page = agent.rest("GET", f"documents?location=kept/safe&limit=100{cursor}").json()
            found += page["items"]
            if not page["next_cursor"]:
                return {row["location"].rpartition("/")[2].removesuffix(".md"): row for row in found}
            cursor = f"&cursor={page['next_cursor']}"

    wait_until(lambda: agent.rest("GET", "me").status_code == 200, timeout=60, what="the return of the service")
    assert len(acknowledged["documents"]) > 5
    assert acknowledged["documents"] <= everything().keys()
    lines = agent.rest("GET", "documents/kept/safe/log.md").json()["content"].splitlines()[1:]
    assert sorted(set(lines)) == sorted(lines)
    assert {f"- {name}" for name in acknowledged["lines"]} <= set(lines)
    # What was waiting when the worker died is done by itself.
    wait_until(
        lambda: all(
            agent.rest("GET", f"captures/{capture}").json()["state"] not in ("captured", "pending")
            for capture in acknowledged["captures"]
        ),
        timeout=90,
        what="the summaries",
    )
    wait_until(
        lambda: (
            not [j for j in agent.rest("GET", "jobs?limit=100").json()["items"] if j["state"] in ("pending", "running")]
        ),
        timeout=120,
        what="the end of the backlog",
    )
    assert "all is as it was written" in instance.manage("verify").stdout
