"""How work is handed to background workers, and what is due at intervals."""

from pathlib import Path
from typing import Any

from workspace.config.environment import unusable


def folder(address: str, data: Path) -> Path | None:
    """The folder of the embedded broker, made where it is missing; None for a broker that is a server."""
    if not address.startswith("filesystem:"):
        return None
    found = data / "broker"
    try:
        found.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unusable(data, error) from error
    return found


def transport(address: str, folder: Path | None) -> dict[str, Any]:
    """Options of the connection to the broker at ``address``, or in ``folder``."""
    options: dict[str, Any] = {"max_retries": 0}
    if folder is not None:
        return options | {
            "data_folder_in": str(folder),
            "data_folder_out": str(folder),
            "control_folder": str(folder),
            "polling_interval": 0.1,
        }
    if address.startswith("redis"):
        return options | {"socket_connect_timeout": 1.0, "socket_timeout": 10.0}
    return options


def schedule(*, sweep: float) -> dict[str, dict[str, Any]]:
    """What is due at intervals, the sweep every ``sweep`` seconds."""
    return {
        "sweep": {
            "task": "workspace.jobs.sweep",
            "schedule": sweep,
            "options": {"expires": max(sweep * 4, 10)},
        },
        "heartbeat": {
            "task": "workspace.config.background.heartbeat",
            "schedule": 5.0,
            "options": {"expires": 20},
        },
    }
