"""The location of an embedded server: its folder, programs, socket and account."""

import contextlib
import hashlib
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from pannier.db.embedded import account, binaries
from pannier.db.embedded.account import Account, EmbeddedError

SHARED_FOLDER = Path("/var/lib/pannier")
HOME_FILE = "postgres.elsewhere"
PORT = 5432  # no TCP port: part of the socket's name
# The kernel allows 104 to 108 bytes for a socket's path, and address lists split at commas.
MAX_SOCKET_PATH_BYTES = 100
SAFE_PATH = re.compile(r"[A-Za-z0-9_./+@=-]+")


@dataclass(frozen=True, slots=True)
class Location:
    """The properties of a server that do not change between starts."""

    home: Path
    programs: Path
    account: Account
    socket: Path
    notice: str | None

    @property
    def cluster(self) -> Path:
        """PostgreSQL's own data directory."""
        return self.home / "postgres"

    @property
    def log(self) -> Path:
        """The server's log file."""
        return self.home / "postgres.log"

    @property
    def lock(self) -> Path:
        """The lock file of commands that look for or start the server."""
        return self.home / "postgres.lock"

    @property
    def url(self) -> str:
        return f"postgresql://pannier@/pannier?host={quote(str(self.socket), safe='')}&port={PORT}"


def choose_location(data: Path, user: str | None, shared_folder: Path) -> Location:
    """Choose the location for a data directory. Every call chooses the same one."""
    home_folder = _read_home(data) or shared_folder / f"{data.name}-{_hash_path(data)}"
    has_moved = (home_folder / "postgres").exists() and not (data / "postgres").exists()
    runner = account.choose_account(user, (home_folder if has_moved else data) / "postgres")
    programs, copy_notice = binaries.locate_or_copy_programs(runner, shared_folder)
    home, home_notice = _choose_home(data, home_folder, runner, programs)
    notices = [notice for notice in (home_notice, copy_notice) if notice]
    return Location(
        home, programs, runner, _choose_socket_folder(home, runner), " ".join(notices) or None
    )


def has_database(data: Path, shared_folder: Path = SHARED_FOLDER) -> bool:
    """Return whether a data directory has a database, without creating one."""
    data = data.resolve()
    homes = data, _read_home(data) or shared_folder / f"{data.name}-{_hash_path(data)}"
    return any((home / "postgres").exists() for home in homes)


def record_home(data: Path, home: Path) -> None:
    """Record the database's location in the data directory, so that it may be renamed."""
    if home != data:
        (data / HOME_FILE).write_text(f"{home}\n")


def _read_home(data: Path) -> Path | None:
    """Return the recorded location. A missing one must not look like an empty database."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        home = Path((data / HOME_FILE).read_text().strip())
        if not (home / "postgres").exists():
            raise EmbeddedError(
                f"The database of {data} is missing from {home}. Restore it, or remove "
                f"{data / HOME_FILE} to start with an empty one."
            )
        return home
    return None


def _choose_home(
    data: Path, other_folder: Path, runner: Account, programs: Path
) -> tuple[Path, str | None]:
    """Choose the data directory if the account can enter it, or else `other_folder`."""
    _create_folder(data, runner)
    has_cluster = (data / "postgres").exists()
    if not (other_folder / "postgres").exists() or has_cluster:
        if _can_enter(runner, data, programs):
            return data, None
        if has_cluster:
            # An empty database elsewhere would look like the loss of all data.
            raise EmbeddedError(
                f"The account {runner.name} can no longer access the database in {data}. Give it "
                f"access to the parent folders, or move the database to {other_folder}."
            )
    binaries.prepare_shared_folder(other_folder.parent)
    _create_folder(other_folder, runner)
    if not _can_enter(runner, other_folder, programs):
        raise EmbeddedError(
            f"The account {runner.name} cannot access {data} or {other_folder}. Choose a data "
            "directory that it can access."
        )
    return (
        other_folder,
        f"The account {runner.name} cannot access {data}, so the database is in {other_folder}.",
    )


def _create_folder(folder: Path, runner: Account) -> None:
    """Create a folder that another account may pass through but not list."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
        folder.chmod(0o711 if runner.is_other else 0o700)


def _can_enter(runner: Account, folder: Path, programs: Path) -> bool:
    """Run a program as the account, because permissions, access lists and mounts all matter."""
    trial = [str(programs / "initdb"), "--version"]
    return not runner.is_other or runner.run(*trial, directory=folder).returncode == 0


def _choose_socket_folder(home: Path, runner: Account) -> Path:
    """Choose the socket's folder: in `home`, or elsewhere if the path would be too long."""
    folder = home / "postgres.socket"
    socket = os.fsencode(folder / f".s.PGSQL.{PORT}")
    if len(socket) <= MAX_SOCKET_PATH_BYTES and SAFE_PATH.fullmatch(str(folder)):
        return folder
    return _choose_short_parent(runner) / f"pannier-{runner.uid}-{_hash_path(home)}"


def _choose_short_parent(runner: Account) -> Path:
    """Choose the parent of a short path: for root, a folder where only root can create entries."""
    run = Path("/run")
    return run if runner.is_other and run.is_dir() else Path("/tmp")  # noqa: S108  prepare_socket_folder() checks


def prepare_socket_folder(location: Location) -> None:
    """Create the socket's private folder, or check that it is still private."""
    try:
        location.socket.mkdir(mode=0o700)
        location.account.chown(location.socket)
    except FileExistsError:
        _require_private_folder(location.socket, location.account)


def _require_private_folder(folder: Path, runner: Account) -> None:
    """Refuse a folder that others own or can enter, because every connection is trusted."""
    status = folder.lstat()
    is_private = stat.S_ISDIR(status.st_mode) and not status.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    if not is_private or status.st_uid != runner.uid:
        raise EmbeddedError(
            f"Other accounts than {runner.name} can access the folder {folder} of the database's "
            "socket. Remove it, and start again."
        )


def _hash_path(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]
