"""What somebody follows: a tracking number, and what of its order is the recipient's.

An order may call at many people's doors. The number of a stop, or of an item that is handed over
there, stands for that stop; the number of an order for what is its customer's own.
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

# So long after its end an order is still followed.
KEPT: Final = timedelta(days=90)
NOBODY: Final = UUID(int=0)


class Parcel(msgspec.Struct):
    """A tracking number with its order, and those stops and items that are the recipient's."""

    number: TrackingNumber
    read: Aggregate
    stops: list[Waypoint]
    items: frozenset[UUID]
    # Whether nothing of the order goes to another door.
    alone: bool

    @property
    def order(self) -> Order:
        """The order it is part of."""
        return self.read.order

    @property
    def places(self) -> list[Place]:
        """Where the recipient gets it: at their stops, or where an order without stops goes."""
        payload, known = self.read.whole.payload, self.read.shown.places
        if self.read.whole.waypoints:
            return [known[stop.place] for stop in self.stops]
        return [known[payload.dropoff]] if payload.dropoff is not None else []

    @property
    def subjects(self) -> set[UUID]:
        """The stops and items that are the recipient's; the order too, if it is theirs alone."""
        own = {self.number.subject, *(stop.uuid for stop in self.stops), *self.items}
        return own | {self.order.uuid} if self.alone else own - {self.order.uuid}


async def find(db: Db, number: str) -> Parcel | None:
    """Find what has a number, unless it has been over for long."""
    row = await queries.numbered(db, number)
    order = None if row is None else await ORDERS.find(db, row.company, row.order_uuid)
    if row is None or order is None or _is_past(db, order):
        return None
    return of(row, await Aggregate.of(db, order))


def _is_past(db: Db, order: Order) -> bool:
    ended = order.completed_at or order.canceled_at
    return ended is not None and ended + KEPT < db.now


def of(row: TrackingNumber, read: Aggregate) -> Parcel:
    """Choose what of an order the holder of a number may know of."""
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
    """List what happened to it, the oldest first: nothing of what happened at others' stops."""
    numbers = parcel.read.shown.numbers
    own = {parcel.number.uuid, numbers[parcel.order.uuid].uuid}
    own |= {numbers[subject].uuid for subject in parcel.subjects if subject in numbers}
    told = await statuses.history(db, parcel.order.company, parcel.number)
    return [status for status in told if status.tracking_number in own]


def known_to_recipient(parcel: Parcel) -> set[str]:
    """Name what only the recipient and their neighbours know: postcodes, and ends of phones."""
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
    """Spell a postcode as it is compared: letters and digits."""
    return "".join(letter for letter in text.upper() if letter.isalnum())


def end(phone: str) -> str:
    """Take the last four digits of a phone number."""
    digits = "".join(letter for letter in phone if letter.isdigit())
    return digits[-4:] if len(digits) >= len("0000") else ""
