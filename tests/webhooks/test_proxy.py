"""Webhooks that leave through a proxy: it learns addresses, and neither names nor secrets."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pannier.settings import Settings, SettingsError
from pannier.webhooks.models import AttemptResult
from pannier.webhooks.proxy import INVALID_SETTING, Proxy, parse_proxy
from pannier.webhooks.webhook_client import WebhookClient
from program import PATIENCE
from webhooks import receiver as receivers
from webhooks.receiver import Receiver

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def pumped(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while part := await reader.read(65536):
        writer.write(part)
    writer.close()


@asynccontextmanager
async def proxying(answer: bytes | None = None) -> AsyncIterator[tuple[int, list[str]]]:
    """Run a proxy that leads where it is asked to, or answers something else."""
    heads: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        heads.append(head)
        if answer is not None:
            writer.write(answer)
            writer.close()
            return
        host, port = head.split()[1].rsplit(":", 1)
        behind = await asyncio.open_connection(host.strip("[]"), int(port))
        writer.write(b"HTTP/1.1 200 Connection established\r\nVia: 1.1 proxy\r\n\r\n")
        await asyncio.gather(pumped(reader, behind[1]), pumped(behind[0], writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1], heads
    server.close()


async def sent(trust: Path, proxy: str, url: str) -> AttemptResult:
    carrier = WebhookClient(
        Settings(
            webhook_ca_bundle=str(trust),
            webhook_allow_networks=receivers.NETWORKS,
            webhook_proxy=proxy,
        )
    )
    answer = await carrier.send(url, {"X-Secret": "7Yw2kQ"}, b"{}", PATIENCE)
    await carrier.close()
    return answer


async def test_a_delivery_goes_through_the_proxy_which_is_told_an_address_only(
    receiver: Receiver, trust: Path
) -> None:
    async with proxying() as (port, heads):
        answer = await sent(trust, f"http://me:p%40ss@127.0.0.1:{port}", receiver.url("/hooks"))
    assert (answer.outcome, answer.status) == ("succeeded", 200)
    (head,) = heads
    assert head.startswith("CONNECT 127.0.0.1:")
    assert "Proxy-Authorization: Basic bWU6cEBzcw==\r\n" in head
    assert "7Yw2kQ" not in head


async def test_what_webhooks_may_not_reach_is_not_asked_of_the_proxy(trust: Path) -> None:
    async with proxying() as (port, heads):
        answer = await sent(trust, f"http://127.0.0.1:{port}", "https://10.1.2.3/")
    assert answer.outcome == "blocked"
    assert heads == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "the proxy responded with 407"),
        (
            b"HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\n\r\n<p>No</p>",
            "the proxy responded with 403",
        ),
        (
            b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n",
            "the proxy sent data after its response",
        ),
        (b"nonsense\r\n\r\n", "the proxy responded with an unknown status"),
        (b"HTTP/1.1 200 OK", "the proxy's response could not be parsed"),
    ],
)
async def test_a_proxy_that_refuses_is_told_as_it_is(trust: Path, said: bytes, told: str) -> None:
    async with proxying(said) as (port, _):
        answer = await sent(trust, f"http://127.0.0.1:{port}", "https://127.0.0.1:9443/")
    assert answer.outcome == "connect"
    assert answer.error == f"The receiver could not be reached: {told}."


async def test_a_proxy_is_reached_at_whichever_of_its_addresses_answers(
    receiver: Receiver, trust: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with proxying() as (port, _):
        places = [
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", port, 0, 0)),
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port)),
        ]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: places)
        answer = await sent(trust, f"http://proxy.internal:{port}", receiver.url("/hooks"))
    assert (answer.outcome, answer.status) == ("succeeded", 200)


@pytest.mark.parametrize("text", ["proxy:3128", "https://proxy:3128", "http://proxy", "http://p:x"])
def test_a_proxy_that_is_none_is_told_by_the_name_of_the_setting(text: str) -> None:
    with pytest.raises(SettingsError, match=INVALID_SETTING.split(":", maxsplit=1)[0]):
        parse_proxy(text)
    assert parse_proxy(None) is None
    assert parse_proxy("http://proxy.internal:3128/") == Proxy("proxy.internal", 3128, None)
