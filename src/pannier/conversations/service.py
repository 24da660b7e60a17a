"""Sending and reading of messages between dispatch and drivers."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from pannier.accounts.auth import FleetKey
from pannier.conversations import erasure, photos, queries
from pannier.conversations.models import DriverMessage, Side
from pannier.conversations.schemas import DriverMessageIn, Thread
from pannier.db import Db
from pannier.errors import Conflict, FieldError, Invalid, NotFound
from pannier.fleet.auth import DriverCaller, get_own_driver
from pannier.fleet.queries import DRIVERS
from pannier.kit import device_times
from pannier.orders.aggregate import OrderClosed
from pannier.orders.assignment import DriverRequired
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.tracking.queries import has_status_of
from pannier.proofs.evidence import Evidence

# A message that waited longer on a phone counts from then.
MAX_DELAY: Final = timedelta(days=30)
ONLY_FOR_DISPATCH: Final = "Leave this out: drivers write to dispatch."
OTHER_DRIVER: Final = "The order has another driver."
RECIPIENT_ERASED: Final = "The data of a person of this order was erased."
NO_ORDER: Final = "The message is not about an order."
NO_RECIPIENT: Final = "Send the driver, or an order that has one."


class MessageConflict(Conflict):
    """A message's UUID identifies one message."""

    code = "message_conflict"
    title = "Another message has this UUID."
    remedy = "Choose a new `message_uuid` for each message."


async def check_message(db: Db, caller: FleetKey | DriverCaller, data: DriverMessageIn) -> None:
    """Reject a message that cannot be sent, before its photos are processed."""
    if await _find_sent(db, caller, data) is not None:
        return
    order = None if data.order is None else await _find_order(db, caller, data.order)
    if order is not None:
        await _check_erasure(db, order)
    await _find_driver(db, caller, data, order)


async def send_message(
    db: Db,
    caller: FleetKey | DriverCaller,
    data: DriverMessageIn,
    evidence: Sequence[Evidence] = (),
) -> DriverMessage:
    """Send a message once. A repeated request returns the stored message.

    Another text, recipient or photo under the same UUID is a conflict.
    """
    earlier_message = await _find_sent(db, caller, data)
    if earlier_message is not None:
        return await _check_photos(db, earlier_message, evidence)
    order = None if data.order is None else await _find_order(db, caller, data.order)
    if order is not None:
        await erasure.await_erasure(db, order)
        await _check_erasure(db, order)
    driver = await _find_driver(db, caller, data, order)
    row = DriverMessage(
        **db.new_row_fields(caller.company, "drivermessage"),
        driver=driver,
        order_uuid=order.uuid if order else None,
        order_id=order.public_id if order else None,
        sender="driver" if isinstance(caller, DriverCaller) else "dispatch",
        actor_kind=db.actor.kind,
        actor_id=db.actor.id,
        actor_name=db.actor.name,
        body=data.text,
        client_uuid=data.message_uuid,
        sent_at=device_times.limit_to_range(
            data.sent_at, earliest=db.now - MAX_DELAY, now=db.now
        ).time,
    )
    stored, is_new = await queries.insert_or_find(db, caller.company, row)
    if is_new:
        await photos.attach_photos(db, stored, evidence)
        return stored
    if _list_content(stored) != _list_content(row):
        raise MessageConflict
    return await _check_photos(db, stored, evidence)


async def mark_read(
    db: Db, caller: FleetKey | DriverCaller, identifier: str, thread: Thread
) -> DriverMessage:
    """Mark a thread as read by the caller's side, up to a message."""
    own_driver = get_own_driver(caller)
    message = await queries.get_message(db, caller.company, identifier, own_driver=own_driver)
    if thread == "order" and message.order_uuid is None:
        raise Invalid(fields=[FieldError("thread", NO_ORDER)])
    reader: Side = "dispatch" if own_driver is None else "driver"
    order = message.order_uuid if thread == "order" else None
    await queries.mark_read(db, caller.company, message, reader, order=order)
    return await queries.get_message(db, caller.company, identifier, own_driver=own_driver)


async def _find_sent(
    db: Db, caller: FleetKey | DriverCaller, data: DriverMessageIn
) -> DriverMessage | None:
    """Find a message that was sent already, even if its order has another driver now.

    A difference is left to the checks of a new message.
    """
    if data.message_uuid is None:
        return None
    message = await queries.find_sent(db, caller.company, data.message_uuid)
    if message is None or message.body != data.text:
        return None
    if message.order_id != data.order and (
        message.order_id is None
        or data.order is None
        or message.order_id != await queries.find_order_id(db, caller.company, data.order)
    ):
        return None
    if isinstance(caller, DriverCaller):
        is_same = data.driver is None and message.driver == caller.uuid
    elif data.driver is not None:
        driver = await DRIVERS.resolve_reference(db, caller.company, "driver", data.driver)
        is_same = message.driver == driver.uuid
    else:
        is_same = True
    side: Side = "driver" if isinstance(caller, DriverCaller) else "dispatch"
    return message if is_same and message.sender == side else None


async def _check_photos(
    db: Db, message: DriverMessage, evidence: Sequence[Evidence]
) -> DriverMessage:
    if not await photos.has_same_photos(db, message, evidence):
        raise MessageConflict
    return message


def _list_content(message: DriverMessage) -> tuple[object, ...]:
    """List what a repeated request has in common with the first one."""
    return message.sender, message.driver, message.order_uuid, message.body


async def _find_order(db: Db, caller: FleetKey | DriverCaller, identifier: str) -> Order:
    """Find the order of a message. Drivers find those that they have, or have worked on.

    An order can be assigned to another driver before a message about it arrives.
    """
    order = await ORDERS.resolve_reference(db, caller.company, "order", identifier)
    is_visible = (
        not isinstance(caller, DriverCaller)
        or order.driver == caller.uuid
        or await has_status_of(db, caller.company, order.uuid, caller.public_id)
    )
    if not is_visible:
        raise NotFound(fields=[FieldError("order", "There is no such order.")])
    return order


async def _check_erasure(db: Db, order: Order) -> None:
    """Reject a late message about a person whose data was erased: it may name them."""
    has_ended = order.completed_at is not None or order.canceled_at is not None
    if has_ended and await erasure.is_anybody_erased(db, order):
        raise OrderClosed(RECIPIENT_ERASED)


async def _find_driver(
    db: Db, caller: FleetKey | DriverCaller, data: DriverMessageIn, order: Order | None
) -> UUID:
    """Find the driver of the conversation."""
    if isinstance(caller, DriverCaller):
        if data.driver is not None:
            raise Invalid(fields=[FieldError("driver", ONLY_FOR_DISPATCH)])
        return caller.uuid
    if data.driver is None:
        if order is None:
            raise Invalid(fields=[FieldError("driver", NO_RECIPIENT)])
        if order.driver is None:
            raise DriverRequired
        return order.driver
    driver = await DRIVERS.resolve_reference(db, caller.company, "driver", data.driver)
    if order is not None and order.driver != driver.uuid:
        raise Invalid(fields=[FieldError("driver", OTHER_DRIVER)])
    return driver.uuid
