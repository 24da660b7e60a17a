"""One connection to a receiver: HTTP/1.1 over TLS, one POST at a time.

Limits the time of a request and the bytes that are read and stored.
"""

import asyncio
import ssl
import time
from collections.abc import Callable
from typing import Final, cast

import httptools

from pannier.webhooks.http import Failure, HttpReply, describe_failure

MAX_HEAD_BYTES: Final = 32 * 1024
MAX_BODY_BYTES: Final = 16 * 1024
# Limits all received bytes, because a chunk may contain one byte and long extensions.
MAX_TOTAL_BYTES: Final = 128 * 1024
BUFFER_BYTES: Final = 16 * 1024
# A larger request may not be sent completely when it is refused, so its connection is not reused.
LARGE_REQUEST_BYTES: Final = 64 * 1024
# Timers are only exact to the millisecond.
TIMER_TOLERANCE_SECONDS: Final = 0.001
HEAD_TOO_LARGE: Final = f"The head of the receiver's response exceeds {MAX_HEAD_BYTES // 1024} KiB."
CONTINUE, SWITCHING_PROTOCOLS, SUCCESS = 100, 101, 200
VERSIONS: Final = frozenset({"1.0", "1.1"})


class ReceiverConnection(asyncio.BufferedProtocol):
    """A connection for one request at a time. Any byte between two requests closes it."""

    __slots__ = (
        "_alarm",
        "_alarm_at",
        "_body_bytes",
        "_buffer",
        "_chunks",
        "_deadline",
        "_is_complete",
        "_is_interim",
        "_is_large",
        "_loop",
        "_loss",
        "_on_end",
        "_parser",
        "_received",
        "_reply",
        "_transport",
        "_waiter",
        "is_reusable",
        "key",
        "opened_at",
        "remote",
    )

    def __init__(
        self,
        key: tuple[str, int],
        remote: str,
        buffer: memoryview,
        on_end: Callable[["ReceiverConnection"], None],
    ) -> None:
        self.key, self.remote = key, remote
        # Whether the connection can be reused.
        self.is_reusable = True
        self._buffer, self._on_end = buffer, on_end
        self._loop = asyncio.get_running_loop()
        self.opened_at = self._loop.time()
        self._transport: asyncio.Transport | None = None
        self._loss: Exception | None = None
        self._reply: HttpReply | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._deadline = self._alarm_at = 0.0
        self._received = self._body_bytes = 0
        self._is_complete = self._is_interim = self._is_large = False
        self._chunks: list[bytes] = []
        self._parser: httptools.HttpResponseParser | None = None

    @property
    def is_open(self) -> bool:
        """Whether the event loop still holds its socket."""
        return self._transport is not None

    async def post(self, request: bytes, reply: HttpReply, deadline: float) -> None:
        """Send a request, and fill in the reply until the deadline."""
        self._reply = reply
        self._waiter = self._loop.create_future()
        self._received = self._body_bytes = 0
        self._is_complete = False
        self._is_large = len(request) > LARGE_REQUEST_BYTES
        reply.remote = self.remote
        reply.wait_began_at = time.perf_counter()
        if self._transport is None:
            self._end_reply(self._loss)
            return
        self.set_deadline(deadline)
        self._transport.write(request)
        try:
            await self._waiter
        except BaseException:
            self.close()
            raise

    def set_deadline(self, deadline: float) -> None:
        """Set the time at which the current request or idle period ends."""
        self._deadline = deadline
        # The timer is only replaced if it would fire too late, which is rare.
        if self._alarm is None or deadline < self._alarm_at:
            if self._alarm is not None:
                self._alarm.cancel()
            self._alarm_at = deadline
            self._alarm = self._loop.call_at(deadline, self._on_alarm)

    def _on_alarm(self) -> None:
        self._alarm = None
        if self._loop.time() + TIMER_TOLERANCE_SECONDS < self._deadline:
            self.set_deadline(self._deadline)
        elif self._reply is None:
            self.close()
        else:
            self._finish_reply("late")

    def close(self) -> None:
        """Abort the connection, even during a request."""
        self.is_reusable = False
        if self._reply is not None:
            # Ends the request as failed, which calls this method again.
            self._finish_reply("disconnected")
            return
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self._transport is not None:
            # Not `close()`: a receiver that ignores the TLS shutdown would keep the socket open.
            self._transport.abort()
        self._on_end(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Prepare the parser after the TLS handshake."""
        # A cast instead of an assertion: uvloop's transports do not inherit from asyncio's.
        self._transport = cast("asyncio.Transport", transport)
        if not self.is_reusable:
            # asyncio continues with a connection that was closed before this call.
            self._transport.abort()
        self._parser = httptools.HttpResponseParser(self)
        # As lenient as other clients about line ends and folded lines. This is harmless, because
        # only one response is ever read.
        self._parser.set_dangerous_leniencies(
            lenient_headers=True,
            lenient_optional_cr_before_lf=True,
            lenient_spaces_after_chunk_size=True,
        )

    def eof_received(self) -> None:
        """End the response when the receiver stops sending, without waiting for TLS to close."""
        if self._reply is not None:
            self._end_reply(None)
        else:
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the response when the connection ends."""
        self._transport = self._parser = None
        self._loss = exc
        if self._reply is not None:
            self._end_reply(exc)
        else:
            self.close()

    def _end_reply(self, exc: Exception | None) -> None:
        reply = self._reply
        assert reply is not None  # noqa: S101 - callers check it
        if reply.status is not None:
            self._finish_reply(is_cut=exc is not None or reply.is_framed)
        elif isinstance(exc, ssl.SSLError) and not reply.answered and not reply.reused:
            reply.reason = describe_failure(exc)
            self._finish_reply("tls")
        else:
            self._finish_reply("disconnected")

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - asyncio's signature
        """Return the shared buffer. It is read before another connection can request it."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Parse received bytes. A byte outside of a request closes the connection."""
        reply = self._reply
        if reply is None:
            self.close()
            return
        reply.answered = True
        self._received += nbytes
        try:
            self._feed_parser(reply, nbytes)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self.is_reusable = False
            self._handle_parse_error(reply)
            return
        if self._is_complete:
            self._finish_reply()
        elif self._body_bytes > MAX_BODY_BYTES or self._received > MAX_TOTAL_BYTES:
            self._finish_reply(is_cut=True)

    def _feed_parser(self, reply: HttpReply, nbytes: int) -> None:
        assert self._parser is not None  # noqa: S101 - it exists while bytes arrive
        excess_bytes = self._received - MAX_HEAD_BYTES
        if reply.status is not None or excess_bytes <= 0:
            self._parser.feed_data(self._buffer[:nbytes])
            return
        self._parser.feed_data(self._buffer[: nbytes - excess_bytes])
        if reply.status is None:
            reply.reason = HEAD_TOO_LARGE
            raise httptools.HttpParserError
        self._parser.feed_data(self._buffer[nbytes - excess_bytes : nbytes])

    def _handle_parse_error(self, reply: HttpReply) -> None:
        if self._is_complete:
            self._finish_reply()
        elif reply.status is not None:
            self._finish_reply(is_cut=True)
        else:
            self._finish_reply("malformed")

    def _finish_reply(self, failure: Failure | None = None, *, is_cut: bool = False) -> None:
        reply, waiter = self._reply, self._waiter
        assert reply is not None  # noqa: S101 - callers check it
        assert waiter is not None  # noqa: S101 - as above
        reply.ended_at = time.perf_counter()
        reply.failure = failure
        reply.is_cut = is_cut or self._body_bytes > MAX_BODY_BYTES
        reply.body = b"".join(self._chunks)[:MAX_BODY_BYTES]
        self._reply = None
        self._chunks = []
        if not (self.is_reusable and self._is_complete) or (
            self._is_large and not reply.is_success
        ):
            self.close()
        if not waiter.done():
            waiter.set_result(None)

    # Callbacks of the parser. An exception in one of them ends the parsing.

    def on_message_begin(self) -> None:
        """Refuse a second response to one request."""
        if self._is_complete:
            raise httptools.HttpParserError

    def on_header(self, name: bytes, value: bytes) -> None:
        """Store a header. Ignore trailers after the body."""
        if self._reply is not None and self._reply.status is None:
            self._reply.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Store the status. Skip interim responses (1xx)."""
        parser, reply = self._parser, self._reply
        if parser is None or reply is None:
            return
        status = parser.get_status_code()
        if (
            status < CONTINUE
            or status == SWITCHING_PROTOCOLS
            or parser.get_http_version() not in VERSIONS
        ):
            raise httptools.HttpParserError
        self._is_interim = status < SUCCESS
        if self._is_interim:
            reply.headers.clear()
            return
        reply.status = status
        reply.read_began_at = time.perf_counter()

    def on_body(self, body: bytes) -> None:
        """Store a part of the body."""
        self._body_bytes += len(body)
        self._chunks.append(body)

    def on_message_complete(self) -> None:
        """Mark the response as complete, and store whether the connection can be reused."""
        if not self._is_interim:
            assert self._parser is not None  # noqa: S101 - it is the caller
            self._is_complete = True
            self.is_reusable = self.is_reusable and self._parser.should_keep_alive()
