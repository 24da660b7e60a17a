"""A pool of connections to receivers."""

import asyncio
import socket
import ssl
import time
from contextlib import suppress
from typing import Final

from pannier.web.addresses import Networks
from pannier.webhooks import dns
from pannier.webhooks.dns import AddressResolver, SocketAddress
from pannier.webhooks.guard import Blocked
from pannier.webhooks.http import HttpReply, describe_failure
from pannier.webhooks.proxy import Proxy, open_tunnel
from pannier.webhooks.wire import BUFFER_BYTES, ReceiverConnection

CONNECT_TIMEOUT_SECONDS: Final = 3.0
# Minimum time for each address of a host.
MIN_TRY_SECONDS: Final = 0.5
IDLE_SECONDS: Final = 60.0
# A connection is replaced after this time, even if busy, because names and certificates change.
MAX_AGE_SECONDS: Final = 600.0
# The limit per host is a worker's default number of deliveries in flight, in case all go to one
# host. With fewer, each burst would close connections that the next one needs.
MAX_IDLE_PER_HOST, MAX_IDLE = 256, 1000
# Added to the event loop's handshake timeout, so that this pool's timeout fires first.
HANDSHAKE_SLACK_SECONDS: Final = 0.25
# Time for the event loop to close aborted connections.
CLOSE_TIMEOUT_SECONDS: Final = 1.0

ReceiverKey = tuple[str, int]


