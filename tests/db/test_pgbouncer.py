"""Pannier works through PgBouncer in session mode, and refuses transaction mode in a sentence."""

import asyncio
import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

import program
import stage
from blackhole import black_hole
from cli import shell
from pannier.db import connect
from pannier.db.monitored_connection import (
    TransactionPoolingError,
    close_connections,
    open_connection,
)
from pannier.db.watchdog import end_sessions
from pannier.kit.clock import ManualClock
from pannier.kit.crypto import Keyring
from program import serving
from scenery import reachable_folder
from stage import NOON, SECRET

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(PROGRAM is None, reason="PgBouncer is not installed"),
]


@contextmanager
def pooling(url: str, mode: str) -> Iterator[str]:
    """Run PgBouncer before a server, and answer the address of the database behind it."""
    parts, port = urlsplit(url), program.free_port()
    password = f" password={parts.password}" if parts.password else ""
    # By way of a proxy, because it runs as a user who may not enter the server's folder.
    with reachable_folder() as data, black_hole(url) as there:
        data.mkdir()
        data.chmod(0o755)
        (data / "users").write_text(f'"{parts.username}" ""\n')
        (data / "pgbouncer.ini").write_text(
            f"""[databases]
* = host=127.0.0.1 port={there.port} user={parts.username}{password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
auth_file = {data / "users"}
pool_mode = {mode}
default_pool_size = 60
"""
        )
        assert PROGRAM is not None
        # It refuses to run as root.
        user = ["-u", "nobody"] if os.geteuid() == 0 and pwd.getpwnam("nobody") else []
        process = subprocess.Popen(
            [PROGRAM, "-q", *user, str(data / "pgbouncer.ini")], stderr=subprocess.PIPE, text=True
        )
        try:
            asyncio.run(answers(port))
            yield f"postgresql://{parts.username}@127.0.0.1:{port}{parts.path}"
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=program.PATIENCE)


async def answers(port: int) -> None:
    """Wait until somebody listens on a port."""
    async with asyncio.timeout(program.PATIENCE):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return


@pytest.fixture
def url(server_url: str) -> Iterator[str]:
    name = f"pooled_{os.getpid()}"
    yield asyncio.run(stage.create_migrated(server_url, name))
    asyncio.run(stage.admin(server_url, f"drop database {name} with (force)"))


def test_serve_works_and_doctor_agrees_in_session_mode(tmp_path: Path, url: str) -> None:
    place = {"name": "Depot", "location": {"latitude": 52.5, "longitude": 13.4}}
    with (
        pooling(url, "session") as pooled,
        serving(tmp_path, "--workers", "1", database_url=pooled) as serve,
    ):
        serve.ready()
        headers = {"Authorization": f"Bearer {serve.said('API key')}"}
        for _ in range(3):
            made = httpx.post(f"{serve.url}/v1/places", headers=headers, json=place, timeout=60)
            assert made.status_code == 201, made.text
        doctor = shell.run(tmp_path, "doctor", database_url=pooled)
        assert doctor.returncode == 0, doctor.stdout
        assert serve.interrupt() == 0


def test_notices_are_heard_and_settings_hold_in_session_mode(database_url: str) -> None:
    async def hear(url: str) -> None:
        database = await connect(url, clock=ManualClock(NOON), keys=Keyring(SECRET), size=2)
        async with asyncio.timeout(program.PATIENCE):
            with database.listener.listen("pooled") as bell:
                await bell.wait()
                bell.clear()
                database.notifier.notify("pooled")
                await bell.wait()
        link = await open_connection(url)
        assert await link.fetchval("show statement_timeout") == "1min"
        assert await link.fetchval("show jit") == "off"
        await link.close()
        await database.close()

    with pooling(database_url, "session") as url:
        asyncio.run(hear(url))


def test_whoever_has_the_session_of_a_lost_connection_next_keeps_it(database_url: str) -> None:
    async def lose(url: str) -> None:
        watching, lost = await open_connection(url), await open_connection(url)
        lost.terminate()
        async with asyncio.timeout(program.PATIENCE):
            while (heir := await open_connection(url)).pid != lost.pid:
                await close_connections(heir)
        await end_sessions(watching, [lost.mark])
        assert await heir.fetchval("select pg_backend_pid()") == lost.pid
        await close_connections(watching, heir)

    with pooling(database_url, "session") as url:
        asyncio.run(lose(url))


def test_transaction_mode_is_refused_in_a_sentence(tmp_path: Path, database_url: str) -> None:
    async def open_it(url: str) -> None:
        await connect(url, clock=ManualClock(NOON), keys=Keyring(SECRET), size=2)

    with pooling(database_url, "transaction") as url:
        with pytest.raises(TransactionPoolingError, match="pool_mode = session"):
            asyncio.run(open_it(url))
        doctor = shell.run(tmp_path, "doctor", database_url=url)
        assert doctor.returncode == 1
        assert "pool_mode = session" in doctor.stdout
