"""`/readyz` speaks for this process alone; `/status` shows the installation to its operators."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
import pytest

import stage
from pannier.accounts.models import Role
from pannier.db import connect
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.kit.clock import ManualClock
from pannier.worker import Worker
from probe import refused, refusing_writes
from stage import Firm, House

Opened = Callable[[str], Awaitable[House]]


class Data(msgspec.Struct):
    id: str


@pytest.fixture
async def opened(house: House, clock: ManualClock, tmp_path: Path) -> AsyncIterator[Opened]:
    """Serve from another database, by its address."""
    async with AsyncExitStack() as closing:

        async def open_house(url: str) -> House:
            database = await connect(url, clock=clock, keys=house.database.keys, size=1)
            closing.push_async_callback(database.close)
            return await stage.build(database, clock, str(tmp_path))

        yield open_house


def read_only(url: str) -> str:
    """Name a database as it is after its server became a standby."""
    return f"{url}{'&' if '?' in url else '?'}default_transaction_read_only=on"


async def keep_waiting(firm: Firm) -> None:
    """Have an event wait for a worker."""
    async with firm.house.database.transaction() as db:
        await outbox.emit(db, firm.uuid, Name.ORDER_CREATED, Data("o"), subject="o")


async def test_a_process_is_ready_whatever_workers_and_queues_do(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    client = house.client()
    assert (await client.get("/healthz")).json() == {"status": "ok"}
    expected = {"status": "ready", "checks": {"database": "ok", "migrations": "ok"}}
    assert (await client.get("/readyz")).json() == expected
    await keep_waiting(acme)
    clock.advance(minutes=10)
    ready = await client.get("/readyz")
    assert (ready.status_code, ready.json()) == (200, expected)


async def test_a_process_whose_database_is_not_migrated_is_not_ready(
    opened: Opened, server_url: str
) -> None:
    house = await opened(stage.sibling(server_url, "postgres"))
    ready = await house.client().get("/readyz")
    assert ready.status_code == 503
    assert "pannier migrate" in ready.json()["checks"]["migrations"]


async def test_a_process_whose_database_takes_no_changes_is_not_ready(
    opened: Opened, database_url: str
) -> None:
    house = await opened(read_only(database_url))
    ready = await house.client().get("/readyz")
    assert ready.status_code == 503
    assert ready.json()["checks"]["database"] == "The database is read-only."


@pytest.mark.usefixtures("brief_pauses")
async def test_a_read_only_database_is_unavailable_for_changes_and_serves_readers(
    acme: Firm, opened: Opened, database_url: str
) -> None:
    house = await opened(read_only(database_url))
    client = house.client(acme.api_key)
    assert (await client.get("/v1/places")).status_code == 200
    place = {"name": "Depot", "location": {"latitude": 52.5, "longitude": 13.4}}
    answer = await client.post("/v1/places", json=place)
    refused(answer, 503, "database_unavailable")
    assert answer.headers["Retry-After"]


@pytest.mark.usefixtures("brief_pauses")
@pytest.mark.parametrize("state", ["53000", "53100", "53200", "53400", "57014", "58030", "25006"])
async def test_a_server_that_cannot_write_is_unavailable_and_nothing_is_a_defect(
    acme: Firm, database_url: str, state: str
) -> None:
    place = {"name": "Depot", "location": {"latitude": 52.5, "longitude": 13.4}}
    async with refusing_writes(database_url, "places", state, times=1000):
        answer = await acme.api.post("/v1/places", json=place)
        refused(answer, 503, "database_unavailable")
        assert answer.headers["Retry-After"]
        assert "refused by the test" not in answer.text
    assert (await acme.api.post("/v1/places", json=place)).status_code == 201


async def test_a_canceled_statement_is_unavailable_and_its_key_stays_free(
    acme: Firm, database_url: str
) -> None:
    place = {"name": "Depot", "location": {"latitude": 52.5, "longitude": 13.4}}
    keyed = {"Idempotency-Key": "depot-1"}
    async with refusing_writes(database_url, "places", "57014", times=1):
        answer = await acme.api.post("/v1/places", json=place, headers=keyed)
        refused(answer, 503, "database_unavailable")
        assert answer.headers["Retry-After"]
    again = await acme.api.post("/v1/places", json=place, headers=keyed)
    assert again.status_code == 201
    assert "Idempotent-Replayed" not in again.headers
    assert len((await acme.api.get("/v1/places")).json()) == 1


async def test_the_status_shows_workers_queues_providers_and_versions(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    before = (await acme.admin.get("/status")).json()
    assert before["status"] == "degraded"
    assert before["checks"]["worker"] == "No worker has sent a heartbeat yet."
    assert before["workers"] == []
    await Worker(house.database, []).record_heartbeat()
    now = (await acme.admin.get("/status")).json()
    assert now["status"] == "ok"
    assert [worker["alive"] for worker in now["workers"]] == [True]
    assert now["queues"]["events"] == {"waiting": 0, "oldest_seconds": 0.0}
    assert now["queues"].keys() >= {"webhooks", "messages", "news", "device_events", "parked"}
    assert now["providers"].keys() >= {"sms", "email", "push", "payments", "router", "geocoder"}
    assert now["versions"].keys() == {"pannier", "python", "postgresql", "migration"}
    await keep_waiting(acme)
    clock.advance(minutes=2)
    later = (await acme.admin.get("/status")).json()
    assert later["status"] == "degraded"
    assert later["checks"]["worker"] == "No worker has sent a heartbeat for 120 s."
    assert later["checks"]["events"] == "An event has been waiting for 120 s."
    assert later["queues"]["events"] == {"waiting": 1, "oldest_seconds": 120.0}


async def test_a_heartbeat_from_the_future_is_no_sign_of_life(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    clock.advance(days=120)
    await Worker(house.database, []).record_heartbeat()
    clock.advance(days=-120)
    status = (await acme.admin.get("/status")).json()
    assert [worker["alive"] for worker in status["workers"]] == [False]
    assert status["checks"]["worker"] != "ok"


async def test_the_status_tells_how_much_waits_and_of_no_company(acme: Firm, rival: Firm) -> None:
    await keep_waiting(rival)
    status = await acme.admin.get("/status")
    assert status.json()["queues"]["events"]["waiting"] == 1
    named = (rival.uuid, rival.company.public_id, rival.company.name)
    assert not [word for word in named if str(word) in status.text]


@pytest.mark.parametrize("role", ["admin", "dispatcher", "viewer"])
async def test_every_operator_sees_the_status(acme: Firm, role: Role) -> None:
    operator = acme.admin if role == "admin" else await acme.operator(role)
    assert (await operator.get("/status")).status_code == 200


async def test_nobody_but_operators_sees_the_status(acme: Firm, house: House) -> None:
    for bearer in (None, acme.api_key, acme.storefront_key):
        refused(await house.client(bearer).get("/status"), 401, "unauthenticated")
