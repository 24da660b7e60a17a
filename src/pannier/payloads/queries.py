"""Database reads of payloads with their stops, items and related records."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Self, TypeVar
from uuid import UUID

import msgspec

from pannier.db import Db, Sort, Table, columns
from pannier.db.row import RowReference
from pannier.kit import ids
from pannier.partners import queries as partners
from pannier.partners.models import Contact, Vendor
from pannier.payloads.cash import CashByStop, CashToCollect, allocate_cash, sum_cash
from pannier.payloads.cash_schemas import CashToCollectOut
from pannier.payloads.models import Entity, Payload, TrackingNumber, Waypoint
from pannier.payloads.schemas import (
    EntityOut,
    PayloadOut,
    RecipientOut,
    WaypointOut,
)
from pannier.places import queries as places
from pannier.places.models import PlaceRow
from pannier.places.schemas import PlaceOut
from pannier.web.serialization import to_schema

Row = TypeVar("Row", bound=msgspec.Struct)


CHANGES: Final = Sort(("created_at", "updated_at"))
PAYLOADS: Final = Table("payloads", Payload, sort=CHANGES)
WAYPOINTS: Final = Table("waypoints", Waypoint, sort=CHANGES)
ENTITIES: Final = Table(
    "entities",
    Entity,
    noun="entity",
    sort=Sort(("created_at", "updated_at", "name")),
    search=("name", "sku", "internal_id", "description"),
    by_words=True,
)
NUMBERS: Final = Table("tracking_numbers", TrackingNumber, prefix="track")


class PayloadAggregate(msgspec.Struct):
    """A payload with its items, and its stops in the order of the visits."""

    payload: Payload
    waypoints: list[Waypoint]
    entities: list[Entity]

    @property
    def place_uuids(self) -> list[UUID]:
        """The places on the route: those of the stops, or the pickup and the drop-off."""
        endpoints = (self.payload.pickup, self.payload.dropoff)
        return [stop.place for stop in self.waypoints] or [uuid for uuid in endpoints if uuid]

    @property
    def cash(self) -> CashByStop:
        """The cash to collect at each stop."""
        return allocate_cash(self.payload, self.waypoints, self.entities)

    @property
    def current_index(self) -> int | None:
        """The index of the current stop, or else of the first unfinished one."""
        stops = self.waypoints
        current_indexes = (
            index for index, stop in enumerate(stops) if stop.uuid == self.payload.current_waypoint
        )
        open_indexes = (index for index, stop in enumerate(stops) if not stop.done)
        return next(current_indexes, next(open_indexes, len(stops) - 1)) if stops else None

    @property
    def stop(self) -> Waypoint | None:
        """The stop the driver is at or heading for."""
        index = self.current_index
        return None if index is None else self.waypoints[index]


class PayloadRows(msgspec.Struct, kw_only=True):
    """The rows of payloads and related records, from one statement."""

    payloads: list[Payload]
    waypoints: list[Waypoint]
    entities: list[Entity]
    places: list[PlaceRow]
    contacts: list[Contact]
    vendors: list[Vendor]
    numbers: list[TrackingNumber]
    orders: Sequence[RowReference] = ()


def build_statement(**extra_queries: str) -> str:
    """Build the statement that reads payloads and related records as one JSON text.

    `extra_queries` adds further queries by name. Each query costs time even if it finds nothing, so
    leave out queries for known records.
    """
    condition = "where company = :company and payload = any(:payloads) and deleted_at is null"
    parts = {
        "payloads": f"select {columns(Payload)} from p",
        "waypoints": f"select {columns(Waypoint)} from w order by position, uuid",
        "entities": f"select {columns(Entity)} from e order by created_at, uuid",
        "places": build_referenced_query(PlaceRow, "places", """array(
            select unnest(array[pickup, dropoff, return_place]) from p
            union all select place from w)"""),
        "contacts": build_referenced_query(Contact, "contacts", """(:contacts::uuid[] || array(
            select contact from w union all select customer from e))"""),
        "vendors": build_referenced_query(Vendor, "vendors", """(:vendors::uuid[] || array(
            select supplier from e))"""),
        "numbers": build_referenced_query(TrackingNumber, "tracking_numbers", """array(
            select order_uuid from p union all select uuid from w union all select uuid from e)""",
            column="deleted_at is null and subject"),
        **extra_queries,
    }  # fmt: skip
    columns_json = ", ".join(
        f"'{name}', (select coalesce(json_agg(r), '[]') from ({query}) r)"
        for name, query in parts.items()
    )
    return f"""
        with p as materialized (select {columns(Payload)} from payloads
                                where company = :company and uuid = any(:payloads)),
             w as materialized (select {columns(Waypoint)} from waypoints {condition}),
             e as materialized (select {columns(Entity)} from entities {condition})
        select json_build_object({columns_json})"""


def build_referenced_query(
    row: type[msgspec.Struct], table: str, expression: str, *, column: str = "uuid"
) -> str:
    """Build the query for rows that others refer to, including deleted ones."""
    selection = f"select {columns(row)} from {table}"
    return f"{selection} where company = :company and {column} = any({expression})"


ORDERS_QUERY: Final = build_referenced_query(
    RowReference, "orders", "array(select order_uuid from p)"
)
_STATEMENT: Final = build_statement(orders=ORDERS_QUERY)


class PayloadRecords(msgspec.Struct, kw_only=True):
    """Records related to payloads, stops and items, by UUID, for building their output.

    Every change of a payload updates these records, so that nothing is read twice.
    """

    payload_aggregates: dict[UUID, PayloadAggregate] = msgspec.field(default_factory=dict)
    payloads: dict[UUID, Payload] = msgspec.field(default_factory=dict)
    stops: dict[UUID, Waypoint] = msgspec.field(default_factory=dict)
    places: dict[UUID, PlaceRow] = msgspec.field(default_factory=dict)
    contacts: dict[UUID, Contact] = msgspec.field(default_factory=dict)
    vendors: dict[UUID, Vendor] = msgspec.field(default_factory=dict)
    orders: dict[UUID, RowReference] = msgspec.field(default_factory=dict)
    numbers: dict[UUID, TrackingNumber] = msgspec.field(default_factory=dict)
    # By payload.
    cash: dict[UUID, CashByStop] = msgspec.field(default_factory=dict)

    @classmethod
    def from_rows(cls, rows: PayloadRows) -> Self:
        """Group the rows by payload."""
        related = cls(
            places=index_by_uuid(rows.places),
            contacts=index_by_uuid(rows.contacts),
            vendors=index_by_uuid(rows.vendors),
            orders=index_by_uuid(rows.orders),
            numbers={row.subject: row for row in rows.numbers},
        )
        aggregates = {payload.uuid: PayloadAggregate(payload, [], []) for payload in rows.payloads}
        for stop in rows.waypoints:
            aggregates[stop.payload].waypoints.append(stop)
        for item in rows.entities:
            aggregates[item.payload].entities.append(item)  # type: ignore[index]  # read by its payload
        for aggregate in aggregates.values():
            related.put(aggregate)
        return related

    def put(self, aggregate: PayloadAggregate) -> None:
        """Add a payload, or replace its stops and items."""
        self.payload_aggregates[aggregate.payload.uuid] = aggregate
        self.payloads[aggregate.payload.uuid] = aggregate.payload
        self.stops |= index_by_uuid(aggregate.waypoints)
        self.cash[aggregate.payload.uuid] = aggregate.cash

    def payload_out(self, row: Payload) -> PayloadOut:
        aggregate = self.payload_aggregates[row.uuid]
        return to_schema(
            row,
            PayloadOut,
            order=_public_id(self.orders, row.order_uuid),
            pickup=self._place_out(row.pickup),
            dropoff=self._place_out(row.dropoff),
            return_=self._place_out(row.return_place),
            waypoints=[self.waypoint_out(stop) for stop in aggregate.waypoints],
            entities=[self.entity_out(item) for item in aggregate.entities],
            current_waypoint=self.stop_id(row.current_waypoint),
            cash_to_collect=_to_cash_out(sum_cash(self.cash[row.uuid])),
        )

    def payload_outs(self) -> Iterator[PayloadOut]:
        return map(self.payload_out, self.payloads.values())

    def waypoint_out(self, row: Waypoint) -> WaypointOut:
        place = PlaceOut.from_row(self.places[row.place])
        return to_schema(
            row,
            WaypointOut,
            payload=_public_id(self.payloads, row.payload),
            order=row.position,
            place=place,
            name=place.name,
            address=place.address,
            location=place.location,
            contact=_public_id(self.contacts, row.contact),
            recipient=self._recipient_out(row),
            status_code=row.activity,
            complete=row.completed_at is not None,
            tracking=self.number(row.uuid),
            cash_to_collect=_to_cash_out(self.cash.get(row.payload, {}).get(row.uuid)),
        )

    def entity_out(self, row: Entity) -> EntityOut:
        return to_schema(
            row,
            EntityOut,
            payload=_public_id(self.payloads, row.payload),
            destination=_public_id(self.stops, row.destination),
            customer=_public_id(self.contacts, row.customer),
            supplier=_public_id(self.vendors, row.supplier),
            tracking=self.number(row.uuid),
        )

    def stop_id(self, uuid: UUID | None) -> str | None:
        """Return the public id of a stop; None if it is not loaded."""
        return _public_id(self.stops, uuid)

    def _place_out(self, uuid: UUID | None) -> PlaceOut | None:
        return None if uuid is None else PlaceOut.from_row(self.places[uuid])

    def _recipient_out(self, row: Waypoint) -> RecipientOut | None:
        contact = None if row.contact is None else self.contacts.get(row.contact)
        if contact is None:
            return None
        return to_schema(contact, RecipientOut, name=row.contact_name or contact.name)

    def number(self, subject: UUID) -> str | None:
        """Return the tracking number of an order, a stop or an item, if it has one."""
        row = self.numbers.get(subject)
        return None if row is None else row.number


def _to_cash_out(cash: CashToCollect | None) -> CashToCollectOut | None:
    return None if cash is None else to_schema(cash, CashToCollectOut)


def _public_id(rows: dict[UUID, Any], uuid: UUID | None) -> str | None:
    """Return the public id of a loaded row; None for a UUID that is None or unknown."""
    row = None if uuid is None else rows.get(uuid)
    return None if row is None else str(row.public_id)


def index_by_uuid(rows: Iterable[Any]) -> dict[UUID, Any]:
    return {row.uuid: row for row in rows}


async def load_related(db: Db, company: UUID, payloads: Iterable[UUID]) -> PayloadRecords:
    """Load payloads with all the records that their output needs, in one statement."""
    text = await db.fetch_value(
        _STATEMENT, company=company, payloads=list(payloads), contacts=[], vendors=[]
    )
    return PayloadRecords.from_rows(msgspec.json.decode(text, type=PayloadRows))


async def load_payload(db: Db, company: UUID, payload: UUID) -> PayloadAggregate:
    """Load a payload with its stops and items."""
    return (await load_related(db, company, [payload])).payload_aggregates[payload]


async def load_payload_outs(db: Db, company: UUID, rows: Sequence[Payload]) -> list[PayloadOut]:
    """Build the output of payloads, with their stops and items."""
    related = await load_related(db, company, [row.uuid for row in rows])
    return [related.payload_out(row) for row in rows]


async def load_waypoint_outs(db: Db, company: UUID, rows: Sequence[Waypoint]) -> list[WaypointOut]:
    """Build the output of stops, with their places and contacts."""
    payloads = await _load_referenced_rows(db, company, PAYLOADS, (row.payload for row in rows))
    related = await _load_related(db, company, payloads, rows, [])
    related.cash = await _load_cash(db, company, payloads)
    return list(map(related.waypoint_out, rows))


async def _load_cash(
    db: Db, company: UUID, payloads: Mapping[UUID, Payload]
) -> dict[UUID, CashByStop]:
    """Load the cash to collect at every stop of the payloads."""
    stops: list[Waypoint] = await _list_parts(db, company, WAYPOINTS, payloads, "true")
    items: list[Entity] = await _list_parts(db, company, ENTITIES, payloads, "cod_amount > 0")
    return {
        uuid: allocate_cash(
            payload,
            sorted(
                (stop for stop in stops if stop.payload == uuid), key=lambda stop: stop.position
            ),
            [item for item in items if item.payload == uuid],
        )
        for uuid, payload in payloads.items()
    }


async def _list_parts(
    db: Db, company: UUID, table: Table[Any], payloads: Iterable[UUID], condition: str
) -> list[Any]:
    where = table.where(company).add("payload = any(:payloads)", payloads=list(payloads))
    select = f"select {columns(table.row)} from {table.name}"
    return await db.fetch_all(table.row, f"{select} {where.add(condition)}", **where.values)


async def load_entity_outs(db: Db, company: UUID, rows: Sequence[Entity]) -> list[EntityOut]:
    return list(map((await load_related_to_entities(db, company, rows)).entity_out, rows))


async def load_related_to_entities(db: Db, company: UUID, rows: Sequence[Entity]) -> PayloadRecords:
    """Load the records that the output of items needs."""
    payloads = await _load_referenced_rows(db, company, PAYLOADS, (row.payload for row in rows))
    stops = await _load_referenced_rows(db, company, WAYPOINTS, (row.destination for row in rows))
    return await _load_related(db, company, payloads, list(stops.values()), rows)


async def _load_related(
    db: Db,
    company: UUID,
    payloads: dict[UUID, Payload],
    stops: Sequence[Waypoint],
    items: Sequence[Entity],
) -> PayloadRecords:
    contact_uuids = [*(stop.contact for stop in stops), *(item.customer for item in items)]
    subjects = [*(stop.uuid for stop in stops), *(item.uuid for item in items)]
    return PayloadRecords(
        payloads=payloads,
        stops=index_by_uuid(stops),
        places=await _load_referenced_rows(
            db, company, places.places, (stop.place for stop in stops)
        ),
        contacts=await _load_referenced_rows(db, company, partners.contacts, contact_uuids),
        vendors=await _load_referenced_rows(
            db, company, partners.vendors, (item.supplier for item in items)
        ),
        numbers=await load_numbers(db, company, subjects),
    )


async def _load_referenced_rows(
    db: Db, company: UUID, table: Table[Any], uuids: Iterable[UUID | None]
) -> dict[UUID, Any]:
    """Load rows that others refer to, including deleted ones."""
    row_uuids = {uuid for uuid in uuids if uuid is not None}
    return await table.load_many(db, company, list(row_uuids)) if row_uuids else {}


async def load_numbers(
    db: Db, company: UUID, subjects: Sequence[UUID]
) -> dict[UUID, TrackingNumber]:
    """Load the tracking numbers of orders, stops and items, by subject."""
    if not subjects:
        return {}
    rows = await db.fetch_all(
        TrackingNumber,
        f"""select {NUMBERS.columns} from tracking_numbers
           where company = :company and subject = any(:subjects) and deleted_at is null""",
        company=company,
        subjects=list(subjects),
    )
    return {row.subject: row for row in rows}


async def list_by_identifiers(
    db: Db, company: UUID, table: Table[Row], names: Iterable[str]
) -> list[Row]:
    """List rows by their UUIDs or public ids."""
    identifiers = list(names)
    where = table.where(company).add(
        "(public_id = any(:names) or uuid = any(:uuids))",
        names=identifiers,
        uuids=[uuid for uuid in map(ids.parse_uuid, identifiers) if uuid is not None],
    )
    select = f"select {columns(table.row)} from {table.name}"
    return await db.fetch_all(table.row, f"{select} {where}", **where.values)
