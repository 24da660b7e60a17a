"""The worker: rows that become records once, whoever dies, and that are taken back."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from imports.clerk import PLACES, Clerk, counts, runner
from orders.shop import Shop
from pannier.files.storage import Storage, StorageUnavailable, make_storage
from pannier.imports.records import MAX_ITEMS, MappedColumns
from pannier.imports.runner import DEFECTIVE, INTERRUPTED, MAX_ATTEMPTS, ImportRunner
from pannier.kit.clock import ManualClock
from stage import Firm, House

ROWS = 300
MANY = "name,city\n" + "".join(f"Place {number},Singapore\n" for number in range(ROWS))
ORDERS = (
    "Order number;Customer;Customer phone;Pickup street;Street;Item;Quantity;Cash on delivery;"
    "Cash on delivery currency;Window end\n"
    "A-1;Ada;+6591234567;1 Raffles Place;80 Mandai Road;Box;2;12,50;SGD;31.01.2026 14:30\n"
    "A-1;;;;;Bag;;;;\n"
    "A-2;Eve;+6591234568;1 Raffles Place;1 Orchard Road;Box;;;;\n"
)


@pytest.fixture
def clerk(acme: Firm) -> Clerk:
    return Clerk(acme)


async def test_a_killed_worker_leaves_nothing_twice_and_nothing_out(
    clerk: Clerk, house: House, clock: ManualClock
) -> None:
    made = await clerk.create("places", MANY)
    await clerk.request(made, "start")
    dying = asyncio.create_task(runner(house).step())
    async with asyncio.timeout(30):
        while not (await clerk.get(f"imports/{made['id']}"))["processed"]:
            assert not dying.done()
            await asyncio.sleep(0.01)
    dying.cancel()
    await asyncio.gather(dying, return_exceptions=True)
    assert await house.value("select count(*) from places") < ROWS
    assert not await runner(house).step()
    clock.advance(seconds=61)
    assert await runner(house).step()
    done = await clerk.get(f"imports/{made['id']}")
    assert (done["state"], counts(done)) == ("done", {"created": ROWS})
    assert await house.value("select count(*) from places") == ROWS
    assert not await runner(house).step()


async def test_undoing_deletes_what_is_unused_and_says_what_is_kept(
    clerk: Clerk, acme: Firm
) -> None:
    done = await clerk.imported("places", "name,city\nDepot,Singapore\nZoo,Singapore\n")
    [zoo, depot] = await clerk.get("places")
    order = await Shop(acme).order(pickup=depot["id"], dropoff="1 Orchard Road")
    undone = await clerk.run(done, "undo")
    assert (undone["state"], counts(undone)) == ("undone", {"undone": 1, "kept": 1})
    [row] = await clerk.get(f"imports/{done['id']}/rows?state=kept")
    assert row["record"] == depot["id"]
    assert row["errors"] == [
        {"column": None, "message": "The place is in use by an order, a contact or a driver."}
    ]
    assert (await acme.api.get(f"/v1/places/{zoo['id']}")).status_code == 404
    assert (await acme.api.get(f"/v1/orders/{order['id']}")).status_code == 200
    again = await clerk.imported("places", "name,city\nDepot,Singapore\nZoo,Singapore\n")
    assert counts(again) == {"created": 1, "unchanged": 1}


async def test_all_faults_of_a_row_are_named_at_once(clerk: Clerk, house: House) -> None:
    head = "Order number;Customer;Customer phone;Pickup street;Street;Item;Item weight (kg)"
    row = "A-1;Ada;12;1 Raffles Place;80 Mandai Road;Box;x"
    late = "Window end;Customer email"
    file = f"{head};{late}\n{row};soon;ada\n"
    created = await clerk.create("orders", file)
    for task, state in (("dry-run", "checked"), ("start", "done")):
        done = await clerk.run(created, task)
        assert (done["state"], counts(done)) == (state, {"failed": 1})
        [faults] = (await clerk.errors(done)).values()
        columns = sorted(fault.partition(":")[0] for fault in faults)
        assert columns == ["Customer email", "Customer phone", "Item weight (kg)", "Window end"]
    assert await house.value("select count(*) from orders") == 0


async def test_an_order_of_too_many_items_is_refused_before_they_fill_the_memory(
    clerk: Clerk,
) -> None:
    head = "Order number,Pickup street,Street,Item,Quantity,Item weight (kg)"
    row = "SO-1,1 A Road,2 B Road,Box,1000,"
    other = row.replace("SO-1", "SO-2").replace("1000", "2")
    file = "\n".join([head, f"{row}heavy", *[row] * 3000, other])
    checked = await clerk.run(await clerk.create("orders", file), "dry-run")
    errors = await clerk.errors(checked)
    assert counts(checked) == {"ready": 1, "failed": 1}, errors
    assert errors[2].count("None: An order has at most 1,000 items.") == 1
    assert [error for error in errors[2] if error.startswith("Item weight")] != []


async def test_an_error_without_a_column_is_named_once(clerk: Clerk) -> None:
    head = "Order number,Pickup street,Street,Item,Quantity,Item weight (kg)"
    rows = ["SO-1,1 A Road,2 B Road,Box,1,x", *["SO-1,1 A Road,2 B Road,Bag,1,"] * MAX_ITEMS]
    checked = await clerk.run(await clerk.create("orders", "\n".join([head, *rows])), "dry-run")
    [faults] = (await clerk.errors(checked)).values()
    assert [fault.partition(":")[0] for fault in faults].count("None") == 1, faults
    assert [fault.partition(":")[0] for fault in faults].count("Item weight (kg)") == 1, faults


def test_the_fields_of_all_items_come_from_the_same_columns() -> None:
    mapping = {"Item": "item.name", "Weight": "item.weight", "Street": "dropoff.street1"}
    mapped = MappedColumns("orders", list(mapping), mapping)
    assert mapped.list_columns("payload.entities[7].weight") == ["Weight"]
    assert mapped.list_columns("entities[0]") == ["Item", "Weight"]
    assert mapped.list_columns("payload.dropoff") == ["Street"]
    assert mapped.find_column("payload.entities[7].name") == "Item"
    assert mapped.find_column("entities[2]") == "Item"
    assert mapped.list_columns("entitlement") == []


async def test_rows_of_an_order_become_one_order_with_its_items(clerk: Clerk) -> None:
    await clerk.firm.admin.patch("/int/v1/settings", json={"time_zone": "Asia/Singapore"})
    done = await clerk.imported("orders", ORDERS)
    assert counts(done) == {"created": 2}, await clerk.errors(done)
    [second, first] = await clerk.get("orders")
    assert (first["internal_id"], second["internal_id"]) == ("A-1", "A-2")
    pieces = [(item["name"], item["quantity"]) for item in first["payload"]["entities"]]
    assert pieces == [("Box", 2), ("Bag", 1)]
    assert (first["cod_amount"], first["cod_currency"]) == (1250, "SGD")
    assert first["time_window_end"] == "2026-01-31T06:30:00.000Z"
    assert first["customer"]["phone"] == "+6591234567"
    assert first["payload"]["dropoff"]["street1"] == "80 Mandai Road"
    assert counts(await clerk.imported("orders", ORDERS)) == {"unchanged": 2}
    undone = await clerk.run(done, "undo")
    assert counts(undone) == {"undone": 2}
    assert await clerk.get("orders") == []


async def test_rows_of_an_order_that_are_apart_are_refused(clerk: Clerk) -> None:
    file = "Order number,Pickup street,Street\nA,1 A Road,2 B Road\nB,1 A Road,2 B Road\nA,,\n"
    checked = await clerk.run(await clerk.create("orders", file), "dry-run")
    assert counts(checked) == {"ready": 2, "failed": 1}
    assert await clerk.errors(checked) == {
        4: ["Order number: Row 2 has this number too. Put the rows of an order together."]
    }


@pytest.mark.parametrize(
    ("resource", "file"),
    [
        ("contacts", "Kundennummer;Name;Telefon;E-Mail\n7;Ada;+6591234567;ada@example.com\n"),
        ("drivers", 'Name,Phone,Skills\nGrace,+6591234599,"fridge, lift"\n'),
        ("vehicles", "Kennzeichen;Marke;Baujahr;Nutzlast\nB-XY 12;VW;2024;1.200,5\n"),
        ("service-rates", "Name;Fee;Currency;Minimum\nSame day;4,50;SGD;10\n"),
    ],
)
async def test_records_of_each_kind_are_imported_found_again_and_undone(
    clerk: Clerk, resource: str, file: str
) -> None:
    await clerk.firm.admin.patch("/int/v1/settings", json={"locale": "de-DE"})
    done = await clerk.imported(resource, file)
    assert counts(done) == {"created": 1}, await clerk.errors(done)
    assert counts(await clerk.imported(resource, file)) == {"unchanged": 1}
    assert counts(await clerk.run(done, "undo")) == {"undone": 1}
    assert await clerk.get(resource) == []


async def test_vehicles_are_imported_with_their_temperature_limits(clerk: Clerk) -> None:
    head = "Plate number,Min temperature,Maximum temperature (°C)\n"
    done = await clerk.imported("vehicles", f"{head}B-XY 12,2,8.5\nB-XY 13,8,2\n")
    assert counts(done) == {"created": 1, "failed": 1}
    [vehicle] = await clerk.get("vehicles")
    assert (vehicle["min_temperature"], vehicle["max_temperature"]) == (2, 8.5)


async def test_a_record_that_exists_already_stays_as_it_is(clerk: Clerk, acme: Firm) -> None:
    driver = await Shop(acme).driver(name="Grace", phone="+6591234599")
    done = await clerk.imported("drivers", "Name,Phone\nGrace Hopper,+65 9123 4599\n")
    assert counts(done) == {"unchanged": 1}
    assert (await clerk.get(f"drivers/{driver['id']}"))["name"] == "Grace"


async def test_the_changes_of_an_import_are_its_requesters(clerk: Clerk, acme: Firm) -> None:
    await clerk.imported("service-rates", "Name;Fee;Currency\nSame day;4,50;SGD\n")
    entries: list[dict[str, Any]] = (await acme.admin.get("/int/v1/audit")).json()["data"]
    [created] = [entry for entry in entries if entry["action"] == "service_rate.created"]
    assert (created["actor_type"], created["actor_name"]) == ("key", "Test")


async def test_the_faulty_rows_come_back_with_their_errors_and_without_formulas(
    clerk: Clerk,
) -> None:
    file = "name,country\nDepot,SG\n=1+1,Atlantis\n"
    done = await clerk.imported("places", file)
    answer = await clerk.firm.api.get(f"/v1/imports/{done['id']}/faulty-rows")
    assert answer.status_code == 200
    lines = answer.content.decode("utf-8-sig").splitlines()
    assert lines[0] == "name,country,Errors"
    assert lines[1].startswith("'=1+1,Atlantis,")
    assert len(lines) == 2
    assert PLACES


class PausedStorage(Storage):
    """A file storage that answers only after a while."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage.url, storage.upload_limit)
        self.asked, self.answers = asyncio.Event(), asyncio.Event()

    async def stream(self, sha256: bytes, start: int, end: int) -> AsyncIterator[bytes]:
        self.asked.set()
        await self.answers.wait()
        return await super().stream(sha256, start, end)


