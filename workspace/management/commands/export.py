"""``manage.py export LOCATION OUT.zip``: everything readable below a folder."""

import os
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from workspace.errors import Refusal
from workspace.management.operator import administrator, person
from workspace.queries import export


class Command(BaseCommand):
    help = "Write everything readable below a folder into a zip, with a manifest of where it was."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("location", metavar="LOCATION")
        parser.add_argument("out", type=Path, metavar="OUT.zip")
        parser.add_argument(
            "--as", metavar="EMAIL", dest="email", help="what this person may read; an administrator's all if left out"
        )
        parser.add_argument("--force", action="store_true", help="write over OUT.zip where it exists")

    def handle(
        self, *, location: str, out: Path, email: str | None, force: bool, verbosity: int, **options: Any
    ) -> None:
        actor = person(email) if email else administrator()
        if out.exists() and not force:
            raise CommandError(f"{out} exists. Choose another name, or say --force to write over it.")
        try:
            total = export.count(actor, location=location)
            # Beside its place and renamed at the end, so that nobody takes half an archive for a whole one.
            handle, part = tempfile.mkstemp(dir=out.absolute().parent, prefix=f".{out.name}.")
            try:
                with os.fdopen(handle, "wb") as file:
                    with tqdm(total=total, unit="document", disable=None if verbosity else True) as bar:
                        written = export.write_zip(actor, location=location, file=file, advance=bar.update)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(part, out)
            finally:
                Path(part).unlink(missing_ok=True)
        except Refusal as refusal:
            raise CommandError(f"{location}: {refusal.detail}") from None
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}.") from None
        self.stdout.write(f"Wrote {written:,} documents to {out}.")
