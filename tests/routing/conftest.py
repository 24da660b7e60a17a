"""A shop on the way, and one in a house with a routing engine."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import stage
from orders.shop import Shop
from pannier.db import Database
from pannier.kit.clock import ManualClock
from routing import machines
from routing.machines import Machine
from stage import Firm


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


@pytest.fixture
async def roadside(
    database: Database, clock: ManualClock, tmp_path: Path
) -> AsyncIterator[tuple[Shop, Machine]]:
    """A shop in a house with a routing engine."""
    async with machines.opened(machines.osrm) as machine:
        house = await stage.build(
            database, clock, str(tmp_path), router="osrm", router_url=machine.url
        )
        yield Shop(await house.found("Acme")), machine
