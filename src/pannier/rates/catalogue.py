"""The cache of a company's rates in each process, indexed by the zones where they apply.

A look-up costs in proportion to the rates that apply around the stops, not to all rates. Each
change of a rate, a zone or an area increments the company's `rates_version` in its transaction. A
newer version reloads only the rows whose version changed, so an edit reads one of ten thousand
rates.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings.queries import SettingsVersion
from pannier.db import Db
from pannier.db.renewal import refresh
from pannier.kit.cache import Cache
from pannier.kit.geo import Point
from pannier.kit.lazy_modules import shapely
from pannier.places import queries as places
from pannier.rates.formula import Formula
from pannier.rates.models import ServiceRate
from pannier.rates.queries import RATES
from pannier.rates.shipment import TariffCustomer

# The size of the cache, for all companies together. A rate, four entries of its lists, fifty
# characters of its formula or a hundred vertices count as one. The least recently used
# catalogues are removed first.
MAX_CACHE_WEIGHT: Final = 100_000
ENTRIES_PER_UNIT: Final = 4
FORMULA_CHARACTERS_PER_UNIT: Final = 50
VERTICES_PER_UNIT: Final = 100


class CachedBorder(msgspec.Struct, frozen=True):
    """The border of an active zone or area, prepared for queries."""

    version: int
    shape: Any
    # The tax of an area's rates, if it has one.
    tax_rate: Decimal | None = None


class _BorderRow(msgspec.Struct):
    uuid: UUID
    version: int
    border: dict[str, Any]


class _AreaRow(_BorderRow):
    tax_rate: Decimal | None


class Catalogue:
    """A company's active rates, with the borders that they refer to."""

    def __init__(
        self,
        rates: Mapping[UUID, ServiceRate],
        borders: Mapping[UUID, CachedBorder],
        formulas: Mapping[str, Formula] = MappingProxyType({}),
    ) -> None:
        self.rates, self._borders = rates, borders
        formula_texts = {rate.algorithm for rate in rates.values()}
        # Compiled on first use, within the caller's pricing turn, and kept for the next version.
        self._formulas = {
            text: formula for text, formula in formulas.items() if text in formula_texts
        }
        self.shapes = {uuid: border.shape for uuid, border in borders.items()}
        self._border_uuids = list(self.shapes)
        shapes = list(self.shapes.values())
        vertices = shapely.get_num_coordinates(shapes).sum() if shapes else 0
        entries = sum(rate.entry_count for rate in rates.values())
        characters = sum(len(rate.algorithm or "") for rate in rates.values())
        # A rate may name many customers, and a company may have as many rates as customers.
        self._customer_keys: dict[UUID, frozenset[UUID | str]] = {
            rate.uuid: frozenset((*rate.customers, *rate.price_groups))
            for rate in rates.values()
            if rate.is_bound
        }
        entries += sum(map(len, self._customer_keys.values()))
        self.weight = (
            len(rates)
            + entries // ENTRIES_PER_UNIT
            + characters // FORMULA_CHARACTERS_PER_UNIT
            + int(vertices) // VERTICES_PER_UNIT
        )
        self._tree = shapely.STRtree(shapes) if shapes else None
        self._unbounded_rates: list[ServiceRate] = []
        self._rates_by_border: dict[UUID, list[ServiceRate]] = {}
        for rate in rates.values():
            border = rate.zone or rate.service_area
            group = (
                self._unbounded_rates
                if border is None
                else self._rates_by_border.setdefault(border, [])
            )
            group.append(rate)

    def find_zones(self, stops: Sequence[Point]) -> list[frozenset[UUID]]:
        """Return the zones and areas that contain each stop."""
        if self._tree is None:
            return [frozenset()] * len(stops)
        zones_by_stop: list[set[UUID]] = [set() for _ in stops]
        longitudes = [stop.longitude for stop in stops]
        points = shapely.points(longitudes, [stop.latitude for stop in stops])
        for stop, border in self._tree.query(points, predicate="covered_by").T.tolist():
            zones_by_stop[stop].add(self._border_uuids[border])
        return [frozenset(uuids) for uuids in zones_by_stop]

    def list_candidates(
        self, zones_by_stop: Sequence[frozenset[UUID]], customer: TariffCustomer | None = None
    ) -> Iterator[ServiceRate]:
        """Yield the rates that may apply to a customer's stops. No other rate can apply."""
        own_keys = () if customer is None else (customer.uuid, customer.price_group or "")
        for rate in self._list_nearby_rates(zones_by_stop):
            keys = self._customer_keys.get(rate.uuid)
            if keys is None or not keys.isdisjoint(own_keys):
                yield rate

    def _list_nearby_rates(self, zones_by_stop: Sequence[frozenset[UUID]]) -> Iterator[ServiceRate]:
        yield from self._unbounded_rates
        # The border of a rate contains the origin or all other stops, and usually both.
        origin, *later_stops = zones_by_stop
        for border in origin | frozenset.intersection(*later_stops or [origin]):
            yield from self._rates_by_border.get(border, ())

    def find_tax_rate(self, rate: ServiceRate) -> Decimal | None:
        """Return the tax rate of a rate, or of its service area. None means the company's."""
        if rate.tax_rate is not None or rate.service_area is None:
            return rate.tax_rate
        area = self._borders.get(rate.service_area)
        return None if area is None else area.tax_rate

    def compile_formula(self, text: str) -> Formula:
        """Return a compiled formula. Compile it on first use."""
        formula = self._formulas.get(text)
        if formula is None:
            formula = self._formulas[text] = Formula(text)
        return formula

    async def reload(self, db: Db, company: UUID) -> "Catalogue":
        """Load the changed rows, and build a new catalogue."""
        rates = await refresh(db, RATES, company, ServiceRate, self.rates, _index_by_uuid)
        return await self._load_catalogue(db, company, rates)

    async def load_for_rate(self, db: Db, rate: ServiceRate) -> "Catalogue":
        """Load a catalogue of a single rate, saved or not."""
        return await self._load_catalogue(db, rate.company, {rate.uuid: rate})

    async def _load_catalogue(
        self, db: Db, company: UUID, rates: Mapping[UUID, ServiceRate]
    ) -> "Catalogue":
        border_uuids = list(_list_referenced_zones(rates.values()))
        borders: dict[UUID, CachedBorder] = {}
        if border_uuids:
            borders |= await refresh(
                db, places.zones, company, _BorderRow, self._borders, _build_borders, border_uuids
            )
            borders |= await refresh(
                db, places.areas, company, _AreaRow, self._borders, _build_borders, border_uuids
            )
        # In a thread, because thousands of rates take a moment. The copy is made here, because
        # other requests use this catalogue meanwhile.
        formulas = dict(self._formulas)
        return await asyncio.to_thread(Catalogue, rates, borders, formulas)


