"""Run benches on real processes and record their figures.

A bench is a script. Its docstring says what it measures and against which floor. It ends with

    if __name__ == "__main__":
        stand.run(measure, bare=serve_bare)

`measure(test_stand)` gets a PostgreSQL server and a data directory of its own. All processes that
it starts are stopped when it returns. The named functions are parts, which run in processes of
their own. `test_stand.start_part("bare", url)` starts a part that serves a socket.
`test_stand.run_part("bare", url)` runs a part to its end and returns its result.
`test_stand.record(Figure(…))` prints a figure and keeps it.

Every bench takes two options. `--tiny` runs in seconds to check the script; its figures mean
nothing. `--figures FILE` writes the figures as JSON for `scripts/performance.py`. `BENCH_CLUSTER`
can name a data directory to copy, which is faster than creating one.
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
TIMEOUT_SECONDS: Final = 120.0
TINY: Final = "--tiny" in sys.argv or "BENCH_TINY" in os.environ
TEMPLATE_DATABASE: Final = "bench_template"  # migrated once, then copied
PROCESS_CPU_CLOCK: Final = 2  # Linux's number for the clock of a whole process

PartFunction = Callable[..., Any]
popen: Callable[..., Any] = subprocess.Popen  # starts our own programs; tests replace it


def read_size(name: str, whole: int, *, tiny: int) -> int:
    """Return how much to measure; `BENCH_<NAME>` overrides it."""
    return int(os.environ.get(f"BENCH_{name.upper()}", tiny if TINY else whole))


class Aim(msgspec.Struct, frozen=True):
    """A bound for a ratio."""

    bound: float
    at_least: bool = False

    def __str__(self) -> str:
        return f"{'at least' if self.at_least else 'at most'} {self.bound:g}"

    def holds(self, ratio: float) -> bool:
        """Tell whether a ratio is within the bound."""
        return ratio >= self.bound if self.at_least else ratio <= self.bound


def aim_at_least(bound: float) -> Aim:
    """Return an aim for ratios that should be high."""
    return Aim(bound, at_least=True)


def aim_at_most(bound: float) -> Aim:
    """Return an aim for ratios that should be low."""
    return Aim(bound)


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement, with its floor and its ratio to that floor."""

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


class BenchResult(msgspec.Struct):
    """The figures of a bench, and the machine they come from."""

    machine: str
    figures: list[Figure]


def describe_machine() -> str:
    """Describe this machine in one line."""
    cpus = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(": ")[1] for line in cpus if line.startswith("model name")), "CPU")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{len(os.sched_getaffinity(0))} cores, {model}, {memory:.0f} GiB, "
        f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    )


def read_cpu_seconds(pid: int) -> float:
    """Read the CPU seconds of a process with all its threads, to the nanosecond."""
    return time.clock_gettime(((~pid) << 3) | PROCESS_CPU_CLOCK)


def read_children_cpu_seconds(pid: int) -> float:
    """Read the CPU seconds of all descendants of a process."""
    ended = _read_ended_cpu_seconds(pid)
    tasks = Path(f"/proc/{pid}/task").iterdir()
    alive = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    return ended + sum(map(_read_cpu_seconds_with_children, alive))


def _read_ended_cpu_seconds(pid: int) -> float:
    """Read the CPU seconds of the children of a process that have ended."""
    return sum(map(int, _read_stat(pid)[13:15])) / os.sysconf("SC_CLK_TCK")


