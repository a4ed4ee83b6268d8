"""The key that everything is signed with."""

import contextlib
import os
import secrets
from pathlib import Path

from workspace.config.environment import WrongValue, unusable


def key(given: str, data: Path) -> str:
    """The key that was ``given``, else the one in the folder ``data``, made on first use. Raises ``WrongValue``."""
    if given:
        if len(given) < 32:
            raise WrongValue("BATON_SECRET_KEY", "at least 32 characters")
        return given
    path = data / "secret_key"
    try:
        data.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            fresh = path.with_name(f"secret_key.{os.getpid()}")
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as handle:
                handle.write(secrets.token_urlsafe(64))
                handle.flush()
                os.fsync(handle.fileno())
            # Two first starts at once: link, unlike rename, keeps the first one's key.
            with contextlib.suppress(FileExistsError):
                os.link(fresh, path)
            fresh.unlink()
        return path.read_text(encoding="ascii").strip()
    except OSError as error:
        raise unusable(data, error) from error
