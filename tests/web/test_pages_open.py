"""Every page opens, under the strictest policy, and tells a stranger nothing."""

import gzip
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from tests.cast import Cast
from tests.web.conftest import SignIn
from workspace.services import folders

PLAN = "product/launch/plan.md"
PAGES = [
    "/",
    "/palette",
    "/palette?q=plan",
    f"/d/{PLAN}",
    f"/raw/{PLAN}",
    f"/edit/{PLAN}",
    f"/move/{PLAN}",
    f"/delete/{PLAN}",
    f"/history/{PLAN}",
    f"/diff/{PLAN}",
    f"/blame/{PLAN}",
    f"/share/{PLAN}",
    "/f/product",
    "/f/product/launch",
    "/tree/product",
    "/new/folder",
    "/new/folder?in=product/launch",
    "/new/document/product/launch",
    "/move/product/launch",
    "/delete/product/launch",
    "/share/product/launch",
    "/conflicts",
    "/conflicts?state=resolved",
    "/captures",
    "/search",
    "/search?q=launch",
    "/search?q=launch&mode=titles&location=product",
    "/agents",
    "/jobs",
    "/jobs?state=failed",
    "/help/connect",
    "/help/connect?host=codex",
    "/help",
    "/help/concepts",
    "/help/rest",
    "/help/mcp",
    "/help/running",
    "/help/erasing",
    "/help/keys",
    "/help/sharing",
    "/access-requests",
    "/access-requests?list=mine",
    "/access-requests/new",
    "/access-requests/new?location=product/other&role=editor",
    "/view-as/product/launch",
    "/view-as/product/launch?person=carol@example.org",
    f"/view-as/{PLAN}?person=carol@example.org",
    "/settings/product/launch",
    "/activity/product",
    "/activity/product/launch",
]
PLACES = [page for page in PAGES if PLAN in page or "product/launch" in page]


@pytest.mark.parametrize("address", PAGES)
def test_the_owner_opens_every_page(signed_in: SignIn, plan: str, address: str) -> None:
    response = signed_in("alice").get(address, follow=True)

    assert response.status_code == 200


@pytest.mark.parametrize("address", PAGES)
def test_a_page_holds_no_inline_script_or_style(signed_in: SignIn, plan: str, address: str) -> None:
    response = signed_in("alice").get(address, follow=True)
    html = response.content.decode()

    assert not re.search(r"<[^>]+\sstyle=", html)
    assert "<style" not in html
    assert not re.search(r"<[^>]+\son[a-z]+=", html)
    assert [tag for tag in re.findall(r"<script[^>]*>", html) if "src=" not in tag] == []
    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("address", PAGES)
def test_every_page_asks_for_a_sign_in(client: Client, plan: str, address: str) -> None:
    response = client.get(address)

    assert response.status_code == 302
    assert response["Location"].startswith("/accounts/login/")


def bare(html: bytes) -> str:
    """A page without what differs on every answer: request id, nonces, form tokens."""
    text = re.sub(r'nonce="[^"]*"', "", html.decode())
    text = re.sub(r"req_[0-9a-f]+", "", text)
    return re.sub(r'(csrfmiddlewaretoken" value="|X-CSRFToken": ")[^"]+', "", text)


@pytest.mark.parametrize("address", PLACES)
def test_hidden_and_absent_are_one_answer(signed_in: SignIn, plan: str, address: str) -> None:
    mallory = signed_in("mallory")
    hidden = mallory.get(address)
    absent = mallory.get(address.replace("product/launch", "product/nothing"))

    if address == "/new/folder?in=product/launch":
        assert hidden.status_code == absent.status_code == 200
        return
    assert hidden.status_code == absent.status_code == 404
    assert bare(hidden.content) == bare(absent.content)
    assert {k for k, _ in hidden.items()} == {k for k, _ in absent.items()}
    assert "launch" not in hidden.content.decode()


def test_an_unknown_address_is_the_same_not_found(signed_in: SignIn, plan: str) -> None:
    mallory = signed_in("mallory")

    assert bare(mallory.get("/nowhere/at/all").content) == bare(mallory.get(f"/d/{PLAN}").content)


@pytest.mark.parametrize("address", [f"/d/{PLAN}", f"/edit/{PLAN}", f"/diff/{PLAN}", "/f/product/launch"])
def test_the_scripts_of_a_page_fit_into_60_kilobytes(signed_in: SignIn, plan: str, address: str) -> None:
    html = signed_in("alice").get(address, follow=True).content.decode()
    scripts = re.findall(r'<script[^>]*src="/static/([^"?]+)', html)
    paths = [finders.find(script) for script in scripts]

    assert len(scripts) >= 3
    assert sum(len(gzip.compress(Path(str(path)).read_bytes(), 6)) for path in paths) <= 60 * 1024


def test_the_frame_costs_the_same_queries_however_many_folders(
    signed_in: SignIn, cast: Cast, django_assert_max_num_queries: Any
) -> None:

    alice = signed_in("alice")
    with django_assert_max_num_queries(60) as few:
        alice.get("/agents")
    for n in range(30):
        folders.create(cast.alice, location=f"product/area {n}")
    with django_assert_max_num_queries(len(few.captured_queries)):
        alice.get("/agents")


QUERIES = {
    "/": 12,
    "/f/product/launch": 21,
    f"/d/{PLAN}": 15,
    f"/edit/{PLAN}": 8,
    f"/history/{PLAN}": 10,
    "/share/product/launch": 19,
    "/agents": 8,
}
"""The most that a page asks of the database once the session is warm. More than before is a regression."""


@pytest.mark.parametrize("address", QUERIES)
def test_a_page_asks_no_more_of_the_database(
    signed_in: SignIn, plan: str, address: str, django_assert_max_num_queries: Any
) -> None:
    alice = signed_in("alice")
    alice.get(address)

    with django_assert_max_num_queries(QUERIES[address]):
        alice.get(address)


def test_every_link_of_the_pages_leads_somewhere(signed_in: SignIn, plan: str) -> None:
    alice = signed_in("alice")
    todo, seen = ["/", "/share/product/launch", f"/share/{PLAN}"], set()
    while todo:
        address = todo.pop().split("#")[0]
        if not address or address in seen or address.startswith(("/static/", "/admin/", "/accounts/")):
            continue
        seen.add(address)
        response = alice.get(address)
        assert response.status_code in (200, 302), address
        if response.streaming:
            continue
        todo += [unescape(found) for found in re.findall(r'href="(/[^"]*)"', response.content.decode())]

    assert len(seen) > 25
