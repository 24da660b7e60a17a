"""The worker step that alerts operators of orders that are late, or will be by their ETA.

Completing or canceling an order closes its alert at once. This step does the rest, company by
company: it raises the missing alerts, and closes those of orders that are in time again.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.alerts import service as alerts
from pannier.alerts.models import AlertCause
from pannier.db import Database, Db
from pannier.orders.driver_days import queries
from pannier.orders.driver_days.stops import StopEta, find_worst_eta
from pannier.orders.stages import DUE, OPEN
from pannier.web.times import to_rfc3339

# An order that has been late for longer raises no alert: nobody has looked after it.
MAX_AGE: Final = timedelta(days=1)
# Alerts per company and step.
BATCH_SIZE: Final = 200
LOWEST_UUID: Final = UUID(int=0)
_NEXT_COMPANY: Final = f"""
    select company from orders where company > :last and {OPEN} and deleted_at is null
    order by company limit 1"""
_WITHOUT_ALERT: Final = """not exists (
    select from alerts a where a.company = :company and a.kind = 'late'
        and a.subject_uuid = orders.uuid and a.closed_at is null)"""
# Open orders whose driver will be late by fresh ETAs.
_EXPECTED: Final = queries.build_forecast_query("late")
# Locked orders cannot be completed before the alert is raised. Other workers' orders are skipped.
_FIND_LATE: Final = f"""
    with overdue as (
        select uuid from orders
        where company = :company and {OPEN} and deleted_at is null
          and {DUE} >= :recent and {DUE} < :now and {_WITHOUT_ALERT}
        order by {DUE} desc, uuid limit :limit),
    expected as (
        select uuid from orders where uuid in ({_EXPECTED}) and {_WITHOUT_ALERT} limit :limit)
    select uuid, public_id, driver, {DUE} as due_at from orders
    where uuid in (select uuid from overdue union all select uuid from expected)
      and company = :company and {OPEN} and deleted_at is null
    order by uuid limit :limit for no key update skip locked"""
_FIND_IN_TIME: Final = f"""
    select a.subject_uuid from alerts a
    where a.company = :company and a.kind = 'late' and a.closed_at is null
      and not exists (
          select from orders where uuid = a.subject_uuid and {OPEN} and deleted_at is null
              and {DUE} < :now)
      and a.subject_uuid not in ({_EXPECTED})
    order by a.subject_uuid limit :limit"""


class LateOrder(msgspec.Struct, frozen=True):
    """An order that has no alert yet."""

    uuid: UUID
    public_id: str
    driver: UUID | None
    due_at: datetime | None


class LateOrderWatcher:
    """Updates the alerts of one company per step."""

    def __init__(self, database: Database) -> None:
        self._database, self._last_company = database, LOWEST_UUID

    async def step(self) -> bool:
        """Update the alerts of the next company; return False after the last one."""
        async with self._database.transaction() as db:
            company = await db.fetch_value(_NEXT_COMPANY, last=self._last_company)
            self._last_company = company or LOWEST_UUID
            if company is not None:
                await _update_alerts(db, company)
        return company is not None


async def _update_alerts(db: Db, company: UUID) -> None:
    values = {
        "company": company,
        "now": db.now,
        "limit": BATCH_SIZE,
        **queries.build_freshness_values(db.now),
    }
    in_time = await db.fetch_tuples(_FIND_IN_TIME, **values)
    await alerts.close_alerts(db, company, "late", [uuid for (uuid,) in in_time])
    orders = await db.fetch_all(LateOrder, _FIND_LATE, recent=db.now - MAX_AGE, **values)
    etas = await queries.load_etas(db, company, [order.driver for order in orders], db.now)
    for order in orders:
        driver_etas = None if order.driver is None else etas.get(order.driver)
        stops = [] if driver_etas is None else driver_etas.stops
        await alerts.raise_alert(db, company, _to_cause(order, stops))


def _to_cause(order: LateOrder, stops: Sequence[StopEta]) -> AlertCause:
    worst = find_worst_eta(stop for stop in stops if stop.order == order.uuid)
    due_at = order.due_at if worst is None else worst.closes
    return AlertCause(
        kind="late",
        subject=order.public_id,
        subject_uuid=order.uuid,
        details={
            "due_at": to_rfc3339(due_at),
            "eta": None if worst is None else to_rfc3339(worst.eta),
        },
    )
