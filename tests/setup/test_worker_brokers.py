"""The same job on each broker, done because the bell was rung and not because a sweep came by."""

import json
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import brokers
from tests.instance import Instance, wait_until

# Longer than any test: whatever is done, is done by the ring.
NO_SWEEP = {"BATON_SWEEP_S": "3600"}


class Caller:
    """An agent of an administrator, over REST."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        instance.manage("createperson", "alice@example.org", "--admin")
        self.token = instance.manage("mint_token", "--person", "alice@example.org", "--agent", "scout").stdout.strip()
        self.number = 0

    def call(self, method: str, path: str, body: Any = None) -> Any:
        self.number += 1
        request = urllib.request.Request(
            f"{self.instance.url}/api/v1{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
                "Idempotency-Key": f"key-{self.number}",
            },
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def write(self) -> None:
        self.call("POST", "/documents", {"location": f"notes/n{self.number}.md", "content": "# One\n\nTwo.\n"})

    def states(self) -> list[str]:
        return [job["state"] for job in self.call("GET", "/jobs?kind=index")["items"]]


def seconds_until_done(caller: Caller, jobs: int) -> float:
    begun = time.monotonic()
    wait_until(lambda: caller.states() == ["done"] * jobs, timeout=30, what=f"{jobs} index jobs")
    return time.monotonic() - begun


def test_the_embedded_broker_brings_a_job_to_a_worker(instance: Instance) -> None:
    instance.extra = NO_SWEEP
    caller = Caller(instance.start())
    caller.write()
    assert seconds_until_done(caller, 1) < 10


def test_redis_brings_a_job_to_a_worker(instance: Instance, redis_url: str) -> None:
    instance.extra = NO_SWEEP | {"CELERY_BROKER_URL": redis_url}
    caller = Caller(instance.start())
    caller.write()
    assert seconds_until_done(caller, 1) < 10


def test_rabbitmq_brings_a_job_to_a_worker(instance: Instance, rabbitmq_url: str) -> None:
    instance.extra = NO_SWEEP | {"CELERY_BROKER_URL": rabbitmq_url}
    caller = Caller(instance.start())
    caller.write()
    assert seconds_until_done(caller, 1) < 10


@pytest.fixture
def mortal(folder: Path) -> Iterator[tuple[str, Any]]:
    """A Redis that the test ends and starts again on the same port."""
    (folder / "redis").mkdir()
    first = brokers.redis(folder / "redis")
    url = first.__enter__()
    port = int(url.rpartition(":")[2].partition("/")[0])
    running = [first]

    def end() -> None:
        running.pop().__exit__(None, None, None)

    def start() -> None:
        running.append(brokers.redis(folder / "redis", port))
        running[0].__enter__()

    yield url, (end, start)
    if running:
        end()


def test_a_broker_that_goes_away_costs_no_write_and_no_job(instance: Instance, mortal: tuple[str, Any]) -> None:
    url, (end, start) = mortal
    instance.extra = {"BATON_SWEEP_S": "1", "CELERY_BROKER_URL": url}
    caller = Caller(instance.start())
    end()
    for _ in range(3):
        begun = time.monotonic()
        caller.write()
        assert time.monotonic() - begun < 5
    seconds_until_done(caller, 3)  # the worker's own watch, without any broker
    start()
    caller.write()
    seconds_until_done(caller, 4)
    wait_until(lambda: instance.manage("doctor", check=False).returncode == 0, timeout=60, what="healthy again")
