"""A commit is named by its id or the beginning of it, alike wherever one is asked for."""

from collections.abc import Callable

import pytest

from tests.cast import Cast
from workspace import errors
from workspace.actor import Actor
from workspace.models import Commit, Document
from workspace.queries import documents as reads
from workspace.queries import history
from workspace.services import documents

PLACE = "product/launch/plan.md"
ASKING: dict[str, Callable[[Actor, str], object]] = {
    "id": lambda actor, name: history.commit(actor, id=name),
    "at": lambda actor, name: reads.read(actor, location=PLACE, at=name),
    "to": lambda actor, name: history.diff(actor, location=PLACE, to=name),
    "from": lambda actor, name: history.diff(actor, location=PLACE, frm=name),
    "commit": lambda actor, name: documents.restore(actor, location=PLACE, commit=name),
    "expected_commit": lambda actor, name: documents.append(
        actor, location=PLACE, content="x", expected_commit=name, on_conflict="merge"
    ),
}


@pytest.fixture
def twins(plan: str) -> str:
    """Seven characters with which the ids of two commits of the document begin."""
    head = Document.objects.get().head
    Commit.objects.bulk_create(
        Commit(
            id=f"{'0' * 10}{n}{head.pk[11:]}",
            document=head.document,
            number=n,
            blob_id=head.blob_id,
            kind=head.kind,
            location=head.location,
            author_id=head.author_id,
            via=head.via,
            created_at=head.created_at,
        )
        for n in (2, 3)
    )
    return "0" * 7


@pytest.mark.parametrize("field", ASKING)
def test_what_names_no_one_commit_is_refused_and_named(cast: Cast, twins: str, field: str) -> None:
    for name in ("abc", "A" * 7, "0" * 65, "g" * 7, "0000000\n", twins):
        with pytest.raises(errors.Invalid) as refused:
            ASKING[field](cast.alice, name)
        assert [error.field for error in refused.value.errors] == [field], name
    assert "several" in refused.value.errors[0].message
    with pytest.raises(errors.Invalid if "commit" in field else errors.NotFound):
        ASKING[field](cast.alice, "f" * 64)


@pytest.mark.parametrize("field", ASKING)
def test_the_first_seven_characters_name_a_commit(cast: Cast, plan: str, field: str) -> None:
    ASKING[field](cast.alice, plan[:7])
    ASKING[field](cast.alice, plan)
