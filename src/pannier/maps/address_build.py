"""Build the address index of a city from an OpenStreetMap extract.

The extract is read once into a work file. Streets are then merged name by name, so that memory
depends on the places, the borders and the most common name, not on the size of the extract.
"""

import itertools
import sqlite3
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec

from pannier.errors import SetupError
from pannier.maps import address_grid as grid
from pannier.maps.address_entries import EntryMaker
from pannier.maps.address_places import PlaceFinder, Surroundings
from pannier.maps.address_source import (
    BoundarySource,
    CountrySource,
    HouseSource,
    PlaceSource,
    SourceItem,
    StreetSource,
    read_objects,
)
from pannier.maps.address_streets import (
    HouseNumber,
    MicroPoint,
    StreetDraft,
    StreetGroup,
    StreetPart,
)
from pannier.maps.address_tables import HOUSE_ROW, NUMBER_ROW, WORK_TABLES, write_index
from pannier.maps.address_words import Names, list_numbers, split_words
from pannier.maps.source import read_share
from pannier.settings.folder import sync_folder

BATCH: Final = 5_000
# Maximum distance of a house number from its place, where streets have no names.
PLACE_METRES: Final = 10_000.0
# The rank of a number within a range: after all explicit numbers.
RANGE_RANK: Final = 3
# The minimum share of streets with names in a language that counts as local.
LANGUAGE_SHARE: Final = 0.01
# The share of a build that is complete after reading the extract, and after merging streets.
READ_SHARE: Final = 0.4
MERGED_SHARE: Final = 0.8
SELECT_WAYS: Final = "select key, names, line from ways order by key"
SELECT_HOUSES: Final = """
    select key, rank, number, name, is_place, city, postal_code, country, longitude, latitude
    from houses order by key, rank"""
Advance = Callable[[float], None]
Row = tuple[Any, ...]


def build_address_index(
    source: Path, target: Path, data: Path | None, advance: Advance
) -> dict[str, int]:
    """Build the index of an extract, and return the number of entries of each kind."""
    nodes = target.with_name(f".{target.name}.nodes")
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_files(nodes)

    def read_items() -> Iterator[SourceItem]:
        for count, item in enumerate(read_objects(source, nodes, data)):
            if count % BATCH == 0:
                advance(READ_SHARE * read_share(source))
            yield item
        _remove_files(nodes)

    try:
        return build_from_objects(read_items(), target, advance)
    except sqlite3.Error as error:
        raise SetupError(f"The address index cannot be built: {error}.") from error
    finally:
        _remove_files(nodes)


def build_from_objects(
    objects: Iterable[SourceItem], target: Path, advance: Advance
) -> dict[str, int]:
    """Build the index from objects. The complete index replaces the target."""
    draft, work_file = (target.with_name(f".{target.name}.{part}") for part in ("new", "work"))
    _remove_files(draft, work_file)
    try:
        with closing(_open_work_file(work_file)) as database:
            items = SourceItems(database, objects)
            advance(READ_SHARE)
            _Merger(database, items).merge()
            advance(MERGED_SHARE)
            counts = write_index(database, draft, items.country_names)
        draft.replace(target)
        sync_folder(target.parent)
        advance(1.0)
    finally:
        _remove_files(draft, work_file)
    return counts


