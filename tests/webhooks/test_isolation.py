"""Real requests over TLS: whatever some receivers do, the others have their news meanwhile."""

import asyncio
import gzip
from collections.abc import AsyncIterator

import pytest

from pannier.webhooks.membership import SoleMember
from pannier.webhooks.sender import WebhookSender
from stage import Firm
from webhooks import receiver as receivers
from webhooks.office import Office
from webhooks.receiver import Receiver, Reply

# A megabyte of nothing in a kilobyte; unpacked a thousand times over, it would be a gigabyte.
BOMB = Reply(200, {"Content-Encoding": "gzip"}, gzip.compress(b"\0" * 2**20))
METADATA = Reply(302, {"Location": "https://169.254.169.254/latest/meta-data/"})
HEALTHY, EVENTS = 20, 10


@pytest.fixture
async def office(acme: Firm) -> AsyncIterator[Office]:
    """An office whose worker really goes out."""
    office = Office.of(acme)
    carrier = acme.house.edge.services["webhook_client"]
    office.sender = WebhookSender(acme.house.database, carrier, SoleMember(), max_in_flight=64)
    yield office
    await office.sender.close()


async def test_a_real_delivery_leaves_everything_the_log_promises(
    office: Office, receiver: Receiver
) -> None:
    await office.register(url=receiver.url(), headers={"Authorization": "Bearer theirs"})
    receiver.answer(202, headers={"X-Trace": "abc"}, body="taken")
    await office.tell()
    await office.work()
    (request,) = receiver.requests
    assert request.method == "POST"
    assert request.headers["authorization"] == "Bearer theirs"
    (row,) = await office.deliveries()
    (attempt,) = (await office.delivery(row["id"]))["attempt_log"]
    assert (attempt["status"], attempt["response_body"]) == (202, "taken")
    assert ["X-Trace", "abc"] in attempt["response_headers"]
    assert attempt["request_headers"]["Authorization"] == "***"
    assert attempt["request_headers"]["webhook-id"] == row["id"]
    assert attempt["remote_address"] == "127.0.0.1"
    assert {"connect", "wait", "read", "total"} <= set(attempt["phases"])


async def test_a_connection_is_kept_for_the_next_delivery(
    office: Office, receiver: Receiver
) -> None:
    await office.register(url=receiver.url())
    for number in range(5):
        await office.tell(number=number)
    await office.work()
    assert len(receiver.requests) == 5
    assert receiver.connections == 1


@pytest.mark.slow
async def test_an_endpoints_own_timeout_ends_an_attempt(office: Office, receiver: Receiver) -> None:
    webhook = await office.register(url=receiver.url(), timeout=30)
    await office.tell()
    await office.work()
    # The connection stands: a slow machine may need longer than a second to make one.
    receiver.behave(receivers.silent)
    change = {"timeout": 1}
    await office.firm.admin.patch(f"/int/v1/webhooks/{webhook['id']}", json=change)
    await office.tell(subject="order_2")
    await office.work()
    (row,) = await office.deliveries(subject="order_2")
    assert (row["state"], row["retries_used"]) == ("pending", 1)
    assert row["error"] == "The receiver did not send a response within 1 seconds."


@pytest.mark.slow
async def test_hostile_receivers_change_nothing_for_the_others(
    office: Office, receiver: Receiver
) -> None:
    hostile = {
        "/silent": receivers.silent,
        "/trickle": receivers.trickle,
        "/endless": receivers.endless,
        "/bomb": BOMB,
        "/metadata": METADATA,
    }
    for path, manner in hostile.items():
        receiver.behave(manner, path=path)
        await office.register(url=receiver.url(path), timeout=30)
    for number in range(HEALTHY):
        await office.register(url=receiver.url(f"/well/{number}"), timeout=30)
    for number in range(EVENTS):
        await office.tell(subject=f"order_{number}")
    await office.relay()
    healthy = f"{receiver.url('/well/')}%"
    left = """select count(*) from webhook_queue q join webhooks w on w.uuid = q.webhook
              where w.url like :healthy"""
    while await office.firm.house.value(left, healthy=healthy):
        await office.sender.step()
        await asyncio.sleep(0.01)
    # Those who never answer have not even run into their timeout.
    waiting = await office.firm.house.value(
        "select count(*) from webhook_queue where sender is not null"
    )
    assert waiting >= 2
    assert all(len(receiver.at(f"/well/{number}")) == EVENTS for number in range(HEALTHY))
    assert receiver.at("/latest/meta-data/") == []
