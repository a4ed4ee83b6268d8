"""Decisions of merges, drafts, what is being settled, and authorship kept up commit by commit."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("workspace", "0009_agent_writes"),
    ]

    operations = [
        migrations.CreateModel(
            name="Blame",
            fields=[
                (
                    "document",
                    models.OneToOneField(
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="blame",
                        serialize=False,
                        to="workspace.document",
                    ),
                ),
                ("version", models.PositiveSmallIntegerField(editable=False)),
                ("commits", models.JSONField(default=list, editable=False)),
                ("runs", models.JSONField(default=list, editable=False)),
            ],
        ),
        migrations.CreateModel(
            name="Draft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(blank=True, editable=False, max_length=200)),
                ("content", models.TextField(editable=False)),
                ("message", models.TextField(blank=True, editable=False)),
                (
                    "updated_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Settling",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("choices", models.JSONField(default=list, editable=False)),
                ("seen_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
        ),
        migrations.AddField(
            model_name="commit",
            name="decisions",
            field=models.JSONField(default=list, editable=False),
        ),
        migrations.AddField(
            model_name="conflict",
            name="merge_version",
            field=models.PositiveSmallIntegerField(default=1, editable=False),
        ),
        migrations.AddIndex(
            model_name="conflict",
            index=models.Index(
                condition=models.Q(("state", "discarded")), fields=["closed_at"], name="conflict_discarded"
            ),
        ),
        migrations.AddField(
            model_name="blame",
            name="commit",
            field=models.ForeignKey(
                editable=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="workspace.commit"
            ),
        ),
        migrations.AddField(
            model_name="draft",
            name="base",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="workspace.commit",
            ),
        ),
        migrations.AddField(
            model_name="draft",
            name="document",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="drafts",
                to="workspace.document",
            ),
        ),
        migrations.AddField(
            model_name="draft",
            name="folder",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="drafts",
                to="workspace.folder",
            ),
        ),
        migrations.AddField(
            model_name="draft",
            name="person",
            field=models.ForeignKey(
                editable=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="drafts",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="settling",
            name="conflict",
            field=models.ForeignKey(
                editable=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="settlings",
                to="workspace.conflict",
            ),
        ),
        migrations.AddField(
            model_name="settling",
            name="head",
            field=models.ForeignKey(
                editable=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="workspace.commit"
            ),
        ),
        migrations.AddField(
            model_name="settling",
            name="person",
            field=models.ForeignKey(
                editable=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddIndex(
            model_name="draft",
            index=models.Index(fields=["updated_at"], name="draft_age"),
        ),
        migrations.AddConstraint(
            model_name="draft",
            constraint=models.UniqueConstraint(
                condition=models.Q(("document__isnull", False)), fields=("person", "document"), name="draft_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="draft",
            constraint=models.UniqueConstraint(
                condition=models.Q(("document", None)), fields=("person", "folder"), name="draft_new_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="draft",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("base__isnull", False), ("document__isnull", False), ("folder", None)),
                    models.Q(("base", None), ("document", None), ("folder__isnull", False)),
                    _connector="OR",
                ),
                name="draft_one_place",
            ),
        ),
        migrations.AddConstraint(
            model_name="settling",
            constraint=models.UniqueConstraint(fields=("conflict", "person"), name="settling_once"),
        ),
    ]
