"""What is logged, and how a line of it looks."""

import sys
from typing import Any


def configuration(level: str) -> dict[str, Any]:
    """``LOGGING``: lines on standard error from ``level`` on, each with the id of its request."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"request": {"()": "workspace.config.middleware.RequestIdFilter"}},
        "formatters": {"line": {"format": "%(levelname)s %(name)s %(request_id)s %(message)s"}},
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "stream": sys.stderr,
                "formatter": "line",
                "filters": ["request"],
            }
        },
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "django": {"level": "INFO", "handlers": [], "propagate": True},
            "django.server": {"level": "WARNING", "handlers": [], "propagate": True},
            "mcp": {"level": "WARNING"},
            "celery": {"level": "WARNING"},
            "kombu": {"level": "WARNING"},
            "psycopg.pool": {"level": "ERROR"},
            "httpx": {"level": "WARNING"},
        },
    }
