"""Resolution of receivers. Each address is checked when it is found and before connecting."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address
from typing import Any, Final, NamedTuple, Protocol

from pannier.kit.cache import Cache
from pannier.kit.lazy_modules import aiodns
from pannier.web.addresses import Networks
from pannier.webhooks.guard import Blocked, is_allowed

CACHE_SECONDS: Final = 10.0
MAX_CACHED_NAMES: Final = 10_000
# The timeout of the first query to a name server, and the number of queries.
SERVER_TIMEOUT_SECONDS: Final = 2.0
MAX_TRIES: Final = 3

# Returns the addresses of a host.
Lookup = Callable[[str], Awaitable[Sequence[str]]]


class SocketAddress(NamedTuple):
    """An IP address and port to connect to."""

    family: socket.AddressFamily
    address: str
    port: int


class AddressResolver(Protocol):
    """Resolves hosts of receivers."""

    async def resolve(self, host: str, port: int) -> list[SocketAddress]:
        """Resolve a host, or raise Blocked."""


class NameServers:
    """A lookup that queries the system's name servers. Concurrent queries need no threads."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - options of c-ares
        self._options = {"timeout": SERVER_TIMEOUT_SECONDS, "tries": MAX_TRIES, **options}
        self._resolver: Any = None

    async def __call__(self, host: str) -> Sequence[str]:
        """Look up a host's addresses."""
        if self._resolver is None:
            self._resolver = aiodns.DNSResolver(**self._options)
        try:
            result = await self._resolver.getaddrinfo(
                host, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
            )
        except aiodns.error.DNSError as failure:
            raise socket.gaierror(*failure.args) from None
        return [_to_text(node.addr[0]) for node in result.nodes]

    async def close(self) -> None:
        """Close the connections to name servers."""
        resolver, self._resolver = self._resolver, None
        if resolver is not None:
            await resolver.close()


def _to_text(address: str | bytes) -> str:
    return address.decode() if isinstance(address, bytes) else address


class DnsResolver:
    """A resolver that refuses names with an address that webhooks may not reach.

    Concurrent requests for a host share one lookup. A hanging name server delays neither other
    receivers nor other work of the process. Results are cached for some seconds, failures
    are not.
    """

    def __init__(
        self,
        lookup: Lookup,
        allowed_networks: Networks = (),
        *,
        cache_seconds: float = CACHE_SECONDS,
    ) -> None:
        self._allowed_networks, self._lookup, self._cache_seconds = (
            allowed_networks,
            lookup,
            cache_seconds,
        )
        self._lookups: dict[str, asyncio.Task[Sequence[str]]] = {}
        self._cache = Cache[str, tuple[float, Sequence[str]]](MAX_CACHED_NAMES)

    async def resolve(self, host: str, port: int) -> list[SocketAddress]:
        """Resolve a host. Raise Blocked if any of its addresses is forbidden."""
        addresses = [host] if parse_literal(host, port) else await self._look_up(host)
        if not all(is_allowed(address, self._allowed_networks) for address in addresses):
            raise Blocked
        socket_addresses = [
            socket_address
            for address in addresses
            if (socket_address := parse_literal(address, port)) is not None
        ]
        if not socket_addresses:
            raise OSError("The host has no address.")
        return socket_addresses

    async def _look_up(self, host: str) -> Sequence[str]:
        expires_at, addresses = self._cache.find(host) or (0.0, ())
        if asyncio.get_running_loop().time() < expires_at:
            return addresses
        # A caller that is cancelled must not cancel the lookup that others wait for.
        return await asyncio.shield(self._start_lookup(host))

    def _start_lookup(self, host: str) -> asyncio.Task[Sequence[str]]:
        if host not in self._lookups:
            lookup = asyncio.ensure_future(self._lookup(host))
            self._lookups[host] = lookup
            lookup.add_done_callback(lambda done: self._store_result(host, done))
        return self._lookups[host]

    def _store_result(self, host: str, lookup: asyncio.Task[Sequence[str]]) -> None:
        self._lookups.pop(host, None)
        # Reading the exception marks it as retrieved, in case no caller is waiting any more.
        if lookup.cancelled() or lookup.exception() is not None:
            return
        expires_at = asyncio.get_running_loop().time() + self._cache_seconds
        self._cache.store(host, (expires_at, lookup.result()))

    async def close(self) -> None:
        """Cancel pending lookups."""
        for lookup in list(self._lookups.values()):
            lookup.cancel()


def parse_literal(host: str, port: int) -> SocketAddress | None:
    """Parse a host that is an IP address. Return None for a name."""
    try:
        version = ip_address(host).version
    except ValueError:
        return None
    # An address with a scope is IPv6 too; `guard.is_allowed` refuses it.
    return SocketAddress(socket.AF_INET6 if version == 6 else socket.AF_INET, host, port)  # noqa: PLR2004 - IPv6


async def connect(address: SocketAddress, allowed_networks: Networks) -> socket.socket:
    """Check an address again and connect to it.

    The connection uses exactly the checked address, so a changed DNS answer has no effect.
    """
    if not is_allowed(address.address, allowed_networks):
        raise Blocked
    return await connect_without_check(address.family, (address.address, address.port))


async def connect_without_check(family: int, address: tuple[Any, ...]) -> socket.socket:
    """Connect to an address without checking it."""
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.setblocking(False)  # noqa: FBT003 - the socket's API
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(connection, address)
    except BaseException:
        connection.close()
        raise
    return connection
