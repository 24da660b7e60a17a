"""What devices publish to an MQTT broker is stored, and acknowledged only then."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import msgspec
import pytest

import brokers
from brokers import Nats
from devices.garage import Garage
from devices.streams.ear import introduce, publish, until, worker
from pannier.settings import Settings
from stage import House

pytestmark = pytest.mark.slow

STORED = "select count(*) from device_events"
WAITS = """select exists (select from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock')"""
REJECTS = "select array_agg(code order by code) from device_rejects"


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Nats]:
    with brokers.running(Nats(tmp_path)) as broker:
        yield broker


@pytest.fixture
async def listening(house: House, broker: Nats) -> Settings:
    """Settings of workers that have been there before: the broker keeps messages for them."""
    settings = msgspec.structs.replace(
        house.settings, mqtt_url=broker.mqtt_url, mqtt_version="3.1.1"
    )
    await introduce(settings)
    return settings


def beat(second: int, **more: Any) -> dict[str, Any]:
    return {"event_type": "heartbeat", "timestamp": f"2026-01-15T11:00:{second:02}Z", **more}


async def test_events_are_stored_alone_and_together_however_often_they_come(
    house: House, garage: Garage, broker: Nats, listening: Settings, database_url: str
) -> None:
    device = await garage.device(identifier="860123")
    token = device["token"]
    messages: list[tuple[str, object]] = [
        (device["id"], {"token": token, "events": [beat(1), beat(2)]}),
        ("860123", {"token": token, **beat(3)}),
        (device["uuid"], {"token": token, "events": [beat(2), beat(3), beat(4)]}),
    ]
    async with worker(house, database_url, listening):
        await asyncio.to_thread(publish, broker, messages)
        await until(lambda: house.value(STORED), 4)


async def test_who_shows_no_right_token_stores_nothing_and_holds_nobody_up(
    house: House,
    garage: Garage,
    lot: Garage,
    broker: Nats,
    listening: Settings,
    database_url: str,
) -> None:
    device, stranger = await garage.device(), await lot.device()
    messages: list[tuple[str, object]] = [
        (device["id"], beat(1)),
        (device["id"], b"no JSON"),
        (device["id"], {"token": "dvc_live_wrong", "events": [beat(2)]}),
        (device["id"], {"token": stranger["token"], "events": [beat(3)]}),
        (device["id"], {"token": device["token"], "events": [beat(4), {"event_type": 5}]}),
    ]
    async with worker(house, database_url, listening):
        await asyncio.to_thread(publish, broker, messages)
        await until(lambda: house.value(STORED), 1)
        await until(lambda: house.value(REJECTS), ["event_type_invalid", "unknown_device"])
    named = "select array_agg(distinct company) from device_rejects where code = 'unknown_device'"
    assert await house.value(named) == [lot.firm.uuid], "each company sees its own device's only"


async def test_a_broker_that_is_trusted_vouches_for_its_topics(
    house: House, garage: Garage, broker: Nats, listening: Settings, database_url: str
) -> None:
    device = await garage.device(identifier="860123")
    trusting = msgspec.structs.replace(listening, mqtt_trust_broker=True)
    messages = [(device["id"], beat(1)), ("860123", beat(2)), (device["uuid"], b"no JSON")]
    async with worker(house, database_url, trusting):
        await asyncio.to_thread(publish, broker, messages)
        await until(lambda: house.value(REJECTS), ["event_invalid"])
        await until(lambda: house.value(STORED), 1)


async def test_a_worker_that_ends_between_delivery_and_commit_leaves_the_message_to_the_next(
    house: House, garage: Garage, broker: Nats, listening: Settings, database_url: str
) -> None:
    device = await garage.device()
    message = (device["id"], {"token": device["token"], "events": [beat(1), beat(2)]})
    other = await asyncpg.connect(database_url)
    try:
        async with worker(house, database_url, listening) as first:
            held = other.transaction()
            await held.start()
            await other.execute("lock table device_events in access exclusive mode")
            await asyncio.to_thread(publish, broker, [message])
            await until(lambda: other.fetchval(WAITS), wanted=True)
            first.cancel()
        await held.rollback()
    finally:
        await other.close()
    async with worker(house, database_url, listening):
        await until(lambda: house.value(STORED), 2)


async def test_a_busy_writer_delays_messages_and_loses_none(
    house: House, garage: Garage, broker: Nats, listening: Settings, database_url: str
) -> None:
    device = await garage.device()
    messages = [
        (device["id"], {"token": device["token"], "events": [beat(second)]}) for second in range(20)
    ]
    async with worker(house, database_url, listening, max_waiting_events=2):
        await asyncio.to_thread(publish, broker, messages)
        await until(lambda: house.value(STORED), 20)


@pytest.mark.skipif(brokers.MOSQUITTO is None, reason="mosquitto is not installed")
async def test_workers_share_what_a_broker_of_mqtt_5_has_with_tokens_beside_the_events(
    house: House, garage: Garage, tmp_path: Path, database_url: str
) -> None:
    device = await garage.device()
    with brokers.running(brokers.Mosquitto(tmp_path)) as broker:
        settings = msgspec.structs.replace(
            house.settings, mqtt_url=broker.mqtt_url, mqtt_sessions=2
        )
        for number in range(2):
            await introduce(settings, number)
        messages = [(device["id"], beat(second)) for second in range(40)]
        await asyncio.to_thread(publish, broker, messages, token=device["token"])
        async with worker(house, database_url, settings), worker(house, database_url, settings):
            await until(lambda: house.value(STORED), 40)
            refused = [(device["id"], beat(50))]
            await asyncio.to_thread(publish, broker, refused, token="dvc_live_wrong")
            await asyncio.to_thread(publish, broker, messages, token=device["token"])
        assert await house.value(STORED) == 40


async def test_messages_come_while_no_worker_is_there_and_after_the_broker_was_away(
    house: House, garage: Garage, broker: Nats, listening: Settings, database_url: str
) -> None:
    device = await garage.device()
    messages = [
        (device["id"], {"token": device["token"], "events": [beat(second)]}) for second in range(3)
    ]
    async with worker(house, database_url, listening):
        await asyncio.to_thread(publish, broker, messages[:1])
        await until(lambda: house.value(STORED), 1)
    await asyncio.to_thread(publish, broker, messages[1:2])
    async with worker(house, database_url, listening):
        await until(lambda: house.value(STORED), 2)
        broker.kill()
        broker.start()
        await asyncio.to_thread(publish, broker, messages[2:])
        await until(lambda: house.value(STORED), 3)
