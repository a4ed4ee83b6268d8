"""What a person reaches, worked out once for a statement and not once a row."""

from django.db import migrations

# Strict, so that the planner takes each as a whole and plans it once for a session. It is worked out once a statement,
# but the planner counts its cost again for each row that an index brings: told the true cost, it read whole tables.
# From what was granted down the tree, which costs the folders reached and not their product with the grants.
FOLDERS_OF = """
CREATE FUNCTION workspace_folders_of(whose bigint, need smallint) RETURNS SETOF bigint
LANGUAGE sql STABLE STRICT PARALLEL SAFE COST 1 ROWS 10 AS $$
    WITH RECURSIVE given (id) AS MATERIALIZED (
        SELECT folder_id FROM workspace_grant WHERE person_id = whose AND folder_id IS NOT NULL AND role >= need
        UNION ALL
        SELECT folder_id FROM workspace_grant
         WHERE group_id = ANY ((SELECT workspace_groups_of(whose))::bigint[])
           AND folder_id IS NOT NULL AND role >= need
    ), reached (id) AS (
        SELECT id FROM given
        UNION
        SELECT folder.id FROM workspace_folder folder JOIN reached ON folder.parent_id = reached.id
    )
    SELECT id FROM reached
$$
"""

DOCUMENTS_OF = """
CREATE FUNCTION workspace_documents_of(whose bigint, need smallint) RETURNS SETOF varchar
LANGUAGE sql STABLE STRICT PARALLEL SAFE COST 1 ROWS 10 AS $$
    SELECT document_id FROM workspace_grant WHERE person_id = whose AND document_id IS NOT NULL AND role >= need
    UNION ALL
    SELECT document_id FROM workspace_grant
     WHERE group_id = ANY ((SELECT workspace_groups_of(whose))::bigint[]) AND document_id IS NOT NULL AND role >= need
$$
"""


class Migration(migrations.Migration):
    dependencies = [("workspace", "0007_requests_outlive_places")]

    operations = [
        migrations.RunSQL(FOLDERS_OF, "DROP FUNCTION workspace_folders_of(bigint, smallint)"),
        migrations.RunSQL(DOCUMENTS_OF, "DROP FUNCTION workspace_documents_of(bigint, smallint)"),
    ]
