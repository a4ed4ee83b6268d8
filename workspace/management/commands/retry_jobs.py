"""``manage.py retry_jobs``: jobs that gave up are tried again."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from tqdm import tqdm

from workspace.errors import Refusal
from workspace.management.operator import administrator
from workspace.models import Job, JobKind, JobState
from workspace.services import jobs


class Command(BaseCommand):
    help = "Make every job that gave up due again, with all its tries. Stopped half-way, the next run does the rest."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--kind", choices=JobKind.values, help="only jobs of this kind")

    def handle(self, *, kind: str | None, verbosity: int, **options: Any) -> None:
        failed = Job.objects.filter(state=JobState.FAILED)
        if kind:
            failed = failed.filter(kind=kind)
        due = list(failed.order_by("pk").values_list("pk", flat=True))
        actor = administrator() if due else None
        retried = 0
        for pk in tqdm(due, unit="job", disable=None if verbosity else True):
            assert actor is not None
            try:
                jobs.retry(actor, job=pk)
            except Refusal as refusal:
                with tqdm.external_write_mode(file=sys.stderr):
                    self.stderr.write(f"{pk}: {refusal.detail}")
            else:
                retried += 1
        self.stdout.write(f"{retried:,} jobs are due again.")
