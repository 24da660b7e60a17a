"""What customers see of orders: their own, and the places these go to."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Response
from msgspec import Meta

from pannier.customers import doors
from pannier.customers.auth import Shopper
from pannier.customers.queries import CUSTOMERS
from pannier.db import Db, PageIn
from pannier.errors import NotFound
from pannier.kit.phone import masked
from pannier.orders import views
from pannier.orders.aggregate import Aggregate
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.schemas import OrderOut, Status
from pannier.orders.tracker import Tracked, track
from pannier.places.queries import places
from pannier.places.schemas import PlaceOut
from pannier.web.exchange import Exchange
from pannier.web.lists import linked
from pannier.web.routes import get


class OwnOrderFilters(PageIn, frozen=True, kw_only=True):
    """How a customer's orders are listed."""

    status: Annotated[list[Status] | None, Meta(description="Any of these.")] = None


async def contact_of(db: Db, shopper: Shopper) -> UUID:
    """Find the contact as which orders name a customer."""
    return (await CUSTOMERS.get(db, shopper.company, shopper.customer)).contact


async def own(db: Db, shopper: Shopper, order_id: str) -> Order:
    """Read an order of the customer's own."""
    order = await ORDERS.get(db, shopper.company, order_id)
    if order.customer != await contact_of(db, shopper):
        raise NotFound
    return order


def public(order: OrderOut) -> OrderOut:
    """Leave out what is the company's own business."""
    driver = order.driver_assigned
    if driver is not None:
        driver = msgspec.structs.replace(driver, phone=masked(driver.phone))
    payload = order.payload
    items = [msgspec.structs.replace(item, supplier=None, meta={}) for item in payload.entities]
    stops = [msgspec.structs.replace(stop, meta={}) for stop in payload.waypoints]
    return msgspec.structs.replace(
        order,
        meta={},
        facilitator=None,
        facilitator_type=None,
        driver_assigned=driver,
        payload=msgspec.structs.replace(payload, meta={}, waypoints=stops, entities=items),
    )


@get("/customers/orders")
async def list_own_orders(
    caller: Shopper, filters: OwnOrderFilters, exchange: Exchange, db: Db
) -> Response[list[OrderOut]]:
    """List one's own orders, the newest first."""
    where = ORDERS.where(caller.company).equal(customer=await contact_of(db, caller))
    if filters.status is not None:
        where.that("status = any(:statuses)", statuses=filters.status)
    page = await ORDERS.page(db, where, filters)
    shown = await views.shown(db, caller.company, page.rows)
    return linked(exchange, page, lambda row: public(shown.out(row)))


@get("/customers/orders/{order_id:str}")
async def get_own_order(caller: Shopper, order_id: str, db: Db) -> OrderOut:
    """Read one of one's own orders."""
    return public((await Aggregate.of(db, await own(db, caller, order_id))).out())


@get("/customers/orders/{order_id:str}/tracker")
async def track_own_order(caller: Shopper, order_id: str, db: Db) -> Tracked:
    """Follow one of one's own orders."""
    return await track(db, await Aggregate.of(db, await own(db, caller, order_id)))


@get("/customers/places")
async def list_own_places(
    caller: Shopper, filters: PageIn, exchange: Exchange, db: Db
) -> Response[list[PlaceOut]]:
    """List the places to which one's orders went, the newest first."""
    where = places.where(caller.company).that(
        """uuid in (select p.dropoff from payloads p join orders o on o.payload = p.uuid
                    where o.company = :company and o.customer = :contact
                      and o.deleted_at is null
                    union select place from contacts
                    where company = :company and uuid = :contact)""",
        contact=await contact_of(db, caller),
    )
    return linked(exchange, await places.page(db, where, filters), PlaceOut.of)


routes = doors.for_customers(
    "Customers", [list_own_orders, get_own_order, track_own_order, list_own_places]
)
