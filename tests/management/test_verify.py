"""`verify` finds whatever was changed behind the product's back, and names it."""

from collections.abc import Callable

import pytest
from django.db import connection, transaction

from tests.cast import Cast
from workspace.models import Blob, Commit, Document
from workspace.services import documents, integrity

PLAN = "product/launch/plan.md"


@pytest.fixture
def history(cast: Cast, plan: str) -> list[Commit]:
    """Four commits of one document, one of them a merge, and a second document that was deleted."""
    documents.append(cast.alice, location=PLAN, content="One more line.")
    documents.edit(
        cast.bob,
        location=PLAN,
        content=Commit.objects.get(pk=plan).blob.content.replace("second", "third"),
        expected_commit=plan,
        on_conflict="merge",
    )
    documents.append(cast.scout, location=PLAN, content="And another.")
    documents.create(cast.alice, location="product/launch/gone.md", content="x")
    documents.delete(cast.alice, location="product/launch/gone.md")
    return list(Commit.objects.filter(location=PLAN).order_by("number"))


def raw(statement: str, *values: object) -> None:
    """Changes rows as somebody with the database's password would, its own checks off."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(statement, values)
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")


def test_an_untouched_history_verifies(manage, history):
    ran = manage("verify")
    assert ran.error == ""
    assert ran.out.startswith("Verified 6 commits of 2 documents and ")


def test_an_empty_workspace_verifies(manage):
    assert manage("verify").out.startswith("Verified 0 commits")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("message", "forged"),
        ("reason", "forged"),
        ("location", "elsewhere/x.md"),
        ("kind", "edit"),
        ("agent_id", None),
        ("created_at", "2020-01-01T00:00:00Z"),
        ("imported_author", "Somebody Else"),
    ],
)
def test_a_changed_field_of_a_commit_is_found(manage, history, column, value):
    victim = history[2] if column != "agent_id" else history[3]
    raw(f"UPDATE workspace_commit SET {column} = %s WHERE id = %s", value, victim.pk)
    ran = manage("verify")
    assert f"commit {victim.pk[:12]} (number {victim.number} of {victim.document_id}" in ran.out
    assert "is not what was written" in ran.out
    assert "1 faults in 6 commits" in ran.error


def another_author(commit: Commit, cast: Cast) -> None:
    raw("UPDATE workspace_commit SET author_id = %s WHERE id = %s", cast.people["mallory"].pk, commit.pk)


BREAKS: dict[str, tuple[Callable[[list[Commit], Cast], object], str]] = {
    "another author": (lambda h, c: another_author(h[1], c), "is not what was written"),
    "a lost commit": (lambda h, c: raw("DELETE FROM workspace_commit WHERE id = %s", h[1].pk), "commits are missing"),
    "a lost first commit": (
        lambda h, c: raw("DELETE FROM workspace_commit WHERE id = %s", h[0].pk),
        "has number 2 where 1 comes next",
    ),
    "a lost last commit": (
        lambda h, c: raw("DELETE FROM workspace_commit WHERE id = %s", h[3].pk),
        "its last commit is",
    ),
    "a parent of another document": (
        lambda h, c: raw(
            "UPDATE workspace_commit SET merged_parent_id = (SELECT head_id FROM workspace_document WHERE name ="
            " 'gone.md') WHERE id = %s",
            h[2].pk,
        ),
        "that is no earlier commit of its document",
    ),
    "a head that was set back": (
        lambda h, c: Document.objects.filter(pk=h[0].document_id).update(head=h[1]),
        "but its last commit is",
    ),
    "a wrong count": (lambda h, c: Document.objects.filter(pk=h[0].document_id).update(number=9), "counts 9 commits"),
    "a changed text": (
        lambda h, c: Blob.objects.filter(pk=h[0].blob_id).update(content="forged"),
        "does not match its hash",
    ),
    "a lost text": (lambda h, c: raw("DELETE FROM workspace_blob WHERE hash = %s", h[0].blob_id), "has lost its text"),
    "a document brought back by hand": (
        lambda h, c: Document.objects.filter(name="gone.md").update(deleted_at=None),
        "is not marked as deleted, but its last commit is of the kind delete",
    ),
    "a lost history": (
        lambda h, c: raw("DELETE FROM workspace_commit WHERE location LIKE %s", "%gone.md"),
        "has no commits",
    ),
}


@pytest.mark.parametrize("name", BREAKS)
def test_what_is_broken_is_named_and_the_exit_is_an_error(manage, cast: Cast, history, name):
    do, told = BREAKS[name]
    # Undone at the end, since the database checks its foreign keys after the test.
    with transaction.atomic():
        do(history, cast)
        ran = manage("verify")
        transaction.set_rollback(True)
    assert told in ran.out
    assert "faults in" in ran.error


def test_progress_is_told_of_every_commit_and_text(history):
    steps: list[int] = []
    assert list(integrity.faults(steps.append)) == []
    assert sum(steps) == integrity.extent().steps


def test_history_is_read_in_a_constant_number_of_queries(history, cast: Cast, django_assert_max_num_queries):
    for number in range(5):
        documents.create(cast.alice, location=f"product/{number}.md", content=f"{number}")
    with django_assert_max_num_queries(4):
        list(integrity.faults())
