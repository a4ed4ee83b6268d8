"""Who may share what with whom, who was asked and who was let in, and the log of it all."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import workspace.models.ids


class Migration(migrations.Migration):
    dependencies = [
        ("workspace", "0003_lookups"),
    ]

    operations = [
        migrations.CreateModel(
            name="AccessRequest",
            fields=[
                (
                    "id",
                    models.CharField(
                        default=workspace.models.ids.access_request_id,
                        editable=False,
                        max_length=32,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("location", models.TextField(editable=False)),
                (
                    "role",
                    models.PositiveSmallIntegerField(
                        choices=[(1, "viewer"), (2, "editor"), (3, "manager")], editable=False
                    ),
                ),
                ("reason", models.TextField(blank=True, editable=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("approved", "Approved"),
                            ("declined", "Declined"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="open",
                        editable=False,
                        max_length=16,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                ("decided_at", models.DateTimeField(editable=False, null=True)),
                (
                    "granted_role",
                    models.PositiveSmallIntegerField(
                        choices=[(1, "viewer"), (2, "editor"), (3, "manager")], editable=False, null=True
                    ),
                ),
                ("answer", models.TextField(blank=True, editable=False)),
            ],
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("action", models.CharField(editable=False, max_length=48)),
                ("denied", models.BooleanField(default=False, editable=False)),
                ("job", models.CharField(blank=True, editable=False, max_length=64)),
                ("via", models.CharField(editable=False, max_length=16)),
                ("request_id", models.CharField(blank=True, editable=False, max_length=64)),
                ("address", models.GenericIPAddressField(editable=False, null=True)),
                ("location", models.TextField(blank=True, editable=False)),
                ("subject", models.TextField(blank=True, editable=False)),
                ("reason", models.TextField(blank=True, editable=False)),
                ("data", models.JSONField(default=dict, editable=False)),
            ],
            options={
                "verbose_name_plural": "audit log",
            },
        ),
        migrations.CreateModel(
            name="Connection",
            fields=[
                (
                    "id",
                    models.CharField(
                        default=workspace.models.ids.connection_id,
                        editable=False,
                        max_length=32,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("grant_id", models.CharField(editable=False, max_length=64, unique=True)),
                ("client_id", models.CharField(editable=False, max_length=2000)),
                ("client_name", models.CharField(blank=True, editable=False, max_length=200)),
                (
                    "client_host",
                    models.CharField(
                        blank=True,
                        editable=False,
                        help_text="Host of the client id's own document, which vouches.",
                        max_length=255,
                    ),
                ),
                ("redirect_host", models.CharField(blank=True, editable=False, max_length=255)),
                ("resource", models.CharField(editable=False, max_length=2000)),
                (
                    "scopes",
                    models.CharField(editable=False, help_text="OAuth scopes, divided by spaces.", max_length=200),
                ),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                (
                    "consented_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                ("ended_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("ended_why", models.CharField(blank=True, editable=False, max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.CharField(
                        default=workspace.models.ids.invitation_id,
                        editable=False,
                        max_length=32,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("token_hash", models.CharField(editable=False, max_length=64, unique=True)),
                ("email", models.EmailField(blank=True, max_length=254)),
                (
                    "role",
                    models.PositiveSmallIntegerField(
                        blank=True, choices=[(1, "viewer"), (2, "editor"), (3, "manager")], null=True
                    ),
                ),
                ("uses", models.PositiveIntegerField(default=1)),
                (
                    "accepted_by",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), blank=True, default=list, editable=False
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                ("expires_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(blank=True, editable=False, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Nesting",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
            ],
        ),
        migrations.AddField(
            model_name="agent",
            name="expires_at",
            field=models.DateTimeField(blank=True, help_text="It reaches nothing from then on.", null=True),
        ),
        migrations.AddField(
            model_name="folder",
            name="editors_share",
            field=models.BooleanField(
                db_default=True, help_text="Whether editors may share it and what is below it, up to editor."
            ),
        ),
        migrations.AddIndex(
            model_name="folder",
            index=models.Index(condition=models.Q(("editors_share", False)), fields=["id"], name="folder_closed"),
        ),
        migrations.AddField(
            model_name="accessrequest",
            name="agent",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="workspace.agent",
            ),
        ),
        migrations.AddField(
            model_name="accessrequest",
            name="decided_by",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="accessrequest",
            name="document",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="access_requests",
                to="workspace.document",
            ),
        ),
        migrations.AddField(
            model_name="accessrequest",
            name="folder",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="access_requests",
                to="workspace.folder",
            ),
        ),
        migrations.AddField(
            model_name="accessrequest",
            name="person",
            field=models.ForeignKey(
                editable=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="access_requests",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="auditentry",
            name="agent",
            field=models.ForeignKey(
                db_constraint=False,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="workspace.agent",
            ),
        ),
        migrations.AddField(
            model_name="auditentry",
            name="document",
            field=models.ForeignKey(
                db_constraint=False,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="workspace.document",
            ),
        ),
        migrations.AddField(
            model_name="auditentry",
            name="folder",
            field=models.ForeignKey(
                db_constraint=False,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="workspace.folder",
            ),
        ),
        migrations.AddField(
            model_name="auditentry",
            name="person",
            field=models.ForeignKey(
                db_constraint=False,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="connection",
            name="agent",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="connection", to="workspace.agent"
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="document",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="workspace.document",
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="folder",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="workspace.folder",
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="groups",
            field=models.ManyToManyField(blank=True, related_name="+", to="workspace.group"),
        ),
        migrations.AddField(
            model_name="invitation",
            name="invited_by",
            field=models.ForeignKey(
                editable=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="invitations",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="nesting",
            name="inner",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="outer_nestings", to="workspace.group"
            ),
        ),
        migrations.AddField(
            model_name="nesting",
            name="outer",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="inner_nestings", to="workspace.group"
            ),
        ),
        migrations.AddIndex(
            model_name="accessrequest",
            index=models.Index(condition=models.Q(("state", "open")), fields=["folder"], name="access_request_folder"),
        ),
        migrations.AddIndex(
            model_name="accessrequest",
            index=models.Index(
                condition=models.Q(("state", "open")), fields=["document"], name="access_request_document"
            ),
        ),
        migrations.AddConstraint(
            model_name="accessrequest",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "open")), fields=("person", "location"), name="access_request_open_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="accessrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(("folder", None), ("document", None), _connector="OR"),
                name="access_request_one_place",
            ),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["-at", "-id"], name="audit_recent"),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["folder", "-at"], name="audit_folder"),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["person", "-at"], name="audit_person"),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["action", "-at"], name="audit_action"),
        ),
        migrations.AddIndex(
            model_name="connection",
            index=models.Index(models.F("client_id"), name="connection_client"),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(("folder", None), ("document", None), _connector="OR"), name="invitation_one_place"
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("document", None), ("folder", None), ("role", None)),
                    models.Q(
                        ("role__isnull", False),
                        models.Q(("folder__isnull", False), ("document__isnull", False), _connector="OR"),
                    ),
                    _connector="OR",
                ),
                name="invitation_role_has_place",
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(("email", ""), ("uses", 1), _connector="OR"), name="invitation_one_address"
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(("accepted_by__len__lte", models.F("uses"))), name="invitation_not_overused"
            ),
        ),
        migrations.AddConstraint(
            model_name="nesting",
            constraint=models.UniqueConstraint(fields=("outer", "inner"), name="nesting_once"),
        ),
        migrations.AddConstraint(
            model_name="nesting",
            constraint=models.CheckConstraint(
                condition=models.Q(("outer", models.F("inner")), _negated=True), name="nesting_not_itself"
            ),
        ),
    ]
