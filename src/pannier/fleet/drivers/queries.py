"""Queries of drivers with related records."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import phones
from pannier.db import Db, Page, Where, columns
from pannier.errors import CursorInvalid, parse_field
from pannier.fleet import nearby, queries, whereabouts
from pannier.fleet.drivers.schemas import DriverFilters, DriverOut
from pannier.fleet.models import Driver, Whereabouts
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.kit import geo
from pannier.kit.geo import Point
from pannier.places.queries import places

# The same formula as `geo.distance`, so that the database can sort by it.
DISTANCE: Final = f"""2 * {geo.EARTH_RADIUS} * asin(sqrt(least(1.0,
    power(sin(radians(latitude - :latitude::float8) / 2), 2)
    + cos(radians(:latitude::float8)) * cos(radians(latitude))
    * power(sin(radians(longitude - :longitude::float8) / 2), 2))))"""


class DriverRelations(msgspec.Struct):
    """Related records of a page of drivers."""

    vehicles: dict[UUID, str]
    fleets: dict[UUID, list[str]]
    whereabouts: dict[UUID, Whereabouts]
    places: dict[UUID, str]
    centre: Point | None = None

    def to_out(self, row: Driver) -> DriverOut:
        position = self.whereabouts.get(row.uuid)
        extra = {}
        if self.centre and position:
            extra["distance"] = self._measure_distance(position)
        return DriverOut.from_row(
            row,
            position,
            vehicle=row.vehicle and self.vehicles[row.vehicle],
            fleets=self.fleets[row.uuid],
            start_place=row.start_place and self.places[row.start_place],
            end_place=row.end_place and self.places[row.end_place],
            **extra,
        )

    def _measure_distance(self, position: Whereabouts) -> float:
        return round(geo.distance(self.centre or position.location, position.location), 1)


async def load_related(
    db: Db, company: UUID, rows: Sequence[Driver], filters: DriverFilters | None = None
) -> DriverRelations:
    """Load the related records of drivers."""
    return DriverRelations(
        await queries.load_public_ids(db, company, VEHICLES, [row.vehicle for row in rows]),
        await queries.load_driver_fleets(db, company, [row.uuid for row in rows]),
        await whereabouts.load(db, company, [row.uuid for row in rows]),
        await load_place_ids(db, company, rows),
        None if filters is None else _parse_centre(filters),
    )


async def load_place_ids(db: Db, company: UUID, rows: Sequence[Driver]) -> dict[UUID, str]:
    """Load the public ids of the places where drivers begin and end."""
    uuids = [uuid for row in rows for uuid in (row.start_place, row.end_place)]
    return await queries.load_public_ids(db, company, places, uuids)


async def load_drivers_out(db: Db, company: UUID, rows: Sequence[Driver]) -> list[DriverOut]:
    related = await load_related(db, company, rows)
    return [related.to_out(row) for row in rows]


async def list_drivers(db: Db, company: UUID, filters: DriverFilters) -> Page[Driver]:
    """List drivers, newest first, or nearest first with `nearby`."""
    number = phones.restore_plus(filters.phone)
    number = number and await phones.parse(db, company, number)
    where = DRIVERS.where(company).add_filters(filters, "status", "internal_id", "country", "city")
    where.add_public_ids(filters.id).add_equal(phone=number)
    if filters.vehicle is not None:
        vehicle = await VEHICLES.resolve_reference(db, company, "vehicle", filters.vehicle)
        where.add_equal(vehicle=vehicle.uuid)
    await queries.filter_by_fleet(db, company, where, filters.fleet, "driver")
    centre = _parse_centre(filters)
    if centre is not None:
        return await _list_nearest(db, where, centre, filters)
    return await DRIVERS.load_page(
        db, where.add_equal(online=filters.online), filters, query=filters.query
    )


def _parse_centre(filters: DriverFilters) -> Point | None:
    return None if filters.nearby is None else parse_field("nearby", geo.parse, filters.nearby)


async def _list_nearest(
    db: Db, where: Where, centre: Point, filters: DriverFilters
) -> Page[Driver]:
    """List drivers near a point. There is no second page, because drivers keep moving."""
    if filters.cursor is not None:
        raise CursorInvalid
    bounds = nearby.make_bounding_box(centre, filters.radius)
    operator = "or" if bounds.crosses_date_line else "and"
    where.add_equal(online=filters.online is not False)
    drivers = await db.fetch_all(
        Driver,
        f"""select {columns(Driver, "d")}
            from (select subject, {DISTANCE} as distance from whereabouts
                  where company = :company and kind = 'driver'
                    and latitude between :south and :north
                    and (longitude >= :west {operator} longitude <= :east)) near
            join (select {columns(Driver)} from drivers {where}) d on d.uuid = near.subject
            where near.distance <= :radius
            order by near.distance, d.uuid limit {filters.limit}""",
        **where.values,
        **msgspec.structs.asdict(bounds),
        latitude=centre.latitude,
        longitude=centre.longitude,
        radius=filters.radius,
    )
    return Page(drivers, filters.limit, None)
