"""Which stops and items of an order belong to a customer. Pure rules.

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
    """A customer's stops and items, and whether they are all there are."""

    stops: list[Waypoint]
    items: list[Entity]
    all: bool

    @classmethod
    def from_payload(cls, whole: PayloadAggregate, contact: UUID, *, ordered: bool = True) -> Self:
        """Select the share of the order's customer, or of another contact it names."""
        stops = _select_stops(whole, contact, ordered=ordered)
        reached: set[UUID | None] = {stop.uuid for stop in stops}
        reached |= {None} if ordered else set()
        items = [item for item in whole.entities if _is_theirs(item, contact, reached)]
        alone = (len(stops), len(items)) == (len(whole.waypoints), len(whole.entities))
        return cls(stops, items, alone)


def _select_stops(whole: PayloadAggregate, contact: UUID, *, ordered: bool) -> list[Waypoint]:
    named = recipients_by_stop(whole)
    own = [stop for stop in whole.waypoints if contact in named[stop.uuid]]
    last = (stop for stop in whole.waypoints[-1:] if ordered and stop.type == "dropoff")
    return own or [stop for stop in last if not named[stop.uuid]]


def recipients_by_stop(whole: PayloadAggregate) -> Mapping[UUID, set[UUID]]:
    """Return the contacts that each stop belongs to."""
    named: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for item in whole.entities:
        if item.destination is not None and item.customer is not None:
            named[item.destination].add(item.customer)
    return named | {stop.uuid: {stop.contact} for stop in whole.waypoints if stop.contact}


def _is_theirs(item: Entity, contact: UUID, reached: set[UUID | None]) -> bool:
    if item.customer is not None:
        return item.customer == contact
    return item.destination in reached
