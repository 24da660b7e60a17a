"""News of their orders for customers' devices, as push messages."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.customers import devices
from pannier.customers.models import Customer
from pannier.db import Db, columns
from pannier.events.catalog import Name
from pannier.events.models import Event


class News(NamedTuple):
    """What is said of an event, and for how long it is news."""

    title: str
    text: str
    life: timedelta


SOON, A_DAY = timedelta(hours=1), timedelta(days=1)
WORDS: Final = {
    Name.ORDER_DISPATCHED: News(
        "Order on its way out", "Your order has been handed to its driver.", SOON
    ),
    Name.ORDER_STARTED: News("Order on its way", "The driver has begun the journey.", SOON),
    Name.ORDER_COMPLETED: News("Order delivered", "Your order has been delivered.", A_DAY),
    Name.ORDER_CANCELLED: News("Order cancelled", "Your order has been cancelled.", A_DAY),
}


class _Told(msgspec.Struct):
    # Of an order that was erased before its turn came, nothing is left to tell.
    uuid: UUID | None = None
    tracking_number: str = ""


class _Envelope(msgspec.Struct):
    data: _Told


async def subscriber(db: Db, events: Sequence[Event]) -> None:
    """Write a push message for each device of the customer whom an order is for.

    What is told late may be wrong by then: nothing is said after its time.
    """
    for event in events:
        news = WORDS.get(event.name)
        if news is not None and event.created_at + news.life > db.now:
            told = msgspec.json.decode(event.body, type=_Envelope).data
            await _push(db, event, told, news)


async def _push(db: Db, event: Event, told: _Told, news: News) -> None:
    customer = await db.find(
        Customer,
        f"""select {columns(Customer, "c")} from customers c join orders o on o.customer = c.contact
           where o.company = :company and o.uuid = :order and c.closed_at is null""",
        company=event.company,
        order=told.uuid,
    )
    if customer is not None:
        text = f"{news.text} {told.tracking_number}"
        until = event.created_at + news.life
        await devices.push(db, event.company, customer.uuid, news.title, text, until)
