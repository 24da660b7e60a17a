"""Hears what happens to orders, and tells those who wait for them."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import CompanySettings
from pannier.accounts.company_settings.news import Kind
from pannier.db import Db
from pannier.events.catalog import Name
from pannier.events.models import Event
from pannier.news import kinds, links, phrasing, quiet, recipients, telling, times
from pannier.news.kinds import Handover, Heard
from pannier.news.models import Told
from pannier.news.recipients import Awaited, Recipient
from pannier.news.telling import Message
from pannier.orders import queries as orders
from pannier.orders.aggregate import Aggregate
from pannier.orders.journey import Journey

HEARD: Final = frozenset(
    {
        Name.ORDER_DISPATCHED,
        Name.ORDER_STARTED,
        Name.ORDER_UPDATED,
        Name.ORDER_CANCELLED,
        Name.TRACKING_STATUS_CREATED,
    }
)
OLDEST: Final = max(kinds.LIVES.values())


class _Envelope(msgspec.Struct):
    data: Heard


class Occasion(NamedTuple):
    """Something that happened to a delivery, and what it is to whoever waits for it."""

    event: Event
    heard: Heard
    read: Aggregate
    delivery: Awaited
    kind: Kind


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
    read = await Aggregate.of(db, order)
    journey = await Journey.of(db, read)
    for delivery in recipients.awaited(read):
        kind = kinds.news(event.name, heard, _handover(journey, delivery))
        if kind is not None and event.created_at + kinds.LIVES[kind] > db.now:
            await _tell(db, Occasion(event, heard, read, delivery, kind))


def _handover(journey: Journey, delivery: Awaited) -> Handover:
    order, stop = journey.order, delivery.stop
    return Handover(
        waypoint=None if stop is None else stop.public_id,
        driver=order.driver is not None,
        started=order.started_at is not None,
        present=stop is None or journey.stop == stop,
        done=(order if stop is None else stop).completed_at is not None,
        canceled=order.canceled_at is not None,
    )


async def _tell(db: Db, occasion: Occasion) -> None:
    """Tell each of those who wait, unless they want to hear nothing or know it."""
    company, read = occasion.event.company, occasion.read
    found = await recipients.found(db, read, occasion.delivery.people)
    silent = await quiet.among(db, company, [a for who in found.values() for a in who.addresses])
    for who in found.values():
        if silent.isdisjoint(who.addresses):
            await _tell_one(db, occasion, who)


async def _tell_one(db: Db, occasion: Occasion, who: Recipient) -> None:
    company, order = occasion.event.company, occasion.read.order
    told = Told(
        uuid=db.new_uuid(),
        company=company,
        order_uuid=order.uuid,
        subject=occasion.delivery.subject,
        person=who.person.uuid,
        kind=occasion.kind,
        attempt=await _attempt(db, occasion),
        created_at=db.now,
    )
    if not await telling.claim(db, told):
        return
    settings = await company_settings.of(db, company, who.store)
    message = Message(
        company,
        order.uuid,
        told.subject,
        told.kind,
        told.attempt,
        who,
        phrasing.phrased(settings.news, told.kind, *_values(db, settings, occasion, who)),
        occasion.event.created_at + kinds.LIVES[told.kind],
    )
    channel = await telling.send(db, settings, message)
    if channel is not None:
        await db.update("news", told.uuid, channel=channel)


async def _attempt(db: Db, occasion: Occasion) -> int:
    """Tell the how manieth attempt to hand something over it is about, from 1."""
    number = occasion.read.shown.payloads.numbers[occasion.delivery.subject]
    failed: int = await db.value(
        """select count(*) from tracking_statuses where company = :company
           and tracking_number = :number and code = :failed and not manual""",
        company=occasion.event.company,
        number=number.uuid,
        failed=kinds.FAILED,
    )
    return max(failed, 1) if occasion.kind == "could_not_be_delivered" else failed + 1


def _values(
    db: Db, settings: CompanySettings, occasion: Occasion, who: Recipient
) -> tuple[str, dict[str, str]]:
    """Choose the language, and what is filled in."""
    read, delivery, event = occasion.read, occasion.delivery, occasion.event
    tongue = phrasing.language(settings.news, (settings.locale,))
    plain = tongue.split("-", 1)[0]
    number = read.shown.payloads.numbers[delivery.subject].number
    driver = None if read.order.driver is None else read.shown.drivers[read.order.driver]
    awaited = delivery.stop or read.order
    base_url = db.database.base_url
    return tongue, {
        "brand": settings.branding.name,
        "number": number,
        "link": links.page(base_url, number),
        "way_out": links.way_out(base_url, number),
        "name": who.person.name,
        "driver": "" if driver is None else driver.name.split(" ", 1)[0],
        "window": times.window(
            awaited.time_window_start, awaited.time_window_end, db.now, settings.zone, plain
        ),
        "time": times.clock(event.created_at, settings.zone, plain),
        "reason": occasion.heard.status if occasion.heard.code == kinds.FAILED else "",
    }