class AbsentStorage(Storage):
    """A file storage that does not answer."""

    async def stream(self, *_: object) -> AsyncIterator[bytes]:
        raise StorageUnavailable


async def test_a_file_may_take_longer_to_read_than_a_lease_lasts(
    clerk: Clerk, house: House, clock: ManualClock
) -> None:
    made = await clerk.create("places", MANY)
    await clerk.request(made, "start")
    storage = PausedStorage(make_storage(house.settings))
    slow = ImportRunner(house.database, storage, renewal_seconds=0.01)
    working = asyncio.create_task(slow.step())
    async with asyncio.timeout(30):
        await storage.asked.wait()
        for _ in range(3):
            clock.advance(seconds=50)
            renewed = "select due_at >= pannier_now() + interval '59 seconds' from import_runs"
            while not await house.value(renewed):  # noqa: ASYNC110 - of the database
                await asyncio.sleep(0.01)
            assert not await runner(house).step()
        storage.answers.set()
        assert await working
    assert counts(await clerk.get(f"imports/{made['id']}")) == {"created": ROWS}


async def test_a_lost_lease_ends_the_work(clerk: Clerk, house: House) -> None:
    await clerk.request(await clerk.create("places", MANY), "start")
    storage = PausedStorage(make_storage(house.settings))
    slow = ImportRunner(house.database, storage, renewal_seconds=0.01)
    working = asyncio.create_task(slow.step())
    async with asyncio.timeout(30):
        await storage.asked.wait()
        async with house.database.transaction() as db:
            await db.execute("update import_runs set attempts = attempts + 1")
        assert await working
    assert await house.value("select count(*) from places") == 0


