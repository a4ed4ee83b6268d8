"""What `manage.py` does: a command, with the embedded database up while it runs."""

import argparse
import os
import re
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import ProgrammingError
from psycopg.errors import UndefinedColumn, UndefinedFunction, UndefinedTable

from workspace.config.environment import ROOT, Environment
from workspace.management.postgres import CannotStart, Cluster, Lease

# These start the database themselves, only look at it, or never ask it anything.
WITHOUT_DATABASE = {"up", "doctor", "help", "version", "diffsettings", "collectstatic", "spectacular", "makemessages"}


def main(arguments: list[str]) -> int:
    """Runs the command and returns the status for the shell. Refused settings are a line, not a trace."""
    command = arguments[1] if len(arguments) > 1 else "help"
    try:
        if command == "up":
            _options_become_settings(arguments[2:])
        else:
            _find_the_address()
        cluster = Cluster(folder=settings.EMBEDDED_POSTGRES) if settings.EMBEDDED_POSTGRES else None
        if cluster is None or command in WITHOUT_DATABASE or command.startswith("-") or "--help" in arguments:
            execute_from_command_line(arguments)
        else:
            with Lease(cluster):
                execute_from_command_line(arguments)
    except (ImproperlyConfigured, CannotStart) as error:
        print(f"baton: {error}", file=sys.stderr)
        return 1
    except ProgrammingError as error:
        if not isinstance(error.__cause__, (UndefinedTable, UndefinedColumn, UndefinedFunction)):
            raise
        print(
            "baton: the database is not set up for this version. Run `make up`, or manage.py migrate.", file=sys.stderr
        )
        return 1
    return 0


def _options_become_settings(arguments: list[str]) -> None:
    """Settings are read before a command sees its options; these of `up` decide some of them."""
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    parser.add_argument("--data")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", default="8000")
    try:
        options, _ = parser.parse_known_args(arguments)
    except argparse.ArgumentError:
        return  # the command itself says what is wrong
    if options.data:
        os.environ["BATON_DATA"] = options.data
        os.environ.pop("BATON_DATA_FILE", None)
    if not os.environ.get("BATON_BASE_URL") and not os.environ.get("BATON_BASE_URL_FILE"):
        everywhere = {"0.0.0.0", "::", ""}  # noqa: S104
        host = "127.0.0.1" if options.host in everywhere else options.host
        os.environ["BATON_BASE_URL"] = f"http://{f'[{host}]' if ':' in host else host}:{options.port}"


def _find_the_address() -> None:
    """Links that a command prints lead to the instance that runs on this data folder, whatever its port."""
    env = Environment()
    if env.text("BATON_BASE_URL"):
        return
    try:
        note = (env.folder("BATON_DATA", ROOT / ".baton") / "up.lock").read_text()
    except OSError:
        return
    if found := re.search(r" at (https?://\S+)", note):
        os.environ["BATON_BASE_URL"] = found[1]
