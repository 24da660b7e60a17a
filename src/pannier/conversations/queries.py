"""Reads of conversations."""

from typing import Final
from uuid import UUID

from msgspec.structs import asdict

from pannier.conversations.models import DriverMessage, Side
from pannier.conversations.schemas import DriverMessageFilters
from pannier.db import Db, Page, Table, columns, parameters
from pannier.db.row import RowReference
from pannier.errors import FieldError, NotFound
from pannier.orders.internal_ids import OrderTable

MESSAGES: Final = Table(
    "driver_messages", DriverMessage, noun="driver_message", prefix="drivermessage"
)
# Deleted drivers and orders are included: messages still refer to them.
DRIVERS: Final = Table("drivers", RowReference)
_ORDERS: Final = OrderTable("orders", RowReference)
# The literals match the conditions of the indexes.
_UNREAD_BY: Final[dict[Side, str]] = {
    "dispatch": "read_at is null and sender = 'driver'",
    "driver": "read_at is null and sender = 'dispatch'",
}


async def list_messages(
    db: Db, company: UUID, filters: DriverMessageFilters, *, own_driver: UUID | None
) -> Page[DriverMessage]:
    """List messages, newest first. A driver sees only the driver's own conversation.

    To a driver, an unknown driver or order is like one without messages: the response does not tell
    whether it exists.
    """
    where = MESSAGES.where(company)
    references = (
        ("driver", "driver", DRIVERS, filters.driver),
        ("order", "order_uuid", _ORDERS, filters.order),
    )
    for name, column, table, identifier in references:
        if identifier is None:
            continue
        row = await table.find(db, company, identifier)
        if row is not None:
            where.add_equal(**{column: row.uuid})
        elif own_driver is not None:
            where.add("false")
        else:
            raise NotFound(fields=[FieldError(name, f"There is no such {name}.")])
    if own_driver is not None:
        where.add("driver = :own_driver", own_driver=own_driver)
    if filters.unread is not None:
        condition = _UNREAD_BY["dispatch" if own_driver is None else "driver"]
        where.add(condition if filters.unread else f"not ({condition})")
    return await MESSAGES.load_page(db, where, filters)


async def get_message(
    db: Db, company: UUID, identifier: str, *, own_driver: UUID | None
) -> DriverMessage:
    """Get a message. A driver gets only messages of the driver's own conversation."""
    where = MESSAGES.where(company).add_identifier(identifier)
    if own_driver is not None:
        where.add("driver = :own_driver", own_driver=own_driver)
    sql = f"select {MESSAGES.columns} from driver_messages {where}"
    return await db.get(DriverMessage, sql, **where.values)


async def insert_or_find(db: Db, company: UUID, row: DriverMessage) -> tuple[DriverMessage, bool]:
    """Insert a message, or find the earlier one with the same client UUID.

    Return the message, and whether it was inserted.
    """
    inserted = await db.find(
        DriverMessage,
        f"""insert into driver_messages ({columns(DriverMessage)})
            values ({parameters(DriverMessage)})
            on conflict (company, client_uuid) do nothing returning {columns(DriverMessage)}""",
        **asdict(row),
    )
    if inserted is not None:
        return inserted, True
    found = None if row.client_uuid is None else await find_sent(db, company, row.client_uuid)
    if found is None:
        raise NotFound
    return found, False


async def find_sent(db: Db, company: UUID, client_uuid: UUID) -> DriverMessage | None:
    """Find a message by the UUID that its sender chose."""
    where = MESSAGES.where(company).add_equal(client_uuid=client_uuid)
    sql = f"select {MESSAGES.columns} from driver_messages {where}"
    return await db.find(DriverMessage, sql, **where.values)


async def find_order_id(db: Db, company: UUID, identifier: str) -> str | None:
    """Find the public id of an order, by any of its identifiers."""
    order = await _ORDERS.find(db, company, identifier)
    return None if order is None else order.public_id


async def mark_read(
    db: Db, company: UUID, last: DriverMessage, reader: Side, *, order: UUID | None
) -> None:
    """Mark the messages to one side as read, up to the last one: all, or those about an order."""
    await db.execute(
        f"""update driver_messages set read_at = :now
            where company = :company and driver = :driver and {_UNREAD_BY[reader]}
              and created_at <= :until
              and (:order::uuid is null or order_uuid = :order)""",
        company=company,
        driver=last.driver,
        until=last.created_at,
        order=order,
        now=db.now,
    )
