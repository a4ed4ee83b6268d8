"""Engines that make a summary of one capture, chosen by the setting ``BATON_SUMMARIZER``."""

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from workspace.summarizers.base import Summarizer
from workspace.summarizers.dummy import Dummy
from workspace.summarizers.extractive import Extractive

ENGINES: dict[str, type[Summarizer]] = {engine.name: engine for engine in (Extractive, Dummy)}


def engine(name: str | None = None) -> Summarizer:
    """The engine called ``name``, by default the instance's. Raises ``ImproperlyConfigured`` for one that is not
    there."""
    name = name or settings.BATON_SUMMARIZER
    if name not in ENGINES:
        raise ImproperlyConfigured(f"BATON_SUMMARIZER takes one of: {', '.join(ENGINES)}.")
    return ENGINES[name]()
