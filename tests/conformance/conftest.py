"""The running product, and somebody in it, for programs that others wrote."""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tests.conformance.visitor import Visitor
from tests.instance import Instance

EMAIL = "peer@example.org"
PASSWORD = "correct horse battery"
PLACE = "product/launch"


@dataclass(frozen=True, kw_only=True)
class Peer:
    """An instance, and a person in it with an agent token; ``product/launch/plan.md`` is there to be read."""

    instance: Instance
    url: str
    token: str


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """These tests share an instance and heavy programs, so one process runs them one after another."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("conformance"))


@pytest.fixture(scope="session")
def peer() -> Iterator[Peer]:
    """An instance that lets programs register as often as these tests need."""
    folder = Path(tempfile.mkdtemp(prefix="baton-conformance-"))
    made = Instance(data=folder / "data", extra={"BATON_OAUTH_PER_MINUTE": "100"})
    try:
        made.start()
        made.manage("createperson", EMAIL, "--name", "Peer", "--password-stdin", text=PASSWORD)
        token = made.manage("mint_token", "--person", EMAIL, "--agent", "suite").stdout.strip()
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "plan"}
        body = {"location": f"{PLACE}/plan.md", "content": "# Plan\n\nThe launch is on the second of March.\n"}
        httpx2.post(f"{made.url}/api/v1/documents", json=body, headers=headers).raise_for_status()
        yield Peer(instance=made, url=made.url, token=token)
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def visitor(peer: Peer) -> Iterator[Visitor]:
    """The person at a browser of their own, not signed in yet."""
    made = Visitor(EMAIL, PASSWORD)
    yield made
    made.http.close()
