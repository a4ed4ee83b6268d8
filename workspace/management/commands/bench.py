"""``manage.py bench [NAME]``: the benchmarks, as tables or with --json; exit 1 when a bound is not met."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser

from workspace.management.bench import access, core, history, hooks, merge, start
from workspace.management.bench.figures import Figure, as_json, from_json, table

BENCHMARKS = ("core", "access", "history", "hooks", "merge", "start")
INSIDE = "BATON_BENCH_INSIDE"


class Command(BaseCommand):
    help = "Run the benchmarks in a workspace of their own; nothing of this one is touched."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", choices=BENCHMARKS, help="which one; all by default")
        parser.add_argument("--json", action="store_true", help="as JSON")
        parser.add_argument("--rounds", type=int, default=core.ROUNDS, help="rounds of each request (default 200)")

    def handle(self, *args: Any, **options: Any) -> None:
        names = [options["name"]] if options["name"] else list(BENCHMARKS)
        if os.environ.get(INSIDE) == "1":
            self.stdout.write(as_json(_run(names[0], options["rounds"])))
            return
        figures = [figure for name in names for figure in _elsewhere(name, options["rounds"])]
        self.stdout.write(as_json(figures) if options["json"] else table(figures))
        if not all(figure.met for figure in figures):
            sys.exit(1)


def _run(name: str, rounds: int) -> list[Figure]:
    if name in ("start", "merge"):
        return start.run() if name == "start" else merge.run()
    call_command("migrate", verbosity=0)
    call_command("createcachetable", verbosity=0)
    if name == "core":
        return core.run(rounds=rounds)
    return {"history": history.run, "hooks": hooks.run, "access": access.run}[name]()


def _elsewhere(name: str, rounds: int) -> list[Figure]:
    """Run one benchmark in a fresh process whose data folder is temporary and whose database is embedded."""
    with tempfile.TemporaryDirectory(prefix="baton-bench-") as folder:
        Path(folder).chmod(0o755)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("BATON_", "DATABASE_URL", "CELERY_"))}
        environment = kept | {INSIDE: "1", "BATON_DATA": str(Path(folder) / "data")}
        command = [sys.executable, sys.argv[0], "bench", name, "--rounds", str(rounds)]
        done = subprocess.run(command, env=environment, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    return from_json(done.stdout)
