"""The access page: what sharing would change is shown first, and happens only as it was shown."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.cast import Cast
from tests.web.conftest import SignIn
from workspace.access import person_actor
from workspace.actor import Actor, Via
from workspace.models import Person
from workspace.queries import access
from workspace.services import groups, sharing

PLACE = "product/launch"
SHARE = f"/share/{PLACE}"
MALLORY = {"subject": "mallory@example.org", "role": "viewer"}


def administrator(cast: Cast) -> Actor:
    return person_actor(Person.objects.create_superuser("root@example.org", name="Root"), via=Via.WEB)


def token(response: Any) -> str:
    found = re.search(r'name="confirm_token" value="([^"]+)"', response.content.decode())
    assert found
    return found[1]


def roles(cast: Cast) -> dict[str, str]:
    return {r.email.partition("@")[0]: r.role.label for r in access.readers(cast.alice, location=PLACE)}


def share(client: Client, **sent: str) -> Any:
    return client.post(SHARE, sent | {"confirm_token": token(client.post(SHARE, sent))})


def test_sharing_shows_first_what_it_opens(signed_in: SignIn, cast: Cast, plan: str) -> None:
    alice = signed_in("alice")
    shown = alice.post(SHARE, MALLORY)

    assert "Mallory gains reading of 1 document in 1 folder, and of everything put here later." in (
        shown.content.decode()
    )
    assert signed_in("mallory").get(f"/f/{PLACE}").status_code == 404
    done = alice.post(SHARE, MALLORY | {"confirm_token": token(shown)})
    assert (done.status_code, done["Location"]) == (302, SHARE)
    assert signed_in("mallory").get(f"/f/{PLACE}").status_code == 200


def test_what_is_typed_in_another_case_is_confirmed_as_it_was_typed(signed_in: SignIn, cast: Cast) -> None:
    assert share(signed_in("alice"), subject="Mallory@Example.org", role="viewer").status_code == 302
    assert roles(cast)["mallory"] == "viewer"


def test_a_changed_world_is_shown_again(signed_in: SignIn, cast: Cast) -> None:
    alice = signed_in("alice")
    before = token(alice.post(SHARE, MALLORY))
    sharing.grant(cast.bob, location=PLACE, subject="mallory@example.org", role="editor")
    again = alice.post(SHARE, MALLORY | {"confirm_token": before})

    assert again.status_code == 409
    assert "Mallory is left with viewer" in again.content.decode()
    assert roles(cast)["mallory"] == "editor"
    assert alice.post(SHARE, MALLORY | {"confirm_token": token(again)}).status_code == 302
    assert roles(cast)["mallory"] == "viewer"


@pytest.mark.parametrize("sent", [{"role": "editor"}, {"confirm_token": "forged"}])
def test_a_token_of_something_else_shares_nothing(signed_in: SignIn, cast: Cast, sent: dict[str, str]) -> None:
    alice = signed_in("alice")
    given = MALLORY | {"confirm_token": token(alice.post(SHARE, MALLORY))} | sent

    assert alice.post(SHARE, given).status_code == 409
    assert "mallory" not in roles(cast)


def test_taking_back_tells_what_is_kept_and_closes_at_once(signed_in: SignIn, cast: Cast, plan: str) -> None:
    alice, carol = signed_in("alice"), signed_in("carol")
    assert carol.get("/d/product/launch/plan.md").status_code == 200
    sent = {"subject": "carol@example.org"}
    shown = alice.post(f"/unshare/{PLACE}", sent)

    assert "Carol loses all access to 1 document" in shown.content.decode()
    assert carol.get("/d/product/launch/plan.md").status_code == 200
    alice.post(f"/unshare/{PLACE}", sent | {"confirm_token": token(shown)})
    assert carol.get("/d/product/launch/plan.md").status_code == 404


def test_what_another_grant_gives_is_said_to_stay(signed_in: SignIn, cast: Cast) -> None:
    sharing.grant(cast.alice, location="product", subject="bob@example.org", role="editor")
    shown = signed_in("alice").post(f"/unshare/{PLACE}", {"subject": "bob@example.org"})

    assert "Bob keeps as much as now" in shown.content.decode()


def test_an_editor_is_refused_what_only_managers_may(signed_in: SignIn, cast: Cast) -> None:
    bob = signed_in("bob")

    assert bob.post(SHARE, {"subject": "carol@example.org", "role": "manager"}).status_code == 403
    html = bob.get(SHARE).content.decode()
    assert 'value="alice@example.org"' not in html.replace('<option value="alice@example.org">', "")
    assert '<option value="manager">' not in html
    assert roles(cast)["carol"] == "viewer"


def test_a_reader_is_drawn_no_form(signed_in: SignIn, cast: Cast) -> None:
    html = signed_in("carol").get(SHARE).content.decode()

    assert 'name="role"' not in html
    assert "Leave" in html
    assert "View as" not in html
    assert "Ask for more" in html


def test_leaving_gives_up_ones_own_role(signed_in: SignIn, cast: Cast) -> None:
    carol, sent = signed_in("carol"), {"subject": "carol@example.org"}
    shown = carol.post(f"/unshare/{PLACE}", sent)
    left = carol.post(f"/unshare/{PLACE}", sent | {"confirm_token": token(shown)})

    assert left["Location"] == "/"
    assert carol.get(f"/f/{PLACE}").status_code == 404


def test_the_last_manager_is_told_why_not(signed_in: SignIn, cast: Cast) -> None:
    response = signed_in("alice").post("/unshare/product", {"subject": "alice@example.org"})

    assert response.status_code == 403
    assert "The last manager cannot leave" in response.content.decode()


def test_managers_close_sharing_for_editors(signed_in: SignIn, cast: Cast) -> None:
    alice, bob = signed_in("alice"), signed_in("bob")
    assert 'id="id_subject"' in bob.get(SHARE).content.decode()
    assert bob.post(f"/share-editors/{PLACE}", {"allowed": "no"}).status_code == 403
    alice.post("/share-editors/product", {"allowed": "no"})

    html = bob.get(SHARE).content.decode()
    assert 'id="id_subject"' not in html
    assert "Only managers share here" in html
    assert bob.post(SHARE, MALLORY).status_code == 403
    assert "Closed at a folder above" in alice.get(SHARE).content.decode()
    alice.post("/share-editors/product", {"allowed": "yes"})
    assert 'id="id_subject"' in bob.get(SHARE).content.decode()


@pytest.mark.parametrize("allowed", ["", "maybe"])
def test_a_switch_is_on_or_off(signed_in: SignIn, cast: Cast, allowed: str) -> None:
    assert signed_in("alice").post(f"/share-editors/{PLACE}", {"allowed": allowed}).status_code == 422


def test_an_unknown_person_is_422_and_can_be_invited(signed_in: SignIn, cast: Cast) -> None:
    alice, sent = signed_in("alice"), {"subject": "nobody@example.org", "role": "viewer"}
    response = alice.post(SHARE, sent)

    assert response.status_code == 422
    assert "nobody@example.org has no account here." in response.content.decode()
    invited = alice.post(SHARE, sent | {"invite": "1"})
    assert invited.status_code == 201
    assert invited["Cache-Control"] == "no-store"
    assert "nobody@example.org" not in roles(cast)


@pytest.mark.parametrize("sent", [{}, {"subject": "bob@example.org"}, {"subject": "bob@example.org", "role": "owner"}])
def test_a_bad_form_is_422(signed_in: SignIn, cast: Cast, sent: dict[str, str]) -> None:
    assert signed_in("alice").post(SHARE, sent).status_code == 422


def test_who_can_read_is_told_with_the_way_of_each_grant(signed_in: SignIn, cast: Cast) -> None:
    root = administrator(cast)
    outer, inner = groups.create(root, name="design"), groups.create(root, name="writers")
    groups.nest(root, group=outer.pk, inner=inner.pk)
    groups.add(root, group=inner.pk, person=cast.people["mallory"].pk)
    sharing.grant(cast.alice, location="product", subject="group:design", role="viewer")
    html = " ".join(re.sub(r"<[^>]+>", " ", signed_in("carol").get(SHARE).content.decode()).split())

    assert "Mallory mallory@example.org viewer through writers in design , from product" in html
    assert "Bob bob@example.org editor, given here" in html
    assert "Root root@example.org manager, as administrator" in html


def test_whom_to_share_with_is_suggested_of_those_one_knows_alone(signed_in: SignIn, cast: Cast) -> None:
    bob = signed_in("bob").get("/share-with?subject=car").content.decode()
    assert '<option value="carol@example.org">Carol</option>' in bob
    assert "alice" not in bob
    assert "<option" not in signed_in("mallory").get("/share-with?subject=car").content.decode()
    assert "mallory" not in signed_in("alice").get("/share-with?subject=").content.decode()


def test_groups_are_suggested_where_they_are_known(signed_in: SignIn, cast: Cast) -> None:
    root = administrator(cast)
    design = groups.create(root, name="design")
    groups.add(root, group=design.pk, person=cast.people["mallory"].pk)
    assert "design" not in signed_in("alice").get("/share-with?subject=group:des").content.decode()
    sharing.grant(cast.alice, location=PLACE, subject="group:design", role="viewer")
    assert 'value="group:design"' in signed_in("alice").get("/share-with?subject=mal").content.decode()
