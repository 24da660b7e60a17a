"""Creating and changing places, service areas and zones."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.errors import Conflict, FieldError, Invalid, NotFound, parse_field, prefix_fields
from pannier.kit import geo
from pannier.kit.geo import Point
from pannier.kit.hooks import Hook
from pannier.places import borders, fields, geocoding_worker, queries
from pannier.places.borders import Columns
from pannier.places.models import COMPANY, Owner, PlaceRow, ServiceArea, ZoneRow
from pannier.places.schemas import AreaChange, AreaIn, BorderedChange, PlaceIn, ZoneChange, ZoneIn
from pannier.web.fields import get_sent_fields

# Fields that do not locate a place.
NON_LOCATION_FIELDS: Final = frozenset({"meta", "type", "owner_type", "owner"})


class ServiceAreaHasZones(Conflict):
    """A service area cannot be deleted while it has zones."""

    code = "service_area_has_zones"
    title = "The service area has zones."
    remedy = "Delete the zones first."


# Implemented by the customers package: finds the public id of a contact by any identifier.
find_contact: Final = Hook[[Db, UUID, str], str | None]("pannier.customers.recognition")


async def create_place(db: Db, company: UUID, data: PlaceIn) -> PlaceRow:
    """Create a place. It needs an address, a name or a location."""
    return await queries.places.insert(db, await _make_place(db, company, data, COMPANY))


async def _make_place(db: Db, company: UUID, source: PlaceIn | Point, owner: Owner) -> PlaceRow:
    if isinstance(source, Point):
        columns: dict[str, Any] = fields.to_columns(source)
    else:
        columns = await fields.normalise_place(db, company, get_sent_fields(source))
    if not any(value for name, value in columns.items() if name not in NON_LOCATION_FIELDS):
        raise Invalid(fields=[FieldError("street1", "Send an address, a name or a location.")])
    columns |= await _resolve_owner(db, company, columns, owner)
    place = queries.places.draft(db, company, **columns)
    return msgspec.structs.replace(place, **geocoding_worker.queue_geocoding(db, place))


async def change_place(db: Db, place: PlaceRow, change: PlaceIn) -> PlaceRow:
    """Update the given fields of a place. A move queues its orders for remeasuring."""
    columns = await fields.normalise_place(db, place.company, get_sent_fields(change))
    current_owner = Owner(place.owner_type, place.owner)
    columns |= await _resolve_owner(db, place.company, columns, current_owner)
    columns |= geocoding_worker.requeue_geocoding(db, place, columns)
    updated_place, changed_columns = await queries.places.change(db, place, **columns)
    if not {"latitude", "longitude"}.isdisjoint(changed_columns):
        await queries.queue_remeasuring(db, updated_place.company, updated_place.uuid)
    return updated_place


async def delete_place(db: Db, place: PlaceRow) -> PlaceRow:
    """Delete a place. Records that refer to it keep their reference."""
    return await queries.places.remove(db, place)


async def _resolve_owner(
    db: Db, company: UUID, columns: dict[str, Any], current_owner: Owner
) -> dict[str, Any]:
    """Return the columns of the requested owner, or of the current one."""
    owner_id = columns.get("owner", current_owner.id)
    # An owner without a type is a customer.
    default_type = current_owner.type if owner_id in {None, current_owner.id} else "customer"
    owner_type = columns.get("owner_type", default_type)
    # A new type with an unchanged owner removes the owner.
    is_removed = owner_type != current_owner.type and owner_id == current_owner.id
    owner = Owner(owner_type, None if is_removed else owner_id)
    if owner != current_owner:
        owner = await _validate_owner(db, company, owner)
    return {"owner_type": owner.type, "owner": owner.id}


async def _validate_owner(db: Db, company: UUID, owner: Owner) -> Owner:
    if owner.type == "order":
        raise Invalid(fields=[FieldError("owner_type", "must be one of: company, customer.")])
    contact = None if owner.id is None else await find_contact(db, company, owner.id)
    if owner.id is not None and contact is None:
        raise NotFound(fields=[FieldError("owner", "There is no such contact.")])
    if owner.type == "company":
        if contact is not None:
            raise Invalid(
                fields=[FieldError("owner", "Send `owner_type: customer` with an owner.")]
            )
        return COMPANY
    if contact is None:
        raise Invalid(
            fields=[
                FieldError("owner", "Send the id of the contact or customer who owns the place.")
            ]
        )
    return Owner("customer", contact)


async def build_place(
    db: Db, company: UUID, source: PlaceIn | Point, *, path: str, owner: Owner = COMPANY
) -> PlaceRow:
    """Build a place from an address or a point, without writing it.

    `owner` is the default if the caller sends no owner.
    """
    with prefix_fields(path):
        return await _make_place(db, company, source, owner)


async def insert_places(db: Db, rows: Sequence[PlaceRow]) -> None:
    """Insert places from `build_place` in one statement."""
    await queries.places.insert_all(db, rows)


async def create_area(db: Db, company: UUID, data: AreaIn) -> ServiceArea:
    """Create a service area."""
    columns = _require_border(await _normalise_area(db, data, borders.parse_area_border))
    return await queries.areas.create(db, company, **columns)


async def change_area(db: Db, area: ServiceArea, change: AreaChange) -> ServiceArea:
    """Update the given fields of a service area."""
    columns = await _normalise_area(db, change, borders.parse_area_border)
    updated_area, _ = await queries.areas.change(db, area, **columns)
    return updated_area


async def delete_area(db: Db, area: ServiceArea) -> ServiceArea:
    """Delete a service area that has no zones."""
    if await queries.count_zones(db, area.company, area.uuid):
        raise ServiceAreaHasZones
    return await queries.areas.remove(db, area)


async def create_zone(db: Db, company: UUID, data: ZoneIn) -> ZoneRow:
    """Create a zone in a service area."""
    columns = _require_border(await _normalise_area(db, data, borders.parse_zone_border))
    return await queries.zones.create(db, company, **await _resolve_area(db, company, columns))


async def change_zone(db: Db, zone: ZoneRow, change: ZoneChange) -> ZoneRow:
    """Update the given fields of a zone."""
    columns = await _normalise_area(db, change, borders.parse_zone_border)
    columns = await _resolve_area(db, zone.company, columns)
    updated_zone, _ = await queries.zones.change(db, zone, **columns)
    return updated_zone


async def _resolve_area(db: Db, company: UUID, columns: dict[str, Any]) -> dict[str, Any]:
    """Resolve the service area and lock it, so that it cannot be deleted."""
    if "service_area" not in columns:
        return columns
    area = await queries.resolve_area(db, company, columns["service_area"], lock=True)
    return columns | {"service_area": area.uuid}


def _require_border(columns: dict[str, Any]) -> dict[str, Any]:
    if "border" not in columns:
        message = "Send `border`, or `location` and `radius`."
        raise Invalid(fields=[FieldError("border", message)])
    return columns


async def _normalise_area(
    db: Db, data: BorderedChange, parse: Callable[[object], Columns]
) -> dict[str, Any]:
    """Normalise a request's fields, and turn a location and radius into a border."""
    columns = fields.normalise_area(get_sent_fields(data))
    location, radius = columns.pop("location", None), columns.pop("radius", None)
    if location is not None or radius is not None:
        columns["border"] = _make_circle(columns, location, radius)
    if "border" in columns:
        await db.release_if_untouched()
        # In a thread, because ten thousand vertices would block the event loop.
        columns |= await asyncio.to_thread(parse_field, "border", parse, columns["border"])
    return columns


def _make_circle(columns: dict[str, Any], location: object, radius: float | None) -> dict[str, Any]:
    if "border" in columns:
        raise Invalid(
            fields=[FieldError("border", "Send either `border`, or `location` and `radius`.")]
        )
    if location is None or radius is None:
        missing_name = "location" if location is None else "radius"
        raise Invalid(fields=[FieldError(missing_name, "This field is required.")])
    center = parse_field("location", geo.parse, fields.unwrap_feature(location))
    return parse_field("radius", lambda metres: borders.make_circle(center, metres), radius)
