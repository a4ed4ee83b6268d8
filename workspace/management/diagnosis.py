"""What `doctor` looks at: each part of an instance, its state, and the mend where it is not well."""

import json
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from celery import current_app
from django.conf import settings
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor

from workspace.management.postgres import Cluster
from workspace.queries import health
from workspace.services import heartbeats

OK, WARNING, BROKEN = "ok", "warning", "broken"
EXTENSIONS = ("vector", "pg_trgm", "ltree", "unaccent")
OLDEST_SERVER = 160_000
# Signs of life come every 5 s.
SILENT_S = 30.0
START = "run `make up`"


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part: `state` is `ok`, `warning` or `broken`; `mend` says what to do, "" where it is well."""

    name: str
    state: str
    detail: str
    mend: str = ""


def examine() -> tuple[Part, ...]:
    """Looks at every part; never raises for one that is broken."""
    return (*_database(), _broker(), *_engines(), _base_url(), _disk())


def _database() -> Iterator[Part]:
    cluster = Cluster(folder=settings.EMBEDDED_POSTGRES) if settings.EMBEDDED_POSTGRES else None
    mend = START if cluster else "look at DATABASE_URL, and whether that server runs and lets this machine in"
    if cluster and cluster.pid() is None:
        yield Part(name="database", state=BROKEN, detail="the embedded PostgreSQL does not run", mend=mend)
    else:
        try:
            yield from _inside_the_database(embedded=cluster is not None)
            return
        except Error as error:
            detail = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            yield Part(name="database", state=BROKEN, detail=detail, mend=mend)
    for name in ("migrations", "extensions", "worker", "beat"):
        yield Part(name=name, state=BROKEN, detail="unknown without the database", mend="mend the database first")


def _inside_the_database(*, embedded: bool) -> Iterator[Part]:
    with connection.cursor() as cursor:
        cursor.execute("select current_setting('server_version'), current_setting('server_version_num')::int")
        version, number = cursor.fetchone()
        cursor.execute(
            "select name, installed_version from pg_available_extensions where name = any(%s)", [list(EXTENSIONS)]
        )
        available = dict(cursor.fetchall())
    detail = f"PostgreSQL {version}, {'embedded' if embedded else 'by DATABASE_URL'}"
    if number < OLDEST_SERVER:
        yield Part(name="database", state=BROKEN, detail=detail, mend="use PostgreSQL 16 or newer")
    else:
        yield Part(name="database", state=OK, detail=detail)

    executor = MigrationExecutor(connection)
    pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if pending:
        yield Part(
            name="migrations", state=BROKEN, detail=f"{len(pending)} pending", mend=f"{START}, or `manage.py migrate`"
        )
    else:
        yield Part(name="migrations", state=OK, detail="all applied")

    missing = [name for name in EXTENSIONS if name not in available]
    if missing:
        yield Part(
            name="extensions",
            state=BROKEN,
            detail="the server lacks " + ", ".join(missing),
            mend="install the server's contrib package and pgvector",
        )
    else:
        yield Part(name="extensions", state=OK, detail=", ".join(EXTENSIONS))

    ages = {} if pending else health.heartbeats()
    start = f"{START}, or `celery -A workspace.config.celery worker --pool threads`"
    yield _alive("worker", ages.get(heartbeats.WORKER), start)
    yield _alive("beat", ages.get(heartbeats.BEAT), f"{START}, or `celery -A workspace.config.celery beat`; see broker")


def _alive(name: str, age: float | None, mend: str) -> Part:
    if age is None:
        return Part(name=name, state=BROKEN, detail="never seen", mend=mend)
    if age > SILENT_S:
        return Part(name=name, state=BROKEN, detail=f"silent for {age:,.0f} s", mend=mend)
    return Part(name=name, state=OK, detail=f"seen {age:.0f} s ago")


def _broker() -> Part:
    folder: Path | None = settings.BATON_BROKER_FOLDER
    try:
        if folder:
            waiting = sum(1 for entry in folder.iterdir() if entry.suffix == ".msg")
            probe = folder / ".doctor"
            probe.touch()
            probe.unlink()
            return Part(name="broker", state=OK, detail=f"embedded, {waiting} waiting")
        with current_app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=1, interval_start=0, timeout=2)
            return Part(name="broker", state=OK, detail=broker.as_uri())
    except Exception as error:
        return Part(
            name="broker",
            state=BROKEN,
            detail=f"does not answer ({type(error).__name__})",
            mend="look at CELERY_BROKER_URL and whether that server runs; jobs wait in the database meanwhile",
        )


def _engines() -> Iterator[Part]:
    yield Part(name="summarizer", state=OK, detail=settings.BATON_SUMMARIZER)
    yield Part(name="embeddings", state=OK, detail=f"{settings.BATON_EMBEDDINGS}: search is by words")


def _base_url() -> Part:
    url = settings.BATON_BASE_URL
    mend = f"{START}; if it runs, set BATON_BASE_URL to the address that people open"
    try:
        with urllib.request.urlopen(f"{url}/healthz", timeout=4) as answer:
            if json.load(answer).get("status") == "ok":
                return Part(name="base URL", state=OK, detail=url)
        return Part(name="base URL", state=BROKEN, detail=f"{url} is answered by something else", mend=mend)
    except (OSError, ValueError, AttributeError) as error:
        reason = getattr(error, "reason", None) or type(error).__name__
        return Part(name="base URL", state=BROKEN, detail=f"{url} does not answer ({reason})", mend=mend)


def _disk() -> Part:
    folder: Path = settings.BATON_DATA
    free = shutil.disk_usage(folder).free
    detail = f"{free / 2**30:,.1f} GiB free at {folder}"
    if free < 2**28:
        return Part(name="disk", state=BROKEN, detail=detail, mend="free some space, or move the folder")
    if free < 2**31:
        return Part(name="disk", state=WARNING, detail=detail, mend="free some space soon")
    return Part(name="disk", state=OK, detail=detail)
