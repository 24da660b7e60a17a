"""Auto-dispatch of scheduled orders, and deletion of what orders no longer need."""

from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from pannier.db import Database, Db, columns
from pannier.fleet.eligibility import BARRED_STATUSES
from pannier.orders import moves
from pannier.orders.batches import keys as batch_keys
from pannier.orders.models import Order
from pannier.orders.quotes import sweep as quotes_sweep
from pannier.orders.quotes.service import PaymentRequired, PriceRequired
from pannier.orders.views import OrderAggregate
from pannier.parked import service as parking
from pannier.parked.models import ParkedWork, WorkKey
from pannier.web.metrics import MAX_COUNTED
from pannier.web.times import LATEST_YEAR

STEP: Final = "scheduled orders"
BATCH_SIZE: Final = 100
# How long to wait for an order whose driver may not work at present.
DRIVER_RETRY_DELAY: Final = timedelta(minutes=1)
# How long to wait for a missing price or payment. The delay grows with the time overdue. A payment
# or any change of the order ends it.
MIN_RETRY_DELAY: Final = timedelta(minutes=5)
MAX_RETRY_DELAY: Final = timedelta(hours=1)
# A failed order is retried through the parked work, or after someone changes it.
PARKED_UNTIL: Final = datetime(LATEST_YEAR, 1, 1, tzinfo=UTC)

# Matches a partial index, so overdue orders without a driver cost nothing.
DUE: Final = """o.status = 'created' and o.deleted_at is null
    and (o.adhoc or o.driver is not null)
    and greatest(o.scheduled_at, o.dispatch_after) <= pannier_now()
    and o.scheduled_at <= pannier_now()"""
# Number of due orders, counted up to a bound, and the time of the oldest.
BACKLOG: Final = f"""
    select count(*) as waiting, min(scheduled_at) as since
    from (select o.scheduled_at from orders o where {DUE} limit {MAX_COUNTED}) due"""
HAS_ELIGIBLE_DRIVER: Final = """(o.driver is null or exists (
    select 1 from drivers d where d.uuid = o.driver
    and d.deleted_at is null and d.status <> all(:barred)))"""
BY_DUE_TIME: Final = "order by greatest(o.scheduled_at, o.dispatch_after), o.uuid"
SKIP_LOCKED: Final = "for no key update of o skip locked"


async def step(database: Database) -> bool:
    """Dispatch one due order; return False if none is due.

    Each order gets its own transaction, so that a failed order does not block others.
    """
    async with database.transaction() as db:
        await _postpone_without_driver(db)
        order = await db.find(
            Order,
            f"""select {columns(Order, "o")} from orders o where {DUE} and {HAS_ELIGIBLE_DRIVER}
                {BY_DUE_TIME} limit 1 {SKIP_LOCKED}""",
            barred=sorted(BARRED_STATUSES),
        )
        if order is None:
            return False
        async with parking.WorkAttempt(db) as attempt:
            await moves.dispatch(db, await OrderAggregate.load(db, order))
        if isinstance(attempt.failure, PriceRequired | PaymentRequired):
            overdue = db.now - (order.scheduled_at or db.now)
            delay = min(max(overdue, MIN_RETRY_DELAY), MAX_RETRY_DELAY)
            await _postpone_dispatch(db, order.company, order.uuid, db.now + delay)
        elif attempt.failure is not None:
            work = WorkKey(order.company, STEP, order.public_id, order.uuid)
            await parking.park(db, work, attempt.failure)
            await _postpone_dispatch(db, order.company, order.uuid, PARKED_UNTIL)
    return True


async def retry(db: Db, parked_work: ParkedWork) -> None:
    """Dispatch a parked order, if it is still due."""
    await _postpone_dispatch(db, parked_work.company, parked_work.subject_uuid, None)
    order = await db.find(
        Order,
        f"""select {columns(Order, "o")} from orders o
            where o.company = :company and o.uuid = :uuid and {DUE} and {HAS_ELIGIBLE_DRIVER}""",
        company=parked_work.company,
        uuid=parked_work.subject_uuid,
        barred=sorted(BARRED_STATUSES),
    )
    if order is not None:
        await moves.dispatch(db, await OrderAggregate.load(db, order))


async def _postpone_without_driver(db: Db) -> None:
    """Postpone due orders whose driver may not work at present."""
    await db.execute(
        f"""with idle as materialized (
                select o.uuid from orders o where {DUE} and not {HAS_ELIGIBLE_DRIVER}
                {BY_DUE_TIME} limit :batch {SKIP_LOCKED})
            update orders set dispatch_after = :later from idle where orders.uuid = idle.uuid""",
        later=db.now + DRIVER_RETRY_DELAY,
        barred=sorted(BARRED_STATUSES),
        batch=BATCH_SIZE,
    )


async def _postpone_dispatch(db: Db, company: UUID, order: UUID, until: datetime | None) -> None:
    await db.execute(
        """update orders set dispatch_after = :until
           where company = :company and uuid = :order""",
        until=until,
        company=company,
        order=order,
    )


async def hold_older(database: Database, before: datetime) -> int:
    """Keep orders from being dispatched that were scheduled before a time. Return how many.

    They stay as they are. A change of the order, or a dispatch by hand, ends that.
    """
    async with database.transaction() as db:
        return await db.execute(
            f"""update orders o set dispatch_after = :until
                where {DUE} and o.scheduled_at < :before""",
            until=PARKED_UNTIL,
            before=before,
        )


async def purge(database: Database, quote_retention: timedelta) -> bool:
    """Delete a batch of old quotes, and of expired keys of orders in batches."""
    has_deleted = await quotes_sweep.step(database, quote_retention)
    return await batch_keys.sweep(database) or has_deleted
