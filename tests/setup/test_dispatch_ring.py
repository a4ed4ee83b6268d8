"""The doorbell never costs a caller an error, and hardly any time."""

import os
import subprocess
import sys
import uuid

import pytest
from celery import current_app
from django.conf import settings
from django.db import transaction

from tests.instance import ROOT, free_port
from workspace import dispatch
from workspace.models import Group


@pytest.fixture
def task() -> str:
    """A name that no other test sends: the run's processes share one folder."""
    return f"test.{uuid.uuid4().hex}"


def waiting(task: str) -> int:
    assert settings.BATON_BROKER_FOLDER is not None
    return sum(task in path.read_text() for path in settings.BATON_BROKER_FOLDER.glob("*.msg"))


@pytest.mark.django_db(transaction=True)
def test_it_rings_after_the_commit_and_not_before(task: str) -> None:
    with transaction.atomic():
        dispatch.after_commit(task, "job_1")
        assert waiting(task) == 0
    assert waiting(task) == 1


@pytest.mark.django_db(transaction=True)
def test_it_does_not_ring_for_what_was_rolled_back(task: str) -> None:
    with transaction.atomic():
        dispatch.after_commit(task)
        transaction.set_rollback(True)
    assert waiting(task) == 0


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_fails_after_the_commit_does_not_undo_or_refuse_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(current_app.conf.broker_transport_options, "data_folder_out", "/proc/nowhere")
    monkeypatch.setattr(dispatch, "_quiet_until", 0.0)
    with transaction.atomic():
        Group.objects.create(name="kept")
        dispatch.after_commit("test.lost")
    assert Group.objects.filter(name="kept").exists()


@pytest.mark.parametrize("address", ["redis://127.0.0.1:{port}/0", "amqp://guest@127.0.0.1:{port}//"])
def test_a_dead_broker_costs_a_tenth_of_a_second_and_no_error(address: str) -> None:
    program = """
import time, django
django.setup()
from workspace import dispatch
dispatch.ring("workspace.jobs.sweep")  # loads the client
spent = []
for number in range(5):
    dispatch._quiet_until = 0
    begun = time.perf_counter()
    assert dispatch.ring("workspace.jobs.sweep", number) is False
    spent.append(time.perf_counter() - begun)
print(max(spent))
"""
    environment = {**os.environ, "CELERY_BROKER_URL": address.format(port=free_port())}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 0.1


@pytest.mark.parametrize("scheme", ["redis", "amqp"])
def test_a_broker_that_swallows_packets_costs_little_more(scheme: str) -> None:
    # 192.0.2.0/24 is nobody's (RFC 5737): depending on the network it is refused or never answered.
    program = """
import time, django
django.setup()
from workspace import dispatch
begun = time.perf_counter()
for number in range(5):
    assert dispatch.ring("workspace.jobs.sweep", number) is False
print(time.perf_counter() - begun)
"""
    environment = {**os.environ, "CELERY_BROKER_URL": f"{scheme}://192.0.2.1:6379/0"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 3.0
