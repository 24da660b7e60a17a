"""The figures of each driver over a range of days."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Final
from uuid import UUID

from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db, Table
from pannier.db.row import RowReference
from pannier.reports import days, figures
from pannier.reports.models import DriverFigures
from pannier.reports.schemas import ReportDriver

MAX_DRIVERS: Final = 100


class ScoredDriver(RowReference):
    """A driver's identifiers and name."""

    name: str


# Deleted drivers keep their figures.
_DRIVERS: Final = Table("drivers", ScoredDriver)


async def load_drivers(
    db: Db,
    company: UUID,
    settings: CompanySettings,
    bounds: tuple[date, date],
    live_days: Sequence[date],
) -> list[DriverFigures]:
    """Load the figures of each driver, those with the most completed orders first."""
    first, last = bounds
    rows = await days.sum_drivers(db, company, first, last, without=live_days)
    for day in live_days:
        rows += await figures.compute_drivers(db, company, settings.get_day_bounds(day))
    return sorted(_add_up(rows), key=lambda row: (-row.completed, row.driver))


def _add_up(rows: Iterable[DriverFigures]) -> list[DriverFigures]:
    """Add up the rows of each driver."""
    names = [name for name in DriverFigures.__struct_fields__ if name != "driver"]
    rows_by_driver: defaultdict[UUID, list[DriverFigures]] = defaultdict(list)
    for row in rows:
        rows_by_driver[row.driver].append(row)
    return [
        DriverFigures(
            driver=driver, **{name: sum(getattr(row, name) for row in group) for name in names}
        )
        for driver, group in rows_by_driver.items()
    ]


async def load_names(
    db: Db, company: UUID, rows: Sequence[DriverFigures]
) -> dict[UUID, ReportDriver]:
    """Load the ids and names of drivers."""
    drivers = await _DRIVERS.load_many(db, company, [row.driver for row in rows])
    return {uuid: ReportDriver(id=row.public_id, name=row.name) for uuid, row in drivers.items()}
