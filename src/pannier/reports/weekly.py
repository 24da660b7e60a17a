"""The weekly report by email, for operators who choose it."""

from datetime import date, datetime, time, timedelta
from typing import Annotated, Final
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import CompanySettings, local_time_to_utc
from pannier.db import Database, Db
from pannier.jobs.leases import Lease, Leases
from pannier.kit.money import Money
from pannier.notifications import service as notifications
from pannier.notifications.texts import compose
from pannier.reports import service
from pannier.reports.catalog import REPORTS
from pannier.reports.schemas import ReportFilters

# After the figures of Sunday are stored.
SENDING_TIME: Final = time(6)
ONE_WEEK: Final = timedelta(days=7)
LEASES: Final = Leases("report_emails", key="operator")
# When to try again after a failure.
LEASE_DURATION: Final = timedelta(hours=1)
NO_SHARE: Final = "\N{EN DASH}"


class WeeklyReportIn(msgspec.Struct, kw_only=True):
    """Whether to receive the weekly report."""

    enabled: Annotated[bool, Meta(examples=[True])]


class WeeklyReportOut(msgspec.Struct, kw_only=True):
    """Whether the signed-in operator receives the weekly report."""

    enabled: Annotated[bool, Meta(description="Sent on Mondays, by email.")]


class ReportEmail(msgspec.Struct):
    """An operator who receives the weekly report."""

    operator: UUID
    company: UUID
    attempts: int
    # The last day of the latest report.
    reported_until: date | None


class _Recipient(msgspec.Struct):
    email: str


async def is_enabled(db: Db, company: UUID, operator: UUID) -> bool:
    """Return whether an operator receives the weekly report."""
    return bool(
        await db.fetch_value(
            """select exists (select from report_emails
               where company = :company and operator = :operator)""",
            company=company,
            operator=operator,
        )
    )


async def set_enabled(db: Db, company: UUID, operator: UUID, *, enabled: bool) -> None:
    """Begin or end an operator's weekly report."""
    if not enabled:
        await db.execute(
            "delete from report_emails where company = :company and operator = :operator",
            company=company,
            operator=operator,
        )
        return
    settings = await company_settings.load(db, company)
    await db.execute(
        """insert into report_emails (operator, company, due_at)
           values (:operator, :company, :due_at) on conflict (operator) do nothing""",
        operator=operator,
        company=company,
        due_at=find_next_time(db.now, settings.zone),
    )


def find_next_time(now: datetime, zone: ZoneInfo) -> datetime:
    """Return the next Monday morning in a time zone."""
    today = now.astimezone(zone).date()
    monday = today - timedelta(days=today.weekday())
    this_week = local_time_to_utc(monday, SENDING_TIME, zone)
    return (
        this_week
        if this_week > now
        else local_time_to_utc(monday, SENDING_TIME, zone, days_later=7)
    )


async def step(database: Database) -> bool:
    """Write the next email that is due; return False if none is.

    After an outage, only the report of the last week is sent. A failure is tried again after the
    lease, and delays no other email.
    """
    async with database.transaction() as db:
        rows = await LEASES.lease(db, ReportEmail, lease=LEASE_DURATION)
    for row in rows:
        async with database.transaction() as db:
            await _write_report(db, row)
    return bool(rows)


async def _write_report(db: Db, row: ReportEmail) -> None:
    recipient = await db.find(
        _Recipient,
        """select email from operators
           where company = :company and uuid = :operator and disabled_at is null""",
        company=row.company,
        operator=row.operator,
    )
    if recipient is None:
        await set_enabled(db, row.company, row.operator, enabled=False)
        return
    settings = await company_settings.load(db, row.company)
    today = db.now.astimezone(settings.zone).date()
    last = today - timedelta(days=today.weekday() + 1)
    is_leased = await LEASES.release(
        db,
        Lease(row.operator, row.attempts),
        due_at=find_next_time(db.now, settings.zone),
        reported_until=last if row.reported_until is None else max(last, row.reported_until),
    )
    # In another time zone, Monday may come a second time.
    if is_leased and (row.reported_until is None or last > row.reported_until):
        await _queue_email(db, row.company, settings, recipient.email, last)


async def _queue_email(
    db: Db, company: UUID, settings: CompanySettings, recipient: str, last: date
) -> None:
    """Queue the report of the week that ended on a day."""
    first = last - ONE_WEEK + timedelta(days=1)
    values = {
        "brand": settings.branding.name or settings.company_name,
        "from": first.isoformat(),
        "to": last.isoformat(),
        "url": f"{db.database.base_url}/console/reports/volume?from={first}&to={last}",
        "account": f"{db.database.base_url}/console/me",
        **await _load_figures(db, company, first, last),
    }
    subject = compose(settings.locale, "weekly_report.subject", **values)
    text = compose(settings.locale, "weekly_report.text", **values)
    await notifications.queue_message(db, company, "email", recipient, text, subject)


async def _load_figures(db: Db, company: UUID, first: date, last: date) -> dict[str, str]:
    """Load the totals of a week, as texts."""
    filters = ReportFilters(since=first, until=last)
    texts: dict[str, str] = {}
    for name in ("volume", "on-time", "first-attempt"):
        report = await service.load_report(db, company, REPORTS[name], filters)
        for total in report.totals:
            for figure in report.figures:
                value = total.figures[figure.name]
                suffix = "%" if figure.unit == "percent" else ""
                texts[figure.name] = NO_SHARE if value is None else f"{value}{suffix}"
    revenue = await service.load_report(db, company, REPORTS["revenue"], filters)
    amounts = [
        Money(int(total.figures["revenue"] or 0), total.currency).format()
        for total in revenue.totals
        if total.currency is not None
    ]
    return {**texts, "revenue": ", ".join(amounts) or NO_SHARE}
