"""Forms that outlived their session, as a browser without scripts sends them: what was typed comes back."""

from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from tests.cast import PLAN, Cast
from tests.web.test_documents_write import text_of, typed
from workspace.services import documents

LOCATION = "product/launch/plan.md"
BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
FORM = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"}
WORDS = '\n\nFirst "line" <b>&amp; مرحبا\n'


class Fields(HTMLParser):
    """The fields of the form that holds what was typed, as a browser would send them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self.inside = False
        self.area = ""
        self.feed(html.replace("\r\n", "\n"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.inside = "data-held" in given
        elif self.inside and tag == "input" and "name" in given:
            self.fields[given["name"]] = given.get("value", "")
        elif self.inside and tag == "textarea":
            self.area = given["name"]
            self.fields[self.area] = ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            # A browser drops the line end right after the tag.
            if self.area:
                self.fields[self.area] = self.fields[self.area].removeprefix("\n")
            self.area = ""

    def handle_data(self, data: str) -> None:
        if self.area:
            self.fields[self.area] += data


@pytest.fixture
def browser_of_bob(cast: Cast, plan: str) -> Client:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.people["bob"], backend=BACKEND)
    return client


def opened(client: Client, address: str) -> dict[str, str]:
    """The fields of the form at an address, with its token."""
    html = client.get(address).content.decode()
    return Fields(html.replace("data-editor", "data-held").replace("data-settle", "data-held")).fields


def send(client: Client, address: str, fields: dict[str, str], **headers: str) -> Any:
    return client.post(address, {**fields, "content": typed(fields["content"])}, headers={**FORM, **headers})


def test_a_save_after_the_session_ended_goes_on_after_signing_in(browser_of_bob: Client, cast: Cast) -> None:
    address = f"/edit/{LOCATION}"
    form = opened(browser_of_bob, address) | {"content": PLAN + WORDS, "message": "Why so"}
    form.pop("preview", None)
    # The cookie of the token outlives the session.
    browser_of_bob.cookies.pop("session")
    answer = send(browser_of_bob, address, form)
    assert answer.status_code == 401
    held = Fields(answer.content.decode()).fields
    assert {name: held[name] for name in ("content", "message", "base", "key")} == {
        name: form[name] for name in ("content", "message", "base", "key")
    }
    assert "no-store" in answer["Cache-Control"]
    browser_of_bob.force_login(cast.people["bob"], backend=BACKEND)
    browser_of_bob.cookies["csrf"] = "x" * 32
    answer = send(browser_of_bob, address, held)
    assert answer.status_code == 403
    again = Fields(answer.content.decode()).fields
    assert again["content"] == form["content"]
    assert send(browser_of_bob, address, again).status_code == 302
    assert text_of(cast) == PLAN + WORDS


def test_what_was_typed_without_any_cookie_comes_back(browser_of_bob: Client) -> None:
    form = opened(browser_of_bob, f"/edit/{LOCATION}") | {"content": WORDS}
    browser_of_bob.cookies.clear()
    answer = send(browser_of_bob, f"/edit/{LOCATION}", form)
    assert answer.status_code == 403
    html = answer.content.decode()
    assert Fields(html).fields["content"] == WORDS
    assert "/accounts/login/" in html


def test_a_new_document_comes_back_with_its_place(browser_of_bob: Client) -> None:
    form = opened(browser_of_bob, "/new/document/product/launch")
    form |= {"content": WORDS, "location": "product/launch/new.md"}
    browser_of_bob.cookies.pop("session")
    held = Fields(send(browser_of_bob, "/new/document/product/launch", form).content.decode()).fields
    assert (held["content"], held["location"]) == (WORDS, "product/launch/new.md")


def test_the_choices_of_a_conflict_come_back(browser_of_bob: Client, cast: Cast, plan: str) -> None:
    documents.edit(cast.alice, location=LOCATION, content=PLAN.replace("second", "third"), expected_commit=plan)
    mine = PLAN.replace("second", "fourth")
    kept = documents.edit(cast.bob, location=LOCATION, content=mine, expected_commit=plan, on_conflict="merge")
    address = f"/conflicts/{kept.conflict}"  # type: ignore[union-attr]
    form = opened(browser_of_bob, address) | {"choice-0": "text", "text-0": "Neither.\n"}
    browser_of_bob.cookies.pop("session")
    held = Fields(browser_of_bob.post(address, form, headers=FORM).content.decode()).fields
    assert (held["choice-0"], held["text-0"]) == ("text", "Neither.\n")
    assert held["expected_commit"] == form["expected_commit"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "", "Origin": "https://elsewhere.example"},
        {"Sec-Fetch-Site": "", "Origin": "null"},
        {"Sec-Fetch-Site": ""},
    ],
)
def test_what_another_site_sent_cannot_be_sent_again_from_here(browser_of_bob: Client, headers: dict[str, str]) -> None:
    form = {"content": "Not mine", "base": "x"}
    answer = send(browser_of_bob, f"/edit/{LOCATION}", form, **headers)
    assert answer.status_code == 403
    assert "data-held" not in answer.content.decode()
    browser_of_bob.cookies.clear()
    assert "data-held" not in send(browser_of_bob, f"/edit/{LOCATION}", form, **headers).content.decode()


def test_a_browser_that_names_the_origin_only_is_believed(browser_of_bob: Client) -> None:
    form = {"content": WORDS, "base": "x"}
    headers = {"Sec-Fetch-Site": "", "Origin": "http://testserver"}
    answer = send(browser_of_bob, f"/edit/{LOCATION}", form, **headers)
    assert Fields(answer.content.decode()).fields["content"] == WORDS


def test_a_script_and_a_form_without_text_are_led_to_signing_in(client: Client, plan: str) -> None:
    script = {**FORM, "Accept": "*/*"}
    assert client.post(f"/draft/{LOCATION}", {"content": "x"}, headers=script).status_code == 302
    assert client.post(f"/restore/{LOCATION}", {"commit": plan}, headers=FORM).status_code == 302


def test_a_form_with_a_password_is_not_given_back(browser_of_bob: Client) -> None:
    form = {"content": "x", "password": "secret words"}
    assert "secret words" not in send(browser_of_bob, f"/edit/{LOCATION}", form).content.decode()
