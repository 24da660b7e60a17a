"""Limits on the size and speed of a connection's input, enforced during parsing.

uvicorn's parser accepts a head of any size at any speed. Here a head has a maximum size, number of
headers and time, a body has a minimum rate, and a response that the client does not read is
aborted. A refused connection gets a problem like any other request.
"""

import asyncio
import math
from collections import Counter
from enum import Enum
from typing import Any, Final, cast
from urllib.parse import unquote

import httptools
import uvicorn
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from pannier.errors import Malformed, Problem, Unavailable
from pannier.kit.clock import SystemClock
from pannier.settings import Settings
from pannier.web import addresses, logs, metrics, problems
from pannier.web.addresses import Networks
from pannier.web.buffered_response import SECURITY_HEADERS
from pannier.web.connection_limits import (
    ConnectionLimits,
    HeadTooLarge,
    RequestTooSlow,
    TooManyConnections,
)
from pannier.web.exchange import choose_request_id
from pannier.web.request_cycle import SingleWriteCycle

HTTP_VERSIONS: Final = frozenset({"1.0", "1.1"})
HEAD_END: Final = b"\r\n\r\n"
MAX_PIPELINED: Final = 16
CLOCK: Final = SystemClock()  # for the log only; all limits use the event loop's clock
CHECKS_PER_ROUND: Final = 10  # each checks a tenth of the connections, to keep the pauses short
RETRY_SECONDS: Final = 1.0  # for Retry-After


