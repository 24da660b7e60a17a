"""HTTP handlers for the account of an order."""

from typing import Final

from pannier.accounts import api_routers, auth
from pannier.accounts.auth import Caller, FleetKey
from pannier.db import Db
from pannier.orders.charges import service
from pannier.orders.charges.schemas import ChargeIn, OrderChargesOut
from pannier.orders.queries import ORDERS
from pannier.orders.views import OrderAggregate
from pannier.payments.gateway import Gateway
from pannier.payments.transactions.service import TooManyEntries
from pannier.web.routes import get, post
from pannier.web.versions import IfMatch, PreconditionFailed

PROBLEMS: Final = [TooManyEntries, PreconditionFailed]
PATH: Final = "/orders/{order_id:str}/charges"


async def list_charges(caller: FleetKey | Caller, order_id: str, db: Db) -> OrderChargesOut:
    """Show the account of an order: charges, payments and what is still owed."""
    return await service.load_account(db, await ORDERS.get(db, caller.company, order_id))


async def add_charge(
    caller: FleetKey | Caller,
    order_id: str,
    data: ChargeIn,
    match: IfMatch,
    db: Db,
    gateway: Gateway,
) -> OrderChargesOut:
    """Charge an order, or credit it with a negative amount.

    A charge is added to the open transaction. If everything is paid, it opens another transaction.
    A credit reduces what is still owed first. What a gateway received beyond the new total is
    refunded, for which operators need a role that may refund.
    """
    row = await ORDERS.lock(db, caller.company, order_id)
    match(row.version)
    order = await OrderAggregate.load(db, row)
    can_refund = auth.may_do_with_money(caller, "refund")
    await service.add_charge(db, order, data, gateway, can_refund=can_refund)
    return await service.load_account(db, order.row)


routers: Final = (
    api_routers.api_router(
        "Charges",
        "transactions",
        [
            get(PATH)(list_charges),
            post(
                PATH,
                status_code=201,
                problems=PROBLEMS,
            )(add_charge),
        ],
    ),
    api_routers.operator_router(
        "Charges",
        "viewer",
        [
            get(PATH)(list_charges),
            post(
                PATH,
                status_code=201,
                before_request=auth.require_money_role("add_charge"),
                problems=PROBLEMS,
            )(add_charge),
        ],
    ),
)
