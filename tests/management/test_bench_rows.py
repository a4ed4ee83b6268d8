"""What benchmarks put straight into the tables is as sound as what the services write."""

from itertools import count

from tests.cast import Cast
from workspace.management.bench import rows
from workspace.models import Commit, Document, Folder
from workspace.services import documents, integrity


def test_a_lengthened_history_is_sound_and_has_the_texts_that_follow(cast: Cast) -> None:
    made = documents.create(cast.alice, location="product/launch/long.md", content="0\n")
    numbers = count(1)
    rows.lengthen(made.document, 12, following=lambda: f"{next(numbers)}\n")
    assert list(integrity.faults()) == []
    found = Commit.objects.filter(document=made.document).order_by("number").values_list("number", "blob__content")
    assert list(found) == [(n + 1, f"{n}\n") for n in range(12)]
    edited = documents.append(cast.alice, location="product/launch/long.md", content="and on")
    assert Document.objects.get(pk=made.document).head_id == edited.commit


def test_a_history_may_keep_one_text(cast: Cast) -> None:
    made = documents.create(cast.alice, location="product/launch/same.md", content="same\n")
    rows.lengthen(made.document, 3)
    assert list(integrity.faults()) == []
    assert Commit.objects.filter(document=made.document).values("blob").distinct().count() == 1


def test_a_filled_folder_is_sound(cast: Cast) -> None:
    documents.create(cast.alice, location="product/launch/first.md", content="first\n")
    folder = Folder.objects.get(path="product/launch")
    rows.fill(folder, 5, cast.alice)
    assert Document.objects.filter(folder=folder).count() == 6
    assert list(integrity.faults()) == []
