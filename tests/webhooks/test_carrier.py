"""Carrying one request: whatever a receiver does, there is an outcome, a sentence and an end."""

import asyncio
import gc
import gzip
import inspect
import re
import socket
import ssl
import subprocess
import sys
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
import trustme
import uvloop

import program
from pannier.settings import Settings
from pannier.web.certificates import load_authorities
from pannier.webhooks import dns
from pannier.webhooks.guard import parse_networks
from pannier.webhooks.http import HttpReply, build_request
from pannier.webhooks.models import AttemptResult
from pannier.webhooks.pool import CONNECT_TIMEOUT_SECONDS, Pool
from pannier.webhooks.webhook_client import BLOCKED, WebhookClient
from program import PATIENCE

ALLOW: Final = "127.0.0.0/8, ::1"
OK: Final = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
BODY: Final = b'{"data":{}}'
GONE: Final = (OSError, asyncio.IncompleteReadError)
NO_ANSWER: Final = "The receiver did not send a response within {} seconds."
NO_END: Final = "The receiver did not send the complete response within {} seconds."
NOT_HTTP: Final = "The receiver's response is not valid HTTP."

Manner = Callable[["Caller"], Awaitable[None]]
Test = Callable[..., Coroutine[None, None, None]]


def on_both_loops(test: Test) -> Callable[..., None]:
    """Run a test on the loop of the real program, and on the standard library's."""
    ours = pytest.param(uvloop.new_event_loop, id="uvloop")
    plain = pytest.param(asyncio.new_event_loop, id="asyncio", marks=pytest.mark.slow)
    return pytest.mark.parametrize("loop", [ours, plain])(_run(test))


def on_uvloop(test: Test) -> Callable[..., None]:
    """Run a test whose result no loop has a part in."""
    return pytest.mark.parametrize("loop", [uvloop.new_event_loop], ids=[""])(_run(test))


def _run(test: Test) -> Callable[..., None]:
    """Give a test a loop of its own, whose end brings to light what was forgotten in it."""

    async def whole(given: Mapping[str, Any]) -> None:
        try:
            await test(**given)
        finally:
            if isinstance(carrier := given.get("carrier"), WebhookClient):
                await carrier.close()

    def run(loop: Callable[[], asyncio.AbstractEventLoop], **given: Any) -> None:
        with asyncio.Runner(loop_factory=loop) as runner:
            runner.run(whole(given))

    signature = inspect.signature(test)
    loop = inspect.Parameter("loop", inspect.Parameter.KEYWORD_ONLY)
    run.__name__ = test.__name__
    run.__signature__ = signature.replace(  # type: ignore[attr-defined]  # what pytest reads
        parameters=[*signature.parameters.values(), loop]
    )
    return run


@dataclass
class Trust:
    """An authority, and the certificates that it and others gave out."""

    bundle: str
    authority: trustme.CA

    def context(self, *hosts: str, **given: datetime) -> ssl.SSLContext:
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.authority.issue_cert(*hosts, **given).configure_cert(made)
        return made


@pytest.fixture(scope="module")
def trust(tmp_path_factory: pytest.TempPathFactory) -> Trust:
    made = Trust(str(tmp_path_factory.mktemp("trust") / "ca.pem"), trustme.CA())
    made.authority.cert_pem.write_to_path(made.bundle)
    return made


@pytest.fixture(scope="module")
def context(trust: Trust) -> ssl.SSLContext:
    return trust.context("127.0.0.1", "::1", "localhost", "hooks.example.com")


@pytest.fixture
def carrier(trust: Trust) -> WebhookClient:
    return WebhookClient(Settings(webhook_allow_networks=ALLOW, webhook_ca_bundle=trust.bundle))


@dataclass
class Caller:
    """The sender's connection, as the receiver sees it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    requests: list[bytes]

    async def heard(self) -> bytes:
        """Read a request."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"\r\nContent-Length: (\d+)\r\n", head)
        assert length is not None
        one = head + await self.reader.readexactly(int(length[1]))
        self.requests.append(one)
        return one

    async def say(self, *pieces: bytes, pause: float = 0.0) -> None:
        for piece in pieces:
            self.writer.write(piece)
            await self.writer.drain()
            await asyncio.sleep(pause)


@dataclass
class Receiver:
    """Somebody on the loopback who treats every connection in one manner."""

    manner: Manner
    port: int = 0
    connections: int = 0
    requests: list[bytes] = field(default_factory=list)
    open: set["asyncio.Task[None]"] = field(default_factory=set)

    def url(self, host: str = "127.0.0.1", path: str = "/in") -> str:
        return f"https://{host}:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.open.add(task)
        self.connections += 1
        try:
            with suppress(*GONE, asyncio.CancelledError):
                await self.manner(Caller(reader, writer, self.requests))
                writer.close()
                await asyncio.wait_for(writer.wait_closed(), 1)
        finally:
            writer.transport.abort()
            self.open.discard(task)

    async def alone(self) -> None:
        """Wait until nobody is connected."""
        async with asyncio.timeout(PATIENCE):
            while self.open:
                await asyncio.wait(set(self.open))


