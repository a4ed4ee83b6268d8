"""The first documents of a list by folder that an actor may read.

Walking the list and leaving out what is hidden costs the more, the less somebody reads; working out all that they
reach costs the more, the more they were granted. So the next few folders are asked one by one first, which is all that
is needed for who reads most of them. Where these do not fill the page, all folders reached are looked up in the order
of the list, so that it ends at a page's worth, however much there is and is hidden. One statement holds both, and
decides while it runs whether the second is needed.
"""

from django.db.models import BooleanField, Q
from django.db.models.expressions import RawSQL

from workspace.models import Document, Reach
from workspace.models.documents import DocumentQuerySet

BY_FOLDER = ("folder_id", "name", "pk")
ASKED = 32
"""How many folders are asked one by one."""

_MARK = "/* of these */ TRUE"
_FIRST = (
    "WITH near AS MATERIALIZED ({near} LIMIT {most}) SELECT pk FROM near"
    " UNION ALL SELECT pk FROM ({far} LIMIT {most}) far WHERE (SELECT count(*) FROM near) < {most}"
    " UNION ALL ({alone} LIMIT {most})"
)


def by_folder(reach: Reach, rows: DocumentQuerySet, *, most: int, first: int = 0) -> DocumentQuerySet:
    """A queryset that holds the first ``most`` of ``rows`` by ``BY_FOLDER`` which ``reach`` may read, and others that
    it may read. None of ``rows`` may be in a folder with an id below ``first``."""
    actor = reach.actor
    if actor.person is None or actor.admin:
        return rows.visible_to(reach)
    whose = f"{int(actor.person)}, {int(reach.need)}::smallint"
    # The mark is the last of the conditions, so that a value of what replaces it comes after all others.
    rows = rows.filter(reach.narrowing("folder__lineage", "pk")).filter(Q(RawSQL(_MARK, (), BooleanField())))
    sql, values = rows.order_by(*BY_FOLDER).values("pk").query.sql_with_params()

    def among(column: str, function: str, rest: str = "") -> str:
        # In the form by which an index is walked.
        ids = f"ARRAY(SELECT id FROM {function}({whose}{rest}) id)"
        return sql.replace(_MARK, f'"workspace_document"."{column}" = ANY({ids})')

    statement = _FIRST.format(
        near=among("folder_id", "workspace_folders_next", f", %s::bigint, {ASKED}"),
        far=among("folder_id", "workspace_folders_of"),
        alone=among("id", "workspace_documents_of"),
        most=most,
    )
    return Document.objects.filter(pk__in=RawSQL(statement, (*values, first, *values, *values)))
