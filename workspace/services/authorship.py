"""Keeping who wrote which sentence of a document, so that a long history need not be read for it.

What is kept is derived and may always be made anew: two that make it at once make the same, and it is no
difference which of them ends last.
"""

from django.db import DatabaseError, transaction

from workspace.merge.authorship import BLAME_VERSION
from workspace.models import Blame, Commit, Document
from workspace.queries import authorship
from workspace.queries.authorship import Authorship

SECONDS = 20.0
"""How long one job reads a history; what it reached is kept, and the next goes on from there."""
FEW = 20
"""Commits that a reader carries the authorship over without keeping what came of it."""
DEAR = 0.2
"""Seconds of carrying it over after which it is kept all the same."""


def make(document: str, commit: str) -> Authorship:
    """The authorship at ``commit``, or at one before where that takes longer than ``SECONDS``. Writes nothing."""
    row = Commit.objects.select_related("blob", "document").get(pk=commit, document=document)
    return authorship.of(row.document, row, seconds=SECONDS)


def record(document: str, made: Authorship) -> bool:
    """Keeps what ``make`` made, inside the caller's transaction; False where that of a later commit is kept."""
    commit = Commit.objects.only("number").get(pk=made.commit, document=document)
    with transaction.atomic():
        kept = Blame.objects.select_for_update(of=("self",)).select_related("commit").filter(pk=document).first()
        if kept and kept.version == BLAME_VERSION and kept.commit.number > commit.number:
            return False
        ids = list(dict.fromkeys(run.id for run in made.runs))
        places = {id: place for place, id in enumerate(ids)}
        Blame.objects.update_or_create(
            document_id=document,
            defaults={
                "commit_id": made.commit,
                "version": BLAME_VERSION,
                "commits": ids,
                "runs": [[places[run.id], run.length] for run in made.runs],
            },
        )
    return True


def keep(document: str, made: Authorship) -> None:
    """Keeps what a reader had to make, where it was dear. Never in the reader's way."""
    if made.walked <= FEW and made.took < DEAR:
        return
    head = Document.objects.filter(pk=document).values_list("head_id", flat=True).first()
    if head != made.commit:
        return
    try:
        record(document, made)
    except DatabaseError:
        # A full disk must not stop people from reading what is there; the next index job keeps it.
        return
