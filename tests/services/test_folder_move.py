"""The tree of folders: names, twins, moves and deletions."""

import unicodedata

import pytest

from tests.cast import PLAN, Cast
from workspace import errors
from workspace.models import Document, Folder
from workspace.queries import documents as read_documents
from workspace.services import documents, folders, sharing

PLACE = "product/launch"


def test_a_move_takes_all_below_it_along_and_keeps_ids(cast: Cast, plan: str) -> None:
    documents.create(cast.alice, location=f"{PLACE}/a/b/deep.md", content="deep")
    before = Document.objects.get(name="deep.md").pk
    folders.move(cast.alice, source=PLACE, target="product/2026/start", acknowledge_access_change=True)
    read = read_documents.read(cast.alice, location="product/2026/start/a/b/deep.md")
    assert (read.id, read.content) == (before, "deep")
    assert read_documents.read(cast.bob, id=before).location == "product/2026/start/a/b/deep.md"
    for folder in Folder.objects.live():
        names = [Folder.objects.get(pk=pk).name for pk in folder.lineage]
        assert "/".join(names) == folder.path
        assert folder.lineage[-1] == folder.pk
        assert folder.parent_id == (folder.lineage[-2] if len(folder.lineage) > 1 else None)


@pytest.mark.parametrize("target", [f"{PLACE}/inside", f"{PLACE}/a/b"])
def test_a_folder_cannot_be_moved_into_itself(cast: Cast, target: str) -> None:
    with pytest.raises(errors.Invalid) as refused:
        folders.move(cast.alice, source=PLACE, target=target)
    assert refused.value.errors[0].field == "to"


def test_a_move_that_lets_more_people_read_must_be_acknowledged(cast: Cast, plan: str) -> None:
    folders.create(cast.alice, location="open")
    sharing.grant(cast.alice, location="open", subject="mallory@example.org", role="viewer")
    with pytest.raises(errors.AccessChange) as asked:
        documents.move(cast.alice, source=f"{PLACE}/plan.md", target="open/plan.md")
    assert asked.value.gains == ("mallory@example.org",)
    assert set(asked.value.loses) == {"bob@example.org", "carol@example.org"}
    documents.move(cast.alice, source=f"{PLACE}/plan.md", target="open/plan.md", acknowledge_access_change=True)
    assert read_documents.read(cast.mallory, location="open/plan.md").content == PLAN


def test_a_moved_document_keeps_its_id_history_and_old_commits(cast: Cast, plan: str) -> None:
    done = documents.move(cast.bob, source=f"{PLACE}/plan.md", target=f"{PLACE}/done/plan.md")
    assert done.created_folders == (f"{PLACE}/done",)
    assert done.parents == (plan,)
    assert read_documents.read(cast.carol, id=done.document, at=plan).content == PLAN
    with pytest.raises(errors.NotFound):
        read_documents.read(cast.bob, location=f"{PLACE}/plan.md")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Plan.md", "plan.md"),
        ("café.md", unicodedata.normalize("NFD", "CAFÉ.md")),
        ("straße.md", "STRASSE.md"),
        ("ﬁle.md", "file.md"),
    ],
)
def test_names_that_differ_only_by_case_or_normalisation_are_refused(cast: Cast, first: str, second: str) -> None:
    documents.create(cast.bob, location=f"{PLACE}/{first}", content="x")
    with pytest.raises(errors.AlreadyExists):
        documents.create(cast.bob, location=f"{PLACE}/{second}", content="y")
    with pytest.raises(errors.AlreadyExists):
        folders.create(cast.bob, location=f"{PLACE}/{second}")


def test_nfd_and_nfc_name_the_same_document(cast: Cast) -> None:
    documents.create(cast.bob, location=f"{PLACE}/café.md", content="x")
    decomposed = unicodedata.normalize("NFD", f"{PLACE}/café.md")
    assert read_documents.read(cast.bob, location=decomposed).content == "x"