async def test_an_absent_storage_postpones_an_import_and_ends_it_at_last(
    clerk: Clerk, house: House, clock: ManualClock
) -> None:
    made = await clerk.create("places", MANY)
    await clerk.request(made, "start")
    blind = ImportRunner(house.database, AbsentStorage("", 0))
    for _ in range(MAX_ATTEMPTS):
        with pytest.raises(StorageUnavailable):
            await blind.step()
        assert not await blind.step()
        clock.advance(hours=1)
    assert (await clerk.get(f"imports/{made['id']}"))["state"] == "importing"
    assert await blind.step()
    failed = await clerk.get(f"imports/{made['id']}")
    assert (failed["state"], failed["failure"]) == ("failed", INTERRUPTED)
    assert not await runner(house).step()


async def test_only_attempts_without_progress_end_an_import(
    clerk: Clerk, house: House, clock: ManualClock
) -> None:
    made = await clerk.create("places", MANY)
    await clerk.request(made, "start")
    for _ in range(2):
        before = (await clerk.get(f"imports/{made['id']}"))["processed"]
        async with house.database.transaction() as db:
            await db.execute(f"update import_runs set attempts = attempts + {MAX_ATTEMPTS - 1}")
        working = asyncio.create_task(runner(house).step())
        async with asyncio.timeout(30):
            while (await clerk.get(f"imports/{made['id']}"))["processed"] <= before:
                assert not working.done()
                await asyncio.sleep(0.01)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        clock.advance(seconds=61)
    assert await runner(house).step()
    done = await clerk.get(f"imports/{made['id']}")
    assert (done["state"], counts(done)) == ("done", {"created": ROWS})


