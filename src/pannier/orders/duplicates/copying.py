"""The request that creates an order like an earlier one. Pure rules."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from pannier.errors import FieldError, Invalid
from pannier.orders.schemas import OrderIn
from pannier.orders.views import OrderAggregate
from pannier.places.models import PlaceRow
from pannier.web import times

ORDER_FIELDS: Final = (
    "order_config", "required_skills", "adhoc", "adhoc_distance", "pod_required", "pod_method",
    "notes", "meta",
)  # fmt: skip
CASH_FIELDS: Final = ("cod_amount", "cod_currency", "cod_payment_method")
PAYLOAD_FIELDS: Final = (*CASH_FIELDS, "type", "payment_method", "meta")
STOP_FIELDS: Final = (
    *CASH_FIELDS, "type", "contact", "subflow", "service_time", "notes", "pod_required",
    "pod_method", "meta",
)  # fmt: skip
ITEM_FIELDS: Final = (
    *CASH_FIELDS, "name", "type", "description", "sku", "quantity", "expected_codes", "length",
    "width", "height", "dimensions_unit", "weight", "weight_unit", "declared_value", "price",
    "sale_price", "currency", "customer", "supplier", "meta",
)  # fmt: skip
PLACE_FIELDS: Final = (
    "name", "street1", "street2", "city", "province", "postal_code", "neighborhood", "district",
    "building", "security_access_code", "country", "phone", "type", "latitude", "longitude", "meta",
)  # fmt: skip
WINDOW_FIELDS: Final = ("time_window_start", "time_window_end")
MOMENT_FIELDS: Final = ("scheduled_at", *WINDOW_FIELDS)
ENDPOINTS: Final = ("pickup", "dropoff", "return")


def make_copy(order: OrderAggregate, day: date | None, zone: ZoneInfo) -> OrderIn:
    """Make the request for an order like this one, with its times on another day.

    Places that belong to the order are copied, and deleted records are left out.
    """
    return make_request(make_body(order, zone), day, zone)


def make_body(order: OrderAggregate, zone: ZoneInfo) -> dict[str, Any]:
    """Return the body of an order like this one, with local times that have no offset.

    So the body means the same times of day on any day, whatever the clocks do until then.
    """
    body = msgspec.to_builtins(order.to_order_out())
    payload = body["payload"]
    places = {place.public_id: place for place in order.related.places.values()}
    deleted = _list_deleted_ids(order)
    copy = _select(body, ORDER_FIELDS) | _to_local_times(body, MOMENT_FIELDS, zone)
    for name in ("customer", "facilitator"):
        if body[name] is not None and body[name]["id"] not in deleted:
            copy[name] = body[name]["id"]
    new_payload = _select(payload, PAYLOAD_FIELDS)
    if payload["waypoints"]:
        new_payload["waypoints"] = [
            {
                **_drop_deleted(_select(stop, STOP_FIELDS), deleted),
                **_to_local_times(stop, WINDOW_FIELDS, zone),
                "place": _copy_place(places[stop["place"]["id"]]),
            }
            for stop in payload["waypoints"]
        ]
    names = ENDPOINTS[2:] if payload["waypoints"] else ENDPOINTS
    new_payload |= {
        name: _copy_place(places[payload[name]["id"]]) for name in names if payload[name]
    }
    indexes = {stop["id"]: index for index, stop in enumerate(payload["waypoints"])}
    new_payload["entities"] = [
        {
            **_drop_deleted(_select(item, ITEM_FIELDS), deleted),
            **({"destination": indexes[item["destination"]]} if item["destination"] else {}),
        }
        for item in payload["entities"]
    ]
    return {**copy, "payload": new_payload}


def make_request(body: Mapping[str, Any], day: date | None, zone: ZoneInfo) -> OrderIn:
    """Return the request of a body, with its first time on `day`. Without a day, drop its times."""
    return msgspec.convert(_move_times(body, day, zone), OrderIn, dec_hook=times.read)


def _select(record: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields that have a value."""
    return {name: record[name] for name in names if record[name] not in (None, {}, [])}


def _drop_deleted(record: dict[str, Any], deleted: frozenset[str]) -> dict[str, Any]:
    """Leave out references to deleted records."""
    return {
        name: value
        for name, value in record.items()
        if not (isinstance(value, str) and value in deleted)
    }


def _list_deleted_ids(order: OrderAggregate) -> frozenset[str]:
    related = order.related
    return frozenset(
        row.public_id
        for row in (*related.contacts.values(), *related.vendors.values())
        if row.deleted_at is not None
    )


def _copy_place(place: PlaceRow) -> str | dict[str, Any]:
    """Return a place that others may use by its id, and any other by its fields."""
    if place.owner_type != "order" and place.deleted_at is None:
        return place.public_id
    fields = msgspec.to_builtins(place)
    return _select(fields, PLACE_FIELDS)


def _to_local_times(
    record: Mapping[str, Any], names: tuple[str, ...], zone: ZoneInfo
) -> dict[str, str]:
    return {
        name: _parse(record[name]).astimezone(zone).replace(tzinfo=None).isoformat()
        for name in names
        if record[name] is not None
    }


def _move_times(body: Mapping[str, Any], day: date | None, zone: ZoneInfo) -> dict[str, Any]:
    """Return the body with its local times on other days, as times with an offset."""
    payload = body["payload"]
    stops = payload.get("waypoints", [])
    moments = [
        _parse(record[name])
        for record in (body, *stops)
        for name in MOMENT_FIELDS
        if name in record
    ]
    shift = day - min(moments).date() if day is not None and moments else None
    moved_body = {**_move(body, shift, zone), "payload": dict(payload)}
    if stops:
        moved_body["payload"]["waypoints"] = [_move(stop, shift, zone) for stop in stops]
    return moved_body


def _move(record: Mapping[str, Any], shift: timedelta | None, zone: ZoneInfo) -> dict[str, Any]:
    """Return the record with its times some days later. Without a shift, drop them."""
    local_times = {name: _parse(record[name]) for name in MOMENT_FIELDS if name in record}
    other_fields = {name: value for name, value in record.items() if name not in MOMENT_FIELDS}
    if shift is None:
        return other_fields
    try:
        return other_fields | {
            name: times.normalise((moment + shift).replace(tzinfo=zone).astimezone(UTC)).isoformat()
            for name, moment in local_times.items()
        }
    except (OverflowError, ValueError):
        sentence = f"moves a time out of range: each {times.OUT_OF_RANGE}."
        raise Invalid(fields=[FieldError("day", sentence)]) from None


def _parse(moment: str) -> datetime:
    return datetime.fromisoformat(moment)
