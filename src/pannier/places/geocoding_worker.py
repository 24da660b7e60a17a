"""Background geocoding of addresses that came without coordinates.

Coordinates from a caller are never overwritten. Coordinates from the geocoder belong to an
address: when that changes, the place is geocoded again.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.db import Database, Db, columns
from pannier.jobs.leases import Leases
from pannier.places import addresses, queries
from pannier.places.models import Geocoding, PlaceRow
from pannier.routing.geocoding import GeocodeQuery, Geocoder, GeocodeResult, GeocoderUnavailable

# NOTIFY channel for places that need geocoding.
CHANNEL: Final = "pannier_places_to_locate"
# The delay before another attempt doubles each time the geocoder is unavailable.
LEASE_DURATION: Final = timedelta(minutes=1)
MAX_ATTEMPTS: Final = 10
POINT_COLUMNS: Final = frozenset({"latitude", "longitude"})
LOWEST_UUID: Final = UUID(int=0)

# Takes the companies in turn, so that a large import does not delay the others.
LEASES: Final = Leases("places", due="locate_after", attempts="locate_attempts")
LEASE_NEXT: Final = f"""
    with recursive waiting as (
        (select company from places
         where locate_after is not null and deleted_at is null and company > :after
         order by company limit 1)
        union all
        select next.company from waiting cross join lateral (
            select company from places
            where locate_after is not null and deleted_at is null and company > waiting.company
            order by company limit 1) next),
    next as materialized (
        select due.uuid from waiting cross join lateral (
            select uuid from places
            where company = waiting.company and {LEASES.due_condition()} and deleted_at is null
            order by locate_after limit 1 for update skip locked) due
        limit 1)
    update places set {LEASES.lease_assignments}
    from next where places.uuid = next.uuid
    returning {columns(PlaceRow, "places")}"""


def queue_geocoding(db: Db, place: PlaceRow) -> dict[str, Any]:
    """Return the geocoding columns of a place, and notify the worker if it is queued.

    A place that has coordinates, or no address, is not geocoded.
    """
    if place.location is not None or not _format_address(place):
        return {"geocoding": None, "locate_after": None, "locate_attempts": 0}
    has_geocoder = "geocoder" in db.database.engines
    if has_geocoder:
        db.notify(CHANNEL)
    status = Geocoding(status="waiting" if has_geocoder else "off")
    return {"geocoding": status, "locate_after": db.now, "locate_attempts": 0}


def requeue_geocoding(db: Db, place: PlaceRow, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the geocoding columns after a change. A new address is geocoded again."""
    has_new_point = not POINT_COLUMNS.isdisjoint(changes)
    changed_place = msgspec.structs.replace(place, **changes)
    has_new_address = _format_address(changed_place) != _format_address(place)
    was_geocoded = place.geocoding is not None
    if not has_new_point and not (has_new_address and (was_geocoded or place.location is None)):
        return {}
    cleared_columns: dict[str, Any] = {} if has_new_point else dict.fromkeys(POINT_COLUMNS)
    return cleared_columns | queue_geocoding(
        db, msgspec.structs.replace(changed_place, **cleared_columns)
    )


class GeocodingWorker:
    """Worker that geocodes places, one company after another."""

    def __init__(self, database: Database, geocoder: Geocoder) -> None:
        self._database, self._geocoder = database, geocoder
        self._last_company = LOWEST_UUID

    async def step(self) -> bool:
        """Geocode one place. Return False if none is due."""
        place = None if self._geocoder.is_unavailable else await self._lease_next_place()
        if place is None:
            return False
        try:
            results = await self._geocoder.find(_to_query(place))
        except GeocoderUnavailable:
            await _retry_later(self._database, place)
        else:
            await _save_outcome(
                self._database, place, _to_outcome(self._database, self._geocoder, results)
            )
        return True

    async def _lease_next_place(self) -> PlaceRow | None:
        """Lease a place of the next company. After the last company, start over."""
        async with self._database.transaction() as db:
            place = await _lease_place_after(db, self._last_company) or await _lease_place_after(
                db, LOWEST_UUID
            )
        self._last_company = LOWEST_UUID if place is None else place.company
        return place


def _to_query(place: PlaceRow) -> GeocodeQuery:
    text = _format_address(place)
    address = addresses.join_parts(
        (place.street1, " ".join(filter(None, (place.postal_code, place.city))))
    )
    return GeocodeQuery(text=text, country=place.country, address=address or text)


async def _lease_place_after(db: Db, company: UUID) -> PlaceRow | None:
    """Lease a place of the next company after this one."""
    rows = await LEASES.lease_by_statement(
        db, PlaceRow, LEASE_NEXT, after=company, lease=LEASE_DURATION
    )
    return rows[0] if rows else None


def _to_outcome(
    database: Database, geocoder: Geocoder, results: Sequence[GeocodeResult]
) -> dict[str, Any]:
    geocoding = Geocoding(status="not_found", source=geocoder.name, located_at=database.clock.now())
    if not results:
        return {"geocoding": geocoding}
    best = results[0]
    geocoding = msgspec.structs.replace(geocoding, status="found", quality=best.quality)
    return {
        "geocoding": geocoding,
        "latitude": best.point.latitude,
        "longitude": best.point.longitude,
    }


async def _retry_later(database: Database, place: PlaceRow) -> None:
    """Schedule another attempt, or mark the place as failed after the last one."""
    if place.locate_attempts >= MAX_ATTEMPTS:
        await _save_outcome(database, place, {"geocoding": Geocoding(status="failed")})
        return
    async with database.transaction() as db:
        await db.execute(
            """update places set locate_after = pannier_now() + :wait::interval
               where company = :company and uuid = :uuid and locate_after = :lease""",
            wait=LEASE_DURATION * 2**place.locate_attempts,
            company=place.company,
            uuid=place.uuid,
            lease=place.locate_after,
        )


async def _save_outcome(
    database: Database, leased_place: PlaceRow, outcome: dict[str, Any]
) -> None:
    """Save the result, unless the place has changed since it was leased."""
    async with database.transaction() as db:
        place = await db.find(
            PlaceRow,
            f"""select {columns(PlaceRow)} from places
                where company = :company and uuid = :uuid and locate_after = :lease
                for no key update""",
            company=leased_place.company,
            uuid=leased_place.uuid,
            lease=leased_place.locate_after,
        )
        if place is None:
            return
        updated_place, changed_columns = await queries.places.change(
            db, place, **outcome, locate_after=None
        )
        if not POINT_COLUMNS.isdisjoint(changed_columns):
            await queries.queue_remeasuring(db, updated_place.company, updated_place.uuid)


def _format_address(place: PlaceRow) -> str:
    """Format the address on one line. A name alone is not an address."""
    return addresses.format_address(*(getattr(place, name) for name in addresses.PARTS))