def _read_stat(pid: int) -> list[str]:
    """Read the fields of `/proc/PID/stat`, beginning with the state."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _read_cpu_seconds_with_children(pid: int) -> float:
    try:
        return read_cpu_seconds(pid) + read_children_cpu_seconds(pid)
    except OSError:  # It has just ended and now counts as an ended child.
        return 0.0


def compute_percentile(values: Sequence[float], share: float) -> float:
    """Return the value that this share of the values does not exceed."""
    return sorted(values)[int(share * (len(values) - 1))]


class BenchProcess:
    """A process on the stand, with the port it listens on, if any."""

    def __init__(self, running: subprocess.Popen[bytes], port: int = 0) -> None:
        self._running, self.port = running, port

    @property
    def pid(self) -> int:
        """The process ID."""
        return self._running.pid

    def read_cpu_seconds(self) -> float:
        """Read the CPU seconds of the process and its descendants."""
        return read_cpu_seconds(self.pid) + read_children_cpu_seconds(self.pid)

    def stop(self) -> None:
        """Stop the process and wait until it has ended."""
        if self._running.poll() is None:
            self._running.send_signal(signal.SIGTERM)
        self._running.wait(TIMEOUT_SECONDS)


class Stand:
    """A test stand: a PostgreSQL server, a data directory and the processes of one bench."""

    def __init__(
        self,
        script: Path,
        parts: dict[str, PartFunction],
        folder: Path,
        server: Server,
        cleanup: ExitStack,
    ) -> None:
        self.script, self.folder, self.url = script, folder, server.url
        self.figures: list[Figure] = []
        self._parts, self._cleanup, self._databases = parts, cleanup, 0

    def record(self, figure: Figure) -> None:
        """Print a figure and keep it."""
        print(figure, flush=True)
        self.figures.append(figure)

    def create_database(self) -> str:
        """Create another database, migrated and empty, and return its URL."""
        if not self._databases:
            asyncio.run(_create_database(self.url, urlsplit(self.url).path[1:], TEMPLATE_DATABASE))
            asyncio.run(migrate(self._build_address(TEMPLATE_DATABASE)))
        self._databases += 1
        # The name identifies PostgreSQL's processes, also when another bench runs here.
        name = f"bench_{os.getpid()}_{self._databases}"
        asyncio.run(_create_database(self.url, TEMPLATE_DATABASE, name))
        return self._build_address(name)

    def _build_address(self, name: str) -> str:
        return urlunsplit(urlsplit(self.url)._replace(path=f"/{name}"))

    def start_api(self, url: str, **settings: str) -> BenchProcess:
        """Start a real API process on a free port, with rate limits out of reach."""
        unlimited = {
            "credential_rate": "10000000",
            "address_rate": "10000000",
            "picture_rate": "10000000",
            **settings,
        }
        return self._start_listening([sys.executable, "-m", "pannier", "api"], url, unlimited)

    def start_worker(self, url: str, **settings: str) -> BenchProcess:
        """Start a real worker that logs only warnings and errors."""
        quiet = {"log_level": "warning", **settings}
        return self._start([sys.executable, "-m", "pannier", "worker", "--supervised"], url, quiet)

    def start_program(self, command: Sequence[str]) -> BenchProcess:
        """Start a third-party program without its output."""
        running = subprocess.Popen(  # noqa: S603 - named by the bench
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        process = BenchProcess(running)
        self._cleanup.callback(process.stop)
        return process

    def start_part(self, name: str, *words: object) -> BenchProcess:
        """Start a part of the script that serves the socket in its last argument."""
        command = [sys.executable, str(self.script), name, *map(str, words)]
        return self._start_listening(command, self.url, {})

    def run_part(self, name: str, *words: object) -> Any:  # noqa: ANN401 - any result
        """Run a part of the script to its end, and return its result.

        It runs in a process of its own. With `--tiny` it runs in a thread, because starting a
        process takes longer than the part.
        """
        if TINY:
            with ThreadPoolExecutor(1) as thread:
                done = thread.submit(_run_part, self._parts[name], [*map(str, words)])
                return msgspec.json.decode(done.result())
        command = [sys.executable, str(self.script), name, *map(str, words)]
        ended = subprocess.run(command, check=True, stdout=subprocess.PIPE)  # noqa: S603 - our own
        return msgspec.json.decode(ended.stdout)

    def _start_listening(
        self, command: Sequence[str], url: str, settings: dict[str, str]
    ) -> BenchProcess:
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
    ) -> BenchProcess:
        chosen = {
            "data": str(self.folder / "data"),
            "database_url": url,
            "secret": SECRET,
            **settings,
        }
        # Requests are logged as in production, but nobody reads the log.
        running = popen(
            command,
            env=os.environ | {f"PANNIER_{name.upper()}": value for name, value in chosen.items()},
            pass_fds=descriptors,
            stderr=subprocess.DEVNULL if descriptors else None,
        )
        process = BenchProcess(running, port)
        self._cleanup.callback(process.stop)
        return process


@contextmanager
def open_stand(script: Path, parts: dict[str, PartFunction]) -> Iterator[Stand]:
    """Create a stand, and remove all of it at the end."""
    with ExitStack() as cleanup:
        # As root, PostgreSQL runs as another user, who needs access to the folder.
        folder = cleanup.enter_context(tempfile.TemporaryDirectory(prefix="pannier-bench-"))
        Path(folder).chmod(0o711)
        if ready := os.environ.get("BENCH_CLUSTER"):
            command = ["cp", "--archive", ready, f"{folder}/data"]
            subprocess.run(command, check=True)  # noqa: S603 - a system program
        server = Server.open(Path(folder) / "data", fsync=not TINY)
        cleanup.callback(server.stop)
        yield Stand(script, parts, Path(folder), server, cleanup)


async def open_database(url: str) -> Database:
    """Connect with the same options as Pannier."""
    return await connect(url, clock=SystemClock(), keys=Keyring(SECRET))


async def provision_company(url: str) -> CompanyCredentials:
    """Migrate a database, and create a company in it."""
    await migrate(url)
    database = await open_database(url)
    made = await provisioning.provision_company(database, Passwords(), load({}))
    await database.close()
    if made is None:
        raise RuntimeError("This database already has a company.")
    return made


async def serve(application: Any, descriptor: int) -> None:  # noqa: ANN401 - an ASGI application
    """Serve a bare application with Pannier's server settings."""
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


