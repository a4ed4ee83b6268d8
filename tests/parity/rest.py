"""The driver over REST."""

from collections.abc import Sequence
from typing import Any, ClassVar
from urllib.parse import quote, urlencode
from uuid import uuid4

from tests.cast import Cast
from tests.parity.outcomes import Conflict, Ok, Outcome
from tests.parity.verbs import OUTCOMES, Choice, refused, token_of, value_of
from tests.rest.conftest import Caller


class Rest:
    """An agent of the person, by its token."""

    name: ClassVar[str] = "rest"
    ALIASES: ClassVar = {
        "If-Match": "expected_commit",
        "Idempotency-Key": "idempotency_key",
        "append": "content",
        "q": "query",
        "parent": "location",
        "folder": "location",
        "operation_id": "idempotency_key",
    }

    def __init__(self, cast: Cast, person: str) -> None:
        self.call = Caller(token_of(cast, person, self.name))

    def _send(self, method: str, path: str, body: Any = None, **headers: str | None) -> Outcome:
        response = self.call(method, path, body, **{k: v for k, v in headers.items() if v is not None})
        if response.status_code < 400:
            data = response.json() if response.content else {}
            outcome = data.get("outcome", "")
            assert outcome in ("", *OUTCOMES)
            return Ok(outcome=outcome, commit=data.get("commit") or "", value=data)
        problem = response.json()
        if problem["code"] == "CONFLICT":
            return Conflict(conflict=problem["conflict_id"] or "")
        return refused(problem, self.ALIASES)

    def _write(
        self, method: str, path: str, body: Any, base: str | None, key: str | None, merge: bool | None = None
    ) -> Outcome:
        if merge:
            body = {**body, "on_conflict": "merge"}
        return self._send(method, path, body, If_Match=f'"{base}"' if base else None, Idempotency_Key=key)

    def create(self, location: str, content: str, *, key: str | None = None) -> Outcome:
        body = {"location": location, "content": content}
        return self._write("POST", "/documents", body, None, key or uuid4().hex)

    def read(self, location: str, *, at: str | None = None) -> Outcome:
        found = self._send("GET", _document(location) + (f"?at={at}" if at else ""))
        return value_of(found, lambda data: data["content"])

    def replace(
        self, location: str, content: str, *, base: str | None, key: str | None = None, merge: bool = True
    ) -> Outcome:
        return self._write("PUT", _document(location), {"content": content}, base, key, merge)

    def edit(
        self, location: str, old: str, new: str, *, base: str | None = None, key: str | None = None, merge: bool = True
    ) -> Outcome:
        return self._write("PATCH", _document(location), {"old_string": old, "new_string": new}, base, key, merge)

    def append(self, location: str, content: str, *, base: str | None = None, key: str | None = None) -> Outcome:
        return self._write("PATCH", _document(location), {"append": content}, base, key)

    def section(
        self, location: str, section: str, content: str, *, base: str | None = None, key: str | None = None
    ) -> Outcome:
        body = {"section": section, "content": content}
        return self._write("PATCH", _document(location), body, base, key, True)

    def move(self, location: str, to: str, *, base: str | None = None, key: str | None = None) -> Outcome:
        return self._write("POST", "/moves", {"from": location, "to": to}, base, key)

    def deciding(self, location: str) -> str:
        found = self._send("GET", _document(location))
        assert isinstance(found, Ok), found
        return found.commit

    def delete(self, location: str, decision: str, *, key: str | None = None) -> Outcome:
        return self._write("DELETE", _document(location), None, decision, key)

    def undelete(self, location: str, *, key: str | None = None) -> Outcome:
        return self._write("POST", "/undeletes", {"location": location}, None, key)

    def restore(self, location: str, commit: str, *, base: str | None = None, key: str | None = None) -> Outcome:
        return self._write("POST", "/restores", {"location": location, "commit": commit}, base, key)

    def resolve(self, conflict: str, choices: Sequence[Choice], *, base: str, key: str | None = None) -> Outcome:
        return self._write("POST", f"/conflicts/{conflict}/resolution", {"choices": choices}, base, key)

    def discard(self, conflict: str) -> Outcome:
        return self._send("DELETE", f"/conflicts/{conflict}")

    def folder(self, location: str, *, key: str | None = None) -> Outcome:
        return self._send("POST", "/folders", {"location": location})

    def share(self, location: str, subject: str, role: str) -> Outcome:
        return self._send("POST", "/grants", {"location": location, "subject": subject, "role": role})

    def unshare(self, location: str, subject: str) -> Outcome:
        return self._send("DELETE", f"/grants?{urlencode({'location': location, 'subject': subject})}")

    def readers(self, location: str) -> Outcome:
        found = self._send("GET", f"/access?{urlencode({'location': location})}")
        return value_of(
            found,
            lambda data: [
                (one["email"], one["role"], [(way["location"], way["role"], *way["chain"]) for way in one["through"]])
                for one in data["items"]
            ],
        )

    def ask(self, location: str, role: str, reason: str = "") -> Outcome:
        sent = {"location": location, "role": role, "reason": reason}
        return value_of(self._send("POST", "/access-requests", sent), lambda data: data["id"])

    def waiting(self) -> Outcome:
        found = self._send("GET", "/access-requests")
        return value_of(found, lambda data: [item["id"] for item in data["items"]])

    def approve(self, request: str, role: str) -> Outcome:
        path, sent = f"/access-requests/{request}/decision", {"approve": True, "role": role}
        shown = self._send("POST", path, {**sent, "preview": True})
        if not isinstance(shown, Ok):
            return shown
        return self._send("POST", path, {**sent, "confirm_token": shown.value["confirm_token"]})

    def decline(self, request: str, answer: str) -> Outcome:
        return self._send("POST", f"/access-requests/{request}/decision", {"approve": False, "answer": answer})

    def withdraw(self, request: str) -> Outcome:
        return self._send("DELETE", f"/access-requests/{request}")

    def capture(self, folder: str, content: str, *, key: str) -> Outcome:
        made = self._send("POST", "/captures", {"folder": folder, "content": content, "operation_id": key})
        if isinstance(made, Ok):
            return Ok(outcome="replayed" if made.value["replayed"] else "saved", value=made.value["id"])
        return made

    def search(self, words: str, *, within: str | None = None) -> Outcome:
        asked = {"q": words, **({"location": within} if within else {})}
        found = self._send("GET", f"/search?{urlencode(asked)}")
        return value_of(found, lambda data: [hit["location"] for hit in data["items"]])

    def list(self, location: str, *, cursor: str | None = None) -> Outcome:
        asked = {"location": location, **({"cursor": cursor} if cursor else {})}
        found = self._send("GET", f"/documents?{urlencode(asked)}")
        return value_of(found, lambda data: [row["location"] for row in data["items"]])


def _document(location: str) -> str:
    return f"/documents/{quote(location)}"
