"""Processes are killed without a word; what was running comes back."""

import os
import signal
import time
import urllib.request

import pytest

from tests.instance import Instance, alive, descendants, wait_until


def ready(instance: Instance) -> bool:
    with urllib.request.urlopen(f"{instance.url}/readyz", timeout=5) as answer:
        return bool(answer.status == 200)


def test_what_is_killed_comes_back(instance: Instance) -> None:
    instance.start()
    for kind in ("web", "worker", "postgres"):
        said = len(instance.lines)
        before = instance.children(kind)
        assert before
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        instance.expect("ended", after=said, timeout=30)
        wait_until(lambda kind=kind, before=before: set(instance.children(kind)) - set(before), what=f"a new {kind}")
        wait_until(lambda: ready(instance), timeout=60, what=f"ready after {kind}")
    done = instance.manage("doctor", "--json", check=False)
    wait_until(lambda: instance.manage("doctor", check=False).returncode == 0, timeout=60, what=done.stdout)
    status, seconds = instance.stop()
    assert status == 0
    assert seconds < 10


def test_a_killed_supervisor_takes_its_children_along_and_the_next_start_works(instance: Instance) -> None:
    instance.start()
    assert instance.process is not None
    below = descendants(instance.process.pid)
    instance.process.kill()
    instance.process.wait()
    wait_until(lambda: not alive(below), timeout=12, what="the end of the children")
    instance.start()
    assert ready(instance)


def test_a_start_right_after_a_killed_supervisor_does_not_wait_for_anybody(instance: Instance) -> None:
    instance.start()
    assert instance.process is not None
    instance.process.kill()
    instance.process.wait()
    instance.start()
    time.sleep(8)  # until the old children would have ended by themselves
    wait_until(lambda: ready(instance), what="ready")
    assert instance.process.poll() is None


@pytest.mark.parametrize("signals", [2])
def test_a_second_interrupt_does_not_wait_for_work_in_hand(instance: Instance, signals: int) -> None:
    instance.start()
    assert instance.process is not None
    below = descendants(instance.process.pid)
    for _ in range(signals):
        instance.process.send_signal(signal.SIGINT)
        time.sleep(0.3)
    assert instance.process.wait(10) == 0
    assert not alive(below)
