"""Who holds what at a place in effect: by grants there and on the folders above, through groups within groups.

The same rule as ``models.Reach`` and the database's ``workspace_granted_role``, asked for everybody at once. Nobody is
asked here whether they may know: that is for the caller.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models.expressions import RawSQL

from workspace.actor import Role
from workspace.models import Document, Folder
from workspace.models.people import person_label

# The rows of ``given`` say which role a subject holds before and after a change; ``inside`` is every group whose
# people hold what was given to the group ``top``. What was given to ``touched`` alone can have changed for anybody.
_CHANGES = """
WITH RECURSIVE given (person_id, group_id, before, after, touched) AS (
    SELECT person_id, group_id, role, CASE WHEN {replaced} THEN NULL ELSE role END, {replaced}
      FROM workspace_grant
     WHERE folder_id = ANY(%(lineage)s::bigint[]) OR document_id = %(which)s
    UNION ALL
    SELECT %(person)s::bigint, %(group)s::bigint, NULL, %(role)s::smallint, TRUE
), inside (top, id) AS (
    SELECT DISTINCT group_id, group_id FROM given WHERE group_id IS NOT NULL
    UNION
    SELECT inside.top, nesting.inner_id FROM workspace_nesting nesting JOIN inside ON nesting.outer_id = inside.id
), held AS (
    SELECT person_id, before, after, touched FROM given WHERE person_id IS NOT NULL
    UNION ALL
    SELECT member.person_id, before, after, touched
      FROM given JOIN inside ON inside.top = given.group_id
      JOIN workspace_membership member ON member.group_id = inside.id
)
SELECT person.id, person.email, person.name, person.is_superuser, max(before), max(after)
  FROM held JOIN workspace_person person ON person.id = held.person_id
 WHERE person.is_active
 GROUP BY person.id
HAVING bool_or(touched)
 ORDER BY person.email
"""
_REPLACED = """(folder_id IS NOT DISTINCT FROM %(folder)s AND document_id IS NOT DISTINCT FROM %(document)s
     AND person_id IS NOT DISTINCT FROM %(person)s AND group_id IS NOT DISTINCT FROM %(group)s)"""

_SUBJECTS = """
WITH RECURSIVE given AS (
    SELECT person_id, group_id, role,
           folder_id = ANY(%(before)s::bigint[]) OR document_id IS NOT NULL AS was,
           folder_id = ANY(%(after)s::bigint[]) OR document_id IS NOT NULL AS becomes
      FROM workspace_grant
     WHERE folder_id = ANY(%(before)s::bigint[] || %(after)s::bigint[]) OR document_id = %(which)s
), subject AS (
    SELECT DISTINCT person_id, group_id FROM given
), outside (person_id, group_id, id) AS (
    SELECT person_id, group_id, group_id FROM subject WHERE group_id IS NOT NULL
    UNION
    SELECT subject.person_id, subject.group_id, member.group_id
      FROM subject JOIN workspace_membership member ON member.person_id = subject.person_id
    UNION
    SELECT outside.person_id, outside.group_id, nesting.outer_id
      FROM outside JOIN workspace_nesting nesting ON nesting.inner_id = outside.id
), held AS (
    SELECT person_id, group_id, role, was, becomes FROM given
    UNION ALL
    SELECT outside.person_id, outside.group_id, given.role, given.was, given.becomes
      FROM outside JOIN given ON given.group_id = outside.id
)
SELECT coalesce(person.email, 'group:' || team.name), max(role) FILTER (WHERE was), max(role) FILTER (WHERE becomes)
  FROM held
  LEFT JOIN workspace_person person ON person.id = held.person_id
  LEFT JOIN workspace_group team ON team.id = held.group_id
 WHERE person.id IS NULL OR (person.is_active AND NOT person.is_superuser)
 GROUP BY person.id, team.id
"""

_GROUPS = """
SELECT person, unnest(workspace_groups_of(person)) FROM unnest(%(people)s::bigint[]) AS person
"""

_ABOVE = """
WITH RECURSIVE held (inner_id, outer_id) AS (
    SELECT inner_id, outer_id FROM workspace_nesting WHERE inner_id = ANY(%(groups)s::bigint[])
    UNION
    SELECT nesting.inner_id, nesting.outer_id
      FROM workspace_nesting nesting JOIN held ON nesting.inner_id = held.outer_id
)
SELECT inner_id, outer_id FROM held ORDER BY 1, 2
"""

_REACHED = """
WITH RECURSIVE inside (id) AS (
    SELECT unnest(%s::bigint[])
    UNION
    SELECT nesting.inner_id FROM workspace_nesting nesting JOIN inside ON nesting.outer_id = inside.id
)
SELECT unnest(%s::bigint[])
UNION
SELECT person_id FROM workspace_membership WHERE group_id IN (SELECT id FROM inside)
"""

# Groups with somebody active in them, then what would be left without a manager among the places asked about.
_UNMANAGED = """
WITH RECURSIVE manned (id) AS (
    SELECT member.group_id FROM workspace_membership member
      JOIN workspace_person person ON person.id = member.person_id AND person.is_active
    UNION
    SELECT nesting.outer_id FROM workspace_nesting nesting JOIN manned ON nesting.inner_id = manned.id
), place AS (
    SELECT folder.id AS folder_id, NULL AS document_id, folder.lineage, folder.path AS location
      FROM workspace_folder folder WHERE folder.id = ANY(%(folders)s::bigint[]) AND folder.deleted_at IS NULL
    UNION ALL
    SELECT folder.id, document.id, folder.lineage, folder.path || '/' || document.name
      FROM workspace_document document JOIN workspace_folder folder ON folder.id = document.folder_id
     WHERE document.id = ANY(%(documents)s::varchar[]) AND document.deleted_at IS NULL
)
SELECT place.location FROM place
 WHERE NOT EXISTS (
    SELECT FROM workspace_grant held
      LEFT JOIN workspace_person person ON person.id = held.person_id
     WHERE held.role = 3 AND held.id <> %(without)s
       AND (held.folder_id = ANY(place.lineage) OR held.document_id = place.document_id)
       AND (person.is_active OR held.group_id IN (SELECT id FROM manned))
 )
 ORDER BY 1
