"""Reports from the stored figures of days. Today's figures are computed when they are read."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db
from pannier.errors import FieldError, Invalid
from pannier.reports import days, figures, scorecards
from pannier.reports.catalog import Report
from pannier.reports.models import DayFigures, DriverFigures, MoneyFigures, StoredDay, StoredMoney
from pannier.reports.schemas import (
    DEFAULT_DAYS,
    MAX_DAYS,
    Period,
    ReportFigureOut,
    ReportFilters,
    ReportOut,
    ReportRow,
    ReportTotal,
)

# Outdated days that are computed when they are read, besides today.
MAX_LIVE_DAYS: Final = 2
ONE_DAY: Final = timedelta(days=1)
FigureRow = StoredDay | StoredMoney | DriverFigures


class DayRange(NamedTuple):
    """The days of a report, and those to compute now."""

    first: date
    last: date
    today: date
    live: Sequence[date]
    # Whether the figures of all other days are up to date.
    complete: bool


async def load_report(db: Db, company: UUID, report: Report, filters: ReportFilters) -> ReportOut:
    """Load a report for a range of days."""
    settings = await company_settings.load(db, company)
    day_range = await _load_range(db, company, settings, filters)
    totals, rows = await _load_rows(db, company, settings, report, day_range, filters.by)
    return ReportOut(
        name=report.name,  # type: ignore[arg-type]  # one of the names
        title=report.title,
        description=report.description,
        since=day_range.first,
        until=day_range.last,
        time_zone=settings.time_zone,
        complete=day_range.complete,
        figures=[
            ReportFigureOut(
                name=figure.name,
                label=figure.label,
                unit=figure.unit,
                main=figure.name in report.main,
            )
            for figure in report.figures
        ],
        totals=totals,
        rows=rows,
    )


async def _load_rows(
    db: Db,
    company: UUID,
    settings: CompanySettings,
    report: Report,
    day_range: DayRange,
    period: Period,
) -> tuple[list[ReportTotal], list[ReportRow]]:
    """Load the totals and rows of a report."""
    if report.breakdown == "driver":
        return await _load_drivers(db, company, settings, report, day_range)
    load_days = _load_days if report.breakdown == "day" else _load_money
    rows = await load_days(db, company, settings, day_range)
    return _sum_rows(report, rows), _group_rows(report, rows, day_range, period)


async def _load_drivers(
    db: Db, company: UUID, settings: CompanySettings, report: Report, day_range: DayRange
) -> tuple[list[ReportTotal], list[ReportRow]]:
    """Load the totals of all drivers, and a row for each of those with the most orders."""
    bounds = (day_range.first, min(day_range.last, day_range.today))
    drivers = await scorecards.load_drivers(db, company, settings, bounds, day_range.live)
    shown_drivers = drivers[: scorecards.MAX_DRIVERS]
    names = await scorecards.load_names(db, company, shown_drivers)
    rows = [
        ReportRow(
            day=bounds[0],
            until=bounds[1],
            currency=None,
            driver=names[row.driver],
            figures=compute_figures(report, [row]),
        )
        for row in shown_drivers
    ]
    return _sum_rows(report, drivers), rows


def _group_rows(
    report: Report,
    rows: Sequence[StoredDay | StoredMoney],
    day_range: DayRange,
    period: Period,
) -> list[ReportRow]:
    """Add up the rows of each period, those of each currency for themselves."""
    groups: defaultdict[tuple[date, str], list[StoredDay | StoredMoney]] = defaultdict(list)
    for row in rows:
        groups[find_start(row.day, period), _get_currency(row) or ""].append(row)
    last = min(day_range.last, day_range.today)
    return [
        ReportRow(
            day=max(start, day_range.first),
            until=min(find_end(start, period), last),
            currency=currency or None,
            figures=compute_figures(report, group),
        )
        for (start, currency), group in sorted(groups.items())
    ]


def find_start(day: date, period: Period) -> date:
    """Return the first day of a day's period."""
    match period:
        case "week":
            return day - day.weekday() * ONE_DAY
        case "month":
            return day.replace(day=1)
        case _:
            return day


