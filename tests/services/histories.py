"""Commits that no service makes, for histories that came from elsewhere."""

from workspace.models import Commit

MERGED = "f" * 64


def merge_back_to(base: str, upon: str) -> Commit:
    """A merge, ``MERGED``, of ``upon`` and ``base`` that has the text of ``base``."""
    row = Commit.objects.select_related("document", "blob").get(pk=upon)
    merged = Commit.objects.select_related("blob").get(pk=base)
    return Commit.objects.create(
        id=MERGED,
        document=row.document,
        number=row.number + 1,
        parent=row,
        merged_parent=merged,
        blob=merged.blob,
        kind="merge",
        location=row.location,
        author=row.author,
        via="rest",
        created_at=row.created_at,
    )
