"""What a connection may send, and how slowly, on real sockets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, Final

import msgspec
import pytest
from uvicorn.server import ServerState

from pannier.settings import load
from pannier.web import connection_guard
from pannier.web.buffered_response import SINGLE_WRITE_EXTENSION
from pannier.web.connection_guard import ConnectionPhase, GuardedConnection
from pannier.web.connection_limits import ConnectionLimits
from stage import Firm

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
# So short that a test need not wait, and so long that nobody else is meant.
BRIEF: Final = {"check_seconds": 0.01, "head_seconds": 0.05, "body_grace": 0.05}
HEAD: Final = b"GET / HTTP/1.1\r\nHost: pannier.test\r\n"
POST: Final = b"POST / HTTP/1.1\r\nHost: pannier.test\r\n"
DATE: Final = (b"date", b"Thu, 15 Jan 2026 12:00:00 GMT")
CHUNKED: Final = POST + b"Transfer-Encoding: chunked\r\n\r\n"


class Echo:
    """An application that tells what it got."""

    def __init__(self) -> None:
        self.left, self.heard = 0, asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", scope["method"] == "POST"
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.left += 1
                return
            body, more = body + message["body"], message["more_body"]
            if body:
                self.heard.set()
        names = [name.decode() for name, _ in scope["headers"]]
        told = msgspec.json.encode({"path": scope["path"], "headers": names, "body": len(body)})
        headers = [(b"content-length", b"%d" % len(told))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": told})


async def hasty(_scope: Any, _receive: Any, send: Any) -> None:
    """Answer without having read the body."""
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def whole(scope: Any, _receive: Any, _send: Any) -> None:
    """Answer at once, as the house's own server offers it."""
    headers = [(b"content-type", b"application/json"), (b"content-length", b"2")]
    assert scope["extensions"][SINGLE_WRITE_EXTENSION](200, headers, b"{}")


class Patient:
    """Answers when it is told to, and tells whether its callers waited for that."""

    def __init__(self) -> None:
        self.begun, self.go, self.left = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def __call__(self, _scope: Any, receive: Any, send: Any) -> None:
        self.begun.set()
        await self.go.wait()
        message = await receive()
        while message["type"] != "http.disconnect" and message["more_body"]:
            message = await receive()
        if message["type"] == "http.disconnect":
            self.left.set()
            return
        await hasty(_scope, receive, send)


class Generous:
    """Answers more than all buffers between two sockets hold."""

    SIZE: Final = 64 * 1024 * 1024

    def __init__(self) -> None:
        self.sent = asyncio.Event()

    async def __call__(self, _scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * self.SIZE})
        self.sent.set()


class Street:
    """A door on a real socket, and everybody who comes to it."""

    def __init__(self, app: Any, settings: dict[str, str], bounds: dict[str, Any]) -> None:
        self._config = connection_guard.make_server_config(
            app, load({}, **settings), limits=ConnectionLimits(**bounds)
        )
        self._config.load()
        self._state = ServerState()
        self._state.default_headers = [DATE]
        self._callers: list[asyncio.StreamWriter] = []
        self._port = 0

    def protocol(self) -> asyncio.Protocol:
        return self._config.http_protocol_class(
            config=self._config, server_state=self._state, app_state={}
        )

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Street"]:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(self.protocol, "127.0.0.1", 0)
        self._port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for writer in self._callers:
                writer.transport.abort()
            for connection in self.connections:
                connection.transport.abort()
            await asyncio.gather(*self._state.tasks, return_exceptions=True)

    @property
    def connections(self) -> list[GuardedConnection]:
        return [one for one in self._state.connections if isinstance(one, GuardedConnection)]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def dial(self, address: str = "127.0.0.1") -> Streams:
        caller = (address, 0)
        streams = await asyncio.open_connection("127.0.0.1", self._port, local_addr=caller)
        self._callers.append(streams[1])
        return streams


def door(
    app: Any = None, settings: dict[str, str] | None = None, **bounds: Any
) -> AbstractAsyncContextManager[Street]:
    return Street(app or Echo(), settings or {}, bounds).open()


