"""``bench start``: seconds until ``up`` is ready, the first and the second time, and the memory of its processes."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from workspace.management.bench.figures import Figure

ROOT = Path(__file__).resolve().parents[3]


def run() -> list[Figure]:
    """All figures of the benchmark, with a data folder of its own."""
    with tempfile.TemporaryDirectory(prefix="baton-bench-") as folder:
        Path(folder).chmod(0o755)  # the database's own system user has to pass through
        first, _ = _start(Path(folder) / "data")
        second, memory = _start(Path(folder) / "data")
    return [
        Figure(name="first start, data folder empty", value=first, unit="s"),
        Figure(name="second start", value=second, unit="s", bound=8),
        Figure(name="memory of a web process", value=memory["web"], unit="MB", bound=250),
        Figure(name="memory of the worker", value=memory["worker"], unit="MB", bound=300),
    ]


def _start(data: Path) -> tuple[float, dict[str, float]]:
    """Seconds from ``manage.py up`` to its ready line, and the megabytes held by the largest web process and worker."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "BATON_DATA", "BATON_BASE_URL")}
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "manage.py", "up", "--port", str(port), "--data", str(data)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if "Baton is ready at" in line:
                break
        else:
            raise RuntimeError("up ended before it was ready")
        seconds = time.perf_counter() - begun
        time.sleep(1)
        memory = {"web": 0.0, "worker": 0.0}
        for child in psutil.Process(process.pid).children(recursive=True):
            command = " ".join(child.cmdline())
            kind = "web" if "config.web" in command else "worker" if "config.worker" in command else ""
            if kind:
                memory[kind] = max(memory[kind], child.memory_info().rss / 1e6)
        return seconds, memory
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
