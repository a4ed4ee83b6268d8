"""Stages of a prompt as receipts, and how far somebody was briefed."""

import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("workspace", "0010_reconciliation"),
    ]

    operations = [
        migrations.CreateModel(
            name="BriefMark",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("principal", models.CharField(editable=False, max_length=64, unique=True)),
                ("through", models.DateTimeField(editable=False)),
                (
                    "acknowledged_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
            ],
        ),
        migrations.AddField(
            model_name="receipt",
            name="host",
            field=models.CharField(blank=True, db_default="", editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name="receipt",
            name="operation",
            field=models.CharField(blank=True, db_default="", editable=False, max_length=255),
        ),
        migrations.AlterField(
            model_name="receipt",
            name="kind",
            field=models.CharField(
                choices=[
                    ("written", "Written"),
                    ("conflicted", "Conflicted"),
                    ("resolved", "Resolved"),
                    ("discarded", "Discarded"),
                    ("captured", "Captured"),
                    ("acknowledged", "Acknowledged"),
                    ("summarised", "Summarised"),
                    ("consolidated", "Consolidated"),
                    ("indexed", "Indexed"),
                    ("read", "Read"),
                    ("invoked", "Invoked"),
                    ("retrieved", "Retrieved"),
                    ("attached", "Attached"),
                    ("withheld", "Withheld"),
                    ("erased", "Erased"),
                    ("granted", "Granted"),
                    ("revoked", "Revoked"),
                    ("folder-made", "Folder Made"),
                    ("folder-moved", "Folder Moved"),
                    ("folder-deleted", "Folder Deleted"),
                    ("agent-made", "Agent Made"),
                    ("agent-revoked", "Agent Revoked"),
                    ("failed", "Failed"),
                ],
                editable=False,
                max_length=16,
            ),
        ),
        migrations.AddConstraint(
            model_name="receipt",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind__in", ("invoked", "retrieved", "attached", "withheld"))),
                fields=("operation", "kind", "person", "agent", "document", "commit"),
                name="receipt_stage_once",
                nulls_distinct=False,
            ),
        ),
    ]
