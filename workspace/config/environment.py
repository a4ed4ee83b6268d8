"""Settings as environment variables, read once and refused loudly.

Every variable NAME may instead be given as NAME_FILE, the path of a file whose
content, less the line break at its end, is the value: the form that container
secrets take. Naming both is refused. An empty variable counts as absent.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from django.core.exceptions import ImproperlyConfigured

ROOT = Path(__file__).resolve().parents[2]


class WrongValue(ImproperlyConfigured):
    """A variable holds what it cannot take. The text names the variable and what it takes.

    The value itself is left out: it may be a secret and the text is printed.
    """

    def __init__(self, name: str, takes: str) -> None:
        self.name = name
        self.takes = takes
        super().__init__(f"{name} takes {takes}.")


def unusable(data: Path, error: OSError) -> WrongValue:
    """The refusal of a data folder that cannot be written."""
    return WrongValue("BATON_DATA", f"a folder that can be written (--data of `up`); {data}: {error.strerror}")


@dataclass(frozen=True, kw_only=True)
class Environment:
    """Typed reads of a mapping of variables."""

    variables: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def text(self, name: str, default: str = "") -> str:
        """The value, `default` where absent; raises WrongValue when NAME_FILE cannot be read."""
        value = self.variables.get(name, "")
        path = self.variables.get(f"{name}_FILE", "")
        if value and path:
            raise WrongValue(name, f"one value: {name} and {name}_FILE are both given")
        if path:
            try:
                value = Path(path).read_text(encoding="utf-8").rstrip("\r\n")
            except (OSError, UnicodeDecodeError) as error:
                raise WrongValue(f"{name}_FILE", "the path of a readable UTF-8 file") from error
        return value or default

    def choice(self, name: str, choices: tuple[str, ...], default: str) -> str:
        """One of `choices`."""
        value = self.text(name, default)
        if value not in choices:
            raise WrongValue(name, "one of: " + ", ".join(choices))
        return value

    def names(self, name: str, default: str = "") -> tuple[str, ...]:
        """Names separated by commas, in lower case."""
        return tuple(part.strip().lower() for part in self.text(name, default).split(",") if part.strip())

    def flag(self, name: str, default: bool = False) -> bool:
        """`true` or `false` (also `1 0 yes no on off`)."""
        value = self.text(name, "true" if default else "false").lower()
        if value in {"1", "true", "yes", "on"}:
            return True
        if value in {"0", "false", "no", "off"}:
            return False
        raise WrongValue(name, "true or false")

    def integer(self, name: str, default: int, *, least: int = 0, most: int = 2**31 - 1) -> int:
        """A whole number in `least..most`."""
        return self._number(name, default, int, "a whole number", least, most)

    def seconds(self, name: str, default: float, *, least: float = 0, most: float = 86400.0) -> float:
        """A number of seconds, fractions allowed, in `least..most`."""
        return self._number(name, default, float, "a number of seconds", least, most)

    def _number[N: (int, float)](
        self, name: str, default: N, parse: Callable[[str], N], noun: str, least: N, most: N
    ) -> N:
        takes = f"{noun} from {least} to {most}"
        try:
            value = parse(self.text(name, str(default)))
        except ValueError as error:
            raise WrongValue(name, takes) from error
        if not least <= value <= most:
            raise WrongValue(name, takes)
        return value

    def url(self, name: str, schemes: tuple[str, ...], default: str = "") -> str:
        """An address with one of `schemes`; "" where absent without a default."""
        value = self.text(name, default)
        if (value and split(value) is None) or (value and urlsplit(value).scheme not in schemes):
            raise WrongValue(name, "an address that starts with " + " or ".join(f"{s}://" for s in schemes))
        return value

    def folder(self, name: str, default: Path) -> Path:
        """An absolute path; it need not exist yet."""
        return Path(self.text(name, str(default))).expanduser().absolute()


def split(address: str) -> SplitResult | None:
    """The parts of an address; None where it or its port cannot be read."""
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 -- reading it is what validates it
    except ValueError:
        return None
    return parts
