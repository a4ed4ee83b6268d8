"""``manage.py reindex``: documents whose search index is behind are indexed by the workers."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from tqdm import tqdm

from workspace.services import reindexing

POLL_S = 0.5


class Command(BaseCommand):
    help = (
        "Queue documents for the search index: those that are behind their head, or all. Stopped half-way, the next "
        "run does the rest; the workers do the indexing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--all", action="store_true", help="also those whose index is up to date")
        parser.add_argument("--wait", action="store_true", help="stay until the workers have indexed them")

    def handle(self, *, all: bool, wait: bool, verbosity: int, **options: Any) -> None:
        total = reindexing.count(everything=all)
        quiet = None if verbosity else True
        with tqdm(total=total, unit="document", desc="queued", disable=quiet) as bar:
            queued = 0
            for number in reindexing.enqueue(everything=all):
                queued += number
                bar.update(number)
        self.stdout.write(f"Queued {queued:,} documents.")
        if wait:
            self.follow(quiet)

    def follow(self, quiet: bool | None) -> None:
        left = reindexing.unfinished()
        with tqdm(total=left, unit="document", desc="indexed", disable=quiet) as bar:
            while left:
                time.sleep(POLL_S)
                now = reindexing.unfinished()
                bar.update(max(0, left - now))
                left = now
        self.stdout.write("Nothing is left to index.")
