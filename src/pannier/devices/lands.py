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
from pannier.db.renewal import renew
from pannier.devices.rules.land import Border, Land
from pannier.kit.cache import Cache
from pannier.kit.later import shapely
from pannier.places import queries as places

# Cache size over all companies. A geofence counts one, and one more per hundred vertices.
MAX_WEIGHT: Final = 100_000
VERTICES: Final = 100


class Edition(msgspec.Struct, frozen=True):
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


class _Drawn(NamedTuple):
    version: int
    border: Border


class _Kept(msgspec.Struct):
    """A company's geofences, with the version of each row that they were built from."""

    drawn: Mapping[UUID, _Drawn]
    land: Land
    weight: int


_NOTHING: Final = _Kept({}, Land(()), 0)
_CACHE: Final = Cache[UUID, _Kept](MAX_WEIGHT, attrgetter("weight"))


async def editions(db: Db, companies: Iterable[UUID]) -> dict[UUID, Edition]:
    """Load the current geofence versions of companies."""
    found = await db.many(
        Edition,
        """select company, rates_version, speed_limit_kmh from companies
           where uuid = any(:companies) and company = uuid""",
        companies=list(companies),
    )
    return {each.company: each for each in found}


async def load_land(db: Db, edition: Edition) -> Land:
    """Return a company's geofences in this version, from the cache if possible."""

    async def read(before: _Kept | None) -> _Kept:
        return await _reload(db, edition.company, before or _NOTHING)

    return (await _CACHE.load(edition.company, edition.rates_version, read)).land


async def _reload(db: Db, company: UUID, known: _Kept) -> _Kept:
    """Load the rows that changed, and rebuild the spatial index."""
    drawn: dict[UUID, _Drawn] = {}
    for table, row in _TABLES:
        drawn |= await renew(db, table, company, row, known.drawn, _draw_areas)
    borders = [each.border for each in drawn.values()]
    shapes = [border.shape for border in borders]
    weight = len(shapes) + int(shapely.get_num_coordinates(shapes).sum()) // VERTICES
    # In a thread, because indexing thousands of geofences would block the event loop.
    return _Kept(drawn, await asyncio.to_thread(Land, borders), weight)


def _draw_areas(rows: Sequence[_Area]) -> dict[UUID, _Drawn]:
    shapes = shapely.from_geojson([msgspec.json.encode(row.border) for row in rows])
    return {
        row.uuid: _Drawn(row.version, _border(row, shape))
        for row, shape in zip(rows, shapes, strict=True)
    }


def _border(row: _Area, shape: Any) -> Border:  # noqa: ANN401 - shapely has no types
    kind: Literal["zone", "service_area"] = "service_area"
    if not isinstance(row, _Zone):
        return Border(row.public_id, row.name, kind, shape)
    minutes = row.dwell_threshold_minutes
    return Border(
        row.public_id,
        row.name,
        "zone",
        shape,
        limit=row.speed_limit_kmh,
        on_entry=row.trigger_on_entry,
        on_exit=row.trigger_on_exit,
        dwell=None if minutes is None else 60.0 * minutes,
    )
