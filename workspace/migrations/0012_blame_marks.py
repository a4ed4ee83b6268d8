"""Authorship kept at some commits of a long history, and not at its last alone."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("workspace", "0010_reconciliation"),
    ]

    operations = [
        migrations.CreateModel(
            name="BlameMark",
            fields=[
                (
                    "commit",
                    models.OneToOneField(
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="workspace.commit",
                    ),
                ),
                ("number", models.PositiveIntegerField(editable=False)),
                ("version", models.PositiveSmallIntegerField(editable=False)),
                ("commits", models.JSONField(default=list, editable=False)),
                ("runs", models.JSONField(default=list, editable=False)),
                (
                    "document",
                    models.ForeignKey(
                        db_index=False,
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blame_marks",
                        to="workspace.document",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("document", "number"), name="blame_mark_once"),
                ],
            },
        ),
    ]
