"""What every test shares. The database server is started by tests.settings, before Django reads it."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from playwright.sync_api import Browser, sync_playwright
from pytest_django import DjangoDbBlocker

from tests import brokers
from tests.instance import Instance
from workspace.services import audit

pytest_plugins = ["tests.cast"]

# Fixtures that start servers: their tests share one process, so that each server is started once.
HEAVY = {"live": "live", "browser": "live", "redis_url": "brokers", "rabbitmq_url": "brokers", "instance": "instances"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        names: list[str] = getattr(item, "fixturenames", [])
        group = next((HEAVY[name] for name in HEAVY if name in names), None)
        if group and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """Lets the flush between tests empty the audit log, which nothing else may."""
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE workspace_auditentry DISABLE TRIGGER workspace_audit_table")


@pytest.fixture(autouse=True)
def _every_refusal_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lifts what bounds the entries of a scan: a test may refuse more in a moment than anybody in a minute, and what
    it counts may not depend on how many there were before."""
    audit.forget_refusals()
    monkeypatch.setattr(audit, "PER_MINUTE", 10**9)
    monkeypatch.setattr(audit, "PER_MINUTE_UNKNOWN", 10**9)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short temporary path that PostgreSQL's own user can reach, which pytest's is not."""
    path = Path(tempfile.mkdtemp(prefix="baton-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def instance(folder: Path) -> Iterator[Instance]:
    """An instance that the test starts, hurts and stops by itself."""
    made = Instance(data=folder / "data")
    yield made
    made.stop()


@pytest.fixture(scope="session")
def live() -> Iterator[Instance]:
    """The product, started once for the session by `manage.py up`: `live.url`, `live.manage(…)`, `live.data`.

    Its database is its own and not the tests': make people and tokens by `live.manage`.
    """
    folder = Path(tempfile.mkdtemp(prefix="baton-live-"))
    made = Instance(data=folder / "data")
    try:
        yield made.start()
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window; `browser.new_context()` is a fresh person's browser."""
    program = brokers.require(shutil.which("chromium") or shutil.which("chromium-browser"), "chromium")
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    with sync_playwright() as playwright:
        # The driver runs an event loop in this thread, where Django would refuse synchronous queries.
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
        chromium = playwright.chromium.launch(executable_path=program, args=arguments)
        yield chromium
        chromium.close()
        os.environ.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    with _folder() as folder, brokers.redis(folder) as url:
        yield url


@pytest.fixture(scope="session")
def rabbitmq_url() -> Iterator[str]:
    with _folder() as folder, brokers.rabbitmq(folder) as url:
        yield url


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="baton-broker-", ignore_cleanup_errors=True) as name:
        yield Path(name)
