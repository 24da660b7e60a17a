"""The files of the databases: created atomically, and repaired after a crash."""

import os
import shutil
import tempfile
from pathlib import Path

from pannier.db.embedded.account import EmbeddedError
from pannier.db.embedded.binaries import MAJOR
from pannier.db.embedded.location import PORT, Location
from pannier.settings import sync_folder

INITDB = (
    "--username=pannier",
    # Trust is enough: the only access is a socket in a folder that only the server's account and
    # root can enter, and that account could read the files anyway.
    "--auth=trust",
    "--encoding=UTF8",
    # The same sort order on every machine, whatever its locales are.
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--data-checksums",
    "--no-instructions",
)
# The server's answer to clients while it starts or stops. It never explains a failure.
REJECTION_PREFIX = "FATAL:  the database system is "


def ensure_cluster(location: Location, *, fsync: bool) -> None:
    """Create the cluster on the first start, or check its PostgreSQL version."""
    for unfinished_folder in location.home.glob("postgres.new-*"):
        # A program whose parent was killed may still write there until it notices. Then the next
        # start removes the folder.
        shutil.rmtree(unfinished_folder, ignore_errors=True)
    version = location.cluster / "PG_VERSION"
    if not version.exists():
        _create_cluster(location, fsync=fsync)
    elif (version_found := version.read_text().strip()) != MAJOR:
        raise EmbeddedError(
            f"The database in {location.cluster} was created by PostgreSQL {version_found}, but "
            f"Pannier contains PostgreSQL {MAJOR}. Dump it with version {version_found} and "
            f"restore the dump, or set PANNIER_DATABASE_URL."
        )


def _create_cluster(location: Location, *, fsync: bool) -> None:
    """Create the cluster under another name and rename it when it is complete."""
    new_folder = Path(tempfile.mkdtemp(prefix="postgres.new-", dir=location.home))
    try:
        location.account.chown(new_folder)
        sync = () if fsync else ("--no-sync",)
        _run_program(location, "initdb", f"--pgdata={new_folder}", *INITDB, *sync)
        single_user_options = (
            "--single",
            "-D",
            str(new_folder),
            "-c",
            "exit_on_error=on",
            "-c",
            f"fsync={fsync}",
        )
        _run_program(
            location,
            "postgres",
            *single_user_options,
            "postgres",
            stdin="CREATE DATABASE pannier;\n",
        )
        new_folder.rename(location.cluster)
        sync_folder(location.home)
    finally:
        shutil.rmtree(new_folder, ignore_errors=True)


def _run_program(location: Location, program: str, *arguments: str, stdin: str = "") -> None:
    """Run one of PostgreSQL's programs, or raise its error."""
    path = str(location.programs / program)
    result = location.account.run(path, *arguments, stdin=stdin)
    if result.returncode != 0:
        raise EmbeddedError(
            f"The database in {location.home} could not be created: "
            f"{extract_error(result.stderr) or f'{program} ended with {result.returncode}'}."
        )


def extract_error(output: str) -> str:
    """Return the line of the output that says why PostgreSQL failed."""
    lines = [
        line.strip()
        for line in output.splitlines()
        if line.strip() and REJECTION_PREFIX not in line
    ]
    for marker in ("FATAL:", "PANIC:", "error:"):
        for line in reversed(lines):
            if marker in line:
                return line.partition(marker)[2].strip().rstrip(".")
    return lines[-1].rstrip(".") if lines else ""


def is_ready(location: Location, process: int) -> bool:
    """Return whether the server has recorded in its pid file that it accepts connections."""
    try:
        number, *_, status = (location.cluster / "postmaster.pid").read_text().splitlines()
    except (OSError, ValueError):
        return False
    return number == str(process) and status.startswith("ready")


def clear_reused_pid(location: Location) -> None:
    """Let a start succeed although another process now has the crashed server's process id.

    That is common in containers, where every start assigns the same few ids.
    """
    file = location.cluster / "postmaster.pid"
    try:
        number, _, other_lines = file.read_text().partition("\n")
        folder = Path(f"/proc/{int(number)}/cwd").readlink()
    except (OSError, ValueError):
        return  # no file, no such process or no access: PostgreSQL's own check decides
    if folder == location.cluster.resolve():
        return
    (location.socket / f".s.PGSQL.{PORT}.lock").unlink(missing_ok=True)
    # A file that names the parent process counts as stale, and PostgreSQL still checks that no
    # process of the old server uses the shared memory. Without the file it could not check.
    handle = os.open(file, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW)
    with os.fdopen(handle, "w") as stream:
        stream.write(f"{os.getpid()}\n{other_lines}")
