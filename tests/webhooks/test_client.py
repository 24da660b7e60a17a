"""What the webhook client promises, from the sender to the receiver's socket over real TLS."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import program
from pannier.settings import Settings
from pannier.webhooks.membership import SoleMember
from pannier.webhooks.sender import WebhookSender
from pannier.webhooks.webhook_client import BLOCKED, WebhookClient
from program import PATIENCE
from stage import Firm
from webhooks import receiver as receivers
from webhooks.office import Office
from webhooks.receiver import Received, Receiver

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@pytest.fixture
async def office(acme: Firm) -> AsyncIterator[Office]:
    """An office whose worker sends real requests."""
    office = Office.of(acme)
    carrier = acme.house.edge.services["webhook_client"]
    office.sender = WebhookSender(acme.house.database, carrier, SoleMember(), max_in_flight=64)
    yield office
    await office.sender.close()


async def only_attempt(office: Office, **filters: str) -> dict[str, Any]:
    (row,) = await office.deliveries(**filters)
    (attempt,) = (await office.delivery(row["id"]))["attempt_log"]
    found: dict[str, Any] = attempt
    return found


async def test_the_receiver_hears_of_no_attempt_that_is_not_in_the_log(
    office: Office, receiver: Receiver
) -> None:
    seen: list[dict[str, Any]] = []

    async def look(request: Received, writer: asyncio.StreamWriter) -> None:
        seen.append(await office.delivery(request.id))
        writer.write(OK)

    receiver.behave(look)
    await office.register(url=receiver.url(), timeout=30)
    await office.tell()
    await office.work()
    (found,) = seen
    assert [one["outcome"] for one in found["attempt_log"]] == ["sending"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed_even_to_where_webhooks_may_go(
    office: Office, receiver: Receiver, status: int
) -> None:
    receiver.answer(status, headers={"Location": receiver.url("/elsewhere")}, path="/hooks")
    await office.register(url=receiver.url())
    await office.tell()
    await office.work()
    assert [one.path for one in receiver.requests] == ["/hooks"]
    attempt = await only_attempt(office)
    assert (attempt["outcome"], attempt["status"]) == ("refused", status)


async def test_a_name_that_leads_inwards_since_it_was_checked_is_not_connected_to(
    office: Office, receiver: Receiver, trust: Path
) -> None:
    answers = [["127.0.0.1"], ["10.1.2.3"]]
    asked: list[str] = []

    async def lookup(host: str) -> Sequence[str]:
        asked.append(host)
        return answers.pop(0)

    allowed = Settings(webhook_ca_bundle=str(trust), webhook_allow_networks=receivers.NETWORKS)
    carrier = WebhookClient(allowed, lookup)
    url = receiver.url(host="rebind.receiver.test")
    await carrier.check_reachable(url)
    await carrier.close()
    office.sender = WebhookSender(
        office.firm.house.database, carrier, SoleMember(), max_in_flight=64
    )
    await office.register(url=url)
    await office.tell()
    await office.work()
    assert asked == ["rebind.receiver.test"] * 2
    assert receiver.connections == 0
    attempt = await only_attempt(office)
    assert (attempt["outcome"], attempt["error"]) == ("blocked", BLOCKED)
    assert attempt["remote_address"] is None


async def test_proxies_and_passwords_of_the_environment_are_not_used(
    office: Office, receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody = f"http://127.0.0.1:{program.free_port()}"
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"):
        monkeypatch.setenv(name, nobody)
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    await office.register(url=receiver.url())
    await office.tell()
    await office.work()
    (request,) = receiver.requests
    assert "authorization" not in request.headers
    assert (await only_attempt(office))["outcome"] == "succeeded"


async def test_a_receivers_cookies_do_not_come_back(office: Office, receiver: Receiver) -> None:
    receiver.answer(200, headers={"Set-Cookie": "seen=1; Path=/"})
    await office.register(url=receiver.url())
    for number in range(2):
        await office.tell(number=number)
        await office.work()
    assert len(receiver.requests) == 2
    assert all("cookie" not in one.headers for one in receiver.requests)


async def test_a_receiver_that_restarted_gets_its_delivery_at_once_on_a_new_connection(
    office: Office, receiver: Receiver
) -> None:
    await office.register(url=receiver.url())
    await office.tell(subject="order_1")
    await office.work()
    receiver.behave(receivers.hang_up, times=1)
    await office.tell(subject="order_2")
    await office.work()
    first, stale, fresh = receiver.requests
    assert first.connection == stale.connection != fresh.connection
    assert stale.id == fresh.id
    (row,) = await office.deliveries(subject="order_2")
    assert (row["state"], row["retries_used"], row["attempts"]) == ("succeeded", 0, 2)


@pytest.mark.parametrize(
    "said",
    [
        OK + b" and more",
        OK + b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 204 None\r\n\r\nstray",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nnonsense\r\n",
    ],
)
async def test_a_delivery_that_was_taken_is_not_repeated_for_what_follows_the_answer(
    office: Office, receiver: Receiver, said: bytes
) -> None:
    async def talkative(_: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(said)

    receiver.behave(talkative, times=1)
    await office.register(url=receiver.url())
    for number in range(2):
        await office.tell(subject=f"order_{number}")
        await office.work()
    rows = await office.deliveries()
    assert [(row["state"], row["attempts"]) for row in rows] == [("succeeded", 1)] * 2
    # Nor is what followed taken for the answer to the next one.
    assert [one.connection for one in receiver.requests] == [1, 2]


async def test_an_endpoint_has_no_more_connections_than_it_asked_for(
    office: Office, receiver: Receiver
) -> None:
    open_now = asyncio.Event()

    async def wait(_: Received, writer: asyncio.StreamWriter) -> None:
        await open_now.wait()
        writer.write(OK)

    receiver.behave(wait)
    await office.register(url=receiver.url(), max_in_flight=3, timeout=30)
    for number in range(9):
        await office.tell(subject=f"order_{number}")
    await office.relay()
    await office.sender.step()
    await receiver.heard(3)
    assert not await office.sender.step()
    assert len(receiver.requests) == 3
    open_now.set()
    await office.sender.wait_until_idle()
    await office.work()
    assert len({one.id for one in receiver.requests}) == 9
    assert receiver.connections == 3


async def test_the_connection_that_was_used_last_is_used_next(
    office: Office, receiver: Receiver
) -> None:
    everyone = asyncio.Barrier(4)

    async def wait(_: Received, writer: asyncio.StreamWriter) -> None:
        await everyone.wait()
        writer.write(OK)

    receiver.behave(wait, times=4)
    await office.register(url=receiver.url(), timeout=30)
    for number in range(4):
        await office.tell(subject=f"order_{number}")
    await office.work()
    assert receiver.connections == 4
    for number in range(3):
        await office.tell(subject=f"later_{number}")
        await office.work()
    # So that the others grow old and end, instead of being stale when they are needed.
    assert len({one.connection for one in receiver.requests[4:]}) == 1


async def test_a_proxy_that_never_answers_has_until_the_deadline(trust: Path) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    answer = await sent_through(silent, trust, 0.2)
    assert answer.outcome == "timeout"
    assert answer.error == "No connection within 0.2 seconds."


async def test_a_proxy_that_never_comes_to_an_end_is_cut_off(trust: Path) -> None:
    async def endless(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n")
        while not writer.is_closing():
            writer.write(b"X-More: and more\r\n" * 500)
            await writer.drain()

    answer = await sent_through(endless, trust, PATIENCE)
    assert answer.outcome == "connect"
    assert "the proxy's response could not be parsed" in (answer.error or "")


async def sent_through(serve: Any, trust: Path, seconds: float) -> Any:
    """Send through a proxy that serves its connections so."""
    ended: list[asyncio.Task[None]] = []

    async def serving(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        ended.append(task)
        try:
            await serve(reader, writer)
        except ConnectionError:
            writer.transport.abort()

    server = await asyncio.start_server(serving, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    carrier = WebhookClient(
        Settings(
            webhook_ca_bundle=str(trust),
            webhook_allow_networks=receivers.NETWORKS,
            webhook_proxy=f"http://127.0.0.1:{port}",
        )
    )
    answer = await carrier.send("https://127.0.0.1:9443/", {}, b"{}", seconds)
    await carrier.close()
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*ended)
    server.close()
    return answer
