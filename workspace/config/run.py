"""What `manage.py` does: a command, with the embedded database up while it runs."""

import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from workspace.management.postgres import CannotStart, Cluster, Lease

# These start the database themselves, only look at it, or never ask it anything.
WITHOUT_DATABASE = {"up", "doctor", "help", "version", "diffsettings", "collectstatic", "spectacular", "makemessages"}


def main(arguments: list[str]) -> int:
    """Runs the command and returns the status for the shell. Refused settings are a line, not a trace."""
    command = arguments[1] if len(arguments) > 1 else "help"
    try:
        cluster = Cluster(folder=settings.EMBEDDED_POSTGRES) if settings.EMBEDDED_POSTGRES else None
        if cluster is None or command in WITHOUT_DATABASE or command.startswith("-") or "--help" in arguments:
            execute_from_command_line(arguments)
        else:
            with Lease(cluster):
                execute_from_command_line(arguments)
    except (ImproperlyConfigured, CannotStart) as error:
        print(f"baton: {error}", file=sys.stderr)
        return 1
    return 0
