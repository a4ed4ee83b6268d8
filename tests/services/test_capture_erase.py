"""Erasing a capture."""

import pytest

from tests.cast import Cast
from workspace.errors import Forbidden, NotFound
from workspace.models import Capture, Receipt
from workspace.queries import captures as reads
from workspace.services import captures, sharing

LAUNCH = "product/launch"


@pytest.fixture
def made(cast: Cast) -> str:
    return captures.commit(cast.rover, folder=LAUNCH, content="Decided: June.", operation_id="op-1").id


def test_who_made_it_and_a_manager_may_erase(cast: Cast, made: str) -> None:
    may = {name: reads.show(getattr(cast, name), id=made).may_erase for name in ("alice", "bob", "carol", "scout")}
    assert may == {"alice": True, "bob": True, "carol": False, "scout": True}
    captures.erase(cast.bob, capture=made)
    assert Capture.objects.get(pk=made).content == ""
    assert not reads.show(cast.bob, id=made).may_erase


def test_a_reader_may_not_and_a_stranger_sees_nothing(cast: Cast, made: str) -> None:
    with pytest.raises(Forbidden) as refused:
        captures.erase(cast.carol, capture=made)
    assert refused.value.need == "manager"
    for hidden in (made, "cap_none", ""):
        with pytest.raises(NotFound):
            captures.erase(cast.mallory, capture=hidden)
    assert Capture.objects.get(pk=made).content


def test_another_editor_may_not_erase_it(cast: Cast, made: str) -> None:
    sharing.grant(cast.alice, location=LAUNCH, subject="mallory@example.org", role="editor")
    with pytest.raises(Forbidden):
        captures.erase(cast.mallory, capture=made)


def test_erasing_twice_changes_nothing_more(cast: Cast, made: str) -> None:
    captures.erase(cast.bob, capture=made)
    captures.erase(cast.bob, capture=made)
    assert Receipt.objects.filter(kind="erased", capture=made).count() == 1


def test_a_retry_after_the_erasure_does_not_bring_it_back(cast: Cast, made: str) -> None:
    captures.erase(cast.bob, capture=made)
    again = captures.commit(cast.rover, folder=LAUNCH, content="Decided: June.", operation_id="op-1")
    assert (again.id, again.replayed) == (made, True)
    assert Capture.objects.get(pk=made).content == ""
