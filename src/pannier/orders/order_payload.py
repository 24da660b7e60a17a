"""The payload of an order: created with it, attached to it, or changed through it."""

from typing import Any, Final
from uuid import UUID

from msgspec import UNSET

from pannier.db import Db
from pannier.db.row import RowReference
from pannier.errors import FieldError, Invalid
from pannier.orders import aliases
from pannier.orders.models import Order
from pannier.orders.schemas import OrderChange, OrderIn
from pannier.orders.views import OrderAggregate
from pannier.payloads import queries as payload_queries
from pannier.payloads import service as payloads
from pannier.payloads.queries import PAYLOADS
from pannier.payloads.schemas import PayloadChange, PayloadIn
from pannier.places.models import Owner

# Fields of a payload that may be sent at the top level of an order.
PAYLOAD_FIELDS: Final = ("pickup", "dropoff", "return_", "waypoints", "entities")
PAYLOAD_TWICE: Final = "Send either `payload` or its parts at the top level, not both."


async def create_payload(
    db: Db, company: UUID, given: OrderIn, order: RowReference, place_owner: Owner | None
) -> payload_queries.PayloadRecords:
    """Create the order's payload, or attach the existing one that it names."""
    parts = {
        name: getattr(given, name) for name in PAYLOAD_FIELDS if getattr(given, name) is not None
    }
    if given.payload is not None and parts:
        raise Invalid(fields=[FieldError("payload", PAYLOAD_TWICE)])
    cash = aliases.cash_fields(given)
    if isinstance(given.payload, str):
        return await _attach_existing_payload(db, company, given.payload, order, cash)
    wanted, path = (given.payload, "payload") if given.payload else (PayloadIn(**parts), "")
    wanted = aliases.merge_cash(wanted, cash)
    return await payloads.create(
        db, company, wanted, path=path, order=order, place_owner=place_owner
    )


async def _attach_existing_payload(
    db: Db, company: UUID, identifier: str, order: RowReference, cash: dict[str, Any]
) -> payload_queries.PayloadRecords:
    payload = await PAYLOADS.resolve_reference(db, company, "payload", identifier, lock=True)
    if payload.order_uuid is not None:
        raise payloads.PayloadTaken
    related = await payload_queries.load_related(db, company, [payload.uuid])
    if cash:
        await payloads.change(db, related, related.wholes[payload.uuid], PayloadChange(**cash))
    await payloads.attach(db, related, related.wholes[payload.uuid], order)
    return related


async def change_payload(db: Db, order: OrderAggregate, given: OrderChange) -> None:
    """Update the payload, if the request changes any of it."""
    parts = {
        name: getattr(given, name) for name in PAYLOAD_FIELDS if getattr(given, name) is not UNSET
    }
    if isinstance(given.payload, str):
        await _check_payload(db, order.row, given.payload)
    elif parts and given.payload is not UNSET:
        raise Invalid(fields=[FieldError("payload", PAYLOAD_TWICE)])
    cash = aliases.cash_fields(given)
    if parts or (cash and not isinstance(given.payload, PayloadChange)):
        wanted: Any = PayloadChange(**parts, **cash)
    else:
        wanted = aliases.merge_cash(given.payload, cash)
    if isinstance(wanted, PayloadChange):
        path = "payload" if isinstance(given.payload, PayloadChange) else ""
        await payloads.change(db, order.related, order.whole, wanted, path=path)


async def _check_payload(db: Db, order: Order, identifier: str) -> None:
    """Reject a payload other than the order's own."""
    named = await PAYLOADS.resolve_reference(db, order.company, "payload", identifier)
    if named.uuid != order.payload:
        raise Invalid(
            fields=[
                FieldError(
                    "payload", "An order's payload cannot be replaced. Change the payload itself."
                )
            ]
        )
