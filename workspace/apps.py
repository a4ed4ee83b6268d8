"""The one Django application."""

from django.apps import AppConfig


class WorkspaceConfig(AppConfig):
    name = "workspace"
    label = "workspace"
    verbose_name = "Baton"
    default_auto_field = "django.db.models.BigAutoField"