def _remove_files(*paths: Path) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _open_work_file(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    # The work file is discarded after a crash, so nothing needs to be synced to disk.
    database.executescript(
        "pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -65536;"
    )
    database.executescript(WORK_TABLES)
    return database


class SourceItems:
    """The objects of an extract: streets and houses in the work file, the others in memory."""

    def __init__(self, database: sqlite3.Connection, objects: Iterable[SourceItem]) -> None:
        self.places: list[PlaceSource] = []
        self.borders: list[BoundarySource] = []
        self.country_names: dict[str, list[str]] = {}
        self._languages: Counter[str] = Counter()
        self._countries: Counter[str] = Counter()
        self._streets = 0
        self._database = database
        ways: list[Row] = []
        houses: list[Row] = []
        with database:
            for item in objects:
                self._add_item(item, ways, houses)
                if len(ways) + len(houses) >= BATCH:
                    self._write_batch(ways, houses)
            self._write_batch(ways, houses)

    @property
    def languages(self) -> frozenset[str]:
        """The frequent languages of street names in the extract, and English."""
        frequent = {
            language
            for language, count in self._languages.items()
            if count >= LANGUAGE_SHARE * self._streets
        }
        return frozenset({"", "en", *frequent})

    @property
    def main_country(self) -> str | None:
        """The country of most houses."""
        return next((country for country, _ in self._countries.most_common(1)), None)

    def _add_item(self, item: SourceItem, ways: list[Row], houses: list[Row]) -> None:
        match item:
            case StreetSource():
                self._streets += 1
                self._languages.update({language for language, _ in item.names})
                ways.append(_to_way_row(item))
            case HouseSource():
                self._countries.update([item.country] if item.country else [])
                houses.append(_to_house_row(item))
            case PlaceSource():
                self.places.append(item)
            case BoundarySource():
                self.borders.append(item)
            case CountrySource():
                self.country_names[item.code] = [name for _, name in item.names]

    def _write_batch(self, ways: list[Row], houses: list[Row]) -> None:
        self._database.executemany("insert into ways (key, names, line) values (?, ?, ?)", ways)
        self._database.executemany(HOUSE_ROW, houses)
        ways.clear()
        houses.clear()


def _to_way_row(street: StreetSource) -> Row:
    line = array("i", itertools.chain.from_iterable(map(_to_micro_point, street.points)))
    return make_key(street.names[0][1]), msgspec.json.encode(street.names), line.tobytes()


def _to_house_row(house: HouseSource) -> Row:
    name = house.street or house.place or ""
    return (
        make_key(name), house.rank, house.number, name, house.street is None, house.city,
        house.postal_code, house.country, *_to_micro_point(house.point),
    )  # fmt: skip


def make_key(name: str) -> str:
    """Make the key of a name. All its spellings have the same key."""
    return "".join(split_words(name)) or name


def _to_micro_point(point: tuple[float, float]) -> MicroPoint:
    return grid.to_micro(point[0]), grid.to_micro(point[1])


class _Merger:
    """Merges streets, houses and places into entries."""

    def __init__(self, database: sqlite3.Connection, objects: SourceItems) -> None:
        self._database = database
        self._finder = PlaceFinder(objects.places, objects.borders)
        objects.borders.clear()
        self._next_number = itertools.count(len(self._finder.places)).__next__
        country = None if self._finder.has_countries else objects.main_country
        self._entries = EntryMaker(self._finder, objects.languages, country)
        self._rows: list[Row] = []
        self._place_houses: Counter[int] = Counter()

    def merge(self) -> None:
        """Write the entries of streets and places, with their houses."""
        with self._database:
            ways = itertools.groupby(self._select_rows(SELECT_WAYS), _get_key)
            houses = itertools.groupby(self._select_rows(SELECT_HOUSES), _get_key)
            for way_rows, house_rows in _pair_groups(ways, houses):
                streets = StreetGroup(self._next_number, self._find_surroundings)
                streets.add_parts(map(_to_part, way_rows))
                for row in house_rows:
                    self._add_house(streets, _to_house(row))
                self._write_streets(streets.drafts)
            for place in self._finder.places:
                entry = self._entries.make_place(place, self._place_houses[place.number])
                self._database.execute(*entry)
            self._flush()

    def _add_house(self, streets: StreetGroup, house: HouseNumber) -> None:
        entry = self._find_place(house) if house.is_place else None
        if entry is None:
            draft = streets.find_or_add_street(house)
            draft.add_house(house)
            entry = draft.number
        else:
            self._place_houses[entry] += 1
        for position, number in enumerate(list_numbers(house.number)):
            rank, text = (house.rank, house.number) if position == 0 else (RANGE_RANK, number)
            self._rows.append((entry, number, text, rank, *house.point, house.postal_code))
        if len(self._rows) >= BATCH:
            self._flush()

    def _find_place(self, house: HouseNumber) -> int | None:
        point = grid.to_point(*house.point)
        coordinates = (point.longitude, point.latitude)
        return self._finder.find_place(house.name, coordinates, PLACE_METRES)

    def _write_streets(self, drafts: Iterable[StreetDraft]) -> None:
        for draft in drafts:
            self._database.execute(*self._entries.make_street(draft))
            self._database.executemany(
                "insert into spots (entry, longitude, latitude) values (?, ?, ?)",
                [(draft.number, *point) for point in draft.points],
            )

    def _flush(self) -> None:
        self._database.executemany(NUMBER_ROW, self._rows)
        self._rows.clear()

    def _find_surroundings(self, micro_point: MicroPoint) -> Surroundings:
        point = grid.to_point(*micro_point)
        return self._finder.find_surroundings((point.longitude, point.latitude))

    def _select_rows(self, query: str) -> Iterator[Row]:
        yield from self._database.execute(query)


def _get_key(row: Row) -> str:
    return str(row[0])


Groups = Iterator[tuple[str, Iterator[Row]]]


def _pair_groups(ways: Groups, houses: Groups) -> Iterator[tuple[Iterable[Row], Iterable[Row]]]:
    """Pair the groups of two sorted sources by key. Read each pair before requesting the next."""
    way_group, house_group = next(ways, None), next(houses, None)
    while way_group is not None or house_group is not None:
        key = min(group[0] for group in (way_group, house_group) if group is not None)
        way_rows: Iterable[Row] = ()
        house_rows: Iterable[Row] = ()
        if way_group is not None and way_group[0] == key:
            way_rows = way_group[1]
        if house_group is not None and house_group[0] == key:
            house_rows = house_group[1]
        yield way_rows, house_rows
        way_group = next(ways, None) if way_rows else way_group
        house_group = next(houses, None) if house_rows else house_group


def _to_part(row: Row) -> StreetPart:
    numbers = array("i")
    numbers.frombytes(row[2])
    return StreetPart(
        msgspec.json.decode(row[1], type=Names), list(zip(numbers[::2], numbers[1::2], strict=True))
    )


def _to_house(row: Row) -> HouseNumber:
    _, rank, number, name, is_place, city, postal_code, country, longitude, latitude = row
    return HouseNumber(
        rank, number, name, bool(is_place), city, postal_code, country, (longitude, latitude)
    )
