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
    *CASH_FIELDS, "name", "type", "description", "sku", "expected_codes", "length", "width",
    "height", "dimensions_unit", "weight", "weight_unit", "declared_value", "price", "sale_price",
    "currency", "customer", "supplier", "meta",
)  # fmt: skip
PLACE_FIELDS: Final = (
    "name", "street1", "street2", "city", "province", "postal_code", "neighborhood", "district",
    "building", "security_access_code", "country", "phone", "type", "latitude", "longitude", "meta",
)  # fmt: skip
WINDOW_FIELDS: Final = ("time_window_start", "time_window_end")
ENDPOINTS: Final = ("pickup", "dropoff", "return")


def make_copy(order: OrderAggregate, day: date | None, zone: ZoneInfo) -> OrderIn:
    """Make the request for an order like this one, with its times on another day.

    Places that belong to the order are copied, and deleted records are left out.
    """
    body = msgspec.to_builtins(order.to_order_out())
    payload = body["payload"]
    places = {place.public_id: place for place in order.related.places.values()}
    deleted = _list_deleted_ids(order)
    copy = _select(body, ORDER_FIELDS)
    for name in ("customer", "facilitator"):
        if body[name] is not None and body[name]["id"] not in deleted:
            copy[name] = body[name]["id"]
    new_payload = _select(payload, PAYLOAD_FIELDS)
    if payload["waypoints"]:
        new_payload["waypoints"] = [
            {
                **_drop_deleted(_select(stop, STOP_FIELDS), deleted),
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
    copy["payload"] = new_payload
    if day is not None:
        _move_times(copy, body, day, zone)
    return msgspec.convert(copy, OrderIn, dec_hook=times.read)


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


def _move_times(copy: dict[str, Any], body: Mapping[str, Any], day: date, zone: ZoneInfo) -> None:
    """Copy the schedule and the time windows to another day, with the same times of day."""
    stops = body["payload"]["waypoints"]
    moments = [
        record[name]
        for record, names in ((body, ("scheduled_at", *WINDOW_FIELDS)),
                              *((stop, WINDOW_FIELDS) for stop in stops))
        for name in names
        if record[name] is not None
    ]  # fmt: skip
    if not moments:
        return
    first_day = min(map(_parse, moments)).astimezone(zone).date()
    shift = day - first_day

    def move(record: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, str]:
        return {
            name: times.normalise(move_moment(_parse(record[name]), shift, zone)).isoformat()
            for name in names
            if record[name] is not None
        }

    try:
        copy |= move(body, ("scheduled_at", *WINDOW_FIELDS))
        for new_stop, stop in zip(copy["payload"].get("waypoints", []), stops, strict=True):
            new_stop.update(move(stop, WINDOW_FIELDS))
    except (OverflowError, ValueError):
        sentence = f"moves a time out of range: each {times.OUT_OF_RANGE}."
        raise Invalid(fields=[FieldError("day", sentence)]) from None


def _parse(moment: str) -> datetime:
    return datetime.fromisoformat(moment)


def move_moment(moment: datetime, shift: timedelta, zone: ZoneInfo) -> datetime:
    """Return the same time of day in a time zone, some days later."""
    local = moment.astimezone(zone)
    return datetime.combine(local.date() + shift, local.time(), zone).astimezone(UTC)
