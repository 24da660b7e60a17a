"""What all benches share: a stand of real processes to measure on, and figures that are told once.

A bench is a script whose docstring says what it measures and against what. It ends with

    if __name__ == "__main__":
        stand.run(measure, bare=bare)

`measure(stand)` gets a stand with a PostgreSQL and a data directory of its own; whatever it starts
there has ended when it returns. Functions named besides are parts that run in a process of their
own: `stand.part("bare", url)` starts one that serves a socket, `stand.result("bare", url)` waits
for what one returns. `stand.tell(Figure(…))` prints a figure and keeps it.

Every bench takes `--tiny`, for which nothing but the script itself is interesting, and
`--figures FILE`, which writes the figures as JSON for `scripts/performance.py`. `BENCH_CLUSTER` may
name a data directory to copy, which is faster than making one.
"""

import argparse
import asyncio
import gc
import inspect
import os
import platform
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import msgspec
import uvicorn
import uvloop

from pannier import provisioning
from pannier.db import Database, connect
from pannier.db.embedded import Server
from pannier.db.migrate import migrate
from pannier.kit.clock import SystemClock
from pannier.kit.crypto import Keyring
from pannier.kit.passwords import Passwords
from pannier.provisioning import CompanyCredentials
from pannier.settings import load

SECRET: Final = "x" * 40
PATIENCE: Final = 120.0
TINY: Final = "--tiny" in sys.argv or "BENCH_TINY" in os.environ
TEMPLATE: Final = "bench_template"  # migrated once, and copied for each bench's databases
CPU_CLOCK: Final = 2  # of a whole process, in Linux's numbering

Part = Callable[..., Any]
popen: Callable[..., Any] = subprocess.Popen  # what our own programs are started by


def size(name: str, whole: int, *, tiny: int) -> int:
    """Say how much of something to measure with; `BENCH_<NAME>` asks for another amount."""
    return int(os.environ.get(f"BENCH_{name.upper()}", tiny if TINY else whole))


class Aim(msgspec.Struct, frozen=True):
    """What a ratio is promised to be."""

    bound: float
    at_least: bool = False

    def __str__(self) -> str:
        return f"{'at least' if self.at_least else 'at most'} {self.bound:g}"

    def holds(self, ratio: float) -> bool:
        """Tell whether a ratio keeps the promise."""
        return ratio >= self.bound if self.at_least else ratio <= self.bound


def at_least(bound: float) -> Aim:
    """Promise no less than this."""
    return Aim(bound, at_least=True)


def at_most(bound: float) -> Aim:
    """Promise no more than this."""
    return Aim(bound)


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was measured: in a unit of its own, and as a ratio to its floor."""

    what: str
    measured: str
    floor: str = ""
    ratio: float | None = None
    aim: Aim | None = None

    def __str__(self) -> str:
        line = f"{self.what}: {self.measured}"
        line += f"; floor {self.floor}" if self.floor else ""
        line += f"; ratio {self.ratio:.2f}" if self.ratio is not None else ""
        return line + (f" (aim: {self.aim})" if self.aim else "")


class Measured(msgspec.Struct):
    """What a whole bench found, and where and when."""

    machine: str
    figures: list[Figure]


def machine() -> str:
    """Describe this machine in a line."""
    cpus = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(": ")[1] for line in cpus if line.startswith("model name")), "CPU")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{len(os.sched_getaffinity(0))} cores, {model}, {memory:.0f} GiB, "
        f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    )


def cpu_seconds(pid: int) -> float:
    """Read what a process and all of its threads have spent, to the nanosecond."""
    return time.clock_gettime(((~pid) << 3) | CPU_CLOCK)


def children_seconds(pid: int) -> float:
    """Read what those have spent that a process started, and those that they started."""
    ended = _ended_seconds(pid)
    tasks = Path(f"/proc/{pid}/task").iterdir()
    alive = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    return ended + sum(map(_seconds_with_children, alive))


def _ended_seconds(pid: int) -> float:
    """Read what those have spent that a process started, and that have ended."""
    return sum(map(int, _stat(pid)[13:15])) / os.sysconf("SC_CLK_TCK")


def _stat(pid: int) -> list[str]:
    """Read what the system says of a process, from its state on."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _seconds_with_children(pid: int) -> float:
    try:
        return cpu_seconds(pid) + children_seconds(pid)
    except OSError:  # It has just ended, and is among those from now on.
        return 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """Answer the value that this share of the values does not exceed."""
    return sorted(values)[int(share * (len(values) - 1))]


