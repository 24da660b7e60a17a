"""Reports from the stored figures of days. Today's figures are computed when they are read."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Final
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db
from pannier.errors import FieldError, Invalid
from pannier.reports import days, histogram, parts, scorecards
from pannier.reports.catalog import Report, ReportFigure
from pannier.reports.models import DatedFigures
from pannier.reports.parts import PARTS, DayRange
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
    rows = [
        row
        for table in report.parts
        for row in await parts.load_rows(db, company, settings, PARTS[table], day_range)
    ]
    keys = _list_keys(report, rows, day_range)
    return _sum_rows(report, rows, keys), _group_rows(report, rows, keys, day_range, period)


def _list_keys(
    report: Report, rows: Sequence[DatedFigures], day_range: DayRange
) -> set[tuple[date, str]]:
    """Return the days and currencies with a row: without currencies, each day up to today."""
    if report.breakdown == "currency":
        return {_get_key(row) for row in rows}
    last = min(day_range.last, day_range.today)
    return {(day, "") for day in list_days(day_range.first, last)}


async def _load_drivers(
    db: Db, company: UUID, settings: CompanySettings, report: Report, day_range: DayRange
) -> tuple[list[ReportTotal], list[ReportRow]]:
    """Load the totals of all drivers, and a row for each of those with the most orders."""
    bounds = (day_range.first, min(day_range.last, day_range.today))
    rows_by_driver = await scorecards.load_drivers(db, company, settings, report, day_range)
    drivers = scorecards.rank_drivers(rows_by_driver)
    shown_drivers = drivers[: scorecards.MAX_DRIVERS]
    names = await scorecards.load_names(db, company, shown_drivers)
    rows = [
        ReportRow(
            day=bounds[0],
            until=bounds[1],
            currency=None,
            driver=names[driver],
            figures=compute_figures(report, rows_by_driver[driver]),
        )
        for driver in shown_drivers
    ]
    all_rows = [row for driver_rows in rows_by_driver.values() for row in driver_rows]
    totals = [ReportTotal(currency=None, figures=compute_figures(report, all_rows))]
    return totals if rows else [], rows


def _group_rows(
    report: Report,
    rows: Sequence[DatedFigures],
    keys: Iterable[tuple[date, str]],
    day_range: DayRange,
    period: Period,
) -> list[ReportRow]:
    """Add up the rows of each period, those of each currency for themselves."""
    groups: dict[tuple[date, str], list[DatedFigures]] = {
        (find_start(day, period), currency): [] for day, currency in keys
    }
    for row in rows:
        day, currency = _get_key(row)
        groups[find_start(day, period), currency].append(row)
    last = min(day_range.last, day_range.today)
    return [
        ReportRow(
            day=max(start, day_range.first),
            until=min(find_end(start, period), last),
            currency=currency or None,
            figures=compute_figures(report, group),
        )
        for (start, currency), group in sorted(groups.items(), key=lambda item: item[0])
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


def list_days(first: date, last: date) -> list[date]:
    """List the days from the first to the last."""
    return [first + number * ONE_DAY for number in range((last - first).days + 1)]


def _get_key(row: DatedFigures) -> tuple[date, str]:
    """Return the day of a row, and its currency if it has one."""
    return row.day, getattr(row, "currency", "")


def _sum_rows(
    report: Report, rows: Sequence[DatedFigures], keys: Iterable[tuple[date, str]]
) -> list[ReportTotal]:
    """Add up the rows, those of each currency for themselves."""
    return [
        ReportTotal(
            currency=currency or None,
            figures=compute_figures(report, [row for row in rows if _get_key(row)[1] == currency]),
        )
        for currency in sorted({currency for _, currency in keys})
    ]


def compute_figures(report: Report, rows: Sequence[DatedFigures]) -> dict[str, float | int | None]:
    """Compute the figures of rows together. A share is computed from the sums."""
    # A report of several parts adds up rows that have different columns.
    sums = {column: sum(getattr(row, column, 0) for row in rows) for column in report.columns}
    return {
        figure.name: _compute_figure(figure, sums)
        if figure.quantile is None
        else _find_quantile(figure.column, figure.quantile, rows)
        for figure in report.figures
    }


def _find_quantile(column: str, share: float, rows: Sequence[DatedFigures]) -> int | None:
    """Return a quantile of the rows together, which is not that of their quantiles."""
    return histogram.find_quantile(histogram.merge(getattr(row, column, ()) for row in rows), share)


def _compute_figure(figure: ReportFigure, sums: Mapping[str, int]) -> float | int | None:
    value = sums[figure.column] - sum(sums[name] for name in figure.minus)
    if figure.whole:
        return _compute_share(value, sum(sums[name] for name in figure.whole))
    return value


def _compute_share(part: int, total: int) -> float | None:
    return round(100 * part / total, 1) if total else None
