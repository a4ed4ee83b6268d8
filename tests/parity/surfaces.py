"""One driver for each surface, with the same verbs; each acts for a person of the cast."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol
from urllib.parse import quote, urlencode
from uuid import uuid4

from django.contrib.messages import get_messages
from django.test import Client

from tests.cast import Cast
from tests.mcp.calls import Calls
from tests.parity.outcomes import Conflict, Ok, Outcome, Refusal
from tests.rest.conftest import Caller
from workspace.actor import Via
from workspace.models import Commit
from workspace.services import agents
from workspace.web.errors import FACES

Choice = str | Mapping[str, str]
OUTCOMES = ("saved", "merged", "unchanged", "replayed")


class Surface(Protocol):
    """The verbs. ``key`` makes a repeat one request; ``base`` is the commit that was read, ``merge`` whether both
    texts should be kept where they fit."""

    name: ClassVar[str]

    def create(self, location: str, content: str, *, key: str | None = None) -> Outcome: ...

    def read(self, location: str, *, at: str | None = None) -> Outcome: ...

    def replace(
        self, location: str, content: str, *, base: str | None, key: str | None = None, merge: bool = True
    ) -> Outcome: ...

    def edit(
        self, location: str, old: str, new: str, *, base: str | None = None, key: str | None = None, merge: bool = True
    ) -> Outcome: ...

    def append(self, location: str, content: str, *, base: str | None = None, key: str | None = None) -> Outcome: ...

    def section(
        self, location: str, section: str, content: str, *, base: str | None = None, key: str | None = None
    ) -> Outcome: ...

    def move(self, location: str, to: str, *, base: str | None = None, key: str | None = None) -> Outcome: ...

    def deciding(self, location: str) -> str:
        """What a deletion is decided upon, as the surface shows it before."""
        ...

    def delete(self, location: str, decision: str, *, key: str | None = None) -> Outcome: ...

    def undelete(self, location: str, *, key: str | None = None) -> Outcome: ...

    def restore(self, location: str, commit: str, *, base: str | None = None, key: str | None = None) -> Outcome: ...

    def resolve(self, conflict: str, choices: Sequence[Choice], *, base: str, key: str | None = None) -> Outcome: ...

    def discard(self, conflict: str) -> Outcome: ...

    def folder(self, location: str, *, key: str | None = None) -> Outcome: ...

    def share(self, location: str, subject: str, role: str) -> Outcome: ...

    def unshare(self, location: str, subject: str) -> Outcome: ...

    def capture(self, folder: str, content: str, *, key: str) -> Outcome: ...

    def search(self, words: str, *, within: str | None = None) -> Outcome: ...

    def list(self, location: str, *, cursor: str | None = None) -> Outcome: ...


class Unsupported(Exception):
    """The surface has no such verb (yet), so no outcome that could differ."""


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
        self.call = Caller(_token(cast, person, self.name))

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
        return _refused(problem, self.ALIASES)

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
        return _value(found, lambda data: data["content"])

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

    def capture(self, folder: str, content: str, *, key: str) -> Outcome:
        made = self._send("POST", "/captures", {"folder": folder, "content": content, "operation_id": key})
        if isinstance(made, Ok):
            return Ok(outcome="replayed" if made.value["replayed"] else "saved", value=made.value["id"])
        return made

    def search(self, words: str, *, within: str | None = None) -> Outcome:
        asked = {"q": words, **({"location": within} if within else {})}
        found = self._send("GET", f"/search?{urlencode(asked)}")
        return _value(found, lambda data: [hit["location"] for hit in data["items"]])

    def list(self, location: str, *, cursor: str | None = None) -> Outcome:
        asked = {"location": location, **({"cursor": cursor} if cursor else {})}
        found = self._send("GET", f"/documents?{urlencode(asked)}")
        return _value(found, lambda data: [row["location"] for row in data["items"]])


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
    }

    def __init__(self, cast: Cast, person: str) -> None:
        self.calls = Calls(agents.authenticate(_token(cast, person, self.name), via=Via.MCP))

    def _call(self, tool: str, **arguments: Any) -> Outcome:
        given = {name: value for name, value in arguments.items() if value is not None}
        # As over the wire: a lone surrogate comes as an escape of JSON.
        refused, data, _ = self.calls.result(tool, **json.loads(json.dumps(given)))
        if not refused:
            return Ok(outcome=data.get("outcome", ""), commit=data.get("commit") or "", value=data)
        if data["code"] == "CONFLICT":
            return Conflict(conflict=data["conflict_id"] or "")
        return _refused(data, self.ALIASES)

    def _update(self, action: str, location: str, *, merge: bool = False, **more: Any) -> Outcome:
        on_conflict = "merge" if merge else None
        return self._call("doc_update", action=action, location=location, on_conflict=on_conflict, **more)

    def create(self, location: str, content: str, *, key: str | None = None) -> Outcome:
        *path, name = location.split("/")
        return self._call(
            "doc_create", action="document", folder_path=path, name=name, content=content, idempotency_key=key
        )

    def read(self, location: str, *, at: str | None = None) -> Outcome:
        return _value(self._call("read", location=location, at=at), lambda data: data["content"])

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
        raise Unsupported

    def unshare(self, location: str, subject: str) -> Outcome:
        raise Unsupported

    def capture(self, folder: str, content: str, *, key: str) -> Outcome:
        made = self._call("capture", action="commit", folder=folder, content=content, operation_id=key)
        return Ok(outcome=made.outcome, value=made.value["capture_id"]) if isinstance(made, Ok) else made

    def search(self, words: str, *, within: str | None = None) -> Outcome:
        found = self._call("search", query=words, scope=within)
        return _value(found, lambda data: [hit["location"] for hit in data["hits"]])

    def list(self, location: str, *, cursor: str | None = None) -> Outcome:
        found = self._call("browse", action="documents", location=location, cursor=cursor)
        return _value(found, lambda data: [row["location"] for row in data["documents"]])


class Web:
    """The person in a browser without script. What the pages have no verb for, the person does in the editor."""

    name: ClassVar[str] = "web"
    ALIASES: ClassVar = {"base": "expected_commit", "target": "to", "key": "idempotency_key", "q": "query"}

    def __init__(self, cast: Cast, person: str) -> None:
        self.client = Client(raise_request_exception=False)
        backend = "allauth.account.auth_backends.AuthenticationBackend"
        self.client.force_login(cast.people[person], backend=backend)

    # -- what a browser does --

    def post(self, path: str, sent: Mapping[str, str]) -> Any:
        """A form as browsers send it: urlencoded, every line end as CRLF."""
        typed = {name: re.sub(r"\r\n|\r|\n", "\r\n", value) for name, value in sent.items()}
        return self.post_raw(path, urlencode(typed).encode())

    def post_raw(self, path: str, body: bytes) -> Any:
        return self.client.generic("POST", path, body, content_type="application/x-www-form-urlencoded")

    def _form(self, path: str) -> dict[str, str] | Refusal:
        """The fields of the form at ``path``."""
        response = self.client.get(path)
        if response.status_code != 200:
            refused = self.outcome(response)
            assert isinstance(refused, Refusal), refused
            return refused
        form = response.context["form"]
        return {name: str(form[name].value() or "") for name in form.fields}

    def _submit(self, path: str, sent: Mapping[str, str], *, writes: bool = True) -> Outcome:
        before = set(Commit.objects.values_list("pk", flat=True))
        return self.outcome(self.post(path, sent), before if writes else None)

    # -- what it was answered --

    def outcome(self, response: Any, before: set[str] | None = None) -> Outcome:
        """``before`` are the commits that were there before a write: a page says Saved of a repeated request too."""
        if response.status_code < 400:
            said = " ".join(str(message) for message in list(get_messages(response.wsgi_request))[-1:])
            if before is None:
                return Ok(value=response)
            newest = Commit.objects.order_by("-created_at", "-number")[0].pk
            made = newest not in before
            word = "unchanged" if "Nothing differs" in said else "replayed"
            if made:
                word = "merged" if "Merged" in said else "saved"
            short = re.search(r"as ([0-9a-f]{8})\.", said)
            commit = Commit.objects.get(pk__startswith=short[1]).pk if short else newest
            return Ok(outcome=word, commit=commit, value=response)
        context = response.context
        if response.status_code == 409 and context.get("conflict"):
            return Conflict(conflict=context["conflict"].id)
        if context.get("title") == "The document has changed meanwhile" or context.get("changed"):
            return Conflict()
        code = self._code(response)
        return Refusal(code=code, fields=self._fields(context) if code in ("INVALID", "TOO_LARGE") else frozenset())

    def _code(self, response: Any) -> str:
        context = response.context
        titles = {face.title: kind.code for kind, face in FACES.items()}
        if context.get("title") in titles:
            return titles[context["title"]]
        if response.status_code == 409:
            return "ACCESS_CHANGE" if context.get("change") else "ALREADY_EXISTS"
        codes = {face.status: kind.code for kind, face in FACES.items()}
        return codes[response.status_code]

    def _fields(self, context: Any) -> frozenset[str]:
        form, notice = context.get("form"), context.get("notice")
        named: Iterable[str]
        if form is not None and form.errors:
            named = [
                name if name != "__all__" else str(text).split()[0].lower()
                for name, texts in form.errors.items()
                for text in texts
            ]
        elif notice:
            named = [notice.split(":")[0]]
        else:
            named = [e if isinstance(e, str) else e.field for e in context.get("errors") or ()]
        return frozenset(self.ALIASES.get(name.split()[0], name.split()[0]) for name in named)

    # -- verbs --

    def create(self, location: str, content: str, *, key: str | None = None) -> Outcome:
        # The form is that of any folder that the person may write in; where it goes is typed into it.
        sent = {"location": location, "content": content, "key": key or uuid4().hex, "message": "", "base": ""}
        return self._submit("/new/document/product/launch", sent)

    def read(self, location: str, *, at: str | None = None) -> Outcome:
        response = self.client.get(f"/raw/{quote(location)}" + (f"?at={at}" if at else ""))
        if response.status_code == 200:
            return Ok(value=response.context["document"].content, commit=response.context["document"].commit)
        return self.outcome(response)

    def replace(
        self, location: str, content: str, *, base: str | None, key: str | None = None, merge: bool = True
    ) -> Outcome:
        if not merge:
            raise Unsupported
        sent = {"content": content, "base": base or "", "key": key or uuid4().hex, "message": ""}
        return self._submit(f"/edit/{quote(location)}", sent)

    def _in_editor(self, location: str, change: Any, base: str | None, key: str | None) -> Outcome:
        """Opens the editor (or still has it open since ``base``), changes the text in it, and saves."""
        opened = self._form(f"/edit/{quote(location)}")
        if isinstance(opened, Refusal):
            return opened
        if base is not None:
            shown = self.read(location, at=base)
            if not isinstance(shown, Ok):
                return shown
            opened |= {"content": shown.value, "base": base}
        opened["key"] = key or opened["key"]
        return self._submit(f"/edit/{quote(location)}", {**opened, "content": change(opened["content"])})

    def edit(
        self, location: str, old: str, new: str, *, base: str | None = None, key: str | None = None, merge: bool = True
    ) -> Outcome:
        if not merge:
            raise Unsupported
        return self._in_editor(location, lambda text: text.replace(old, new), base, key)

    def append(self, location: str, content: str, *, base: str | None = None, key: str | None = None) -> Outcome:
        return self._in_editor(location, lambda text: f"{text}{content}\n", base, key)

    def section(
        self, location: str, section: str, content: str, *, base: str | None = None, key: str | None = None
    ) -> Outcome:
        def change(text: str) -> str:
            head, title, rest = text.partition(f"## {section}\n")
            _, following, end = rest.partition("\n## ")
            return f"{head}{title}\n{content}{following}{end}"

        return self._in_editor(location, change, base, key)

    def move(self, location: str, to: str, *, base: str | None = None, key: str | None = None) -> Outcome:
        sent = {"target": to, "key": key or uuid4().hex, "base": base or ""}
        return self._submit(f"/move/{quote(location)}", sent)

    def deciding(self, location: str) -> str:
        response = self.client.get(f"/delete/{quote(location)}")
        assert response.status_code == 200
        return hidden(response, "base")

    def delete(self, location: str, decision: str, *, key: str | None = None) -> Outcome:
        return self._submit(f"/delete/{quote(location)}", {"base": decision, "key": key or uuid4().hex})

    def undelete(self, location: str, *, key: str | None = None) -> Outcome:
        return self._submit(f"/undelete/{quote(location)}", {"key": key or uuid4().hex})

    def restore(self, location: str, commit: str, *, base: str | None = None, key: str | None = None) -> Outcome:
        sent = {"commit": commit, "base": base or "", "key": key or uuid4().hex}
        return self._submit(f"/restore/{quote(location)}", sent)

    def resolve(self, conflict: str, choices: Sequence[Choice], *, base: str, key: str | None = None) -> Outcome:
        sent = {"expected_commit": base, "key": key or uuid4().hex, "message": ""}
        for n, choice in enumerate(choices):
            sent[f"choice-{n}"] = choice if isinstance(choice, str) else "text"
            if not isinstance(choice, str):
                sent[f"text-{n}"] = choice["text"]
        return self._submit(f"/conflicts/{conflict}", sent)

    def discard(self, conflict: str) -> Outcome:
        return self._submit(f"/conflicts/{conflict}/discard", {}, writes=False)

    def folder(self, location: str, *, key: str | None = None) -> Outcome:
        return self._submit("/new/folder", {"location": location, "key": key or uuid4().hex}, writes=False)

    def share(self, location: str, subject: str, role: str) -> Outcome:
        return self._submit(
            f"/share/{quote(location)}", {"subject": subject, "role": role, "confirmed": "1"}, writes=False
        )

    def unshare(self, location: str, subject: str) -> Outcome:
        return self._submit(f"/unshare/{quote(location)}", {"subject": subject}, writes=False)

    def capture(self, folder: str, content: str, *, key: str) -> Outcome:
        raise Unsupported

    def search(self, words: str, *, within: str | None = None) -> Outcome:
        response = self.client.get(f"/search?{urlencode({'q': words, 'location': within or ''})}")
        if response.status_code == 200:
            return Ok(value=[row["hit"].location for row in response.context["hits"]])
        return self.outcome(response)

    def list(self, location: str, *, cursor: str | None = None) -> Outcome:
        response = self.client.get(f"/f/{quote(location)}" + (f"?{urlencode({'cursor': cursor})}" if cursor else ""))
        if response.status_code == 200:
            return Ok(value=[row.location for row in response.context["page"].items])
        return self.outcome(response)


SURFACES: dict[str, type[Rest] | type[Mcp] | type[Web]] = {kind.name: kind for kind in (Rest, Mcp, Web)}


def hidden(response: Any, name: str) -> str:
    """The value of a hidden field, as the page holds it."""
    found = re.search(rf'<input type="hidden" name="{name}" value="([^"]*)"', response.content.decode())
    assert found is not None, name
    return found[1]


def _token(cast: Cast, person: str, surface: str) -> str:
    return agents.create(cast.person(person), name=f"{person} over {surface}").token


def _document(location: str) -> str:
    return f"/documents/{quote(location)}"


def _refused(data: Mapping[str, Any], aliases: Mapping[str, str]) -> Refusal:
    named = {re.split(r"[.\[]", error["field"])[0] for error in data.get("errors", ())}
    return Refusal(code=data["code"], fields=frozenset(aliases.get(name, name) for name in named))


def _value(found: Outcome, get: Any) -> Outcome:
    return Ok(commit=found.commit, value=get(found.value)) if isinstance(found, Ok) else found
