"""What somebody has chosen so far for the hunks of a conflict, kept so that it outlives the page."""

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils import timezone

from workspace import access
from workspace.actor import Actor, Role
from workspace.errors import Forbidden, Invalid
from workspace.merge import Choice
from workspace.models import ConflictState, Settling
from workspace.services import audit, commits, texts

NAMED = ("mine", "theirs", "both", "base", "suggestion")
"""The choices without words of their own."""
PAGE_MOST = 64
MOST = 20_000
"""Places; a text at the limit of a document's size cannot have more that anybody would settle one by one."""


@transaction.atomic(durable=True)
def save(
    actor: Actor,
    *,
    conflict: str,
    choices: Sequence[Choice | None] | None,
    head: str,
    page: str = "",
    step: int = 0,
) -> None:
    """Keep the person's choices for the hunks against the commit ``head``, and that they are at it now.

    ``choices`` has one for each hunk in order, None where nothing is chosen yet. The last ones stand. Without any, as
    from a page that only lies open, those that are kept stay; and so they do where ``page`` sent a later ``step`` of
    its choices before this one, which was overtaken on its way. The log says only that somebody began. For editors, of
    an open conflict, and for people themselves: an agent settles in one request. Raises ``NotFound``, ``Forbidden``,
    ``Invalid``, ``TooLarge``.
    """
    row, document = access.conflict(actor, id=conflict)
    if document.role < Role.EDITOR:
        raise Forbidden("You are viewer of this document; this needs editor.", need=Role.EDITOR.label)
    if actor.person is None or actor.agent:
        raise Forbidden("Choices are kept for people, on the page.")
    if row.state != ConflictState.OPEN:
        raise Invalid("conflict_id", f"is {row.state} already.")
    commit = commits.named(document, head, field="head")
    told = _checked(choices or ())
    if len(page) > PAGE_MOST:
        raise Invalid("page", f"must be at most {PAGE_MOST} characters.")
    texts.check(page, field="page")
    # Two requests of one page can arrive together, and the later one first.
    kept = Settling.objects.select_for_update(no_key=True).filter(conflict=row, person_id=actor.person)
    before = kept.values("page", "step").first()
    overtaken = before is not None and page != "" and before["page"] == page and before["step"] > step
    Settling.objects.bulk_create(
        [
            Settling(
                conflict=row,
                person_id=actor.person,
                choices=told,
                head=commit,
                seen_at=timezone.now(),
                page=page,
                step=step,
            )
        ],
        update_conflicts=True,
        unique_fields=["conflict", "person"],
        update_fields=["seen_at", *(() if choices is None or overtaken else ("choices", "head", "page", "step"))],
    )
    if before is None:
        audit.record(actor, "conflict.begun", document=document, data={"conflict": row.pk})


def _checked(choices: Sequence[Choice | None]) -> list[Choice | None]:
    if len(choices) > MOST:
        raise Invalid("choices", f"must be at most {MOST}.")
    told: list[Choice | None] = []
    for choice in choices:
        match choice:
            case None:
                told.append(None)
            case str() if choice in NAMED:
                told.append(choice)
            case {"text": str(text), **rest} if not rest:
                told.append({"text": text})
            case _:
                raise Invalid("choices", f"must be of {', '.join(NAMED)}, a text, or nothing.")
    texts.check("".join(choice["text"] for choice in told if isinstance(choice, Mapping)))
    return told
