"""`manage.py up`: everything that an instance needs, in one console."""

import contextlib
import errno
import fcntl
import http.client
import os
import shutil
import signal
import socket
import sys
import threading
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import IO, Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command
from django.db import OperationalError, connection, connections
from django.db.migrations.executor import MigrationExecutor

from workspace.management import statics
from workspace.management.postgres import CannotStart, Cluster, Lease
from workspace.management.supervisor import Child, Console, Program, stop
from workspace.queries import health
from workspace.services import welcome

MIGRATION_LOCK = 0x6D696772617465  # "migrate"; the tree of folders has a lock of its own in the same number space
READY_S = 120.0
EARLY_DEATHS = 3
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG}


class Stopped(Exception):
    """Asked to stop before everything was up."""


class Command(BaseCommand):
    help = "Run Baton: database, web and MCP server, background jobs. Ctrl-C stops it."
    # The web processes check themselves; here checks would load every page before anything starts.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        cores = os.cpu_count() or 1
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--data", help="folder for everything that is kept (BATON_DATA)")
        parser.add_argument("--demo", action="store_true", help="fill an empty workspace with an example")
        parser.add_argument("--web-workers", type=int, default=max(1, min(4, cores // 2)), metavar="N")
        parser.add_argument("--job-workers", type=int, default=1, metavar="N")

    def handle(self, *_: Any, **options: Any) -> None:
        if options["web_workers"] < 1 or options["job_workers"] < 1:
            raise CommandError("--web-workers and --job-workers take 1 or more.")
        if not 1 <= options["port"] <= 65535:
            # The resolver would quietly take it modulo 65536.
            raise CommandError("--port takes a number from 1 to 65535.")
        with contextlib.ExitStack() as stack:
            stack.enter_context(_only_one(settings.BATON_DATA))
            listener = stack.enter_context(_listen(options["host"], options["port"]))
            Instance(options, listener).run()


class Instance:
    """One run of the product, from the lock to the last child's end."""

    def __init__(self, options: dict[str, Any], listener: socket.socket) -> None:
        self.options = options
        self.listener = listener
        self.console = Console(stream=sys.stdout)
        self.signals = 0
        self.wake = threading.Event()
        self.cluster = Cluster(folder=settings.EMBEDDED_POSTGRES) if settings.EMBEDDED_POSTGRES else None
        self.lease: Lease | None = None
        self.children: list[Child] = []
        self.new = False

    def say(self, line: str) -> None:
        self.console.say("baton", line)

    def run(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._asked_to_stop)
        self.say("starting")
        try:
            if statics.collect():
                self.say("collected the static files")
            self._start_children()
            self._start_database()
            self._prepare()
            for child in self.children:
                child.go()
            self._wait_until_ready()
            self._welcome()
            self._supervise()
        except Stopped:
            pass
        except CannotStart as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            raise CommandError(
                f"The data folder {settings.BATON_DATA} cannot be written ({error.strerror}). "
                "Make room, or name another with --data."
            ) from error
        finally:
            self._stop()

    def _asked_to_stop(self, _number: int, _frame: FrameType | None) -> None:
        self.signals += 1
        self.wake.set()

    def _pause(self, seconds: float) -> None:
        self.wake.wait(seconds)
        if self.signals:
            raise Stopped

    # -- database -------------------------------------------------------------

    def _start_database(self) -> None:
        if self.cluster is None:
            self._wait_for_database()
            return
        self.lease = Lease(self.cluster, give_up=lambda: self.signals > 0)
        self.lease.take(die_with_parent=True)
        self._pause(0)

    def _wait_for_database(self) -> None:
        end = time.monotonic() + 30
        while True:
            try:
                connection.ensure_connection()
                return
            except OperationalError as error:
                if time.monotonic() > end:
                    raise CannotStart(f"DATABASE_URL does not answer: {str(error).strip()}") from error
                self._pause(0.5)

    def _prepare(self) -> None:
        with connection.cursor() as cursor:
            # Several machines that start at once on one database take turns.
            cursor.execute("select pg_advisory_lock(%s)", [MIGRATION_LOCK])
            executor = MigrationExecutor(connection)
            if executor.migration_plan(executor.loader.graph.leaf_nodes()):
                self.say("preparing the database")
                call_command("migrate", verbosity=0, interactive=False)
            call_command("createcachetable", verbosity=0)
            cursor.execute("select pg_advisory_unlock(%s)", [MIGRATION_LOCK])
        if self.options["demo"]:
            try:
                call_command("demo")
            except CommandError as error:
                self.say(str(error))  # what is there is still to be served
        self.new = health.is_new()
        connection.close()

    # -- children -------------------------------------------------------------

    def _start_children(self) -> None:
        counts = settings.BATON_DATA / "metrics"
        shutil.rmtree(counts, ignore_errors=True)
        counts.mkdir(parents=True)
        environment = {
            **os.environ,
            "PYTHONUNBUFFERED": "1",
            "BATON_DATA": str(settings.BATON_DATA),
            "BATON_BASE_URL": settings.BATON_BASE_URL,
            "BATON_SUPERVISED": "1",
        }
        for name in ("BATON_DATA_FILE", "BATON_BASE_URL_FILE"):
            environment.pop(name, None)
        for index in range(self.options["job_workers"]):
            command = [sys.executable, "-m", "workspace.config.worker", "4", *(["beat"] if index == 0 else [])]
            self._add(Program(name="jobs", command=command, environment=environment))
        descriptor = self.listener.fileno()
        for _ in range(self.options["web_workers"]):
            self._add(
                Program(
                    name="web",
                    command=[sys.executable, "-m", "workspace.config.web", str(descriptor)],
                    environment={**environment, "PROMETHEUS_MULTIPROC_DIR": str(counts)},
                    inherit=(descriptor,),
                )
            )

    def _add(self, program: Program) -> None:
        child = Child(program, self.console)
        child.start()
        self.children.append(child)

    def _wait_until_ready(self) -> None:
        end = time.monotonic() + READY_S
        while not self._answers():
            self._look()
            for child in self.children:
                if child.quick_deaths >= EARLY_DEATHS:
                    raise CannotStart(f"{child.program.name} does not start; its last lines are above.")
            if time.monotonic() > end:
                raise CannotStart(f"Not ready after {READY_S:.0f} s; what the parts said is above.")
            self._pause(0.1)
        self.say(f"Baton is ready at {settings.BATON_BASE_URL}")

    def _answers(self) -> bool:
        return self._status("/readyz") == 200 and self._status("/mcp", "POST") == 401

    def _status(self, path: str, method: str = "GET") -> int:
        host, port = self.listener.getsockname()[:2]
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
        visitor = http.client.HTTPConnection(host, port, timeout=2)
        try:
            visitor.request(method, path, headers={"Host": f"127.0.0.1:{port}"})
            return visitor.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            visitor.close()

    def _welcome(self) -> None:
        if self.new:
            connection.ensure_connection()
            token = welcome.make_link()
            connection.close()
            self.say(f"First sign-in, once, within 24 hours: {settings.BATON_BASE_URL}/welcome/{token}")

    def _supervise(self) -> None:
        while True:
            self._pause(0.2)
            self._look()

    def _look(self) -> None:
        if self.lease is not None and not self.lease.alive():
            self.say("the database ended; starting it again")
            try:
                self.lease.revive()
            except CannotStart as error:
                self.say(str(error))
        for child in self.children:
            child.look()

    # -- the end --------------------------------------------------------------

    def _stop(self) -> None:
        self.say("stopping")
        asked = self.signals
        stop(self.children, hurry=lambda: self.signals > max(asked, 1))
        if self.lease is not None:
            connections.close_all()
            self.lease.release(patience=3.0)
        self.say("stopped")


@contextlib.contextmanager
def _only_one(data: Path) -> Iterator[None]:
    """Holds the data folder's lock; refuses where another `up` has it, or the folder cannot be written."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        handle: IO[str] = (data / "up.lock").open("a+")
        handle.seek(0)
        owner = handle.read().strip().partition("\n")[0]
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(
                f"Baton already runs on this data folder ({data})"
                + (f": {owner}." if owner else ".")
                + " Stop it first, or name another folder with --data."
            ) from None
        handle.truncate(0)
        handle.write(f"process {os.getpid()} at {settings.BATON_BASE_URL}\n")
        handle.flush()
    except OSError as error:
        raise CommandError(
            f"The data folder {data} cannot be written ({error.strerror}). Name another with --data."
        ) from error
    with handle:
        yield


@contextlib.contextmanager
def _listen(host: str, port: int) -> Iterator[socket.socket]:
    """The listening socket, made before anything else so that a taken port costs a second and no process."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(1024)
    except (OSError, OverflowError) as error:
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            raise CommandError(f"Port {port} on {host} is taken. Name another with --port.") from error
        raise CommandError(f"Cannot listen on {host} port {port}: {error}. Use --host and --port.") from error
    with listener:
        yield listener
