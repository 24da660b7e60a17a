"""Reading payloads with everything that belongs to them."""

from collections.abc import Iterable, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from pannier.db import Db, Page, Sort, Table
from pannier.errors import Field, NotFound
from pannier.partners import queries as partners
from pannier.partners.models import Contact, Vendor
from pannier.payloads.models import Entity, Payload, TrackingNumber, Waypoint
from pannier.payloads.schemas import (
    EntityFilters,
    EntityOut,
    PayloadFilters,
    PayloadOut,
    WaypointFilters,
    WaypointOut,
)
from pannier.places import queries as places
from pannier.places.models import Place
from pannier.places.schemas import PlaceOut
from pannier.web.spelling import spelled


class OrderName(msgspec.Struct):
    """All that payloads know of an order: what it goes by."""

    uuid: UUID
    public_id: str


PAYLOADS: Final = Table("payloads", Payload, noun="payload")
WAYPOINTS: Final = Table("waypoints", Waypoint, noun="waypoint")
ENTITIES: Final = Table(
    "entities",
    Entity,
    noun="entity",
    sort=Sort(("created_at", "name")),
    search=("name", "sku", "internal_id", "description"),
)
NUMBERS: Final = Table("tracking_numbers", TrackingNumber, noun="tracking_number", prefix="track")
_orders: Final = Table("orders", OrderName, noun="order")


class Whole(msgspec.Struct):
    """A payload with its stops, in the order in which they are visited, and its items."""

    payload: Payload
    waypoints: list[Waypoint]
    entities: list[Entity]


class Shown(msgspec.Struct, kw_only=True):
    """Everything that is said beside the rows of payloads, stops and items, read at once."""

    wholes: dict[UUID, Whole]
    payloads: dict[UUID, Payload]
    stops: dict[UUID, Waypoint]
    places: dict[UUID, Place]
    contacts: dict[UUID, Contact]
    vendors: dict[UUID, Vendor]
    orders: dict[UUID, OrderName]
    numbers: dict[UUID, TrackingNumber]

    def out(self, row: Payload) -> PayloadOut:
        """Spell a payload."""
        whole = self.wholes[row.uuid]
        return spelled(
            row,
            PayloadOut,
            order=_name(self.orders, row.order_uuid),
            pickup=self._place(row.pickup),
            dropoff=self._place(row.dropoff),
            return_=self._place(row.return_place),
            waypoints=[self.waypoint(stop) for stop in whole.waypoints],
            entities=[self.entity(item) for item in whole.entities],
            current_waypoint=_name(self.stops, row.current_waypoint),
        )

    def waypoint(self, row: Waypoint) -> WaypointOut:
        """Spell a stop."""
        place = PlaceOut.of(self.places[row.place])
        return spelled(
            row,
            WaypointOut,
            payload=_name(self.payloads, row.payload),
            order=row.position,
            place=place,
            name=place.name,
            address=place.address,
            location=place.location,
            contact=_name(self.contacts, row.contact),
            status_code=row.activity,
            complete=row.completed_at is not None,
            tracking_number=self._number(row.uuid),
        )

    def entity(self, row: Entity) -> EntityOut:
        """Spell an item."""
        return spelled(
            row,
            EntityOut,
            payload=_name(self.payloads, row.payload),
            destination=_name(self.stops, row.destination),
            customer=_name(self.contacts, row.customer),
            supplier=_name(self.vendors, row.supplier),
            tracking_number=self._number(row.uuid),
        )

    def _place(self, uuid: UUID | None) -> PlaceOut | None:
        return None if uuid is None else PlaceOut.of(self.places[uuid])

    def _number(self, subject: UUID) -> str | None:
        found = self.numbers.get(subject)
        return None if found is None else found.number


def _name(rows: dict[UUID, Any], uuid: UUID | None) -> str | None:
    """Answer what a row goes by, when there is one."""
    found = None if uuid is None else rows.get(uuid)
    return None if found is None else str(found.public_id)


async def whole(db: Db, company: UUID, payload: Payload) -> Whole:
    """Read a payload's stops and items."""
    return (await _wholes(db, company, [payload]))[payload.uuid]


