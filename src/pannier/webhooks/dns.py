"""Finding receivers: every address is judged, when it is found and when it is connected to."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address
from typing import Any, Final, NamedTuple, Protocol

from pannier.kit.cache import Cache
from pannier.kit.later import aiodns
from pannier.web.addresses import Networks
from pannier.webhooks.guard import Blocked, allowed

NAME_SECONDS: Final = 10.0
MAX_NAMES: Final = 10_000
# How long a name server is waited for, the first time, and how often it is asked.
SERVER_SECONDS: Final = 2.0
TRIES: Final = 3

# Answers the addresses of a host.
Lookup = Callable[[str], Awaitable[Sequence[str]]]


class Place(NamedTuple):
    """A concrete address that somebody can connect to."""

    family: socket.AddressFamily
    address: str
    port: int


class Finds(Protocol):
    """Finds where receivers are."""

    async def resolve(self, host: str, port: int) -> list[Place]:
        """Find a host's addresses, or refuse."""


class Servers:
    """Asks the system's name servers, however many at once: none of it takes a thread."""

    def __init__(self, **chosen: Any) -> None:  # noqa: ANN401 - c-ares' own options
        self._chosen = {"timeout": SERVER_SECONDS, "tries": TRIES, **chosen}
        self._servers: Any = None

    async def __call__(self, host: str) -> Sequence[str]:
        """Find a host's addresses."""
        if self._servers is None:
            self._servers = aiodns.DNSResolver(**self._chosen)
        try:
            found = await self._servers.getaddrinfo(
                host, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
            )
        except aiodns.error.DNSError as failure:
            raise socket.gaierror(*failure.args) from None
        return [_text(node.addr[0]) for node in found.nodes]

    async def close(self) -> None:
        """Ask no more."""
        servers, self._servers = self._servers, None
        if servers is not None:
            await servers.close()


def _text(address: str | bytes) -> str:
    return address.decode() if isinstance(address, bytes) else address


class Resolver:
    """Finds receivers by name, and refuses a name that leads anywhere it must not.

    A host is asked for once at a time: a receiver whose name server hangs keeps neither other
    receivers nor other work of the process waiting. What was found is remembered for some
    seconds; that nothing was found is not.
    """

    def __init__(
        self, lookup: Lookup, allow: Networks = (), *, seconds: float = NAME_SECONDS
    ) -> None:
        self._allow, self._lookup, self._seconds = allow, lookup, seconds
        self._asked: dict[str, asyncio.Task[Sequence[str]]] = {}
        self._cache = Cache[str, tuple[float, Sequence[str]]](MAX_NAMES)

    async def resolve(self, host: str, port: int) -> list[Place]:
        """Find a host's addresses; one forbidden address among them spoils them all."""
        found = [host] if literal(host, port) else await self._found(host)
        if not all(allowed(address, self._allow) for address in found):
            raise Blocked
        places = [place for address in found if (place := literal(address, port)) is not None]
        if not places:
            raise OSError("The host has no address.")
        return places

    async def _found(self, host: str) -> Sequence[str]:
        until, known = self._cache.find(host) or (0.0, ())
        if asyncio.get_running_loop().time() < until:
            return known
        # Whoever gives up waiting must not take the answer from the others who wait.
        return await asyncio.shield(self._ask(host))

    def _ask(self, host: str) -> asyncio.Task[Sequence[str]]:
        if host not in self._asked:
            asked = asyncio.ensure_future(self._lookup(host))
            self._asked[host] = asked
            asked.add_done_callback(lambda asked: self._told(host, asked))
        return self._asked[host]

    def _told(self, host: str, asked: asyncio.Task[Sequence[str]]) -> None:
        self._asked.pop(host, None)
        # To ask for the failure marks it as seen, should nobody wait for it any more.
        if asked.cancelled() or asked.exception() is not None:
            return
        until = asyncio.get_running_loop().time() + self._seconds
        self._cache.store(host, (until, asked.result()))

    async def close(self) -> None:
        """Give up what is still asked for."""
        for asked in list(self._asked.values()):
            asked.cancel()


def literal(host: str, port: int) -> Place | None:
    """Read a host that is an address itself, in its usual spelling; nobody is asked for it."""
    try:
        version = ip_address(host).version
    except ValueError:
        return None
    # With a scope it has a colon as well; who judges it refuses it.
    return Place(socket.AF_INET6 if version == 6 else socket.AF_INET, host, port)  # noqa: PLR2004 - IPv6


async def connected(place: Place, allow: Networks) -> socket.socket:
    """Connect to an address, which is judged once more, right before.

    It is the very address that is connected to: no later answer about a name can slip past.
    """
    if not allowed(place.address, allow):
        raise Blocked
    return await joined(place.family, (place.address, place.port))


async def joined(family: int, address: tuple[Any, ...]) -> socket.socket:
    """Connect to an address that somebody else has judged."""
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setblocking(False)  # noqa: FBT003 - the socket's own way to say it
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(made, address)
    except BaseException:
        made.close()
        raise
    return made
