"""Access to orders: API keys reach every order of their company, drivers only their own."""

from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet.auth import Driving
from pannier.orders import queries
from pannier.orders.driver_view import present
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.schemas import OrderOut
from pannier.orders.views import Aggregate
from pannier.web.versions import Match

Coming = FleetKey | Driving


async def taken(db: Db, caller: Coming, order_id: str, match: Match) -> Aggregate:
    """Lock an order with its payload, and check the version that the caller has read."""
    order = await held(db, caller, order_id)
    match(order.version)
    return await Aggregate.of(db, order)


async def read(db: Db, caller: Coming, order_id: str) -> Aggregate:
    return await Aggregate.of(db, await found(db, caller, order_id))


async def found(db: Db, caller: Coming, order_id: str) -> Order:
    return mine(caller, await ORDERS.get(db, caller.company, order_id))


async def proved(db: Db, caller: Coming, order_id: str) -> Order:
    """Load an order to show its proofs, which outlive a deleted order."""
    return mine(caller, await queries.proved(db, caller.company, order_id))


def to_out(db: Db, caller: Coming, read: Aggregate) -> OrderOut:
    """Return an order as the caller may see it."""
    return present(caller, db.now, read.order, read.out())


def mine(caller: Coming, order: Order) -> Order:
    """Raise NotFound if a driver asks for another driver's order."""
    if isinstance(caller, Driving) and order.driver != caller.uuid:
        raise NotFound
    return order


async def held(db: Db, caller: Coming, order_id: str) -> Order:
    """Lock an order, whatever version the caller has read."""
    return mine(caller, await ORDERS.take(db, caller.company, order_id))
