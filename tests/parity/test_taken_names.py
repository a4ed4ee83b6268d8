"""Names are unique, so that a taken one has to be refused: what that tells of what is hidden, and no more.

At the top level anybody may make a folder, and its name may be taken by one that they do not see. That it is taken
shows in its being refused; it is answered as whatever is hidden, in the same words for a folder, a document below it, a
name that differs only in case, and a move.
"""

import pytest

from tests.cast import Cast
from workspace.actor import Actor
from workspace.errors import AlreadyExists, Forbidden, NotFound
from workspace.queries import receipts
from workspace.services import documents, folders, sharing


@pytest.mark.parametrize("location", ["product", "PRODUCT", "product/launch", "product/nothing", "product/launch/x"])
def test_a_hidden_top_level_name_is_answered_as_what_is_hidden(cast: Cast, plan: str, location: str) -> None:
    folders.create(cast.mallory, location="mine")
    for refused in (
        lambda: folders.create(cast.mallory, location=location),
        lambda: documents.create(cast.mallory, location=f"{location}/x.md", content="x"),
        lambda: folders.move(cast.mallory, source="mine", target=location),
    ):
        with pytest.raises(NotFound):
            refused()
    with pytest.raises(AlreadyExists):
        folders.create(cast.mallory, location="MINE")


@pytest.mark.parametrize("below", ["hidden", "nothing", "hidden/deeper", "nothing/deeper"])
def test_below_a_folder_that_one_passes_through_hidden_and_absent_are_one(cast: Cast, plan: str, below: str) -> None:
    folders.create(cast.alice, location="product/hidden")
    documents.create(cast.mallory, location="mine/own.md", content="x")
    sharing.grant(cast.alice, location="product/launch", subject="mallory@example.org", role="viewer")
    for refused in (
        lambda: folders.create(cast.mallory, location=f"product/{below}"),
        lambda: documents.create(cast.mallory, location=f"product/{below}/x.md", content="x"),
        lambda: documents.move(cast.mallory, source="mine/own.md", target=f"product/{below}/x.md"),
        lambda: folders.move(cast.mallory, source="mine", target=f"product/{below}"),
    ):
        with pytest.raises(Forbidden) as told:
            refused()
        assert told.value.detail == "You see this folder's name only; this needs editor."


def test_undeleting_tells_no_other_name_to_who_sees_the_document_alone(cast: Cast, plan: str) -> None:
    place = "product/launch/plan.md"
    sharing.grant(cast.alice, location=place, subject="mallory@example.org", role="editor")
    documents.delete(cast.alice, location=place)
    documents.create(cast.alice, location="product/launch/PLAN.md", content="x")

    def refusal(actor: Actor) -> AlreadyExists:
        with pytest.raises(AlreadyExists) as told:
            documents.undelete(actor, location=place)
        return told.value

    assert "PLAN.md" in refusal(cast.bob).detail
    told = refusal(cast.mallory)
    assert (told.location, "PLAN" in told.detail) == (place, False)


def test_a_moved_folder_does_not_tell_where_it_was(cast: Cast, plan: str) -> None:
    folders.create(cast.alice, location="secret/plans")
    folders.move(cast.alice, source="secret/plans", target="product/launch/plans", acknowledge_access_change=True)
    told = receipts.listing(cast.carol, location="product/launch/plans").items
    assert "folder-moved" in {fact.kind for fact in told}
    assert "secret" not in str(told)
