"""Stages of a prompt as receipts."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("workspace", "0015_settling_steps"),
    ]

    operations = [
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
