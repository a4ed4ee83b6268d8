"""``manage.py import PATH --into LOCATION --as EMAIL``: a folder, a zip or a git repository of Markdown."""

import sys
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from workspace.errors import Refusal
from workspace.management.operator import person
from workspace.services import imports, sources
from workspace.services.entries import Unreadable
from workspace.services.imports import Came, Result


class Command(BaseCommand):
    help = (
        "Import a folder, a zip or a git repository of Markdown; from git the history of each file comes along. A "
        "second run imports only what changed, and merges it with what people wrote since."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="PATH")
        parser.add_argument("--into", required=True, metavar="LOCATION", help="the folder that receives it")
        parser.add_argument("--as", required=True, metavar="EMAIL", dest="email", help="the person who imports")
        parser.add_argument("--no-history", action="store_true", help="take a git repository as a folder")

    def handle(self, *, path: Path, into: str, email: str, no_history: bool, verbosity: int, **options: Any) -> None:
        actor = person(email)
        counts: Counter[Came] = Counter()
        ignored = versions = 0
        try:
            with sources.opened(path, history=not no_history) as entries:
                bar = tqdm(
                    imports.run(actor, entries=entries, into=into),
                    total=len(entries),
                    unit="file",
                    disable=None if verbosity else True,
                )
                for result in bar:
                    if result.expected:
                        ignored += 1
                    else:
                        counts[result.came] += 1
                    versions += result.versions
                    self.tell(result, verbosity)
        except Unreadable as reason:
            raise CommandError(f"{path} {reason}") from None
        except Refusal as refusal:
            raise CommandError(f"{into}: {refusal.detail}") from None
        self.stdout.write(", ".join(f"{counts[came]:,} {came}" for came in Came) + ".")
        if versions:
            self.stdout.write(f"{versions:,} commits came along, with their authors and times.")
        if ignored:
            self.stdout.write(f"Left out, hidden or not Markdown: {ignored:,} (--verbosity 2 names them).")

    def tell(self, result: Result, verbosity: int) -> None:
        """Names, beside the bar, what did not go in as it is."""
        if result.came is Came.CONFLICT:
            line = f"{result.name}: conflicts with what was written at {result.location}; kept for somebody to resolve."
        elif result.came is Came.SKIPPED and (not result.expected or verbosity > 1):
            line = f"{result.name}: {result.why}"
        else:
            return
        if verbosity:
            with tqdm.external_write_mode(file=sys.stderr):
                self.stderr.write(line, lambda text: text)
