"""What an agent wrote last, of an agent that wrote much."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workspace", "0008_reach")]

    operations = [
        migrations.AddIndex(
            "commit",
            models.Index(fields=["agent", "-created_at"], name="commit_by_agent"),
        ),
    ]