async def answered(streams: Streams, *said: bytes) -> tuple[int, bytes, Any]:
    """Say something, and read what comes until the other side hangs up."""
    reader, writer = streams
    for part in said:
        writer.write(part)
    heard = await reader.read()
    head, _, body = heard.partition(b"\r\n\r\n")
    return (int(head.split()[1]) if head else 0), head, body


async def refusal(streams: Streams, *said: bytes) -> tuple[int, str]:
    status, head, body = await answered(streams, *said)
    assert b"content-type: application/problem+json" in head, head
    assert b"connection: close" in head
    assert b"x-content-type-options: nosniff" in head
    assert b": ".join(DATE) in head
    told = msgspec.json.decode(body)
    assert (told["status"], told["type"]) == (status, f"/docs/errors#{told['code']}")
    assert f"x-request-id: {told['request_id']}".encode() in head
    return status, told["code"]


async def once(streams: Streams, request: bytes) -> tuple[int, Any]:
    """Ask on a connection that stays open."""
    reader, writer = streams
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.partition(b"content-length: ")[2].split(b"\r\n")[0] or 0)
    body = await reader.readexactly(length)
    return int(head.split()[1]), msgspec.json.decode(body) if body else None


async def test_a_head_may_have_64_kib() -> None:
    async with door() as street:
        fits = HEAD + b"X: " + b"x" * (64 * 1024 - len(HEAD) - 8) + b"\r\n\r\n"
        assert (await once(await street.dial(), fits))[0] == 200
        for more in (b"X: " + b"x" * 64 * 1024, b"X: y\r\n" * 20_000):
            assert await refusal(await street.dial(), HEAD + more) == (431, "head_too_large")
        long = b"GET /" + b"x" * 64 * 1024
        assert await refusal(await street.dial(), long) == (431, "head_too_large")
        assert await refusal(await street.dial(), b"\r\n" * 40_000) == (431, "head_too_large")


async def test_a_head_may_have_a_hundred_headers() -> None:
    async with door() as street:
        assert (await once(await street.dial(), HEAD + b"X: y\r\n" * 99 + b"\r\n"))[0] == 200
        many = HEAD + b"X: y\r\n" * 100 + b"\r\n"
        assert await refusal(await street.dial(), many) == (431, "head_too_large")


async def test_a_head_that_does_not_end_is_not_waited_for() -> None:
    async with door(**BRIEF) as street:
        assert await refusal(await street.dial(), HEAD) == (408, "request_timeout")
        assert await refusal(await street.dial(), b"\r\n") == (408, "request_timeout")
        # A connection made in advance is closed without a word.
        assert await answered(await street.dial()) == (0, b"", b"")


async def test_nor_is_one_that_follows_an_answer() -> None:
    async with door(**BRIEF) as street:
        streams = await street.dial()
        assert (await once(streams, HEAD + b"\r\n"))[0] == 200
        assert await refusal(streams, HEAD) == (408, "request_timeout")


@pytest.mark.parametrize(
    "begun", [POST + b"Content-Length: 9\r\n\r\nabc", CHUNKED, CHUNKED + b"3\r\nabc\r\n"]
)
async def test_a_body_that_does_not_come_is_not_waited_for(begun: bytes) -> None:
    echo = Echo()
    async with door(echo, **BRIEF) as street:
        assert await refusal(await street.dial(), begun) == (408, "request_timeout")
    assert echo.left == 1


async def test_a_body_at_a_fair_rate_may_take_its_time() -> None:
    echo = Echo()
    async with door(echo, check_seconds=3600.0, body_rate=10.0, body_grace=10.0) as street:
        streams = await street.dial()
        streams[1].write(POST + b"Content-Length: 1000\r\n\r\n" + b"x" * 500)
        await echo.heard.wait()
        [connection] = street.connections
        # Whoever sent 500 bytes has 10 + 50 seconds.
        connection.check_progress(0.0, 59.0)
        assert (await once(streams, b"x" * 500))[1]["body"] == 1000
        echo.heard.clear()
        streams[1].write(POST + b"Content-Length: 1000\r\n\r\n" + b"x" * 500)
        await echo.heard.wait()
        connection.check_progress(0.0, 61.0)
        assert await refusal(streams) == (408, "request_timeout")


