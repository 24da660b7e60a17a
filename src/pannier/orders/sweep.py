"""Auto-dispatch of scheduled orders."""

from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from pannier.db import Database, Db, columns
from pannier.fleet.eligibility import BARRED
from pannier.orders import moves
from pannier.orders.models import Order
from pannier.orders.quotes.service import PaymentRequired, PriceRequired
from pannier.orders.views import Aggregate
from pannier.parked import service as parking
from pannier.parked.models import Parked, Work
from pannier.web.times import LATEST

STEP: Final = "scheduled orders"
BATCH: Final = 100
# How long to wait for an order whose driver may not work at present.
A_WHILE: Final = timedelta(minutes=1)
# How long to wait for a missing price or payment. The delay grows with the time overdue. A payment
# or any change of the order ends it.
FIRST_WAIT: Final = timedelta(minutes=5)
LONGEST_WAIT: Final = timedelta(hours=1)
# A failed order is retried through the parked work, or after someone changes it.
PARKED: Final = datetime(LATEST, 1, 1, tzinfo=UTC)

# Matches a partial index, so overdue orders without a driver cost nothing.
DUE: Final = """o.status = 'created' and o.deleted_at is null
    and (o.adhoc or o.driver is not null)
    and greatest(o.scheduled_at, o.dispatch_after) <= pannier_now()
    and o.scheduled_at <= pannier_now()"""
CARRIED: Final = """(o.driver is null or exists (
    select 1 from drivers d where d.uuid = o.driver
    and d.deleted_at is null and d.status <> all(:barred)))"""
ORDERED: Final = "order by greatest(o.scheduled_at, o.dispatch_after), o.uuid"
HELD: Final = "for no key update of o skip locked"


async def step(database: Database) -> bool:
    """Dispatch one due order; return False if none is due.

    Each order gets its own transaction, so that none blocks another.
    """
    async with database.transaction() as db:
        await _put_off_uncarried(db)
        due = await db.find(
            Order,
            f"""select {columns(Order, "o")} from orders o where {DUE} and {CARRIED}
                {ORDERED} limit 1 {HELD}""",
            barred=sorted(BARRED),
        )
        if due is None:
            return False
        async with parking.Trial(db) as trial:
            await moves.dispatch(db, await Aggregate.of(db, due))
        if isinstance(trial.failure, PriceRequired | PaymentRequired):
            overdue = db.now - (due.scheduled_at or db.now)
            wait = min(max(overdue, FIRST_WAIT), LONGEST_WAIT)
            await _put_off(db, due.company, due.uuid, db.now + wait)
        elif trial.failure is not None:
            work = Work(due.company, STEP, due.public_id, due.uuid)
            await parking.park(db, work, trial.failure)
            await _put_off(db, due.company, due.uuid, PARKED)
    return True


async def again(db: Db, parked: Parked) -> None:
    """Dispatch a parked order, if it is still due."""
    await _put_off(db, parked.company, parked.subject_uuid, None)
    due = await db.find(
        Order,
        f"""select {columns(Order, "o")} from orders o
            where o.company = :company and o.uuid = :uuid and {DUE} and {CARRIED}""",
        company=parked.company,
        uuid=parked.subject_uuid,
        barred=sorted(BARRED),
    )
    if due is not None:
        await moves.dispatch(db, await Aggregate.of(db, due))


async def _put_off_uncarried(db: Db) -> None:
    """Postpone due orders whose driver may not work at present."""
    await db.execute(
        f"""with idle as materialized (
                select o.uuid from orders o where {DUE} and not {CARRIED}
                {ORDERED} limit :batch {HELD})
            update orders set dispatch_after = :later from idle where orders.uuid = idle.uuid""",
        later=db.now + A_WHILE,
        barred=sorted(BARRED),
        batch=BATCH,
    )


async def _put_off(db: Db, company: UUID, order: UUID, until: datetime | None) -> None:
    await db.execute(
        """update orders set dispatch_after = :until
           where company = :company and uuid = :order""",
        until=until,
        company=company,
        order=order,
    )
