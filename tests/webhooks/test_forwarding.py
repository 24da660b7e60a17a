"""`pannier listen --forward-to`: signed webhooks through the API, to a receiver on a laptop."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pannier import webhooks
from pannier.accounts.auth import FleetKey
from pannier.cli import forwarding, remote_webhooks
from pannier.cli.forwarding import Forwarder
from pannier.cli.listen import forward_remote
from pannier.cli.remote_webhooks import RemoteError, WebhookStream
from pannier.events import relay
from pannier.events.catalog import Name
from pannier.web.streams import MAX_STREAM_SECONDS
from pannier.webhooks import live_stream
from pannier.webhooks.live_stream import SignedEventFollower
from probe import refused
from program import PATIENCE
from stage import Firm, House
from web.listener import listening
from web.test_porter import Street, door
from webhooks import receiver as receivers
from webhooks.receiver import Received, Receiver

STREAM = "/v1/webhooks/stream"
PLACES = {"pickup": "1 Raffles Place, Singapore", "dropoff": "80 Mandai Lake Road, Singapore"}


@pytest.fixture
async def trial(house: House) -> Firm:
    """A company in test mode, whose streams flow as they do in earnest."""
    house.edge.services["streams"].max_seconds = MAX_STREAM_SECONDS
    return await house.found("Trial", "test")


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reconnect and try again at once."""
    monkeypatch.setattr(remote_webhooks, "FIRST_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(forwarding, "MAX_RETRY_PAUSE_SECONDS", 0.01)


async def order(firm: Firm) -> str:
    """Let something happen, and have it relayed."""
    made = await firm.api.post("/v1/orders", json=PLACES)
    assert made.status_code == 201, made.text
    while await relay.Relay(firm.house.database, []).step():
        pass
    return str(made.json()["id"])


async def key(firm: Firm, *scopes: str) -> dict[str, Any]:
    made = await firm.admin.post(
        "/int/v1/keys", json={"kind": "api", "name": "Laptop", "scopes": list(scopes)}
    )
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json()
    return found


@asynccontextmanager
async def opened() -> AsyncIterator[Receiver]:
    """Open a receiver without TLS, as on a laptop."""
    receiver = Receiver(Path())
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        receiver.hang_up()
        await server.wait_closed()


class Laptop:
    """A running `pannier listen --forward-to`, and what it prints."""

    def __init__(self, capsys: pytest.CaptureFixture[str], receiver: Receiver) -> None:
        self._capsys, self.receiver = capsys, receiver
        self.said, self.secret = "", ""

    async def until(self, words: str, times: int = 1) -> str:
        async with asyncio.timeout(PATIENCE):
            while self.said.count(words) < times:
                await asyncio.sleep(0.01)
                self.said += self._capsys.readouterr().out
        return self.said

    @asynccontextmanager
    async def forwarding(
        self, street: Street, secret_key: str, events: Sequence[str] = (), retries: int = 0
    ) -> AsyncIterator["asyncio.Task[None]"]:
        forwarder = Forwarder(f"http://127.0.0.1:{self.receiver.port}/hook", retries=retries)
        running = asyncio.create_task(forward_remote(street.url, secret_key, events, forwarder))
        try:
            said = await self.until("Signing secret: ")
            self.secret = said.partition("Signing secret: ")[2].split()[0]
            yield running
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    def genuine(self, request: Received, house: House) -> dict[str, Any]:
        now = house.clock.now().timestamp()
        return webhooks.verify(request.body, request.headers, self.secret, now=now)


async def test_connections_that_break_lose_nothing_and_repeat_nothing(
    trial: Firm, rival: Firm, house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    laptop_key = await key(trial, "webhooks:read", "events:read")
    async with opened() as receiver, door(house.edge) as street:
        laptop = Laptop(capsys, receiver)
        async with laptop.forwarding(street, laptop_key["key"], ["order.created"]) as running:
            placed = [await order(trial)]
            await receiver.heard(1)
            secret = laptop.secret
            for connection in street.connections:
                connection.transport.abort()
            await order(rival)
            placed.append(await order(trial))
            await receiver.heard(2)
            await laptop.until("Reconnecting")
            receiver.answer(500, times=1)
            placed.append(await order(trial))
            told = [laptop.genuine(one, house) for one in await receiver.heard(3)]
            assert [one["data"]["id"] for one in told] == placed
            assert laptop.secret == secret
            assert len({one.id for one in receiver.requests}) == 3
            said = await laptop.until("  order.created  ", 3)
            assert [
                line.split()[2] for line in said.splitlines() if "  order.created  " in line
            ] == ["200", "200", "500"]  # nobody asked for it again
            house.edge.services["streams"].check_seconds = 0.02
            await trial.admin.delete(f"/int/v1/keys/{laptop_key['id']}")
            for connection in street.connections:
                connection.transport.abort()
            with pytest.raises(RemoteError):
                await asyncio.wait_for(running, PATIENCE)


async def test_a_server_that_ends_each_stream_at_once_is_not_asked_without_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remote_webhooks, "FIRST_PAUSE_SECONDS", 60.0)
    heads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        stream = WebhookStream(f"http://127.0.0.1:{port}", "api_test_x", [], lambda _: None)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.15):
                await anext(stream.follow())
    assert len(heads) == 1


