"""How far briefs were acknowledged, and what somebody did lately."""

from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [
        ("workspace", "0017_bindings"),
    ]

    operations = [
        migrations.CreateModel(
            name="BriefMark",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("principal", models.CharField(editable=False, max_length=64)),
                ("through", models.DateTimeField(editable=False)),
                ("told", models.JSONField(default=list, editable=False)),
                ("acknowledged_at", models.DateTimeField(db_default=Now(), editable=False)),
                (
                    "folder",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=models.deletion.CASCADE,
                        related_name="+",
                        to="workspace.folder",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("principal", "folder"), name="brief_mark_once", nulls_distinct=False
                    )
                ],
            },
        ),
        migrations.AddIndex(
            model_name="receipt",
            index=models.Index(fields=["person", "-at"], name="receipt_person"),
        ),
    ]