@pytest.mark.parametrize("name", ["%2F", "a b", "emoji 🎉", "dots...", "مرحبا", "x" * 200, "semi;colon?#"])
def test_odd_names_round_trip(cast: Cast, name: str) -> None:
    documents.create(cast.bob, location=f"{PLACE}/{name}", content="x")
    assert read_documents.read(cast.bob, location=f"{PLACE}/{name}").location == f"{PLACE}/{name}"


@pytest.mark.parametrize("name", ["", ".", "..", " a", "a ", "a\nb", "a\x00b", "\ud800", "x" * 201, "a\u2028b"])
def test_illegal_names_are_refused_and_named(cast: Cast, name: str) -> None:
    with pytest.raises(errors.Invalid) as refused:
        documents.create(cast.bob, location=f"{PLACE}/{name}", content="x")
    assert refused.value.errors[0].field == "location"
    assert not Document.objects.exists()


def test_a_deleted_folder_comes_back_with_the_first_undeleted_document(cast: Cast, plan: str) -> None:
    assert folders.delete(cast.alice, location="product") == 1
    with pytest.raises(errors.Gone):
        read_documents.read(cast.alice, location=f"{PLACE}/plan.md")
    with pytest.raises(errors.NotFound):
        read_documents.children(cast.alice, location=PLACE)
    documents.undelete(cast.alice, location=f"{PLACE}/plan.md")
    assert read_documents.read(cast.carol, location=f"{PLACE}/plan.md").content == PLAN


def test_a_deletion_is_told_and_holds_only_while_nothing_in_it_changed(cast: Cast, plan: str) -> None:
    documents.create(cast.alice, location="product/a/b/deep.md", content="deep")
    told = folders.deletion(cast.alice, location="product", most=1)
    assert (told.location, told.folders, told.documents, told.first) == ("product", 3, 2, ("product/a/b/deep.md",))
    for change in (
        lambda: documents.append(cast.bob, location=f"{PLACE}/plan.md", content="More."),
        lambda: documents.create(cast.bob, location=f"{PLACE}/new.md", content="new"),
        lambda: documents.delete(cast.bob, location=f"{PLACE}/new.md"),
    ):
        told = folders.deletion(cast.alice, location="product")
        change()
        with pytest.raises(errors.Invalid) as refused:
            folders.delete(cast.alice, location="product", expected=told.digest)
        assert refused.value.errors[0].field == "expected"
    told = folders.deletion(cast.alice, location="product")
    assert folders.delete(cast.alice, location="product", expected=told.digest) == told.documents
    assert not Folder.objects.live().exists()
    assert not Document.objects.live().exists()


def test_what_a_deletion_would_take_is_told_to_those_only_who_may_delete(cast: Cast, plan: str) -> None:
    for call in (folders.deletion, folders.delete):
        for location in ("product", PLACE):  # bob only passes through the first
            with pytest.raises(errors.Forbidden) as refused:
                call(cast.bob, location=location)
            assert refused.value.need == "manager"
        with pytest.raises(errors.NotFound):
            call(cast.mallory, location=PLACE)


def test_the_top_level_holds_folders_only(cast: Cast) -> None:
    with pytest.raises(errors.Invalid):
        documents.create(cast.alice, location="loose.md", content="x")


def test_a_hidden_top_level_folder_is_not_told(cast: Cast) -> None:
    with pytest.raises(errors.NotFound):
        folders.create(cast.mallory, location="product")
    with pytest.raises(errors.NotFound):
        folders.create(cast.mallory, location="Product/mine")
    with pytest.raises(errors.NotFound):
        documents.create(cast.mallory, location="product/mine.md", content="x")


def test_whoever_makes_a_folder_manages_it_an_administrator_too(cast: Cast) -> None:
    cast.people["mallory"].is_superuser = True
    for name, location in (("mallory", "office"), ("bob", f"{PLACE}/bobs")):
        documents.create(cast.person(name), location=f"{location}/first.md", content="x")
        own = Folder.objects.get(path=location).grants.get()
        assert (own.person_id, own.role) == (cast.people[name].pk, 3)
    documents.create(cast.alice, location=f"{PLACE}/alices/first.md", content="x")
    assert not Folder.objects.get(path=f"{PLACE}/alices").grants.exists()
