"""Notification of the recipients of an order about an event, each of them once."""

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
from pannier.news.kinds import EventDetails, Handover
from pannier.news.models import Once, Told
from pannier.news.recipients import Awaited, Recipient
from pannier.news.telling import Message
from pannier.notifications.models import About
from pannier.orders import queries as orders
from pannier.orders.models import Order
from pannier.orders.views import Aggregate

NAMES: Final = frozenset(
    {
        Name.ORDER_DISPATCHED,
        Name.ORDER_STARTED,
        Name.ORDER_UPDATED,
        Name.ORDER_COMPLETED,
        Name.ORDER_CANCELLED,
        Name.TRACKING_STATUS_CREATED,
    }
)
# Events after which the driver continues with the remaining orders.
ENDS: Final = frozenset({Name.ORDER_COMPLETED, Name.ORDER_CANCELLED})
OLDEST: Final = max(kinds.LIVES.values())
# Further recipients are notified in the next transaction.
MOST_AT_ONCE: Final = 20


class _Envelope(msgspec.Struct):
    data: EventDetails


class _Telling(msgspec.Struct, frozen=True):
    """News that a recipient has not received yet."""

    occasion: Occasion
    who: Recipient


def matters(event: Event, now: datetime) -> bool:
    """Return whether an event may still be news to anyone, without any query."""
    if event.name not in NAMES or event.created_at + OLDEST <= now:
        return False
    return kinds.matters(event.name, _details(event))


def _details(event: Event) -> EventDetails:
    return msgspec.json.decode(event.body, type=_Envelope).data


async def tell(db: Db, event: Event) -> bool:
    """Notify some of the recipients to whom an event is news. Return True if others are left.

    Late news may be wrong: nothing is sent after its lifetime, or if it is no longer true.
    """
    if not matters(event, db.now):
        return False
    untold = await _untold(db, event, _details(event))
    for each in untold[:MOST_AT_ONCE]:
        await _tell_one(db, each.occasion, each.who)
    return len(untold) > MOST_AT_ONCE


async def _untold(db: Db, event: Event, details: EventDetails) -> list[_Telling]:
    """List the news still to be sent for an event: of its order, and of the driver's next order."""
    order = await orders.told_of(db, event.company, event.thread)
    if order is None:
        return []
    if details.code == kinds.FAILED:
        number = await queries.attempt(db, event.company, event.subject)
        details = msgspec.structs.replace(details, number=number)
    at = event.created_at - await queries.lag(db, event.company, order.uuid, event.created_at)
    untold = await _of_order(db, order, event.name, details, at)
    if event.name in ENDS and order.driver is not None:
        left = await queries.under_way(db, event.company, order.driver)
        if len(left) == 1:
            moved = EventDetails(changed=["current_waypoint"], attempts=left[0].attempts)
            untold += await _of_order(db, left[0], Name.ORDER_UPDATED, moved, at)
    return untold


async def _of_order(
    db: Db, order: Order, name: Name, details: EventDetails, at: datetime
) -> list[_Telling]:
    """List the news still to be sent to the recipients of an order."""
    read = await Aggregate.of(db, order)
    deliveries = [delivery for delivery in recipients.awaited(read) if delivery.people]
    if not deliveries:
        return []
    alone = await _is_alone(db, order)
    since = await _failed_since(db, order, name, details)
    occasions = []
    for delivery in deliveries:
        handover = _handover(read, delivery, since, alone=alone)
        kind = kinds.timely(kinds.news(name, details, handover), at, db.now)
        if kind is not None:
            occasions.append(Occasion(kind, at, details, read, delivery))
    return await _waiting(db, read, occasions) if occasions else []


async def _failed_since(
    db: Db, order: Order, name: Name, details: EventDetails
) -> set[UUID | None]:
    """List the stops where an attempt failed after an event. None stands for the order itself."""
    if name == Name.TRACKING_STATUS_CREATED or order.attempts <= details.attempts:
        return set()
    return await queries.failed_since(db, order.company, order.uuid, details.attempts)


