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


async def create_or_attach_payload(
    db: Db, company: UUID, data: OrderIn, order: RowReference, place_owner: Owner | None
) -> payload_queries.PayloadRecords:
    """Create the payload of a new order, or attach an existing one."""
    top_level_fields = {
        name: getattr(data, name) for name in PAYLOAD_FIELDS if getattr(data, name) is not None
    }
    if data.payload is not None and top_level_fields:
        raise Invalid(fields=[FieldError("payload", PAYLOAD_TWICE)])
    cash = aliases.get_cash_fields(data)
    if isinstance(data.payload, str):
        return await _attach_existing_payload(db, company, data.payload, order, cash)
    payload_data, path = (
        (data.payload, "payload") if data.payload else (PayloadIn(**top_level_fields), "")
    )
    payload_data = aliases.merge_cash(payload_data, cash)
    return await payloads.create(
        db, company, payload_data, path=path, order=order, place_owner=place_owner
    )


async def _attach_existing_payload(
    db: Db, company: UUID, identifier: str, order: RowReference, cash: dict[str, Any]
) -> payload_queries.PayloadRecords:
    payload = await PAYLOADS.resolve_reference(db, company, "payload", identifier, lock=True)
    if payload.order_uuid is not None:
        raise payloads.PayloadTaken
    related = await payload_queries.load_related(db, company, [payload.uuid])
    if cash:
        await payloads.change(
            db, related, related.payload_aggregates[payload.uuid], PayloadChange(**cash)
        )
    await payloads.attach(db, related, related.payload_aggregates[payload.uuid], order)
    return related


async def change_payload(db: Db, order: OrderAggregate, data: OrderChange) -> None:
    """Update the payload, if the request changes any of it."""
    top_level_fields = {
        name: getattr(data, name) for name in PAYLOAD_FIELDS if getattr(data, name) is not UNSET
    }
    if isinstance(data.payload, str):
        await _check_payload(db, order.row, data.payload)
    elif top_level_fields and data.payload is not UNSET:
        raise Invalid(fields=[FieldError("payload", PAYLOAD_TWICE)])
    cash = aliases.get_cash_fields(data)
    if top_level_fields or (cash and not isinstance(data.payload, PayloadChange)):
        payload_data: Any = PayloadChange(**top_level_fields, **cash)
    else:
        payload_data = aliases.merge_cash(data.payload, cash)
    if isinstance(payload_data, PayloadChange):
        path = "payload" if isinstance(data.payload, PayloadChange) else ""
        await payloads.change(db, order.related, order.payload_aggregate, payload_data, path=path)


async def _check_payload(db: Db, order: Order, identifier: str) -> None:
    """Reject a payload other than the order's own."""
    reference = await PAYLOADS.resolve_reference(db, order.company, "payload", identifier)
    if reference.uuid != order.payload:
        raise Invalid(
            fields=[
                FieldError(
                    "payload", "An order's payload cannot be replaced. Change the payload itself."
                )
            ]
        )
