"""The official conformance suite as a program: what it has, and what came of a run."""

import json
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.conformance.npm import NODE, Package

_LINE = re.compile(r"\s+- (\S+) \[(.*)\]")
_STAMP = re.compile(r"-\d{4}-\d\d-\d\dT[\dZ-]+\Z")


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check of a scenario. ``status`` is SUCCESS, FAILURE, WARNING, SKIPPED or INFO."""

    scenario: str
    id: str
    status: str
    message: str
    details: dict[str, Any]

    @property
    def told(self) -> str:
        """Whatever the check says of why it is so."""
        return f"{self.message} {json.dumps(self.details)}"


def scenarios(suite: Package, kind: str, version: str) -> set[str]:
    """The scenarios of ``kind`` (``server`` or ``authorization``) that the suite has for a version of the protocol."""
    return {name for name, versions in _listed(suite, kind) if version in versions}


def everything(suite: Package, kind: str) -> set[str]:
    """The scenarios of ``kind`` that the suite has."""
    return {name for name, _ in _listed(suite, kind)}


def versions(suite: Package, kind: str) -> set[str]:
    """The versions of the protocol that the suite has scenarios of ``kind`` for."""
    return set().union(*(versions for _, versions in _listed(suite, kind)))


@cache
def _listed(suite: Package, kind: str) -> list[tuple[str, set[str]]]:
    matches = map(_LINE.match, _run(suite, "list", f"--{kind}").splitlines())
    return [(match[1], set(match[2].split(","))) for match in matches if match]


def run(suite: Package, *arguments: str, results: Path, prefix: str) -> dict[str, list[Check]]:
    """Every check of a run, by scenario. The exit status of the suite is not asked: the checks are."""
    _run(suite, *arguments, "--output-dir", str(results), check=False)
    return read(results, prefix=prefix)


def read(results: Path, *, prefix: str) -> dict[str, list[Check]]:
    """Every check that a run left in ``results``, by scenario."""
    found: dict[str, list[Check]] = {}
    for folder in sorted(results.iterdir()):
        scenario = _STAMP.sub("", folder.name).removeprefix(prefix)
        checks = json.loads((folder / "checks.json").read_text())
        found[scenario] = list(_checks(scenario, checks))
    return found


def _checks(scenario: str, checks: list[dict[str, Any]]) -> Iterable[Check]:
    for check in checks:
        yield Check(
            scenario=scenario,
            id=check["id"],
            status=check["status"],
            message=check.get("errorMessage") or "",
            details=check.get("details") or {},
        )


def _run(suite: Package, *arguments: str, check: bool = True) -> str:
    done = subprocess.run(
        [str(NODE.path), str(suite.path), *arguments], capture_output=True, text=True, timeout=300, check=False
    )
    assert not check or done.returncode == 0, done.stderr
    return done.stdout
