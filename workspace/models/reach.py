"""Which rows an actor may read, as SQL.

The rule in one shape: a role on a folder holds for everything below it, a role on a document for that
document; an administrator holds manager everywhere; an agent's reach is its person's, cut down to its scopes; a
job's reach is its scopes alone. ``access`` asks the same question of one object.
"""

from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import BooleanField, F, Func, Manager, Q, Value
from django.db.models.expressions import Combinable
from django.db.models.fields import CharField, SmallIntegerField

from workspace.actor import Actor, Role, Scope

NOTHING = Q(pk__in=())
EVERYTHING = ~NOTHING


class GrantedRole(Func):
    """The database's own function of person, lineage and document; see the migration that makes it."""

    function = "workspace_granted_role"
    output_field = SmallIntegerField()


class GroupsOf(Func):
    """Ids of the groups that a person is in, through however many others; one row each."""

    function = "workspace_groups_of"
    template = "(SELECT unnest(%(function)s(%(expressions)s)))"


class EditorsShare(Func):
    """Whether no folder of a lineage is closed to sharing by editors."""

    template = (
        "NOT EXISTS (SELECT FROM workspace_folder closed"
        " WHERE closed.id = ANY(%(expressions)s) AND NOT closed.editors_share)"
    )
    output_field = BooleanField()


@dataclass(frozen=True)
class Reach:
    """Builds the filters for one actor. Grants are passed in, since their model is declared after this."""

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
        return not self.actor.scopes or any(s.folder is None and s.document is None for s in self._scopes)

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

    def folders(self, grants: Manager[Any], lineage: str = "lineage") -> Q:
        """Rows whose folder lineage holds a folder that this actor was granted."""
        if self.actor.person is None:
            return self._scoped(lineage, None)
        if self.actor.admin:
            return self._narrowed(EVERYTHING, lineage, None)
        granted = grants.filter(self.subject(), folder__isnull=False).order_by().values("folder_id")
        return self._narrowed(Q(**{f"{lineage}__overlap": ArraySubquery(granted)}), lineage, None)

    def documents(self, grants: Manager[Any], lineage: str = "folder__lineage", document: str = "pk") -> Q:
        """Rows whose document this actor may read. ``lineage`` and ``document`` are lookups from the row."""
        if self.actor.person is None:
            return self._scoped(lineage, document)
        if self.actor.admin:
            return self._narrowed(EVERYTHING, lineage, document)
        subject = self.subject()
        folders = grants.filter(subject, folder__isnull=False).order_by().values("folder_id")
        documents = grants.filter(subject, document__isnull=False).order_by().values("document_id")
        within = Q(**{f"{lineage}__overlap": ArraySubquery(folders)}) | Q(**{f"{document}__in": documents})
        return self._narrowed(within, lineage, document)

    def role(self, lineage: str, document: str | None = None) -> Combinable:
        """The person's highest role by the folders of ``lineage`` or on ``document``; null where none."""
        if self.actor.person is None or self.actor.admin:
            return Value(int(Role.MANAGER), output_field=SmallIntegerField())
        return GrantedRole(
            Value(self.actor.person), F(lineage), F(document) if document else Value(None, output_field=CharField())
        )

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
