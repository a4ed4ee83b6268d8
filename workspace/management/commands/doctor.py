"""`manage.py doctor`: what is well, what is not, and what to do about it."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management import BaseCommand

from workspace.management import diagnosis


class Command(BaseCommand):
    help = "Look at each part of this instance. Exits 1 if one is broken."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="for programs: {ok, parts: [{name, state, …}]}")

    def handle(self, *_: Any, **options: Any) -> None:
        parts = diagnosis.examine()
        broken = any(part.state == diagnosis.BROKEN for part in parts)
        if options["json"]:
            self.stdout.write(json.dumps({"ok": not broken, "parts": [asdict(part) for part in parts]}, indent=2))
        else:
            width = max(len(part.name) for part in parts)
            styles = {diagnosis.OK: self.style.SUCCESS, diagnosis.WARNING: self.style.WARNING}
            for part in parts:
                style = styles.get(part.state, self.style.ERROR)
                self.stdout.write(f"{part.name:<{width}}  {style(f'{part.state:<7}')}  {part.detail}")
                if part.mend:
                    self.stdout.write(f"{'':<{width}}           → {part.mend}")
        if broken:
            raise SystemExit(1)
