"""Which folder belongs to which repository, and captures that wait for their person."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

import workspace.models.ids


class Migration(migrations.Migration):
    dependencies = [
        ("workspace", "0016_hooks"),
    ]

    operations = [
        migrations.CreateModel(
            name="Binding",
            fields=[
                (
                    "id",
                    models.CharField(
                        default=workspace.models.ids.binding_id,
                        editable=False,
                        max_length=32,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("repository", models.CharField(help_text="Such as github.com/acme/shop.", max_length=300)),
                ("location", models.TextField(editable=False)),
                (
                    "policy",
                    models.CharField(
                        choices=[("optional", "Optional"), ("required", "Required")], default="optional", max_length=16
                    ),
                ),
                ("deadline_ms", models.PositiveIntegerField(default=2000, verbose_name="deadline in milliseconds")),
                ("budget_chars", models.PositiveIntegerField(default=8000, verbose_name="budget in characters")),
                (
                    "capture",
                    models.CharField(
                        choices=[("off", "Off"), ("ask", "Ask"), ("on", "On")],
                        default="off",
                        editable=False,
                        max_length=8,
                    ),
                ),
                ("capture_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "updated_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
            ],
        ),
        migrations.AddField(
            model_name="capture",
            name="approved_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="capture",
            name="approved_by",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="capture",
            name="proposed_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddIndex(
            model_name="capture",
            index=models.Index(
                condition=models.Q(("approved_at", None), ("deleted_at", None), ("proposed_at__isnull", False)),
                fields=["author"],
                name="capture_proposed",
            ),
        ),
        migrations.AddConstraint(
            model_name="capture",
            constraint=models.CheckConstraint(
                condition=models.Q(("proposed_at", None), ("author__isnull", False), _connector="OR"),
                name="capture_proposed_author",
            ),
        ),
        migrations.AddConstraint(
            model_name="capture",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("approved_at", None), ("approved_by", None)),
                    models.Q(
                        ("approved_at__isnull", False), ("approved_by__isnull", False), ("proposed_at__isnull", False)
                    ),
                    _connector="OR",
                ),
                name="capture_approved_by",
            ),
        ),
        migrations.AddField(
            model_name="binding",
            name="folder",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="bindings", to="workspace.folder"
            ),
        ),
        migrations.AddField(
            model_name="binding",
            name="person",
            field=models.ForeignKey(
                blank=True,
                help_text="Empty for everybody.",
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="bindings",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="binding",
            constraint=models.UniqueConstraint(
                models.F("person"),
                django.db.models.functions.text.Lower("repository"),
                name="binding_repository_once",
                nulls_distinct=False,
            ),
        ),
        migrations.AddConstraint(
            model_name="binding",
            constraint=models.CheckConstraint(
                condition=models.Q(("policy__in", ["optional", "required"])), name="binding_policy_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="binding",
            constraint=models.CheckConstraint(
                condition=models.Q(("deadline_ms__range", (100, 15000))), name="binding_deadline"
            ),
        ),
        migrations.AddConstraint(
            model_name="binding",
            constraint=models.CheckConstraint(
                condition=models.Q(("budget_chars__range", (200, 100000))), name="binding_budget"
            ),
        ),
        migrations.AddConstraint(
            model_name="binding",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("capture", "off"),
                    models.Q(
                        ("capture__in", ["off", "ask", "on"]), ("capture_at__isnull", False), ("person__isnull", False)
                    ),
                    _connector="OR",
                ),
                name="binding_capture_decided",
            ),
        ),
    ]
