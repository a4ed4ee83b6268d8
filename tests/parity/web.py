"""The driver over the pages."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import quote, urlencode
from uuid import uuid4

from django.contrib.messages import get_messages
from django.test import Client

from tests.cast import Cast
from tests.parity.outcomes import Conflict, Ok, Outcome, Refusal
from tests.parity.verbs import Choice, Unsupported
from workspace.models import Commit
from workspace.web.errors import FACES


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
            found = self.outcome(response)
            assert isinstance(found, Refusal), found
            return found
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
            raise Unsupported("reject")
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
            raise Unsupported("reject")
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
        return self._confirmed(f"/share/{quote(location)}", {"subject": subject, "role": role})

    def unshare(self, location: str, subject: str) -> Outcome:
        return self._confirmed(f"/unshare/{quote(location)}", {"subject": subject})

    def _confirmed(self, path: str, sent: dict[str, str]) -> Outcome:
        shown = self.post(path, sent)
        if shown.status_code != 200:
            return self.outcome(shown)
        return self.outcome(self.post(path, sent | {"confirm_token": shown.context["preview"].token}))

    def readers(self, location: str) -> Outcome:
        response = self.client.get(f"/share/{quote(location)}")
        if response.status_code != 200:
            return self.outcome(response)
        return Ok(
            value=[
                (one.email, one.role.label, [(way.location, way.role.label, *way.chain) for way in one.through])
                for one in response.context["page"].items
            ]
        )

    def ask(self, location: str, role: str, reason: str = "") -> Outcome:
        asked = self.post("/access-requests/new", {"location": location, "role": role, "reason": reason})
        if asked.status_code != 302:
            return self.outcome(asked)
        rows = self.client.get("/access-requests?list=mine").context["page"].items
        return Ok(value=next(row.id for row in rows if row.location == location and row.state == "open"))

    def waiting(self) -> Outcome:
        return Ok(value=[row.id for row in self.client.get("/access-requests").context["page"].items])

    def approve(self, request: str, role: str) -> Outcome:
        path, sent = f"/access-requests/{request}", {"role": role, "answer": ""}
        shown = self.post(path, {**sent, "decision": "look"})
        if shown.status_code != 200:
            return self.outcome(shown)
        token = shown.context["preview"].token
        return self.outcome(self.post(path, {**sent, "decision": "approve", "confirm_token": token}))

    def decline(self, request: str, answer: str) -> Outcome:
        sent = {"role": "viewer", "answer": answer, "decision": "decline"}
        return self.outcome(self.post(f"/access-requests/{request}", sent))

    def withdraw(self, request: str) -> Outcome:
        return self.outcome(self.post(f"/access-requests/{request}/withdraw", {}))

    def capture(self, folder: str, content: str, *, key: str) -> Outcome:
        raise Unsupported("capture")

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


def hidden(response: Any, name: str) -> str:
    """The value of a hidden field, as the page holds it."""
    found = re.search(rf'<input type="hidden" name="{name}" value="([^"]*)"', response.content.decode())
    assert found is not None, name
    return found[1]