async def send_json(send: Any, body: bytes) -> None:  # noqa: ANN401 - ASGI
    """Send a JSON response from a bare application."""
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class HttpConnection:
    """One keep-alive connection to a server."""

    def __init__(self, port: int, key: str, **headers: str) -> None:
        self._port = port
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        given = {"Host": "bench", "Authorization": f"Bearer {key}", **named}
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def request_json(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - any JSON
        """Send a request, and return the decoded response."""
        return msgspec.json.decode(await self.request(method, path, body))

    async def request(self, method: str, path: str, body: object = None) -> bytes:
        """Send a request, and return the body of the response."""
        self._streams = self._streams or await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        payload = b"" if body is None else msgspec.json.encode(body)
        writer.write(
            f"{method} {path} HTTP/1.1\r\n{self._headers}Content-Type: application/json\r\n"
            f"Content-Length: {len(payload)}\r\n\r\n".encode()
            + payload
        )
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        content = await reader.readexactly(
            int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
        )
        assert head.startswith(b"http/1.1 20"), content
        return content

    async def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
            await self._streams[1].wait_closed()
            self._streams = None


async def run_requests(
    connections: Sequence[HttpConnection],
    count: int,
    send: Callable[[HttpConnection], Awaitable[Any]],
) -> None:
    """Call `send` `count` times, on all connections at once."""
    left = iter(range(count))

    async def send_some(connection: HttpConnection) -> None:
        for _ in left:
            await send(connection)

    await asyncio.gather(*map(send_some, connections))


def read_database_cpu_seconds(url: str) -> float:
    """Sum the CPU seconds of PostgreSQL's processes for one database.

    Autovacuum workers start and end at any time. The total therefore includes all PostgreSQL
    processes that have ended, for any database.
    """
    name = urlsplit(url).path[1:].encode()
    total, parents = 0.0, set[int]()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                command = (folder / "cmdline").read_bytes()
                if command.startswith(b"postgres:") and name in command.split():
                    total += read_cpu_seconds(int(folder.name))
                    parents.add(int(_read_stat(int(folder.name))[1]))
            except OSError:
                continue
    return total + sum(map(_read_ended_cpu_seconds, parents))


async def _create_database(url: str, template: str, name: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(f"create database {name} template {template}")
    await connection.close()


def run(measure: Callable[[Stand], None], **parts: PartFunction) -> None:
    """Run a bench, or one of its parts."""
    if len(sys.argv) > 1 and sys.argv[1] in parts:
        sys.stdout.buffer.write(_run_part(parts[sys.argv[1]], sys.argv[2:]))
        return
    parser = argparse.ArgumentParser(description=inspect.getmodule(measure).__doc__)
    parser.add_argument(
        "--tiny", action="store_true", help="run in seconds, only to check the script"
    )
    parser.add_argument("--figures", type=Path, metavar="FILE", help="write the figures as JSON")
    options = parser.parse_args()
    if TINY:
        os.environ["BENCH_TINY"] = "1"  # so that the parts see it
    print(describe_machine(), flush=True)
    with open_stand(Path(sys.argv[0]), parts) as stand:
        measure(stand)
        result = BenchResult(describe_machine(), stand.figures)
    if options.figures:
        options.figures.write_bytes(msgspec.json.format(msgspec.json.encode(result)))


def _run_part(part: PartFunction, words: Sequence[str]) -> bytes:
    made = uvloop.run(part(*words)) if inspect.iscoroutinefunction(part) else part(*words)
    return b"" if made is None else msgspec.json.encode(made)
