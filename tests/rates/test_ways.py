"""How far it is: asked of the routing engine with no connection in hand, and named in the quote."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import stage
from pannier.db import Database
from pannier.kit.clock import ManualClock
from rates import counter
from routing import machines
from routing.machines import Machine
from stage import Firm

CROWD = 30  # more than there are connections


@pytest.fixture
async def roadside(
    database: Database, clock: ManualClock, tmp_path: Path
) -> AsyncIterator[tuple[Firm, Machine]]:
    """A company with a rate by the kilometre, in a house with a routing engine."""
    async with machines.opened(machines.osrm) as machine:
        house = await stage.build(
            database, clock, str(tmp_path), router="osrm", router_url=machine.url
        )
        firm = await house.found("Acme")
        await counter.rate(firm, **counter.BY_KILOMETRE, public=True)
        yield firm, machine


async def test_an_engine_says_how_far_it_is_and_the_quote_who_said_so(
    roadside: tuple[Firm, Machine],
) -> None:
    firm, machine = roadside
    (quote,) = await counter.ask(firm.api)
    assert (quote["source"], len(machine.asked)) == ("osrm", 1)
    assert quote["amount"] == 500 + round(quote["distance"] * 80 / 1000)
    machine.status = 500
    (fallen_back,) = await counter.ask(firm.api, dropoff="0.0,100.2")
    assert fallen_back["source"] == "great_circle"
    before = len(machine.asked)
    (given,) = await counter.ask(firm.api, distance=1000, time=60)
    assert (given["source"], len(machine.asked)) == ("given", before)


@pytest.mark.slow
async def test_nobody_holds_a_connection_while_the_engine_takes_its_time(
    roadside: tuple[Firm, Machine],
) -> None:
    firm, machine = roadside
    machine.open.clear()
    asking = [
        asyncio.create_task(counter.ask(firm.api, dropoff=f"0.0,100.{number}"))
        for number in range(100, 100 + CROWD)
    ]
    await machine.crowd(10)
    assert (await firm.api.get("/v1/service-rates")).status_code == 200
    machine.open.set()
    answers = await asyncio.gather(*asking)
    assert all(len(quotes) == 1 for quotes in answers)
