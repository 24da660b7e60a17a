"""The geofences of companies, cached per process: active zones and service areas.

Each change of a zone or an area increments the company's `rates_version` in the same transaction.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, Literal, NamedTuple
from uuid import UUID

import msgspec

from pannier.db import Db, Table
from pannier.db.renewal import refresh
from pannier.devices.rules.geofences import Geofence, GeofenceIndex
from pannier.kit.cache import Cache
from pannier.kit.lazy_modules import shapely
from pannier.places import queries as places

# Cache size over all companies. A geofence counts one, and one more per hundred vertices.
MAX_WEIGHT: Final = 100_000
VERTICES_PER_WEIGHT: Final = 100


class GeofenceVersion(msgspec.Struct, frozen=True):
    """The version of a company's geofences, and its default speed limit."""

    company: UUID
    rates_version: int
    speed_limit_kmh: int | None


class _Area(msgspec.Struct):
    uuid: UUID
    version: int
    public_id: str
    name: str
    border: dict[str, Any]


class _Zone(_Area):
    speed_limit_kmh: int | None
    trigger_on_entry: bool
    trigger_on_exit: bool
    dwell_threshold_minutes: int | None


_TABLES: Final[Sequence[tuple[Table[Any], type[_Area]]]] = (
    (places.zones, _Zone),
    (places.areas, _Area),
)


class _VersionedGeofence(NamedTuple):
    version: int
    border: Geofence


class _CompanyGeofences(msgspec.Struct):
    """A company's geofences, with the version of each row that they were built from."""

    by_uuid: Mapping[UUID, _VersionedGeofence]
    index: GeofenceIndex
    weight: int


_NO_GEOFENCES: Final = _CompanyGeofences({}, GeofenceIndex(()), 0)
_CACHE: Final = Cache[UUID, _CompanyGeofences](MAX_WEIGHT, attrgetter("weight"))


async def load_versions(db: Db, companies: Iterable[UUID]) -> dict[UUID, GeofenceVersion]:
    """Load the current geofence versions of companies."""
    versions = await db.fetch_all(
        GeofenceVersion,
        """select company, rates_version, speed_limit_kmh from companies
           where uuid = any(:companies) and company = uuid""",
        companies=list(companies),
    )
    return {row.company: row for row in versions}


async def load_geofences(db: Db, version: GeofenceVersion) -> GeofenceIndex:
    """Return a company's geofences in this version, from the cache if possible."""

    async def load(cached_geofences: _CompanyGeofences | None) -> _CompanyGeofences:
        return await _reload_geofences(db, version.company, cached_geofences or _NO_GEOFENCES)

    return (await _CACHE.load(version.company, version.rates_version, load)).index


async def _reload_geofences(
    db: Db, company: UUID, cached_geofences: _CompanyGeofences
) -> _CompanyGeofences:
    """Load the rows that changed, and rebuild the spatial index."""
    geofences: dict[UUID, _VersionedGeofence] = {}
    for table, row_type in _TABLES:
        geofences |= await refresh(
            db, table, company, row_type, cached_geofences.by_uuid, _build_geofences
        )
    borders = [versioned.border for versioned in geofences.values()]
    shapes = [border.shape for border in borders]
    weight = len(shapes) + int(shapely.get_num_coordinates(shapes).sum()) // VERTICES_PER_WEIGHT
    # In a thread, because indexing thousands of geofences would block the event loop.
    return _CompanyGeofences(geofences, await asyncio.to_thread(GeofenceIndex, borders), weight)


def _build_geofences(rows: Sequence[_Area]) -> dict[UUID, _VersionedGeofence]:
    shapes = shapely.from_geojson([msgspec.json.encode(row.border) for row in rows])
    return {
        row.uuid: _VersionedGeofence(row.version, _to_geofence(row, shape))
        for row, shape in zip(rows, shapes, strict=True)
    }


def _to_geofence(row: _Area, shape: Any) -> Geofence:  # noqa: ANN401 - shapely has no types
    kind: Literal["zone", "service_area"] = "service_area"
    if not isinstance(row, _Zone):
        return Geofence(row.public_id, row.name, kind, shape)
    minutes = row.dwell_threshold_minutes
    return Geofence(
        row.public_id,
        row.name,
        "zone",
        shape,
        limit=row.speed_limit_kmh,
        on_entry=row.trigger_on_entry,
        on_exit=row.trigger_on_exit,
        dwell=None if minutes is None else 60.0 * minutes,
    )
