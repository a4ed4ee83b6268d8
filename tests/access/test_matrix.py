"""Role × verb × place, in one table: what each member of the cast may do, and in what words they are refused."""

from collections.abc import Callable

import pytest

from tests.cast import Cast
from workspace import errors
from workspace.actor import Actor
from workspace.queries import access as who_can
from workspace.queries import documents as read_documents
from workspace.queries import folders as read_folders
from workspace.queries import history
from workspace.services import agents, bearer, captures, documents, folders, sharing

PLACE = "product/launch"
PLAN_AT = f"{PLACE}/plan.md"
YES, NEEDS, HIDDEN = "yes", "forbidden", "hidden"

Verb = Callable[[Actor, str], object]

VERBS: dict[str, tuple[Verb, str, str, str, str]] = {
    #                     verb                                                     manager editor viewer stranger
    "read": (lambda a, c: read_documents.read(a, location=PLAN_AT), YES, YES, YES, HIDDEN),
    "read at a commit": (lambda a, c: read_documents.read(a, location=PLAN_AT, at=c), YES, YES, YES, HIDDEN),
    "list": (lambda a, c: read_documents.children(a, location=PLACE), YES, YES, YES, HIDDEN),
    "list folders": (lambda a, c: read_folders.children(a, parent=PLACE), YES, YES, YES, HIDDEN),
    "log": (lambda a, c: history.log(a, location=PLAN_AT), YES, YES, YES, HIDDEN),
    "commit": (lambda a, c: history.commit(a, id=c), YES, YES, YES, HIDDEN),
    "diff": (lambda a, c: history.diff(a, location=PLAN_AT), YES, YES, YES, HIDDEN),
    "blame": (lambda a, c: history.blame(a, location=PLAN_AT), YES, YES, YES, HIDDEN),
    "who can read": (lambda a, c: who_can.readers(a, location=PLAN_AT), YES, YES, YES, HIDDEN),
    "create": (
        lambda a, c: documents.create(a, location=f"{PLACE}/new.md", content="x"), YES, YES, NEEDS, HIDDEN,
    ),
    "edit": (
        lambda a, c: documents.edit(a, location=PLAN_AT, content="x", expected_commit=c), YES, YES, NEEDS, HIDDEN,
    ),
    "append": (lambda a, c: documents.append(a, location=PLAN_AT, content="x"), YES, YES, NEEDS, HIDDEN),
    "substitute": (
        lambda a, c: documents.substitute(a, location=PLAN_AT, old_string="Risks", new_string="x"),
        YES, YES, NEEDS, HIDDEN,
    ),
    "replace a section": (
        lambda a, c: documents.replace_section(a, location=PLAN_AT, section="Risks", content="x"),
        YES, YES, NEEDS, HIDDEN,
    ),
    "restore": (lambda a, c: documents.restore(a, location=PLAN_AT, commit=c), YES, YES, NEEDS, HIDDEN),
    "move": (
        lambda a, c: documents.move(a, source=PLAN_AT, target=f"{PLACE}/moved.md"), YES, YES, NEEDS, HIDDEN,
    ),
    "delete": (lambda a, c: documents.delete(a, location=PLAN_AT), YES, YES, NEEDS, HIDDEN),
    "make a folder": (lambda a, c: folders.create(a, location=f"{PLACE}/sub"), YES, YES, NEEDS, HIDDEN),
    "delete the folder": (lambda a, c: folders.delete(a, location=PLACE), YES, NEEDS, NEEDS, HIDDEN),
    "set retention": (
        lambda a, c: folders.settings(a, location=PLACE, retention_days=30), YES, NEEDS, NEEDS, HIDDEN,
    ),
    "share as viewer": (
        lambda a, c: sharing.grant(a, location=PLACE, subject="mallory@example.org", role="viewer"),
        YES, YES, NEEDS, HIDDEN,
    ),
    "share as manager": (
        lambda a, c: sharing.grant(a, location=PLACE, subject="mallory@example.org", role="manager"),
        YES, NEEDS, NEEDS, HIDDEN,
    ),
    "unshare a viewer": (
        lambda a, c: sharing.revoke(a, location=PLACE, subject="dora@example.org"), YES, YES, NEEDS, HIDDEN,
    ),
    "capture": (
        lambda a, c: captures.commit(a, folder=PLACE, content="# Decided\n\n- x", operation_id="o"),
        YES, YES, NEEDS, HIDDEN,
    ),
}  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("column", "name"), list(enumerate(["alice", "bob", "carol", "mallory"], start=1)))
def test_each_role_may_do_what_the_table_says(cast: Cast, plan: str, verb: str, column: int, name: str) -> None:
    type(cast.people["alice"]).objects.create_user("dora@example.org")
    sharing.grant(cast.alice, location=PLACE, subject="dora@example.org", role="viewer")
    act, expected = VERBS[verb][0], VERBS[verb][column]
    if expected == YES:
        act(cast.person(name), plan)
        return
    refusal = errors.NotFound if expected == HIDDEN else errors.Forbidden
    with pytest.raises(refusal) as refused:
        act(cast.person(name), plan)
    if expected == NEEDS:
        assert refused.value.need in ("editor", "manager")


