"""Rates in memory: fresh in every process, read in parts, and never more than fit."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from decimal import Decimal
from operator import attrgetter
from uuid import UUID

import pytest

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.kit.cache import Cache
from pannier.kit.geo import Point
from pannier.rates.catalogue import MAX_CACHE_WEIGHT, Catalogue, load_catalogue
from pannier.rates.models import MeterFee
from pannier.rates.queries import RATES
from rates import counter
from rates.examples import NOBODY, rate
from stage import Firm

HERE = Point(100.0, 0.0)
Process = Cache[UUID, Catalogue]


def process_of(limit: int = MAX_CACHE_WEIGHT) -> Process:
    """A process that has read nothing yet."""
    return Cache(limit, attrgetter("weight"))


async def kept(process: Process, firm: Firm) -> Catalogue:
    """What a process knows when it is asked."""
    async with firm.house.database.reading() as db:
        return await asked(process, db, firm)


async def asked(process: Process, db: Db, firm: Firm) -> Catalogue:
    edition = await company_settings.get_version(db, firm.uuid)
    return await load_catalogue(db, firm.uuid, edition, process)


def fees(catalogue: Catalogue) -> list[int]:
    return sorted(rate.base_fee for rate in catalogue.rates.values())


async def test_every_process_sees_an_edit_with_the_next_request(acme: Firm) -> None:
    one, other = process_of(), process_of()
    made = await counter.rate(acme)
    zone = await counter.zone(acme, counter.square(99.9, -0.1, 0.5))
    await counter.rate(acme, base_fee=600, zone=zone["id"])
    for process in (one, other):
        assert fees(await kept(process, acme)) == [500, 600]
        assert (await kept(process, acme)).find_zones([HERE]) == [{UUID(zone["uuid"])}]
    await acme.api.patch(f"/v1/service-rates/{made['id']}", json={"base_fee": 501})
    border = counter.square(0, 0, 1)
    await acme.api.patch(f"/v1/zones/{zone['id']}", json={"border": border})
    for process in (one, other):
        assert fees(await kept(process, acme)) == [501, 600]
        assert (await kept(process, acme)).find_zones([HERE]) == [set()]
    await acme.api.patch(f"/v1/service-rates/{made['id']}", json={"status": "inactive"})
    for process in (one, other):
        assert fees(await kept(process, acme)) == [600]


async def test_an_edit_reads_only_what_changed(acme: Firm) -> None:
    process = process_of()
    rates = [await counter.rate(acme, base_fee=fee) for fee in (1, 2, 3)]
    before = await kept(process, acme)
    assert await kept(process, acme) is before
    await acme.api.patch(f"/v1/service-rates/{rates[1]['id']}", json={"base_fee": 20})
    after = await kept(process, acme)
    same = [before.rates[uuid] is after.rates[uuid] for uuid in before.rates]
    assert (fees(after), same) == ([1, 3, 20], [True, False, True])


@pytest.mark.parametrize(
    "within", [lambda _: nullcontext(), Db.nested_transaction], ids=["whole", "part"]
)
async def test_what_is_not_committed_is_seen_by_nobody_else(
    acme: Firm, within: Callable[[Db], AbstractAsyncContextManager[None]]
) -> None:
    process = process_of()
    made = await counter.rate(acme)

    async def fail_in_the_middle() -> None:
        async with acme.house.database.transaction() as db:
            assert fees(await asked(process, db, acme)) == [500]
            async with within(db):
                await RATES.change(db, await RATES.lock(db, acme.uuid, made["id"]), base_fee=1)
                assert fees(await asked(process, db, acme)) == [1]
            raise RuntimeError("Something went wrong.")

    with pytest.raises(RuntimeError):
        await fail_in_the_middle()
    assert fees(await kept(process, acme)) == [500]
    await acme.api.patch(f"/v1/service-rates/{made['id']}", json={"base_fee": 2})
    assert fees(await kept(process, acme)) == [2]


async def test_many_who_ask_at_once_read_once(acme: Firm) -> None:
    process = process_of()
    await counter.rate(acme)
    found = await asyncio.gather(*(kept(process, acme) for _ in range(10)))
    assert {id(catalogue) for catalogue in found} == {id(found[0])}


async def test_the_company_that_was_asked_for_least_lately_goes_first(
    acme: Firm, rival: Firm
) -> None:
    process = process_of(3)
    for firm in (acme, rival):
        for fee in (1, 2):
            await counter.rate(firm, base_fee=fee)
    ours = await kept(process, acme)
    assert await kept(process, acme) is ours
    theirs = await kept(process, rival)
    assert await kept(process, rival) is theirs
    again = await kept(process, acme)
    assert again is not ours
    assert fees(again) == [1, 2]


def test_a_rate_weighs_what_it_lists() -> None:
    tiers = [MeterFee(Decimal(number), 1) for number in range(1, 201)]
    light, heavy = (Catalogue({NOBODY: one}, {}) for one in (rate(), rate(meter_fees=tiers)))
    assert (light.weight, heavy.weight) == (1, 51)


async def test_only_rates_around_the_stops_are_looked_at(acme: Firm) -> None:
    for number in range(5):
        zone = await counter.zone(acme, counter.square(100 + number, 0, 0.9), f"{number}")
        await counter.rate(acme, service_name=f"Zone {number}", zone=zone["id"])
    await counter.rate(acme, service_name="Anywhere")
    catalogue = await kept(process_of(), acme)
    held = catalogue.find_zones([Point(102.1, 0.1), Point(102.2, 0.2)])
    assert {rate.service_name for rate in catalogue.list_candidates(held)} == {"Zone 2", "Anywhere"}


async def test_a_formula_is_compiled_once_and_kept_when_another_rate_changes(acme: Firm) -> None:
    process = process_of()
    by_formula = {"rate_calculation_method": "algorithm", "algorithm": "items * 2"}
    await counter.rate(acme, **by_formula)
    first = await kept(process, acme)
    compiled = first.compile_formula("items * 2")
    assert first.compile_formula("items * 2") is compiled
    await counter.rate(acme, base_fee=7)
    second = await kept(process, acme)
    assert second is not first
    assert second.compile_formula("items * 2") is compiled
