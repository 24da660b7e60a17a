"""The part of an order that a tracking number shows to its recipient.

An order can have many recipients. The number of a stop, or of an item handed over there, shows that
stop. The number of an order shows the stops and items of its customer.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.orders.models import Order, TrackingStatus
from pannier.orders.queries import ORDERS
from pannier.orders.storefront.share import CustomerShare
from pannier.orders.tracking import queries as statuses
from pannier.orders.views import OrderAggregate
from pannier.payloads.models import TrackingNumber, Waypoint
from pannier.places.models import PlaceRow
from pannier.tracking import queries

# How long the page stays visible after the order has ended.
VISIBLE_AFTER_END: Final = timedelta(days=90)
NO_CUSTOMER: Final = UUID(int=0)


class TrackedParcel(msgspec.Struct):
    """A tracking number with its order, and the recipient's own stops and items."""

    number: TrackingNumber
    aggregate: OrderAggregate
    stops: list[Waypoint]
    items: frozenset[UUID]
    # Whether the whole order is the recipient's.
    is_whole_order: bool

    @property
    def order(self) -> Order:
        return self.aggregate.row

    @property
    def places(self) -> list[PlaceRow]:
        """The places of the recipient's stops, or the drop-off of an order without stops."""
        payload, places_by_uuid = (
            self.aggregate.payload_aggregate.payload,
            self.aggregate.related.places,
        )
        if self.aggregate.payload_aggregate.waypoints:
            return [places_by_uuid[stop.place] for stop in self.stops]
        return [places_by_uuid[payload.dropoff]] if payload.dropoff is not None else []

    @property
    def is_changeable(self) -> bool:
        """Whether it is one delivery, so that a change has one meaning."""
        if not self.aggregate.payload_aggregate.waypoints:
            return self.is_whole_order
        return self.dropoff is not None

    @property
    def dropoff(self) -> Waypoint | None:
        """The recipient's stop. None if there are several, or if the order has no stops."""
        dropoffs = [stop for stop in self.stops if stop.type == "dropoff"]
        return dropoffs[0] if len(dropoffs) == 1 else None

    @property
    def subjects(self) -> set[UUID]:
        """The recipient's stops and items, and the order if all of it is theirs."""
        subjects = {self.number.subject, *(stop.uuid for stop in self.stops), *self.items}
        return subjects | {self.order.uuid} if self.is_whole_order else subjects - {self.order.uuid}


async def find_parcel(db: Db, number: str) -> TrackedParcel | None:
    """Find the delivery of a tracking number, unless it ended too long ago."""
    row = await queries.find_number(db, number)
    order = None if row is None else await ORDERS.find(db, row.company, row.order_uuid)
    if row is None or order is None or _is_expired(db, order):
        return None
    return select_parcel(row, await OrderAggregate.load(db, order))


def _is_expired(db: Db, order: Order) -> bool:
    ended_at = order.completed_at or order.canceled_at
    return ended_at is not None and ended_at + VISIBLE_AFTER_END < db.now


def select_parcel(row: TrackingNumber, aggregate: OrderAggregate) -> TrackedParcel:
    """Select the part of an order that the holder of a number can see."""
    payload_aggregate = aggregate.payload_aggregate
    if row.subject_type == "order":
        share = CustomerShare.from_payload(payload_aggregate, aggregate.row.customer or NO_CUSTOMER)
        stops, items = share.stops, share.items
    else:
        item = next((item for item in payload_aggregate.entities if item.uuid == row.subject), None)
        stop_uuid = row.subject if item is None else item.destination
        stops = [stop for stop in payload_aggregate.waypoints if stop.uuid == stop_uuid]
        items = (
            [item]
            if item
            else [
                entity for entity in payload_aggregate.entities if entity.destination == row.subject
            ]
        )
    dropoffs = [stop for stop in payload_aggregate.waypoints if stop.type == "dropoff"]
    is_whole_order = all(stop in stops for stop in dropoffs)
    return TrackedParcel(
        row, aggregate, stops, frozenset(item.uuid for item in items), is_whole_order
    )


async def list_statuses(db: Db, parcel: TrackedParcel) -> list[TrackingStatus]:
    """List the statuses of the recipient's stops and items, the oldest first."""
    numbers = parcel.aggregate.related.numbers
    number_uuids = {parcel.number.uuid, numbers[parcel.order.uuid].uuid}
    number_uuids |= {numbers[subject].uuid for subject in parcel.subjects if subject in numbers}
    history = await statuses.list_history(db, parcel.order.company, parcel.number)
    return [status for status in history if status.tracking_number in number_uuids]


def list_secrets(parcel: TrackedParcel) -> set[str]:
    """List the accepted secrets: postcodes and the last digits of phone numbers."""
    codes = {normalise_code(place.postal_code or "") for place in parcel.places}
    return {
        secret
        for secret in codes | {get_last_digits(phone) for phone in _list_phones(parcel)}
        if secret
    }


def _list_phones(parcel: TrackedParcel) -> Iterator[str]:
    contacts, order = parcel.aggregate.related.contacts, parcel.order
    contact_uuids = {stop.contact for stop in parcel.stops}
    if order.customer_type == "contact" and (parcel.is_whole_order or not contact_uuids - {None}):
        contact_uuids.add(order.customer)
    for uuid in contact_uuids:
        if uuid is not None and uuid in contacts:
            yield contacts[uuid].phone or ""
    yield from (place.phone or "" for place in parcel.places)


def normalise_code(text: str) -> str:
    """Keep a postcode's letters and digits, in capitals, for comparison."""
    return "".join(letter for letter in text.upper() if letter.isalnum())


def get_last_digits(phone: str) -> str:
    """Return the last four digits of a phone number. Return an empty text if it is shorter."""
    digits = "".join(letter for letter in phone if letter.isdigit())
    return digits[-4:] if len(digits) >= len("0000") else ""
