"""HTTP handlers for failed delivery attempts."""

from collections.abc import Mapping
from typing import Any

from litestar import Response

from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import FieldError, Invalid
from pannier.fleet.auth import DriverCaller
from pannier.orders.access import OrderCaller, load_order, lock_order, to_order_out
from pannier.orders.attempts import queries, service
from pannier.orders.attempts.schemas import (
    AttemptFilters,
    AttemptIn,
    DecisionIn,
    DeliveryAttemptOut,
)
from pannier.orders.flow import IllegalMove
from pannier.orders.gate import PodRequired
from pannier.orders.schemas import OrderOut
from pannier.web.exchange import Exchange
from pannier.web.lists import to_array_response
from pannier.web.routes import act, get
from pannier.web.versions import IfMatch, PreconditionFailed


async def fail_attempt(
    caller: OrderCaller, order_id: str, data: AttemptIn, match: IfMatch, db: Db
) -> OrderOut:
    """Report a failed delivery attempt."""
    if isinstance(caller, DriverCaller) and data.then is not None:
        raise Invalid(
            fields=[FieldError("then", "Only a dispatcher can decide this. Leave it out.")]
        )
    order = await lock_order(db, caller, order_id, match)
    return to_order_out(db, caller, await service.record_failed_attempt(db, order, data))


async def resume_attempt(
    key: FleetKey, order_id: str, data: DecisionIn, match: IfMatch, db: Db
) -> OrderOut:
    """Decide what happens after a failed delivery attempt."""
    order = await lock_order(db, key, order_id, match)
    return (await service.apply_decision(db, order, data)).to_order_out()


async def list_attempts(
    caller: OrderCaller, order_id: str, filters: AttemptFilters, exchange: Exchange, db: Db
) -> Response[list[DeliveryAttemptOut]]:
    """List the failed attempts of an order, newest first."""
    order = await load_order(db, caller, order_id)
    page = await queries.list_attempts(db, order.row, filters)
    return to_array_response(exchange, page, queries.make_renderer(order))


def make_handlers(order_path: str, driver_access: Mapping[str, Any]) -> list[Any]:
    """Build the handlers below an order's path; `driver_access` lets drivers in too."""
    problems = [IllegalMove, PreconditionFailed]
    return [
        act(
            f"{order_path}/fail-attempt",
            status_code=200,
            problems=[*problems, PodRequired],
            **driver_access,
        )(fail_attempt),
        act(f"{order_path}/resume-attempt", status_code=200, problems=problems)(resume_attempt),
        get(f"{order_path}/attempts", **driver_access)(list_attempts),
    ]
