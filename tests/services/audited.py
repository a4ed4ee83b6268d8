"""A world in which every service can be called, and what calling one takes."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from allauth.usersessions.models import UserSession
from django.utils import timezone

from tests.cast import PLAN, Cast
from workspace.actor import Actor
from workspace.management.operator import operator
from workspace.models import (
    AgentToken,
    Capture,
    Conflict,
    Document,
    Job,
    JobState,
    SignInLink,
)
from workspace.services import (
    access_requests,
    bindings,
    captures,
    conflicts,
    connections,
    documents,
    groups,
    invitations,
    purging,
)
from workspace.services.entries import Found

PLACE = "product/launch/plan.md"


@dataclass
class World:
    """The cast, the head of the plan, and an administrator."""

    cast: Cast
    head: str
    root: Actor

    @property
    def alice(self) -> Actor:
        return self.cast.alice

    def person(self, name: str) -> int:
        return self.cast.people[name].pk


def conflict(w: World) -> str:
    head = documents.edit(w.alice, location=PLACE, content=PLAN.replace("second", "third"), expected_commit=w.head)
    assert head.commit  # type: ignore[union-attr]
    draft = PLAN.replace("second", "fourth")
    kept = documents.edit(w.cast.bob, location=PLACE, content=draft, expected_commit=w.head)
    return kept.conflict  # type: ignore[union-attr, return-value]


def head_of(w: World) -> str:
    return str(Document.objects.get(name="plan.md").head_id)


def capture(w: World) -> str:
    return captures.commit(w.alice, folder="product/launch", content="what I did", operation_id="one").id


def binding(w: World) -> str:
    return bindings.bind(w.alice, repository="github.com/acme/shop", folder="product").id


def proposal(w: World) -> str:
    """Proposed to alice by her own agent."""
    return captures.commit(w.cast.scout, folder="product", content="what I did", operation_id="p", propose=True).id


def overdue_proposal(w: World) -> str:
    made = proposal(w)
    Capture.objects.update(delete_after=datetime(2020, 1, 1, tzinfo=UTC))
    return made


def overdue_capture(w: World) -> str:
    made = capture(w)
    Capture.objects.update(delete_after=datetime(2020, 1, 1, tzinfo=UTC))
    return made


def request(w: World) -> str:
    return access_requests.ask(w.cast.mallory, location="product/launch", role="viewer").id


def group(w: World, name: str = "crew") -> int:
    return groups.create(w.root, name=name).pk


def failed_job(w: World) -> str:
    job = Job.objects.filter(document__isnull=False).latest("created_at")
    Job.objects.filter(pk=job.pk).update(state=JobState.FAILED)
    return job.pk


def asking() -> connections.Asking:
    return connections.Asking(
        client_id="c",
        client_name="Claude Code",
        client_host="",
        redirect_host="127.0.0.1",
        resource="http://127.0.0.1:8000/mcp",
        scopes=("workspace:read", "workspace:write"),
    )


def connected(w: World) -> connections.Connected:
    return connections.connect(w.alice, asking=asking(), grant_id="g")


def link_of(made: invitations.Invited) -> str:
    return made.url.rstrip("/").rpartition("/")[2]


def purge_of_records(w: World) -> Any:
    SignInLink.objects.create(token_hash="0" * 64, expires_at=timezone.now() - timedelta(days=90))
    return lambda: list(purging.records(operator("purge"), before=timezone.now() - timedelta(days=30)))


def purge_of_documents(w: World) -> Any:
    documents.delete(w.alice, location=PLACE)
    return lambda: list(purging.documents(operator("purge"), before=timezone.now() + timedelta(days=1)))


def purge_of_drafts(w: World) -> Any:
    conflicts.discard(w.alice, conflict=conflict(w))
    Conflict.objects.update(closed_at=timezone.now() - timedelta(days=91))
    return lambda: purging.drafts(Actor.for_job("retention", scopes=()))


def prepared(act: Callable[..., Any], *needs: Callable[[World], Any]) -> Callable[[World], Callable[[], Any]]:
    """A case: ``needs`` are made first and given to ``act``, whose entries alone count."""

    def case(w: World) -> Callable[[], Any]:
        made = [need(w) for need in needs]
        return lambda: act(w, *made)

    return case


def session(w: World) -> UserSession:
    """A browser of alice's, beside the one that she acts in."""
    return UserSession.objects.create(user_id=w.person("alice"), session_key="there", ip="192.0.2.1", user_agent="x")


def note(version: str) -> Found:
    return Found(name="a.md", path=("a.md",), read=lambda: version.encode())


def scout(w: World) -> str:
    return AgentToken.objects.get(agent__name="scout").agent_id