class Pool:
    """A pool that keeps connections open between requests.

    It does not limit concurrent connections: the sender does, by receiver.
    """

    def __init__(
        self,
        resolver: AddressResolver,
        allowed_networks: Networks,
        context: ssl.SSLContext,
        *,
        proxy: Proxy | None = None,
        idle_seconds: float = IDLE_SECONDS,
        max_age_seconds: float = MAX_AGE_SECONDS,
        max_idle_per_host: int = MAX_IDLE_PER_HOST,
        max_idle: int = MAX_IDLE,
    ) -> None:
        self._resolver, self._allowed_networks, self._context = resolver, allowed_networks, context
        self._proxy = proxy
        self._idle_seconds, self._max_age_seconds = idle_seconds, max_age_seconds
        self._max_idle_per_host, self._max_idle = max_idle_per_host, max_idle
        self._loop = asyncio.get_running_loop()
        # Shared by all connections: each reads it before another one can write to it.
        self._buffer = memoryview(bytearray(BUFFER_BYTES))
        self._open_connections: set[ReceiverConnection] = set()
        # Idle connections by receiver, and all of them. The most recently used one is last.
        self._idle_by_key: dict[ReceiverKey, list[ReceiverConnection]] = {}
        self._idle_connections: dict[ReceiverConnection, None] = {}
        self._closed = False

    async def post(
        self,
        key: ReceiverKey,
        request: bytes,
        timeout: float,  # noqa: ASYNC109 - limits the whole exchange
        *,
        is_fresh: bool = False,
    ) -> HttpReply:
        """Send a request and return the reply. `is_fresh` opens a new connection."""
        reply = HttpReply(began_at=time.perf_counter())
        deadline = self._loop.time() + timeout
        connection = None if is_fresh else self._take_idle_connection(key)
        if connection is None:
            connection = await self._open_connection(key, reply, deadline)
        else:
            reply.reused = True
        if connection is None:
            reply.ended_at = time.perf_counter()
            return reply
        await connection.post(request, reply, deadline)
        if (
            is_fresh
            or self._closed
            or self._loop.time() >= connection.opened_at + self._max_age_seconds
        ):
            connection.close()
        elif connection.is_reusable:
            self._keep_idle_connection(connection)
        return reply

    async def close(self) -> None:
        """Close all connections."""
        self._closed = True
        connections = list(self._open_connections)
        for connection in connections:
            connection.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_TIMEOUT_SECONDS):
                while any(connection.is_open for connection in connections):  # noqa: ASYNC110 - one or two iterations
                    await asyncio.sleep(0)

    def _take_idle_connection(self, key: ReceiverKey) -> ReceiverConnection | None:
        idle_connections = self._idle_by_key.get(key)
        if not idle_connections:
            return None
        connection = idle_connections.pop()
        if not idle_connections:
            del self._idle_by_key[key]
        del self._idle_connections[connection]
        return connection

    def _keep_idle_connection(self, connection: ReceiverConnection) -> None:
        idle_connections = self._idle_by_key.setdefault(connection.key, [])
        idle_connections.append(connection)
        self._idle_connections[connection] = None
        connection.set_deadline(self._loop.time() + self._idle_seconds)
        if len(idle_connections) > self._max_idle_per_host:
            idle_connections[0].close()
        elif len(self._idle_connections) > self._max_idle:
            next(iter(self._idle_connections)).close()

    def _forget_connection(self, connection: ReceiverConnection) -> None:
        """Remove a connection. This is idempotent: a connection may report its end twice."""
        self._open_connections.discard(connection)
        if connection in self._idle_connections:
            del self._idle_connections[connection]
            idle_connections = self._idle_by_key[connection.key]
            idle_connections.remove(connection)
            if not idle_connections:
                del self._idle_by_key[connection.key]

    async def _open_connection(
        self, key: ReceiverKey, reply: HttpReply, deadline: float
    ) -> ReceiverConnection | None:
        """Open a connection. On failure, set the reply's `failure` and return None."""
        try:
            async with asyncio.timeout_at(deadline):
                addresses = await self._resolve_host(key, reply)
                reply.connect_began_at = time.perf_counter()
                connect_deadline = self._loop.time() + CONNECT_TIMEOUT_SECONDS
                async with asyncio.timeout_at(connect_deadline):
                    connected_socket, address = await self._connect_first(
                        addresses, connect_deadline
                    )
                    reply.tls_began_at, reply.remote = time.perf_counter(), address.address
                    return await self._start_tls(
                        key, address, connected_socket, min(connect_deadline, deadline)
                    )
        except TimeoutError:
            reply.failure = "late"
        except Blocked:
            reply.failure = "blocked"
        except (OSError, ValueError) as failure:
            self._set_failure(reply, failure)
        return None

    def _set_failure(self, reply: HttpReply, failure: OSError | ValueError) -> None:
        if not reply.connect_began_at:
            reply.failure = "dns"
            return
        reply.failure = "tls" if reply.tls_began_at else "connect"
        reply.reason = describe_failure(failure) if isinstance(failure, OSError) else ""

    async def _resolve_host(self, key: ReceiverKey, reply: HttpReply) -> list[SocketAddress]:
        if dns.parse_literal(*key) is None:
            reply.dns_began_at = time.perf_counter()
        return await self._resolver.resolve(*key)

    async def _connect_first(
        self, addresses: list[SocketAddress], deadline: float
    ) -> tuple[socket.socket, SocketAddress]:
        """Connect to the first address that answers. Each gets a share of the remaining time."""
        failure: OSError = TimeoutError()
        for index, address in enumerate(addresses):
            seconds = max(
                MIN_TRY_SECONDS, (deadline - self._loop.time()) / (len(addresses) - index)
            )
            try:
                async with asyncio.timeout(seconds):
                    return await self._connect_to(address), address
            except Blocked:
                raise
            except OSError as error:
                failure = error
        raise failure

    async def _connect_to(self, address: SocketAddress) -> socket.socket:
        if self._proxy is None:
            return await dns.connect(address, self._allowed_networks)
        return await open_tunnel(self._proxy, address, self._allowed_networks)

    async def _start_tls(
        self,
        key: ReceiverKey,
        address: SocketAddress,
        connected_socket: socket.socket,
        deadline: float,
    ) -> ReceiverConnection:
        connection = ReceiverConnection(key, address.address, self._buffer, self._forget_connection)
        try:
            await self._loop.create_connection(
                lambda: connection,
                sock=connected_socket,
                ssl=self._context,
                server_hostname=key[0],
                ssl_handshake_timeout=deadline - self._loop.time() + HANDSHAKE_SLACK_SECONDS,
            )
        except BaseException:
            connection.close()
            # uvloop's transport closes the file descriptor. The socket object must not close it
            # again, because another socket may have that number by then.
            if not isinstance(self._loop, asyncio.BaseEventLoop):
                connected_socket.detach()
            raise
        self._open_connections.add(connection)
        return connection
