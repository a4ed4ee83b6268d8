"""``manage.py export LOCATION OUT.zip``: everything readable below a folder; ``--git`` for a repository."""

import os
import shutil
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from workspace.actor import Actor
from workspace.errors import Refusal
from workspace.management.operator import administrator, person
from workspace.queries import export, export_git
from workspace.queries.export_git import GitFailed


class Command(BaseCommand):
    help = (
        "Write everything readable below a folder into a zip, with a manifest of where it was, or into a bare git "
        "repository with authors, times, messages and parents."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("location", metavar="LOCATION")
        parser.add_argument("out", type=Path, metavar="OUT")
        parser.add_argument(
            "--as", metavar="EMAIL", dest="email", help="what this person may read; an administrator's all if left out"
        )
        parser.add_argument("--git", action="store_true", help="write a bare git repository with all history")
        parser.add_argument("--force", action="store_true", help="write over OUT where it exists")

    def handle(
        self, *, location: str, out: Path, email: str | None, git: bool, force: bool, verbosity: int, **options: Any
    ) -> None:
        actor = person(email) if email else administrator()
        if out.exists() and not force:
            raise CommandError(f"{out} exists. Choose another name, or say --force to write over it.")
        if git and out.exists() and not all((out / name).exists() for name in ("HEAD", "objects", "refs")):
            raise CommandError(f"{out} is no bare git repository, so it is not written over.")
        try:
            written = (self.git if git else self.zip)(actor, location, out, None if verbosity else True)
        except Refusal as refusal:
            raise CommandError(f"{location}: {refusal.detail}") from None
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}.") from None
        except GitFailed as error:
            raise CommandError(f"{out} cannot be written: {error}") from None
        self.stdout.write(f"Wrote {written:,} {'commits' if git else 'documents'} to {out}.")

    # Both write beside their place and rename at the end, so that nobody takes a half for a whole one.

    def zip(self, actor: Actor, location: str, out: Path, quiet: bool | None) -> int:
        """Writes the zip; the number of its documents."""
        total = export.count(actor, location=location)
        handle, part = tempfile.mkstemp(dir=out.absolute().parent, prefix=f".{out.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                with tqdm(total=total, unit="document", disable=quiet) as bar:
                    written = export.write_zip(actor, location=location, file=file, advance=bar.update)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, out)
        finally:
            Path(part).unlink(missing_ok=True)
        return written

    def git(self, actor: Actor, location: str, out: Path, quiet: bool | None) -> int:
        """Writes the repository; the number of its commits."""
        total = export_git.count(actor, location=location)
        part = Path(tempfile.mkdtemp(dir=out.absolute().parent, prefix=f".{out.name}."))
        try:
            with tqdm(total=total, unit="commit", disable=quiet) as bar:
                written = export_git.write(actor, location=location, path=part / "git", advance=bar.update)
            if out.is_dir() and not out.is_symlink():
                out.rename(part / "old")
            os.replace(part / "git", out)
        finally:
            shutil.rmtree(part, ignore_errors=True)
        return written
