"""Runs the handler as its own program does, in a place that something is wrong with, and tells what it reached for.

``python -I -S driver.py TROUBLE HANDLER ARGUMENTS…``; each network call is written to the file named by ``TOLD``.
"""

import errno
import json
import os
import runpy
import socket
import subprocess
import sys
import time
import types
from typing import Any

driver = os.path.abspath(__file__)
trouble, handler, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
told = os.environ.get("TOLD")


def tell(event: str, given: Any) -> None:
    if told and event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.bind", "subprocess.Popen"):
        line = json.dumps([event, [repr(each) for each in given]]) + "\n"
        with open(told, "a", encoding="utf-8") as file:
            file.write(line)


def hang(*_: Any, **__: Any) -> Any:
    time.sleep(60)


def unknown(*_: Any, **__: Any) -> Any:
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def full(*_: Any, **__: Any) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


if told:
    sys.addaudithook(tell)
if trouble == "names hang":
    socket.getaddrinfo = hang
elif trouble == "no name":
    socket.getaddrinfo = unknown
elif trouble == "full":
    os.fsync = full
elif trouble.startswith("clock"):
    away, real = float(trouble.split()[1]), time.time
    time.time = lambda: real() + away
elif trouble == "windows":
    started = subprocess.Popen

    def apart(command: Any, **options: Any) -> Any:
        assert options.pop("creationflags") == 0x208
        assert "start_new_session" not in options
        beginning = [*command[:3], driver, trouble]
        return started([*beginning, *command[3:]], start_new_session=True, **options)

    locks = types.ModuleType("msvcrt")
    locks.LK_NBLCK = 2  # type: ignore[attr-defined]
    locks.locking = lambda *_: None  # type: ignore[attr-defined]
    sys.modules["msvcrt"] = locks
    subprocess.Popen = apart  # type: ignore[misc,assignment]
    del os.getuid
    del os.fork
    os.name = "nt"
sys.argv = [handler, *arguments]
runpy.run_path(handler, run_name="__main__")
