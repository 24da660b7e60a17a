"""Pages of payloads, stops and items."""

from typing import Any
from uuid import UUID

from pannier.db import Db, Page, Table
from pannier.partners import queries as partners
from pannier.payloads.filters import EntityFilters, PayloadFilters, WaypointFilters
from pannier.payloads.models import Entity, Payload, Waypoint
from pannier.payloads.queries import ENTITIES, PAYLOADS, WAYPOINTS
from pannier.places import queries as places


async def list_payloads(db: Db, company: UUID, filters: PayloadFilters) -> Page[Payload]:
    """List payloads, newest first."""
    where = PAYLOADS.where(company).add_equal(type=filters.type, state=filters.state)
    return await PAYLOADS.load_page(db, where, filters)


async def list_waypoints(db: Db, company: UUID, filters: WaypointFilters) -> Page[Waypoint]:
    """List stops, newest first."""
    where = WAYPOINTS.where(company).add_equal(
        type=filters.type,
        payload=await _find_uuid(db, company, PAYLOADS, "payload", filters.payload),
        place=await _find_uuid(db, company, places.places, "place", filters.place),
    )
    return await WAYPOINTS.load_page(db, where, filters)


async def list_entities(db: Db, company: UUID, filters: EntityFilters) -> Page[Entity]:
    """List items, newest first."""
    where = ENTITIES.where(company).add_equal(
        type=filters.type,
        internal_id=filters.internal_id,
        sku=filters.sku,
        payload=await _find_uuid(db, company, PAYLOADS, "payload", filters.payload),
        customer=await _find_uuid(db, company, partners.contacts, "customer", filters.customer),
    )
    if filters.type not in {None, "parcel"}:
        # Repeated for the planner, so that it uses the partial index of rare types.
        where.add("type <> 'parcel'")
    if filters.destination is not None:
        stop = await WAYPOINTS.resolve_reference(
            db, company, "destination", filters.destination, label="destination"
        )
        # An item's destination is a stop of its own payload, and items are indexed by payload.
        where.add_equal(destination=stop.uuid).add(
            "payload = :stop_payload", stop_payload=stop.payload
        )
    return await ENTITIES.load_page(db, where, filters, query=filters.query)


async def _find_uuid(
    db: Db, company: UUID, table: Table[Any], field: str, identifier: str | None
) -> UUID | None:
    """Find the UUID of the record in a filter; reject the filter if there is none."""
    if identifier is None:
        return None
    uuid: UUID = (await table.resolve_reference(db, company, field, identifier, label=field)).uuid
    return uuid
