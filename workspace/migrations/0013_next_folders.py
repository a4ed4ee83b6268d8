"""What a person reaches of the next few folders and by single documents, without working out all that they reach."""

from django.db import migrations, models

# Folder by folder: ``IS TRUE`` keeps the planner from joining with everything that was granted. Strict, as the
# functions beside it are, so that it is planned once for a session.
FOLDERS_NEXT = """
CREATE FUNCTION workspace_folders_next(whose bigint, need smallint, first bigint, most integer) RETURNS SETOF bigint
LANGUAGE sql STABLE STRICT PARALLEL SAFE COST 1 ROWS 10 AS $$
    SELECT place.id
      FROM (SELECT id, lineage FROM workspace_folder WHERE id >= first ORDER BY id LIMIT most) place
     WHERE EXISTS (
               SELECT FROM workspace_grant held
                WHERE held.folder_id = ANY (place.lineage) AND held.role >= need
                  AND (held.person_id = whose OR held.group_id IN (SELECT unnest(workspace_groups_of(whose))))
           ) IS TRUE
$$
"""


class Migration(migrations.Migration):
    dependencies = [("workspace", "0012_blame_marks")]

    operations = [
        migrations.RunSQL(FOLDERS_NEXT, "DROP FUNCTION workspace_folders_next(bigint, smallint, bigint, integer)"),
        migrations.AddIndex(
            model_name="grant",
            index=models.Index(
                fields=["group", "document"], condition=models.Q(document__isnull=False), name="grant_group_document"
            ),
        ),
        migrations.AddIndex(
            model_name="grant",
            index=models.Index(
                fields=["person", "document"], condition=models.Q(document__isnull=False), name="grant_person_document"
            ),
        ),
    ]
