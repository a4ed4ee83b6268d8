"""``manage.py demo``: a small company's workspace to look at."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from workspace.errors import Refusal
from workspace.management.demo import cast
from workspace.management.demo.telling import Teller
from workspace.models import Person


class Command(BaseCommand):
    help = "Fill the workspace with a small company's folders, people, agents and histories. Twice is harmless."

    def handle(self, *, verbosity: int, **options: Any) -> None:
        try:
            Teller(self.stdout.write if verbosity > 1 else lambda line: None).tell()
        except Refusal as refusal:
            raise CommandError(f"The demo could not be told: {refusal.detail}") from None
        self.stdout.write("The demo is there. Sign in as one of these:\n")
        admins = set(Person.objects.filter(is_superuser=True).values_list("email", flat=True))
        for member in cast.MEMBERS:
            office = ", administrator" if member.email in admins else ""
            self.stdout.write(f"  {member.email:<24} {member.name}, {member.part}{office}")
        self.stdout.write(f"The password of each is {cast.PASSWORD}")
        self.stdout.write("Change it, or deactivate them, before others can reach this workspace.")
