"""A person's browser as far as forms go: signs in, reads the consent page, decides, and is sent back."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin

import httpx2


@dataclass
class Form:
    """A form as it stands: where it is sent, and its fields as a browser would send them untouched."""

    action: str
    fields: list[tuple[str, str]] = field(default_factory=list)

    def has(self, name: str) -> bool:
        return any(name == each for each, _ in self.fields)

    def filled(self, **values: str | None) -> dict[str, str]:
        """The fields with ``values`` in place of theirs; None leaves one out."""
        merged: dict[str, str | None] = {**dict(self.fields), **values}
        return {name: value for name, value in merged.items() if value is not None}


class _Forms(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._form: Form | None = None
        self._select = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = Form(action=given.get("action", ""))
            self.found.append(self._form)
        if self._form is None:
            return
        name, value = given.get("name", ""), given.get("value", "")
        match tag:
            case "input" if name and (given.get("type") not in ("radio", "checkbox") or "checked" in given):
                self._form.fields.append((name, value))
            case "select":
                self._select = name
            case "option" if self._select and "selected" in given:
                self._form.fields.append((self._select, value))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._select = ""


class Visitor:
    """Somebody at a browser of their own, not yet signed in."""

    def __init__(self, email: str, password: str) -> None:
        self.email = email
        self.password = password
        self.http = httpx2.Client(timeout=30, headers={"User-Agent": "visitor", "Accept": "text/html"})

    def decide(self, address: str, *, action: str = "grant", **choices: str | None) -> str:
        """Opens the address that a program sends its person to, signs in where asked to, and decides.

        Returns the address that the browser is sent to with the answer; nothing is fetched there.
        """
        page = self._arrive(address)
        form = next(form for form in _Forms(page.text).found if form.has("request"))
        data = form.filled(action=action, **choices)
        answer = self._send(page, form, data)
        assert answer.status_code == 302, f"{answer.status_code}: {answer.text[:2000]}"
        return str(answer.headers["location"])

    def allow(self, address: str, **choices: str | None) -> None:
        """Decides for the program, and brings the answer to where it waits on this machine."""
        back = self.decide(address, **choices)
        httpx2.get(back, timeout=30, follow_redirects=True)

    def answer(self, address: str, *, action: str = "grant", **choices: str | None) -> str:
        """Opens the address with the code of a device, signs in where asked to, and decides: the page that follows."""
        page = self._arrive(address)
        form = next(form for form in _Forms(page.text).found if form.has("request"))
        answer = self._send(page, form, form.filled(action=action, **choices))
        assert answer.status_code == 200, f"{answer.status_code}: {answer.text[:2000]}"
        return answer.text

    def _arrive(self, address: str) -> httpx2.Response:
        page = self._get(address)
        login = next((form for form in _Forms(page.text).found if form.has("login")), None)
        if login is not None:
            sent = self._send(page, login, login.filled(login=self.email, password=self.password))
            assert sent.is_redirect, sent.text[:2000]
            page = self._get(urljoin(str(page.url), sent.headers["location"]))
        assert page.status_code == 200, f"{page.status_code}: {page.text[:2000]}"
        return page

    def _get(self, address: str) -> httpx2.Response:
        page = self.http.get(address)
        while page.is_redirect:
            page = self.http.get(urljoin(str(page.url), page.headers["location"]))
        return page

    def _send(self, page: httpx2.Response, form: Form, data: dict[str, str]) -> httpx2.Response:
        action = urljoin(str(page.url), form.action)
        origin = str(page.url.copy_with(raw_path=b"/")).rstrip("/")
        return self.http.post(action, data=data, headers={"Referer": str(page.url), "Origin": origin})
