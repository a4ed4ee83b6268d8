"""`manage.py up`: the first start, the second, and the ones that cannot be."""

import contextlib
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from django.core.mail import EmailMessage

from tests.instance import ROOT, Instance, alive, descendants, free_port, wait_until
from workspace.config.mail import EmailBackend


def get(instance: Instance, path: str) -> int:
    with urllib.request.urlopen(instance.url + path, timeout=5) as answer:
        return int(answer.status)


def test_a_first_start_says_the_address_and_a_one_time_link_and_a_stop_leaves_nothing(instance: Instance) -> None:
    instance.start()
    assert instance.welcome.startswith(f"{instance.url}/welcome/")
    assert get(instance, "/readyz") == 200
    assert instance.process is not None
    below = descendants(instance.process.pid)
    assert len(below) >= 4  # database, its helpers, worker, web

    status, seconds = instance.stop(signal.SIGINT)

    assert status == 0
    assert seconds < 10
    assert not alive(below)
    assert instance.lines[-1].endswith("stopped")

    instance.start()
    status, seconds = instance.stop(signal.SIGTERM)
    assert status == 0
    assert seconds < 10
    assert not [line for line in instance.lines if "Traceback" in line]


def test_a_second_start_on_the_same_data_is_refused(live: Instance) -> None:
    second = Instance(data=live.data).launch()
    second.expect("already runs on this data folder")
    assert second.process is not None
    assert second.process.wait(20) == 1
    assert get(live, "/readyz") == 200


def test_a_taken_port_is_refused_and_the_option_named(instance: Instance) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", instance.port))
        other.listen()
        instance.launch().expect(f"Port {instance.port} .* is taken.*--port")
    assert instance.process is not None
    assert instance.process.wait(20) == 1
    assert not (instance.data / "postgres").exists()


@pytest.mark.parametrize("place", ["/proc/baton", "under-a-file"])
def test_a_folder_that_cannot_be_made_is_refused_by_name(folder: Path, place: str) -> None:
    (folder / "file").write_text("")
    data = Path(place) if place.startswith("/") else folder / "file" / "data"
    instance = Instance(data=data).launch()
    instance.expect("BATON_DATA takes a folder that can be written")
    assert instance.process is not None
    assert instance.process.wait(20) == 1


@pytest.mark.parametrize("options", [("--web-workers", "0"), ("--port", "70000"), ("--host", "no such host")])
def test_an_option_that_cannot_be_is_refused_without_a_trace(instance: Instance, options: tuple[str, ...]) -> None:
    instance.options = options
    instance.launch()
    assert instance.process is not None
    assert instance.process.wait(30) == 1
    wait_until(lambda: instance.lines, what="a line")
    assert not [line for line in instance.lines if "Traceback" in line]


def test_a_disk_without_room_is_named_without_a_trace(folder: Path) -> None:
    done = subprocess.run(
        # A limit on the size of a file is the nearest to a full disk that needs no disk.
        ["sh", "-c", f'ulimit -f 8; exec "$0" manage.py up --port {free_port()}', sys.executable],
        cwd=ROOT,
        env=Instance(data=folder / "data").environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert "cannot be written (File too large). Make room" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_a_long_path_and_one_with_spaces_hold_a_database(folder: Path) -> None:
    data = folder / ("long name " * 12) / "data"
    instance = Instance(data=data)
    try:
        instance.start()
        assert get(instance, "/readyz") == 200
    finally:
        instance.stop()


def test_a_command_starts_the_database_for_itself_and_stops_it(folder: Path) -> None:
    instance = Instance(data=folder / "data")
    done = instance.manage("migrate", "--verbosity", "0")
    assert done.returncode == 0
    with contextlib.suppress(FileNotFoundError):
        pid = int((instance.data / "postgres" / "postmaster.pid").read_text().split()[0])
        assert not alive([pid])


def test_a_command_shares_the_database_of_the_running_instance(live: Instance) -> None:
    before = live.children("postgres")
    live.manage("showmigrations", "workspace")
    assert live.children("postgres") == before
    assert get(live, "/readyz") == 200


def test_the_lock_alone_decides_not_what_a_dead_process_left(instance: Instance) -> None:
    instance.data.mkdir(parents=True)
    (instance.data / "up.lock").write_text("process 1 at http://127.0.0.1:1\n")
    instance.start()
    with (instance.data / "up.lock").open() as handle, pytest.raises(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.parametrize("make", [("make", "up"), ("make", ".venv"), ("make", "test")])
def test_an_old_python_is_named_and_so_is_the_mend(folder: Path, make: tuple[str, ...]) -> None:
    programs = folder / "bin"
    programs.mkdir()
    for name in ("python3", "python", "python3.12", "python3.13", "python3.14"):
        (programs / name).write_text('#!/bin/sh\n[ "$1" = --version ] && { echo Python 3.11.2; exit 0; }\nexit 1\n')
        (programs / name).chmod(0o755)
    for name in ("Makefile", "requirements.txt", "requirements-dev.txt"):
        (folder / name).write_bytes((ROOT / name).read_bytes())
    done = subprocess.run(
        make, cwd=folder, env={"PATH": f"{programs}:{os.environ['PATH']}"}, capture_output=True, text=True, timeout=60
    )
    assert done.returncode != 0
    assert "Baton needs Python 3.12 or newer" in done.stderr
    assert "3.11.2" in done.stderr
    assert not (folder / ".venv").exists()


def test_doctor_finds_every_part_well_while_it_runs(live: Instance) -> None:
    wait_until(lambda: live.manage("doctor", "--json", check=False).returncode == 0, what="a healthy instance")
    report = json.loads(live.manage("doctor", "--json").stdout)
    assert report["ok"] is True
    assert {part["name"] for part in report["parts"]} >= {
        *("database", "migrations", "extensions", "broker", "worker", "beat"),
        *("summarizer", "embeddings", "base URL", "disk"),
    }
    assert all(part["state"] == "ok" and not part["mend"] for part in report["parts"] if part["name"] != "disk")


def test_doctor_names_what_is_broken_and_the_mend_while_nothing_runs(folder: Path) -> None:
    done = Instance(data=folder / "data").manage("doctor", "--json", check=False)
    assert done.returncode == 1
    parts = {part["name"]: part for part in json.loads(done.stdout)["parts"]}
    for name in ("database", "migrations", "worker", "beat", "base URL"):
        assert parts[name]["state"] == "broken"
        assert parts[name]["mend"]


def test_nothing_is_left_in_the_folder_it_runs_in(live: Instance) -> None:
    wait_until(lambda: live.manage("doctor", check=False).returncode == 0, what="a beat")
    assert not list(ROOT.glob("celerybeat*"))


def test_a_command_before_the_first_start_says_what_to_do(folder: Path) -> None:
    done = Instance(data=folder / "data").manage("verify", check=False)
    assert done.returncode == 1
    assert "make up" in done.stderr
    assert "Traceback" not in done.stderr


def test_mail_without_a_server_is_printed_with_its_links_whole(capsys: pytest.CaptureFixture[str]) -> None:
    link = "http://127.0.0.1:8000/accounts/password/reset/key/" + "a" * 120
    message = EmailMessage("Reset", f"Open this, Zoë: {link}\n", to=["alice@example.org"])
    EmailBackend().send_messages([message])
    assert link in capsys.readouterr().out
