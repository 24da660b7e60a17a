"""The parts of a day's figures: the table of each, and how it is computed from the day's records.

Some records expire. The figures of a day whose records are gone stay as they were computed last.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db, columns, retention
from pannier.reports import deliveries, device_health, figures, trips
from pannier.reports.figures import Bounds
from pannier.reports.models import (
    CostFigures,
    DatedFigures,
    DayFigures,
    DeviceFigures,
    DriverFigures,
    DriverTripFigures,
    MoneyFigures,
    TripFigures,
    WebhookFigures,
)


class FigurePart(NamedTuple):
    """A part of a day's figures: none, one or several rows of a table."""

    table: str
    row_type: type[DatedFigures]
    compute: Callable[[Db, UUID, Bounds], Awaitable[Sequence[DatedFigures]]]
    # The table of its records, if they expire, and how long others are kept that have no mark.
    source: str | None = None
    keep: timedelta | None = None


class DayRange(NamedTuple):
    """The days of a report, and those to compute now."""

    first: date
    last: date
    today: date
    live: Sequence[date]
    # Whether the figures of all other days are up to date.
    complete: bool


_PARTS: Final = (
    FigurePart("report_days", DayFigures, figures.list_day),
    FigurePart("report_money", MoneyFigures, figures.compute_money),
    FigurePart("report_drivers", DriverFigures, figures.compute_drivers),
    FigurePart("report_trips", TripFigures, trips.compute_trips, trips.SOURCE),
    FigurePart("report_driver_trips", DriverTripFigures, trips.compute_driver_trips, trips.SOURCE),
    FigurePart("report_costs", CostFigures, trips.compute_costs, trips.SOURCE),
    FigurePart("report_webhooks", WebhookFigures, deliveries.compute_deliveries, deliveries.SOURCE),
    FigurePart(
        "report_devices",
        DeviceFigures,
        device_health.compute_devices,
        device_health.SOURCE,
        device_health.KEEP,
    ),
)
PARTS: Final[Mapping[str, FigurePart]] = {part.table: part for part in _PARTS}
# The earliest stored day of a company.
FIRST_STORED_DAY: Final = " union all ".join(
    f"(select min(day) from {table} where company = :company)" for table in PARTS
)


async def compute_rows(
    db: Db, part: FigurePart, company: UUID, day: date, bounds: Bounds
) -> Sequence[DatedFigures] | None:
    """Compute the rows of a day, or return None if the stored ones are better."""
    rows = await part.compute(db, company, bounds)
    # Asked afterwards, so that no record can have expired in between.
    if await _has_expired(db, part, company, bounds[0]) and await _has_rows(db, part, company, day):
        return None
    for row in rows:
        row.company, row.day = company, day
    return rows


async def _has_expired(db: Db, part: FigurePart, company: UUID, start: datetime) -> bool:
    """Return whether records of a day that starts at a time may have been deleted."""
    if part.source is None:
        return False
    if part.keep is not None and start < db.now - part.keep:
        return True
    deleted_until = await retention.find_mark(db, company, part.source)
    return deleted_until is not None and deleted_until >= start


async def _has_rows(db: Db, part: FigurePart, company: UUID, day: date) -> bool:
    return bool(
        await db.fetch_value(
            f"""select exists (select from {part.table}
                where company = :company and day = :day)""",
            company=company,
            day=day,
        )
    )


async def save_rows(
    db: Db, part: FigurePart, company: UUID, day: date, rows: Sequence[DatedFigures]
) -> None:
    """Replace the stored rows of a day."""
    await db.execute(
        f"delete from {part.table} where company = :company and day = :day",
        company=company,
        day=day,
    )
    await db.insert(part.table, *rows)


async def delete_days_before(db: Db, company: UUID, first: date) -> None:
    """Delete the stored figures of days that are too old for the reports."""
    for table in PARTS:
        await db.execute(
            f"delete from {table} where company = :company and day < :first",
            company=company,
            first=first,
        )


async def load_rows(
    db: Db, company: UUID, settings: CompanySettings, part: FigurePart, day_range: DayRange
) -> list[DatedFigures]:
    """Load the rows of a range of days up to today. Some are computed now."""
    live_rows, computed_days = await compute_live_rows(db, company, settings, part, day_range)
    stored_rows = await db.fetch_all(
        part.row_type,
        f"""select {columns(part.row_type)} from {part.table}
            where company = :company and day between :first and :last and day <> all(:without)
            order by day""",
        company=company,
        first=day_range.first,
        last=min(day_range.last, day_range.today),
        without=computed_days,
    )
    return [*stored_rows, *live_rows]


async def compute_live_rows(
    db: Db, company: UUID, settings: CompanySettings, part: FigurePart, day_range: DayRange
) -> tuple[list[DatedFigures], list[date]]:
    """Compute the rows of the days that are computed when they are read. Return these days too."""
    live_rows: list[DatedFigures] = []
    computed_days: list[date] = []
    for day in day_range.live:
        rows = await compute_rows(db, part, company, day, settings.get_day_bounds(day))
        if rows is not None:
            live_rows += rows
            computed_days.append(day)
    return live_rows, computed_days


async def sum_drivers(
    db: Db, company: UUID, part: FigurePart, day_range: DayRange, without: Sequence[date]
) -> list[DatedFigures]:
    """Add up the stored rows of each driver in a range, without some days."""
    names = list_sums(part.row_type)
    sums = ", ".join(f"sum({name})::bigint as {name}" for name in names)
    return await db.fetch_all(
        part.row_type,
        f"""select driver, {sums} from {part.table}
            where company = :company and day between :first and :last
                and day <> all(:without)
            group by driver""",
        company=company,
        first=day_range.first,
        last=min(day_range.last, day_range.today),
        without=list(without),
    )


def list_sums(row_type: type[msgspec.Struct]) -> list[str]:
    """List the figures of a row that can be added up."""
    return [
        name
        for name in row_type.__struct_fields__
        if name not in {"company", "day", "driver", "currency", "computed_at"}
    ]
