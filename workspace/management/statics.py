"""Static files are collected into the data folder when they changed, so that nobody has to think of it."""

import hashlib
from pathlib import Path

from django import __version__ as django_version
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command

# Source maps are half of the volume and only serve people who debug other people's libraries.
IGNORED = ["*.map", "*.md", "LICENSE*"]


def collect() -> bool:
    """Collects them where any changed since the last time; whether it did."""
    mark = Path(settings.STATIC_ROOT) / ".collected"
    found = _fingerprint()
    try:
        if mark.read_text() == found:
            return False
    except OSError:
        pass
    call_command("collectstatic", verbosity=0, interactive=False, ignore_patterns=IGNORED)
    mark.write_text(found)
    return True


def _fingerprint() -> str:
    digest = hashlib.sha256(django_version.encode())
    for finder in get_finders():
        for name, storage in finder.list(IGNORED):
            status = Path(storage.path(name)).stat()
            digest.update(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
