"""Which agents of others reach what a person manages."""

from django.db.models.expressions import RawSQL

from workspace.actor import Actor, Role
from workspace.models import Grant, Reach

# Agents of others that reach a folder which the actor manages. A grant, a scope and a managed folder are three
# subtrees of one tree: they have a folder in common exactly where each two lie one in the other.
REACHING = """
SELECT agent.id
  FROM workspace_agent agent
  JOIN workspace_person owner ON owner.id = agent.person_id AND owner.is_active
  JOIN workspace_folder managed ON managed.id = ANY (%s) AND managed.deleted_at IS NULL
 CROSS JOIN LATERAL (SELECT workspace_groups_of(owner.id) AS ids) teams
 CROSS JOIN LATERAL (
       SELECT managed.lineage WHERE owner.is_superuser
       UNION ALL
       SELECT CASE WHEN managed.lineage @> ARRAY[at.id] THEN managed.lineage ELSE at.lineage END
         FROM workspace_grant granted
         JOIN workspace_folder at ON at.id = granted.folder_id AND at.deleted_at IS NULL
        WHERE (granted.person_id = owner.id OR granted.group_id = ANY (teams.ids))
          AND (managed.lineage @> ARRAY[at.id] OR at.lineage @> ARRAY[managed.id])
       UNION ALL
       SELECT folder.lineage
         FROM workspace_grant granted
         JOIN workspace_document document ON document.id = granted.document_id AND document.deleted_at IS NULL
         JOIN workspace_folder folder ON folder.id = document.folder_id
        WHERE (granted.person_id = owner.id OR granted.group_id = ANY (teams.ids))
          AND folder.lineage @> ARRAY[managed.id]
       ) reached
 WHERE agent.person_id <> %s
   AND agent.revoked_at IS NULL
   AND (NOT EXISTS (SELECT 1 FROM workspace_agentscope scope WHERE scope.agent_id = agent.id)
        OR EXISTS (
           SELECT 1 FROM workspace_agentscope scope
             LEFT JOIN workspace_document document ON document.id = scope.document_id
             LEFT JOIN workspace_folder at ON at.id = coalesce(scope.folder_id, document.folder_id)
            WHERE scope.agent_id = agent.id
              AND (at.id IS NULL OR at.lineage @> ARRAY[reached.lineage[cardinality(reached.lineage)]]
                   OR (scope.folder_id IS NOT NULL AND reached.lineage @> ARRAY[at.id]))))
"""


def managed(actor: Actor) -> list[int]:
    """Ids of the folders in which the person was made manager, themselves or in a group; one query."""
    rows = Grant.objects.filter(Reach(actor, need=Role.MANAGER).subject(), folder__isnull=False)
    return sorted(set(rows.order_by().values_list("folder", flat=True)))


def agents(actor: Actor) -> RawSQL:
    """Ids of agents of others that reach a folder which the person manages, as a subquery; one query by itself."""
    return RawSQL(REACHING, (managed(actor), actor.person))
