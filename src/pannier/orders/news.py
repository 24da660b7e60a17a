"""News of their orders for customers' devices, as push messages."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import msgspec

from pannier.customers import devices
from pannier.customers.models import Customer
from pannier.db import Db, columns
from pannier.events.catalog import Name
from pannier.events.models import Event

WORDS: Final = {
    Name.ORDER_DISPATCHED: ("Order on its way out", "Your order has been handed to its driver."),
    Name.ORDER_STARTED: ("Order on its way", "The driver has begun the journey."),
    Name.ORDER_COMPLETED: ("Order delivered", "Your order has been delivered."),
    Name.ORDER_CANCELLED: ("Order cancelled", "Your order has been cancelled."),
}


class _Told(msgspec.Struct):
    # Of an order that was erased before its turn came, nothing is left to tell.
    uuid: UUID | None = None
    tracking_number: str = ""


class _Envelope(msgspec.Struct):
    data: _Told


async def subscriber(db: Db, events: Sequence[Event]) -> None:
    """Write a push message for each device of the customer whom an order is for."""
    for event in events:
        if event.name in WORDS:
            told = msgspec.json.decode(event.body, type=_Envelope).data
            await _push(db, event, told)


async def _push(db: Db, event: Event, told: _Told) -> None:
    customer = await db.find(
        Customer,
        f"""select {columns(Customer, "c")} from customers c join orders o on o.customer = c.contact
           where o.company = :company and o.uuid = :order and c.closed_at is null""",
        company=event.company,
        order=told.uuid,
    )
    if customer is not None:
        title, text = WORDS[event.name]
        sentence = f"{text} {told.tracking_number}"
        await devices.push(db, event.company, customer.uuid, title, sentence)
