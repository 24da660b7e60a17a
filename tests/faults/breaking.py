"""A proxy on loopback that breaks a part of its connections: before, after and amid the answer."""

import asyncio
import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Final, Literal
from urllib.parse import urlsplit

HOST: Final = "127.0.0.1"
Fate = Literal["passed", "lost request", "lost answer", "cut answer"]
BREAKS: Final[tuple[Fate, ...]] = ("lost request", "lost answer", "cut answer")


class BreakingProxy:
    """Passes requests on to a server, one a connection, and breaks a third of them."""

    def __init__(self, url: str, seed: int) -> None:
        self.fates = Counter[Fate]()
        self._port = urlsplit(url).port
        self._coming = draw_fates(random.Random(seed))

    async def open(self) -> str:
        self._server = await asyncio.start_server(self._serve, HOST, 0)
        return f"http://{HOST}:{self._server.sockets[0].getsockname()[1]}"

    def close(self) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            await self._pass_on(await read_request(reader), writer)
        writer.close()

    async def _pass_on(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        fate = next(self._coming)
        self.fates[fate] += 1
        if fate == "lost request":
            # With a reset, as a router that has forgotten the connection does.
            writer.transport.abort()
            return
        answer = await self._ask(request)
        if fate != "lost answer":
            writer.write(answer[: len(answer) // 2] if fate == "cut answer" else answer)
            await writer.drain()

    async def _ask(self, request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection(HOST, self._port)
        writer.write(request)
        answer = await reader.read()
        writer.close()
        return answer


def draw_fates(chance: random.Random) -> Iterator[Fate]:
    """Break one of each three requests, whichever it is, and each way in turn."""
    for turn in count():
        fates: list[Fate] = [BREAKS[turn % len(BREAKS)], "passed", "passed"]
        chance.shuffle(fates)
        yield from fates


async def read_request(reader: asyncio.StreamReader) -> bytes:
    """Read a request, and ask the server to close the connection after it."""
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    headers = [line for line in lines if not line.lower().startswith(b"connection:")]
    lengths = [line for line in headers if line.lower().startswith(b"content-length:")]
    body = await reader.readexactly(int(lengths[0].partition(b":")[2]) if lengths else 0)
    return b"\r\n".join([first, *headers, b"Connection: close", b"", body])


@contextmanager
def breaking(url: str, seed: int) -> Iterator[tuple[BreakingProxy, str]]:
    """Put a breaking proxy before a server, in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    proxy = BreakingProxy(url, seed)
    address = asyncio.run_coroutine_threadsafe(proxy.open(), loop).result()
    try:
        yield proxy, address
    finally:
        loop.call_soon_threadsafe(proxy.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
