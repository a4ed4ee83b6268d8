"""What a share would change is told before it happens, and confirmed by a token that is bound to that."""

from dataclasses import replace

import pytest
from django.core import signing

from tests.cast import Cast
from workspace import errors
from workspace.models import Folder, Grant
from workspace.queries import access as who_can
from workspace.queries import documents as reads
from workspace.services import agents, bearer, documents, folders, groups, sharing

PLACE = "product/launch"
PLAN_AT = f"{PLACE}/plan.md"


def changes(found: tuple[sharing.Change, ...]) -> dict[str, tuple[str, str]]:
    return {one.email: (one.before, one.after) for one in found}


def test_each_person_is_told_with_their_role_before_and_after(cast: Cast, plan: str) -> None:
    admin = replace(cast.alice, admin=True)
    outer, inner = groups.create(admin, name="all"), groups.create(admin, name="some")
    groups.nest(admin, group=outer.pk, inner=inner.pk)
    for name, group in (("bob", outer), ("carol", inner), ("mallory", inner)):
        groups.add(admin, group=group.pk, person=cast.people[name].pk)
    boss = type(cast.people["bob"]).objects.create_superuser("boss@example.org")
    groups.add(admin, group=inner.pk, person=boss.pk)
    told = sharing.preview(cast.alice, location=PLACE, subject="group:all", role="editor")
    assert changes(told.gains) == {"carol@example.org": ("viewer", "editor"), "mallory@example.org": ("", "editor")}
    assert changes(told.keeps) == {
        "bob@example.org": ("editor", "editor"),
        "boss@example.org": ("manager", "manager"),
    }
    assert (told.loses, told.documents, told.folders, told.future, told.changes) == ((), 1, 1, True, True)
    sharing.grant(cast.alice, location=PLACE, subject="group:all", role="editor")
    told = sharing.preview(cast.alice, location=PLACE, subject="group:all", role="editor")
    assert (told.gains, told.loses, told.changes, told.keeping) == ((), (), False, 4)
    told = sharing.preview_revoke(cast.alice, location=PLACE, subject="group:all")
    assert changes(told.loses) == {"carol@example.org": ("editor", "viewer"), "mallory@example.org": ("editor", "")}
    assert set(changes(told.keeps)) == {"bob@example.org", "boss@example.org"}
    document = sharing.preview(cast.alice, location=PLAN_AT, subject="mallory@example.org", role="viewer")
    assert (document.documents, document.folders, document.future) == (1, 0, False)
    assert set(changes(document.keeps)) == {"mallory@example.org"}


def test_names_are_bounded_and_the_rest_is_counted(cast: Cast) -> None:
    admin = replace(cast.alice, admin=True)
    everybody = groups.create(admin, name="everybody")
    person = type(cast.people["bob"])
    for made in person.objects.bulk_create(person(email=f"p{n}@example.org") for n in range(120)):
        everybody.members.add(made)
    told = sharing.preview(cast.alice, location=PLACE, subject="group:everybody", role="viewer")
    assert (len(told.gains), told.gaining, told.more) == (100, 120, 20)


CHANGE = {"action": "grant", "location": PLACE, "subject": "mallory@example.org", "role": "viewer"}


