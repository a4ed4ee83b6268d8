"""Indexes for lists by type or label, and for what earlier imports made."""

import django.contrib.postgres.indexes
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workspace", "0002_database")]

    operations = [
        migrations.AddIndex(
            model_name="document",
            index=models.Index(
                condition=models.Q(("deleted_at", None)), fields=["type", "folder"], name="document_type"
            ),
        ),
        migrations.AddIndex(
            model_name="document",
            index=django.contrib.postgres.indexes.GinIndex(fields=["labels"], name="document_labels"),
        ),
        migrations.AddIndex(
            model_name="commit",
            index=models.Index(fields=["session", "via"], name="commit_by_session"),
        ),
    ]
