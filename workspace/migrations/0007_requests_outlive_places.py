from django.db import migrations, models


class Migration(migrations.Migration):
    """A purge leaves the requests for what it takes."""

    dependencies = [("workspace", "0006_verified_addresses")]

    operations = [
        migrations.AlterField(
            model_name="accessrequest",
            name=name,
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=models.SET_NULL,
                related_name="access_requests",
                to=f"workspace.{name}",
            ),
        )
        for name in ("folder", "document")
    ]
