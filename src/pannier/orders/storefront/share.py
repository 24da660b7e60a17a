"""The stops and items of an order that belong to a customer. Pure rules.

An order may have many recipients. A stop belongs to its contact, or else to the customers of the
items delivered there. If no stop names the order's customer, the last stop is theirs, unless it
names someone else.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Self
from uuid import UUID

import msgspec

from pannier.payloads.models import Entity, Waypoint
from pannier.payloads.queries import PayloadAggregate


class CustomerShare(msgspec.Struct, frozen=True):
    """A customer's stops and items, and whether they make up the whole order."""

    stops: list[Waypoint]
    items: list[Entity]
    is_whole_order: bool

    @classmethod
    def from_payload(
        cls, payload_aggregate: PayloadAggregate, contact: UUID, *, is_customer: bool = True
    ) -> Self:
        """Select the share of the order's customer, or of another recipient."""
        stops = _select_contact_stops(payload_aggregate, contact, is_customer=is_customer)
        stop_uuids: set[UUID | None] = {stop.uuid for stop in stops}
        stop_uuids |= {None} if is_customer else set()
        items = [
            item for item in payload_aggregate.entities if _is_own_item(item, contact, stop_uuids)
        ]
        is_whole_order = (len(stops), len(items)) == (
            len(payload_aggregate.waypoints),
            len(payload_aggregate.entities),
        )
        return cls(stops, items, is_whole_order)


def _select_contact_stops(
    payload_aggregate: PayloadAggregate, contact: UUID, *, is_customer: bool
) -> list[Waypoint]:
    """Return the contact's stops.

    For the order's customer, fall back to a final drop-off without a recipient.
    """
    recipients = group_recipients_by_stop(payload_aggregate)
    own_stops = [stop for stop in payload_aggregate.waypoints if contact in recipients[stop.uuid]]
    last_dropoffs = (
        stop for stop in payload_aggregate.waypoints[-1:] if is_customer and stop.type == "dropoff"
    )
    return own_stops or [stop for stop in last_dropoffs if not recipients[stop.uuid]]


def group_recipients_by_stop(payload_aggregate: PayloadAggregate) -> Mapping[UUID, set[UUID]]:
    """Group the recipients' contacts by their stop."""
    contacts_by_stop: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for item in payload_aggregate.entities:
        if item.destination is not None and item.customer is not None:
            contacts_by_stop[item.destination].add(item.customer)
    return contacts_by_stop | {
        stop.uuid: {stop.contact} for stop in payload_aggregate.waypoints if stop.contact
    }


def _is_own_item(item: Entity, contact: UUID, stop_uuids: set[UUID | None]) -> bool:
    if item.customer is not None:
        return item.customer == contact
    return item.destination in stop_uuids
