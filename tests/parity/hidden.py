"""What there is that a stranger may not see, and what never was, to be asked for alike."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from django.db import connection

from tests.cast import Cast
from workspace.models import Job
from workspace.services import access_requests, agents, captures, documents
from workspace.services.outcomes import Conflict

HIDDEN_FOLDER = "product/launch"
HIDDEN = f"{HIDDEN_FOLDER}/plan.md"


@dataclass(frozen=True, kw_only=True)
class Things:
    """Names of things: those of ``hidden`` exist, those of ``absent`` have the same form and do not."""

    folder: str
    top: str
    document: str
    id: str
    commit: str
    conflict: str
    capture: str
    job: str
    agent: str
    request: str


ABSENT = Things(
    folder="product/nothing",
    top="nowhere",
    document=f"{HIDDEN_FOLDER}/nothing.md",
    id="doc_01kb7n2g4j6k8m0p2r4t6v8x0z",
    commit="0123456789abcdef" * 4,
    conflict="cfl_01kb7n2g4j6k8m0p2r4t6v8x0z",
    capture="cap_01kb7n2g4j6k8m0p2r4t6v8x0z",
    job="job_01kb7n2g4j6k8m0p2r4t6v8x0z",
    agent="agt_01kb7n2g4j6k8m0p2r4t6v8x0z",
    request="acr_01kb7n2g4j6k8m0p2r4t6v8x0z",
)


def make(cast: Cast, first: str) -> Things:
    """One of each in ``product/launch``, where mallory sees nothing; the document's first commit is ``first``."""
    documents.substitute(cast.alice, location=HIDDEN, old_string="slow", new_string="quick")
    kept = documents.substitute(
        cast.bob, location=HIDDEN, old_string="slow", new_string="late", expected_commit=first, on_conflict="merge"
    )
    assert isinstance(kept, Conflict)
    assert kept.conflict
    captured = captures.commit(cast.alice, folder=HIDDEN_FOLDER, content="# Decided\n\n- x", operation_id="o")
    return Things(
        folder=HIDDEN_FOLDER,
        top="product",
        document=HIDDEN,
        id=kept.document,
        commit=first,
        conflict=kept.conflict,
        capture=captured.id,
        job=Job.objects.get(kind="index", document=kept.document).pk,
        agent=agents.create(cast.alice, name="another").agent_id,
        request=access_requests.ask(cast.carol, location=HIDDEN_FOLDER, role="editor").id,
    )


class Statements:
    """The statements that ran inside, without their values; savepoints included."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def __enter__(self) -> Self:
        self._wrapper = connection.execute_wrapper(self._note)
        self._wrapper.__enter__()
        return self

    def __exit__(self, *failure: object) -> None:
        self._wrapper.__exit__(*failure)

    def _note(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        self.ran.append(re.sub(r"\bs\d+_x\d+", "", sql))
        return execute(sql, params, many, context)