"""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """A person's role at a place in effect, before and after a change; None for none."""

    person: int
    email: str
    label: str
    admin: bool
    before: Role | None
    after: Role | None


def lineage_of(place: Folder | Document) -> list[int]:
    """Ids of the folders, from the root, whose grants hold at ``place``; a document's folder is loaded."""
    return place.lineage if isinstance(place, Folder) else place.folder.lineage


def changes(
    place: Folder | Document, *, person: int | None, group: int | None, role: Role | None
) -> tuple[Standing, ...]:
    """Everybody active who is ``person`` or in ``group`` in effect, by email, with their role at ``place`` as it is
    and as it would be if the subject's own grant there were ``role`` (None: taken away). One query."""
    values = {
        "lineage": lineage_of(place),
        "which": place.pk if isinstance(place, Document) else "",
        "folder": place.pk if isinstance(place, Folder) else None,
        "document": place.pk if isinstance(place, Document) else None,
        "person": person,
        "group": group,
        "role": role,
    }
    return tuple(
        Standing(
            person=pk,
            email=email,
            label=person_label(name, email),
            admin=admin,
            before=Role.MANAGER if admin else _role(before),
            after=Role.MANAGER if admin else _role(after),
        )
        for pk, email, name, admin, before, after in _rows(_CHANGES.format(replaced=_REPLACED), values)
    )


def subjects(
    before: Sequence[int], after: Sequence[int], *, document: str | None = None
) -> tuple[dict[str, int], dict[str, int]]:
    """The roles of everybody who was named in a grant, by the folders ``before`` and by those ``after``, in effect.

    Keys are addresses and ``group:NAME``: a group is told of even where nobody is in it yet. Administrators and
    people who are deactivated are left out. One query.
    """
    values = {"before": list(before), "after": list(after), "which": document or ""}
    had: dict[str, int] = {}
    has: dict[str, int] = {}
    for name, was, becomes in _rows(_SUBJECTS, values):
        if was:
            had[name] = was
        if becomes:
            has[name] = becomes
    return had, has


def unmanaged(folders: Iterable[int], documents: Iterable[str], *, without: int = 0) -> tuple[str, ...]:
    """The locations, among these live places, that nobody active manages but administrators; the grant ``without``
    is not counted. One query."""
    values = {"folders": list(folders), "documents": list(documents), "without": without}
    return tuple(location for (location,) in _rows(_UNMANAGED, values))


def reached(*, people: Iterable[int] = (), groups: Iterable[int] = ()) -> RawSQL:
    """Ids of ``people`` and of everybody who is in one of ``groups`` in effect, for ``pk__in``."""
    return RawSQL(_REACHED, [list(groups), list(people)])


def groups_of(people: Iterable[int]) -> dict[int, list[int]]:
    """The groups that each of ``people`` is in, through however many others. One query."""
    found: dict[int, list[int]] = {}
    for person, group in _rows(_GROUPS, {"people": list(people)}):
        found.setdefault(person, []).append(group)
    return found


def nestings_above(groups: Iterable[int]) -> dict[int, list[int]]:
    """Of each of ``groups``, and of every group that these are in, the groups that it is a part of. One query."""
    found: dict[int, list[int]] = {}
    for inner, outer in _rows(_ABOVE, {"groups": list(groups)}):
        found.setdefault(inner, []).append(outer)
    return found


def chains(groups: Iterable[int], above: Mapping[int, Sequence[int]]) -> dict[int, tuple[int, ...]]:
    """For each group that one of ``groups`` is in by the nestings ``above``, and for these themselves, a shortest way
    down to one of them: ids, the outermost first."""
    ways: dict[int, tuple[int, ...]] = {pk: (pk,) for pk in groups}
    front = list(ways)
    while front:
        following = []
        for pk in front:
            for outer in above.get(pk, ()):
                if outer not in ways:
                    ways[outer] = (outer, *ways[pk])
                    following.append(outer)
        front = following
    return ways


def _role(value: int | None) -> Role | None:
    return Role(value) if value else None


def _rows(statement: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()
