"""The land of companies as a process keeps it: the borders of their active zones and areas.

Each change of one counts the company's `rates_version` up, in its transaction.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, Literal
from uuid import UUID

import msgspec

from pannier.db import Db, columns
from pannier.devices.rules.land import Border, Land
from pannier.kit.cache import Cache
from pannier.kit.later import shapely

# What a process keeps of all companies together, a border or a hundred vertices each.
MAX_WEIGHT: Final = 100_000
VERTICES: Final = 100
# Rows that are read at a time: others have their turn in between.
BATCH: Final = 500


class Edition(msgspec.Struct, frozen=True):
    """How often a company's land has changed, and how fast one may go where nothing else says."""

    company: UUID
    rates_version: int
    speed_limit_kmh: int | None


class _Version(msgspec.Struct):
    uuid: UUID
    version: int


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


_TABLES: Final[Sequence[tuple[str, type[_Area]]]] = (("zones", _Zone), ("service_areas", _Area))


class _Kept(msgspec.Struct):
    """A company's land, and which version of each row it was made from."""

    borders: Mapping[UUID, tuple[int, Border]]
    land: Land
    weight: int


_NOTHING: Final = _Kept({}, Land(()), 0)
_CACHE: Final = Cache[UUID, _Kept](MAX_WEIGHT, attrgetter("weight"))


async def editions(db: Db, companies: Iterable[UUID]) -> dict[UUID, Edition]:
    """Read what there is of some companies at present."""
    found = await db.many(
        Edition,
        """select company, rates_version, speed_limit_kmh from companies
           where uuid = any(:companies) and company = uuid""",
        companies=list(companies),
    )
    return {each.company: each for each in found}


async def load_land(db: Db, edition: Edition) -> Land:
    """Return a company's land in this edition."""

    async def read(before: _Kept | None) -> _Kept:
        return await _renewed(db, edition.company, before or _NOTHING)

    return (await _CACHE.load(edition.company, edition.rates_version, read)).land


async def _renewed(db: Db, company: UUID, known: _Kept) -> _Kept:
    """Read the rows that changed, and lay all of them out anew."""
    borders: dict[UUID, tuple[int, Border]] = {}
    for table, row in _TABLES:
        present = await db.many(
            _Version,
            f"""select uuid, version from {table}
                where company = :company and status = 'active' and deleted_at is null
                order by uuid""",
            company=company,
        )
        same = {each.uuid for each in present if _version(known, each.uuid) == each.version}
        changed = [each.uuid for each in present if each.uuid not in same]
        fresh: dict[UUID, tuple[int, Border]] = {}
        for start in range(0, len(changed), BATCH):
            rows = await db.many(
                row,
                f"""select {columns(row)} from {table}
                    where company = :company and uuid = any(:uuids)""",
                company=company,
                uuids=changed[start : start + BATCH],
            )
            fresh |= await asyncio.to_thread(_drawn, rows)
        # In an order that all processes share.
        borders |= {
            each.uuid: known.borders[each.uuid] if each.uuid in same else fresh[each.uuid]
            for each in present
            if each.uuid in same or each.uuid in fresh
        }
    shapes = [border.shape for _, border in borders.values()]
    weight = len(shapes) + int(shapely.get_num_coordinates(shapes).sum()) // VERTICES
    # In a thread, because thousands of them take a moment.
    land = await asyncio.to_thread(Land, [border for _, border in borders.values()])
    return _Kept(borders, land, weight)


def _version(known: _Kept, uuid: UUID) -> int | None:
    return known.borders[uuid][0] if uuid in known.borders else None


def _drawn(rows: Sequence[_Area]) -> dict[UUID, tuple[int, Border]]:
    shapes = shapely.from_geojson([msgspec.json.encode(row.border) for row in rows])
    return {
        row.uuid: (row.version, _border(row, shape))
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