def find_end(start: date, period: Period) -> date:
    """Return the last day of a period."""
    match period:
        case "week":
            return start + 6 * ONE_DAY
        case "month":
            return (start.replace(day=1) + 31 * ONE_DAY).replace(day=1) - ONE_DAY
        case _:
            return start


async def _load_range(
    db: Db, company: UUID, settings: CompanySettings, filters: ReportFilters
) -> DayRange:
    today = db.now.astimezone(settings.zone).date()
    last = filters.until or today
    first = filters.since or last - (DEFAULT_DAYS - 1) * ONE_DAY
    if first > last:
        raise Invalid(fields=[FieldError("from", "must not be after `to`.")])
    if (last - first).days >= MAX_DAYS:
        raise Invalid(fields=[FieldError("from", f"A report has at most {MAX_DAYS} days.")])
    outdated_days = await days.list_outdated_days(db, company, first, min(last, today - ONE_DAY))
    live_days = [*([today] if first <= today <= last else []), *outdated_days[:MAX_LIVE_DAYS]]
    complete = len(outdated_days) <= MAX_LIVE_DAYS and await days.has_current_calendar(
        db, company, settings
    )
    return DayRange(first, last, today, live_days, complete)


async def _load_days(
    db: Db, company: UUID, settings: CompanySettings, day_range: DayRange
) -> list[StoredDay]:
    """Load a row for each day up to today."""
    stored_days = await days.list_days(db, company, day_range.first, day_range.last)
    rows_by_day = {row.day: row for row in stored_days}
    for day in day_range.live:
        day_figures = await figures.compute_day(db, company, settings.get_day_bounds(day))
        rows_by_day[day] = days.to_stored_day(company, day, day_figures, db.now)
    last = min(day_range.last, day_range.today)
    return [
        rows_by_day.get(day) or days.to_stored_day(company, day, DayFigures(), db.now)
        for day in list_days(day_range.first, last)
    ]


async def _load_money(
    db: Db, company: UUID, settings: CompanySettings, day_range: DayRange
) -> list[StoredMoney]:
    """Load a row for each currency and day with transactions."""
    rows = [
        row
        for row in await days.list_money(db, company, day_range.first, day_range.last)
        if row.day not in day_range.live and row.day <= day_range.today
    ]
    for day in day_range.live:
        money = await figures.compute_money(db, company, settings.get_day_bounds(day))
        rows += [days.to_stored_money(company, day, row) for row in money]
    return rows


def list_days(first: date, last: date) -> list[date]:
    """List the days from the first to the last."""
    return [first + number * ONE_DAY for number in range((last - first).days + 1)]


def _get_currency(row: FigureRow) -> str | None:
    return row.currency if isinstance(row, MoneyFigures) else None


def _sum_rows(report: Report, rows: Sequence[FigureRow]) -> list[ReportTotal]:
    """Add up the rows, those of each currency for themselves."""
    currencies = sorted({_get_currency(row) or "" for row in rows})
    return [
        ReportTotal(
            currency=currency or None,
            figures=compute_figures(
                report, [row for row in rows if (_get_currency(row) or "") == currency]
            ),
        )
        for currency in currencies
    ]


def compute_figures(report: Report, rows: Sequence[FigureRow]) -> dict[str, float | int | None]:
    """Compute the figures of rows together. A share is computed from the sums."""
    sums = {column: sum(getattr(row, column) for row in rows) for column in report.columns}
    return {
        figure.name: _compute_share(sums[figure.column], sums[figure.whole])
        if figure.whole
        else sums[figure.column]
        for figure in report.figures
    }


def _compute_share(part: int, total: int) -> float | None:
    return round(100 * part / total, 1) if total else None
