"""``manage.py verify``: whether what is stored is what was written."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from workspace.services import integrity


class Command(BaseCommand):
    help = "Recompute every commit id, every text's hash and every document's head; exit 1 and name what is broken."

    def handle(self, *, verbosity: int, **options: Any) -> None:
        extent = integrity.extent()
        broken = 0
        with tqdm(total=extent.steps, unit="", disable=None if verbosity else True) as bar:
            for fault in integrity.faults(bar.update):
                broken += 1
                with tqdm.external_write_mode(file=sys.stderr):
                    self.stdout.write(f"{fault.thing} {fault.why}")
        checked = f"{extent.commits:,} commits of {extent.documents:,} documents and {extent.texts:,} texts"
        if broken:
            raise CommandError(f"{broken:,} faults in {checked}.")
        self.stdout.write(f"Verified {checked}: all is as it was written.")
