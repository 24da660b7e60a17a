"""HTTP handlers for simulations."""

from typing import Final

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.accounts.modes import TestCompanyRequired
from pannier.db import Db
from pannier.fleet.presence import DriverInactive
from pannier.orders.access import load_order, lock_order
from pannier.orders.flow import IllegalMove
from pannier.robots import service
from pannier.robots.schemas import SimulateIn, SimulationOut
from pannier.robots.service import SimulationRunning, TooManySimulations
from pannier.robots.sms_codes import TestRecipientRequired
from pannier.routing.router import Router
from pannier.web.exchange import Exchange
from pannier.web.routes import delete, get, post
from pannier.web.versions import IfMatch, PreconditionFailed

_SIMULATE: Final = "/orders/{order_id:str}/simulate"


@post(
    _SIMULATE,
    status_code=202,
    problems=[
        TestCompanyRequired,
        SimulationRunning,
        TooManySimulations,
        TestRecipientRequired,
        IllegalMove,
        DriverInactive,
        PreconditionFailed,
    ],
)
async def simulate_order(
    key: FleetKey,
    order_id: str,
    data: SimulateIn,
    match: IfMatch,
    exchange: Exchange,
    db: Db,
    router: Router,
) -> SimulationOut:
    """Let a robot deliver an order of a test company.

    The worker assigns a robot driver, dispatches the order, moves the driver along the route, and
    fires the activities with their proofs, as a real driver would. All events and webhooks follow.
    """
    order = await load_order(db, key, order_id)
    match(order.row.version)
    draft = await service.draft(db, order, data)
    async with exchange.edge.suspend_transaction(exchange):
        route = await router.measure(draft.points, draft.pace, order.profile)
    row = await service.start(db, key.company, draft, route, data, match)
    return await service.to_out(db, order, row)


@get(_SIMULATE)
async def get_simulation(key: FleetKey, order_id: str, db: Db) -> SimulationOut:
    """Retrieve the latest simulation of an order. It is kept for a week."""
    order = await load_order(db, key, order_id)
    return await service.to_out(db, order, await service.get_simulation(db, order))


@delete(_SIMULATE, status_code=200, problems=[PreconditionFailed])
async def stop_simulation(key: FleetKey, order_id: str, match: IfMatch, db: Db) -> SimulationOut:
    """Stop the simulation of an order. The order stays as it is."""
    order = await lock_order(db, key, order_id, match)
    return await service.to_out(db, order, await service.stop(db, order))


routers: Final = (
    api_routers.api_router("Orders", "orders", [simulate_order, get_simulation, stop_simulation]),
)