def _list_referenced_zones(rates: Iterable[ServiceRate]) -> set[UUID]:
    """List the zones and areas that rates refer to."""
    uuids: set[UUID | None] = set()
    for rate in rates:
        uuids |= {rate.zone, rate.service_area}
        for entry in rate.bordered_entries:
            uuids |= {entry.zone, entry.service_area}
    return {uuid for uuid in uuids if uuid is not None}


def _index_by_uuid(rows: Sequence[ServiceRate]) -> dict[UUID, ServiceRate]:
    return {row.uuid: row for row in rows}


def _build_borders(rows: Sequence[_BorderRow]) -> dict[UUID, CachedBorder]:
    shapes = shapely.from_geojson([msgspec.json.encode(row.border) for row in rows])
    shapely.prepare(shapes)
    return {
        row.uuid: CachedBorder(
            row.version, shape, row.tax_rate if isinstance(row, _AreaRow) else None
        )
        for row, shape in zip(rows, shapes, strict=True)
    }


EMPTY: Final = Catalogue({}, {})
CATALOGUES: Final = Cache[UUID, Catalogue](MAX_CACHE_WEIGHT, attrgetter("weight"))


async def load_catalogue(
    db: Db, company: UUID, edition: SettingsVersion, cache: Cache[UUID, Catalogue] = CATALOGUES
) -> Catalogue:
    """Return a company's catalogue in the version of its settings."""

    async def reload(previous: Catalogue | None) -> Catalogue:
        return await (previous or EMPTY).reload(db, company)

    return await cache.load_once(company, edition.rates_version, reload, uncommitted=edition.ours)
