"""Devices that were found once are remembered, and nothing old is believed of them."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest

from devices.garage import Garage
from devices.gear import device, flush, position
from pannier.accounts.company_settings.models import InstallationLimits
from pannier.db import Db
from pannier.devices import lookup, store
from pannier.devices.outcomes import IngestOutcome, Submission
from pannier.devices.sources import Source
from pannier.kit.cache import Cache
from stage import NOON, Firm, House


def company(firm: Firm) -> Source:
    """A program of a company, which speaks for whichever device it names."""
    return Source(firm.uuid, None, None, speaks_for_all=True, adopts=False)


def only_two(monkeypatch: pytest.MonkeyPatch) -> Cache[UUID, lookup.Roster]:
    """Let a process remember two devices at most."""
    rosters = Cache[UUID, lookup.Roster](2, len)
    monkeypatch.setattr(lookup, "MAX_DEVICES", 2)
    monkeypatch.setattr(lookup, "_ROSTERS", rosters)
    return rosters


async def numbers(house: House) -> list[int]:
    """Whose events are stored, in the order in which they came."""
    found: list[int] = await house.value(
        "select array_agg(device_no order by event_key) from device_events"
    )
    return found


async def test_a_name_that_another_device_took_over_is_the_other_devices(
    acme: Firm, house: House, garage: Garage
) -> None:
    one = await garage.device(identifier="A")
    await flush(house, Submission(company(acme), [position(1, name="A")]))
    await garage.patch(f"devices/{one['id']}", identifier="B")
    (outcome,) = await flush(house, Submission(company(acme), [position(2, name="A")]))
    assert [each.code for each in outcome.refusals] == ["unknown_device"]
    two = await garage.device(identifier="A")
    for key, name in ((3, "A"), (4, "B")):
        await flush(house, Submission(company(acme), [position(key, name=name)]))
    first, second = await garage.number(one), await garage.number(two)
    assert await numbers(house) == [first, second, first]


async def test_a_name_that_a_device_gave_up_is_not_its_own_where_it_goes_by_another_beside_it(
    acme: Firm, house: House, garage: Garage
) -> None:
    one = await garage.device(identifier="A")
    own = Source(acme.uuid, UUID(one["uuid"]), None, speaks_for_all=False, adopts=False)
    await flush(house, Submission(company(acme), [position(1, name="A")]))
    await garage.patch(f"devices/{one['id']}", identifier="B")
    two = await garage.device(identifier="A")
    await flush(house, Submission(own, [position(2)]))
    await flush(
        house, Submission(company(acme), [position(3, name="A")]), Submission(own, [position(4)])
    )
    first, second = await garage.number(one), await garage.number(two)
    assert await numbers(house) == [first, first, second, first]


async def test_a_device_that_left_is_not_known_any_more(
    acme: Firm, house: House, garage: Garage
) -> None:
    one = await garage.device()
    own = Source(acme.uuid, UUID(one["uuid"]), None, speaks_for_all=False, adopts=False)
    assert await flush(house, Submission(own, [position(1)])) == [IngestOutcome(1, 0, [])]
    assert (await acme.api.delete(f"/v1/devices/{one['id']}")).is_success
    by_name, by_itself = await flush(
        house,
        Submission(company(acme), [position(2, name=one["id"])]),
        Submission(own, [position(3)]),
    )
    assert [each.code for each in by_name.refusals] == ["unknown_device"]
    assert by_itself.is_revoked
    assert await house.value("select count(*) from device_events") == 1


async def test_a_phone_is_none_once_its_driver_has_left(
    acme: Firm, house: House, garage: Garage
) -> None:
    driver = await garage.driver()
    phone = await garage.device(kind="phone", driver=driver["id"])
    said = Submission(company(acme), [position(1, name=phone["id"])])
    assert await flush(house, said) == [IngestOutcome(1, 0, [])]
    assert (await acme.api.delete(f"/v1/drivers/{driver['id']}")).is_success
    (outcome,) = await flush(house, Submission(company(acme), [position(2, name=phone["id"])]))
    assert [each.code for each in outcome.refusals] == ["unknown_device"]


async def test_a_device_that_was_taken_in_and_undone_is_taken_in_again(
    acme: Firm, house: House
) -> None:
    gateway = await device(acme, kind="gateway", adopts=True)
    through = gateway.own._replace(speaks_for_all=True, adopts=True)
    said = Submission(through, [position(1, name="new")])
    async with house.database.transaction() as db:
        await store.flush(db, [said], InstallationLimits.from_settings(house.settings))
        await house.database.roll_back(db, None)
    assert await flush(house, said) == [IngestOutcome(1, 0, [])]
    assert await house.value("select count(*) from devices where identifier = 'new'") == 1


async def test_a_gateway_that_may_not_any_more_takes_nothing_in_whatever_was_known_of_it(
    acme: Firm, house: House, garage: Garage
) -> None:
    made = await garage.device(kind="gateway", adopts=True)
    gateway = Source(acme.uuid, UUID(made["uuid"]), None, speaks_for_all=True, adopts=True)
    assert await flush(house, Submission(gateway, [position(1, name="new")])) == [
        IngestOutcome(1, 0, [])
    ]
    await garage.patch(f"devices/{made['id']}", adopts=False)
    said = Submission(gateway, [position(1, name="newer"), position(2, name="new")])
    (outcome,) = await flush(house, said)
    assert (outcome.accepted, [each.code for each in outcome.refusals]) == (1, ["unknown_device"])
    taken = Submission(gateway._replace(taken_at=NOON), said.readings)
    assert await flush(house, taken) == [IngestOutcome(1, 1, [])]


async def test_what_others_learned_meanwhile_makes_nothing_old_good_again(
    acme: Firm, house: House, garage: Garage, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await garage.device(identifier="A")
    await flush(house, Submission(company(acme), [position(1, name="A")]))
    look, others = lookup._look_up_references, list[str]()  # noqa: SLF001 - where one waits for the database

    async def late(
        db: Db, puts: Sequence[Submission], strange: dict[UUID, set[lookup.DeviceReference]]
    ) -> Any:
        if not others:
            others.append("B")
            await garage.patch(f"devices/{one['id']}", identifier="B")
            await garage.device(identifier="A")
            await flush(house, Submission(company(acme), [position(2, name="B")]))
        return await look(db, puts, strange)

    monkeypatch.setattr(lookup, "_look_up_references", late)
    await flush(house, Submission(company(acme), [position(3, name="A")]))
    first = await garage.number(one)
    assert others
    assert await numbers(house) == [first, first, first + 1]


async def test_a_change_counts_once_it_is_committed_and_not_before(
    acme: Firm, house: House, garage: Garage
) -> None:
    one = await garage.device(identifier="A")
    said = Submission(company(acme), [position(1, name="A")])
    async with house.database.transaction() as db:
        await db.execute("update devices set identifier = 'B', version = version + 1")
        assert await flush(house, said) == [IngestOutcome(1, 0, [])]
        await house.database.roll_back(db, None)
    assert await flush(house, said) == [IngestOutcome(0, 1, [])]
    async with house.database.transaction() as db:
        await db.execute("update devices set identifier = 'B', version = version + 1")
        assert await flush(house, said) == [IngestOutcome(0, 1, [])]
    (outcome,) = await flush(house, said)
    assert [each.code for each in outcome.refusals] == ["unknown_device"]
    assert await numbers(house) == [await garage.number(one)]


async def test_a_transaction_counts_once_however_many_devices_it_changes(
    house: House, garage: Garage
) -> None:
    driver = await garage.driver()
    for name in ("A", "B", "C"):
        await garage.device(identifier=name)
    for counted in (1, 2):
        async with house.database.transaction() as db:
            await db.execute("update devices set version = version + 1")
            await db.set_savepoint()
            await db.execute("update devices set version = version + 1 where identifier = 'B'")
            await db.execute(
                "update drivers set deleted_at = :now where uuid = :driver",
                now=db.now,
                driver=UUID(driver["uuid"]),
            )
        assert await house.value("select count from device_changes") == counted


async def test_only_so_many_are_remembered(
    acme: Firm, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    rosters = only_two(monkeypatch)
    for key in range(5):
        one = await device(acme)
        for again in (0, 1):
            said = Submission(company(acme), [position(10 * key + again, name=one.public_id)])
            assert await flush(house, said) == [IngestOutcome(1, 0, [])]
    entry = rosters.peek(acme.uuid)
    assert entry is not None
    assert 0 < len(entry.value) <= 2


async def test_who_names_nobody_makes_nobody_forgotten(
    acme: Firm, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    rosters = only_two(monkeypatch)
    for key in (1, 2):
        one = await device(acme)
        await flush(house, Submission(company(acme), [position(key, name=one.public_id)]))
    await flush(house, Submission(company(acme), [position(3, name="nobody")]))
    entry = rosters.peek(acme.uuid)
    assert entry is not None
    assert len(entry.value) == 2


async def test_companies_share_what_a_process_remembers(
    acme: Firm, rival: Firm, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    rosters = only_two(monkeypatch)
    ours, theirs = await device(acme), await device(rival)
    for key, one in enumerate((ours, theirs, await device(acme), theirs)):
        said = Submission(one.company, [position(key, name=one.public_id)])
        assert await flush(house, said) == [IngestOutcome(1, 0, [])]
    kept = [entry.value for firm in (acme, rival) if (entry := rosters.peek(firm.uuid))]
    assert sum(map(len, kept)) <= 2
    assert theirs.public_id in kept[-1]
