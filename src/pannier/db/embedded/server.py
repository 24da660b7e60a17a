"""Find, start and stop the server."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pannier.db.embedded import cluster
from pannier.db.embedded.account import ENVIRONMENT, EmbeddedError
from pannier.db.embedded.location import (
    PORT,
    SHARED_FOLDER,
    Location,
    choose_location,
    prepare_socket_folder,
    record_home,
)
from pannier.db.embedded.lock import hold_lock

ACCEPTS, REFUSES = 0, 1  # exit codes of pg_isready; others mean no answer
POLL_SECONDS = 0.02
START_TIMEOUT_SECONDS = 300.0  # long, because the server replays its log after a crash
TRANSITION_TIMEOUT_SECONDS = 60.0  # for another process's server to start or stop
LINGER_TIMEOUT_SECONDS = 10.0  # for the processes of a killed server to exit
FAST_SHUTDOWN_SECONDS = 20.0
IMMEDIATE_SHUTDOWN_SECONDS = 10.0
MAX_LOG_BYTES = 10_000_000


class Server:
    """The PostgreSQL of a data directory, started by us or attached to."""

    def __init__(self, location: Location, process: subprocess.Popen[bytes] | None) -> None:
        self._location = location
        self._process = process
        self.url = location.url
        self.notice = location.notice
        self.started = process is not None

    @classmethod
    def open(
        cls,
        data: Path,
        *,
        user: str | None = None,
        fsync: bool = True,
        shared_folder: Path = SHARED_FOLDER,
    ) -> "Server":
        """Attach to the server of a data directory, or create and start it.

        See `find_location`. Only tests may turn `fsync` off: a power cut may then lose data.
        """
        return cls.start_at(
            find_location(data, user=user, shared_folder=shared_folder), data, fsync=fsync
        )

    @classmethod
    def start_at(cls, location: Location, data: Path, *, fsync: bool = True) -> "Server":
        """Attach to the server at a known location, or start it there."""
        data = data.resolve()
        with _translate_os_errors(data), hold_lock(location.lock):
            prepare_socket_folder(location)
            server = cls(
                location,
                None
                if _wait_for_running_server(location)
                else _start_server(location, fsync=fsync),
            )
            record_home(data, location.home)
            return server

    def is_alive(self) -> bool:
        if self._process:
            return self._process.poll() is None
        return _ping_server(self._location) in (ACCEPTS, REFUSES)

    def stop(self) -> None:
        """Shut the server down if we started it. This disconnects clients and loses no data."""
        if self._process:
            _stop_process(self._process)


def find_location(
    data: Path, *, user: str | None = None, shared_folder: Path = SHARED_FOLDER
) -> Location:
    """Find the location of a data directory's server, before it is started.

    Only root may set `user`, the account to run as, and `shared_folder`, which is for
    programs and data that this account could not reach otherwise.
    """
    data = data.resolve()
    with _translate_os_errors(data):
        return choose_location(data, user, shared_folder.absolute())


@contextmanager
def _translate_os_errors(data: Path) -> Iterator[None]:
    """Turn operating system errors into a message that says what to do."""
    try:
        yield
    except OSError as error:
        raise EmbeddedError(
            f"The data directory {data} cannot be used ({error.filename or data}: "
            f"{error.strerror}). Make it writable for this account, or choose another one."
        ) from error


def _ping_server(location: Location) -> int:
    probe = [str(location.programs / "pg_isready"), "-q", "-t", "5"]
    address = ["-h", str(location.socket), "-p", str(PORT), "-U", "pannier", "-d", "pannier"]
    return subprocess.run([*probe, *address], env=ENVIRONMENT, check=False).returncode  # noqa: S603  a program of the wheel, arguments of ours


def _wait_for_running_server(location: Location) -> bool:
    """Wait while a server starts or stops. Return whether there is one to attach to."""
    deadline = time.monotonic() + TRANSITION_TIMEOUT_SECONDS
    while (status := _ping_server(location)) == REFUSES:
        if time.monotonic() > deadline:
            raise EmbeddedError(
                f"The database in {location.home} has been starting or stopping for "
                f"{TRANSITION_TIMEOUT_SECONDS:.0f} seconds. See {location.log} for the reason."
            )
        time.sleep(POLL_SECONDS * 5)
    return status == ACCEPTS


def _start_server(location: Location, *, fsync: bool) -> subprocess.Popen[bytes]:
    """Start the server, even if a killed one left files behind."""
    if threading.current_thread() is not threading.main_thread():
        # Linux ends a child process together with the thread that started it.
        raise EmbeddedError("The embedded PostgreSQL must be started from the main thread.")
    cluster.ensure_cluster(location, fsync=fsync)
    deadline = time.monotonic() + LINGER_TIMEOUT_SECONDS
    while True:
        cluster.clear_reused_pid(location)
        process, output = _launch_process(location, fsync=fsync)
        if process:
            return process
        is_old_server_ending = "still in use" in output or "already exists" in output
        if not is_old_server_ending or time.monotonic() > deadline:
            raise EmbeddedError(
                f"The embedded PostgreSQL did not start: {output or 'it printed no error'}. "
                f"See {location.log} for details."
            )
        time.sleep(POLL_SECONDS * 5)


def _launch_process(
    location: Location, *, fsync: bool
) -> tuple[subprocess.Popen[bytes] | None, str]:
    """Start the process and wait until it accepts connections. Return its error if it fails."""
    log_descriptor = _open_log(location.log)
    try:
        previous_size = os.fstat(log_descriptor).st_size
        process = subprocess.Popen(  # noqa: S603  a program of the wheel, arguments of ours
            location.account.build_command(
                _build_command(location, fsync=fsync),
                stop_signal=signal.SIGINT,
                directory=Path("/"),
            ),
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=log_descriptor,
            stderr=log_descriptor,
            start_new_session=True,  # Ctrl-C must not stop the server before its clients
        )
    finally:
        os.close(log_descriptor)
    try:
        has_started = _wait_until_ready(process, location)
    except BaseException:
        _stop_process(process)
        raise
    with location.log.open("rb") as file:
        file.seek(previous_size)
        return (
            (process, "")
            if has_started
            else (None, cluster.extract_error(file.read().decode("utf-8", "replace")))
        )


def _build_command(location: Location, *, fsync: bool) -> list[str]:
    settings = {
        "listen_addresses": "",
        "port": PORT,
        "unix_socket_directories": location.socket,
        "unix_socket_permissions": "0700",
        "max_connections": 200,
        "shared_buffers": "128MB",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "fsync": "on" if fsync else "off",
    }
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    return [str(location.programs / "postgres"), "-D", str(location.cluster), *options]


def _open_log(file: Path) -> int:
    """Open the log. Rotate a large one before it fills the disk."""
    if file.exists() and file.stat().st_size > MAX_LOG_BYTES:
        file.replace(file.with_suffix(".log.old"))
    return os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)


def _wait_until_ready(process: subprocess.Popen[bytes], location: Location) -> bool:
    """Wait until the server accepts connections. Return False when it ends instead."""
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        try:
            process.wait(POLL_SECONDS)
        except subprocess.TimeoutExpired:
            if cluster.is_ready(location, process.pid):
                return True
        else:
            return False
    raise EmbeddedError(
        f"The embedded PostgreSQL was not ready after {START_TIMEOUT_SECONDS:.0f} seconds. "
        f"See {location.log} for the reason."
    )


def _stop_process(process: subprocess.Popen[bytes]) -> None:
    """Request a fast shutdown, then an immediate one. Both keep committed data."""
    for stop_signal, timeout_seconds in (
        (signal.SIGINT, FAST_SHUTDOWN_SECONDS),
        (signal.SIGQUIT, IMMEDIATE_SHUTDOWN_SECONDS),
    ):
        process.send_signal(stop_signal)
        try:
            process.wait(timeout_seconds)
        except subprocess.TimeoutExpired:
            continue
        return
    process.kill()
    process.wait()
