"""Access to orders: API keys reach every order of their company, drivers only their own."""

from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet.auth import DriverCaller
from pannier.orders import queries
from pannier.orders.driver_view import redact_for_caller
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.schemas import OrderOut
from pannier.orders.views import OrderAggregate
from pannier.web.versions import IfMatch

OrderCaller = FleetKey | DriverCaller


async def lock_order(db: Db, caller: OrderCaller, order_id: str, match: IfMatch) -> OrderAggregate:
    """Lock an order with its payload, and check the version that the caller has read."""
    row = await lock_order_row(db, caller, order_id)
    match(row.version)
    return await OrderAggregate.load(db, row)


async def load_order(db: Db, caller: OrderCaller, order_id: str) -> OrderAggregate:
    return await OrderAggregate.load(db, await get_order_row(db, caller, order_id))


async def get_order_row(db: Db, caller: OrderCaller, order_id: str) -> Order:
    return check_order_access(caller, await ORDERS.get(db, caller.company, order_id))


async def get_order_for_proofs(db: Db, caller: OrderCaller, order_id: str) -> Order:
    """Load an order to show its proofs, which outlive a deleted order."""
    return check_order_access(caller, await queries.get_for_proofs(db, caller.company, order_id))


def to_order_out(db: Db, caller: OrderCaller, order: OrderAggregate) -> OrderOut:
    """Return an order with the fields that the caller may see."""
    return redact_for_caller(caller, db.now, order.row, order.to_order_out())


def check_order_access(caller: OrderCaller, order: Order) -> Order:
    """Raise NotFound if a driver asks for another driver's order."""
    if isinstance(caller, DriverCaller) and order.driver != caller.uuid:
        raise NotFound
    return order


async def lock_order_row(db: Db, caller: OrderCaller, order_id: str) -> Order:
    """Lock an order without checking the version that the caller has read."""
    return check_order_access(caller, await ORDERS.lock(db, caller.company, order_id))