class Process:
    """A program on the stand, and the port it listens on, if any."""

    def __init__(self, running: subprocess.Popen[bytes], port: int = 0) -> None:
        self._running, self.port = running, port

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._running.pid

    def cpu(self) -> float:
        """Read the CPU seconds it has spent, also on what it had others do."""
        return cpu_seconds(self.pid) + children_seconds(self.pid)

    def stop(self) -> None:
        """End it in good order."""
        if self._running.poll() is None:
            self._running.send_signal(signal.SIGTERM)
        self._running.wait(PATIENCE)


class Stand:
    """A PostgreSQL, a data directory and a script, with the processes that the script starts."""

    def __init__(
        self, script: Path, parts: dict[str, Part], folder: Path, server: Server, leaving: ExitStack
    ) -> None:
        self.script, self.folder, self.url = script, folder, server.url
        self.figures: list[Figure] = []
        self._parts, self._leaving, self._databases = parts, leaving, 0

    def tell(self, figure: Figure) -> None:
        """Print a figure and keep it."""
        print(figure, flush=True)
        self.figures.append(figure)

    def database(self) -> str:
        """Make a further database, migrated and empty, and answer its address."""
        if not self._databases:
            asyncio.run(_create(self.url, urlsplit(self.url).path[1:], TEMPLATE))
            asyncio.run(migrate(self._address(TEMPLATE)))
        self._databases += 1
        # What PostgreSQL spends is found by this name: another bench may run on this machine.
        name = f"bench_{os.getpid()}_{self._databases}"
        asyncio.run(_create(self.url, TEMPLATE, name))
        return self._address(name)

    def _address(self, name: str) -> str:
        return urlunsplit(urlsplit(self.url)._replace(path=f"/{name}"))

    def api(self, url: str, **settings: str) -> Process:
        """Start a real API process on a free port, without limits that a bench would run into."""
        open_house = {
            "credential_rate": "10000000",
            "address_rate": "10000000",
            "picture_rate": "10000000",
            **settings,
        }
        return self._listening([sys.executable, "-m", "pannier", "api"], url, open_house)

    def worker(self, url: str, **settings: str) -> Process:
        """Start a real worker; only its complaints are shown."""
        quiet = {"log_level": "warning", **settings}
        return self._start([sys.executable, "-m", "pannier", "worker", "--supervised"], url, quiet)

    def program(self, command: Sequence[str]) -> Process:
        """Start somebody else's program, which says nothing here."""
        running = subprocess.Popen(  # noqa: S603 - what the bench names
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        process = Process(running)
        self._leaving.callback(process.stop)
        return process

    def part(self, name: str, *words: object) -> Process:
        """Start a part of the script that serves a socket, given as its last word."""
        command = [sys.executable, str(self.script), name, *map(str, words)]
        return self._listening(command, self.url, {})

    def result(self, name: str, *words: object) -> Any:  # noqa: ANN401 - whatever the part returns
        """Run a part of the script to its end, and answer what it returned.

        In a process of its own, but for `--tiny`: starting one takes longer than the part.
        """
        if TINY:
            with ThreadPoolExecutor(1) as thread:
                done = thread.submit(_run_part, self._parts[name], [*map(str, words)])
                return msgspec.json.decode(done.result())
        command = [sys.executable, str(self.script), name, *map(str, words)]
        ended = subprocess.run(command, check=True, stdout=subprocess.PIPE)  # noqa: S603 - our own
        return msgspec.json.decode(ended.stdout)

    def _listening(self, command: Sequence[str], url: str, settings: dict[str, str]) -> Process:
        with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
            descriptor, port = listener.fileno(), listener.getsockname()[1]
            return self._start([*command, str(descriptor)], url, settings, descriptor, port=port)

    def _start(
        self,
        command: Sequence[str],
        url: str,
        settings: dict[str, str],
        *descriptors: int,
        port: int = 0,
    ) -> Process:
        chosen = {
            "data": str(self.folder / "data"),
            "database_url": url,
            "secret": SECRET,
            **settings,
        }
        # A line is written for each request, as in earnest; nobody reads it.
        running = popen(
            command,
            env=os.environ | {f"PANNIER_{name.upper()}": value for name, value in chosen.items()},
            pass_fds=descriptors,
            stderr=subprocess.DEVNULL if descriptors else None,
        )
        process = Process(running, port)
        self._leaving.callback(process.stop)
        return process


@contextmanager
def standing(script: Path, parts: dict[str, Part]) -> Iterator[Stand]:
    """Set a stand up, and leave nothing of it behind."""
    with ExitStack() as leaving:
        # As root the server runs as another user, who must be able to pass.
        folder = leaving.enter_context(tempfile.TemporaryDirectory(prefix="pannier-bench-"))
        Path(folder).chmod(0o711)
        if ready := os.environ.get("BENCH_CLUSTER"):
            command = ["cp", "--archive", ready, f"{folder}/data"]
            subprocess.run(command, check=True)  # noqa: S603 - of the system
        server = Server.open(Path(folder) / "data", fsync=not TINY)
        leaving.callback(server.stop)
        yield Stand(script, parts, Path(folder), server, leaving)


async def connected(url: str) -> Database:
    """Connect as the house does."""
    return await connect(url, clock=SystemClock(), keys=Keyring(SECRET))


async def found(url: str) -> CompanyCredentials:
    """Migrate a database, and found a company in it."""
    await migrate(url)
    database = await connected(url)
    made = await provisioning.provision_company(database, Passwords(), load({}))
    await database.close()
    if made is None:
        raise RuntimeError("There is a company already.")
    return made


async def serve(application: Any, descriptor: int) -> None:  # noqa: ANN401 - an ASGI application
    """Serve a bare application as the house serves its own."""
    gc.collect()
    gc.freeze()
    config = uvicorn.Config(
        application,
        http="httptools",
        access_log=False,
        lifespan="off",
        log_level="error",
        proxy_headers=False,
        server_header=False,
    )
    await uvicorn.Server(config).serve(sockets=[socket.socket(fileno=descriptor)])


async def answer(send: Any, body: bytes) -> None:  # noqa: ANN401 - ASGI
    """Answer JSON from a bare application."""
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Line:
    """One kept-alive connection to a server."""

    def __init__(self, port: int, key: str, **headers: str) -> None:
        self._port = port
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        given = {"Host": "bench", "Authorization": f"Bearer {key}", **named}
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - any JSON
        """Send a request, and read the answer."""
        return msgspec.json.decode(await self.raw(method, path, body))

    async def raw(self, method: str, path: str, body: object = None) -> bytes:
        """Send a request, and take the answer as it is."""
        self._streams = self._streams or await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        content = b"" if body is None else msgspec.json.encode(body)
        writer.write(
            f"{method} {path} HTTP/1.1\r\n{self._headers}Content-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n".encode()
            + content
        )
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        told = await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))
        assert head.startswith(b"http/1.1 20"), told
        return told


