"""The first documents of a list by folder that an actor may read, found from the folders that they reach.

Walking the list and leaving out what is hidden costs the more, the less somebody reads. The folders reached are
looked up in the order of the list instead, so that it ends at a page's worth, however much there is and is hidden.
"""

from typing import Any

from django.db.models import BooleanField, F, Func, Q
from django.db.models.expressions import RawSQL

from workspace.models import Document, Reach
from workspace.models.documents import DocumentQuerySet

BY_FOLDER = ("folder_id", "name", "pk")


class _Among(Func):
    """Whether a column is among what a function of the person gives, in the form by which an index is walked."""

    template = "%(expressions)s = ANY(ARRAY(SELECT id FROM %(function)s(%(person)s, 1::smallint) id))"
    output_field = BooleanField()

    def __init__(self, column: str, function: str, person: int) -> None:
        super().__init__(F(column), function=function, person=int(person))


def by_folder(reach: Reach, rows: DocumentQuerySet, *, most: int) -> DocumentQuerySet:
    """A queryset that holds the first ``most`` of ``rows`` by ``BY_FOLDER`` which ``reach`` may read, and others that
    it may read."""
    actor = reach.actor
    if actor.person is None or actor.admin:
        return rows.visible_to(reach)
    rows = rows.filter(reach.narrowing("folder__lineage", "pk"))
    halves: list[str] = []
    values: list[Any] = []
    for column, function in (("folder_id", "workspace_folders_of"), ("pk", "workspace_documents_of")):
        reached = rows.filter(Q(_Among(column, function, actor.person)))
        sql, parameters = reached.order_by(*BY_FOLDER).values("pk")[:most].query.sql_with_params()
        halves.append(f"({sql})")
        values += parameters
    return Document.objects.filter(pk__in=RawSQL(" UNION ALL ".join(halves), values))
