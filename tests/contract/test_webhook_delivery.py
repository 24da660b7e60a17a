"""The interface, Events: what is sent to webhooks, how it is signed, and when it is tried again."""

import asyncio
import hashlib
import hmac
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from contract.test_event_examples import OPERATIONS, dispatch_order
from fleet.depot import Depot
from pannier.events.catalog import Name
from pannier.kit.clock import ManualClock
from stage import NOON, Firm
from webhooks.office import Office, answering


@pytest.fixture
def office(acme: Firm) -> Office:
    return Office.of(acme)


def envelopes(office: Office, name: str) -> list[dict[str, Any]]:
    """What arrived of one event, read as JSON."""
    read = [msgspec.json.decode(request.body) for request in office.receivers.requests]
    return [envelope for envelope in read if envelope["event"] == name]


def by_openssl(secret: str, body: Path) -> str:
    """Let another program sign a body."""
    openssl = shutil.which("openssl")
    assert openssl is not None
    done = subprocess.run(
        [openssl, "dgst", "-sha256", "-hmac", secret, str(body)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.rpartition("= ")[2].strip()


async def test_a_matching_event_is_sent_as_a_post_with_the_contracts_envelope(
    office: Office, acme: Firm
) -> None:
    await office.register(events=["order.dispatched"])
    await dispatch_order(Depot(acme))
    await office.work()
    (envelope,) = envelopes(office, "order.dispatched")
    assert list(envelope) == ["event", "api_version", "created_at", "data", "id"]
    assert envelope["event"] == "order.dispatched"
    assert envelope["api_version"] == "1.0"
    assert envelope["created_at"] == "2026-01-15T12:00:00.000Z"
    assert len(office.receivers.requests) == 1
    assert office.receivers.requests[0].headers["Content-Type"] == "application/json"


async def test_data_of_order_dispatched_names_driver_pickup_and_dropoff(
    office: Office, acme: Firm
) -> None:
    await office.register(events=["order.dispatched"])
    await dispatch_order(Depot(acme))
    await office.work()
    data = envelopes(office, "order.dispatched")[0]["data"]
    assert data["id"] == data["public_id"]
    assert data["status"] == "dispatched"
    assert data["driver_assigned"]["name"] == "Ada Lovelace"
    assert data["driver_assigned"]["id"].startswith("driver_")
    assert data["payload"]["pickup"].startswith("1 Raffles Place")
    assert data["payload"]["dropoff"].startswith("80 Mandai Lake Road")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(OPERATIONS), ids=str)
async def test_each_event_reaches_who_chose_it(office: Office, acme: Firm, name: Name) -> None:
    await office.register(events=[name])
    await OPERATIONS[name](Depot(acme))
    await office.work()
    assert envelopes(office, name)
    assert len(envelopes(office, name)) == len(office.receivers.requests)


async def test_who_chose_all_events_gets_all_of_them(office: Office, acme: Firm) -> None:
    await office.register(events=["*"])
    await dispatch_order(Depot(acme))
    await office.work()
    told = await acme.house.value("select count(*) from events")
    assert len(office.receivers.requests) == told


async def test_the_signature_is_an_hmac_sha256_of_the_raw_body_keyed_with_the_secret(
    office: Office, tmp_path: Path
) -> None:
    webhook = await office.register()
    await office.tell()
    await office.work()
    (request,) = office.receivers.requests
    code = hmac.new(webhook["secret"].encode(), request.body, hashlib.sha256).hexdigest()
    assert request.headers["X-Service-Signature"] == f"sha256={code}"
    body = tmp_path / "body"
    body.write_bytes(request.body)
    assert await asyncio.to_thread(by_openssl, webhook["secret"], body) == code


async def test_the_bare_form_is_the_same_code_without_its_prefix(office: Office) -> None:
    webhook = await office.register(signature_format="bare")
    await office.tell()
    await office.work()
    (request,) = office.receivers.requests
    code = hmac.new(webhook["secret"].encode(), request.body, hashlib.sha256).hexdigest()
    assert request.headers["X-Service-Signature"] == code


async def fail_for_good(office: Office, clock: ManualClock) -> None:
    """Let an event meet a receiver that is out of order, until nothing more is tried."""
    await office.register()
    office.receivers.answer = lambda _: answering(500)
    await office.tell()
    await office.work()
    for minutes in (5, 30, 120, 480):
        assert (await office.deliveries())[0]["state"] == "pending"
        clock.advance(minutes=minutes)
        await office.work()


async def test_retries_come_after_5_minutes_30_minutes_2_hours_and_8_hours_then_it_is_failed(
    office: Office, clock: ManualClock
) -> None:
    await fail_for_good(office, clock)
    at = [(request.at - NOON) / timedelta(minutes=1) for request in office.receivers.requests]
    assert at == [0, 5, 35, 155, 635]
    (row,) = await office.deliveries()
    assert row["state"] == "failed"


async def test_a_failed_event_is_kept_with_every_attempt_and_can_be_replayed(
    office: Office, clock: ManualClock
) -> None:
    await fail_for_good(office, clock)
    (row,) = await office.deliveries(state="failed")
    shown = await office.delivery(row["id"])
    assert [attempt["status"] for attempt in shown["attempt_log"]] == [500] * 5
    assert shown["body"]["event"] == "order.created"
    office.receivers.answer = lambda _: answering(200)
    replayed = await office.firm.admin.post(f"/int/v1/webhook-deliveries/{row['id']}/replay")
    assert replayed.status_code == 202
    await office.work()
    assert (await office.deliveries())[0]["state"] == "succeeded"


async def test_the_receiver_answers_200_ok_and_that_is_all_it_takes(office: Office) -> None:
    await office.register()
    await office.tell()
    await office.work()
    (row,) = await office.deliveries()
    assert (row["state"], row["status"], row["attempts"]) == ("succeeded", 200, 1)