async def spread(lines: Sequence[Line], count: int, ask: Callable[[Line], Awaitable[Any]]) -> None:
    """Ask so many times, on all lines at once."""
    left = iter(range(count))

    async def some(line: Line) -> None:
        for _ in left:
            await ask(line)

    await asyncio.gather(*map(some, lines))


def database_cpu(url: str) -> float:
    """Add up what PostgreSQL's processes for one database have spent.

    Those that clean up come and go: so what any have spent that ended counts as well, whichever
    database they were for.
    """
    name = urlsplit(url).path[1:].encode()
    total, parents = 0.0, set[int]()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                command = (folder / "cmdline").read_bytes()
                if command.startswith(b"postgres:") and name in command.split():
                    total += cpu_seconds(int(folder.name))
                    parents.add(int(_stat(int(folder.name))[1]))
            except OSError:
                continue
    return total + sum(map(_ended_seconds, parents))


async def _create(url: str, template: str, name: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(f"create database {name} template {template}")
    await connection.close()


def run(measure: Callable[[Stand], None], **parts: Part) -> None:
    """Run a bench, or one of its parts."""
    if len(sys.argv) > 1 and sys.argv[1] in parts:
        sys.stdout.buffer.write(_run_part(parts[sys.argv[1]], sys.argv[2:]))
        return
    parser = argparse.ArgumentParser(description=inspect.getmodule(measure).__doc__)
    parser.add_argument("--tiny", action="store_true", help="run in seconds, for its own sake")
    parser.add_argument("--figures", type=Path, metavar="FILE", help="write the figures as JSON")
    options = parser.parse_args()
    if TINY:
        os.environ["BENCH_TINY"] = "1"  # for the parts
    print(machine(), flush=True)
    with standing(Path(sys.argv[0]), parts) as stand:
        measure(stand)
        measured = Measured(machine(), stand.figures)
    if options.figures:
        options.figures.write_bytes(msgspec.json.format(msgspec.json.encode(measured)))


def _run_part(part: Part, words: Sequence[str]) -> bytes:
    made = uvloop.run(part(*words)) if inspect.iscoroutinefunction(part) else part(*words)
    return b"" if made is None else msgspec.json.encode(made)