async def _is_alone(db: Db, order: Order) -> bool:
    """Return whether this is the driver's only started order. Otherwise none counts as the next."""
    if order.driver is None:
        return True
    return len(await queries.under_way(db, order.company, order.driver)) <= 1


def _handover(
    read: Aggregate, delivery: Awaited, since: set[UUID | None], *, alone: bool
) -> Handover:
    order, stop = read.order, delivery.stop
    handed = order if stop is None else stop
    return Handover(
        waypoint=None if stop is None else stop.public_id,
        driver=order.driver is not None,
        started=order.started_at is not None,
        present=alone and (stop is None or read.whole.stop == stop),
        done=handed.completed_at is not None,
        undelivered=handed.undelivered,
        failed_since=(None if stop is None else stop.uuid) in since,
        canceled=order.canceled_at is not None,
    )


async def _waiting(db: Db, read: Aggregate, occasions: Sequence[Occasion]) -> list[_Telling]:
    """Select the recipients who have not opted out and have not received the news yet."""
    people = [person for occasion in occasions for person in occasion.delivery.people]
    found = await recipients.found(db, read, people)
    addresses = [address for who in found.values() for address in who.addresses]
    silent = await quiet.among(db, read.order.company, addresses)
    muted = await quiet.list_muted(db, read.order.company, read.order.uuid)
    known = await queries.told(db, read.order.company, read.order.uuid)
    waiting: dict[Once, _Telling] = {}
    for occasion in occasions:
        for person in occasion.delivery.people:
            who = found.get(person)
            if not who or who.person.uuid in muted:
                continue
            if silent.isdisjoint(who.addresses) and _expects(occasion, who):
                waiting.setdefault(_told(db, occasion, who).once, _Telling(occasion, who))
    return [each for once, each in waiting.items() if once not in known]


def _expects(occasion: Occasion, who: Recipient) -> bool:
    """Return whether the news makes sense to a recipient.

    Only customers, and recipients of dispatched orders, know of an order that is cancelled.
    """
    if occasion.kind != "cancelled":
        return True
    return occasion.read.order.dispatched_at is not None or who.customer is not None


async def _tell_one(db: Db, occasion: Occasion, who: Recipient) -> None:
    order, kind = occasion.read.order, occasion.kind
    told = _told(db, occasion, who)
    if not await telling.claim(db, told):
        return
    settings = await company_settings.of(db, order.company, who.store)
    said = await composing.phrased(db, settings, occasion, who)
    about = About(kind=kind, order_id=order.public_id, way_out=composing.way_out(db, occasion, who))
    message = Message(order.company, kind, who, said, occasion.at + kinds.LIVES[kind], about)
    channel = await telling.send(db, settings, message)
    if channel is not None:
        await db.update("news", told.uuid, channel=channel)
    elif kind == "next_stop":
        # If the driver starts at once, this is the only other news that contains the link.
        await _tell_one(db, msgspec.structs.replace(occasion, kind="on_its_way"), who)


def _told(db: Db, occasion: Occasion, who: Recipient) -> Told:
    """Create the record of a recipient's news.

    News of a whole order has the order as its subject, so a person with several stops gets it once.
    """
    order, kind = occasion.read.order, occasion.kind
    subject = occasion.delivery.subject
    attempt = (occasion.delivery.stop or order).attempts + 1
    if kind in kinds.OF_ORDERS:
        subject, attempt = order.uuid, 1
    elif kind == "could_not_be_delivered":
        # A status that was entered manually belongs to no attempt and is its own subject.
        subject, attempt = occasion.details.stands_for(subject)
    return Told(
        **db.begun(order.company),
        order_uuid=order.uuid,
        subject=subject,
        person=who.person.uuid,
        kind=kind,
        attempt=attempt,
    )
