"""``manage.py mint_token --person EMAIL --agent NAME``: an agent with a token, printed once."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from workspace.errors import Refusal
from workspace.management.operator import days
from workspace.management.operator import person as find
from workspace.services import agents


class Command(BaseCommand):
    help = "Make an agent that acts for a person, and print its token, alone, on standard output."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--person", required=True, metavar="EMAIL", help="whom the agent acts for")
        parser.add_argument("--agent", required=True, metavar="NAME", help="the name shown beside what it writes")
        parser.add_argument(
            "--scope",
            action="append",
            default=[],
            metavar="ROLE@LOCATION",
            help="at most this role at and below this location, such as editor@product/launch; may be repeated; "
            "without one it reaches all that the person does",
        )
        parser.add_argument("--expires", type=days, metavar="30d", help="days until the token stops working")
        parser.add_argument("--host", default="", help="the program it runs in, such as claude-code")

    def handle(
        self, *, person: str, agent: str, scope: list[str], expires: int | None, host: str, **options: Any
    ) -> None:
        actor = find(person)
        try:
            minted = agents.create(actor, name=agent, scopes=scope, expires_days=expires, host=host)
        except Refusal as refusal:
            raise CommandError(refusal.detail) from None
        self.stdout.write(minted.token)
