"""A receiver of our own on the loopback: real HTTPS, every byte written down, and bad manners."""

import asyncio
import ssl
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
import trustme

from program import PATIENCE

HOSTS: Final = ("127.0.0.1", "localhost", "receiver.test", "*.receiver.test")
NETWORKS: Final = "127.0.0.0/8"
REASONS: Final = {200: "OK", 204: "No Content", 401: "Unauthorized", 410: "Gone"}
# What a connection ends with when the sender is the one who hangs up.
GONE: Final = (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError)


@cache
def authority() -> trustme.CA:
    """Make the authority that vouches for receivers, once a process."""
    return trustme.CA()


def trusted(folder: Path) -> Path:
    """Write down whom to trust, for PANNIER_WEBHOOK_CA_BUNDLE."""
    path = folder / "receivers.pem"
    if not path.exists():  # Written again, it would be read again, with all authorities.
        authority().cert_pem.write_to_path(path)
    return path


@cache
def context() -> ssl.SSLContext:
    """Make the receiver's own certificate."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority().issue_cert(*HOSTS).configure_cert(made)
    return made


@dataclass
class Received:
    """One request, as it came over the wire."""

    path: str
    head: bytes
    body: bytes
    # Which connection it came by, and when, on the loop's clock.
    connection: int
    at: float

    @property
    def lines(self) -> list[tuple[str, str]]:
        """The headers, line by line and spelled as they came."""
        rows = self.head.decode("latin-1").split("\r\n")[1:]
        pairs = (row.partition(": ") for row in rows if row)
        return [(name, value) for name, _, value in pairs]

    @property
    def headers(self) -> dict[str, str]:
        """The headers by name in small letters; one that came twice is a mistake."""
        found = [name.lower() for name, _ in self.lines]
        assert len(set(found)) == len(found), f"A header came twice: {found}"
        return {name.lower(): value for name, value in self.lines}

    @property
    def method(self) -> str:
        return self.head.split(b" ", 1)[0].decode()

    @property
    def id(self) -> str:
        """The `webhook-id`, by which a delivery is known."""
        return self.headers["webhook-id"]

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


# What a path does with a request: it writes whatever it likes, then the connection goes on or ends.
Manner = Callable[[Received, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Reply:
    """An orderly answer."""

    status: int = 200
    headers: Mapping[str, str] | Sequence[tuple[str, str]] = ()
    body: bytes = b""
    delay: float = 0.0

    async def __call__(self, _: Received, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(self.delay)
        given = self.headers.items() if isinstance(self.headers, Mapping) else self.headers
        lines = [
            f"HTTP/1.1 {self.status} {REASONS.get(self.status, 'Whatever')}",
            *(f"{name}: {value}" for name, value in given),
            f"Content-Length: {len(self.body)}",
        ]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + self.body)
        await writer.drain()


async def hang_up(_: Received, writer: asyncio.StreamWriter) -> None:
    """Close the connection without a word."""
    writer.transport.abort()


async def silent(_: Received, __: asyncio.StreamWriter) -> None:
    """Never answer."""
    await asyncio.Event().wait()


async def trickle(_: Received, writer: asyncio.StreamWriter) -> None:
    """Promise an answer, and send a byte of it now and then."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b".")
        await writer.drain()
        await asyncio.sleep(0.05)


async def endless(_: Received, writer: asyncio.StreamWriter) -> None:
    """Send an answer that never ends, as fast as it is read."""
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"10000\r\n" + b"." * 0x10000 + b"\r\n")
        await writer.drain()


async def nonsense(_: Received, writer: asyncio.StreamWriter) -> None:
    """Answer something else than HTTP."""
    writer.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")
    await writer.drain()
    writer.close()


@dataclass
class Receiver:
    """Takes deliveries on a free port; whoever asks at a path gets what that path was told."""

    ca_bundle: Path
    port: int = 0
    requests: list[Received] = field(default_factory=list)
    connections: int = 0
    # By path, the manners still to be shown once and the one to be shown for good.
    _once: dict[str | None, deque[Manner]] = field(default_factory=dict)
    _always: dict[str | None, Manner] = field(default_factory=dict)
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    def url(self, path: str = "/hooks", host: str = "127.0.0.1") -> str:
        return f"https://{host}:{self.port}{path}"

    def answer(
        self,
        status: int = 200,
        *,
        headers: Mapping[str, str] | Sequence[tuple[str, str]] = (),
        body: bytes | str = b"",
        delay: float = 0.0,
        path: str | None = None,
        times: int | None = None,
    ) -> None:
        """Answer so from now on, or so many times; at one path, or wherever nothing else is said.

        What is said for some times queues up behind what was said so before.
        """
        raw = body.encode() if isinstance(body, str) else body
        self.behave(Reply(status, headers, raw, delay), path=path, times=times)

    def behave(self, manner: Manner, *, path: str | None = None, times: int | None = None) -> None:
        """Treat requests so from now on, or so many times."""
        if times is None:
            self._always[path] = manner
        else:
            self._once.setdefault(path, deque()).extend([manner] * times)

    def at(self, path: str) -> list[Received]:
        """List the requests for a path."""
        return [one for one in self.requests if one.path == path]

    async def heard(self, count: int, path: str | None = None) -> list[Received]:
        """Wait until so many requests have come, and list them."""

        def found() -> list[Received]:
            return self.requests if path is None else self.at(path)

        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(lambda: len(found()) >= count)
        return found()

    def forget(self) -> None:
        """Forget the requests, and what was said about answers."""
        self.requests.clear()
        self._once.clear()
        self._always.clear()

    def hang_up(self) -> None:
        """End every connection there is, as a restart would."""
        for task in self._tasks:
            task.cancel()

    def _manner(self, path: str) -> Manner:
        for place in (path, None):
            if self._once.get(place):
                return self._once[place].popleft()
            if place in self._always:
                return self._always[place]
        return Reply()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection to its end."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            with suppress(*GONE, asyncio.CancelledError):
                await self._converse(reader, writer, self.connections)
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _converse(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: int
    ) -> None:
        while not writer.is_closing():
            one = await _read(reader, connection)
            async with self._news:
                self.requests.append(one)
                self._news.notify_all()
            await self._manner(one.path)(one, writer)


async def _read(reader: asyncio.StreamReader, connection: int) -> Received:
    head = await reader.readuntil(b"\r\n\r\n")
    one = Received(head.split(b" ", 2)[1].decode(), head, b"", connection, 0.0)
    if one.headers.get("transfer-encoding") is not None:
        raise AssertionError("A delivery says how long it is, and comes in one piece.")
    one.body = await reader.readexactly(int(one.headers.get("content-length", "0")))
    one.at = asyncio.get_running_loop().time()
    return one


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Receiver]:
    """Open a receiver on a free port; the folder gets the file of whom to trust."""
    receiver = Receiver(trusted(folder))
    server = await asyncio.start_server(
        receiver.serve, "127.0.0.1", 0, ssl=context(), ssl_handshake_timeout=PATIENCE
    )
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        receiver.hang_up()
        await server.wait_closed()
