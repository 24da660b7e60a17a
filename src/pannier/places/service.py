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
from pannier.places.schemas import AreaChange, AreaIn, PlaceIn, ZoneChange, ZoneIn
from pannier.web.fields import given_fields

# Fields that do not locate a place.
NOT_LOCATING: Final = frozenset({"meta", "type", "owner_type", "owner"})


class ServiceAreaHasZones(Conflict):
    """A service area cannot be deleted while it has zones."""

    code = "service_area_has_zones"
    title = "The service area has zones."
    remedy = "Delete the zones first."


# Implemented by the customers package: returns the public id of the contact that an identifier
# names.
find_contact: Final = Hook[[Db, UUID, str], str | None]("pannier.customers.recognition")


async def create_place(db: Db, company: UUID, given: PlaceIn) -> PlaceRow:
    """Create a place. It needs an address, a name or a location."""
    return await queries.places.insert(db, await _make_place(db, company, given, COMPANY))


async def _make_place(db: Db, company: UUID, given: PlaceIn | Point, owner: Owner) -> PlaceRow:
    if isinstance(given, Point):
        wanted: dict[str, Any] = fields.to_columns(given)
    else:
        wanted = await fields.normalise_place(db, company, given_fields(given))
    if not any(value for name, value in wanted.items() if name not in NOT_LOCATING):
        raise Invalid(fields=[FieldError("street1", "Send an address, a name or a location.")])
    wanted |= await _owner_columns(db, company, wanted, owner)
    place = queries.places.draft(db, company, **wanted)
    return msgspec.structs.replace(place, **geocoding_worker.queue_geocoding(db, place))


async def change_place(db: Db, place: PlaceRow, change: PlaceIn) -> PlaceRow:
    """Update the given fields of a place. A move queues its orders for remeasuring."""
    wanted = await fields.normalise_place(db, place.company, given_fields(change))
    present = Owner(place.owner_type, place.owner)
    wanted |= await _owner_columns(db, place.company, wanted, present)
    wanted |= geocoding_worker.requeue_geocoding(db, place, wanted)
    changed, changed_columns = await queries.places.change(db, place, **wanted)
    if not {"latitude", "longitude"}.isdisjoint(changed_columns):
        await queries.queue_moved(db, changed.company, changed.uuid)
    return changed


async def _owner_columns(
    db: Db, company: UUID, wanted: dict[str, Any], present: Owner
) -> dict[str, Any]:
    """Return the columns of the requested owner, or of the present one."""
    name = wanted.get("owner", present.id)
    # An owner without a type is a customer.
    implied = present.type if name in {None, present.id} else "customer"
    kind = wanted.get("owner_type", implied)
    # A new type together with the unchanged owner means that the owner is dropped.
    owner = Owner(kind, None if kind != present.type and name == present.id else name)
    if owner != present:
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
    db: Db, company: UUID, given: PlaceIn | Point, *, path: str, owner: Owner = COMPANY
) -> PlaceRow:
    """Build a place from an address or a point, without writing it.

    It belongs to `owner` unless the caller names another one.
    """
    with prefix_fields(path):
        return await _make_place(db, company, given, owner)


async def insert_places(db: Db, new: Sequence[PlaceRow]) -> None:
    """Insert places that `build_place` returned, in one statement."""
    await queries.places.insert_all(db, new)


async def create_area(db: Db, company: UUID, given: AreaIn) -> ServiceArea:
    """Create a service area."""
    wanted = _require_border(await _normalise_area(db, given, borders.parse_area_border))
    return await queries.areas.create(db, company, **wanted)


async def change_area(db: Db, area: ServiceArea, change: AreaChange) -> ServiceArea:
    """Update the given fields of a service area."""
    wanted = await _normalise_area(db, change, borders.parse_area_border)
    changed, _ = await queries.areas.change(db, area, **wanted)
    return changed


async def delete_area(db: Db, area: ServiceArea) -> ServiceArea:
    """Delete a service area that has no zones."""
    if await queries.count_zones(db, area.company, area.uuid):
        raise ServiceAreaHasZones
    return await queries.areas.remove(db, area)


async def create_zone(db: Db, company: UUID, given: ZoneIn) -> ZoneRow:
    """Create a zone in a service area."""
    wanted = _require_border(await _normalise_area(db, given, borders.parse_zone_border))
    return await queries.zones.create(db, company, **await _resolve_area(db, company, wanted))


async def change_zone(db: Db, zone: ZoneRow, change: ZoneChange) -> ZoneRow:
    """Update the given fields of a zone."""
    wanted = await _normalise_area(db, change, borders.parse_zone_border)
    wanted = await _resolve_area(db, zone.company, wanted)
    changed, _ = await queries.zones.change(db, zone, **wanted)
    return changed


async def _resolve_area(db: Db, company: UUID, wanted: dict[str, Any]) -> dict[str, Any]:
    """Resolve the service area and lock it, so that it cannot be deleted meanwhile."""
    if "service_area" not in wanted:
        return wanted
    area = await queries.resolve_area(db, company, wanted["service_area"], lock=True)
    return wanted | {"service_area": area.uuid}


def _require_border(wanted: dict[str, Any]) -> dict[str, Any]:
    if "border" not in wanted:
        sentence = "Send `border`, or `location` and `radius`."
        raise Invalid(fields=[FieldError("border", sentence)])
    return wanted


async def _normalise_area(
    db: Db, given: AreaChange, parse: Callable[[object], Columns]
) -> dict[str, Any]:
    """Normalise the given fields, and turn a location and radius into a border."""
    wanted = fields.normalise_area(given_fields(given))
    location, radius = wanted.pop("location", None), wanted.pop("radius", None)
    if location is not None or radius is not None:
        wanted["border"] = _make_circle(wanted, location, radius)
    if "border" in wanted:
        await db.release_if_untouched()
        # In a thread, because ten thousand vertices would block the event loop.
        wanted |= await asyncio.to_thread(parse_field, "border", parse, wanted["border"])
    return wanted


def _make_circle(wanted: dict[str, Any], location: object, radius: float | None) -> dict[str, Any]:
    if "border" in wanted:
        raise Invalid(
            fields=[FieldError("border", "Send either `border`, or `location` and `radius`.")]
        )
    if location is None or radius is None:
        missing = "location" if location is None else "radius"
        raise Invalid(fields=[FieldError(missing, "This field is required.")])
    center = parse_field("location", geo.parse, fields.unwrap_feature(location))
    return parse_field("radius", lambda metres: borders.make_circle(center, metres), radius)
