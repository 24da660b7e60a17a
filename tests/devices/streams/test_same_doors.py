"""With JetStream between the doors and the store, the doors' own tests hold as they stand."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

import brokers
import stage
from brokers import Nats
from devices import test_ingest_doors as doors
from devices.streams.ear import worker
from pannier.db import Database
from pannier.kit.clock import ManualClock
from stage import House

pytestmark = pytest.mark.slow

# Those in which something is stored or refused by the store; the others do not get that far.
test_gateways = doors.test_a_gateway_speaks_for_the_devices_of_its_company_by_their_identifiers
test_devices = doors.test_a_device_speaks_for_itself_whatever_its_app_calls_it
test_recorded = doors.test_each_recorded_request_is_accepted_once_and_once_only
test_tokens = doors.test_a_token_may_come_as_bearer_or_as_the_password_of_basic
test_replaced = doors.test_a_token_that_was_replaced_stores_nothing_more
test_nonsense = doors.test_nonsense_is_refused_and_kept_where_the_company_finds_it
test_clocks = doors.test_a_clock_that_is_wrong_costs_no_event_and_makes_none


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nats]:
    with brokers.running(Nats(tmp_path_factory.mktemp("nats"))) as broker:
        yield broker


@pytest.fixture
async def house(
    database: Database, clock: ManualClock, tmp_path: Path, broker: Nats, database_url: str
) -> AsyncIterator[House]:
    """A house that hands events to JetStream, and a worker that stores them."""
    settings = {"nats_url": broker.url, "nats_shards": "2", "nats_bytes": "16777216"}
    house = await stage.build(database, clock, str(tmp_path), **settings)
    async with worker(house, database_url, house.settings):
        yield house
        await house.edge.services["devices"].close()
