"""What the schema needs of PostgreSQL beyond tables: a function and a storage parameter."""

from django.db import migrations

# The rule of roles as one function, so that a list asks it of each row in the list's own query.
GRANTED_ROLE = """
CREATE FUNCTION workspace_granted_role(whose bigint, places bigint[], which varchar) RETURNS smallint
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT max(role) FROM (
        SELECT role, person_id, group_id FROM workspace_grant WHERE folder_id = ANY (places)
        UNION ALL
        SELECT role, person_id, group_id FROM workspace_grant WHERE document_id = which
    ) AS held
    WHERE person_id = whose
       OR group_id IN (SELECT group_id FROM workspace_membership WHERE person_id = whose)
$$
"""


class Migration(migrations.Migration):
    dependencies = [("workspace", "0001_initial")]

    operations = [
        migrations.RunSQL(GRANTED_ROLE, "DROP FUNCTION workspace_granted_role(bigint, bigint[], varchar)"),
        # Passages keep their terms beside them: ranking looks at thousands a query, and each fetch of a term vector
        # from the overflow table costs ten times the ranking itself.
        migrations.RunSQL(
            "ALTER TABLE workspace_chunk SET (toast_tuple_target = 8160)",
            "ALTER TABLE workspace_chunk RESET (toast_tuple_target)",
        ),
    ]
