"""``manage.py createperson EMAIL``: a person."""

import getpass
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from workspace.errors import Refusal
from workspace.management.operator import operator
from workspace.services import people


class Command(BaseCommand):
    help = "Make a person. They read nothing until something is shared with them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--name", default="", help="the name shown beside what they write")
        parser.add_argument("--admin", action="store_true", help="an administrator: sees and manages everything")
        parser.add_argument(
            "--password-stdin",
            action="store_true",
            help="take the password from the first line of standard input; otherwise it is asked for "
            "on a terminal, and without one they have none",
        )

    def handle(self, *, email: str, name: str, admin: bool, password_stdin: bool, **options: Any) -> None:
        password = self.password(from_stdin=password_stdin)
        try:
            person = people.create(operator("createperson"), email=email, name=name, password=password, admin=admin)
        except Refusal as refusal:
            raise CommandError(refusal.detail) from None
        kind = "administrator" if admin else "person"
        signing_in = "" if password else " They have no password, so they cannot sign in by one."
        self.stdout.write(f"Made {kind} {person.email}.{signing_in}")

    def password(self, *, from_stdin: bool) -> str | None:
        """The password; None where there is none. Raises ``CommandError`` for an empty line of standard input."""
        if from_stdin:
            given = sys.stdin.readline().rstrip("\r\n")
            if not given:
                raise CommandError("--password-stdin: the first line of standard input is empty.")
            return given
        if not sys.stdin.isatty():
            return None
        first = getpass.getpass("Password (empty for none): ")
        if first and first != getpass.getpass("Again: "):
            raise CommandError("The two passwords differ.")
        return first or None
