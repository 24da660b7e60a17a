"""Redaction of orders for drivers: contact details are hidden a day after the order ended.

A driver needs a recipient's phone number and access code to deliver, and shortly afterwards for
questions. API keys and operators always see the whole order.
"""

from datetime import datetime, timedelta
from typing import Final

import msgspec
from msgspec.structs import replace

from pannier.accounts.auth import FleetKey
from pannier.errors import Forbidden
from pannier.fleet.auth import DriverCaller
from pannier.orders.filters import OrderFilters
from pannier.orders.models import Order
from pannier.orders.schemas import OrderOut, OrderPartnerOut
from pannier.payloads.schemas import EntityOut, PayloadOut, WaypointOut
from pannier.places.schemas import PlaceOut
from pannier.web.exchange import Exchange
from pannier.web.idempotency import StoredResponse
from pannier.web.serialization import encode

CONTACT_RETENTION: Final = timedelta(hours=24)


def check_filters(caller: FleetKey | DriverCaller, filters: OrderFilters) -> None:
    """Reject filters by a field that the caller does not see: their results would tell it."""
    names = ("balance", "balance_min", "balance_max")
    if isinstance(caller, DriverCaller) and any(
        getattr(filters, name) is not None for name in names
    ):
        raise Forbidden("Drivers do not see the balances of orders.")


def redact_for_caller(
    caller: FleetKey | DriverCaller, now: datetime, order: Order, order_out: OrderOut
) -> OrderOut:
    """Return the order without the fields that the caller may not see, or no longer."""
    if not isinstance(caller, DriverCaller):
        return order_out
    order_out = replace(
        order_out,
        balance=None,
        rating=None,
        # With the link, a driver could follow the next driver.
        tracking_url=None,
        payload=_remove_ratings(order_out.payload),
    )
    ended_at = order.completed_at or order.canceled_at
    if ended_at is None or now < ended_at + CONTACT_RETENTION:
        return order_out
    return _redact_order(order_out)


class _StoredOrder(msgspec.Struct):
    """The fields of a stored response that identify an order and the time it ended."""

    id: str
    status: str
    payload: msgspec.Raw
    completed_at: datetime | None = None
    canceled_at: datetime | None = None


def redact_replay(
    exchange: Exchange, response: StoredResponse, answered_at: datetime
) -> StoredResponse:
    """Return a stored response without the fields that the caller may no longer see.

    Responses to drivers are stored for weeks. If the order was still open, contact details are
    hidden a day after the response: the order may have ended soon after it.
    """
    if not isinstance(exchange.caller, DriverCaller):
        return response
    try:
        stored_order = msgspec.json.decode(response.body, type=_StoredOrder)
    except msgspec.DecodeError:
        # The response is not an order.
        return response
    ended_at = stored_order.completed_at or stored_order.canceled_at or answered_at
    if exchange.db.now < ended_at + CONTACT_RETENTION:
        return response
    try:
        order = msgspec.json.decode(response.body, type=OrderOut)
    except msgspec.ValidationError:
        # Stored by an earlier version, with other fields.
        return replace(
            response, body=encode({"id": stored_order.id, "status": stored_order.status})
        )
    return replace(response, body=encode(_redact_order(order)))


def _redact_order(order_out: OrderOut) -> OrderOut:
    return replace(
        order_out,
        customer=_redact_partner(order_out.customer),
        facilitator=_redact_partner(order_out.facilitator),
        payload=_redact_payload(order_out.payload),
        notes=None,
        delivery_instructions=None,
        meta={},
    )


def _redact_partner(partner: OrderPartnerOut | None) -> OrderPartnerOut | None:
    return partner and replace(partner, email=None, phone=None)


def _redact_payload(payload: PayloadOut) -> PayloadOut:
    return replace(
        payload,
        pickup=_redact_place(payload.pickup),
        dropoff=_redact_place(payload.dropoff),
        return_=_redact_place(payload.return_),
        waypoints=[_redact_stop(stop) for stop in payload.waypoints],
        entities=[_redact_item(item) for item in payload.entities],
        meta={},
    )


def _remove_ratings(payload: PayloadOut) -> PayloadOut:
    """Remove what recipients wrote about the driver."""
    if all(stop.rating is None for stop in payload.waypoints):
        return payload
    return replace(payload, waypoints=[replace(stop, rating=None) for stop in payload.waypoints])


def _redact_place(place: PlaceOut | None) -> PlaceOut | None:
    return place and replace(place, security_access_code=None, phone=None, meta={})


def _redact_stop(stop: WaypointOut) -> WaypointOut:
    return replace(
        stop,
        place=_redact_place(stop.place),
        recipient=stop.recipient and replace(stop.recipient, phone=None),
        notes=None,
        delivery_instructions=None,
        meta={},
    )


def _redact_item(item: EntityOut) -> EntityOut:
    return replace(item, meta={})
