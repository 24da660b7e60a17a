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
from pannier.orders.storefront.share import Share
from pannier.orders.tracking import queries as statuses
from pannier.orders.views import Aggregate
from pannier.payloads.models import TrackingNumber, Waypoint
from pannier.places.models import Place
from pannier.tracking import queries

# How long the page of an order that has ended stays visible.
KEPT: Final = timedelta(days=90)
NOBODY: Final = UUID(int=0)


class Parcel(msgspec.Struct):
    """A tracking number with its order, and the recipient's own stops and items."""

    number: TrackingNumber
    read: Aggregate
    stops: list[Waypoint]
    items: frozenset[UUID]
    # Whether the recipient gets all of the order.
    alone: bool

    @property
    def order(self) -> Order:
        return self.read.order

    @property
    def places(self) -> list[Place]:
        """The places of the recipient's stops, or the drop-off of an order without stops."""
        payload, known = self.read.whole.payload, self.read.shown.places
        if self.read.whole.waypoints:
            return [known[stop.place] for stop in self.stops]
        return [known[payload.dropoff]] if payload.dropoff is not None else []

    @property
    def subjects(self) -> set[UUID]:
        """The recipient's stops and items, and the order if all of it is theirs."""
        own = {self.number.subject, *(stop.uuid for stop in self.stops), *self.items}
        return own | {self.order.uuid} if self.alone else own - {self.order.uuid}


async def find(db: Db, number: str) -> Parcel | None:
    """Find the delivery of a tracking number, unless it ended too long ago."""
    row = await queries.numbered(db, number)
    order = None if row is None else await ORDERS.find(db, row.company, row.order_uuid)
    if row is None or order is None or _is_past(db, order):
        return None
    return of(row, await Aggregate.of(db, order))


def _is_past(db: Db, order: Order) -> bool:
    ended = order.completed_at or order.canceled_at
    return ended is not None and ended + KEPT < db.now


def of(row: TrackingNumber, read: Aggregate) -> Parcel:
    """Select the part of an order that the holder of a number can see."""
    whole = read.whole
    if row.subject_type == "order":
        share = Share.of(whole, read.order.customer or NOBODY)
        stops, items = share.stops, share.items
    else:
        item = next((item for item in whole.entities if item.uuid == row.subject), None)
        reached = row.subject if item is None else item.destination
        stops = [stop for stop in whole.waypoints if stop.uuid == reached]
        items = [item] if item else [i for i in whole.entities if i.destination == row.subject]
    doors = [stop for stop in whole.waypoints if stop.type == "dropoff"]
    alone = all(stop in stops for stop in doors)
    return Parcel(row, read, stops, frozenset(item.uuid for item in items), alone)


async def history(db: Db, parcel: Parcel) -> list[TrackingStatus]:
    """List the statuses of the recipient's stops and items, the oldest first."""
    numbers = parcel.read.shown.numbers
    own = {parcel.number.uuid, numbers[parcel.order.uuid].uuid}
    own |= {numbers[subject].uuid for subject in parcel.subjects if subject in numbers}
    told = await statuses.history(db, parcel.order.company, parcel.number)
    return [status for status in told if status.tracking_number in own]


def known_to_recipient(parcel: Parcel) -> set[str]:
    """Return the accepted secrets: postcodes and the last digits of phone numbers."""
    codes = {plain(place.postal_code or "") for place in parcel.places}
    return {known for known in codes | {end(phone) for phone in _phones(parcel)} if known}


def _phones(parcel: Parcel) -> Iterator[str]:
    contacts, order = parcel.read.shown.contacts, parcel.order
    people = {stop.contact for stop in parcel.stops}
    if order.customer_type == "contact" and (parcel.alone or not people - {None}):
        people.add(order.customer)
    for uuid in people:
        if uuid is not None and uuid in contacts:
            yield contacts[uuid].phone or ""
    yield from (place.phone or "" for place in parcel.places)


def plain(text: str) -> str:
    """Keep a postcode's letters and digits, in capitals, for comparison."""
    return "".join(letter for letter in text.upper() if letter.isalnum())


def end(phone: str) -> str:
    """Return the last four digits of a phone number, or nothing if it is shorter."""
    digits = "".join(letter for letter in phone if letter.isdigit())
    return digits[-4:] if len(digits) >= len("0000") else ""