async def test_an_import_that_breaks_its_worker_fails_and_says_so(
    clerk: Clerk, house: House
) -> None:
    made = await clerk.create("places", MANY)
    await clerk.request(made, "start")
    async with house.database.transaction() as db:
        # Nothing of ours writes this.
        await db.execute("alter table import_rows add constraint poison check (number < 120)")
    try:
        assert await runner(house).step()
    finally:
        async with house.database.transaction() as db:
            await db.execute("alter table import_rows drop constraint poison")
    failed = await clerk.get(f"imports/{made['id']}")
    assert (failed["state"], failed["failure"]) == ("failed", DEFECTIVE)
    assert counts(failed) == {"created": 100}
    assert not await runner(house).step()
    assert counts(await clerk.run(made, "undo")) == {"undone": 100}


async def test_undoing_keeps_what_was_changed_since_and_says_so(clerk: Clerk, acme: Firm) -> None:
    shop = Shop(acme)
    done = await clerk.imported("places", "name,city\nDepot,Singapore\nZoo,Singapore\n")
    [_, depot] = await clerk.get("places")
    await shop.patch(f"places/{depot['id']}", building="Gate 2")
    undone = await clerk.run(done, "undo")
    assert counts(undone) == {"undone": 1, "kept": 1}
    [row] = await clerk.get(f"imports/{done['id']}/rows?state=kept")
    assert row["record"] == depot["id"]
    assert row["errors"] == [
        {"column": None, "message": "The record was changed after it was added."}
    ]


@pytest.mark.parametrize(
    "change", [{"notes": "Ring twice."}, {"payload": {"entities": [{"name": "Crate"}]}}]
)
async def test_undoing_keeps_an_order_that_was_edited(
    clerk: Clerk, acme: Firm, change: dict[str, Any]
) -> None:
    done = await clerk.imported("orders", ORDERS)
    [second, first] = await clerk.get("orders")
    await Shop(acme).patch(f"orders/{first['id']}", **change)
    assert counts(await clerk.run(done, "undo")) == {"undone": 1, "kept": 1}
    assert (await acme.api.get(f"/v1/orders/{first['id']}")).status_code == 200
    assert (await acme.api.get(f"/v1/orders/{second['id']}")).status_code == 404


async def test_an_interrupted_undo_continues(
    clerk: Clerk, house: House, clock: ManualClock
) -> None:
    done = await clerk.imported("places", MANY)
    await clerk.request(done, "undo")
    dying = asyncio.create_task(runner(house).step())
    async with asyncio.timeout(30):
        while not counts(await clerk.get(f"imports/{done['id']}")).get("undone"):
            assert not dying.done()
            await asyncio.sleep(0.01)
    dying.cancel()
    await asyncio.gather(dying, return_exceptions=True)
    left = await house.value("select count(*) from places where deleted_at is null")
    assert 0 < left < ROWS
    clock.advance(seconds=61)
    assert await runner(house).step()
    undone = await clerk.get(f"imports/{done['id']}")
    assert (undone["state"], counts(undone)) == ("undone", {"undone": ROWS})
    assert await clerk.get("places") == []


async def test_the_metrics_count_unfinished_imports(
    clerk: Clerk, house: House, clock: ManualClock
) -> None:
    await clerk.request(await clerk.create("places", PLACES), "start")
    clock.advance(seconds=90)
    metrics = await house.metrics()
    assert "pannier_imports_waiting 1.0" in metrics
    assert "pannier_imports_oldest_seconds 90.0" in metrics
    assert await runner(house).step()
    assert "pannier_imports_waiting 0.0" in await house.metrics()