@pytest.mark.parametrize(("status", "words"), [(403, "bad "), (503, "Reconnecting")])
async def test_what_a_server_says_does_not_command_the_terminal(
    status: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = json.dumps({"detail": "bad \x1b[2J\x9b\nSigning secret: whsec_evil"}).encode()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 {status} No\r\nContent-Length: {len(problem)}\r\n\r\n"
        writer.write(head.encode() + problem)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        running = asyncio.create_task(
            forward_remote(url, "api_test_x", [], Forwarder("http://127.0.0.1:1/"))
        )
        said = ""
        async with asyncio.timeout(PATIENCE):
            while words not in said and not running.done():
                await asyncio.sleep(0.01)
                said += capsys.readouterr().out
        running.cancel()
        (outcome,) = await asyncio.gather(running, return_exceptions=True)
    said += str(outcome)
    assert "bad \\x1b[2J\\x9b Signing secret" in said
    assert "\x1b" not in said
    assert "\nSigning" not in said


async def test_the_body_and_the_headers_are_those_that_an_endpoint_gets(
    trial: Firm, house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened() as receiver, door(house.edge) as street:
        laptop = Laptop(capsys, receiver)
        async with laptop.forwarding(street, trial.api_key):
            await order(trial)
            (first, *_) = await receiver.heard(1)
            body = await house.value(
                "select body from events where public_id = :id", id=first.json["id"]
            )
            assert first.body == body
            assert laptop.genuine(first, house)["event"] == "order.created"
            mine = {name for name, _ in first.lines} - {"Host", "Content-Length"}
            assert first.headers["content-type"] == "application/json"
            assert first.headers["user-agent"] == "Pannier-Webhooks/1.0"
            assert mine == {
                "Content-Type", "User-Agent", "Accept", "Accept-Encoding", "X-Service-Event",
                "X-Service-Attempt", "X-Service-Sequence", "X-Service-Signature", "webhook-id",
                "webhook-timestamp", "webhook-signature",
            }  # fmt: skip


async def test_a_receiver_is_asked_again_only_on_request(
    trial: Firm, house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened() as receiver, door(house.edge) as street:
        laptop = Laptop(capsys, receiver)
        receiver.behave(receivers.hang_up, times=1)
        receiver.answer(503, times=1)
        async with laptop.forwarding(street, trial.api_key, ["order.created"], retries=3):
            await order(trial)
            heard = await receiver.heard(3)
            said = await laptop.until("attempt 3")
        assert [one.headers["x-service-attempt"] for one in heard] == ["1", "2", "3"]
        assert len({one.id for one in heard}) == 1
        assert "failed: " in said


async def test_a_stream_reads_only_bodies_that_it_sends_and_few_bytes_at_a_time(
    trial: Firm, rival: Firm, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    placed = [await order(trial) for _ in range(2)]
    await order(rival)
    placed.append(await order(trial))
    login = await key(trial, "webhooks:read", "events:read")
    uuid = await house.value("select uuid from keys where public_id = :id", id=login["id"])
    caller = FleetKey(uuid, login["id"], trial.uuid, "Laptop", ())

    async def read(names: list[Name] | None, sequence: int = 7) -> list[list[dict[str, Any]]]:
        """Read to the end: the webhooks of each part."""
        follower, parts = SignedEventFollower(house.database, caller, 0, names, sequence), []
        while True:
            chunk = await follower.read_next()
            lines = [line for line in chunk.data.split(b"\n") if line.startswith(b"data: ")]
            parts.append([json.loads(line[6:]) for line in lines])
            if not chunk.has_more:
                return parts

    [everything] = await read(None)
    [created] = await read([Name.ORDER_CREATED])
    assert len(everything) > len(created) == 3
    assert [json.loads(one["body"])["data"]["id"] for one in created] == placed
    # The numbers of a stream do not count the events of others.
    assert [one["headers"]["X-Service-Sequence"] for one in created] == ["8", "9", "10"]
    monkeypatch.setattr(live_stream, "MAX_PAGE_BYTES", 1)
    parts = await read([Name.ORDER_CREATED])
    assert [len(part) for part in parts if part] == [1, 1, 1]
    assert [one["body"] for part in parts for one in part] == [one["body"] for one in created]


@pytest.mark.parametrize(
    ("scopes", "missing"),
    [(["orders:read"], "webhooks:read"), (["webhooks:read"], "events:read")],
)
async def test_a_key_is_told_which_scope_it_lacks(
    trial: Firm, scopes: list[str], missing: str
) -> None:
    made = await key(trial, *scopes)
    answer = await trial.house.client(made["key"]).get(STREAM)
    refused(answer, 403, "forbidden")
    assert f"`{missing}`" in answer.json()["detail"]


async def test_live_companies_and_other_credentials_are_refused_with_a_sentence(
    acme: Firm, trial: Firm, house: House
) -> None:
    refused(await acme.api.get(STREAM), 409, "test_company_required")
    answer = await trial.api.get(STREAM, params={"event": "order.cancelled,order.*"})
    assert answer.status_code == 422
    assert answer.json()["fields"][0]["path"] == "event"
    async with door(house.edge) as street:
        for text, sentence in (
            (acme.api_key, "live company"),
            (trial.storefront_key, "not an API key"),
            (trial.api_key[:-1] + "x", "key"),
        ):
            with pytest.raises(RemoteError, match=sentence):
                await forward_remote(street.url, text, [], Forwarder("http://127.0.0.1:1/"))


async def test_the_stream_ends_with_its_key(trial: Firm, house: House) -> None:
    house.edge.services["streams"].check_seconds = 0.02
    made = await key(trial, "webhooks:read", "events:read")
    async with listening(house, made["key"], STREAM) as listener:
        beat = await listener.until(b"event: beat")
        assert json.loads(beat.partition(b"data: ")[2].split(b"\n")[0])["secret"][:6] == "whsec_"
        await trial.admin.delete(f"/int/v1/keys/{made['id']}")
        await listener.until(b"event: ended")
        listener.leaves = False