async def test_who_still_sends_after_the_answer_is_heard_out_for_a_while() -> None:
    async with door(hasty, check_seconds=0.01, linger_seconds=0.05) as street:
        streams = await street.dial()
        assert (await once(streams, POST + b"Content-Length: 6\r\n\r\nabc"))[0] == 204
        assert (await once(streams, b"def" + HEAD + b"\r\n"))[0] == 204
        endless = await street.dial()
        assert (await once(endless, POST + b"Content-Length: 99999\r\n\r\nabc"))[0] == 204
        assert await endless[0].read() == b""


@pytest.mark.slow
async def test_a_connection_without_a_next_request_is_closed() -> None:
    async with door(settings={"keep_alive_seconds": "1"}) as street:
        streams = await street.dial()
        assert (await once(streams, HEAD + b"\r\n"))[0] == 200
        assert await answered(streams) == (0, b"", b"")


@pytest.mark.slow
async def test_an_answer_that_nobody_reads_is_given_up() -> None:
    generous = Generous()
    async with door(generous, check_seconds=3600.0, unread_seconds=30.0) as street:
        reader, writer = await street.dial()
        writer.write(HEAD + b"\r\n")
        await generous.sent.wait()
        street.connections[0].check_progress(0.0, 31.0)
        # What lies in between can still be read, and then it breaks off.
        assert len(await reader.read()) < Generous.SIZE


@pytest.mark.parametrize("app", [Echo(), hasty, whole])
async def test_every_answer_says_when_it_was_given(app: Any) -> None:
    async with door(app) as street:
        _, head, _ = await answered(await street.dial(), HEAD + b"Connection: close\r\n\r\n")
        assert head.count(b": ".join(DATE)) == 1
        assert head.count(b"connection: close") == 1


async def test_no_header_of_an_answer_begins_another() -> None:
    async def torn(scope: Any, _receive: Any, _send: Any) -> None:
        scope["extensions"][SINGLE_WRITE_EXTENSION](200, [(b"x-name", b"a\r\nset-cookie: b")], b"")

    async with door(torn) as street:
        status, head, _ = await answered(await street.dial(), HEAD + b"\r\n")
        assert (status, b"set-cookie" in head) == (500, False)


async def test_an_answer_that_is_whole_leaves_the_connection_open() -> None:
    async with door(whole) as street:
        streams = await street.dial()
        for _ in range(3):
            assert await once(streams, HEAD + b"\r\n") == (200, {})


async def test_a_request_is_not_told_what_is_wrong_with_the_next() -> None:
    patient = Patient()
    async with door(patient) as street:
        reader, writer = await street.dial()
        writer.write(HEAD + b"\r\n" + b"GET http://x HTTP/1.1\r\nHost: pannier.test\r\n\r\n")
        with suppress(ConnectionResetError):
            assert await reader.read() == b""
        patient.go.set()


async def test_an_answer_under_way_is_not_cut_off_by_the_beginning_of_another_request() -> None:
    patient = Patient()
    async with door(patient, check_seconds=3600.0) as street:
        reader, writer = await street.dial()
        writer.write(HEAD + b"\r\n")
        await patient.begun.wait()
        [connection] = street.connections
        writer.write(b"\r\n")
        while connection._phase is not ConnectionPhase.HEAD:  # noqa: ASYNC110, SLF001 - it has no other sign of it
            await asyncio.sleep(0)
        connection.check_progress(asyncio.get_running_loop().time() + 3600.0, 1.0)
        patient.go.set()
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 204")


async def test_every_request_that_was_sent_ahead_hears_that_its_caller_has_left() -> None:
    patient = Patient()
    async with door(patient) as street:
        _, writer = await street.dial()
        writer.write(POST + b"Content-Length: 3\r\n\r\nabc" + HEAD + b"\r\n")
        await patient.begun.wait()
        [connection] = street.connections
        writer.transport.abort()
        connection.flow.resume_reading()
        while street.connections:  # noqa: ASYNC110 - it is uvicorn who forgets them
            await asyncio.sleep(0)
        patient.go.set()
        await patient.left.wait()


