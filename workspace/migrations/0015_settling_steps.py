"""Choices of a conflict that were overtaken on their way are known by the step of their page."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workspace", "0014_audit_truncate")]

    operations = [
        migrations.AddField(
            model_name="settling",
            name="page",
            field=models.CharField(default="", editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name="settling",
            name="step",
            field=models.BigIntegerField(default=0, editable=False),
        ),
    ]