class ConnectionGuard:
    """Admits connections, and checks the progress of each once a second, in batches."""

    def __init__(self, limits: ConnectionLimits, proxies: Networks = ()) -> None:
        self.limits = limits
        self._proxies = proxies
        self._open: set[GuardedConnection] = set()
        self._counts: Counter[str] = Counter()  # of connections, by network
        self._unchecked: list[GuardedConnection] = []
        self._batch_size = 0

    def __call__(self, **arguments: Any) -> "GuardedConnection":  # noqa: ANN401 - uvicorn's arguments of a protocol
        """Make the protocol object of a new connection. uvicorn calls this."""
        return GuardedConnection(self, **arguments)

    def admit(self, connection: "GuardedConnection") -> None:
        """Count a new connection, or raise a problem if there are too many."""
        if len(self._open) >= self.limits.connections:
            raise Unavailable("Too many connections are open. Try again soon.")
        network = connection.network
        is_full = self._counts[network] >= self.limits.address_connections
        if is_full and not addresses.is_trusted(connection.address, self._proxies):
            raise TooManyConnections(RETRY_SECONDS)
        if not self._open:
            self._schedule_check(connection.loop)
        self._open.add(connection)
        self._counts[network] += 1

    def release(self, connection: "GuardedConnection") -> None:
        """Stop counting a connection, if it was admitted."""
        if connection not in self._open:
            return
        self._open.remove(connection)
        network = connection.network
        self._counts[network] -= 1
        if not self._counts[network]:
            del self._counts[network]

    def _schedule_check(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.call_later(self.limits.check_seconds / CHECKS_PER_ROUND, self._check_batch, loop)

    def _check_batch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Check the next batch. One timer for all connections adds no cost to requests."""
        if not self._unchecked:
            self._unchecked = list(self._open)
            self._batch_size = -(-len(self._unchecked) // CHECKS_PER_ROUND)
        now, start = loop.time(), max(0, len(self._unchecked) - self._batch_size)
        for connection in self._unchecked[start:]:
            if connection in self._open:
                connection.check_progress(now, now - connection.checked_at)
                connection.checked_at = now
        del self._unchecked[start:]
        if self._open:
            self._schedule_check(loop)


class ConnectionPhase(Enum):
    """The state of a connection, named by its next input."""

    HEAD = "head"
    BODY = "body"
    NOTHING = "nothing"  # the request is complete; the next one may follow
    CLOSING = "closing"  # the connection was refused; further data is ignored


class GuardedConnection(HttpToolsProtocol):
    """The protocol of one client connection."""

    def __init__(self, guard: ConnectionGuard, **arguments: Any) -> None:  # noqa: ANN401 - uvicorn's arguments
        super().__init__(**arguments)
        self._guard, self._limits = guard, guard.limits
        self.address = self.network = ""
        self._phase = ConnectionPhase.HEAD
        self._refusal: Problem | None = None
        self._running_cycle: RequestResponseCycle | None = None
        # Bytes since the last progress: a complete head, a part of a body, the end of a request.
        self._unfinished_bytes = 0
        self._has_progressed = False
        self._deadline, self.checked_at = 0.0, self.loop.time()
        self._received_bytes, self._body_seconds = 0, 0.0
        self._unread_bytes, self._unread_seconds = 0, 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Admit or refuse a new connection."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self.network = addresses.get_rate_limit_network(self.address)
        self._expect_head()
        try:
            self._guard.admit(self)
        except Problem as problem:
            self._phase = ConnectionPhase.CLOSING
            self._send_problem(problem)
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the connection, and notify its requests."""
        self._guard.release(self)
        # uvicorn itself notifies only the newest request.
        for cycle in (self._running_cycle, *(queued_cycle for queued_cycle, _ in self.pipeline)):
            if cycle is not None and not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()
        super().connection_lost(exc)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:  # noqa: ANN401 - an ASGI application
        self._running_cycle = cycle
        super()._start_asgi_task(cycle, app)

    # Receiving

    def data_received(self, data: bytes) -> None:
        """Parse received data, in pieces of at most the maximum size of a head."""
        if self._phase is ConnectionPhase.NOTHING:
            self._expect_head()
        max_head = self._limits.head_bytes
        if (
            len(data) >= max_head
            and self._phase is ConnectionPhase.HEAD
            and data.find(HEAD_END, 0, max_head) < 0
        ):
            # Too large without parsing.
            self._refuse(HeadTooLarge())
        position = 0
        while position < len(data) and self._phase is not ConnectionPhase.CLOSING:
            piece = data[position : position + max_head - self._unfinished_bytes]
            position += len(piece)
            self._has_progressed = False
            self._feed_parser(piece)
            self._unfinished_bytes = (
                0 if self._has_progressed else self._unfinished_bytes + len(piece)
            )
            if self._unfinished_bytes >= max_head:
                self._refuse(HeadTooLarge())

    def _feed_parser(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # We support no other protocol: handle the request, and ignore the data after it.
            self.cycle.keep_alive = False
            self._phase, self._deadline = ConnectionPhase.CLOSING, math.inf
        except httptools.HttpParserError:
            self._refuse(self._refusal or Malformed("The request is not valid HTTP."))

    def _expect_head(self) -> None:
        self._phase = ConnectionPhase.HEAD
        self._deadline = self.loop.time() + self._limits.head_seconds

    def on_message_begin(self) -> None:
        """Start the time limit of a pipelined request's head."""
        super().on_message_begin()
        if self._phase is not ConnectionPhase.HEAD:
            self._expect_head()

    def on_headers_complete(self) -> None:
        """Check the head, then start the request or queue it behind the previous ones."""
        self._refusal = self._find_head_problem()
        if self._refusal is not None:
            raise self._refusal
        self._fill_scope()
        self._has_progressed = True
        self._phase, self._received_bytes, self._body_seconds = ConnectionPhase.BODY, 0, 0.0
        previous_cycle, self.cycle = self.cycle, SingleWriteCycle(self)
        if previous_cycle is None or previous_cycle.response_complete:
            self._start_asgi_task(self.cycle, self.app)
        else:
            self.flow.pause_reading()
            self.pipeline.appendleft((self.cycle, self.app))
        # Trailers after the body must not become headers of the request.
        self.headers = []

    def _fill_scope(self) -> None:
        """Fill in the ASGI scope from the request line."""
        url = httptools.parse_url(self.url)
        path = url.path.decode("ascii")
        self.scope["method"] = self.parser.get_method().decode("ascii")
        self.scope["http_version"] = self.parser.get_http_version()
        self.scope["path"] = unquote(path) if "%" in path else path
        self.scope["raw_path"], self.scope["query_string"] = url.path, url.query or b""

    def _find_head_problem(self) -> Problem | None:
        """Return the problem of a head, or None if it is valid."""
        if len(self.headers) > self._limits.headers:
            return HeadTooLarge(f"A request can have at most {self._limits.headers} headers.")
        version = self.parser.get_http_version()
        if version not in HTTP_VERSIONS:
            return Malformed("Use HTTP/1.1.")
        hosts = [value for name, value in self.headers if name == b"host"]
        if len(hosts) > 1 or (not hosts and version != "1.0"):
            return Malformed("Send exactly one Host header.")
        if hosts and not addresses.HOST.fullmatch(hosts[0]):
            return Malformed("The Host header must be a host name or an address.")
        if len(self.pipeline) >= MAX_PIPELINED:
            return Malformed("Wait for responses before you send more requests.")
        if self.parser.should_upgrade() and self._has_body():
            return Malformed("A request with a body cannot ask for a protocol upgrade.")
        return None

    def _has_body(self) -> bool:
        return any(
            name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0"))
            for name, value in self.headers
        )

    def on_body(self, body: bytes) -> None:
        self._has_progressed = True
        self._received_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._has_progressed = True
        self._phase = ConnectionPhase.NOTHING
        super().on_message_complete()
        if self.cycle.response_complete:
            # The response was sent before the end of the request.
            self._expect_next_request()

    # Responding

    def on_response_complete(self) -> None:
        """Continue after a response; a client that still sends may do so for a short time."""
        self.server_state.total_requests += 1
        if self._phase is ConnectionPhase.BODY:
            self._deadline = self.loop.time() + self._limits.linger_seconds
        elif self._phase is ConnectionPhase.NOTHING:
            self._expect_next_request()
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())

    def _expect_next_request(self) -> None:
        """Set the keep-alive deadline. uvicorn would start a timer after each request."""
        self._deadline = self.loop.time() + self.timeout_keep_alive

    # Time limits and refusals

    def check_progress(self, now: float, elapsed: float) -> None:
        """End a connection that exceeds a time limit."""
        if self._check_unread_response(elapsed) or (
            self._phase is ConnectionPhase.CLOSING and now > self._deadline
        ):
            self.transport.abort()
        elif self.flow.read_paused:
            return  # We have paused reading ourselves.
        elif self._phase is ConnectionPhase.BODY:
            self._check_body_rate(now, elapsed)
        elif (
            self._phase is ConnectionPhase.NOTHING
            and self.cycle.response_complete
            and now > self._deadline
        ):
            self.transport.close()
        elif self._phase is ConnectionPhase.HEAD and now > self._deadline:
            self._end_slow_head()

    def _check_unread_response(self, elapsed: float) -> bool:
        """Measure the unread response; return True if the client has read nothing for too long."""
        unread_bytes = self.transport.get_write_buffer_size()
        is_stalled = unread_bytes > 0 and unread_bytes >= self._unread_bytes
        self._unread_seconds = self._unread_seconds + elapsed if is_stalled else 0.0
        self._unread_bytes = unread_bytes
        return self._unread_seconds > self._limits.unread_seconds

    def _check_body_rate(self, now: float, elapsed: float) -> None:
        if self.cycle.response_complete:
            if now > self._deadline:
                self.transport.abort()
            return
        self._body_seconds += elapsed
        if self._received_bytes < self._limits.body_rate * (
            self._body_seconds - self._limits.body_grace
        ):
            self._refuse(RequestTooSlow())

    def _end_slow_head(self) -> None:
        if self._unread_bytes or (self.cycle is not None and not self.cycle.response_complete):
            return  # A response is in progress, and has its own time limit.
        # A client may open a connection in advance without using it.
        if self._unfinished_bytes:
            self._refuse(RequestTooSlow())
        else:
            self.transport.close()

    def _refuse(self, problem: Problem) -> None:
        """Send a problem and close, or abort if the problem would interrupt another response."""
        is_responding = self.cycle is not None and not self.cycle.response_complete
        if is_responding and (
            self._phase is ConnectionPhase.HEAD or self.pipeline or self.cycle.response_started
        ):
            self.transport.abort()
            return
        self._phase = ConnectionPhase.CLOSING
        self._deadline = self.loop.time() + self._limits.linger_seconds
        self._send_problem(problem)
        if is_responding:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        # Further data stays unread in the system's buffer. Close only our half, because a full
        # close would discard the response.
        self.flow.pause_reading()
        if self.transport.can_write_eof():
            self.transport.write_eof()

    def _send_problem(self, problem: Problem) -> None:
        request_id = choose_request_id(None)
        body = problems.render(problem, request_id)
        headers = [
            *self.server_state.default_headers,
            *problems.render_headers(problem),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
            (b"x-request-id", request_id.encode()),
            *SECURITY_HEADERS,
        ]
        head = b"".join(b"%b: %b\r\n" % pair for pair in headers)
        self.transport.write(STATUS_LINE[problem.status] + head + b"\r\n" + body)
        metrics.observe("", "", problem.status, 0.0)
        logs.log_access({
            "event": "connection refused", "level": "info", "timestamp": CLOCK.now(),
            "request_id": request_id, "code": problem.code, "address": self.address,
        })  # fmt: skip


def make_server_config(
    app: Any,  # noqa: ANN401 - an ASGI application
    settings: Settings,
    *,
    limits: ConnectionLimits | None = None,
    **options: Any,  # noqa: ANN401 - uvicorn's options
) -> uvicorn.Config:
    """Configure uvicorn with a connection guard, and without features that the edge provides."""
    proxies = addresses.parse_proxies(settings.trusted_proxies)
    guard = ConnectionGuard(limits or ConnectionLimits.from_settings(settings), proxies)
    return uvicorn.Config(
        app,
        http=cast("Any", guard),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=settings.keep_alive_seconds,
        **options,
    )
