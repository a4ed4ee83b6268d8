"""Passages keep their terms beside them: ranking looks at thousands a query, and each fetch of a term vector from
the overflow table costs ten times the ranking itself."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("workspace", "0001_initial")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE workspace_chunk SET (toast_tuple_target = 8160)",
            "ALTER TABLE workspace_chunk RESET (toast_tuple_target)",
        ),
    ]
