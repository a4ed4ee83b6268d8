"""What is logged, and how a line of it looks: whoever reads logs enters nowhere with what stands in them."""

import copy
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
        return _legible(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:
        """Each line indented: what an exception quotes of a request begins no line either."""
        return "\n".join(f"  {_legible(line)}" for line in super().formatException(ei).split("\n"))

    def format(self, record: logging.LogRecord) -> str:
        return TOKENS.sub("btn_…", PATHS.sub(r"\1…", super().format(record)))


def _legible(line: str) -> str:
    return UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), line)


class Refused(logging.Filter):
    """Of a request that was refused, one line and a warning. Django writes some as errors, with a traceback, and
    anybody can send those by the thousand: a Host of their own, too many fields, a form that is none."""

    def filter(self, record: logging.LogRecord) -> bool | logging.LogRecord:
        refused = record.name.startswith(("django.request", "django.security"))
        if not refused or getattr(record, "status_code", 500) >= 500:
            return True
        if not logging.getLogger().isEnabledFor(logging.WARNING):
            return False
        # A copy, since other handlers get the same record.
        line = copy.copy(record)
        line.exc_info = line.exc_text = None
        line.levelno, line.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
        return line


def configuration(level: str) -> dict[str, Any]:
    """``LOGGING``: lines on standard error from ``level`` on, each with the id of its request."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {
            "request": {"()": "workspace.config.middleware.RequestIdFilter"},
            "refused": {"()": "workspace.config.logs.Refused"},
        },
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
                "filters": ["request", "refused"],
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
