"""Hears what happens to orders, and tells those who wait for them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.events.catalog import Name
from pannier.events.models import Event
from pannier.news import composing, kinds, queries, quiet, recipients, telling
from pannier.news.composing import Occasion
from pannier.news.kinds import Handover, Heard
from pannier.news.models import Told
from pannier.news.recipients import Awaited, Recipient
from pannier.news.telling import Message
from pannier.orders import queries as orders
from pannier.orders.aggregate import Aggregate
from pannier.orders.journey import Journey
from pannier.orders.models import Order

HEARD: Final = frozenset(
    {
        Name.ORDER_DISPATCHED,
        Name.ORDER_STARTED,
        Name.ORDER_UPDATED,
        Name.ORDER_COMPLETED,
        Name.ORDER_CANCELLED,
        Name.TRACKING_STATUS_CREATED,
    }
)
# What lets a driver go on to what is left.
ENDS: Final = frozenset({Name.ORDER_COMPLETED, Name.ORDER_CANCELLED})
MOVED: Final = Heard(changed=["current_waypoint"])
OLDEST: Final = max(kinds.LIVES.values())


class _Envelope(msgspec.Struct):
    data: Heard


async def subscriber(db: Db, events: Sequence[Event]) -> None:
    """Tell everybody who waits for a delivery what is news to them.

    What is told late may be wrong by then: nothing is said after its time, and nothing that is not
    so any more.
    """
    for event in events:
        if event.name in HEARD and event.created_at + OLDEST > db.now:
            heard = msgspec.json.decode(event.body, type=_Envelope).data
            if kinds.matters(event.name, heard):
                await _hear(db, event, heard)


async def _hear(db: Db, event: Event, heard: Heard) -> None:
    order = await orders.told_of(db, event.company, event.thread)
    if order is None:
        return
    if heard.code == kinds.FAILED:
        number = await queries.attempt(db, event.company, event.subject)
        heard = msgspec.structs.replace(heard, number=number)
    at = event.created_at - await queries.lag(db, event.company, order.uuid, event.created_at)
    await _tell_all(db, order, event.name, heard, at)
    if event.name in ENDS and order.driver is not None:
        left = await queries.under_way(db, event.company, order.driver)
        if len(left) == 1:
            await _tell_all(db, left[0], Name.ORDER_UPDATED, MOVED, at)


async def _tell_all(db: Db, order: Order, name: Name, heard: Heard, at: datetime) -> None:
    """Tell everybody who waits for something of an order what is news to them."""
    read = await Aggregate.of(db, order)
    deliveries = [delivery for delivery in recipients.awaited(read) if delivery.people]
    if not deliveries:
        return
    journey, alone = await Journey.of(db, read), await _is_alone(db, order)
    occasions = []
    for delivery in deliveries:
        kind = kinds.news(name, heard, _handover(journey, delivery, alone=alone))
        if kind is not None and at + kinds.LIVES[kind] > db.now:
            occasions.append(Occasion(kind, at, heard, read, delivery))
    if occasions:
        await _tell(db, read, occasions)


async def _is_alone(db: Db, order: Order) -> bool:
    """Tell whether the driver is under way with this order only: of several, none is the next."""
    if order.driver is None:
        return True
    return len(await queries.under_way(db, order.company, order.driver)) <= 1


def _handover(journey: Journey, delivery: Awaited, *, alone: bool) -> Handover:
    order, stop = journey.order, delivery.stop
    handed = order if stop is None else stop
    return Handover(
        waypoint=None if stop is None else stop.public_id,
        driver=order.driver is not None,
        started=order.started_at is not None,
        present=alone and (stop is None or journey.stop == stop),
        done=handed.completed_at is not None,
        undelivered=handed.undelivered,
        canceled=order.canceled_at is not None,
    )


async def _tell(db: Db, read: Aggregate, occasions: Sequence[Occasion]) -> None:
    """Tell each of those who wait, unless they want to hear nothing or know it."""
    people = [person for occasion in occasions for person in occasion.delivery.people]
    found = await recipients.found(db, read, people)
    addresses = [address for who in found.values() for address in who.addresses]
    silent = await quiet.among(db, read.order.company, addresses)
    for occasion in occasions:
        for person in occasion.delivery.people:
            who = found.get(person)
            if who and silent.isdisjoint(who.addresses) and _expects(occasion, who):
                await _tell_one(db, occasion, who)


def _expects(occasion: Occasion, who: Recipient) -> bool:
    """Tell whether news make sense: who never heard of an order need not hear of its end."""
    if occasion.kind != "cancelled":
        return True
    return occasion.read.order.dispatched_at is not None or who.customer is not None


async def _tell_one(db: Db, occasion: Occasion, who: Recipient) -> None:
    company, kind = occasion.read.order.company, occasion.kind
    told = Told(
        uuid=db.new_uuid(),
        company=company,
        order_uuid=occasion.read.order.uuid,
        subject=_subject(occasion),
        person=who.person.uuid,
        kind=kind,
        attempt=_attempt(occasion),
        created_at=db.now,
    )
    if not await telling.claim(db, told):
        return
    settings = await company_settings.of(db, company, who.store)
    said = await composing.phrased(db, settings, occasion, who)
    message = Message(company, kind, who, said, occasion.at + kinds.LIVES[kind])
    channel = await telling.send(db, settings, message)
    if channel is not None:
        await db.update("news", told.uuid, channel=channel)
    elif kind == "next_stop":
        # Of a journey that begins at once nothing else is told; so they have the link all the same.
        await _tell_one(db, msgspec.structs.replace(occasion, kind="on_its_way"), who)


def _subject(occasion: Occasion) -> UUID:
    """Name what something is told of once: a person with several stops has one order."""
    order = occasion.read.order
    return order.uuid if occasion.kind in kinds.OF_ORDERS else occasion.delivery.subject


def _attempt(occasion: Occasion) -> int:
    """Tell the how manieth attempt to hand something over it is about, from 1."""
    failed = (occasion.delivery.stop or occasion.read.order).attempts
    if occasion.kind in kinds.OF_ORDERS:
        return 1
    if occasion.kind == "could_not_be_delivered":
        return occasion.heard.number or max(failed, 1)
    return failed + 1
