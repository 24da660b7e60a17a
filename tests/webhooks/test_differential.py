"""Whatever a receiver answers, our client makes of it what aiohttp does, or nothing."""

import asyncio
import re
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import pytest
import trustme
import uvloop
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pannier.settings import Settings
from pannier.webhooks.webhook_client import MAX_LOGGED_HEADER_BYTES, WebhookClient

SECONDS = 30.0  # for both: neither of them gives up because this machine is slow
WHOLE = re.compile(rb"(HTTP/1\.1 1.*?\r\n\r\n)?HTTP/1\.[01] +[0-9]{3}\b.*?\r?\n\r?\n", re.DOTALL)
STATUS = st.sampled_from(
    [b"HTTP/1.1 200 OK", b"HTTP/1.1 201", b"HTTP/1.0 200 OK", b"HTTP/1.1 204 No Content",
     b"HTTP/1.1 304 Not Modified", b"HTTP/1.1 404 Not Found", b"HTTP/1.1 500 ", b"HTTP/1.1 999 X",
     b"HTTP/2.0 200 OK", b"HTTP/1.1 20 OK", b"HTTP/1.1 2000 OK", b"HTTP/1.1  200 OK", b"200 OK",
     b"HTTP/1.1 200 \xff\xfe", b"http/1.1 200 OK", b""]
)  # fmt: skip
HEADERS = st.lists(
    st.sampled_from(
        [b"Content-Length: 5", b"Content-Length: 0", b"Content-Length: 99999",
         b"Content-Length: -1", b"Content-Length: 5, 5", b"content-length:5", b"Content-Length: +5",
         b"Content-Length: 0x5",
         b"Transfer-Encoding: chunked", b"Transfer-Encoding: gzip, chunked", b"Connection: close",
         b"Transfer-Encoding: identity", b"Connection: keep-alive", b"Content-Encoding: gzip",
         b"X: \xff", b"X:", b": y", b"X y: z", b" folded", b"X\x00: y", b"X: y\x00z",
         b"Server: a\tb",
         b"Upgrade: h2c", b"Location: http://10.0.0.1/"]
    ),
    max_size=4,
)  # fmt: skip
BODIES = st.sampled_from(
    [b"", b"hello", b"hello!", b"5\r\nhello\r\n0\r\n\r\n", b"5;a=b\r\nhello\r\n0\r\nT: x\r\n\r\n",
     b"5\nhello\n0\n\n", b"FFFFFFFFFFFFFFFFF\r\n", b"-5\r\nhello\r\n0\r\n\r\n", b"x" * 20_000,
     b"5\r\nhello", b"0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"]
)  # fmt: skip
INTERIM = st.sampled_from([b"", b"", b"", b"HTTP/1.1 100 Continue\r\n\r\n",
                           b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"])  # fmt: skip


@st.composite
def answers(draw: st.DrawFn) -> bytes:
    """Make up an answer: mostly HTTP, seldom right."""
    end = draw(st.sampled_from([b"\r\n", b"\r\n", b"\r\n", b"\n"]))
    head = end.join([draw(STATUS), *draw(HEADERS), b"", b""])
    return draw(INTERIM) + head + draw(BODIES)


class Read(NamedTuple):
    """What a client made of an answer; without a body, it broke off before its end."""

    status: int
    body: bytes | None


class Stage:
    """A receiver that answers as it is told, and both clients."""

    def __init__(self, folder: Path) -> None:
        self.answer = b""
        authority, bundle = trustme.CA(), folder / "ca.pem"
        authority.cert_pem.write_to_path(str(bundle))
        self._served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1").configure_cert(self._served)
        self._trusting = ssl.create_default_context(cafile=str(bundle))
        self._carrier = WebhookClient(
            Settings(webhook_allow_networks="127.0.0.1", webhook_ca_bundle=str(bundle))
        )

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._served)
        self._url = f"https://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/"

    async def close(self) -> None:
        await self._carrier.close()
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(2)
        writer.write(self.answer)
        writer.close()

    async def ours(self) -> Read | None:
        answer = await self._carrier.send(self._url, {}, b"{}", SECONDS, fresh=True)
        if answer.outcome not in {"succeeded", "refused"} or answer.status is None:
            return None
        return Read(answer.status, answer.response_body or b"")

    async def theirs(self) -> Read | None:
        connector = aiohttp.TCPConnector(ssl=self._trusting, force_close=True)
        async with aiohttp.ClientSession(connector=connector, auto_decompress=False) as session:
            try:
                async with asyncio.timeout(SECONDS):
                    posted = session.post(self._url, data=b"{}", allow_redirects=False)
                    async with posted as answer:
                        return Read(answer.status, await _body(answer))
            except (aiohttp.ClientError, TimeoutError, ValueError):
                return None


async def _body(answer: aiohttp.ClientResponse) -> bytes | None:
    try:
        return (await answer.read())[:MAX_LOGGED_HEADER_BYTES]
    except aiohttp.ClientError:
        return None


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stage, Any]]:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        made = Stage(tmp_path_factory.mktemp("differential"))
        runner.run(made.open())
        yield made, runner
        runner.run(made.close())


@pytest.mark.slow
@settings(
    max_examples=4 * settings.default.max_examples,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(answer=answers())
def test_an_answer_is_read_as_aiohttp_reads_it_or_not_at_all(
    stage: tuple[Stage, Any], answer: bytes
) -> None:
    both, runner = stage
    both.answer = answer
    ours = runner.run(both.ours())
    theirs = runner.run(both.theirs())
    if ours is None:
        return
    # Only whole heads count, whatever follows them.
    assert WHOLE.match(answer)
    # Whether a receiver took it, its status says; that it broke off or went on does not matter.
    if theirs is not None:
        assert ours.status == theirs.status
        assert theirs.body in {ours.body, None}


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nnonsense\r\n",
    ],
)
def test_what_follows_an_answer_costs_aiohttp_the_answer_and_us_nothing(
    stage: tuple[Stage, Any], answer: bytes
) -> None:
    """Decision 20 rests on this: when it fails, aiohttp has changed, so read that page again."""
    both, runner = stage
    both.answer = answer
    assert runner.run(both.ours()) == Read(200, b"ok")
    assert runner.run(both.theirs()) is None
