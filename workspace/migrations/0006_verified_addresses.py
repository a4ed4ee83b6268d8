"""Whoever has an account by now keeps it as it is: their address counts as confirmed, as it did so far."""

from typing import Any

from django.db import migrations


def confirm(apps: Any, schema_editor: Any) -> None:
    address = apps.get_model("account", "EmailAddress")
    people = apps.get_model("workspace", "Person").objects.exclude(email="")
    # The library makes a row of its own for whoever has signed in, and has not confirmed it.
    for row in address.objects.select_related("user").filter(verified=False):
        if row.email.lower() == row.user.email.lower():
            address.objects.filter(user=row.user, primary=True).update(primary=False)
            address.objects.filter(pk=row.pk).update(verified=True, primary=True)
    known = address.objects.filter(verified=True).values("user")
    address.objects.bulk_create(
        [
            address(user_id=pk, email=email.lower(), verified=True, primary=True)
            for pk, email in people.exclude(pk__in=known).values_list("pk", "email")
        ],
        batch_size=1000,
    )


class Migration(migrations.Migration):
    dependencies = [
        ("workspace", "0005_groups_and_audit"),
        ("account", "0009_emailaddress_unique_primary_email"),
    ]

    operations = [migrations.RunPython(confirm, migrations.RunPython.noop)]
