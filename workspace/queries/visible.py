"""The first documents of a list by folder that an actor may read.

Walking the list and leaving out what is hidden costs the more, the less somebody reads; working out all that they
reach costs the more, the more they were granted. So the next few folders are asked one by one first, which is all that
is needed for who reads most of them. Where these do not fill the page, all folders reached are looked up in the order
of the list, so that it ends at a page's worth, however much there is and is hidden. One statement holds both, and
decides while it runs whether the second is needed.
"""

from django.db.models.expressions import RawSQL

from workspace.models import Document, Reach
from workspace.models.documents import DocumentQuerySet

BY_FOLDER = ("folder_id", "name", "pk")
ASKED = 32
"""How many folders are asked one by one."""

_BY_FOLDER = (
    'SELECT "workspace_document"."id" AS pk FROM {tables} WHERE {where} AND "workspace_document"."{column}" ='
    " ANY(ARRAY(SELECT id FROM {function}({whose}) id))"  # the form by which an index is walked
    ' ORDER BY "workspace_document"."folder_id", "workspace_document"."name", "workspace_document"."id" LIMIT {most}'
)
_FIRST = (
    "WITH near AS MATERIALIZED ({near}) SELECT pk FROM near"
    " UNION ALL SELECT pk FROM ({far}) far WHERE (SELECT count(*) FROM near) < {most}"
    " UNION ALL ({alone})"
)


def by_folder(reach: Reach, rows: DocumentQuerySet, *, most: int, first: int = 0) -> DocumentQuerySet:
    """A queryset that holds the first ``most`` of ``rows`` by ``BY_FOLDER`` which ``reach`` may read, and others that
    it may read. ``rows`` are filtered and nothing else; none may be in a folder with an id below ``first``."""
    actor = reach.actor
    if actor.person is None or actor.admin:
        return rows.visible_to(reach)
    rows = rows.filter(reach.narrowing("folder__lineage", "pk"))
    # What is wanted of the three parts is the same but for one condition: it is compiled once.
    compiler = rows.query.get_compiler(rows.db)
    where, values = compiler.compile(rows.query.where)
    tables, joined = compiler.get_from_clause()
    values = (*joined, *values)
    whose = f"{int(actor.person)}, {int(reach.need)}::smallint"

    def part(column: str, function: str, rest: str = "") -> str:
        return _BY_FOLDER.format(
            tables=" ".join(tables), where=where, column=column, function=function, whose=whose + rest, most=most
        )

    statement = _FIRST.format(
        near=part("folder_id", "workspace_folders_next", f", %s::bigint, {ASKED}"),
        far=part("folder_id", "workspace_folders_of"),
        alone=part("id", "workspace_documents_of"),
        most=most,
    )
    return Document.objects.filter(pk__in=RawSQL(statement, (*values, first, *values, *values)))