@asynccontextmanager
async def receiving(
    manner: Manner, context: ssl.SSLContext | None, host: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[Receiver]:
    receiver = Receiver(manner)
    server = await asyncio.start_server(receiver.serve, host, port, ssl=context, backlog=500)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        for task in set(receiver.open):
            task.cancel()
        await receiver.alone()
        await server.wait_closed()


def answering(*answers: bytes) -> Manner:
    """Answer each request with all of these, and wait for the next."""

    async def manner(caller: Caller) -> None:
        while await caller.heard():
            await caller.say(*answers)

    return manner


def once(*answers: bytes, pause: float = 0.0) -> Manner:
    """Answer one request, and hang up."""

    async def manner(caller: Caller) -> None:
        await caller.heard()
        await caller.say(*answers, pause=pause)

    return manner


def ever(*answers: bytes, again: bytes, pause: float = 0.03) -> Manner:
    """Begin to answer one request, and go on so without an end."""

    async def manner(caller: Caller) -> None:
        await caller.heard()
        await caller.say(*answers)
        while True:
            await caller.say(again, pause=pause)

    return manner


async def silent(caller: Caller) -> None:
    await caller.heard()
    await caller.reader.read()


def flooding(beginning: bytes, piece: bytes, counted: list[int]) -> Manner:
    """Go on for ever, and count what was said."""

    async def manner(caller: Caller) -> None:
        await caller.heard()
        await caller.say(beginning)
        while True:
            counted.append(len(piece))
            await caller.say(piece)

    return manner


async def sent(
    carrier: WebhookClient,
    url: str,
    seconds: float = PATIENCE,
    *,
    body: bytes = BODY,
    fresh: bool = False,
) -> AttemptResult:
    return await carrier.send(url, {"Content-Type": "application/json"}, body, seconds, fresh=fresh)


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not true():  # noqa: ASYNC110 - nobody tells when it is
            await asyncio.sleep(0.005)


def summary(answer: AttemptResult) -> tuple[str, int | None, str | None]:
    return answer.outcome, answer.status, answer.error


async def came_of(
    carrier: WebhookClient,
    context: ssl.SSLContext | None,
    manner: Manner,
    seconds: float = PATIENCE,
) -> AttemptResult:
    async with receiving(manner, context) as receiver:
        return await sent(carrier, receiver.url(), seconds)


async def in_little_time(
    carrier: WebhookClient,
    context: ssl.SSLContext | None,
    manner: Manner,
    reached: Callable[[AttemptResult], bool],
    *,
    body: bytes = BODY,
    notices: bool = True,
) -> tuple[AttemptResult, str]:
    """Send with less time than a receiver takes; tell what came of it, and within how many seconds.

    A slow machine may not have come as far as the test is about: it gets twice the time.
    """
    seconds = 0.12
    while True:
        async with receiving(manner, context) as receiver:
            answer = await sent(carrier, receiver.url(), seconds, body=body)
            if notices:
                await receiver.alone()
        if reached(answer) or seconds > PATIENCE:
            assert answer.phases["total"] >= 1000 * seconds - 5
            return answer, f"{seconds:g}"
        seconds *= 2


# What is sent, and what is told of an answer.


@on_uvloop
async def test_what_leaves_is_one_plain_post(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    async with receiving(answering(OK), context) as receiver:
        url = receiver.url("localhost", "/in/%C3%A9?a=b&c=%20")
        await carrier.send(url, {"X-Own": "ä", "content-TYPE": "text/plain"}, b"\0\r\n", 2)
    assert receiver.requests == [
        b"POST /in/%C3%A9?a=b&c=%20 HTTP/1.1\r\n"
        + f"Host: localhost:{receiver.port}\r\n".encode()
        + b"X-Own: \xe4\r\ncontent-TYPE: text/plain\r\nContent-Length: 3\r\n\r\n\0\r\n"
    ]


@on_both_loops
async def test_an_answer_is_told_in_full(carrier: WebhookClient, context: ssl.SSLContext) -> None:
    said = b"HTTP/1.1 201 Made\r\nX-One: 1\r\nx-one:  \xe42\t\r\nContent-Length: 5\r\n\r\nthank"
    async with receiving(answering(said), context) as receiver:
        answer = await sent(carrier, receiver.url("localhost"))
        again = await sent(carrier, receiver.url("localhost"))
    assert summary(answer) == ("succeeded", 201, None)
    assert answer.response_headers == [
        ("X-One", "1"),
        ("x-one", "ä2"),
        ("Content-Length", "5"),
    ]
    assert (answer.response_body, answer.response_cut, answer.stale) == (b"thank", False, False)
    assert answer.remote_address in {"127.0.0.1", "::1"}
    # A connection that was kept neither searches nor connects.
    assert set(answer.phases) == {"dns", "connect", "tls", "wait", "read", "total"}
    assert set(again.phases) == {"wait", "read", "total"}
    for one in (answer, again):
        parts = sum(spent for name, spent in one.phases.items() if name != "total")
        assert 0 < parts <= one.phases["total"] + 0.1


@pytest.mark.parametrize(
    ("head", "outcome", "error"),
    [
        ("200 OK", "succeeded", None),
        ("204 No Content", "succeeded", None),
        ("299", "succeeded", None),
        ("301 Moved\r\nLocation: /in", "refused",
         "The receiver responded with 301; redirects are not followed."),
        ("304 Not Modified", "refused",
         "The receiver responded with 304; redirects are not followed."),
        ("400 Bad", "refused", "The receiver responded with 400."),
        ("401 Who", "refused", "The receiver responded with 401."),
        ("500 Oh", "refused", "The receiver responded with 500."),
        ("599 Oh", "refused", "The receiver responded with 599."),
        ("999 Oh", "refused", "The receiver responded with 999."),
    ],
)  # fmt: skip
@on_uvloop
async def test_the_status_decides_and_redirections_are_not_followed(
    carrier: WebhookClient, context: ssl.SSLContext, head: str, outcome: str, error: str | None
) -> None:
    said = f"HTTP/1.1 {head}\r\nContent-Length: 0\r\n\r\n".encode()
    async with receiving(answering(said), context) as receiver:
        answer = await sent(carrier, receiver.url())
    assert summary(answer) == (outcome, int(head[:3]), error)
    assert len(receiver.requests) == 1


@on_uvloop
async def test_a_receiver_may_say_when_to_come_again(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    said = b"HTTP/1.1 429 Slow\r\nretry-AFTER: 120\r\nContent-Length: 0\r\n\r\n"
    assert (await came_of(carrier, context, answering(said))).retry_after == "120"


@pytest.mark.parametrize(
    "answers",
    [
        [b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"],
        [b"HTTP/1.1 200 OK\r\nContent-Le", b"ngth: 5\r\n\r\nhel", b"lo"],
        [bytes([one]) for one in b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"],
        [(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhe\r\n3\r\nllo\r\n"
         b"0\r\nX-After: all\r\n\r\n")],
        [b"HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello"],
        [b"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"],
        [b"HTTP/1.1 200 OK\r\nX-Long: one\r\n two\r\nContent-Length: 5\r\n\r\nhello"],
        [b"HTTP/1.1 100 Continue\r\n\r\n", (b"HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n"
         b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")],
        [b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello"],
    ],
)  # fmt: skip
@on_uvloop
async def test_an_answer_may_come_in_any_form_and_its_connection_is_kept(
    carrier: WebhookClient, context: ssl.SSLContext, answers: Sequence[bytes]
) -> None:
    async with receiving(answering(*answers), context) as receiver:
        for _ in range(3):
            answer = await sent(carrier, receiver.url())
            assert summary(answer) == ("succeeded", 200, None)
            assert (answer.response_body, answer.response_cut) == (b"hello", False)
            assert ("Link", "</a>") not in (answer.response_headers or [])
            assert ("X-After", "all") not in (answer.response_headers or [])
    assert receiver.connections == 1


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", b"ok"),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", b"ok"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more", b"ok"),
        (OK + b"HTTP/1.1 500 No\r\nX-Evil: 1\r\nContent-Length: 4\r\n\r\nevil", b"ok"),
        (OK + b"\r\nHTTP/1.1 500 No\r\n", b"ok"),
        (OK + b"H", b"ok"),
        (b"HTTP/1.1 204 None\r\n\r\nstray", b""),
    ],
)
@on_uvloop
async def test_a_connection_with_more_to_say_or_about_to_close_is_not_used_again(
    carrier: WebhookClient, context: ssl.SSLContext, answer: bytes, body: bytes
) -> None:
    async with receiving(answering(answer), context) as receiver:
        for _ in range(2):
            told = await sent(carrier, receiver.url())
            assert told.outcome == "succeeded"
            assert told.response_body == body
            assert "X-Evil" not in dict(told.response_headers or [])
        assert receiver.connections == 2
        await receiver.alone()


@on_both_loops
async def test_a_body_may_end_with_its_connection(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    for head in (b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.0 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"):
        answer = await came_of(carrier, context, once(head, b"hello ", b"world"))
        assert summary(answer) == ("succeeded", 200, None)
        assert (answer.response_body, answer.response_cut) == (b"hello world", False)


@pytest.mark.parametrize(
    "answers",
    [
        [b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello"],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nxyz\r\n"],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n-5\r\nhello\r\n"],
        [(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
         b"fffffffffffffffffffff\r\nhello")],
    ],
)  # fmt: skip
@on_uvloop
async def test_who_answered_has_answered_even_if_not_to_the_end(
    carrier: WebhookClient, context: ssl.SSLContext, answers: Sequence[bytes]
) -> None:
    answer = await came_of(carrier, context, once(*answers))
    assert summary(answer) == ("succeeded", 200, None)
    assert (answer.response_body, answer.response_cut) == (b"hello", True)


@on_uvloop
async def test_a_body_is_kept_as_it_came_and_never_unpacked(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    packed = gzip.compress(bytes(8_000_000))[: 16 * 1024]
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    answer = await came_of(carrier, context, answering(head + packed))
    assert (answer.response_body, answer.response_cut) == (packed, False)


@pytest.mark.parametrize(("size", "cut"), [(16 * 1024, False), (16 * 1024 + 1, True)])
@on_uvloop
async def test_sixteen_kilobytes_of_a_body_are_kept(
    carrier: WebhookClient, context: ssl.SSLContext, size: int, *, cut: bool
) -> None:
    said = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size + b"x" * size
    answer = await came_of(carrier, context, answering(said))
    assert (answer.response_body, answer.response_cut) == (b"x" * 16 * 1024, cut)


@on_uvloop
async def test_a_nul_in_a_header_does_not_reach_the_log(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    said = b"HTTP/1.1 200 OK\r\nX-Odd: a\0b\r\nContent-Length: 0\r\n\r\n"
    answer = await came_of(carrier, context, answering(said))
    assert "\0" not in str(answer.response_headers)


# Receivers that never come to an end.


@pytest.mark.parametrize(
    ("beginning", "piece"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n", b"x" * 65536),
        (b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65536),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 10000),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"extension" * 7000),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X-After: x\r\n" * 5000),
    ],
)
@on_both_loops
async def test_an_endless_body_is_cut_off_at_once(
    carrier: WebhookClient, context: ssl.SSLContext, beginning: bytes, piece: bytes
) -> None:
    counted: list[int] = []
    async with receiving(flooding(beginning, piece, counted), context) as receiver:
        answer = await sent(carrier, receiver.url())
        await receiver.alone()
    assert summary(answer) == ("succeeded", 200, None)
    assert answer.response_cut
    assert len(answer.response_body or b"") <= 16 * 1024
    assert len(answer.response_headers or []) <= 2
    # What was under way in the buffers of both sides, and no more.
    assert sum(counted) < 16_000_000


@pytest.mark.parametrize(
    ("beginning", "piece"),
    [
        (b"HTTP/1.1 200 OK\r\n", b"X-More: and more\r\n" * 500),
        (b"HTTP/1.1 200 OK\r\nX-Long: ", b"x" * 10000),
        (b"HTTP/1.1 200 OK\r\n", b"x" * 10000),
        (b"HTTP/1.1 200 ", b"x" * 10000),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 400),
        (b"", b"\r\n" * 5000),
    ],
)
@on_both_loops
async def test_an_endless_head_is_cut_off_at_once(
    carrier: WebhookClient, context: ssl.SSLContext, beginning: bytes, piece: bytes
) -> None:
    counted: list[int] = []
    async with receiving(flooding(beginning, piece, counted), context) as receiver:
        answer = await sent(carrier, receiver.url())
        await receiver.alone()
    sentence = "The head of the receiver's response exceeds 32 KiB."
    assert summary(answer) == ("malformed", None, sentence)
    assert sum(counted) < 16_000_000


@on_uvloop
async def test_a_head_of_just_under_the_limit_is_read_with_its_body(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    frame = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Long: %s\r\n\r\n"
    for size, outcome in ((32 * 1024, "succeeded"), (32 * 1024 + 1, "malformed")):
        said = frame % (b"x" * (size - len(frame) + 2)) + b"ok"
        assert len(said) == size + 2
        answer = await came_of(carrier, context, answering(said))
        assert answer.outcome == outcome
        # So much of a head as of a body goes into the log.
        if outcome == "succeeded":
            assert answer.response_headers == [("Content-Length", "2")]
            assert answer.response_body == b"ok"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("manner", "status", "sentence"),
    [
        (silent, None, NO_ANSWER),
        (ever(b"H", b"T", again=b""), None, NO_ANSWER),
        (ever(b"HTTP/1.1 200 OK\r\n", again=b"X-A: b\r\n"), None, NO_ANSWER),
        (ever(again=b"HTTP/1.1 100 Go on\r\n\r\n"), None, NO_ANSWER),
        (ever(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", again=b"."), 200, NO_END),
        (ever(b"HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n", again=b"1\r\n.\r\n"),
         500, NO_END),
        (ever(b"HTTP/1.1 200 OK\r\n\r\n", again=b""), 200, NO_END),
    ],
)  # fmt: skip
@on_uvloop
async def test_a_slow_receiver_has_until_the_deadline_and_no_longer(
    carrier: WebhookClient,
    context: ssl.SSLContext,
    manner: Manner,
    status: int | None,
    sentence: str,
) -> None:
    def reached(answer: AttemptResult) -> bool:
        return answer.status == status and "wait" in answer.phases

    # It would go on for ever: that there is an end at all is the deadline's.
    answer, seconds = await in_little_time(carrier, context, manner, reached)
    assert summary(answer) == ("timeout", status, sentence.format(seconds))
    assert answer.remote_address == "127.0.0.1"
    assert set(answer.phases) == {"connect", "tls", "wait", "total"} | (
        {"read"} if status else set()
    )


@pytest.mark.slow
@on_both_loops
async def test_a_receiver_that_does_not_take_the_body_has_until_the_deadline(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    async def deaf(_: Caller) -> None:
        await asyncio.Event().wait()

    answer, seconds = await in_little_time(
        carrier,
        context,
        deaf,
        lambda answer: "wait" in answer.phases,
        body=b"x" * 20_000_000,
        notices=False,
    )
    assert summary(answer) == ("timeout", None, NO_ANSWER.format(seconds))


@pytest.mark.slow
@on_both_loops
async def test_an_answer_before_the_whole_request_was_read_is_an_answer(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    async def hasty(caller: Caller) -> None:
        await caller.reader.readuntil(b"\r\n\r\n")
        await caller.say(b"HTTP/1.1 413 Much\r\nContent-Length: 0\r\n\r\n")
        await asyncio.Event().wait()

    async with receiving(hasty, context) as receiver:
        for _ in range(2):
            answer = await sent(carrier, receiver.url(), body=b"x" * 20_000_000)
            assert summary(answer) == ("refused", 413, "The receiver responded with 413.")
        # The rest of the first request might have stood in the way of the second.
        assert receiver.connections == 2


@on_both_loops
async def test_the_deadline_holds_on_a_connection_that_was_kept(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    async def at_first(caller: Caller) -> None:
        await caller.heard()
        await caller.say(OK)
        await silent(caller)

    async with receiving(at_first, context) as receiver:
        # The alarm of the first request is set for later.
        assert (await sent(carrier, receiver.url())).outcome == "succeeded"
        answer = await sent(carrier, receiver.url(), 0.15)
        assert receiver.connections == 1
    assert summary(answer) == ("timeout", None, NO_ANSWER.format("0.15"))
    assert set(answer.phases) == {"wait", "total"}
    assert not answer.stale


# Receivers that do not speak HTTP.


@pytest.mark.parametrize(
    "said",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"hello",
        b"<html>HTTP/0.9</html>",
        b"HTTP/0.9 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64",
        b"HTTP/1.1 99 Low\r\n\r\n",
        b"HTTP/1.1 000 None\r\n\r\n",
        b"HTTP/1.1 2000 High\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x00",
        b"HTTP/1.1 101 Switching\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n: nameless\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
    ],
)
@on_uvloop
async def test_what_is_not_http_is_malformed(
    carrier: WebhookClient, context: ssl.SSLContext, said: bytes
) -> None:
    async with receiving(answering(said), context) as receiver:
        answer = await sent(carrier, receiver.url())
        assert summary(answer) == ("malformed", None, NOT_HTTP)
        assert (answer.response_body, answer.stale) == (None, False)
        await receiver.alone()


# Receivers that hang up.


async def hang_up(caller: Caller) -> None:
    await caller.heard()


async def reset(caller: Caller) -> None:
    await caller.heard()
    sock = caller.writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    caller.writer.transport.abort()


async def never_listen(caller: Caller) -> None:
    caller.writer.transport.abort()


@pytest.mark.parametrize(
    "manner", [hang_up, reset, never_listen, once(b"HTTP/1.1 200 OK\r\nX-A: ")]
)
@on_both_loops
async def test_a_receiver_that_hangs_up_without_an_answer_disconnected(
    carrier: WebhookClient, context: ssl.SSLContext, manner: Manner
) -> None:
    answer = await came_of(carrier, context, manner)
    assert summary(answer) == (
        "disconnected",
        None,
        "The receiver closed the connection without a response.",
    )
    assert not answer.stale


@pytest.mark.parametrize("farewell", [hang_up, reset])
@on_both_loops
async def test_a_kept_connection_that_ends_before_a_byte_came_was_stale(
    carrier: WebhookClient, context: ssl.SSLContext, farewell: Manner
) -> None:
    async def restarted(caller: Caller) -> None:
        await caller.heard()
        await caller.say(OK)
        await farewell(caller)

    async with receiving(restarted, context) as receiver:
        first = await sent(carrier, receiver.url())
        second = await sent(carrier, receiver.url())
        third = await sent(carrier, receiver.url(), fresh=True)
        assert receiver.connections == 2
    assert (first.outcome, first.stale) == ("succeeded", False)
    assert summary(second) == (
        "disconnected",
        None,
        "The receiver closed the connection without a response.",
    )
    assert second.stale
    assert (third.outcome, third.stale) == ("succeeded", False)


@on_uvloop
async def test_a_kept_connection_that_ends_within_its_answer_was_not_stale(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    async def torn(caller: Caller) -> None:
        await caller.heard()
        await caller.say(OK)
        await caller.heard()
        await caller.say(b"HTTP/1.1 2")

    async with receiving(torn, context) as receiver:
        await sent(carrier, receiver.url())
        answer = await sent(carrier, receiver.url())
    assert (answer.outcome, answer.stale) == ("disconnected", False)


# Keeping connections.


@on_both_loops
async def test_connections_are_kept_and_the_one_used_last_is_used_next(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    async with receiving(answering(OK), context) as receiver:
        url = receiver.url()
        await asyncio.gather(*(sent(carrier, url) for _ in range(5)))
        assert receiver.connections == 5
        for _ in range(5):
            await sent(carrier, url)
        assert receiver.connections == 5
        # Another name for it is another receiver.
        await sent(carrier, receiver.url("localhost"))
        assert receiver.connections == 6


@on_both_loops
async def test_a_fresh_connection_is_used_once(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    async with receiving(answering(OK), context) as receiver:
        await sent(carrier, receiver.url())
        for _ in range(3):
            assert (await sent(carrier, receiver.url(), fresh=True)).outcome == "succeeded"
        await sent(carrier, receiver.url())
        assert receiver.connections == 4
        assert len(receiver.open) <= 2


@pytest.mark.parametrize("farewell", [b"", b"HTTP/1.1 408 Timeout\r\n\r\n", b"\r\n"])
@on_both_loops
async def test_a_kept_connection_that_ends_or_speaks_unasked_is_not_used(
    carrier: WebhookClient, context: ssl.SSLContext, farewell: bytes
) -> None:
    async def impatient(caller: Caller) -> None:
        await caller.heard()
        await caller.say(OK)
        await asyncio.sleep(0.03)
        await caller.say(farewell)

    async with receiving(impatient, context) as receiver:
        for _ in range(2):
            assert (await sent(carrier, receiver.url())).outcome == "succeeded"
            await receiver.alone()
        assert receiver.connections == 2


@asynccontextmanager
async def pooling(trust: Trust, *addresses: str, **limits: Any) -> AsyncIterator[Pool]:
    async def lookup(_: str) -> Sequence[str]:
        return addresses

    allowed_networks = parse_networks(ALLOW)
    resolver = dns.DnsResolver(lookup, allowed_networks)
    pool = Pool(resolver, allowed_networks, load_authorities("BUNDLE", trust.bundle), **limits)
    yield pool
    await pool.close()
    await resolver.close()


async def posted(pool: Pool, host: str, port: int) -> HttpReply:
    return await pool.post((host, port), build_request(host, "/", {}, b""), PATIENCE)


@pytest.mark.slow
@on_both_loops
async def test_an_idle_connection_ends_after_a_while(trust: Trust, context: ssl.SSLContext) -> None:
    async with (
        receiving(answering(OK), context) as receiver,
        pooling(trust, idle_seconds=0.1) as pool,
    ):
        assert (await posted(pool, "127.0.0.1", receiver.port)).status == 200
        await receiver.alone()
        assert (await posted(pool, "127.0.0.1", receiver.port)).status == 200
        assert receiver.connections == 2


@pytest.mark.slow
@on_both_loops
async def test_a_connection_that_is_used_has_its_whole_idle_time_again(
    trust: Trust, context: ssl.SSLContext
) -> None:
    idle, used = 0.1, 0
    async with (
        receiving(answering(OK), context) as receiver,
        pooling(trust, idle_seconds=idle) as pool,
        asyncio.timeout(PATIENCE),
    ):
        # Three times after half of it are more than the whole; a slow machine begins anew.
        while used < 3:
            connections = receiver.connections
            await posted(pool, "127.0.0.1", receiver.port)
            used = used + 1 if receiver.connections == connections else 0
            await asyncio.sleep(idle / 2)


@on_both_loops
async def test_a_connection_is_made_anew_when_it_has_come_of_age(
    trust: Trust, context: ssl.SSLContext
) -> None:
    async with (
        receiving(answering(OK), context) as receiver,
        pooling(trust, max_age_seconds=0) as pool,
    ):
        for _ in range(2):
            assert (await posted(pool, "127.0.0.1", receiver.port)).status == 200
        assert receiver.connections == 2


@on_both_loops
async def test_of_many_connections_to_one_receiver_so_many_are_kept(
    trust: Trust, context: ssl.SSLContext
) -> None:
    async with (
        receiving(answering(OK), context) as receiver,
        pooling(trust, max_idle_per_host=3) as pool,
    ):
        await asyncio.gather(*(posted(pool, "127.0.0.1", receiver.port) for _ in range(8)))
        await until(lambda: len(receiver.open) <= 3)
        await asyncio.gather(*(posted(pool, "127.0.0.1", receiver.port) for _ in range(3)))
        assert (receiver.connections, len(receiver.open)) == (8, 3)


@on_both_loops
async def test_who_closed_the_carrier_may_go_on_with_it(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    async with receiving(answering(OK), context) as receiver:
        for connections in (1, 2):
            assert (await sent(carrier, receiver.url())).outcome == "succeeded"
            assert receiver.connections == connections
            await carrier.close()
            await receiver.alone()


@on_both_loops
async def test_of_all_idle_connections_the_oldest_goes_first(
    trust: Trust, context: ssl.SSLContext
) -> None:
    async with (
        receiving(answering(OK), context) as one,
        receiving(answering(OK), context) as other,
        pooling(trust, max_idle=2) as pool,
    ):
        for receiver in (one, other, one, other):
            await posted(pool, "127.0.0.1", receiver.port)
        assert (one.connections, other.connections) == (1, 1)
        await asyncio.gather(*(posted(pool, "127.0.0.1", other.port) for _ in range(2)))
        await one.alone()
        assert other.connections == 2


# Connecting.


@pytest.fixture
def free_port() -> int:
    return program.free_port()


@pytest.fixture
def full() -> Iterator[int]:
    """A port at which there is no answer, because all places in its queue are taken."""
    with socket.socket() as listening, socket.socket() as first, socket.socket() as second:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        for waiting in (first, second):
            waiting.settimeout(0)
            with suppress(BlockingIOError):
                waiting.connect(listening.getsockname())
        yield listening.getsockname()[1]


@on_both_loops
async def test_nobody_at_the_door_is_told_without_an_address(
    carrier: WebhookClient, free_port: int
) -> None:
    answer = await sent(carrier, f"https://127.0.0.1:{free_port}/")
    assert summary(answer) == (
        "connect",
        None,
        "The receiver could not be reached: Connection refused.",
    )
    assert (answer.remote_address, set(answer.phases)) == (None, {"connect", "total"})


@on_both_loops
async def test_no_connection_in_time_is_told_as_such(carrier: WebhookClient, full: int) -> None:
    answer = await sent(carrier, f"https://127.0.0.1:{full}/", 0.15)
    # The system would go on trying for minutes: that there is an end at all is the deadline's.
    assert summary(answer) == ("timeout", None, "No connection within 0.15 seconds.")
    assert answer.phases["total"] >= 145


@pytest.mark.slow
@on_uvloop
async def test_a_connection_has_three_seconds_however_long_an_answer_may_take(
    carrier: WebhookClient, full: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pannier.webhooks.pool.CONNECT_TIMEOUT_SECONDS", CONNECT_TIMEOUT_SECONDS)
    answer = await sent(carrier, f"https://127.0.0.1:{full}/")
    assert summary(answer) == ("timeout", None, "No connection within 3 seconds.")
    assert 2900 < answer.phases["total"] < 1000 * PATIENCE


@on_both_loops
async def test_a_name_that_cannot_be_found_is_told(trust: Trust) -> None:
    async def lookup(_: str) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Nobody knows.")

    carrier = WebhookClient(Settings(webhook_ca_bundle=trust.bundle), lookup)
    answer = await sent(carrier, "https://hooks.example.com/")
    assert summary(answer) == ("dns", None, "The receiver's name could not be resolved.")
    assert set(answer.phases) == {"dns", "total"}
    # Whoever registers it may be ahead of the name servers.
    await carrier.check_reachable("https://hooks.example.com/")
    await carrier.close()


@on_uvloop
async def test_a_name_server_that_hangs_is_waited_for_until_the_deadline(trust: Trust) -> None:
    async def lookup(_: str) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    carrier = WebhookClient(Settings(webhook_ca_bundle=trust.bundle), lookup)
    answer = await sent(carrier, "https://hooks.example.com/", 0.1)
    assert summary(answer) == ("timeout", None, "No connection within 0.1 seconds.")
    assert set(answer.phases) == {"dns", "total"}
    await carrier.close()


@pytest.mark.parametrize("host", ["10.1.2.3", "[::1]", "inside.example.com"])
@on_uvloop
async def test_a_forbidden_address_is_blocked_and_never_named(trust: Trust, host: str) -> None:
    async def lookup(_: str) -> Sequence[str]:
        return ["10.1.2.3"]

    carrier = WebhookClient(Settings(webhook_ca_bundle=trust.bundle), lookup)
    answer = await sent(carrier, f"https://{host}/")
    assert summary(answer) == ("blocked", None, BLOCKED)
    assert answer.remote_address is None
    assert "10.1.2.3" not in repr(answer)
    with pytest.raises(ValueError, match="that webhooks may not reach"):
        await carrier.check_reachable(f"https://{host}/")
    await carrier.close()


@pytest.mark.slow
@on_uvloop
async def test_a_dead_address_does_not_take_the_time_of_a_lively_one(
    trust: Trust, context: ssl.SSLContext, full: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pannier.webhooks.pool.CONNECT_TIMEOUT_SECONDS", 30)
    async with (
        receiving(answering(OK), context, "::1", full) as receiver,
        pooling(trust, "127.0.0.1", *["::1"] * 59) as pool,
    ):
        reply = await posted(pool, "hooks.example.com", receiver.port)
    assert (reply.status, reply.remote) == (200, "::1")
    # One of sixty has a sixtieth of the time.
    assert 0.4 < reply.tls_began_at - reply.connect_began_at < 30


@on_both_loops
async def test_an_address_that_refuses_is_passed_over(
    trust: Trust, context: ssl.SSLContext
) -> None:
    async with (
        receiving(answering(OK), context) as receiver,
        pooling(trust, "::1", "127.0.0.1") as pool,
    ):
        reply = await posted(pool, "hooks.example.com", receiver.port)
    assert (reply.status, reply.remote) == (200, "127.0.0.1")


@on_both_loops
async def test_a_receiver_is_known_by_its_ipv6_address(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    async with receiving(answering(OK), context, "::1") as receiver:
        answer = await sent(carrier, receiver.url("[::1]"))
    assert (answer.outcome, answer.remote_address) == ("succeeded", "::1")
    assert f"\r\nHost: [::1]:{receiver.port}\r\n".encode() in receiver.requests[0]


# TLS.


async def refused(
    carrier: WebhookClient, context: ssl.SSLContext | None, host: str = "127.0.0.1"
) -> str:
    async with receiving(answering(OK), context) as receiver:
        answer = await sent(carrier, receiver.url(host))
        assert (answer.outcome, answer.status, receiver.requests) == ("tls", None, [])
    assert set(answer.phases) >= {"connect", "tls", "total"}
    return answer.error or ""


@on_both_loops
async def test_a_certificate_of_nobody_we_trust_is_refused(carrier: WebhookClient) -> None:
    stranger = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(stranger)
    assert await refused(carrier, stranger) == (
        "The TLS connection failed: unable to get local issuer certificate."
    )


@on_both_loops
async def test_an_expired_certificate_is_refused(carrier: WebhookClient, trust: Trust) -> None:
    past = {
        "not_before": datetime(2020, 1, 1, tzinfo=UTC),
        "not_after": datetime(2021, 1, 1, tzinfo=UTC),
    }
    assert await refused(carrier, trust.context("127.0.0.1", **past)) == (
        "The TLS connection failed: certificate has expired."
    )


@on_both_loops
async def test_a_certificate_for_another_name_is_refused(
    carrier: WebhookClient, trust: Trust
) -> None:
    other = trust.context("other.example.com")
    assert await refused(carrier, other, "localhost") == (
        "The TLS connection failed: Hostname mismatch, certificate is not valid for 'localhost'."
    )
    assert await refused(carrier, other) == (
        "The TLS connection failed: IP address mismatch, certificate is not valid for '127.0.0.1'."
    )


@on_both_loops
async def test_old_versions_of_tls_are_refused(carrier: WebhookClient, trust: Trust) -> None:
    old = trust.context("127.0.0.1")
    old.set_ciphers("DEFAULT:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    assert re.fullmatch(r"The TLS connection failed: [a-z0-9 ]+\.", await refused(carrier, old))


@on_both_loops
async def test_a_receiver_that_wants_a_certificate_of_ours_is_told_as_such(
    carrier: WebhookClient, trust: Trust
) -> None:
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        strict = trust.context("127.0.0.1")
        strict.minimum_version = strict.maximum_version = version
        strict.verify_mode = ssl.CERT_REQUIRED
        async with receiving(answering(OK), strict) as receiver:
            answer = await sent(carrier, receiver.url())
        # With TLS 1.3 the refusal comes after the handshake, or is lost with the connection.
        assert answer.outcome in {"tls", "disconnected"}, answer
        assert not answer.stale


@on_both_loops
async def test_a_port_of_plain_http_is_no_safe_connection(carrier: WebhookClient) -> None:
    async def plain(caller: Caller) -> None:
        await caller.reader.read(100)
        await caller.say(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")

    async with receiving(plain, None) as receiver:
        answer = await sent(carrier, receiver.url())
    assert summary(answer) == ("tls", None, "The TLS connection failed: wrong version number.")


@on_both_loops
async def test_a_receiver_that_hangs_up_within_the_handshake_is_told(
    carrier: WebhookClient,
) -> None:
    async def leave(caller: Caller) -> None:
        await caller.reader.read(100)

    async with receiving(leave, None) as receiver:
        answer = await sent(carrier, receiver.url())
    assert answer.outcome == "tls"
    assert (answer.error or "").startswith("The TLS connection failed: ")


@on_both_loops
async def test_a_handshake_that_never_ends_has_until_the_deadline(carrier: WebhookClient) -> None:
    async def drowsy(caller: Caller) -> None:
        await caller.reader.read()

    answer, seconds = await in_little_time(
        carrier, None, drowsy, lambda answer: "tls" in answer.phases
    )
    error = f"No connection within {seconds} seconds."
    assert summary(answer) == ("timeout", None, error)
    assert set(answer.phases) == {"connect", "tls", "total"}


# What must not get into a head.


@pytest.mark.parametrize(
    "headers",
    [
        {"X-A": "b\r\nX-Evil: 1"},
        {"X-A": "b\nX-Evil: 1"},
        {"X-A": "b\r"},
        {"X-A\r\nX-Evil": "1"},
        {"X-A:": "b"},
        {"X A": "b"},
        {"": "b"},
        {"X-Ä": "b"},
        {"X-A": "\0"},
        {"X-A": "\u20ac"},
        {"Content-Length": "3"},
        {"transfer-encoding": "chunked"},
        {"HOST": "other.example.com"},
        {"Connection": "close"},
    ],
)
@on_uvloop
async def test_a_header_that_would_not_stay_in_its_line_never_leaves(
    carrier: WebhookClient, free_port: int, headers: dict[str, str]
) -> None:
    with pytest.raises(ValueError, match=r".+"):
        await carrier.send(f"https://127.0.0.1:{free_port}/", headers, BODY, 1)


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/", "https:///in", "https://user@127.0.0.1/", "https://127.0.0.1/a b",
     "https://127.0.0.1/\u00e4", "https://127.0.0.1/\x7f", "https://127.0.0.1:99999/"],
)  # fmt: skip
@on_uvloop
async def test_an_address_that_is_not_one_never_leaves(carrier: WebhookClient, url: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        await sent(carrier, url)


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n", " "])
def test_the_target_of_a_request_is_one_word(end: str) -> None:
    for authority, target in ((f"a{end}", "/"), ("a", f"/{end}"), ("a", f"/{end}b")):
        with pytest.raises(ValueError, match="characters that a request"):
            build_request(authority, target, {}, b"")


# Cancelling, many at a time, and nothing left behind.


@on_both_loops
async def test_a_cancelled_request_ends_its_connection(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    async def late(caller: Caller) -> None:
        while await caller.heard():
            await asyncio.sleep(0.05)
            await caller.say(OK)

    async with receiving(late, context) as receiver:
        # Before the connection stands, while it is made, and while the answer is awaited.
        for wait in (0, 0.001, 0.003, 0.005, 0.03):
            task = asyncio.create_task(sent(carrier, receiver.url()))
            await asyncio.sleep(wait)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        await receiver.alone()
        assert (await sent(carrier, receiver.url())).outcome == "succeeded"


@on_both_loops
async def test_a_request_that_is_cancelled_in_the_moment_of_its_answer_keeps_nothing(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    tasks: list[asyncio.Task[AttemptResult]] = []

    async def answer_and_cancel(caller: Caller) -> None:
        while await caller.heard():
            await caller.say(OK)
            tasks[-1].cancel()

    async with receiving(answer_and_cancel, context) as receiver:
        for _ in range(5):
            tasks.append(asyncio.create_task(sent(carrier, receiver.url())))
            with suppress(asyncio.CancelledError):
                await tasks[-1]
        assert receiver.connections >= 1


@on_both_loops
async def test_closing_ends_what_is_on_its_way(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    async with receiving(silent, context) as receiver:
        task = asyncio.create_task(sent(carrier, receiver.url()))
        await until(lambda: bool(receiver.requests))
        await carrier.close()
        answer = await asyncio.wait_for(task, PATIENCE)
        await receiver.alone()
    assert answer.outcome == "disconnected"


@pytest.mark.slow
@on_uvloop
async def test_sixty_four_at_a_time_do_not_mix_their_answers(
    carrier: WebhookClient, context: ssl.SSLContext
) -> None:
    async def echo(caller: Caller) -> None:
        while said := await caller.heard():
            body = said.partition(b"\r\n\r\n")[2]
            await asyncio.sleep(int(body) % 7 / 1000)
            head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
            await caller.say(head, body)

    async with receiving(echo, context) as receiver:
        url = receiver.url()

        async def line(start: int) -> None:
            for number in range(start, 256, 64):
                answer = await sent(carrier, url, body=b"%d" % number)
                assert answer.response_body == b"%d" % number

        await asyncio.gather(*(line(start) for start in range(64)))
        assert receiver.connections == 64
        assert len(receiver.requests) == 256


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.slow
@on_both_loops
async def test_two_hundred_requests_that_fail_leave_nothing_open(
    carrier: WebhookClient, trust: Trust, context: ssl.SSLContext, free_port: int
) -> None:
    async def drowsy(caller: Caller) -> None:
        await caller.reader.read()

    stranger = trust.context("other.example.com")
    async with (
        receiving(silent, context) as mute,
        receiving(hang_up, context) as rude,
        receiving(answering(b"nonsense\r\n\r\n"), context) as odd,
        receiving(answering(OK), stranger) as wrong,
        receiving(drowsy, None) as asleep,
    ):
        receivers = (mute, rude, odd, wrong, asleep)
        urls = [*(one.url() for one in receivers), f"https://127.0.0.1:{free_port}/"]
        await asyncio.gather(*(sent(carrier, url, 0.1) for url in urls))
        await asyncio.gather(*(one.alone() for one in receivers))
        gc.collect()
        before = descriptors()
        for _ in range(5):
            ended = await asyncio.gather(*(sent(carrier, url, 0.06) for url in urls * 7))
            assert all(one.outcome not in {"succeeded", "refused"} for one in ended)
        await asyncio.gather(*(one.alone() for one in receivers))
        await until(lambda: descriptors() <= before)


@pytest.mark.slow
def test_no_process_pays_for_aiohttp_because_of_webhooks() -> None:
    folder = Path(dns.__file__).parent
    modules = [f"pannier.webhooks.{path.stem}" for path in folder.glob("[a-z]*.py")]
    script = f"import sys, {', '.join(modules)}; sys.exit('aiohttp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