async def test_what_follows_a_body_is_no_header() -> None:
    async with door() as street:
        trailer = b"1\r\nx\r\n0\r\nAuthorization: Bearer x\r\nX-Forwarded-For: 10.0.0.1\r\n\r\n"
        status, told = await once(await street.dial(), CHUNKED + trailer)
        assert (status, told["body"]) == (200, 1)
        assert told["headers"] == ["host", "transfer-encoding"]
        endless = CHUNKED + b"1\r\nx\r\n0\r\nX: " + b"x" * 128 * 1024
        assert await refusal(await street.dial(), endless) == (431, "head_too_large")


async def test_a_credential_behind_a_body_lets_nobody_in(acme: Firm) -> None:
    async with door(acme.house.edge) as street:
        key = acme.api_key.encode()
        ask = b"POST /v1/contacts HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
        body = b'10\r\n{"name": "Ada"} \r\n0\r\n'
        shown = b"Authorization: Bearer " + key + b"\r\n"
        assert (await once(await street.dial(), ask + b"\r\n" + body + shown + b"\r\n"))[0] == 401
        assert (await once(await street.dial(), ask + shown + b"\r\n" + body + b"\r\n"))[0] == 201


@pytest.mark.parametrize(
    "said",
    [
        b"GET /\r\n\r\n",
        b"GET / HTTP/0.9\r\nHost: a\r\n\r\n",
        b"GET / HTTP/2.0\r\nHost: a\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost:\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a,b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: user@a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a:port\r\n\r\n",
        b"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        POST + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        POST + b"Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 3\r\n\r\nabc",
    ],
)
async def test_what_is_not_quite_http_is_refused(said: bytes) -> None:
    async with door() as street:
        assert await refusal(await street.dial(), said) == (400, "request_malformed")


@pytest.mark.parametrize("host", [b"a", b"a.b:80", b"127.0.0.1:8000", b"[::1]:8000", b"my_host"])
async def test_an_ordinary_host_is_taken(host: bytes) -> None:
    async with door() as street:
        ask = b"GET / HTTP/1.1\r\nHost: " + host + b"\r\n\r\n"
        assert (await once(await street.dial(), ask))[0] == 200


async def test_old_probes_and_wishes_for_another_protocol_are_answered() -> None:
    async with door() as street:
        assert (await answered(await street.dial(), b"GET / HTTP/1.0\r\n\r\n"))[0] == 200
        wish = HEAD + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n"
        status, head, _ = await answered(await street.dial(), wish)
        assert (status, b"connection: close" in head) == (200, True)


async def test_requests_sent_ahead_are_answered_in_turn_and_not_without_end() -> None:
    async with door() as street:
        streams = await street.dial()
        two = b"".join(b"GET /%d HTTP/1.1\r\nHost: a\r\n\r\n" % number for number in range(2))
        assert (await once(streams, two))[1]["path"] == "/0"
        assert (await once(streams, b""))[1]["path"] == "/1"
        reader, writer = await street.dial()
        writer.write((HEAD + b"\r\n") * 1000)
        assert (await reader.read()).count(b"HTTP/1.1 200") < 1000


async def test_one_address_may_have_so_many_connections() -> None:
    async with door(address_connections=2) as street:
        held = [await street.dial(), await street.dial()]
        for streams in held:
            assert (await once(streams, HEAD + b"\r\n"))[0] == 200
        assert await refusal(await street.dial()) == (429, "too_many_connections")
        assert (await once(await street.dial("127.0.0.2"), HEAD + b"\r\n"))[0] == 200
        assert (await answered(held[0], HEAD + b"Connection: close\r\n\r\n"))[0] == 200
        assert (await once(await street.dial(), HEAD + b"\r\n"))[0] == 200


async def test_a_trusted_proxy_may_have_any_number_but_not_all_together_too_many() -> None:
    proxies = {"trusted_proxies": "127.0.0.1"}
    async with door(settings=proxies, address_connections=1, connections=3) as street:
        held = [await street.dial() for _ in range(3)]
        for streams in held:
            assert (await once(streams, HEAD + b"\r\n"))[0] == 200
        assert await refusal(await street.dial()) == (503, "unavailable")