def test_a_token_confirms_one_change_of_one_principal_for_ten_minutes(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = sharing.confirm_token(cast.alice, change=CHANGE)
    sharing.check_token(cast.alice, token, CHANGE)
    for actor, change, given in (
        (cast.bob, CHANGE, token),
        (cast.scout, CHANGE, token),
        (cast.alice, {**CHANGE, "role": "editor"}, token),
        (cast.alice, {**CHANGE, "subject": "carol@example.org", "role": "editor"}, token),
        (cast.alice, CHANGE, token[:-1] + ("A" if token[-1] != "A" else "B")),
        (cast.alice, CHANGE, ""),
        (cast.alice, CHANGE, signing.dumps(["person:1"], salt="workspace.cursor")),
    ):
        with pytest.raises(errors.AccessChange) as refused:
            sharing.check_token(actor, given, change)
        assert refused.value.preview["subject"] == change["subject"]
        sharing.check_token(actor, refused.value.confirm_token, change)  # the fresh one holds
    now = signing.time.time()
    monkeypatch.setattr(signing.time, "time", lambda: now + 601)
    with pytest.raises(errors.AccessChange):
        sharing.check_token(cast.alice, token, CHANGE)


def test_a_token_no_longer_holds_once_it_would_do_something_else(cast: Cast, plan: str) -> None:
    token = sharing.confirm_token(cast.alice, change=CHANGE)
    documents.create(cast.alice, location=f"{PLACE}/later.md", content="x")  # future files were stated
    sharing.check_token(cast.alice, token, CHANGE)
    sharing.grant(cast.alice, location="product", subject="mallory@example.org", role="viewer")
    with pytest.raises(errors.AccessChange) as refused:
        sharing.grant(cast.alice, location=PLACE, subject="mallory@example.org", role="viewer", confirm_token=token)
    assert refused.value.preview["gains"] == []
    assert not Grant.objects.filter(person=cast.people["mallory"], folder__path=PLACE).exists()
    sharing.grant(
        cast.alice,
        location=PLACE,
        subject="mallory@example.org",
        role="viewer",
        confirm_token=refused.value.confirm_token,
    )
    assert Grant.objects.filter(person=cast.people["mallory"], folder__path=PLACE).exists()


def test_a_preview_refuses_whatever_the_change_would(cast: Cast) -> None:
    for call in (sharing.preview, sharing.grant):
        with pytest.raises(errors.NotFound):
            call(cast.mallory, location=PLACE, subject="mallory@example.org", role="viewer")
        with pytest.raises(errors.Forbidden):
            call(cast.carol, location=PLACE, subject="mallory@example.org", role="viewer")
        with pytest.raises(errors.Forbidden):
            call(cast.bob, location=PLACE, subject="mallory@example.org", role="manager")
        with pytest.raises(errors.Forbidden):
            call(cast.alice, location="product", subject="alice@example.org", role="viewer")
        with pytest.raises(errors.Invalid):
            call(cast.alice, location=PLACE, subject="group:nobody", role="viewer")
    for call in (sharing.preview_revoke, sharing.revoke):
        with pytest.raises(errors.Forbidden):
            call(cast.alice, location="product", subject="alice@example.org")
        with pytest.raises(errors.Invalid):
            call(cast.alice, location=PLACE, subject="mallory@example.org")


# -- sharing by editors ---------------------------------------------------------


@pytest.mark.parametrize("closed", ["product", PLACE])
def test_a_manager_turns_sharing_by_editors_off_for_all_below(cast: Cast, plan: str, closed: str) -> None:
    sharing.set_editors_share(cast.alice, location=closed, allowed=False)
    for location in (PLACE, PLAN_AT):
        with pytest.raises(errors.Forbidden) as refused:
            sharing.grant(cast.bob, location=location, subject="mallory@example.org", role="viewer")
        assert refused.value.need == "manager"
        sharing.grant(cast.alice, location=location, subject="mallory@example.org", role="viewer")
    with pytest.raises(errors.Forbidden):
        sharing.revoke(cast.bob, location=PLACE, subject="carol@example.org")
    assert not reads.read(cast.bob, location=PLAN_AT).abilities.share
    assert not reads.read(cast.bob, location=PLAN_AT, at=plan).abilities.share
    assert reads.read(cast.alice, location=PLAN_AT).abilities.share
    sharing.revoke(cast.carol, location=PLACE, subject="carol@example.org")  # one's own may always be given up
    sharing.set_editors_share(cast.alice, location=closed, allowed=True)
    assert reads.read(cast.bob, location=PLAN_AT).abilities.share
    sharing.grant(cast.bob, location=PLACE, subject="carol@example.org", role="editor")


def test_only_a_manager_says_whether_editors_share(cast: Cast) -> None:
    for actor, refusal in ((cast.bob, errors.Forbidden), (cast.mallory, errors.NotFound)):
        with pytest.raises(refusal):
            sharing.set_editors_share(actor, location=PLACE, allowed=False)
    assert Folder.objects.get(path=PLACE).editors_share


# -- agents ---------------------------------------------------------------------


def test_an_agent_shares_as_far_as_its_scope_and_never_changes_its_own_reach(cast: Cast) -> None:
    token = agents.create(cast.alice, name="sharer", scopes=[f"editor@{PLACE}"]).token
    sharer = bearer.authenticate(token, via=cast.scout.via)
    sharing.grant(sharer, location=PLACE, subject="mallory@example.org", role="editor")
    with pytest.raises(errors.Forbidden):
        sharing.grant(sharer, location=PLACE, subject="mallory@example.org", role="manager")
    with pytest.raises(errors.NotFound):
        sharing.grant(sharer, location="product", subject="mallory@example.org", role="viewer")
    for call in (
        lambda: sharing.grant(cast.rover, location=PLACE, subject="bob@example.org", role="viewer"),
        lambda: sharing.revoke(cast.rover, location=PLACE, subject="bob@example.org"),
        lambda: sharing.grant(cast.scout, location=PLACE, subject="alice@example.org", role="editor"),
    ):
        with pytest.raises(errors.Forbidden):
            call()
    sharing.grant(cast.scout, location=PLACE, subject="mallory@example.org", role="manager")  # its person manages it


# -- whom a share reaches, and leaving ------------------------------------------


def test_a_grant_of_somebody_deactivated_can_be_taken_back_but_not_given(cast: Cast) -> None:
    cast.people["carol"].is_active = False
    cast.people["carol"].save()
    with pytest.raises(errors.Invalid):
        sharing.grant(cast.alice, location=PLACE, subject="carol@example.org", role="editor")
    sharing.revoke(cast.alice, location=PLACE, subject="carol@example.org")


def test_who_can_read_lists_administrators_as_such(cast: Cast, plan: str) -> None:
    type(cast.people["bob"]).objects.create_superuser("boss@example.org")
    found = {one.email: one for one in who_can.who(cast.carol, location=PLAN_AT).items}
    assert set(found) == {f"{n}@example.org" for n in ("alice", "bob", "boss", "carol")}
    assert (found["boss@example.org"].administrator, found["boss@example.org"].through) == (True, ())
    assert [t.inherited_from for t in found["alice@example.org"].through] == ["product"]
    with pytest.raises(errors.NotFound):
        who_can.who(cast.mallory, location=PLAN_AT)
    first = who_can.who(cast.carol, location=PLAN_AT, limit=3)
    rest = who_can.who(cast.carol, location=PLAN_AT, limit=3, cursor=first.next_cursor)
    assert [one.email for one in (*first.items, *rest.items)] == sorted(found)


# -- looking as somebody else ---------------------------------------------------


def test_a_manager_sees_a_place_as_somebody_else_does_and_nothing_beyond_it(cast: Cast, plan: str) -> None:
    documents.create(cast.alice, location="product/secret.md", content="x")
    documents.create(cast.mallory, location="private/own.md", content="x")
    sharing.grant(cast.alice, location=PLAN_AT, subject="mallory@example.org", role="editor")
    seen = sharing.view_as(cast.alice, location="product", subject="mallory@example.org")
    assert [row.location for row in reads.below(seen).items] == [PLAN_AT]
    for hidden in ("product/secret.md", "private/own.md"):
        with pytest.raises(errors.NotFound):
            reads.read(seen, location=hidden)
    assert reads.read(seen, location=PLAN_AT).abilities.edit is False


def test_looking_as_somebody_is_for_managers_in_person_and_only_looks(cast: Cast, plan: str) -> None:
    for actor, refusal in (
        (cast.bob, errors.Forbidden),
        (cast.scout, errors.Forbidden),
        (replace(cast.alice, agent="agt_everywhere"), errors.Forbidden),
        (cast.mallory, errors.NotFound),
    ):
        with pytest.raises(refusal):
            sharing.view_as(actor, location=PLACE, subject="carol@example.org")
    seen = sharing.view_as(cast.alice, location=PLACE, subject="bob@example.org")
    for act in (
        lambda: documents.append(seen, location=PLAN_AT, content="x"),
        lambda: sharing.revoke(seen, location=PLACE, subject="bob@example.org"),
        lambda: folders.create(seen, location="mine"),
        lambda: agents.create(seen, name="mine"),
        lambda: sharing.view_as(seen, location=PLACE, subject="carol@example.org"),
    ):
        with pytest.raises(errors.Refusal):
            act()


# -- moves ----------------------------------------------------------------------


def test_a_move_tells_of_people_in_groups_within_groups_and_of_sharing_that_opens(cast: Cast, plan: str) -> None:
    admin = replace(cast.alice, admin=True)
    outer, inner = groups.create(admin, name="all"), groups.create(admin, name="some")
    groups.nest(admin, group=outer.pk, inner=inner.pk)
    folders.create(cast.alice, location="open")
    sharing.grant(cast.alice, location="product", subject="group:all", role="viewer")
    sharing.grant(cast.alice, location="open", subject="group:some", role="viewer")
    folders.move(cast.alice, source=PLACE, target="open/launch")  # who is in some, is in all: nobody gains
    with pytest.raises(errors.AccessChange) as asked:
        folders.move(cast.alice, source="open/launch", target=PLACE)  # whoever is in all alone gains
    assert asked.value.gains == ("group:all",)
    sharing.grant(cast.alice, location="open", subject="group:all", role="viewer")
    sharing.set_editors_share(cast.alice, location="open", allowed=False)
    with pytest.raises(errors.AccessChange) as asked:
        folders.move(cast.alice, source="open/launch", target=PLACE)
    assert (asked.value.gains, asked.value.opens_sharing) == ((), True)
    folders.move(cast.alice, source="open/launch", target=PLACE, acknowledge_access_change=True)
