"""``browse`` and ``identity``: what is where, who is there, and who asks."""

from dataclasses import replace

import pytest

from tests.cast import Cast
from tests.mcp.calls import Calls
from tests.mcp.conftest import PLACE
from workspace.actor import Role, Scope
from workspace.models import Group, Membership, Person
from workspace.services import documents, folders, sharing


def test_folders_and_documents_are_listed_with_roles_and_authors(scout: Calls, rover: Calls, first: str) -> None:
    top = rover.data("browse", action="folders")["folders"]
    # Bob has a role on product/launch only: the folder above shows its name and nothing else.
    assert [(row["location"], row["role"], row["documents"]) for row in top] == [("product", None, 0)]
    below = rover.data("browse", action="folders", location="product")["folders"]
    assert [(row["location"], row["role"], row["documents"]) for row in below] == [("product/launch", "editor", 1)]
    rows = rover.data("browse", action="documents", location="product")["documents"]
    assert [(row["location"], row["commit"], row["updated_by"]["label"]) for row in rows] == [(PLACE, first, "scout")]
    text = rover.text("browse", action="documents")
    assert f"{PLACE}@{first[:12]}" in text
    assert "by scout (agent of Alice)" in text


def test_documents_are_filtered_by_type_and_label(scout: Calls, first: str) -> None:
    content = "---\ntype: decision\nlabels: [api, q3]\n---\n# Choose\n"
    scout.data("doc_create", action="document", folder_path=["product", "launch"], name="d.md", content=content)
    for given in ({"type": "decision"}, {"label": "q3"}, {"type": "decision", "label": "api"}):
        rows = scout.data("browse", action="documents", **given)["documents"]
        assert [row["location"] for row in rows] == ["product/launch/d.md"]
    assert scout.data("browse", action="documents", label="none")["documents"] == []


def test_a_long_listing_goes_on_by_cursor_and_stays_in_bounds(cast: Cast, scout: Calls) -> None:
    names = [f"{n:02d} " + "名" * 190 for n in range(60)]
    for name in names:
        documents.create(cast.alice, location=f"product/launch/{name}", content=f"# {'é' * 250}\n\n{'語' * 300}\n")
    seen: list[str] = []
    cursor = None
    while True:
        given = {"cursor": cursor} if cursor else {}
        _, data, text = scout.result("browse", action="documents", limit=100, **given)
        assert len(text) < 30_000
        seen += [row["location"].rpartition("/")[2] for row in data["documents"]]
        cursor = data["next_cursor"]
        if cursor is None:
            break
        assert cursor in text
    assert seen == names


def test_a_cursor_is_of_no_use_to_another_or_when_changed(cast: Cast, scout: Calls, rover: Calls) -> None:
    for n in range(3):
        documents.create(cast.alice, location=f"product/launch/{n}.md", content="x")
    cursor = scout.data("browse", action="documents", limit=1)["next_cursor"]
    assert rover.fields("browse", action="documents", limit=1, cursor=cursor) == {"cursor"}
    assert scout.fields("browse", action="documents", limit=1, cursor=cursor[:-2] + "xx") == {"cursor"}
    assert scout.fields("browse", action="folders", limit=1, cursor=cursor) == {"cursor"}


def people(calls: Calls, **given: str) -> list[str]:
    return [row["email"] for row in calls.data("browse", action="people", **given)["people"]]


def test_people_are_those_who_share_a_folder(cast: Cast, scout: Calls, rover: Calls, first: str) -> None:
    assert people(scout) == ["bob@example.org", "carol@example.org"]
    assert people(rover) == ["alice@example.org", "carol@example.org"]
    assert people(Calls(cast.mallory)) == []
    assert people(rover, location=PLACE) == ["alice@example.org", "bob@example.org", "carol@example.org"]


def test_people_of_places_that_are_hidden_are_not_told_of(cast: Cast, rover: Calls) -> None:
    folders.create(cast.alice, location="product/board")
    sharing.grant(cast.alice, location="product/board", subject="mallory@example.org", role="viewer")
    assert "mallory@example.org" not in people(rover)
    assert rover.refusal("browse", action="people", location="product/board")["code"] == "NOT_FOUND"
    # Mallory and Alice share product/board; Bob has no part in it.
    assert people(Calls(cast.mallory)) == ["alice@example.org"]


def test_people_come_by_group_and_inactive_ones_do_not(cast: Cast, scout: Calls, rover: Calls) -> None:
    group = Group.objects.create(name="reviewers")
    Membership.objects.create(group=group, person=cast.people["mallory"])
    elsewhere = Group.objects.create(name="elsewhere")
    Membership.objects.create(group=elsewhere, person=cast.people["carol"])
    sharing.grant(cast.alice, location="product/launch", subject="group:reviewers", role="viewer")
    assert people(rover, group="reviewers") == ["mallory@example.org"]
    assert people(rover, group="elsewhere") == []
    rows = scout.data("browse", action="people")["people"]
    assert {row["email"]: row["groups"] for row in rows}["mallory@example.org"] == ["reviewers"]
    assert {row["email"]: row["groups"] for row in rows}["carol@example.org"] == []
    Person.objects.filter(email="mallory@example.org").update(is_active=False)
    assert "mallory@example.org" not in people(rover)


def test_people_are_those_of_a_single_shared_document_too(cast: Cast) -> None:
    documents.create(cast.alice, location="private/note.md", content="x")
    sharing.grant(cast.alice, location="private/note.md", subject="mallory@example.org", role="viewer")
    assert people(Calls(cast.mallory)) == ["alice@example.org"]


@pytest.mark.parametrize("place", ["/product", "product/", "a//b", "..", "product\\launch\n", "x" * 201])
def test_a_malformed_location_is_refused_by_name(scout: Calls, place: str) -> None:
    assert scout.fields("browse", action="folders", location=place) == {"location"}


def test_identity_tells_who_acts_for_whom(cast: Cast, scout: Calls) -> None:
    data = scout.data("identity", action="self")
    assert data["person"] == {"label": "Alice", "email": "alice@example.org"}
    assert data["agent"]["name"] == "scout"
    assert data["may_write"] is True
    folder = folders.create(cast.alice, location="product/only").id
    narrow = Calls(replace(cast.scout, scopes=(Scope(role=Role.VIEWER, folder=folder),)))
    data = narrow.data("identity", action="self")
    assert (data["scopes"], data["may_write"]) == (["viewer@product/only"], False)
    assert [(n["location"], n["role"]) for n in narrow.data("identity", action="tree")["folders"]] == [
        ("product", None),
        ("product/only", "viewer"),
    ]


def test_a_large_tree_comes_in_parts(cast: Cast, scout: Calls) -> None:
    for n in range(40):
        folders.create(cast.alice, location=f"product/{n:02d}{'名' * 190}/{'x' * 200}/{'y' * 200}")
    seen: list[str] = []
    offset: int | None = 0
    while offset is not None:
        _, data, text = scout.result("identity", action="tree", offset=offset)
        assert len(text) < 30_000
        seen += [node["location"] for node in data["folders"]]
        offset = data["next_offset"]
    assert len(seen) == len(set(seen)) == data["total"] == 2 + 3 * 40
    assert scout.fields("identity", action="tree", offset=1_000) == {"offset"}
