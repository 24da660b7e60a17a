"""Queries of simulations and their robots."""

from typing import Final
from uuid import UUID

from pannier.db import Db, columns
from pannier.fleet.models import Driver
from pannier.robots.models import Simulation

# The robots that work at once. The others may be suspended, or testers may use their numbers.
MAX_ROBOTS: Final = 20
# Test numbers, to which no message is sent.
PHONES: Final = tuple(f"+155555590{number:02}" for number in range(100))


async def find_simulation(db: Db, company: UUID, order: UUID) -> Simulation | None:
    """Find the latest simulation of an order."""
    return await db.find(
        Simulation,
        f"""select {columns(Simulation)} from simulations
            where company = :company and order_uuid = :order""",
        company=company,
        order=order,
    )


async def list_drivers_with_test_numbers(db: Db, company: UUID) -> list[Driver]:
    """List a company's drivers with the numbers of robots."""
    return await db.fetch_all(
        Driver,
        f"""select {columns(Driver)} from drivers
            where company = :company and phone = any(:phones) and deleted_at is null
            order by phone""",
        company=company,
        phones=list(PHONES),
    )


async def list_busy_drivers(db: Db, company: UUID) -> set[UUID]:
    """List the drivers of running simulations."""
    rows = await db.fetch_tuples(
        "select driver from simulations where company = :company and state = 'running'",
        company=company,
    )
    return {driver for (driver,) in rows}
