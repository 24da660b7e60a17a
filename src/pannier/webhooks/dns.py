"""Finding receivers: every address is judged, when it is found and when it is connected to."""

import asyncio
import socket
import ssl
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from typing import Final, NamedTuple

from pannier.settings import SettingsError
from pannier.web.addresses import Networks
from pannier.webhooks.guard import Blocked, allowed

THREADS: Final = 64
NAME_SECONDS: Final = 10.0
MOST_NAMES: Final = 10_000

SocketAddress = tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]
Answer = tuple[socket.AddressFamily, socket.SocketKind, int, str, SocketAddress]
Lookup = Callable[[str, int], Sequence[Answer]]


class Place(NamedTuple):
    """A concrete address that somebody can connect to."""

    family: socket.AddressFamily
    address: str
    port: int


def look_up(host: str, port: int) -> Sequence[Answer]:
    """Ask the system where a host is; this may take as long as its name servers please."""
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)


class Resolver:
    """Finds receivers by name, and refuses a name that leads anywhere it must not.

    It has threads of its own, and one at the most waits for a host: a receiver whose name
    server hangs keeps neither other receivers nor other work of the process waiting. What was
    found is remembered for some seconds; that nothing was found is not.
    """

    def __init__(
        self, allow: Networks = (), lookup: Lookup = look_up, *, seconds: float = NAME_SECONDS
    ) -> None:
        self._allow, self._lookup, self._seconds = allow, lookup, seconds
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="webhook-names")
        self._asked: dict[str, asyncio.Future[Sequence[Answer]]] = {}
        self._known: dict[str, tuple[float, Sequence[Answer]]] = {}

    async def resolve(self, host: str, port: int) -> list[Place]:
        """Find a host's addresses; one forbidden address among them spoils them all."""
        spelled = literal(host, port)
        places = [spelled] if spelled else _places(await self._found(host, port), port)
        if not all(allowed(place.address, self._allow) for place in places):
            raise Blocked
        if not places:
            raise OSError("The host has no address.")
        return places

    async def _found(self, host: str, port: int) -> Sequence[Answer]:
        until, known = self._known.get(host, (0.0, ()))
        if asyncio.get_running_loop().time() < until:
            return known
        # Whoever gives up waiting must not take the answer from the others who wait.
        return await asyncio.shield(self._ask(host, port))

    def _ask(self, host: str, port: int) -> asyncio.Future[Sequence[Answer]]:
        if host not in self._asked:
            loop = asyncio.get_running_loop()
            asked = loop.run_in_executor(self._threads, self._lookup, host, port)
            self._asked[host] = asked
            asked.add_done_callback(lambda asked: self._told(host, asked))
        return self._asked[host]

    def _told(self, host: str, asked: asyncio.Future[Sequence[Answer]]) -> None:
        self._asked.pop(host, None)
        # To ask for the failure marks it as seen, should nobody wait for it any more.
        if asked.cancelled() or asked.exception() is not None:
            return
        if len(self._known) >= MOST_NAMES:
            self._known.clear()
        until = asyncio.get_running_loop().time() + self._seconds
        self._known[host] = (until, asked.result())

    async def close(self) -> None:
        """Let go of the threads without waiting for those whose name server hangs."""
        for asked in list(self._asked.values()):
            asked.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)


def literal(host: str, port: int) -> Place | None:
    """Read a host that is an address itself, in its usual spelling; nobody is asked for it."""
    try:
        version = ip_address(host).version
    except ValueError:
        return None
    # With a scope it has a colon as well; who judges it refuses it.
    return Place(socket.AF_INET6 if version == 6 else socket.AF_INET, host, port)  # noqa: PLR2004 - IPv6


def _places(answers: Sequence[Answer], port: int) -> list[Place]:
    # Not the answer's port: it may have been given to somebody who asked for another.
    return [Place(answer[0], str(answer[4][0]), port) for answer in answers]


async def connected(place: Place, allow: Networks) -> socket.socket:
    """Connect to an address, which is judged once more, right before.

    It is the very address that is connected to: no later answer about a name can slip past.
    """
    if not allowed(place.address, allow):
        raise Blocked
    made = socket.socket(place.family, socket.SOCK_STREAM)
    try:
        made.setblocking(False)  # noqa: FBT003 - the socket's own way to say it
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(made, (place.address, place.port))
    except BaseException:
        made.close()
        raise
    return made


@lru_cache(maxsize=2)
def trusting(ca_bundle: str | None) -> ssl.SSLContext:
    """Read the authorities to trust; once a process, because it takes long."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if ca_bundle is not None:
        _add(context, ca_bundle)
    return context


def _add(context: ssl.SSLContext, ca_bundle: str) -> None:
    if not Path(ca_bundle).is_file():
        raise SettingsError(f"PANNIER_WEBHOOK_CA_BUNDLE is wrong: there is no file {ca_bundle}.")
    try:
        context.load_verify_locations(ca_bundle)
    except OSError:
        raise SettingsError(
            f"PANNIER_WEBHOOK_CA_BUNDLE is wrong: {ca_bundle} holds no certificates to read."
        ) from None
