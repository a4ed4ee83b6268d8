"""What is logged, and how a line of it looks: whoever reads logs enters nowhere with what stands in them."""

import logging
import re
import sys
from typing import Any

PATHS = re.compile(r"(/(?:enter|welcome|invitation|accounts/confirm-email|accounts/password/reset/key)/)[^\s/?#]+")
"""Addresses that let somebody in: links of people without a session, and keys that were mailed."""
TOKENS = re.compile(r"\bbtn_[\w-]+")


UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Of what was asked for, a line break would forge a line, and an escape what a terminal shows (CWE-117)."""


class Line(logging.Formatter):
    """A line, and perhaps a traceback, in which what lets somebody in is masked."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        line = super().formatMessage(record)
        return UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), line)

    def format(self, record: logging.LogRecord) -> str:
        return TOKENS.sub("btn_…", PATHS.sub(r"\1…", super().format(record)))


def configuration(level: str) -> dict[str, Any]:
    """``LOGGING``: lines on standard error from ``level`` on, each with the id of its request."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"request": {"()": "workspace.config.middleware.RequestIdFilter"}},
        "formatters": {
            "line": {
                "()": "workspace.config.logs.Line",
                "fmt": "%(levelname)s %(name)s %(request_id)s %(message)s",
            }
        },
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