async def _wholes(db: Db, company: UUID, payloads: Sequence[Payload]) -> dict[UUID, Whole]:
    found = {payload.uuid: Whole(payload, [], []) for payload in payloads}
    if not found:
        return found
    living = "where company = :company and payload = any(:payloads) and deleted_at is null"
    values = {"company": company, "payloads": list(found)}
    for stop in await db.many(
        Waypoint, f"select * from waypoints {living} order by position, uuid", **values
    ):
        found[stop.payload].waypoints.append(stop)
    for item in await db.many(
        Entity, f"select * from entities {living} order by created_at, uuid", **values
    ):
        found[item.payload].entities.append(item)  # type: ignore[index]  # asked for by its payload
    return found


async def shown(
    db: Db, company: UUID, payloads: list[Payload], orders: dict[UUID, OrderName] | None = None
) -> Shown:
    """Read everything that some payloads are spelled with, but for orders that are known."""
    wholes = await _wholes(db, company, payloads)
    stops = [stop for one in wholes.values() for stop in one.waypoints]
    items = [item for one in wholes.values() for item in one.entities]
    return await _shown(db, company, wholes, payloads, stops, items, orders)


async def shown_waypoints(db: Db, company: UUID, rows: list[Waypoint]) -> Shown:
    """Read everything that some stops are spelled with."""
    payloads = await _among(db, company, PAYLOADS, (row.payload for row in rows))
    return await _shown(db, company, {}, list(payloads.values()), rows, [])


async def shown_entities(db: Db, company: UUID, rows: list[Entity]) -> Shown:
    """Read everything that some items are spelled with."""
    payloads = await _among(db, company, PAYLOADS, (row.payload for row in rows))
    stops = await _among(db, company, WAYPOINTS, (row.destination for row in rows))
    return await _shown(db, company, {}, list(payloads.values()), list(stops.values()), rows)


async def _shown(
    db: Db,
    company: UUID,
    wholes: dict[UUID, Whole],
    payloads: list[Payload],
    stops: list[Waypoint],
    items: list[Entity],
    known: dict[UUID, OrderName] | None = None,
) -> Shown:
    spots = [spot for row in payloads for spot in (row.pickup, row.dropoff, row.return_place)]
    people = [*(stop.contact for stop in stops), *(item.customer for item in items)]
    orders = [row.order_uuid for row in payloads if row.order_uuid is not None]
    subjects = [*orders, *(stop.uuid for stop in stops), *(item.uuid for item in items)]
    return Shown(
        wholes=wholes,
        payloads={row.uuid: row for row in payloads},
        stops={stop.uuid: stop for stop in stops},
        places=await _among(db, company, places.places, [*spots, *(stop.place for stop in stops)]),
        contacts=await _among(db, company, partners.contacts, people),
        vendors=await _among(db, company, partners.vendors, (item.supplier for item in items)),
        orders=await _among(db, company, _orders, orders) if known is None else known,
        numbers=await numbers_of(db, company, subjects if orders else []),
    )


async def _among(
    db: Db, company: UUID, table: Table[Any], uuids: Iterable[UUID | None]
) -> dict[UUID, Any]:
    """Read rows that others name; also those that have left."""
    wanted = {uuid for uuid in uuids if uuid is not None}
    return await table.among(db, company, list(wanted)) if wanted else {}


async def numbers_of(db: Db, company: UUID, subjects: Sequence[UUID]) -> dict[UUID, TrackingNumber]:
    """Read the tracking numbers of orders, stops and items, by what they belong to."""
    if not subjects:
        return {}
    rows = await db.many(
        TrackingNumber,
        """select * from tracking_numbers
           where company = :company and subject = any(:subjects) and deleted_at is null""",
        company=company,
        subjects=list(subjects),
    )
    return {row.subject: row for row in rows}


async def order_name(db: Db, company: UUID, order: UUID) -> str:
    """Tell what an order goes by."""
    return (await _orders.among(db, company, [order]))[order].public_id


