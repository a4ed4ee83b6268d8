"""Commands as a person runs them: by name, with what they print."""

import io
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.core.management import CommandError, call_command


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What a command printed, and the error it ended with, if any."""

    out: str
    err: str
    error: str = ""


@pytest.fixture
def manage(db: None) -> Callable[..., Ran]:
    """Runs `manage.py` with the arguments given."""

    def run(*arguments: object) -> Ran:
        name, *rest = (str(argument) for argument in arguments)
        out, err = io.StringIO(), io.StringIO()
        error = ""
        try:
            call_command(name, *rest, stdout=out, stderr=err)
        except CommandError as raised:
            error = str(raised)
        return Ran(out=out.getvalue(), err=err.getvalue(), error=error)

    return run
