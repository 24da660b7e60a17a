"""Rows that are written soon: with the next statement or the last one, as if at once."""

from contextlib import suppress

import pytest

from fleet.depot import Depot
from orders.shop import statements
from pannier.db import Db
from pannier.errors import Conflict
from pannier.fleet.models import Vehicle
from pannier.fleet.queries import DRIVERS, VEHICLES
from stage import Firm, House

PLATES = "select plate_number from vehicles where uuid = :uuid"


@pytest.fixture
async def van(acme: Firm, house: House) -> Vehicle:
    made = await Depot(acme).vehicle(plate_number="SGX 1")
    async with house.database.reading() as db:
        return await VEHICLES.get(db, acme.uuid, made["id"])


async def plated(db: Db, van: Vehicle, plate: str) -> Vehicle:
    """Change a van's plate soon."""
    saved, told = await VEHICLES.change(db, van, deferred=True, plate_number=plate)
    assert told == ["plate_number"]
    return saved


async def now(house: House, van: Vehicle) -> Vehicle:
    """Read what is committed."""
    async with house.database.reading() as db:
        return await VEHICLES.get(db, van.company, van.public_id)


async def test_it_is_there_after_the_commit(house: House, van: Vehicle) -> None:
    async with house.database.transaction() as db:
        saved = await plated(db, van, "SGX 2")
    assert await now(house, van) == saved
    assert (saved.plate_number, saved.version) == ("SGX 2", van.version + 1)


async def test_whatever_is_asked_next_sees_it(house: House, van: Vehicle) -> None:
    async with house.database.transaction() as db:
        await plated(db, van, "SGX 2")
        assert await db.fetch_value(PLATES, uuid=van.uuid) == "SGX 2"


async def test_who_reads_its_table_sees_it_and_who_reads_another_leaves_it_for_later(
    house: House, acme: Firm, van: Vehicle
) -> None:
    async with statements(house) as heard, house.database.transaction() as db:
        new = VEHICLES.draft(db, acme.uuid)
        await VEHICLES.insert_all(db, [new], deferred=True)
        assert await DRIVERS.find(db, acme.uuid, van.uuid) is None
        assert await DRIVERS.load_many(db, acme.uuid, [van.uuid]) == {}
        assert await VEHICLES.find(db, acme.uuid, new.uuid) == new
        saved = await plated(db, new, "SGX 2")
        assert await DRIVERS.find(db, acme.uuid, van.uuid) is None
        assert await VEHICLES.lock(db, acme.uuid, new.uuid) == saved
        again = await plated(db, saved, "SGX 3")
        assert await VEHICLES.load_many(db, acme.uuid, [new.uuid]) == {new.uuid: again}
    # Nothing was written for who asked after drivers.
    kinds = [sql.split()[0] + (" drivers" if "from drivers" in sql else "") for sql in heard]
    assert kinds == [
        "begin", "select drivers", "select drivers", "insert", "select", "select drivers",
        "update", "select", "update", "select", "commit",
    ]  # fmt: skip


async def test_what_waits_is_written_by_the_statement_that_returns_something(
    house: House, acme: Firm, van: Vehicle
) -> None:
    made = "update vehicles set make = :make where uuid = :van returning make, uuid"

    async with statements(house) as heard, house.database.transaction() as db:
        vans = [VEHICLES.draft(db, acme.uuid, plate_number=f"SGX {n}") for n in range(12)]
        await VEHICLES.insert_all(db, vans[:2], deferred=True)
        assert await db.execute_returning(made, make="Volvo", van=van.uuid) == [("Volvo", van.uuid)]
        # It does not see what it writes along.
        await VEHICLES.insert_all(db, vans[2:3], deferred=True)
        assert await db.execute_returning(made, make="Volvo", van=vans[2].uuid) == []
        # What is copied, and what is changed, comes before it.
        await VEHICLES.insert_all(db, vans[3:], deferred=True)
        assert len(await db.execute_returning(made, make="Volvo", van=vans[3].uuid)) == 1
        vans[0] = await plated(db, vans[0], "SGX 99")
        assert len(await db.execute_returning(made, make="Saab", van=van.uuid)) == 1
    kinds = [sql.split()[0] for sql in heard]
    assert kinds == [
        "begin",
        "with",
        "with",
        "update",
        "update",
        "update",
        "commit",
    ]  # A copy is not heard.
    said = await house.value("select array_agg(plate_number order by uuid) from vehicles")
    assert said == ["SGX 1", "SGX 99", *(f"SGX {n}" for n in range(1, 12))]


async def test_of_several_changes_of_a_row_all_are_written(house: House, van: Vehicle) -> None:
    async with house.database.transaction() as db:
        saved = await plated(db, van, "SGX 2")
        saved, _ = await VEHICLES.change(db, saved, deferred=True, make="Volvo")
        saved = await plated(db, saved, "SGX 3")
    assert await now(house, van) == saved
    assert (saved.plate_number, saved.make, saved.version) == ("SGX 3", "Volvo", van.version + 3)


async def test_new_rows_are_seen_by_whatever_is_asked_next_and_changed_after(
    house: House, acme: Firm
) -> None:
    async with house.database.transaction() as db:
        vans = [VEHICLES.draft(db, acme.uuid, plate_number=f"SGX {n}") for n in range(2)]
        await VEHICLES.insert_all(db, vans, deferred=True)
        saved = await plated(db, vans[0], "SGX 9")
        assert await db.fetch_value(PLATES, uuid=vans[1].uuid) == "SGX 1"
        assert await db.fetch_value(PLATES, uuid=vans[0].uuid) == "SGX 9"
    assert [await now(house, van) for van in vans] == [saved, vans[1]]


async def test_new_rows_are_there_after_the_commit_or_not_at_all(house: House, acme: Firm) -> None:
    async with house.database.transaction() as db:
        kept = VEHICLES.draft(db, acme.uuid)
        await VEHICLES.insert_all(db, [kept], deferred=True)
    with suppress(LookupError):
        async with house.database.transaction() as db:
            await VEHICLES.insert_all(db, [VEHICLES.draft(db, acme.uuid)], deferred=True)
            raise LookupError
    assert await house.value("select array_agg(uuid) from vehicles") == [kept.uuid]


async def test_what_fails_changes_nothing(house: House, van: Vehicle) -> None:
    with suppress(LookupError):
        async with house.database.transaction() as db:
            await plated(db, van, "SGX 2")
            raise LookupError
    assert await now(house, van) == van


async def test_a_part_that_is_refused_takes_its_changes_along(house: House, van: Vehicle) -> None:
    async with house.database.transaction() as db:
        before = await plated(db, van, "SGX 2")
        with suppress(Conflict):
            async with db.nested_transaction():
                await plated(db, before, "SGX 3")
                raise Conflict
        assert await db.fetch_value(PLATES, uuid=van.uuid) == "SGX 2"
    assert await now(house, van) == before


async def test_a_part_that_was_only_tried_leaves_nothing(house: House, van: Vehicle) -> None:
    async with house.database.transaction() as db, db.nested_transaction(dry_run=True):
        await plated(db, van, "SGX 2")
    assert await now(house, van) == van


async def test_what_is_undone_to_a_mark_is_not_written(house: House, van: Vehicle) -> None:
    async with house.database.transaction() as db:
        before = await plated(db, van, "SGX 2")
        await db.set_savepoint()
        await plated(db, before, "SGX 3")
        await db.roll_back_to_savepoint()
    assert await now(house, van) == before
