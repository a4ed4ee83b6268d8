"""What a host does in a session, as the services have it."""

from typing import Any

from workspace.actor import Actor
from workspace.services import captures, contexts

LAUNCH = "product/launch"
ASK = "How many teams do we want in the first month?"
TEXT = "# Session\n\n## Decided\n\n- The import runs behind the queue, as {name} found.\n"


def ask(actor: Actor, session: str = "s1", location: str | None = LAUNCH, **more: Any) -> contexts.Context:
    """A prompt of the session."""
    given: dict[str, Any] = {"deadline_ms": 60_000, "host": actor.host or "claude-code", "prompt": ASK} | more
    return contexts.prepare(actor, location=location, session=session, **given)


def keep(actor: Actor, session: str = "s1", folder: str = LAUNCH, name: str = "she") -> str:
    """What the session hands off; ``name`` makes it another one."""
    text = TEXT.format(name=name)
    made = captures.commit(
        actor, folder=folder, content=text, operation_id=f"stop {session} {name}", host=actor.host, session=session
    )
    return made.id


def attach(actor: Actor, found: contexts.Context) -> None:
    contexts.report(actor, receipt=found.receipt, stage="attached")
