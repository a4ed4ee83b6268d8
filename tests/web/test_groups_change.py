"""The pages of groups, for administrators."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.cast import Cast
from tests.web.conftest import SignIn
from workspace.access import person_actor
from workspace.actor import Via
from workspace.models import Group, Person
from workspace.services import sharing


@pytest.fixture
def root(cast: Cast) -> Client:
    person = Person.objects.create_superuser("root@example.org", name="Root")
    client = Client()
    client.force_login(person, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def text(response: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def group(root: Client, name: str) -> int:
    assert root.post("/groups", {"name": name}).status_code == 302
    return int(Group.objects.get(name=name).pk)


def test_a_group_is_made_filled_and_shared_with(root: Client, cast: Cast, signed_in: SignIn) -> None:
    design = group(root, "design")
    assert root.post(f"/groups/{design}/add", {"email": "Mallory@example.org"}).status_code == 302
    sharing.grant(cast.alice, location="product", subject="group:design", role="viewer")

    page = text(root.get(f"/groups/{design}"))
    assert "Mallory mallory@example.org" in page
    assert "product viewer" in page
    assert "design 1 person · 1 place" in text(root.get("/groups"))
    assert signed_in("mallory").get("/f/product").status_code == 200
    root.post(f"/groups/{design}/remove", {"person": str(cast.people["mallory"].pk)})
    assert signed_in("mallory").get("/f/product").status_code == 404


def test_a_group_in_a_group_reaches_what_that_reaches(root: Client, cast: Cast, signed_in: SignIn) -> None:
    design, writers = group(root, "design"), group(root, "writers")
    root.post(f"/groups/{writers}/add", {"email": "mallory@example.org"})
    sharing.grant(cast.alice, location="product", subject="group:design", role="viewer")
    assert root.post(f"/groups/{design}/nest", {"group": "writers"}).status_code == 302

    assert signed_in("mallory").get("/f/product").status_code == 200
    assert "It is in design" in text(root.get(f"/groups/{writers}"))
    root.post(f"/groups/{design}/unnest", {"inner": str(writers)})
    assert signed_in("mallory").get("/f/product").status_code == 404


@pytest.mark.parametrize(("outer", "inner"), [("a", "a"), ("b", "a"), ("c", "a")])
def test_a_circle_is_named_at_the_field(root: Client, outer: str, inner: str) -> None:
    made = {name: group(root, name) for name in "abc"}
    root.post(f"/groups/{made['a']}/nest", {"group": "b"})
    root.post(f"/groups/{made['b']}/nest", {"group": "c"})
    response = root.post(f"/groups/{made[outer]}/nest", {"group": inner})

    assert response.status_code == 422
    form = response.context["nest_form"]
    assert "circle" in str(form.errors["group"]) or "itself" in str(form.errors["group"])
    assert not response.context["member_form"].errors


@pytest.mark.parametrize(
    ("path", "sent", "status"),
    [
        ("", {"name": ""}, 422),
        ("", {"name": "a/b"}, 422),
        ("", {"name": "design"}, 409),
        ("", {"name": "de\u200bsign"}, 422),
        ("", {"name": "\u202engised"}, 422),
        ("/{id}/rename", {"name": "\u200b"}, 422),
        ("/{id}/rename", {"name": "writers"}, 409),
        ("/{id}/rename", {"name": "a\tb"}, 422),
        ("/{id}/add", {"email": "nobody@example.org"}, 422),
        ("/{id}/add", {}, 422),
        ("/{id}/nest", {"group": "none"}, 422),
        ("/{id}/remove", {"person": "x"}, 404),
        ("/{id}/remove", {"person": "9" * 40}, 404),
        ("/{id}/unnest", {"inner": "12345"}, 404),
        ("/99999/add", {"email": "bob@example.org"}, 404),
        ("/99999/delete", {}, 404),
    ],
)
def test_what_is_wrong_is_refused(root: Client, path: str, sent: dict[str, str], status: int) -> None:
    design = group(root, "design")
    group(root, "writers")
    assert root.post(f"/groups{path.format(id=design)}", sent).status_code == status


def test_renaming_keeps_what_was_shared_and_deleting_does_not(root: Client, cast: Cast, signed_in: SignIn) -> None:
    design = group(root, "design")
    root.post(f"/groups/{design}/add", {"email": "mallory@example.org"})
    sharing.grant(cast.alice, location="product", subject="group:design", role="viewer")
    assert root.post(f"/groups/{design}/rename", {"name": "Art"}).status_code == 302
    assert signed_in("mallory").get("/f/product").status_code == 200
    assert root.post(f"/groups/{design}/delete").status_code == 302
    assert signed_in("mallory").get("/f/product").status_code == 404


def test_the_last_manager_is_not_lost_with_a_group(root: Client, cast: Cast) -> None:
    design = group(root, "design")
    root.post(f"/groups/{design}/add", {"email": "alice@example.org"})
    boss = person_actor(Person.objects.get(email="root@example.org"), via=Via.WEB)
    sharing.grant(boss, location="product", subject="group:design", role="manager")
    sharing.revoke(boss, location="product", subject="alice@example.org")

    response = root.post(f"/groups/{design}/remove", {"person": str(cast.people["alice"].pk)})
    assert response.status_code == 403
    assert Group.objects.get(pk=design).members.count() == 1


@pytest.mark.parametrize("name", ["alice", "mallory"])
def test_whoever_is_no_administrator_learns_nothing_of_groups(root: Client, signed_in: SignIn, name: str) -> None:
    design, client = group(root, "design"), signed_in(name)
    there, nowhere = client.get(f"/groups/{design}"), client.get("/groups/99999")
    assert there.status_code == nowhere.status_code == client.get("/groups").status_code == 403
    for page in (there, nowhere):
        assert "design" not in page.content.decode()
    assert client.post(f"/groups/{design}/delete").status_code == 403
    assert Group.objects.filter(pk=design).exists()
