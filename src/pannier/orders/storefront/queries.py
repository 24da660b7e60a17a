"""Database reads of a customer's orders and places."""

from typing import Final

from pannier.customers.models import Customer
from pannier.db import Db, Page, PageIn, Where
from pannier.errors import NotFound
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.statuses import check_statuses
from pannier.orders.storefront.schemas import CustomerOrderFilters
from pannier.places.models import PlaceRow
from pannier.places.queries import places

# The places of a customer's own stops (by the rules of `share.py`), of the drop-offs of orders
# without stops, and of the contact itself.
OWN_PLACES: Final = """
    with own_orders as materialized (
        select payload from orders
        where company = :company and customer = :contact and deleted_at is null),
    stops as (
        select w.payload, w.place, w.type,
               w.position = max(w.position) over (partition by w.payload) as last,
               case when w.contact is null then array(
                   select e.customer from entities e
                   where e.destination = w.uuid and e.customer is not null
                     and e.deleted_at is null)
               else array[w.contact] end as recipients
        from waypoints w join own_orders o on o.payload = w.payload where w.deleted_at is null),
    marked_stops as (
        select place, last, type, recipients, :contact = any(recipients) as is_own,
               bool_or(:contact = any(recipients)) over (partition by payload) as has_own
        from stops)
    select place from marked_stops
    where is_own or (last and type = 'dropoff' and recipients = '{}' and not has_own)
    union
    select p.dropoff from payloads p join own_orders on own_orders.payload = p.uuid
    where not exists (select from stops where stops.payload = p.uuid)
    union
    select place from contacts where company = :company and uuid = :contact"""


def build_own_where(customer: Customer) -> Where:
    """Build the condition for a customer's own orders."""
    return ORDERS.where(customer.company).add_equal(customer=customer.contact)


async def list_orders(db: Db, customer: Customer, filters: CustomerOrderFilters) -> Page[Order]:
    """List a customer's orders, newest first."""
    where = build_own_where(customer)
    await check_statuses(db, customer.company, filters.status)
    if filters.status is not None:
        where.add("status = any(:statuses)", statuses=filters.status)
    return await ORDERS.load_page(db, where, filters)


async def get_own_order(db: Db, customer: Customer, order_id: str) -> Order:
    """Get one of a customer's orders. Raise NotFound for any other order."""
    order = await ORDERS.get(db, customer.company, order_id)
    if order.customer != customer.contact:
        raise NotFound
    return order


async def list_places(db: Db, customer: Customer, filters: PageIn) -> Page[PlaceRow]:
    """List the places of a customer's deliveries, newest first."""
    where = places.where(customer.company).add(f"uuid in ({OWN_PLACES})", contact=customer.contact)
    return await places.load_page(db, where, filters)
