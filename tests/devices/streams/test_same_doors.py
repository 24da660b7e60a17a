"""With JetStream between the doors and the store, the doors' own tests hold as they stand."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

import brokers
import stage
from brokers import Nats
from devices import test_ingest_doors as doors
from devices import test_sending as sending
from devices.garage import Garage
from devices.streams.ear import until, worker
from pannier.db import Database
from pannier.devices.brokers import jetstream_backend
from pannier.kit.clock import ManualClock
from probe import refused
from program import PATIENCE
from stage import Broom, Firm, House

pytestmark = pytest.mark.slow

# Those in which something is stored or refused by the store; the others do not get that far.
test_gateways = doors.test_a_gateway_speaks_for_the_devices_of_its_company_by_their_identifiers
test_devices = doors.test_a_device_speaks_for_itself_whatever_its_app_calls_it
test_recorded = doors.test_each_recorded_request_is_accepted_once_and_once_only
test_tokens = doors.test_a_token_may_come_as_bearer_or_as_the_password_of_basic
test_replaced = doors.test_a_token_that_was_replaced_stores_nothing_more
test_nonsense = doors.test_nonsense_is_refused_and_kept_where_the_company_finds_it
test_clocks = doors.test_a_clock_that_is_wrong_costs_no_event_and_makes_none
test_senders = sending.test_an_event_or_a_list_of_them_is_stored_once_by_every_kind_of_sender
test_batches = sending.test_a_batch_comes_as_a_list_in_an_envelope_as_lines_and_packed
test_wrong = sending.test_what_is_wrong_is_told_by_its_index_and_kept_with_its_cause
test_all_wrong = sending.test_when_all_are_invalid_the_request_is_and_says_why
test_own = sending.test_a_device_speaks_for_itself_alone_and_a_company_for_its_own
test_adopting = (
    sending.test_a_gateway_speaks_for_others_and_takes_in_whom_nobody_knows_if_it_is_told_to
)
test_revoked = sending.test_a_token_that_was_revoked_stores_nothing_from_then_on
test_keyed = sending.test_a_keyed_request_is_answered_as_it_was_before
test_thousands = sending.test_five_thousand_come_at_once_and_not_one_more


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nats]:
    with brokers.running(Nats(tmp_path_factory.mktemp("nats"))) as broker:
        yield broker


@pytest.fixture
async def house(
    database: Database,
    clock: ManualClock,
    tmp_path: Path,
    broker: Nats,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[House]:
    """A house that hands events to JetStream, and a worker with all the time to store them."""
    monkeypatch.setitem(
        jetstream_backend.JetStreamBackend.__init__.__kwdefaults__ or {}, "patience", PATIENCE
    )
    monkeypatch.setattr(jetstream_backend, "PUBLISH_SECONDS", PATIENCE)
    house = await built(database, clock, tmp_path, broker)
    async with worker(house, database_url, house.settings):
        yield house
        await house.edge.services["devices"].close()


async def built(database: Database, clock: ManualClock, folder: Path, broker: Nats) -> House:
    settings = {"nats_url": broker.url, "nats_shards": "2", "nats_bytes": str(16 << 20)}
    return await stage.build(database, clock, str(folder), **settings)


@pytest.fixture
async def alone(
    database: Database, clock: ManualClock, tmp_path: Path, broker: Nats, broom: Broom
) -> AsyncIterator[Firm]:
    """A company whose house has no worker."""
    house = await built(database, clock, tmp_path, broker)
    yield await broom.found(house, "Acme")
    await house.edge.services["devices"].close()


async def test_what_is_taken_while_nobody_stores_it_is_202_and_stored_later(
    alone: Firm, broker: Nats, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = await Garage(alone).device()
    path = f"/int/v1/fleet-module/devices/{device['id']}/events"
    event = {"event_type": "heartbeat", "timestamp": "2026-01-15T11:00:00Z"}
    sent = await alone.house.client(device["token"]).post(path, json=[event, {"event_type": 3}])
    assert (sent.status_code, sent.json()) == (
        202,
        {
            "accepted": 0,
            "duplicates": 0,
            "rejected": [{"index": 1, "code": "event_type_invalid"}],
            "pending": 1,
        },
    )
    stored = "select count(*) from device_events"
    async with worker(alone.house, database_url, alone.house.settings):
        await until(lambda: alone.house.value(stored), 1)
    broker.kill()
    monkeypatch.setattr(
        jetstream_backend, "PUBLISH_SECONDS", 0.1
    )  # nobody answers, however long one waits
    try:
        away = await alone.house.client(device["token"]).post(path, json=event)
    finally:
        broker.start()
    refused(away, 503, "devices_stream_unavailable")
    assert away.headers["Retry-After"] == "2"
