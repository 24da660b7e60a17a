"""Limits on the size and speed of what a connection sends, enforced while it is parsed.

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
from pannier.web.bounds import Bounds, HeadTooLarge, TooManyConnections, TooSlow
from pannier.web.cycle import Cycle
from pannier.web.exchange import request_id
from pannier.web.reply import SECURITY_HEADERS

VERSIONS: Final = frozenset({"1.0", "1.1"})
BLANK: Final = b"\r\n\r\n"
MOST_PIPELINED: Final = 16
CLOCK: Final = SystemClock()  # for the log only; all limits use the event loop's clock
PARTS: Final = 10  # each checks a tenth of the connections, to keep the pauses short
CONNECTION_REFUSED_FOR: Final = 1.0  # for Retry-After


class Porter:
    """Admits connections, and checks the progress of each once a second, in batches."""

    def __init__(self, bounds: Bounds, proxies: Networks = ()) -> None:
        self.bounds = bounds
        self._proxies = proxies
        self._open: set[Connection] = set()
        self._by_address: Counter[str] = Counter()
        self._round: list[Connection] = []
        self._share = 0

    def __call__(self, **given: Any) -> "Connection":  # noqa: ANN401 - uvicorn's arguments of a protocol
        """Make the protocol of a connection; uvicorn calls this."""
        return Connection(self, **given)

    def enter(self, connection: "Connection") -> None:
        """Count a new connection, or raise a problem if there are too many."""
        if len(self._open) >= self.bounds.connections:
            raise Unavailable("Too many connections are open. Try again soon.")
        who = connection.neighbourhood
        full = self._by_address[who] >= self.bounds.address_connections
        if full and not addresses.trusted(connection.address, self._proxies):
            raise TooManyConnections(CONNECTION_REFUSED_FOR)
        if not self._open:
            self._look_later(connection.loop)
        self._open.add(connection)
        self._by_address[who] += 1

    def leave(self, connection: "Connection") -> None:
        """Stop counting a connection, if it was admitted."""
        if connection not in self._open:
            return
        self._open.remove(connection)
        who = connection.neighbourhood
        self._by_address[who] -= 1
        if not self._by_address[who]:
            del self._by_address[who]

    def _look_later(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.call_later(self.bounds.look_seconds / PARTS, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Check the next batch. One timer for all connections adds no cost to requests."""
        if not self._round:
            self._round = list(self._open)
            self._share = -(-len(self._round) // PARTS)
        now, begin = loop.time(), max(0, len(self._round) - self._share)
        for connection in self._round[begin:]:
            if connection in self._open:
                connection.look(now, now - connection.looked)
                connection.looked = now
        del self._round[begin:]
        if self._open:
            self._look_later(loop)


class Phase(Enum):
    """The state of a connection, by what it sends next."""

    HEAD = "head"
    BODY = "body"
    NOTHING = "nothing"  # the request is complete; the next one may follow
    LEAVING = "leaving"  # the connection was refused; further data is ignored


class Connection(HttpToolsProtocol):
    """The protocol of one client connection."""

    def __init__(self, porter: Porter, **given: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(**given)
        self._porter, self._bounds = porter, porter.bounds
        self.address = self.neighbourhood = ""
        self._phase = Phase.HEAD
        self._refusal: Problem | None = None
        self._running: RequestResponseCycle | None = None
        # Bytes since the last progress: a complete head, a part of a body, the end of a request.
        self._unfinished = 0
        self._finished = False
        self._until, self.looked = 0.0, self.loop.time()
        self._received, self._waited = 0, 0.0
        self._unread, self._unread_for = 0, 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Admit or refuse a new connection."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self.neighbourhood = addresses.neighbourhood(self.address)
        self._expect_head()
        try:
            self._porter.enter(self)
        except Problem as problem:
            self._phase = Phase.LEAVING
            self._tell(problem)
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the connection and tell its requests."""
        self._porter.leave(self)
        # uvicorn itself notifies only the newest request.
        for cycle in (self._running, *(waiting for waiting, _ in self.pipeline)):
            if cycle is not None and not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()
        super().connection_lost(exc)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:  # noqa: ANN401 - an ASGI application
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    # Receiving

    def data_received(self, data: bytes) -> None:
        """Parse received data, in pieces of at most the maximum size of a head."""
        if self._phase is Phase.NOTHING:
            self._expect_head()
        most = self._bounds.head_bytes
        if len(data) >= most and self._phase is Phase.HEAD and data.find(BLANK, 0, most) < 0:
            # Too large without parsing.
            self._refuse(HeadTooLarge())
        done = 0
        while done < len(data) and self._phase is not Phase.LEAVING:
            piece = data[done : done + most - self._unfinished]
            done += len(piece)
            self._finished = False
            self._feed(piece)
            self._unfinished = 0 if self._finished else self._unfinished + len(piece)
            if self._unfinished >= most:
                self._refuse(HeadTooLarge())

    def _feed(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # We support no other protocol: handle the request, and ignore the data after it.
            self.cycle.keep_alive = False
            self._phase, self._until = Phase.LEAVING, math.inf
        except httptools.HttpParserError:
            self._refuse(self._refusal or Malformed("This is not HTTP as we know it."))

    def _expect_head(self) -> None:
        self._phase, self._until = Phase.HEAD, self.loop.time() + self._bounds.head_seconds

    def on_message_begin(self) -> None:
        """Start the time limit of a pipelined request's head."""
        super().on_message_begin()
        if self._phase is not Phase.HEAD:
            self._expect_head()

    def on_headers_complete(self) -> None:
        """Check the head, then start the request or queue it behind the previous ones."""
        self._refusal = self._fault()
        if self._refusal is not None:
            raise self._refusal
        self._describe()
        self._finished = True
        self._phase, self._received, self._waited = Phase.BODY, 0, 0.0
        before, self.cycle = self.cycle, Cycle(self)
        if before is None or before.response_complete:
            self._start_asgi_task(self.cycle, self.app)
        else:
            self.flow.pause_reading()
            self.pipeline.appendleft((self.cycle, self.app))
        # Trailers after the body must not become headers of the request.
        self.headers = []

    def _describe(self) -> None:
        """Fill in the ASGI scope from the request line."""
        url = httptools.parse_url(self.url)
        path = url.path.decode("ascii")
        self.scope["method"] = self.parser.get_method().decode("ascii")
        self.scope["http_version"] = self.parser.get_http_version()
        self.scope["path"] = unquote(path) if "%" in path else path
        self.scope["raw_path"], self.scope["query_string"] = url.path, url.query or b""

    def _fault(self) -> Problem | None:
        """Return the problem of a head, or None if it is valid."""
        if len(self.headers) > self._bounds.headers:
            return HeadTooLarge(f"A request has {self._bounds.headers} headers at the most.")
        version = self.parser.get_http_version()
        if version not in VERSIONS:
            return Malformed("Speak HTTP/1.1.")
        hosts = [value for name, value in self.headers if name == b"host"]
        if len(hosts) > 1 or (not hosts and version != "1.0"):
            return Malformed("A request has one Host header.")
        if hosts and not addresses.HOST.fullmatch(hosts[0]):
            return Malformed("The Host header must be a host name or an address.")
        if len(self.pipeline) >= MOST_PIPELINED:
            return Malformed("Wait for answers before you ask more.")
        if self.parser.should_upgrade() and self._announces_body():
            return Malformed("Send a body without asking for another protocol.")
        return None

    def _announces_body(self) -> bool:
        return any(
            name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0"))
            for name, value in self.headers
        )

    def on_body(self, body: bytes) -> None:
        """Count and pass on a part of a body."""
        self._finished = True
        self._received += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note the end of a request."""
        self._finished = True
        self._phase = Phase.NOTHING
        super().on_message_complete()
        if self.cycle.response_complete:
            # The response was sent before the end of the request.
            self._expect_another()

    # Responding

    def on_response_complete(self) -> None:
        """Continue after a response; a client that still sends may do so for a short time."""
        self.server_state.total_requests += 1
        if self._phase is Phase.BODY:
            self._until = self.loop.time() + self._bounds.linger_seconds
        elif self._phase is Phase.NOTHING:
            self._expect_another()
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())

    def _expect_another(self) -> None:
        """Set the keep-alive deadline. uvicorn would start a timer after each request."""
        self._until = self.loop.time() + self.timeout_keep_alive

    # Time limits and refusals

    def look(self, now: float, passed: float) -> None:
        """End a connection that exceeds a time limit."""
        if self._nobody_reads(passed) or (self._phase is Phase.LEAVING and now > self._until):
            self.transport.abort()
        elif self.flow.read_paused:
            return  # We have paused reading ourselves.
        elif self._phase is Phase.BODY:
            self._look_at_body(now, passed)
        elif self._phase is Phase.NOTHING and self.cycle.response_complete and now > self._until:
            self.transport.close()
        elif self._phase is Phase.HEAD and now > self._until:
            self._end_head()

    def _nobody_reads(self, passed: float) -> bool:
        """Tell whether the client has read nothing of a response for too long."""
        unread, before = self.transport.get_write_buffer_size(), self._unread
        self._unread = unread
        self._unread_for = self._unread_for + passed if unread and unread >= before else 0.0
        return self._unread_for > self._bounds.unread_seconds

    def _look_at_body(self, now: float, passed: float) -> None:
        if self.cycle.response_complete:
            if now > self._until:
                self.transport.abort()
            return
        self._waited += passed
        if self._received < self._bounds.body_rate * (self._waited - self._bounds.body_grace):
            self._refuse(TooSlow())

    def _end_head(self) -> None:
        if self._unread or (self.cycle is not None and not self.cycle.response_complete):
            return  # A response is in progress, and has its own time limit.
        # A connection that was opened in advance and not used is no offence.
        if self._unfinished:
            self._refuse(TooSlow())
        else:
            self.transport.close()

    def _refuse(self, problem: Problem) -> None:
        """Send a problem and close, or abort if the problem would interrupt another response."""
        busy = self.cycle is not None and not self.cycle.response_complete
        if busy and (self._phase is Phase.HEAD or self.pipeline or self.cycle.response_started):
            self.transport.abort()
            return
        self._phase, self._until = Phase.LEAVING, self.loop.time() + self._bounds.linger_seconds
        self._tell(problem)
        if busy:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        # Further data stays unread in the system's buffer. Close only our half, because a full
        # close would discard the response.
        self.flow.pause_reading()
        if self.transport.can_write_eof():
            self.transport.write_eof()

    def _tell(self, problem: Problem) -> None:
        request = request_id(None)
        body = problems.render(problem, request)
        headers = [
            *self.server_state.default_headers,
            *problems.render_headers(problem),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
            (b"x-request-id", request.encode()),
            *SECURITY_HEADERS,
        ]
        head = b"".join(b"%b: %b\r\n" % pair for pair in headers)
        self.transport.write(STATUS_LINE[problem.status] + head + b"\r\n" + body)
        metrics.observe("", "", problem.status, 0.0)
        logs.access(
            {
                "event": "connection refused",
                "level": "info",
                "timestamp": CLOCK.now(),
                "request_id": request,
                "code": problem.code,
                "address": self.address,
            }
        )


def serving(
    app: Any,  # noqa: ANN401 - an ASGI application
    settings: Settings,
    *,
    bounds: Bounds | None = None,
    **more: Any,  # noqa: ANN401 - uvicorn's own
) -> uvicorn.Config:
    """Configure uvicorn: with a connection guard, and without the features that the edge has."""
    proxies = addresses.proxies(settings.trusted_proxies)
    return uvicorn.Config(
        app,
        http=cast("Any", Porter(bounds or Bounds.of(settings), proxies)),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=settings.keep_alive_seconds,
        **more,
    )
