"""Questions that would otherwise read a whole table are answered by an index."""

from django.db import connection

from tests.cast import Cast
from workspace.models import Commit, Document


def test_few_of_many_are_found_by_an_index(cast: Cast, plan: str) -> None:
    document, head = Document.objects.get(), Commit.objects.get()
    Document.objects.bulk_create(
        Document(
            folder_id=document.folder_id,
            name=f"{n}.md",
            twin_key=str(n),
            head=head,
            type="decision" if n % 500 == 0 else "note",
            labels=["launch"] if n % 500 == 0 else ["other"],
        )
        for n in range(3_000)
    )
    Commit.objects.bulk_create(
        Commit(
            id=f"{n:064x}",
            document=document,
            number=n + 2,
            blob_id=head.blob_id,
            kind="edit",
            location=head.location,
            author_id=head.author_id,
            via="command" if n % 500 == 0 else "mcp",
            session="import" if n % 500 == 0 else "",
            created_at=head.created_at,
        )
        for n in range(3_000)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE workspace_document, workspace_commit")
    for index, asked in {
        "document_type": Document.objects.live().filter(type="decision"),
        "document_labels": Document.objects.live().filter(labels__contains=["launch"]),
        "commit_by_session": Commit.objects.filter(via="command", session="import"),
    }.items():
        assert index in asked.explain()
