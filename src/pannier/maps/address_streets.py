"""Merge the parts of streets with the same name, and assign houses to streets. Pure.

Parts belong to one street if they lie in the same city and near each other.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pannier.kit import geo
from pannier.maps import address_grid as grid
from pannier.maps.address_places import Surroundings
from pannier.maps.address_words import Names

# Maximum metres between the points by which a street is found.
STEP_METRES: Final = 50.0
MAX_POINTS: Final = 2_000
MAX_NAMES: Final = 12
MAX_POSTAL_CODES: Final = 8
# Shares of a street's houses that determine its city, and its postcode.
MAJORITY: Final = 0.5
CLEAR_MAJORITY: Final = 0.9
Spot = tuple[int, int]
Describe = Callable[[Spot], Surroundings]


class StreetPart(NamedTuple):
    """A part of a street: its names, and its line in microdegrees."""

    names: Names
    line: Sequence[Spot]


class HouseSpot(NamedTuple):
    """A house number in microdegrees, with the name of its street or place."""

    rank: int
    number: str
    name: str
    is_place: bool
    city: str | None
    postal_code: str | None
    country: str | None
    spot: Spot


class StreetDraft:
    """A street while the index is built."""

    def __init__(self, number: int, surroundings: Surroundings) -> None:
        self.number = number
        self.city, self.country = surroundings.city, surroundings.country
        self.border_code = surroundings.postal_code
        self.suburbs = set(surroundings.suburbs)
        self.names: Names = ()
        self.spots: list[Spot] = []
        self.houses = 0
        self.cities: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()
        self.countries: Counter[str] = Counter()

    def add_part(self, part: StreetPart, suburbs: Iterable[int]) -> None:
        """Add a part to the street."""
        known = {name.casefold() for _, name in self.names}
        fresh = [name for name in part.names if name[1].casefold() not in known]
        self.names = (*self.names, *fresh)[:MAX_NAMES]
        self.suburbs.update(suburbs)
        self.spots += sample_line(part.line)[: MAX_POINTS - len(self.spots)]

    def add_house(self, house: HouseSpot) -> None:
        """Count a house for the street's city and postcodes."""
        self.houses += 1
        if not self.names:
            self.names = (("", house.name),)
        for counter, value in (
            (self.cities, house.city),
            (self.codes, house.postal_code),
            (self.countries, house.country),
        ):
            if value and (value in counter or len(counter) < MAX_POINTS):
                counter[value] += 1

    @property
    def spot(self) -> Spot:
        """The point of the street that is nearest to its middle."""
        longitude = sum(spot[0] for spot in self.spots) / len(self.spots)
        latitude = sum(spot[1] for spot in self.spots) / len(self.spots)
        return min(
            self.spots, key=lambda spot: (spot[0] - longitude) ** 2 + (spot[1] - latitude) ** 2
        )

    @property
    def city_name(self) -> str | None:
        """The city of most of its houses' addresses, if there is one."""
        return find_majority(self.cities, self.houses, MAJORITY)

    @property
    def postal_codes(self) -> list[str]:
        """The postcodes of its houses, the most common first."""
        codes = [code for code, _ in self.codes.most_common(MAX_POSTAL_CODES)]
        return codes or ([self.border_code] if self.border_code else [])


def find_majority(counter: Counter[str], total: int, share: float) -> str | None:
    """Return the value that has at least a share of the total, or None."""
    value, count = counter.most_common(1)[0] if counter else ("", 0)
    return value if count and count >= share * total else None


