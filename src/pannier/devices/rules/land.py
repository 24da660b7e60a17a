"""Land: the borders of a company's zones and service areas, and what of them is around fixes."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple

from pannier.devices.rules.fixes import Fix
from pannier.kit.geo import EARTH_RADIUS
from pannier.kit.later import numpy as np
from pannier.kit.later import shapely

METRES_PER_DEGREE: Final = math.pi * EARTH_RADIUS / 180
# Between two fixes further apart, or faster than anything drives, nobody knows the way.
LONGEST_GAP: Final = 600.0  # seconds
FASTEST: Final = 100.0  # metres a second
LEAST_CROSSING: Final = 20.0  # metres; whoever only cuts a corner by less was hardly there
HALF_TURN: Final = 180.0  # degrees


class Border:
    """A zone or a service area: what it goes by, what it wants to be told, and where it is."""

    def __init__(
        self,
        name: str,
        label: str,
        kind: Literal["zone", "service_area"],
        shape: Any,  # noqa: ANN401 - shapely has no types
        *,
        limit: float | None = None,
        on_entry: bool = True,
        on_exit: bool = True,
        dwell: float | None = None,
    ) -> None:
        self.name, self.label, self.kind, self.shape = name, label, kind, shape
        # km/h; and seconds after which staying is told.
        self.limit, self.dwell = limit, dwell
        self.on_entry, self.on_exit = on_entry, on_exit
        _, south, _, north = shape.bounds
        # Metres to the east and to the north of 0/0 as they are in the middle of it.
        narrowing = max(0.01, math.cos(math.radians((south + north) / 2)))
        self._scale = np.array([METRES_PER_DEGREE * narrowing, METRES_PER_DEGREE])
        self._edge = shapely.transform(shape.boundary, lambda points: points * self._scale)

    def metres(self, fix: Fix) -> float:
        """Tell how far a fix is from the border, on whichever side."""
        east, north = self._scale * (fix.longitude, fix.latitude)
        return float(shapely.distance(self._edge, shapely.Point(east, north)))

    def shares(self, start: Fix, end: Fix) -> tuple[float, float] | None:
        """Tell after which shares of a straight way it begins and ends to be inside, if at all."""
        way = shapely.LineString([(start.longitude, start.latitude), (end.longitude, end.latitude)])
        inside = shapely.get_coordinates(shapely.intersection(way, self.shape))
        if not len(inside) or not way.length:
            return None
        shares = shapely.line_locate_point(way, shapely.points(inside), normalized=True)
        return float(shares.min()), float(shares.max())


class Around(NamedTuple):
    """Which borders hold a fix, and which the way to it from the fix before went through."""

    holding: Sequence[Border] = ()
    crossed: Sequence[Border] = ()

    def limit(self) -> tuple[float, str] | None:
        """Tell the lowest speed that is allowed here, and by which zone."""
        limits = [(each.limit, each.name) for each in self.holding if each.limit is not None]
        return min(limits, default=None)


NOTHING: Final = Around()


class Land:
    """Borders laid out so that only those around a fix are looked at."""

    def __init__(self, borders: Iterable[Border]) -> None:
        kept = list(borders)
        self.borders: Mapping[str, Border] = {border.name: border for border in kept}
        shapes = [border.shape for border in kept]
        self._kept = kept
        self._tree: Any = None
        if kept:
            shapely.prepare(shapes)
            self._tree = shapely.STRtree(shapes)

    def around(self, before: Fix | None, fixes: Sequence[Fix]) -> list[Around]:
        """Look around all of many fixes at once; `before` is the last one before them."""
        if not self._kept or not fixes:
            return [NOTHING] * len(fixes)
        spots = [(fix.longitude, fix.latitude) for fix in fixes]
        holding = self._found(shapely.points(spots), "covered_by")
        crossed: list[list[Border]] = [[] for _ in fixes]
        row = [before or fixes[0], *fixes]
        known = [place for place, pair in enumerate(pairwise(row)) if _straight(*pair)]
        ways = [[(row[place].longitude, row[place].latitude), spots[place]] for place in known]
        if ways:
            for place, found in zip(
                known, self._found(shapely.linestrings(ways), "intersects"), strict=True
            ):
                crossed[place] = found
        return [Around(*each) for each in zip(holding, crossed, strict=True)]

    def _found(self, shapes: Any, predicate: str) -> list[list[Border]]:  # noqa: ANN401 - as above
        found: list[list[Border]] = [[] for _ in shapes]
        places, borders = self._tree.query(shapes, predicate=predicate)
        # In an order that does not depend on how many are asked for at once.
        for place, border in sorted(zip(places.tolist(), borders.tolist(), strict=True)):
            found[place].append(self._kept[border])
        return found


def _straight(start: Fix, end: Fix) -> bool:
    """Tell whether a device may be taken to have gone straight from one fix to the next."""
    seconds = end.seconds(start)
    if not 0 < seconds <= LONGEST_GAP or abs(end.longitude - start.longitude) > HALF_TURN:
        return False
    return LEAST_CROSSING <= start.metres(end) <= FASTEST * seconds
