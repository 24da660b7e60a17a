"""Fixtures: one real PostgreSQL a run, one clean house a test."""

import asyncio
import os
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiodns
import hypothesis
import pytest
import structlog
from jinja2 import FileSystemBytecodeCache

import stage
from pannier.console import responses
from pannier.db import Database, connect, connection_pool, monitored_connection, watchdog
from pannier.db import database as pool_module
from pannier.db.embedded import Server
from pannier.db.embedded.lock import hold_lock
from pannier.db.migrate import migrate
from pannier.devices import partitions
from pannier.kit.clock import ManualClock
from pannier.kit.crypto import Keyring
from pannier.tracking import rendering
from pannier.web.docs import pages
from program import COMMAND, PATIENCE, Serving, serving
from stage import Firm, House

if TYPE_CHECKING:
    from playwright.async_api import Browser

    from clients.packages import Packages
    from console.browser import Front
    from console.shared import SharedPages

# Examples of a property: few in the suite, as many as `make fuzz` says there.
# How long one takes depends on the machine more than on the code, so there is no deadline.
hypothesis.settings.register_profile(
    "pannier",
    max_examples=int(os.environ.get("PANNIER_FUZZ", "25")),
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("pannier")


def plain_tracebacks() -> None:
    """What tests provoke is logged in few words: to colour thousands of values takes minutes."""
    renderer = structlog.get_config()["processors"][-1]
    renderer.exception_formatter = structlog.dev.plain_traceback


@contextmanager
def quiet_names() -> Iterator[None]:
    """Names of examples lead nowhere; nobody asks a name server, nor waits for one to say so."""
    really, servers = socket.getaddrinfo, aiodns.DNSResolver.getaddrinfo

    def nowhere(host: Any) -> bool:
        return isinstance(host, str) and host.endswith((".example.com", ".invalid"))

    def answer(host: Any, *rest: Any, **more: Any) -> Any:
        if nowhere(host):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return really(host, *rest, **more)

    def answer_later(resolver: Any, host: Any, *rest: Any, **more: Any) -> Any:
        if nowhere(host):
            raise aiodns.error.DNSError(aiodns.error.ARES_ENOTFOUND, "Domain name not found")
        return servers(resolver, host, *rest, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", answer)
        patch.setattr(aiodns.DNSResolver, "getaddrinfo", answer_later)
        yield


@contextmanager
def patient_pools() -> Iterator[None]:
    """Nobody is sent away because the machine stood still while others had the connections.

    A test that is about that says how long one waits.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(
            connection_pool.ConnectionPool.__init__.__kwdefaults__ or {}, "wait_seconds", PATIENCE
        )
        patch.setattr(monitored_connection, "CONNECT_SECONDS", PATIENCE)
        patch.setattr(watchdog, "PROBE_SECONDS", PATIENCE)
        yield


@pytest.fixture
def brief_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let requests be tried as often as ever, but at once: for those that fail every time."""
    monkeypatch.setattr(pool_module, "RETRY_DELAYS", (0.0,) * len(pool_module.RETRY_DELAYS))


@contextmanager
def reachable_folder() -> Iterator[Path]:
    """A folder for data: as root the server runs as another user, who cannot enter pytest's own."""
    with tempfile.TemporaryDirectory(prefix="pannier-") as folder:
        Path(folder).chmod(0o711)
        yield Path(folder) / "data"


def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Answer the folder that all processes of a run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def kept_templates(folder: Path) -> None:
    """Compile each template once a run: all of them take seconds in each of its processes."""
    folder.mkdir(exist_ok=True)
    for module in (responses, rendering, pages):
        module.TEMPLATES.bytecode_cache = FileSystemBytecodeCache(str(folder))


@pytest.fixture(scope="session", autouse=True)
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What all tests of a process have around them: one fixture, as each costs every test time."""
    plain_tracebacks()
    kept_templates(run_folder(tmp_path_factory) / "templates")
    with quiet_names(), patient_pools():
        yield


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with an empty database to copy: making one takes seconds.

    It is migrated: what programs are started for is something else nearly always. One process
    makes it for all of a run.
    """
    shared = run_folder(tmp_path_factory)
    made = shared / "cluster"
    with hold_lock(shared / "cluster.lock"):
        if not made.exists():
            make_cluster(made)
    return made


def make_cluster(made: Path) -> None:
    """Make a data directory where a server can, and keep it under its name when it is complete."""
    with reachable_folder() as folder:
        server = Server.open(folder, fsync=False)
        asyncio.run(migrate(server.url))
        server.stop()
        half = made.with_suffix(".half")
        copy(folder, half)
        half.rename(made)


@pytest.fixture(scope="session")
def server_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The server of this run: an embedded one, or PANNIER_TEST_DATABASE_URL."""
    outside = os.environ.get("PANNIER_TEST_DATABASE_URL")
    if outside:
        yield outside
        return
    with reachable_folder() as folder:
        copy(request.getfixturevalue("cluster"), folder)
        server = Server.open(folder, fsync=False)
        yield server.url
        server.stop()


def copy(cluster: Path, folder: Path) -> None:
    """Copy a data directory whose server is stopped, with its owners."""
    subprocess.run(["cp", "--archive", cluster, folder], check=True)  # noqa: S607 - of the system


@pytest.fixture(scope="session")
def database_url(server_url: str) -> Iterator[str]:
    """A migrated database of this process's own."""
    name = f"test_{os.getpid()}"
    yield asyncio.run(stage.create_migrated(server_url, name))
    asyncio.run(stage.admin(server_url, f"drop database {name} with (force)"))


@pytest.fixture(scope="session")
async def pool(database_url: str) -> AsyncIterator[Database]:
    """The connections of this process, shared by its tests."""
    database = await connect(
        database_url, clock=ManualClock(stage.NOON), keys=Keyring(stage.SECRET), size=20
    )
    yield database
    await database.close()


@pytest.fixture
def clock() -> ManualClock:
    """Noon on a winter day; it moves when told."""
    return ManualClock(stage.NOON)


@pytest.fixture(scope="session")
async def broom(
    database_url: str, pool: Database, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[stage.Broom]:
    """What empties the database after each test, and puts the cast back."""
    made = await stage.Broom.at(database_url)
    folder = str(tmp_path_factory.mktemp("cast"))
    house = await stage.build(pool, ManualClock(stage.NOON), folder)
    await made.prepare(house, "Acme", "Rival")
    yield made
    await made.close()


@pytest.fixture
async def database(
    pool: Database, broom: stage.Broom, clock: ManualClock
) -> AsyncIterator[Database]:
    """A clean database that runs on the test's clock."""
    pool.clock = clock
    partitions.forget_all(pool)  # the test before may have dropped some from beside
    yield pool
    await broom.sweep()


@pytest.fixture
async def house(database: Database, clock: ManualClock, tmp_path: Path) -> House:
    """A whole Pannier with nobody in it."""
    return await stage.build(database, clock, str(tmp_path))


@pytest.fixture
async def acme(house: House, broom: stage.Broom) -> Firm:
    """The company the story is about."""
    return await broom.found(house, "Acme")


@pytest.fixture
async def rival(house: House, broom: stage.Broom) -> Firm:
    """Another company, which must never see or touch what is Acme's."""
    return await broom.found(house, "Rival")


@pytest.fixture
def house_folder(cluster: Path) -> Iterator[Path]:
    """A data directory with an empty database, for the program to start on."""
    with reachable_folder() as folder:
        copy(cluster, folder)
        yield folder


@pytest.fixture(scope="session")
def served(cluster: Path) -> Iterator[Serving]:
    """The real program, started once for all tests that add to what it has but no company."""
    with reachable_folder() as folder:
        copy(cluster, folder)
        with serving(folder, "--workers", "1", command=COMMAND) as program:
            yield program.ready()
            assert program.interrupt() == 0


@pytest.fixture(scope="session")
def client_packages(tmp_path_factory: pytest.TempPathFactory) -> "Packages":
    """The clients as they are published, built once a run."""
    from clients.packages import Packages  # noqa: PLC0415 - only who builds them has to load it

    return Packages.build(run_folder(tmp_path_factory))


@pytest.fixture
def new_folder() -> Iterator[Path]:
    """A data directory that is still to be made."""
    with reachable_folder() as folder:
        yield folder


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator["Browser"]:
    """The Chromium of this process, for all that is looked at in one."""
    from console.browser import launched  # noqa: PLC0415 - only who looks through it has to load it

    async with launched() as started:
        yield started


@pytest.fixture(scope="session")
async def front(pool: Database, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator["Front"]:
    """The server of this process that browsers come to."""
    from console.browser import Front  # noqa: PLC0415 - see above

    folder = str(tmp_path_factory.mktemp("front"))
    house = await stage.build(pool, ManualClock(stage.NOON), folder)
    async with Front().serving(house) as serving:
        yield serving


@pytest.fixture(scope="session")
async def shared_pages(browser: "Browser", front: "Front") -> "SharedPages":
    """The pages of this process that one test uses after another."""
    from console.shared import SharedPages  # noqa: PLC0415 - see above

    return SharedPages(browser, front.url)
