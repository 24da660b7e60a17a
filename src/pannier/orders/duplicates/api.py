"""HTTP handler for duplicates of orders."""

from typing import Final

import msgspec

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet.presence import DriverInactive
from pannier.orders import measurement, service
from pannier.orders.access import load_order
from pannier.orders.duplicates import copying
from pannier.orders.duplicates.schemas import DuplicateIn
from pannier.orders.internal_ids import CLAIM_PROBLEMS
from pannier.orders.quotes.debts import AcceptanceTerms
from pannier.orders.schemas import OrderOut
from pannier.payments.gateway import Gateway
from pannier.routing.router import Router
from pannier.web.exchange import Exchange
from pannier.web.routes import post


@post("/orders/{order_id:str}/duplicate", problems=[NotFound, DriverInactive, *CLAIM_PROBLEMS])
async def duplicate_order(
    key: FleetKey,
    order_id: str,
    data: DuplicateIn,
    exchange: Exchange,
    db: Db,
    gateway: Gateway,
    router: Router,
) -> OrderOut:
    """Create an order like this one: the same route, items, customer, options and flow.

    The driver, the internal number, the quote and, without `day`, the schedule and the time windows
    are not copied.
    """
    order = await load_order(db, key, order_id)
    zone = (await company_settings.load(db, key.company)).zone
    order_in = msgspec.structs.replace(
        copying.make_copy(order, data.day, zone), internal_id=data.internal_id, driver=data.driver
    )
    measured_route = await measurement.measure_new_order(
        exchange, db, router, key.company, order_in
    )
    terms = AcceptanceTerms(gateway=gateway, fetched=False)
    duplicate = await service.create(
        db, key.company, order_in, terms, measured_route=measured_route
    )
    return duplicate.to_order_out()


routes: Final = api_routers.api_router("Orders", "orders", [duplicate_order])
