"""Real brokers from the system's packages, on free ports, in folders of their own."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.instance import free_port

RABBITMQ = "/usr/lib/rabbitmq/bin/rabbitmq-server"


def require(program: str | None, name: str) -> str:
    """The program's path; without it the test is skipped here and failed in CI."""
    if program and Path(program).exists():
        return program
    if os.environ.get("CI"):
        pytest.fail(f"{name} is not installed")
    pytest.skip(f"{name} is not installed")


@contextlib.contextmanager
def redis(folder: Path, port: int | None = None) -> Iterator[str]:
    """A Redis server without persistence; yields its address."""
    program = require(shutil.which("redis-server"), "redis-server")
    port = port or free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    with _served([program, *options], folder / "redis.log", {}, port, signal.SIGTERM, timeout=20):
        yield f"redis://127.0.0.1:{port}/0"


@contextlib.contextmanager
def rabbitmq(folder: Path) -> Iterator[str]:
    """A RabbitMQ node of its own; yields its address. Erlang's port mapper is its own too."""
    program = require(RABBITMQ, "rabbitmq-server")
    port, distribution, mapper = free_port(), free_port(), free_port()
    environment = {
        "HOME": str(folder),
        "RABBITMQ_NODENAME": f"baton{port}@localhost",
        "RABBITMQ_MNESIA_BASE": str(folder),
        "RABBITMQ_LOG_BASE": str(folder),
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(distribution),
        "RABBITMQ_CONFIG_FILE": str(folder / "none"),
        "RABBITMQ_CONF_ENV_FILE": str(folder / "none.env"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_FEATURE_FLAGS_FILE": str(folder / "flags"),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "ERL_EPMD_PORT": str(mapper),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
    }
    try:
        with _served([program], folder / "rabbitmq.log", environment, port, signal.SIGTERM, timeout=90):
            yield f"amqp://guest:guest@127.0.0.1:{port}//"
    finally:
        subprocess.run(["epmd", "-port", str(mapper), "-kill"], capture_output=True)


@contextlib.contextmanager
def _served(
    command: list[str], log: Path, environment: dict[str, str], port: int, stop: int, *, timeout: float
) -> Iterator[None]:
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        end = time.monotonic() + timeout
        while not _listens(port):
            if process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"{command[0]} did not start:\n{log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.1)
        yield
    finally:
        # Its scripts start the server as a child: the group, not the process.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, stop)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0