@pytest.mark.parametrize("verb", VERBS)
def test_a_read_only_agent_of_a_manager_may_only_what_a_reader_may(cast: Cast, plan: str, verb: str) -> None:
    type(cast.people["alice"]).objects.create_user("dora@example.org")
    sharing.grant(cast.alice, location=PLACE, subject="dora@example.org", role="viewer")
    token = agents.create(cast.alice, name="reader", scopes=["viewer@product"]).token
    reader = bearer.authenticate(token, via=cast.scout.via)
    act, expected = VERBS[verb][0], VERBS[verb][3]
    if expected == YES:
        act(reader, plan)
    else:
        with pytest.raises(errors.Forbidden):
            act(reader, plan)


@pytest.mark.parametrize("verb", VERBS)
def test_an_agent_with_its_scope_elsewhere_finds_nothing(cast: Cast, plan: str, verb: str) -> None:
    folders.create(cast.alice, location="elsewhere")
    token = agents.create(cast.alice, name="narrow", scopes=["manager@elsewhere"]).token
    with pytest.raises(errors.NotFound):
        VERBS[verb][0](bearer.authenticate(token, via=cast.scout.via), plan)


def test_an_agent_never_holds_more_than_its_person(cast: Cast, plan: str) -> None:
    token = agents.create(cast.carol, name="greedy", scopes=["manager@*", f"manager@{PLACE}"]).token
    greedy = bearer.authenticate(token, via=cast.scout.via)
    with pytest.raises(errors.Forbidden):
        documents.append(greedy, location=PLAN_AT, content="x")


def test_a_grant_on_a_folder_covers_what_is_put_there_later(cast: Cast) -> None:
    documents.create(cast.alice, location=f"{PLACE}/deep/er/later.md", content="x")
    assert read_documents.read(cast.carol, location=f"{PLACE}/deep/er/later.md").content == "x"


def test_a_grant_on_one_document_shows_that_and_the_names_above_it(cast: Cast, plan: str) -> None:
    documents.create(cast.alice, location=f"{PLACE}/secret.md", content="x")
    sharing.grant(cast.alice, location=PLAN_AT, subject="mallory@example.org", role="viewer")
    assert [f.location for f in read_folders.tree(cast.mallory)] == ["product", PLACE]
    assert [f.role for f in read_folders.children(cast.mallory).items] == [None]
    assert [d.location for d in read_documents.children(cast.mallory, location=PLACE).items] == [PLAN_AT]
    with pytest.raises(errors.NotFound):
        read_documents.read(cast.mallory, location=f"{PLACE}/secret.md")
    with pytest.raises(errors.Forbidden):
        documents.create(cast.mallory, location=f"{PLACE}/new.md", content="x")


def test_a_revoked_grant_hides_at_once(cast: Cast, plan: str) -> None:
    sharing.revoke(cast.alice, location=PLACE, subject="carol@example.org")
    with pytest.raises(errors.NotFound):
        read_documents.read(cast.carol, location=PLAN_AT)
    assert read_documents.below(cast.carol).items == ()
    assert read_folders.tree(cast.carol) == ()


def test_a_deactivated_persons_agent_is_refused(cast: Cast) -> None:
    person = cast.people["alice"]
    person.is_active = False
    person.save()
    with pytest.raises(errors.Unauthenticated):
        cast.agent("scout")


def test_the_last_manager_cannot_leave(cast: Cast) -> None:
    for subject, location in [("alice@example.org", "product")]:
        with pytest.raises(errors.Forbidden):
            sharing.revoke(cast.alice, location=location, subject=subject)
        with pytest.raises(errors.Forbidden):
            sharing.grant(cast.alice, location=location, subject=subject, role="viewer")
    sharing.grant(cast.alice, location="product", subject="bob@example.org", role="manager")
    sharing.revoke(cast.alice, location="product", subject="alice@example.org")
    with pytest.raises(errors.NotFound):
        read_documents.children(cast.alice, location=PLACE)
