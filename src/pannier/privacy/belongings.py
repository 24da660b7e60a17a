"""A person's part of an order: the order itself, stops, items, and data about them."""

from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db, columns
from pannier.orders.models import Order
from pannier.orders.storefront.share import CustomerShare, group_recipients_by_stop
from pannier.payloads import erasure
from pannier.payloads import queries as payloads
from pannier.payloads.queries import PayloadAggregate
from pannier.privacy.people import DataSubject

# Orders for the person, or with a stop or item for them; deleted ones too.
SELECT_NEXT_ORDERS: Final = f"""
    select {columns(Order)} from orders o
    where company = :company and uuid > :last_uuid and uuid = any(array(
        select uuid from orders where company = :company and customer = any(:contacts)
        union select p.order_uuid from waypoints w join payloads p on p.uuid = w.payload
        where w.company = :company and w.contact = any(:contacts)
        union select p.order_uuid from entities e join payloads p on p.uuid = e.payload
        where e.company = :company and e.customer = any(:contacts)))
    order by uuid limit :limit"""

MIN_UUID: Final = UUID(int=0)


class Belongings(msgspec.Struct, frozen=True):
    """A person's part of an order.

    `is_own` says whether the order is for them. `places` are those without a stop for somebody
    else, regardless of their owner.
    """

    order: Order
    is_own: bool
    stops: list[UUID]
    items: list[UUID]
    places: list[UUID]

    @property
    def subjects(self) -> list[UUID]:
        """The subjects of the person's proofs and tracking statuses."""
        return [*([self.order.uuid] if self.is_own else []), *self.stops, *self.items]


async def list_next_orders(
    db: Db, person: DataSubject, last_uuid: UUID | None, limit: int
) -> list[Order]:
    """List the next orders that concern a person, by UUID.

    Each call searches all of them, so callers should request many at once.
    """
    return await db.fetch_all(
        Order,
        SELECT_NEXT_ORDERS,
        company=person.company,
        contacts=person.contacts,
        last_uuid=last_uuid or MIN_UUID,
        limit=limit,
    )


async def find_belongings(db: Db, person: DataSubject, order: Order) -> Belongings:
    """Find a person's part of an order."""
    is_own = order.customer in person.contacts
    aggregate = await payloads.load_payload(db, order.company, order.payload)
    shares = [
        CustomerShare.from_payload(aggregate, contact, is_customer=contact == order.customer)
        for contact in person.contacts
    ]
    stops = {stop.uuid: stop.place for share in shares for stop in share.stops}
    items = {item.uuid for share in shares for item in share.items}
    # Stops and items that were removed from the order are the person's too.
    stops |= await erasure.load_removed_stop_places(
        db, order.company, order.payload, person.contacts, with_unassigned=is_own
    )
    removed_items = await erasure.list_removed_items(
        db, order.company, order.payload, person.contacts, with_unassigned=is_own
    )
    places = {*stops.values()} | (_list_order_places(aggregate) if is_own else set())
    return Belongings(
        order=order,
        is_own=is_own,
        stops=[*stops],
        items=[*items, *removed_items],
        places=list(places - _list_places_of_others(aggregate, person)),
    )


def _list_order_places(aggregate: PayloadAggregate) -> set[UUID]:
    """List all places of an order."""
    payload = aggregate.payload
    endpoints = {payload.pickup, payload.dropoff, payload.return_place}
    return {stop.place for stop in aggregate.waypoints} | {
        place for place in endpoints if place is not None
    }


def _list_places_of_others(aggregate: PayloadAggregate, person: DataSubject) -> set[UUID]:
    """List the places of an order with a stop for somebody else."""
    other_stops = {
        stop
        for stop, recipients in group_recipients_by_stop(aggregate).items()
        if recipients - set(person.contacts)
    }
    return {stop.place for stop in aggregate.waypoints if stop.uuid in other_stops}
