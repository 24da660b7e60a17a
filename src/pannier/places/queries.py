"""Database reads of places, service areas and zones, and of the borders around a point."""

from collections.abc import Collection, Sequence
from typing import Final, TypeVar
from uuid import UUID

from pannier.accounts.queries import increment_rates_version
from pannier.db import Db, Page, Sort, Table, Where, columns
from pannier.errors import parse_field
from pannier.kit import country, geo
from pannier.kit.geo import Point
from pannier.places.models import PlaceRow, ServiceArea, ZoneRow
from pannier.places.schemas import AreaFilters, PlaceFilters, ZoneFilters, ZoneOut
from pannier.places.zones import BorderIndex

Row = TypeVar("Row", ServiceArea, ZoneRow)
# NOTIFY channel for places that have moved.
MOVED_CHANNEL: Final = "pannier_moved_places"

places: Final = Table(
    "places",
    PlaceRow,
    sort=Sort(("created_at", "updated_at")),
    search=("name", "street1", "street2", "city", "postal_code", "building", "phone"),
    by_words=True,
)
areas: Final = Table(
    "service_areas",
    ServiceArea,
    prefix="sa",
    configuration=True,
    on_change=increment_rates_version,
    sort=Sort(("created_at", "name")),
    search=("name", "type"),
)
zones: Final = Table(
    "zones",
    ZoneRow,
    configuration=True,
    on_change=increment_rates_version,
    sort=Sort(("created_at", "name")),
    search=("name", "description", "type"),
)


async def list_places(db: Db, company: UUID, filters: PlaceFilters) -> Page[PlaceRow]:
    """List places, newest first."""
    where = (
        places.where(company)
        .add_public_ids(filters.id)
        .add_filters(filters, "type", "city", "postal_code")
    )
    where.add_equal(country=_parse_country(filters.country), owner_type=filters.owner_type)
    places.add_word_search(where, city_words=filters.city, postal_words=filters.postal_code)
    return await places.load_page(db, where, filters, query=filters.query)


async def assign_order(db: Db, company: UUID, places: Sequence[UUID], order: str) -> None:
    """Make an order the owner of places that were created for its payload."""
    await db.execute(
        """update places set owner = :order
           where company = :company and uuid = any(:places)
             and owner_type = 'order' and owner is null""",
        company=company,
        places=list(places),
        order=order,
    )


async def list_areas(db: Db, company: UUID, filters: AreaFilters) -> Page[ServiceArea]:
    """List service areas, newest first."""
    where = areas.where(company)
    if filters.location is not None:
        point = parse_field("location", geo.parse, filters.location)
        uuids = [area.uuid for area in await find_areas(db, company, point)]
        where.add("uuid = any(:uuids)", uuids=uuids)
    return await areas.load_page(db, _add_filters(where, filters), filters, query=filters.query)


async def list_zones(db: Db, company: UUID, filters: ZoneFilters) -> Page[ZoneRow]:
    """List zones, newest first."""
    where = zones.where(company)
    if filters.service_area is not None:
        where.add_equal(service_area=(await resolve_area(db, company, filters.service_area)).uuid)
    if filters.location is not None:
        point = parse_field("location", geo.parse, filters.location)
        uuids = [zone.uuid for zone in await find_zones(db, company, point)]
        where.add("uuid = any(:uuids)", uuids=uuids)
    return await zones.load_page(db, _add_filters(where, filters), filters, query=filters.query)


def _add_filters(where: Where, filters: AreaFilters) -> Where:
    where.add_public_ids(filters.id)
    return where.add_equal(
        type=filters.type, country=_parse_country(filters.country), status=filters.status
    )


def _parse_country(text: str | None) -> str | None:
    return None if text is None else parse_field("country", country.normalise, text)


async def resolve_area(
    db: Db, company: UUID, identifier: str, *, lock: bool = False
) -> ServiceArea:
    """Find the service area in a field, or reject the field. `lock` locks the row."""
    return await areas.resolve_reference(db, company, "service_area", identifier, lock=lock)


async def load_zones_out(db: Db, company: UUID, rows: Sequence[ZoneRow]) -> list[ZoneOut]:
    """Build the API output of zones, with the ids of their service areas, even deleted ones."""
    areas_by_uuid = await areas.load_many(db, company, list({row.service_area for row in rows}))
    return [ZoneOut.from_row(row, areas_by_uuid) for row in rows]


async def count_zones(db: Db, company: UUID, area: UUID) -> int:
    """Count the zones of a service area."""
    count: int = await db.fetch_value(
        """select count(*) from zones
           where company = :company and service_area = :area and deleted_at is null""",
        company=company,
        area=area,
    )
    return count


async def find_zones(db: Db, company: UUID, point: Point) -> list[ZoneRow]:
    """Find the active zones that contain a point, oldest first."""
    return await _find_containing(db, company, zones, point)


async def find_areas(db: Db, company: UUID, point: Point) -> list[ServiceArea]:
    """Find the active service areas that contain a point, oldest first."""
    return await _find_containing(db, company, areas, point)


async def _find_containing(db: Db, company: UUID, table: Table[Row], point: Point) -> list[Row]:
    """Find the rows whose borders contain a point.

    PostgreSQL narrows by bounding box, so that shapely checks only a few borders.
    """
    where = table.where(company).add(
        """status = 'active' and west <= :longitude and east >= :longitude
           and south <= :latitude and north >= :latitude""",
        longitude=point.longitude,
        latitude=point.latitude,
    )
    candidates = await db.fetch_all(
        table.row,
        f"select {columns(table.row)} from {table.name} {where} order by created_at, uuid",
        **where.values,
    )
    containing_uuids = set(BorderIndex(candidates).find_containing(point)) if candidates else set()
    return [row for row in candidates if row.uuid in containing_uuids]


async def is_remeasuring_pending(
    db: Db, company: UUID, stops: Collection[UUID], payload: UUID
) -> bool:
    """Return whether a payload still has to be remeasured because one of its places moved."""
    is_pending: bool = await db.fetch_value(
        """select exists (select from moved_places
                          where company = :company and place = any(:stops) and after < :payload)""",
        company=company,
        stops=list(stops),
        payload=payload,
    )
    return is_pending


async def queue_remeasuring(db: Db, company: UUID, place: UUID) -> None:
    """Queue a moved place, so that the worker remeasures its open orders."""
    await db.execute(
        """insert into moved_places (place, company) values (:place, :company)
           on conflict (place) do update set after = default""",
        place=place,
        company=company,
    )
    db.notify(MOVED_CHANNEL)
