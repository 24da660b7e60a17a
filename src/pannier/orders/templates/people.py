"""A person's part of a template's body: pure rules for export and erasure."""

from collections.abc import Collection, Mapping
from typing import Any, Final

PARTNER_FIELDS: Final = ("customer", "facilitator")
MIN_STOPS: Final = 2


def list_partners(body: Mapping[str, Any]) -> list[str]:
    """List the contacts and vendors in a body, by public id."""
    payload = body["payload"]
    records = [
        *((body, name) for name in PARTNER_FIELDS),
        *((stop, "contact") for stop in payload.get("waypoints", ())),
        *((item, name) for item in payload["entities"] for name in ("customer", "supplier")),
    ]
    return sorted({record[name] for record, name in records if record.get(name)})


def select_parts(body: Mapping[str, Any], contacts: Collection[str]) -> dict[str, Any]:
    """Return the person's part of a body: all of an order for them, else their stops and items."""
    if body.get("customer") in contacts:
        return dict(body)
    payload = body["payload"]
    recipients = _group_recipients(payload)
    own_stops = {index for index, people in enumerate(recipients) if people & {*contacts}}
    return {
        "payload": {
            "waypoints": [payload["waypoints"][index] for index in sorted(own_stops)],
            "entities": [
                item for item in payload["entities"] if _is_own_item(item, own_stops, contacts)
            ],
        }
    }


def remove_person(body: Mapping[str, Any], contacts: Collection[str]) -> dict[str, Any] | None:
    """Return a body without a person's stops and items, or None if no order remains.

    A stop with items for somebody else stays.
    """
    if body.get("customer") in contacts:
        return None
    payload = body["payload"]
    stops, recipients = payload.get("waypoints", []), _group_recipients(payload)
    own_stops = {
        index for index, people in enumerate(recipients) if people and people <= {*contacts}
    }
    if own_stops and len(stops) - len(own_stops) < MIN_STOPS:
        return None
    remaining_stops = [index for index in range(len(stops)) if index not in own_stops]
    new_indexes = {index: number for number, index in enumerate(remaining_stops)}
    new_payload = dict(payload)
    if stops:
        new_payload["waypoints"] = [
            _drop_contacts(stops[index], contacts) for index in remaining_stops
        ]
    new_payload["entities"] = [
        _drop_contacts(item, contacts) | _get_destination(item, new_indexes)
        for item in payload["entities"]
        if not _is_own_item(item, own_stops, contacts) and item.get("destination") not in own_stops
    ]
    return {**_drop_contacts(body, contacts), "payload": new_payload}


def _group_recipients(payload: Mapping[str, Any]) -> list[set[str]]:
    """List the recipients of each stop: its contact, or else the customers of its items."""
    return [
        {stop["contact"]}
        if "contact" in stop
        else {
            item["customer"]
            for item in payload["entities"]
            if item.get("destination") == index and "customer" in item
        }
        for index, stop in enumerate(payload.get("waypoints", ()))
    ]


def _is_own_item(
    item: Mapping[str, Any], own_stops: Collection[int], contacts: Collection[str]
) -> bool:
    """Tell whether an item is a person's. One without a customer is for the stop's recipient."""
    if "customer" in item:
        return item["customer"] in contacts
    return item.get("destination") in own_stops


def _get_destination(item: Mapping[str, Any], new_indexes: Mapping[int, int]) -> dict[str, int]:
    return {"destination": new_indexes[item["destination"]]} if "destination" in item else {}


def _drop_contacts(record: Mapping[str, Any], contacts: Collection[str]) -> dict[str, Any]:
    """Leave out the references to a person's contacts."""
    return {
        name: value
        for name, value in record.items()
        if not (isinstance(value, str) and value in contacts)
    }
