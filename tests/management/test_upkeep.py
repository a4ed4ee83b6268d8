"""`purge`, `reindex` and `retry_jobs`."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.cast import Cast
from workspace.actor import Via
from workspace.errors import Forbidden, Unauthenticated
from workspace.models import (
    AgentScope,
    Blob,
    Commit,
    Conflict,
    Document,
    IdempotencyKey,
    Job,
    Person,
    Receipt,
)
from workspace.services import agents, bearer, documents, purging

PLAN = "product/launch/plan.md"


@pytest.fixture
def gone(cast: Cast, plan: str) -> str:
    """A document with an edit, a conflict and a move, deleted 40 days ago; its id."""
    documents.create(cast.alice, location="product/launch/kept.md", content="shared text\n")
    made = documents.create(cast.alice, location="product/launch/gone.md", content="shared text\n")
    documents.append(cast.bob, location="product/launch/gone.md", content="only here")
    documents.edit(cast.alice, location="product/launch/gone.md", content="a draft\n", expected_commit=made.commit)
    documents.move(cast.alice, source="product/launch/gone.md", target="product/launch/away.md")
    documents.delete(cast.alice, location="product/launch/away.md")
    Document.objects.filter(pk=made.document).update(deleted_at=timezone.now() - timedelta(days=40))
    return made.document


def test_what_was_deleted_long_ago_goes_with_all_that_it_was(manage, gone):
    assert "1 documents" in manage("purge").out
    assert not Document.objects.filter(pk=gone).exists()
    assert not Commit.objects.filter(document=gone).exists()
    assert not Conflict.objects.exists()
    assert not Blob.objects.filter(content__in=["shared text\nonly here\n", "a draft\n"]).exists()
    assert Blob.objects.filter(content="shared text\n").exists()
    receipt = Receipt.objects.get(kind="erased")
    assert (receipt.data, receipt.job) == ({"document": gone, "commits": 4}, "purge")
    assert manage("verify").error == ""


def test_what_was_deleted_lately_or_not_at_all_stays(manage, gone, cast: Cast):
    documents.delete(cast.alice, location="product/launch/kept.md")
    manage("purge", "--older-than", "41d")
    assert Document.objects.filter(pk=gone).exists()
    manage("purge")
    assert set(Document.objects.values_list("name", flat=True)) == {"plan.md", "kept.md"}


def test_a_dry_run_says_how_much_and_removes_nothing(manage, gone):
    assert "Would remove 1 documents" in manage("purge", "--dry-run").out
    assert Document.objects.filter(pk=gone).exists()


def test_an_agent_narrowed_to_what_is_purged_is_ended_and_not_widened(manage, cast: Cast, plan):
    token = agents.create(cast.alice, name="narrow", scopes=[f"viewer@{PLAN}"]).token
    documents.delete(cast.alice, location=PLAN)
    Document.objects.update(deleted_at=timezone.now() - timedelta(days=40))
    manage("purge")
    assert not AgentScope.objects.exists()
    with pytest.raises(Unauthenticated):
        bearer.authenticate(token, via=Via.REST)
    assert cast.scout


def test_keys_are_forgotten_after_a_day_and_finished_jobs_after_a_month(manage, cast: Cast):
    for key in ("old", "new"):
        documents.create(cast.alice, location=f"product/{key}.md", content=key, idempotency_key=key)
    IdempotencyKey.objects.filter(key="old").update(created_at=timezone.now() - timedelta(hours=25))
    old, new = Job.objects.order_by("pk")[:2]
    Job.objects.filter(pk=old.pk).update(state="done", finished_at=timezone.now() - timedelta(days=31))
    Job.objects.filter(pk=new.pk).update(state="failed", finished_at=timezone.now() - timedelta(days=31))
    assert "2 records" in manage("purge").out
    assert [row.key for row in IdempotencyKey.objects.all()] == ["new"]
    assert set(Job.objects.values_list("pk", flat=True)) == {new.pk}


def test_only_an_administrator_purges(cast: Cast):
    with pytest.raises(Forbidden):
        list(purging.documents(cast.alice, before=timezone.now()))


def test_documents_behind_their_head_are_queued_once(manage, cast: Cast, plan):
    documents.create(cast.alice, location="product/other.md", content="x")
    other = Document.objects.get(name="other.md")
    Document.objects.filter(pk=other.pk).update(indexed_commit=other.head)
    Job.objects.update(state="done")
    for _ in range(2):
        assert "Queued 1 documents." in manage("reindex").out
    assert Job.objects.get(state="pending").target == Document.objects.get(name="plan.md").pk
    assert "Queued 2 documents." in manage("reindex", "--all").out
    assert Job.objects.filter(state="pending", kind="index").count() == 2


def test_jobs_that_gave_up_are_due_again(manage, cast: Cast, plan):
    Person.objects.create_superuser("root@example.org", "irrelevant here")
    Job.objects.update(state="failed", attempts=6, last_error="boom")
    assert manage("retry_jobs", "--kind", "summarise").out == "0 jobs are due again.\n"
    assert manage("retry_jobs").out == "1 jobs are due again.\n"
    assert Job.objects.get(state="pending").attempts == 0
    assert manage("retry_jobs").out == "0 jobs are due again.\n"
