"""Sound rows in great numbers, put straight into the tables."""

from collections.abc import Callable

from django.db import transaction
from django.utils import timezone
from tqdm import tqdm

from workspace.actor import Actor, Via
from workspace.models import Blob, Commit, CommitKind, Document, Folder
from workspace.services import commits, texts

AT_ONCE = 500


def lengthen(document: str, until: int, *, following: Callable[[], str] | None = None) -> None:
    """Give a document a history of ``until`` commits. Each has the text that ``following`` gives, else its head's."""
    row = Document.objects.select_related("head").get(pk=document)
    head, made, blobs = row.head, [], []
    for number in range(row.number + 1, until + 1):
        blob = head.blob_id
        if following is not None:
            text = texts.check(following())
            blobs.append(Blob(hash=text.hash, content=text.content, size=text.size, lines=text.lines))
            blob = text.hash
        head = _commit(
            document=row,
            number=number,
            parent_id=head.pk,
            blob_id=blob,
            kind=CommitKind.EDIT,
            location=head.location,
            author_id=head.author_id,
            via=head.via,
            message=f"{number}",
        )
        made.append(head)
    Blob.objects.bulk_create(blobs, batch_size=AT_ONCE, ignore_conflicts=True)
    Commit.objects.bulk_create(made, batch_size=AT_ONCE)
    Document.objects.filter(pk=row.pk).update(head=head, number=head.number)


def fill(folder: Folder, number: int, owner: Actor) -> None:
    """Put ``number`` documents of one text into a folder."""
    blob = Blob.objects.order_by("pk")[0]
    for start in tqdm(range(0, number, 5000), desc=f"filling {folder.path}", leave=False, disable=None):
        made, rows = [], []
        for n in range(start, min(start + 5000, number)):
            document = Document(folder=folder, name=f"{n:06}.md", twin_key=f"{n:06}", title=f"Document {n}", number=1)
            document.head = _commit(
                document=document,
                number=1,
                blob=blob,
                kind=CommitKind.CREATE,
                location=f"{folder.path}/{n:06}.md",
                author_id=owner.person,
                via=Via.COMMAND,
            )
            made.append(document)
            rows.append(document.head)
        with transaction.atomic():
            Document.objects.bulk_create(made)
            Commit.objects.bulk_create(rows)


def _commit(**fields: object) -> Commit:
    made = Commit(**fields, created_at=timezone.now())
    made.id = commits.identify(made)
    return made
