"""``manage.py purge``: what people deleted, and records that have served their time, are let go for good."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone
from tqdm import tqdm

from workspace.management.operator import days, operator
from workspace.services import purging

KEPT_DAYS = 30


class Command(BaseCommand):
    help = (
        "Remove for good documents that were deleted a while ago, with their history, and expired keys, sessions, "
        "links and finished jobs. Stopped half-way, the next run does the rest."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--older-than", type=days, default=KEPT_DAYS, metavar="30d", help="how long ago it was deleted"
        )
        parser.add_argument("--dry-run", action="store_true", help="only say how much it would be")

    def handle(self, *, older_than: int, dry_run: bool, verbosity: int, **options: Any) -> None:
        before = timezone.now() - timedelta(days=older_than)
        extent = purging.extent(before=before)
        found = f"{extent.documents:,} documents and {extent.records:,} records"
        if dry_run:
            self.stdout.write(f"Would remove {found}.")
            return
        actor = operator("purge")
        quiet = None if verbosity else True
        with tqdm(total=extent.documents, unit="document", disable=quiet) as bar:
            for number in purging.documents(actor, before=before):
                bar.update(number)
        with tqdm(total=extent.records, unit="record", disable=quiet) as bar:
            for number in purging.records(actor, before=before):
                bar.update(number)
        self.stdout.write(f"Removed {found}.")
