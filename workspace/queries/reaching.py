"""Which agents of others reach what a person manages."""

from django.db.models.expressions import RawSQL

from workspace.actor import Actor, Role
from workspace.models import Grant, Reach

# Agents of others that reach a folder which the actor manages. A grant, a scope and a managed folder are three
# subtrees of one tree: they have a folder in common exactly where each two lie one in the other.
REACHING = """
WITH managed AS MATERIALIZED (
    SELECT id, lineage FROM workspace_folder WHERE id = ANY (%s) AND deleted_at IS NULL
), given AS MATERIALIZED (
    SELECT granted.person_id, granted.group_id,
           CASE WHEN managed.lineage @> ARRAY[place.id] THEN managed.lineage ELSE place.lineage END AS lineage
      FROM managed
      JOIN workspace_folder place ON managed.lineage @> ARRAY[place.id] OR place.lineage @> ARRAY[managed.id]
      JOIN workspace_grant granted ON granted.folder_id = place.id
     WHERE place.deleted_at IS NULL
    UNION ALL
    SELECT granted.person_id, granted.group_id, place.lineage
      FROM workspace_grant granted
      JOIN workspace_document document ON document.id = granted.document_id AND document.deleted_at IS NULL
      JOIN workspace_folder place ON place.id = document.folder_id
     WHERE EXISTS (SELECT 1 FROM managed WHERE place.lineage @> ARRAY[managed.id])
), owner AS MATERIALIZED (
    SELECT DISTINCT person.id, person.is_superuser
      FROM workspace_agent agent JOIN workspace_person person ON person.id = agent.person_id AND person.is_active
     WHERE agent.person_id <> %s AND agent.revoked_at IS NULL
), reached AS MATERIALIZED (
    SELECT owner.id AS owner, managed.lineage FROM owner JOIN managed ON owner.is_superuser
    UNION
    SELECT owner.id, given.lineage FROM owner JOIN given ON given.person_id = owner.id
    UNION
    SELECT owner.id, given.lineage
      FROM owner CROSS JOIN LATERAL unnest(workspace_groups_of(owner.id)) team (id)
      JOIN given ON given.group_id = team.id
)
SELECT agent.id
  FROM workspace_agent agent
 WHERE agent.revoked_at IS NULL
   AND agent.person_id IN (SELECT owner FROM reached)
   AND (NOT EXISTS (SELECT 1 FROM workspace_agentscope scope WHERE scope.agent_id = agent.id)
        OR EXISTS (
           SELECT 1 FROM workspace_agentscope scope
             JOIN reached ON reached.owner = agent.person_id
             LEFT JOIN workspace_document document ON document.id = scope.document_id
             LEFT JOIN workspace_folder place ON place.id = coalesce(scope.folder_id, document.folder_id)
            WHERE scope.agent_id = agent.id
              AND (place.id IS NULL
                   OR place.lineage @> ARRAY[reached.lineage[cardinality(reached.lineage)]]
                   OR (scope.folder_id IS NOT NULL AND reached.lineage @> ARRAY[place.id]))))
"""


def managed(actor: Actor) -> list[int]:
    """Ids of the folders in which the person was made manager, themselves or in a group; one query."""
    rows = Grant.objects.filter(Reach(actor, need=Role.MANAGER).subject(), folder__isnull=False)
    return sorted(set(rows.order_by().values_list("folder", flat=True)))


def agents(actor: Actor) -> RawSQL:
    """Ids of agents of others that reach a folder which the person manages, as a subquery; one query by itself."""
    return RawSQL(REACHING, (managed(actor), actor.person))
