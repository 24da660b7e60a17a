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
# Added to the event loop's handshake timeout, so that our own timeout comes first.
HANDSHAKE_SLACK_SECONDS: Final = 0.25
# Time for the event loop to close aborted connections.
CLOSE_TIMEOUT_SECONDS: Final = 1.0

Key = tuple[str, int]


class Pool:
    """A pool that keeps connections open between requests.

    It does not limit concurrent connections: the sender does, by receiver.
    """

    def __init__(
        self,
        resolver: AddressResolver,
        allow: Networks,
        context: ssl.SSLContext,
        *,
        proxy: Proxy | None = None,
        idle_seconds: float = IDLE_SECONDS,
        max_age_seconds: float = MAX_AGE_SECONDS,
        max_idle_per_host: int = MAX_IDLE_PER_HOST,
        max_idle: int = MAX_IDLE,
    ) -> None:
        self._resolver, self._allow, self._context = resolver, allow, context
        self._proxy = proxy
        self._idle_seconds, self._max_age_seconds = idle_seconds, max_age_seconds
        self._max_idle_per_host, self._max_idle = max_idle_per_host, max_idle
        self._loop = asyncio.get_running_loop()
        # Shared by all connections: each reads it before another one can write to it.
        self._buffer = memoryview(bytearray(BUFFER_BYTES))
        self._open: set[ReceiverConnection] = set()
        # Idle connections by receiver, and all of them. The most recently used one is last.
        self._idle_by_key: dict[Key, list[ReceiverConnection]] = {}
        self._idle: dict[ReceiverConnection, None] = {}
        self._closed = False

    async def post(
        self,
        key: Key,
        request: bytes,
        timeout: float,  # noqa: ASYNC109 - of the whole exchange
        *,
        is_fresh: bool = False,
    ) -> HttpReply:
        """Send a request and return the reply. `is_fresh` opens a new connection."""
        reply = HttpReply(began=time.perf_counter())
        deadline = self._loop.time() + timeout
        connection = None if is_fresh else self._take(key)
        if connection is None:
            connection = await self._connect(key, reply, deadline)
        else:
            reply.reused = True
        if connection is None:
            reply.ended = time.perf_counter()
            return reply
        await connection.post(request, reply, deadline)
        if (
            is_fresh
            or self._closed
            or self._loop.time() >= connection.made_at + self._max_age_seconds
        ):
            connection.close()
        elif connection.keeps:
            self._give_back(connection)
        return reply

    async def close(self) -> None:
        """Close all connections."""
        self._closed = True
        hung_up = list(self._open)
        for connection in hung_up:
            connection.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_TIMEOUT_SECONDS):
                while any(closing.is_open for closing in hung_up):  # noqa: ASYNC110 - one or two iterations
                    await asyncio.sleep(0)

    def _take(self, key: Key) -> ReceiverConnection | None:
        idle = self._idle_by_key.get(key)
        if not idle:
            return None
        connection = idle.pop()
        if not idle:
            del self._idle_by_key[key]
        del self._idle[connection]
        return connection

    def _give_back(self, connection: ReceiverConnection) -> None:
        idle = self._idle_by_key.setdefault(connection.key, [])
        idle.append(connection)
        self._idle[connection] = None
        connection.watch(self._loop.time() + self._idle_seconds)
        if len(idle) > self._max_idle_per_host:
            idle[0].close()
        elif len(self._idle) > self._max_idle:
            next(iter(self._idle)).close()

    def _forget(self, connection: ReceiverConnection) -> None:
        """Remove a connection. Idempotent, because a connection may report its end twice."""
        self._open.discard(connection)
        if connection in self._idle:
            del self._idle[connection]
            idle = self._idle_by_key[connection.key]
            idle.remove(connection)
            if not idle:
                del self._idle_by_key[connection.key]

    async def _connect(
        self, key: Key, reply: HttpReply, deadline: float
    ) -> ReceiverConnection | None:
        """Open a connection. On failure, set the reply's `failure` and return None."""
        try:
            async with asyncio.timeout_at(deadline):
                places = await self._resolve(key, reply)
                reply.connecting = time.perf_counter()
                limit = self._loop.time() + CONNECT_TIMEOUT_SECONDS
                async with asyncio.timeout_at(limit):
                    connected_socket, place = await self._connect_first(places, limit)
                    reply.securing, reply.remote = time.perf_counter(), place.address
                    return await self._start_tls(key, place, connected_socket, min(limit, deadline))
        except TimeoutError:
            reply.failure = "late"
        except Blocked:
            reply.failure = "blocked"
        except (OSError, ValueError) as failure:
            self._explain(reply, failure)
        return None

    def _explain(self, reply: HttpReply, failure: OSError | ValueError) -> None:
        if not reply.connecting:
            reply.failure = "dns"
            return
        reply.failure = "tls" if reply.securing else "connect"
        reply.reason = describe_failure(failure) if isinstance(failure, OSError) else ""

    async def _resolve(self, key: Key, reply: HttpReply) -> list[SocketAddress]:
        if dns.parse_literal(*key) is None:
            reply.searching = time.perf_counter()
        return await self._resolver.resolve(*key)

    async def _connect_first(
        self, places: list[SocketAddress], until: float
    ) -> tuple[socket.socket, SocketAddress]:
        """Connect to the first address that answers. Each gets a share of the remaining time."""
        failure: OSError = TimeoutError()
        for number, place in enumerate(places):
            share = max(MIN_TRY_SECONDS, (until - self._loop.time()) / (len(places) - number))
            try:
                async with asyncio.timeout(share):
                    return await self._connect_to(place), place
            except Blocked:
                raise
            except OSError as failed:
                failure = failed
        raise failure

    async def _connect_to(self, place: SocketAddress) -> socket.socket:
        if self._proxy is None:
            return await dns.connect(place, self._allow)
        return await open_tunnel(self._proxy, place, self._allow)

    async def _start_tls(
        self, key: Key, place: SocketAddress, connected_socket: socket.socket, limit: float
    ) -> ReceiverConnection:
        connection = ReceiverConnection(key, place.address, self._buffer, self._forget)
        try:
            await self._loop.create_connection(
                lambda: connection,
                sock=connected_socket,
                ssl=self._context,
                server_hostname=key[0],
                ssl_handshake_timeout=limit - self._loop.time() + HANDSHAKE_SLACK_SECONDS,
            )
        except BaseException:
            connection.close()
            # The transport closes the socket. uvloop closes the file descriptor itself, and the
            # socket object must not close it again: another socket may have the same number then.
            if not isinstance(self._loop, asyncio.BaseEventLoop):
                connected_socket.detach()
            raise
        self._open.add(connection)
        return connection
