"""The embedded server: who starts it, who stops it, and what a crash leaves."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.instance import ROOT, alive, wait_until
from workspace.management.postgres import CannotStart, Cluster, Lease


@pytest.fixture
def cluster(folder: Path) -> Iterator[Cluster]:
    made = Cluster(folder=folder / "data" / "postgres", durable=False)
    yield made
    made.stop()


def holder(cluster: Cluster) -> subprocess.Popen[str]:
    """Another process that holds a lease until its input ends."""
    program = f"""
import sys
from pathlib import Path
from workspace.management.postgres import Cluster, Lease
with Lease(Cluster(folder=Path({str(cluster.folder)!r}), durable=False)):
    print("held", flush=True)
    sys.stdin.read()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.communicate(timeout=30)


def test_it_runs_while_it_is_leased_and_not_after(cluster: Cluster) -> None:
    with Lease(cluster):
        assert cluster.answers()
        with psycopg.connect(cluster.url) as connection:
            assert connection.execute("select current_setting('listen_addresses')").fetchone() == ("",)
    assert cluster.pid() is None


@pytest.mark.parametrize("first", ["me", "other"])
def test_the_last_to_leave_stops_it_whoever_started_it(cluster: Cluster, first: str) -> None:
    other = holder(cluster) if first == "other" else None
    lease = Lease(cluster)
    lease.take()
    other = other or holder(cluster)
    end(other)
    assert cluster.answers()
    lease.release()
    assert cluster.pid() is None


def test_it_goes_on_for_the_others_when_one_leaves(cluster: Cluster) -> None:
    lease = Lease(cluster)
    lease.take()
    other = holder(cluster)
    lease.release()
    assert cluster.answers()
    end(other)
    assert cluster.pid() is None


def test_a_killed_holder_holds_nothing(cluster: Cluster) -> None:
    other = holder(cluster)
    other.kill()
    other.communicate()
    assert cluster.answers()
    with Lease(cluster):
        pass
    assert cluster.pid() is None


def test_what_was_committed_survives_a_kill(cluster: Cluster) -> None:
    with Lease(Cluster(folder=cluster.folder)) as lease:
        with psycopg.connect(cluster.url) as connection:
            connection.execute("create table kept as select 7 as n")
        pid = cluster.pid()
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not lease.alive(), what="its end")
        lease.revive()
        with psycopg.connect(cluster.url) as connection:
            assert connection.execute("select n from kept").fetchone() == (7,)


def test_one_that_is_on_its_way_out_is_replaced(cluster: Cluster) -> None:
    other = holder(cluster)
    pid = cluster.pid()
    assert pid is not None
    os.kill(pid, signal.SIGINT)
    with Lease(cluster):
        assert cluster.answers()
        assert cluster.pid() != pid
    other.kill()
    other.communicate()
    assert not alive([pid])


def test_a_folder_half_made_is_made_again(cluster: Cluster) -> None:
    (cluster.folder / "base").mkdir(parents=True)
    (cluster.folder / "pg_hba.conf").write_text("half")
    with Lease(cluster):
        assert cluster.answers()


def test_a_server_that_cannot_start_says_why(cluster: Cluster) -> None:
    with Lease(cluster):
        pass
    (cluster.folder / "postgresql.conf").write_text("no_such_parameter = 1\n")
    with pytest.raises(CannotStart, match="no_such_parameter"):
        Lease(cluster).take()


def test_a_stale_pid_file_that_names_somebody_else_is_not_believed(cluster: Cluster) -> None:
    with Lease(cluster):
        pass
    (cluster.folder / "postmaster.pid").write_text(f"{os.getpid()}\n{cluster.folder}\n0\n5432\n\n\n")
    assert cluster.pid() is None
    with Lease(cluster):
        assert cluster.answers()


def test_a_stale_pid_file_that_names_another_clusters_server_is_not_believed(cluster: Cluster, folder: Path) -> None:
    other = Cluster(folder=folder / "other" / "postgres", durable=False)
    with Lease(cluster):
        pass
    with Lease(other):
        pid = other.pid()
        locks = f"{pid}\n{cluster.folder}\n0\n5432\n{cluster.socket_folder}\n\n"
        for path in (cluster.folder / "postmaster.pid", cluster.socket_folder / ".s.PGSQL.5432.lock"):
            path.write_text(locks)
        assert cluster.pid() is None
        cluster.stop()
        assert other.pid() == pid
        with Lease(cluster):
            assert cluster.answers()
            assert cluster.pid() not in (None, pid)
        assert other.answers()


def test_nobody_but_the_owner_can_reach_the_files_or_the_socket(cluster: Cluster) -> None:
    with Lease(cluster):
        assert cluster.folder.stat().st_mode & 0o077 == 0
        socket = next(cluster.socket_folder.glob(".s.PGSQL.*[0-9]"))
        assert socket.stat().st_mode & 0o077 == 0
