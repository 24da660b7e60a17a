"""HTTP handlers for failed delivery attempts."""

from collections.abc import Mapping
from typing import Any

from litestar import Response

from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import Field, Invalid
from pannier.fleet.auth import Driving
from pannier.orders.attempts import queries, service
from pannier.orders.attempts.schemas import (
    AttemptFilters,
    AttemptIn,
    DecisionIn,
    DeliveryAttemptOut,
)
from pannier.orders.doors import Coming, read, taken, to_out
from pannier.orders.flow import IllegalMove
from pannier.orders.gate import PodRequired
from pannier.orders.schemas import OrderOut
from pannier.web.exchange import Exchange
from pannier.web.lists import linked
from pannier.web.routes import act, get
from pannier.web.versions import Match, PreconditionFailed


async def fail_attempt(
    caller: Coming, order_id: str, data: AttemptIn, match: Match, db: Db
) -> OrderOut:
    """Report a failed delivery attempt."""
    if isinstance(caller, Driving) and data.then is not None:
        raise Invalid(fields=[Field("then", "Only a dispatcher can decide this. Leave it out.")])
    held = await taken(db, caller, order_id, match)
    return to_out(db, caller, await service.fail(db, held, data))


async def resume_attempt(
    key: FleetKey, order_id: str, data: DecisionIn, match: Match, db: Db
) -> OrderOut:
    """Decide what happens after a failed delivery attempt."""
    held = await taken(db, key, order_id, match)
    return (await service.decide(db, held, data)).out()


async def list_attempts(
    caller: Coming, order_id: str, filters: AttemptFilters, exchange: Exchange, db: Db
) -> Response[list[DeliveryAttemptOut]]:
    """List the failed attempts of an order, newest first."""
    found = await read(db, caller, order_id)
    page = await queries.page(db, found.order, filters)
    return linked(exchange, page, queries.spelling(found))


def handlers(one: str, own: Mapping[str, Any]) -> list[Any]:
    """Build the handlers below an order's path; `driver_access` lets drivers in too."""
    moving = [IllegalMove, PreconditionFailed]
    return [
        act(f"{one}/fail-attempt", status_code=200, problems=[*moving, PodRequired], **own)(
            fail_attempt
        ),
        act(f"{one}/resume-attempt", status_code=200, problems=moving)(resume_attempt),
        get(f"{one}/attempts", **own)(list_attempts),
    ]