async def subflows(db: Db, company: UUID, order: UUID) -> set[str]:
    """Name the sub-flows that the stops of an order may follow."""
    found = await db.value(
        """select array(select jsonb_object_keys(v.subflows))
           from orders o join order_config_versions v
             on v.order_config = o.order_config and v.number = o.flow_version
           where o.company = :company and o.uuid = :order""",
        company=company,
        order=order,
    )
    return set(found or ())


async def stops(db: Db, company: UUID, payload: UUID) -> list[Waypoint]:
    """Read a payload's stops, in the order in which they are visited."""
    return await db.many(
        Waypoint,
        """select * from waypoints
           where company = :company and payload = :payload and deleted_at is null
           order by position, uuid""",
        company=company,
        payload=payload,
    )


async def item_count(db: Db, company: UUID, payload: UUID) -> int:
    """Count the items of a payload."""
    count: int = await db.value(
        """select count(*) from entities
           where company = :company and payload = :payload and deleted_at is null""",
        company=company,
        payload=payload,
    )
    return count


async def payload_named(db: Db, company: UUID, identifier: str) -> Payload:
    """Find and hold the payload that a field names, or refuse the field."""
    try:
        return await PAYLOADS.take(db, company, identifier)
    except NotFound:
        raise NotFound(fields=[Field("payload", "There is no such payload.")]) from None


async def take_waypoint(db: Db, company: UUID, identifier: str) -> tuple[Payload, Waypoint]:
    """Hold a stop, and before it its payload."""
    found = await WAYPOINTS.get(db, company, identifier)
    payload = await PAYLOADS.take(db, company, found.payload)
    return payload, await WAYPOINTS.take(db, company, found.uuid)


async def take_entity(
    db: Db, company: UUID, identifier: str, target: str | UnsetType | None = UNSET
) -> tuple[Payload | None, Entity]:
    """Hold an item, and before it its payload and the one it is to be moved to, if there are."""
    while True:
        found = await ENTITIES.get(db, company, identifier)
        payload = await _held(db, company, found.payload, target)
        entity = await ENTITIES.take(db, company, found.uuid)
        # It may have been moved while we waited.
        if entity.payload == found.payload:
            return payload, entity


async def _held(
    db: Db, company: UUID, uuid: UUID | None, target: str | UnsetType | None
) -> Payload | None:
    """Hold two payloads, always in the same order, so that no two moves wait for each other."""
    other = await PAYLOADS.find(db, company, target) if isinstance(target, str) else None
    wanted = {each for each in (uuid, None if other is None else other.uuid) if each is not None}
    held = {each: await PAYLOADS.take(db, company, each) for each in sorted(wanted)}
    return None if uuid is None else held[uuid]


async def payload_page(db: Db, company: UUID, filters: PayloadFilters) -> Page[Payload]:
    """List payloads, the newest first."""
    where = PAYLOADS.where(company).equal(type=filters.type, state=filters.state)
    return await PAYLOADS.page(db, where, filters)


async def waypoint_page(db: Db, company: UUID, filters: WaypointFilters) -> Page[Waypoint]:
    """List stops, the newest first."""
    where = WAYPOINTS.where(company).equal(
        type=filters.type,
        payload=await _named(db, company, PAYLOADS, "payload", filters.payload),
        place=await _named(db, company, places.places, "place", filters.place),
    )
    return await WAYPOINTS.page(db, where, filters)


async def entity_page(db: Db, company: UUID, filters: EntityFilters) -> Page[Entity]:
    """List items, the newest first."""
    where = ENTITIES.where(company).equal(
        type=filters.type,
        internal_id=filters.internal_id,
        sku=filters.sku,
        payload=await _named(db, company, PAYLOADS, "payload", filters.payload),
        destination=await _named(db, company, WAYPOINTS, "destination", filters.destination),
        customer=await _named(db, company, partners.contacts, "customer", filters.customer),
    )
    return await ENTITIES.page(db, where, filters, query=filters.query)


async def _named(
    db: Db, company: UUID, table: Table[Any], field: str, identifier: str | None
) -> UUID | None:
    """Find what a filter names, or refuse the filter."""
    if identifier is None:
        return None
    found = await table.find(db, company, identifier)
    if found is None:
        raise NotFound(fields=[Field(field, f"There is no such {field}.")])
    uuid: UUID = found.uuid
    return uuid
