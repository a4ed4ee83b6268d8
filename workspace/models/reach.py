"""Which rows an actor may read, as SQL.

The rule in one shape: a role on a folder holds for everything below it, a role on a document for that
document; an administrator holds manager everywhere; an agent's reach is its person's, cut down to its scopes; a
job's reach is its scopes alone. ``access`` asks the same question of one object.
"""

from dataclasses import dataclass

from django.db.models import BooleanField, F, Func, Q, Value
from django.db.models.expressions import Combinable
from django.db.models.fields import SmallIntegerField

from workspace.actor import Actor, Role, Scope

NOTHING = Q(pk__in=())
EVERYTHING = ~NOTHING


class GroupsOf(Func):
    """Ids of the groups that a person is in, through however many others; one row each."""

    function = "workspace_groups_of"
    template = "(SELECT unnest(%(function)s(%(expressions)s)))"


class Reached(Func):
    """Whether a row's folder or document (by its id) is one in which, or on which, a person was granted ``need`` or
    more. Folders below one that was granted are among them, documents in it are not.

    The ids are worked out once for the statement: ``IS TRUE`` keeps the planner from joining instead, which works
    them out anew within each row's own subquery.
    """

    template = "(%(expressions)s IN (SELECT id FROM %(function)s(%(person)s, %(need)s::smallint) id)) IS TRUE"
    output_field = BooleanField()

    def __init__(self, column: str, function: str, *, person: int, need: Role) -> None:
        super().__init__(F(column), function=function, person=int(person), need=int(need))


class GrantedRole(Func):
    """The highest role of a person by the folders of a lineage and on a document; null where none.

    The rule of the database's own ``workspace_granted_role``, written out: for the rows of a list the person's
    groups are then worked out once, and not once a row.
    """

    template = (
        "(SELECT max(held.role) FROM workspace_grant held WHERE (held.folder_id = ANY(%(expressions)s))"
        " AND (held.person_id = %(person)s"
        " OR held.group_id IN (SELECT unnest(workspace_groups_of(%(person)s)))))"
    )
    arg_joiner = ") OR held.document_id = ("
    output_field = SmallIntegerField()

    def __init__(self, person: int, lineage: str, document: str | None = None) -> None:
        super().__init__(*map(F, [lineage, document] if document else [lineage]), person=int(person))


class EditorsShare(Func):
    """Whether no folder of a lineage is closed to sharing by editors."""

    template = (
        "NOT EXISTS (SELECT FROM workspace_folder closed"
        " WHERE closed.id = ANY(%(expressions)s) AND NOT closed.editors_share)"
    )
    output_field = BooleanField()


@dataclass(frozen=True)
class Reach:
    """Builds the filters for one actor."""

    actor: Actor
    need: Role = Role.VIEWER
    """The least role that counts: with EDITOR, the filters give what the actor may edit."""

    def subject(self) -> Q:
        """Grants that are given to the person, or to a group they are in."""
        person = self.actor.person
        subject = Q(person=person) | Q(group__in=GroupsOf(Value(person)))
        return subject if self.need is Role.VIEWER else subject & Q(role__gte=self.need)

    @property
    def _scopes(self) -> list[Scope]:
        return [scope for scope in self.actor.scopes if scope.role >= self.need]

    @property
    def _everywhere(self) -> bool:
        unnarrowed = not self.actor.scopes and self.actor.person is not None
        return unnarrowed or any(s.folder is None and s.document is None for s in self._scopes)

    @property
    def _by_scopes_alone(self) -> bool:
        """Of a job, which nobody granted anything, and of an administrator, who needs no grant."""
        return self.actor.person is None or self.actor.admin

    def _scoped(self, lineage: str, document: str | None) -> Q:
        """The part of an agent's or job's scopes that covers rows of this shape."""
        folders = [s.folder for s in self._scopes if s.folder is not None]
        inside = Q(**{f"{lineage}__overlap": folders}) if folders else NOTHING
        documents = [s.document for s in self._scopes if s.document is not None]
        if document and documents:
            inside |= Q(**{f"{document}__in": documents})
        return inside

    def _narrowed(self, within: Q, lineage: str, document: str | None) -> Q:
        return within if self._everywhere else within & self._scoped(lineage, document)

    def narrowing(self, lineage: str, document: str | None) -> Q:
        """What an agent's scopes leave of its person's reach, whatever that is."""
        return self._narrowed(EVERYTHING, lineage, document)

    def folders(self, lineage: str = "lineage") -> Q:
        """Rows whose folder this actor may read. ``lineage`` is the lookup of its lineage from the row."""
        if self._by_scopes_alone:
            return self._narrowed(EVERYTHING, lineage, None)
        return self._narrowed(self._reached(lineage), lineage, None)

    def documents(self, lineage: str = "folder__lineage", document: str = "pk") -> Q:
        """Rows whose document this actor may read. ``lineage`` and ``document`` are lookups from the row."""
        if self._by_scopes_alone:
            return self._narrowed(EVERYTHING, lineage, document)
        granted = Q(Reached(document, "workspace_documents_of", person=self._person, need=self.need))
        return self._narrowed(self._reached(lineage) | granted, lineage, document)

    def _reached(self, lineage: str) -> Q:
        """Rows whose folder the person was granted, or one above it.

        Asked of the folder's id and not of its lineage: the ids are worked out once, and each row costs one look
        into them, however many grants there are.
        """
        folder = lineage.removesuffix("lineage").removesuffix("__") or "pk"
        return Q(Reached(folder, "workspace_folders_of", person=self._person, need=self.need))

    @property
    def _person(self) -> int:
        assert self.actor.person is not None
        return self.actor.person

    def role(self, lineage: str, document: str | None = None) -> Combinable:
        """The person's highest role by the folders of ``lineage`` or on ``document``; null where none."""
        if self.actor.person is None or self.actor.admin:
            return Value(int(Role.MANAGER), output_field=SmallIntegerField())
        return GrantedRole(self.actor.person, lineage, document)

    def cap(self, lineage: list[int], document: str | None) -> Role | None:
        """The most that an agent's or job's scopes allow at a place; None where they do not reach it."""
        if not self.actor.scopes:
            return Role.MANAGER if self.actor.person is not None else None
        roles = [
            s.role
            for s in self.actor.scopes
            if (s.folder is None and s.document is None)
            or (s.folder is not None and s.folder in lineage)
            or (s.document is not None and s.document == document)
        ]
        return max(roles, default=None)
