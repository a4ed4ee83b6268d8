"""The tree of folders of somebody who sees a part of it and has no scopes, in plain SQL: a list and a tree each look at
the grants once, where filters built for one row each would do it for every column."""

from collections.abc import Collection, Sequence
from typing import Any

from django.db import connection

# What the person was granted, whatever the role.
_GIVEN = """
SELECT {columns} FROM workspace_grant WHERE person_id = %(person)s {kind}
UNION ALL
SELECT {columns} FROM workspace_grant
 WHERE group_id = ANY ((SELECT workspace_groups_of(%(person)s::bigint))::bigint[]) {kind}
"""
_ALL = _GIVEN.format(columns="folder_id, document_id, role", kind="")
_FOLDERS = _GIVEN.format(columns="folder_id", kind="AND folder_id IS NOT NULL")
_DOCUMENTS = _GIVEN.format(columns="document_id", kind="AND document_id IS NOT NULL")

# Of the folders directly in one in which the person holds no role: those that were granted, and those on the way to
# something that was. A role in one of them is thus one by a grant on itself, and holds for all that is in it.
_CHILDREN = f"""
WITH given (id) AS MATERIALIZED ({_FOLDERS}), alone (id) AS MATERIALIZED ({_DOCUMENTS}),
way (id) AS MATERIALIZED (
    SELECT place.lineage[%(depth)s::int] FROM workspace_folder place
     WHERE place.id IN (SELECT id FROM given) AND place.deleted_at IS NULL
    UNION ALL
    SELECT place.lineage[%(depth)s::int]
      FROM workspace_document document JOIN workspace_folder place ON place.id = document.folder_id
     WHERE document.id IN (SELECT id FROM alone) AND document.deleted_at IS NULL
), child AS MATERIALIZED (
    SELECT folder.id, folder.path, folder.name, folder.id IN (SELECT id FROM given) AS seen
      FROM workspace_folder folder
     WHERE folder.parent_id {{parent}} AND folder.deleted_at IS NULL AND folder.id IN (SELECT id FROM way)
       AND (%(name)s::varchar IS NULL OR (folder.name, folder.id) > (%(name)s::varchar, %(after)s::bigint))
     ORDER BY folder.name, folder.id LIMIT %(most)s::int
)
SELECT child.id, child.path, child.name,
       (SELECT max(held.role) FROM workspace_grant held
         WHERE held.folder_id = child.id
           AND (held.person_id = %(person)s
                OR held.group_id IN (SELECT unnest(workspace_groups_of(%(person)s::bigint))))),
       (SELECT count(*) FROM workspace_document document
         WHERE document.folder_id = child.id AND document.deleted_at IS NULL
           AND (child.seen OR document.id IN (SELECT id FROM alone))),
       (SELECT count(*) FROM workspace_folder below
         WHERE below.parent_id = child.id AND below.deleted_at IS NULL
           AND (child.seen OR below.id IN (SELECT id FROM given)))
  FROM child ORDER BY child.name, child.id
"""

# From what was granted down the tree, leaving out on the way what was granted itself, so that nothing comes twice.
# Where much of the tree was granted folder by folder, the whole of it is read instead, which costs less than the way;
# its size is what the planner knows of it, -1 where that is nothing.
_REACHED = f"""
WITH RECURSIVE given AS MATERIALIZED ({_ALL}), held (id, role) AS MATERIALIZED (
    SELECT folder_id, max(role) FROM given WHERE folder_id IS NOT NULL GROUP BY folder_id
), much (so) AS MATERIALIZED (
    SELECT (SELECT count(*) FROM held) * 2 > greatest(reltuples, 500)
      FROM pg_class WHERE oid = 'workspace_folder'::regclass
), reached AS (
    SELECT folder.id, folder.path, folder.name, folder.lineage, held.role
      FROM held JOIN workspace_folder folder ON folder.id = held.id
     WHERE folder.deleted_at IS NULL AND NOT (SELECT so FROM much)
    UNION ALL
    SELECT folder.id, folder.path, folder.name, folder.lineage, NULL
      FROM workspace_folder folder JOIN reached ON folder.parent_id = reached.id
     WHERE folder.deleted_at IS NULL AND folder.id NOT IN (SELECT id FROM held)
)
SELECT id, path, name, lineage, role FROM reached
UNION ALL
SELECT folder.id, folder.path, folder.name, folder.lineage, held.role
  FROM workspace_folder folder LEFT JOIN held ON held.id = folder.id
 WHERE folder.deleted_at IS NULL AND (SELECT so FROM much)
UNION ALL
SELECT NULL, NULL, NULL, place.lineage, NULL
  FROM (SELECT document_id FROM given WHERE document_id IS NOT NULL) alone
  JOIN workspace_document document ON document.id = alone.document_id AND document.deleted_at IS NULL
  JOIN workspace_folder place ON place.id = document.folder_id
"""

_NAMED = """
SELECT id, path, name, lineage FROM workspace_folder WHERE id = ANY (%(folders)s::bigint[]) AND deleted_at IS NULL
"""


def _rows(sql: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


def children(
    person: int, *, parent: int | None, depth: int, after: Sequence[Any] | None, most: int
) -> list[tuple[int, str, str, int | None, int, int]]:
    """The live folders directly in ``parent`` (None: the top level), in which the person holds no role, that they see
    or pass through: id, path, name, role (None: passes only), and the numbers of documents and folders that they see
    directly in it. ``depth`` is that of the rows, 1 at the top. At most ``most`` by name and id, from behind the name
    and id ``after``; one query."""
    name, pk = after or (None, None)
    sql = _CHILDREN.format(parent="IS NULL" if parent is None else "= %(parent)s")
    return _rows(sql, {"person": person, "parent": parent, "depth": depth, "name": name, "after": pk, "most": most})


def reached(person: int) -> tuple[list[tuple[int, str, str, list[int], int | None]], list[list[int]]]:
    """At least every live folder in which the person holds a role: id, path, name, lineage, and the role that was
    granted on itself (None: at most on one above it). Then the lineages of what holds documents that were granted by
    themselves. One query."""
    rows = _rows(_REACHED, {"person": person})
    alone = [row[3] for row in rows if row[0] is None]
    return [row for row in rows if row[0] is not None] if alone else rows, alone


def named(folders: Collection[int]) -> list[tuple[int, str, str, list[int]]]:
    """Those of ``folders`` that are live: id, path, name and lineage; one query."""
    return _rows(_NAMED, {"folders": list(folders)})
