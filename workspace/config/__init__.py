"""Composition root: settings, addresses, servers. Nothing imports it.

The Celery application is loaded with the settings, so that whoever has settings can ring.
"""

from workspace.config.celery import app as celery

__all__ = ["celery"]
