"""The driver over MCP's tools."""

import json
from collections.abc import Sequence
from typing import Any, ClassVar

from tests.cast import Cast
from tests.mcp.calls import Calls
from tests.parity.outcomes import Conflict, Ok, Outcome
from tests.parity.verbs import Choice, refused, token_of, value_of
from workspace.actor import Via
from workspace.services import bearer


class Mcp:
    """An agent of the person, through the tools."""

    name: ClassVar[str] = "mcp"
    ALIASES: ClassVar = {
        "scope": "location",
        "within": "location",
        "folder": "location",
        "folder_path": "location",
        "name": "location",
        "operation_id": "idempotency_key",
        "request_id": "request",
    }

    def __init__(self, cast: Cast, person: str) -> None:
        self.calls = Calls(bearer.authenticate(token_of(cast, person, self.name), via=Via.MCP))

    def _call(self, tool: str, **arguments: Any) -> Outcome:
        given = {name: value for name, value in arguments.items() if value is not None}
        # As over the wire: a lone surrogate comes as an escape of JSON.
        is_refused, data, _ = self.calls.result(tool, **json.loads(json.dumps(given)))
        if not is_refused:
            return Ok(outcome=data.get("outcome", ""), commit=data.get("commit") or "", value=data)
        if data["code"] == "CONFLICT":
            return Conflict(conflict=data["conflict_id"] or "")
        return refused(data, self.ALIASES)

    def _update(self, action: str, location: str, *, merge: bool = False, **more: Any) -> Outcome:
        on_conflict = "merge" if merge else None
        return self._call("doc_update", action=action, location=location, on_conflict=on_conflict, **more)

    def create(self, location: str, content: str, *, key: str | None = None) -> Outcome:
        *path, name = location.split("/")
        return self._call(
            "doc_create", action="document", folder_path=path, name=name, content=content, idempotency_key=key
        )

    def read(self, location: str, *, at: str | None = None) -> Outcome:
        return value_of(self._call("read", location=location, at=at), lambda data: data["content"])

    def replace(
        self, location: str, content: str, *, base: str | None, key: str | None = None, merge: bool = True
    ) -> Outcome:
        return self._update(
            "replace", location, content=content, expected_commit=base, idempotency_key=key, merge=merge
        )

    def edit(
        self, location: str, old: str, new: str, *, base: str | None = None, key: str | None = None, merge: bool = True
    ) -> Outcome:
        return self._update(
            "edit", location, old_string=old, new_string=new, expected_commit=base, idempotency_key=key, merge=merge
        )

    def append(self, location: str, content: str, *, base: str | None = None, key: str | None = None) -> Outcome:
        return self._update("append", location, content=content, expected_commit=base, idempotency_key=key)

    def section(
        self, location: str, section: str, content: str, *, base: str | None = None, key: str | None = None
    ) -> Outcome:
        return self._update(
            "section", location, section=section, content=content, expected_commit=base, idempotency_key=key, merge=True
        )

    def move(self, location: str, to: str, *, base: str | None = None, key: str | None = None) -> Outcome:
        return self._update("move", location, to=to, expected_commit=base, idempotency_key=key)

    def deciding(self, location: str) -> str:
        return str(self.calls.data("doc_delete", location=location)["confirm_token"])

    def delete(self, location: str, decision: str, *, key: str | None = None) -> Outcome:
        return self._call("doc_delete", location=location, confirm_token=decision, idempotency_key=key)

    def undelete(self, location: str, *, key: str | None = None) -> Outcome:
        return self._update("restore", location, idempotency_key=key)

    def restore(self, location: str, commit: str, *, base: str | None = None, key: str | None = None) -> Outcome:
        return self._update("restore", location, commit=commit, expected_commit=base, idempotency_key=key)

    def resolve(self, conflict: str, choices: Sequence[Choice], *, base: str, key: str | None = None) -> Outcome:
        return self._call(
            "conflict",
            action="resolve",
            conflict_id=conflict,
            choices=choices,
            expected_commit=base,
            idempotency_key=key,
        )

    def discard(self, conflict: str) -> Outcome:
        return self._call("conflict", action="discard", conflict_id=conflict)

    def folder(self, location: str, *, key: str | None = None) -> Outcome:
        *path, name = location.split("/")
        made = self._call("doc_create", action="folder", folder_path=path, name=name, idempotency_key=key)
        return Ok(value=made.value) if isinstance(made, Ok) else made

    def share(self, location: str, subject: str, role: str) -> Outcome:
        return self._confirmed("access_grant", location=location, subject=subject, role=role)

    def unshare(self, location: str, subject: str) -> Outcome:
        return self._confirmed("access_revoke", location=location, subject=subject)

    def _confirmed(self, tool: str, **change: Any) -> Outcome:
        shown = self._call(tool, **change)
        if not isinstance(shown, Ok):
            return shown
        done = self._call(tool, **change, confirm_token=shown.value["confirm_token"])
        return Ok(value=done.value) if isinstance(done, Ok) else done

    def readers(self, location: str) -> Outcome:
        return value_of(
            self._call("access_read", location=location),
            lambda data: [
                (one["email"], one["role"], [(way["location"], way["role"], *way["chain"]) for way in one["through"]])
                for one in data["readers"]
            ],
        )

    def ask(self, location: str, role: str, reason: str = "") -> Outcome:
        made = self._call("access_grant", action="request", location=location, role=role, reason=reason)
        return Ok(value=made.value["request_id"]) if isinstance(made, Ok) else made

    def waiting(self) -> Outcome:
        found = self._call("access_read", action="requests")
        return value_of(found, lambda data: [item["request_id"] for item in data["requests"]])

    def approve(self, request: str, role: str) -> Outcome:
        return self._confirmed("access_grant", action="approve", request_id=request, role=role)

    def decline(self, request: str, answer: str) -> Outcome:
        done = self._call("access_revoke", action="decline", request_id=request, reason=answer)
        return Ok(value=done.value) if isinstance(done, Ok) else done

    def withdraw(self, request: str) -> Outcome:
        done = self._call("access_revoke", action="withdraw", request_id=request)
        return Ok(value=done.value) if isinstance(done, Ok) else done

    def capture(self, folder: str, content: str, *, key: str) -> Outcome:
        made = self._call("capture", action="commit", folder=folder, content=content, operation_id=key)
        return Ok(outcome=made.outcome, value=made.value["capture_id"]) if isinstance(made, Ok) else made

    def search(self, words: str, *, within: str | None = None) -> Outcome:
        found = self._call("search", query=words, scope=within)
        return value_of(found, lambda data: [hit["location"] for hit in data["hits"]])

    def list(self, location: str, *, cursor: str | None = None) -> Outcome:
        found = self._call("browse", action="documents", location=location, cursor=cursor)
        return value_of(found, lambda data: [row["location"] for row in data["documents"]])
