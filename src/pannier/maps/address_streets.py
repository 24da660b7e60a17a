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

# Maximum metres between the points that the index has of a street.
STEP_METRES: Final = 50.0
MAX_POINTS: Final = 2_000
MAX_NAMES: Final = 12
MAX_POSTAL_CODES: Final = 8
# Shares of a street's houses that determine its city, and its postcode.
MAJORITY: Final = 0.5
CLEAR_MAJORITY: Final = 0.9
# Longitude and latitude in microdegrees.
MicroPoint = tuple[int, int]
FindSurroundings = Callable[[MicroPoint], Surroundings]


class StreetPart(NamedTuple):
    """A part of a street, with its names and its line."""

    names: Names
    line: Sequence[MicroPoint]


class HouseNumber(NamedTuple):
    """A house number, with the name of its street or place."""

    rank: int
    number: str
    name: str
    is_place: bool
    city: str | None
    postal_code: str | None
    country: str | None
    point: MicroPoint


class StreetDraft:
    """A street while the index is built."""

    def __init__(self, number: int, surroundings: Surroundings) -> None:
        self.number = number
        self.city, self.country = surroundings.city, surroundings.country
        self.border_code = surroundings.postal_code
        self.suburbs = set(surroundings.suburbs)
        self.names: Names = ()
        self.points: list[MicroPoint] = []
        self.houses = 0
        self.cities: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()
        self.countries: Counter[str] = Counter()

    def add_part(self, part: StreetPart, suburbs: Iterable[int]) -> None:
        """Add a part to the street."""
        known_names = {name.casefold() for _, name in self.names}
        new_names = [name for name in part.names if name[1].casefold() not in known_names]
        self.names = (*self.names, *new_names)[:MAX_NAMES]
        self.suburbs.update(suburbs)
        self.points += sample_line(part.line)[: MAX_POINTS - len(self.points)]

    def add_house(self, house: HouseNumber) -> None:
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
    def point(self) -> MicroPoint:
        """The point of the street that is nearest to the mean of all its points."""
        longitude = sum(point[0] for point in self.points) / len(self.points)
        latitude = sum(point[1] for point in self.points) / len(self.points)
        return min(
            self.points, key=lambda point: (point[0] - longitude) ** 2 + (point[1] - latitude) ** 2
        )

    @property
    def city_name(self) -> str | None:
        """The city in most of the houses' addresses, or None."""
        return find_majority(self.cities, self.houses, MAJORITY)

    @property
    def postal_codes(self) -> list[str]:
        """The postcodes of the houses, most common first."""
        codes = [code for code, _ in self.codes.most_common(MAX_POSTAL_CODES)]
        return codes or ([self.border_code] if self.border_code else [])


def find_majority(counter: Counter[str], total: int, share: float) -> str | None:
    """Find the value with at least a share of the total, or return None."""
    value, count = counter.most_common(1)[0] if counter else ("", 0)
    return value if count and count >= share * total else None


