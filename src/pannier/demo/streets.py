"""Main roads of the demo city, approximately, so that vans follow roads. Without I/O."""

import heapq
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from pannier.kit import geo
from pannier.kit.geo import Point

CROSSINGS: Final[Mapping[str, Point]] = {
    name: Point(longitude, latitude)
    for name, longitude, latitude in (
        ("raffles", 103.8515, 1.2840), ("marina", 103.8620, 1.2820),
        ("tanjong_pagar", 103.8430, 1.2745), ("harbourfront", 103.8210, 1.2655),
        ("pasir_panjang", 103.7910, 1.2760), ("buona_vista", 103.7900, 1.3070),
        ("clementi", 103.7650, 1.3150), ("jurong_east", 103.7430, 1.3330),
        ("boon_lay", 103.7060, 1.3390), ("tuas", 103.6500, 1.3200),
        ("bukit_batok", 103.7500, 1.3490), ("choa_chu_kang", 103.7440, 1.3850),
        ("bukit_panjang", 103.7720, 1.3780), ("kranji", 103.7620, 1.4250),
        ("woodlands", 103.7860, 1.4360), ("mandai", 103.7884, 1.4043),
        ("yishun", 103.8350, 1.4295), ("sembawang", 103.8200, 1.4490),
        ("seletar", 103.8620, 1.4020), ("ang_mo_kio", 103.8480, 1.3700),
        ("bishan", 103.8480, 1.3510), ("toa_payoh", 103.8470, 1.3330),
        ("newton", 103.8380, 1.3130), ("orchard", 103.8320, 1.3040),
        ("botanic", 103.8159, 1.3138), ("holland", 103.7960, 1.3115),
        ("adam", 103.8140, 1.3280), ("dairy_farm", 103.7760, 1.3560),
        ("tiong_bahru", 103.8300, 1.2860), ("bugis", 103.8560, 1.3005),
        ("kallang", 103.8710, 1.3110), ("paya_lebar", 103.8920, 1.3180),
        ("serangoon", 103.8730, 1.3500), ("hougang", 103.8920, 1.3710),
        ("sengkang", 103.8950, 1.3910), ("punggol", 103.9020, 1.4050),
        ("pasir_ris", 103.9490, 1.3730), ("tampines", 103.9450, 1.3540),
        ("bedok", 103.9300, 1.3240), ("marine_parade", 103.9060, 1.3020),
        ("east_coast", 103.9350, 1.3080), ("expo", 103.9610, 1.3350),
        ("changi", 103.9850, 1.3540),
    )
}  # fmt: skip
_ROADS: Final = (
    "raffles marina", "raffles tanjong_pagar", "raffles bugis", "raffles tiong_bahru",
    "tanjong_pagar harbourfront", "tanjong_pagar tiong_bahru", "harbourfront pasir_panjang",
    "harbourfront tiong_bahru", "pasir_panjang buona_vista", "pasir_panjang clementi",
    "buona_vista clementi", "buona_vista holland", "clementi jurong_east",
    "jurong_east boon_lay", "jurong_east bukit_batok", "boon_lay tuas", "boon_lay choa_chu_kang",
    "bukit_batok choa_chu_kang", "bukit_batok dairy_farm", "choa_chu_kang bukit_panjang",
    "choa_chu_kang kranji", "bukit_panjang dairy_farm", "bukit_panjang mandai",
    "kranji woodlands", "woodlands mandai", "woodlands sembawang", "mandai yishun",
    "sembawang yishun", "yishun seletar", "seletar ang_mo_kio", "seletar sengkang",
    "ang_mo_kio bishan", "ang_mo_kio hougang", "bishan toa_payoh", "bishan serangoon",
    "toa_payoh newton", "toa_payoh adam", "toa_payoh kallang", "newton orchard", "newton bugis",
    "newton botanic", "orchard tiong_bahru", "orchard bugis", "botanic holland", "botanic adam",
    "adam dairy_farm", "bugis kallang", "marina marine_parade", "kallang paya_lebar",
    "kallang marine_parade", "paya_lebar serangoon", "paya_lebar bedok", "paya_lebar hougang",
    "serangoon hougang", "hougang sengkang", "sengkang punggol", "punggol pasir_ris",
    "hougang tampines", "pasir_ris tampines", "pasir_ris changi", "tampines expo",
    "tampines bedok", "bedok expo", "bedok east_coast", "marine_parade east_coast",
    "east_coast changi", "expo changi",
)  # fmt: skip

MAX_DIRECT_METRES: Final = 400.0  # metres

RoutePoints = Sequence[Point]


class RoutePosition(NamedTuple):
    """A position on a route, the direction of travel, and whether it is the route's end."""

    point: Point
    heading: float
    arrived: bool


def _build_neighbours() -> Mapping[str, Sequence[str]]:
    neighbours: dict[str, list[str]] = {name: [] for name in CROSSINGS}
    for road in _ROADS:
        start, end = road.split()
        neighbours[start].append(end)
        neighbours[end].append(start)
    return neighbours


NEIGHBOURS: Final = _build_neighbours()


def nearest_crossing(point: Point) -> str:
    """Return the name of the crossing nearest to a point."""
    return min(CROSSINGS, key=lambda name: geo.distance(point, CROSSINGS[name]))


def find_route(start: Point, end: Point) -> RoutePoints:
    """Find the shortest route along the roads; a straight line for short distances."""
    if geo.distance(start, end) < MAX_DIRECT_METRES:
        return [start, end]
    crossings = [
        CROSSINGS[name] for name in _find_shortest(nearest_crossing(start), nearest_crossing(end))
    ]
    return [start, *crossings, end]


def _find_shortest(start: str, end: str) -> list[str]:
    queue: list[tuple[float, list[str]]] = [(0.0, [start])]
    visited: set[str] = set()
    while queue:
        metres, path = heapq.heappop(queue)
        crossing = path[-1]
        if crossing == end:
            return path
        if crossing in visited:
            continue
        visited.add(crossing)
        for name in NEIGHBOURS[crossing]:
            total_metres = metres + geo.distance(CROSSINGS[crossing], CROSSINGS[name])
            heapq.heappush(queue, (total_metres, [*path, name]))
    return [start, end]


def route_length(route: RoutePoints) -> float:
    """Return a route's length in metres."""
    return sum(geo.distance(start, end) for start, end in pairwise(route))


def locate(route: RoutePoints, metres: float) -> RoutePosition:
    """Return the position after a distance; at most the route's end."""
    remaining, heading = metres, 0.0
    for start, end in pairwise(route):
        stretch = geo.distance(start, end)
        if stretch:
            heading = geo.bearing(start, end)
        if remaining < stretch:
            return RoutePosition(
                _interpolate(start, end, remaining / stretch), heading, arrived=False
            )
        remaining -= stretch
    return RoutePosition(route[-1], heading, arrived=True)


def _interpolate(start: Point, end: Point, share: float) -> Point:
    return Point(
        round(start.longitude + (end.longitude - start.longitude) * share, 6),
        round(start.latitude + (end.latitude - start.latitude) * share, 6),
    )
