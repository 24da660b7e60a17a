"""The figures of each driver over a range of days."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db, Table
from pannier.db.row import RowReference
from pannier.reports import parts
from pannier.reports.catalog import Report
from pannier.reports.models import DriverFigures, DriverTripFigures
from pannier.reports.parts import PARTS, DayRange
from pannier.reports.schemas import ReportDriver

MAX_DRIVERS: Final = 100
ScorecardRow = DriverFigures | DriverTripFigures


class ScoredDriver(RowReference):
    """A driver's identifiers and name."""

    name: str


# Deleted drivers keep their figures.
_DRIVERS: Final = Table("drivers", ScoredDriver)


async def load_drivers(
    db: Db, company: UUID, settings: CompanySettings, report: Report, day_range: DayRange
) -> Mapping[UUID, list[ScorecardRow]]:
    """Load the rows of each driver: their orders and their trips."""
    rows_by_driver: defaultdict[UUID, list[ScorecardRow]] = defaultdict(list)
    for table in report.parts:
        part = PARTS[table]
        live_rows, days = await parts.compute_live_rows(db, company, settings, part, day_range)
        for row in (*await parts.sum_drivers(db, company, part, day_range, days), *live_rows):
            if isinstance(row, ScorecardRow):
                rows_by_driver[row.driver].append(row)
    return rows_by_driver


def rank_drivers(rows_by_driver: Mapping[UUID, Sequence[ScorecardRow]]) -> list[UUID]:
    """List the drivers, those with the most completed orders first."""
    completed = {
        driver: sum(row.completed for row in rows if isinstance(row, DriverFigures))
        for driver, rows in rows_by_driver.items()
    }
    return sorted(completed, key=lambda driver: (-completed[driver], driver))


async def load_names(db: Db, company: UUID, uuids: Sequence[UUID]) -> dict[UUID, ReportDriver]:
    """Load the ids and names of drivers."""
    drivers = await _DRIVERS.load_many(db, company, list(uuids))
    return {uuid: ReportDriver(id=row.public_id, name=row.name) for uuid, row in drivers.items()}
