"""Database reads of places, service areas and zones, and of which borders contain a point."""

from collections.abc import Collection, Sequence
from typing import Final, TypeVar
from uuid import UUID

from pannier.accounts.queries import count_rate_change
from pannier.db import Db, Page, Sort, Table, Where, columns
from pannier.errors import checked
from pannier.kit import country, geo
from pannier.kit.geo import Point
from pannier.places.models import Place, ServiceArea, Zone
from pannier.places.schemas import AreaFilters, PlaceFilters, ZoneFilters, ZoneOut
from pannier.places.zones import Index

Row = TypeVar("Row", ServiceArea, Zone)
# NOTIFY channel for places that have moved.
MOVED: Final = "pannier_moved_places"

places: Final = Table(
    "places",
    Place,
    search=("name", "street1", "street2", "city", "postal_code", "building", "phone"),
    by_words=True,
)
areas: Final = Table(
    "service_areas",
    ServiceArea,
    prefix="sa",
    configuration=True,
    on_change=count_rate_change,
    sort=Sort(("created_at", "name")),
    search=("name", "type"),
)
zones: Final = Table(
    "zones",
    Zone,
    configuration=True,
    on_change=count_rate_change,
    sort=Sort(("created_at", "name")),
    search=("name", "description", "type"),
)


async def place_page(db: Db, company: UUID, filters: PlaceFilters) -> Page[Place]:
    """List places, newest first."""
    where = places.where(company).known_as(filters.id).like(filters, "type", "city", "postal_code")
    where.equal(country=_country(filters.country), owner_type=filters.owner_type)
    places.saying(where, city_words=filters.city, postal_words=filters.postal_code)
    return await places.page(db, where, filters, query=filters.query)


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


async def area_page(db: Db, company: UUID, filters: AreaFilters) -> Page[ServiceArea]:
    """List service areas, newest first."""
    where = areas.where(company)
    if filters.location is not None:
        point = checked("location", geo.parse, filters.location)
        held = [area.uuid for area in await areas_at(db, company, point)]
        where.that("uuid = any(:held)", held=held)
    return await areas.page(db, _filtered(where, filters), filters, query=filters.query)


async def zone_page(db: Db, company: UUID, filters: ZoneFilters) -> Page[Zone]:
    """List zones, newest first."""
    where = zones.where(company)
    if filters.service_area is not None:
        where.equal(service_area=(await area_named(db, company, filters.service_area)).uuid)
    if filters.location is not None:
        point = checked("location", geo.parse, filters.location)
        held = [zone.uuid for zone in await zones_at(db, company, point)]
        where.that("uuid = any(:held)", held=held)
    return await zones.page(db, _filtered(where, filters), filters, query=filters.query)


def _filtered(where: Where, filters: AreaFilters) -> Where:
    where.known_as(filters.id)
    return where.equal(type=filters.type, country=_country(filters.country), status=filters.status)


def _country(text: str | None) -> str | None:
    return None if text is None else checked("country", country.normalise, text)


async def area_named(db: Db, company: UUID, identifier: str, *, hold: bool = False) -> ServiceArea:
    """Find the service area that a field names, or reject the field; `lock` locks it."""
    return await areas.named(db, company, "service_area", identifier, hold=hold)


async def shown_zones(db: Db, company: UUID, rows: Sequence[Zone]) -> list[ZoneOut]:
    """Build the API output of zones. Deleted service areas still have their ids."""
    known = await areas.among(db, company, list({row.service_area for row in rows}))
    return [ZoneOut.of(row, known) for row in rows]


async def zone_count(db: Db, company: UUID, area: UUID) -> int:
    """Count the zones of a service area."""
    count: int = await db.value(
        """select count(*) from zones
           where company = :company and service_area = :area and deleted_at is null""",
        company=company,
        area=area,
    )
    return count


async def zones_at(db: Db, company: UUID, point: Point) -> list[Zone]:
    """List the active zones that contain a point, oldest first."""
    return await _holding(db, company, zones, point)


async def areas_at(db: Db, company: UUID, point: Point) -> list[ServiceArea]:
    """List the active service areas that contain a point, oldest first."""
    return await _holding(db, company, areas, point)


async def _holding(db: Db, company: UUID, table: Table[Row], point: Point) -> list[Row]:
    """List the rows that contain a point.

    PostgreSQL narrows by bounding box, so that shapely checks only a few borders.
    """
    where = table.where(company).that(
        """status = 'active' and west <= :longitude and east >= :longitude
           and south <= :latitude and north >= :latitude""",
        longitude=point.longitude,
        latitude=point.latitude,
    )
    near = await db.many(
        table.row,
        f"select {columns(table.row)} from {table.name} {where} order by created_at, uuid",
        **where.values,
    )
    held = set(Index(near).holding(point)) if near else set()
    return [row for row in near if row.uuid in held]


async def has_moved(db: Db, company: UUID, stops: Collection[UUID], payload: UUID) -> bool:
    """Return whether a place of a payload moved and the payload is not remeasured yet."""
    found: bool = await db.value(
        """select exists (select from moved_places
                          where company = :company and place = any(:stops) and after < :payload)""",
        company=company,
        stops=list(stops),
        payload=payload,
    )
    return found


async def tell_moved(db: Db, company: UUID, place: UUID) -> None:
    """Have the worker remeasure the open orders through a place."""
    await db.execute(
        """insert into moved_places (place, company) values (:place, :company)
           on conflict (place) do update set after = default""",
        place=place,
        company=company,
    )
    db.ring(MOVED)