class StreetNames:
    """The streets with the same name."""

    def __init__(self, next_number: Callable[[], int], describe: Describe) -> None:
        self._next_number, self._describe = next_number, describe
        self.drafts: list[StreetDraft] = []
        self._near: dict[int, list[tuple[Spot, StreetDraft]]] = {}
        self._lonely: dict[tuple[int | None, int], StreetDraft] = {}

    def add_parts(self, parts: Iterable[StreetPart]) -> None:
        """Make streets from the parts with this name."""
        described = [(part, self._describe(_find_middle(part.line))) for part in parts]
        for city in dict.fromkeys(place.city for _, place in described):
            here = [(part, place) for part, place in described if place.city == city]
            clusters = cluster_lines([part.line for part, _ in here])
            for cluster in clusters:
                draft = StreetDraft(self._next_number(), here[cluster[0]][1])
                for index in cluster:
                    draft.add_part(here[index][0], here[index][1].suburbs)
                self.drafts.append(draft)
                for spot in draft.spots:
                    self._near.setdefault(_find_cluster_cell(spot), []).append((spot, draft))

    def find_street(self, house: HouseSpot) -> StreetDraft:
        """Return the street of a house. A name without a road becomes a street as well."""
        cells = grid.list_neighbours(_find_cluster_cell(house.spot))
        near = [pair for cell in cells for pair in self._near.get(cell, ())]
        if near:
            one = near[0][1]
            if all(draft is one for _, draft in near):
                return one
            return min(near, key=lambda pair: _square(pair[0], house.spot))[1]
        return self._find_roadless(house)

    def _find_roadless(self, house: HouseSpot) -> StreetDraft:
        place = self._describe(house.spot)
        cell = grid.find_cell(*house.spot, 5 * grid.CLUSTER_CELL)
        key = (place.city, 0 if place.city is not None else cell)
        draft = self._lonely.get(key)
        if draft is None:
            draft = self._lonely[key] = StreetDraft(self._next_number(), place)
            self.drafts.append(draft)
        if len(draft.spots) < MAX_POINTS:
            draft.spots.append(house.spot)
        return draft


def cluster_lines(lines: Sequence[Sequence[Spot]]) -> list[list[int]]:
    """Group lines that lie in the same cells or in neighbouring ones, by their positions."""
    cells = [{_find_cluster_cell(spot) for spot in line} for line in lines]
    owners: dict[int, list[int]] = {}
    for index, own in enumerate(cells):
        for cell in own:
            owners.setdefault(cell, []).append(index)
    groups: list[list[int]] = []
    open_cells = set(owners)
    seen: set[int] = set()
    for start in range(len(lines)):
        if start in seen:
            continue
        group, stack = [start], [start]
        seen.add(start)
        while stack:
            for cell in cells[stack.pop()]:
                for neighbour in grid.list_neighbours(cell):
                    if neighbour not in open_cells:
                        continue
                    open_cells.discard(neighbour)
                    fresh = [index for index in owners[neighbour] if index not in seen]
                    seen.update(fresh)
                    group += fresh
                    stack += fresh
        groups.append(sorted(group))
    return groups


def sample_line(line: Sequence[Spot]) -> list[Spot]:
    """Return points along a line, close enough to find the line by them."""
    spots = [line[0]]
    for end in line[1:]:
        spots += _fill(spots[-1], end)
    return spots[:MAX_POINTS]


def _fill(start: Spot, end: Spot) -> Iterator[Spot]:
    metres = geo.metres(*(value / grid.MICRO for value in (*start, *end)))
    if metres < STEP_METRES / 2:
        return
    pieces = min(math.ceil(metres / STEP_METRES), MAX_POINTS)
    for piece in range(1, pieces + 1):
        yield (
            start[0] + (end[0] - start[0]) * piece // pieces,
            start[1] + (end[1] - start[1]) * piece // pieces,
        )


def _find_middle(line: Sequence[Spot]) -> Spot:
    return line[len(line) // 2]


def _find_cluster_cell(spot: Spot) -> int:
    return grid.find_cell(*spot, grid.CLUSTER_CELL)


def _square(one: Spot, other: Spot) -> float:
    width = (one[0] - other[0]) * math.cos(math.radians(one[1] / grid.MICRO))
    return width * width + (one[1] - other[1]) ** 2
