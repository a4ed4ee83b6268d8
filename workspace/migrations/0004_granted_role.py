"""The rule of roles as one function of the database, so that a list asks it of each row in the list's own query."""

from django.db import migrations

CREATE = """
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
    dependencies = [("workspace", "0003_names")]

    operations = [
        migrations.RunSQL(CREATE, "DROP FUNCTION workspace_granted_role(bigint, bigint[], varchar)"),
    ]
