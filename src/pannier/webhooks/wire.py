"""One connection to a receiver: HTTP/1.1 over TLS, one POST at a time.

Whatever a receiver sends, the stored bytes and the time are limited.
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
# Limits all received bytes, because chunks may be of one byte each, with extensions between them.
MAX_TOTAL_BYTES: Final = 128 * 1024
BUFFER_BYTES: Final = 16 * 1024
# A larger request may not be sent completely when it is refused, so its connection is not reused.
LARGE_REQUEST_BYTES: Final = 64 * 1024
# Timers are only exact to the millisecond.
TIMER_TOLERANCE_SECONDS: Final = 0.001
TOO_LARGE: Final = f"The head of the receiver's response exceeds {MAX_HEAD_BYTES // 1024} KiB."
CONTINUE, SWITCHING, SUCCESS = 100, 101, 200
VERSIONS: Final = frozenset({"1.0", "1.1"})


class ReceiverConnection(asyncio.BufferedProtocol):
    """A connection for one request at a time. Any byte between two requests closes it."""

    __slots__ = (
        "_alarm",
        "_buffer",
        "_chunks",
        "_complete",
        "_done",
        "_ended",
        "_interim",
        "_large",
        "_loop",
        "_lost",
        "_parser",
        "_received",
        "_reply",
        "_rings_at",
        "_size",
        "_transport",
        "_until",
        "keeps",
        "key",
        "made_at",
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
        self.keeps = True
        self._buffer, self._ended = buffer, on_end
        self._loop = asyncio.get_running_loop()
        self.made_at = self._loop.time()
        self._transport: asyncio.Transport | None = None
        self._lost: Exception | None = None
        self._reply: HttpReply | None = None
        self._done: asyncio.Future[None] | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._until = self._rings_at = 0.0
        self._received = self._size = 0
        self._complete = self._interim = self._large = False
        self._chunks: list[bytes] = []
        self._parser: httptools.HttpResponseParser | None = None

    @property
    def is_open(self) -> bool:
        """Whether the event loop still holds its socket."""
        return self._transport is not None

    async def post(self, request: bytes, reply: HttpReply, deadline: float) -> None:
        """Send a request, and fill in the reply until the deadline."""
        self._reply = reply
        self._done = self._loop.create_future()
        self._received = self._size = 0
        self._complete = False
        self._large = len(request) > LARGE_REQUEST_BYTES
        reply.remote = self.remote
        reply.waiting = time.perf_counter()
        if self._transport is None:
            self._end_reply(self._lost)
            return
        self.watch(deadline)
        self._transport.write(request)
        try:
            await self._done
        except BaseException:
            self.close()
            raise

    def watch(self, until: float) -> None:
        """Set the time at which the current request or idle period ends."""
        self._until = until
        # The timer is only replaced if it would fire too late, which is rare.
        if self._alarm is None or until < self._rings_at:
            if self._alarm is not None:
                self._alarm.cancel()
            self._rings_at = until
            self._alarm = self._loop.call_at(until, self._on_alarm)

    def _on_alarm(self) -> None:
        self._alarm = None
        if self._loop.time() + TIMER_TOLERANCE_SECONDS < self._until:
            self.watch(self._until)
        elif self._reply is None:
            self.close()
        else:
            self._finish("late")

    def close(self) -> None:
        """Abort the connection, even during a request."""
        self.keeps = False
        if self._reply is not None:
            # Ends the request as failed, which calls this method again.
            self._finish("disconnected")
            return
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self._transport is not None:
            # Not `close()`: a receiver that ignores the TLS shutdown would keep the socket open.
            self._transport.abort()
        self._ended(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start, after the TLS handshake."""
        # A cast instead of an assertion: uvloop's transports do not inherit from asyncio's.
        self._transport = cast("asyncio.Transport", transport)
        if not self.keeps:
            # asyncio continues with a connection that was closed before this call.
            self._transport.abort()
        self._parser = httptools.HttpResponseParser(self)
        # As lenient as other clients about line ends and folded lines. This is harmless, because
        # only one answer is ever read.
        self._parser.set_dangerous_leniencies(
            lenient_headers=True,
            lenient_optional_cr_before_lf=True,
            lenient_spaces_after_chunk_size=True,
        )

    def eof_received(self) -> None:
        """End the answer when the receiver stops sending, without waiting for the TLS shutdown."""
        if self._reply is not None:
            self._end_reply(None)
        else:
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the answer when the connection ends."""
        self._transport = self._parser = None
        self._lost = exc
        if self._reply is not None:
            self._end_reply(exc)
        else:
            self.close()

    def _end_reply(self, exc: Exception | None) -> None:
        reply = self._reply
        assert reply is not None  # noqa: S101 - callers check it
        if reply.status is not None:
            self._finish(cut=exc is not None or reply.is_framed)
        elif isinstance(exc, ssl.SSLError) and not reply.answered and not reply.reused:
            reply.reason = describe_failure(exc)
            self._finish("tls")
        else:
            self._finish("disconnected")

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
            self._feed(reply, nbytes)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self.keeps = False
            self._handle_parse_error(reply)
            return
        if self._complete:
            self._finish()
        elif self._size > MAX_BODY_BYTES or self._received > MAX_TOTAL_BYTES:
            self._finish(cut=True)

    def _feed(self, reply: HttpReply, nbytes: int) -> None:
        assert self._parser is not None  # noqa: S101 - it exists while bytes arrive
        excess_bytes = self._received - MAX_HEAD_BYTES
        if reply.status is not None or excess_bytes <= 0:
            self._parser.feed_data(self._buffer[:nbytes])
            return
        self._parser.feed_data(self._buffer[: nbytes - excess_bytes])
        if reply.status is None:
            reply.reason = TOO_LARGE
            raise httptools.HttpParserError
        self._parser.feed_data(self._buffer[nbytes - excess_bytes : nbytes])

    def _handle_parse_error(self, reply: HttpReply) -> None:
        if self._complete:
            self._finish()
        elif reply.status is not None:
            self._finish(cut=True)
        else:
            self._finish("malformed")

    def _finish(self, failure: Failure | None = None, *, cut: bool = False) -> None:
        reply, done = self._reply, self._done
        assert reply is not None  # noqa: S101 - callers check it
        assert done is not None  # noqa: S101 - as above
        reply.ended = time.perf_counter()
        reply.failure = failure
        reply.cut = cut or self._size > MAX_BODY_BYTES
        reply.body = b"".join(self._chunks)[:MAX_BODY_BYTES]
        self._reply = None
        self._chunks = []
        if not (self.keeps and self._complete) or (self._large and not reply.is_success):
            self.close()
        if not done.done():
            done.set_result(None)

    # Callbacks of the parser. An exception in one of them ends the parsing.

    def on_message_begin(self) -> None:
        """Refuse a second answer to one request."""
        if self._complete:
            raise httptools.HttpParserError

    def on_header(self, name: bytes, value: bytes) -> None:
        """Store a header. Ignore trailers after the body."""
        if self._reply is not None and self._reply.status is None:
            self._reply.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Store the status. Skip interim answers (1xx)."""
        parser, reply = self._parser, self._reply
        if parser is None or reply is None:
            return
        status = parser.get_status_code()
        if status < CONTINUE or status == SWITCHING or parser.get_http_version() not in VERSIONS:
            raise httptools.HttpParserError
        self._interim = status < SUCCESS
        if self._interim:
            reply.headers.clear()
            return
        reply.status = status
        reply.reading = time.perf_counter()

    def on_body(self, body: bytes) -> None:
        """Store a part of the body."""
        self._size += len(body)
        self._chunks.append(body)

    def on_message_complete(self) -> None:
        """Mark the answer as complete, and note whether the connection can be reused."""
        if not self._interim:
            assert self._parser is not None  # noqa: S101 - it is the caller
            self._complete = True
            self.keeps = self.keeps and self._parser.should_keep_alive()
