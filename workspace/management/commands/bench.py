"""``manage.py bench [NAME]``: the benchmarks, as tables or with --json; exit 1 when a bound is not met."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser

from workspace.management.bench import core, start
from workspace.management.bench.figures import Figure, as_json, table

BENCHMARKS = ("core", "start")
INSIDE = "BATON_BENCH_INSIDE"


class Command(BaseCommand):
    help = "Run the benchmarks in a workspace of their own; nothing of this one is touched."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", choices=BENCHMARKS, help="which one; all by default")
        parser.add_argument("--json", action="store_true", help="as JSON")
        parser.add_argument("--rounds", type=int, default=core.ROUNDS, help="rounds of each request (default 200)")

    def handle(self, *args: Any, **options: Any) -> None:
        if os.environ.get(INSIDE) != "1":
            sys.exit(_elsewhere(sys.argv))
        names = [options["name"]] if options["name"] else list(BENCHMARKS)
        figures: list[Figure] = []
        if "core" in names:
            call_command("migrate", verbosity=0)
            call_command("createcachetable", verbosity=0)
            figures += core.run(rounds=options["rounds"])
        if "start" in names:
            figures += start.run()
        self.stdout.write(as_json(figures) if options["json"] else table(figures))
        if not all(figure.met for figure in figures):
            sys.exit(1)


def _elsewhere(arguments: list[str]) -> int:
    """Run the same command in a fresh process whose data folder is temporary and whose database is embedded."""
    with tempfile.TemporaryDirectory(prefix="baton-bench-") as folder:
        Path(folder).chmod(0o755)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("BATON_", "DATABASE_URL", "CELERY_"))}
        environment = kept | {INSIDE: "1", "BATON_DATA": str(Path(folder) / "data")}
        return subprocess.run([sys.executable, *arguments], env=environment, check=False).returncode
