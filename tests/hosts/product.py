"""The product itself for hosts to talk to: people with agents in it, and what its REST says of them."""

import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from tests.hosts.programs import until
from tests.instance import Instance

PASSWORD = "correct horse battery"
PLAN = "# Plan\n\nThe launch is on the second of March.\n"


@dataclass(frozen=True, kw_only=True)
class Product:
    """An instance with alice and bob in it; ``owner`` is the token of an agent of alice's."""

    instance: Instance
    owner: str

    @property
    def url(self) -> str:
        return self.instance.url

    def email(self, name: str) -> str:
        return f"{name}@example.org"

    def token(self, name: str, agent: str, place: str) -> str:
        """A token for a new agent of this person, which reaches no other place."""
        who = ("--person", self.email(name), "--agent", agent, "--scope", f"editor@{place}")
        return self.instance.manage("mint_token", *who).stdout.strip()

    def post(self, path: str, body: dict[str, Any], token: str = "") -> Any:
        headers = {"Authorization": f"Bearer {token or self.owner}", "Idempotency-Key": uuid.uuid4().hex}
        answer = httpx2.post(f"{self.url}/api/v1/{path}", json=body, headers=headers, timeout=30)
        assert answer.status_code < 300, answer.text[:2000]
        return answer.json()

    def items(self, path: str, token: str = "", **parameters: str) -> list[dict[str, Any]]:
        headers = {"Authorization": f"Bearer {token or self.owner}"}
        answer = httpx2.get(f"{self.url}/api/v1/{path}", params=parameters, headers=headers, timeout=30)
        assert answer.status_code == 200, answer.text[:2000]
        found: list[dict[str, Any]] = answer.json()["items"]
        return found

    def place(self) -> str:
        """A new folder of alice's with a plan in it, in which bob may edit."""
        made = f"shop-{uuid.uuid4().hex[:8]}/launch"
        self.post("documents", {"location": f"{made}/plan.md", "content": PLAN})
        self.post("grants", {"location": made, "subject": self.email("bob"), "role": "editor"})
        return made

    def captures(self, place: str) -> list[dict[str, Any]]:
        """What was captured there, whole."""
        headers = {"Authorization": f"Bearer {self.owner}"}
        found = []
        for item in self.items("captures", folder=place):
            answer = httpx2.get(f"{self.url}/api/v1/captures/{item['id']}", headers=headers, timeout=30)
            found.append(answer.raise_for_status().json())
        return found

    def captured(self, place: str, count: int, *, seconds: float = 30) -> list[dict[str, Any]]:
        """The captures there once there are so many, or what there is after the time."""
        until(lambda: len(self.items("captures", folder=place)) >= count, seconds=seconds)
        return self.captures(place)


@contextmanager
def product() -> Iterator[Product]:
    """A product that runs for as long as the block does, and lets programs register as often as they need."""
    folder = Path(tempfile.mkdtemp(prefix="baton-hosts-"))
    instance = Instance(data=folder / "data", extra={"BATON_OAUTH_PER_MINUTE": "100"})
    try:
        instance.start()
        for name in ("alice", "bob"):
            email = f"{name}@example.org"
            instance.manage("createperson", email, "--name", name.title(), "--password-stdin", text=PASSWORD)
        command = ("mint_token", "--person", "alice@example.org", "--agent", "scout")
        yield Product(instance=instance, owner=instance.manage(*command).stdout.strip())
    finally:
        instance.stop()
        shutil.rmtree(folder, ignore_errors=True)
