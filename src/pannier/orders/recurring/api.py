"""HTTP handlers for recurring orders."""

from typing import Final

from litestar import Response

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.orders.recurring import service
from pannier.orders.recurring.schemas import (
    RecurringDayFilters,
    RecurringDayIn,
    RecurringDayOut,
    RecurringOrderOut,
    RuleDatesOut,
    RulePreviewIn,
)
from pannier.orders.recurring.service import (
    RECURRING_ORDERS,
    DayDecided,
    DayPassed,
    NotARecurringDay,
    RecurringOrderEnded,
)
from pannier.web.exchange import Exchange
from pannier.web.lists import to_array_response
from pannier.web.resources import Resource
from pannier.web.routes import get, post
from pannier.web.versions import IfMatch, PreconditionFailed

recurring: Final = Resource(
    RECURRING_ORDERS,
    create=service.create_recurring_order,
    change=service.change_recurring_order,
    page=service.list_recurring_orders,
    show=service.load_outs,
    problems={"create": [NotFound], "change": [NotFound, RecurringOrderEnded]},
    summaries={
        "create": "Begin a recurring order: the worker creates orders by a rule of days.",
        "delete": "Delete a recurring order and the record of its days. Its orders stay.",
    },
)
_ONE: Final = "/recurring-orders/{recurring_order_id:str}"
_CHANGE_PROBLEMS: Final = [NotFound, PreconditionFailed, RecurringOrderEnded]
_DAY_PROBLEMS: Final = [*_CHANGE_PROBLEMS, DayDecided, NotARecurringDay]


@post("/recurring-orders/preview", status_code=200)
async def preview_rule(key: FleetKey, data: RulePreviewIn, db: Db) -> RuleDatesOut:
    """Describe a rule in words, and list its next days. Nothing is saved."""
    return await service.preview_rule(db, key.company, data)


@get(f"{_ONE}/next-days")
async def list_next_days(key: FleetKey, recurring_order_id: str, db: Db) -> RuleDatesOut:
    """List the next days without an order. A paused one has none."""
    row = await RECURRING_ORDERS.get(db, key.company, recurring_order_id)
    return await service.list_next_days(db, row)


@get(f"{_ONE}/days")
async def list_recurring_days(
    key: FleetKey, recurring_order_id: str, filters: RecurringDayFilters, exchange: Exchange, db: Db
) -> Response[list[RecurringDayOut]]:
    """List the days that were decided: their orders, or why there is none. Sorted by `day`."""
    row = await RECURRING_ORDERS.get(db, key.company, recurring_order_id)
    page = await service.list_days(db, row, filters)
    return to_array_response(exchange, page, RecurringDayOut.from_row)


@post(f"{_ONE}/pause", status_code=200, problems=_CHANGE_PROBLEMS)
async def pause_recurring_order(
    key: FleetKey, recurring_order_id: str, match: IfMatch, db: Db
) -> RecurringOrderOut:
    """Pause a recurring order. No orders are created until it is resumed."""
    row = await RECURRING_ORDERS.lock(db, key.company, recurring_order_id)
    match(row.version)
    return await recurring.to_out(db, await service.pause(db, row))


@post(f"{_ONE}/resume", status_code=200, problems=_CHANGE_PROBLEMS)
async def resume_recurring_order(
    key: FleetKey, recurring_order_id: str, match: IfMatch, db: Db
) -> RecurringOrderOut:
    """Resume a recurring order from today on."""
    row = await RECURRING_ORDERS.lock(db, key.company, recurring_order_id)
    match(row.version)
    return await recurring.to_out(db, await service.resume(db, row))


@post(f"{_ONE}/end", status_code=200, problems=[NotFound, PreconditionFailed])
async def end_recurring_order(
    key: FleetKey, recurring_order_id: str, match: IfMatch, db: Db
) -> RecurringOrderOut:
    """End a recurring order for good. Its orders stay."""
    row = await RECURRING_ORDERS.lock(db, key.company, recurring_order_id)
    match(row.version)
    return await recurring.to_out(db, await service.end(db, row))


@post(f"{_ONE}/skip", status_code=200, problems=_DAY_PROBLEMS)
async def skip_recurring_day(
    key: FleetKey, recurring_order_id: str, data: RecurringDayIn, match: IfMatch, db: Db
) -> RecurringOrderOut:
    """Skip one day: a day to come, or one whose order was refused."""
    row = await RECURRING_ORDERS.lock(db, key.company, recurring_order_id)
    match(row.version)
    return await recurring.to_out(db, await service.skip_day(db, row, data.day))


@post(f"{_ONE}/create-order", status_code=200, problems=[*_DAY_PROBLEMS, DayPassed])
async def create_recurring_day(
    key: FleetKey, recurring_order_id: str, data: RecurringDayIn, match: IfMatch, db: Db
) -> RecurringOrderOut:
    """Create the order of a day now, even if it was refused or skipped before."""
    row = await RECURRING_ORDERS.lock(db, key.company, recurring_order_id)
    match(row.version)
    return await recurring.to_out(db, await service.create_order(db, row, data.day))


routes: Final = api_routers.api_router(
    "Recurring orders",
    "orders",
    [
        *recurring.make_handlers(),
        preview_rule,
        list_next_days,
        list_recurring_days,
        pause_recurring_order,
        resume_recurring_order,
        end_recurring_order,
        skip_recurring_day,
        create_recurring_day,
    ],
)