class StreetGroup:
    """The streets with one name."""

    def __init__(self, next_number: Callable[[], int], find_surroundings: FindSurroundings) -> None:
        self._next_number, self._find_surroundings = next_number, find_surroundings
        self.drafts: list[StreetDraft] = []
        self._drafts_by_cell: dict[int, list[tuple[MicroPoint, StreetDraft]]] = {}
        self._roadless: dict[tuple[int | None, int], StreetDraft] = {}

    def add_parts(self, parts: Iterable[StreetPart]) -> None:
        """Make streets from parts with this name."""
        pairs = [(part, self._find_surroundings(_find_middle(part.line))) for part in parts]
        for city in dict.fromkeys(place.city for _, place in pairs):
            city_pairs = [(part, place) for part, place in pairs if place.city == city]
            clusters = cluster_lines([part.line for part, _ in city_pairs])
            for cluster in clusters:
                draft = StreetDraft(self._next_number(), city_pairs[cluster[0]][1])
                for index in cluster:
                    part, place = city_pairs[index]
                    draft.add_part(part, place.suburbs)
                self.drafts.append(draft)
                for point in draft.points:
                    self._drafts_by_cell.setdefault(_find_cluster_cell(point), []).append(
                        (point, draft)
                    )

    def find_or_add_street(self, house: HouseNumber) -> StreetDraft:
        """Find the street of a house. If its street has no road, add a street without one."""
        cells = grid.list_neighbours(_find_cluster_cell(house.point))
        nearby = [pair for cell in cells for pair in self._drafts_by_cell.get(cell, ())]
        if nearby:
            first_draft = nearby[0][1]
            if all(draft is first_draft for _, draft in nearby):
                return first_draft
            return min(nearby, key=lambda pair: _compute_squared_distance(pair[0], house.point))[1]
        return self._find_or_add_roadless_street(house)

    def _find_or_add_roadless_street(self, house: HouseNumber) -> StreetDraft:
        surroundings = self._find_surroundings(house.point)
        cell = grid.find_cell(*house.point, 5 * grid.CLUSTER_CELL)
        key = (surroundings.city, 0 if surroundings.city is not None else cell)
        draft = self._roadless.get(key)
        if draft is None:
            draft = self._roadless[key] = StreetDraft(self._next_number(), surroundings)
            self.drafts.append(draft)
        if len(draft.points) < MAX_POINTS:
            draft.points.append(house.point)
        return draft


def cluster_lines(lines: Sequence[Sequence[MicroPoint]]) -> list[list[int]]:
    """Group lines in the same or neighbouring cells. Return the indices of each group's lines."""
    cells = [{_find_cluster_cell(point) for point in line} for line in lines]
    lines_by_cell: dict[int, list[int]] = {}
    for index, line_cells in enumerate(cells):
        for cell in line_cells:
            lines_by_cell.setdefault(cell, []).append(index)
    groups: list[list[int]] = []
    unvisited_cells = set(lines_by_cell)
    grouped_lines: set[int] = set()
    for start in range(len(lines)):
        if start in grouped_lines:
            continue
        group, stack = [start], [start]
        grouped_lines.add(start)
        while stack:
            for cell in cells[stack.pop()]:
                for neighbour in grid.list_neighbours(cell):
                    if neighbour not in unvisited_cells:
                        continue
                    unvisited_cells.discard(neighbour)
                    new_lines = [
                        index for index in lines_by_cell[neighbour] if index not in grouped_lines
                    ]
                    grouped_lines.update(new_lines)
                    group += new_lines
                    stack += new_lines
        groups.append(sorted(group))
    return groups


def sample_line(line: Sequence[MicroPoint]) -> list[MicroPoint]:
    """Sample points along a line, close enough to find the line."""
    points = [line[0]]
    for end in line[1:]:
        points += _interpolate_line(points[-1], end)
    return points[:MAX_POINTS]


def _interpolate_line(start: MicroPoint, end: MicroPoint) -> Iterator[MicroPoint]:
    metres = geo.metres(*(value / grid.MICRO for value in (*start, *end)))
    if metres < STEP_METRES / 2:
        return
    count = min(math.ceil(metres / STEP_METRES), MAX_POINTS)
    for number in range(1, count + 1):
        yield (
            start[0] + (end[0] - start[0]) * number // count,
            start[1] + (end[1] - start[1]) * number // count,
        )


def _find_middle(line: Sequence[MicroPoint]) -> MicroPoint:
    return line[len(line) // 2]


def _find_cluster_cell(point: MicroPoint) -> int:
    return grid.find_cell(*point, grid.CLUSTER_CELL)


def _compute_squared_distance(start: MicroPoint, end: MicroPoint) -> float:
    width = (start[0] - end[0]) * math.cos(math.radians(start[1] / grid.MICRO))
    return width * width + (start[1] - end[1]) ** 2
