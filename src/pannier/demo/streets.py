"""Street corners of central Helsinki, for demos without a routing engine. Without I/O."""

import heapq
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from pannier.kit import geo
from pannier.kit.geo import Point
from pannier.robots.travel import RoutePoints

# Real corners, such as that of Hakaniemenranta and Siltasaarenkatu.
CORNERS: Final[Mapping[str, Point]] = {
    name: Point(longitude, latitude)
    for name, longitude, latitude in (
        ("hakaniemi", 24.95032, 60.17825), ("pitkänsillanranta", 24.94689, 60.17748),
        ("pitkäsilta", 24.95015, 60.17662), ("siltavuori", 24.95014, 60.17581),
        ("liisankatu", 24.95037, 60.17402), ("kaisaniemenkatu", 24.94886, 60.17312),
        ("kaisaniemi", 24.94745, 60.17209), ("vilhonkatu", 24.94506, 60.17202),
        ("rautatientori", 24.94517, 60.17064), ("kaivokatu", 24.94278, 60.17035),
        ("asema-aukio", 24.93990, 60.17037), ("elielinaukio", 24.93894, 60.17224),
        ("töölönlahti", 24.93841, 60.17456), ("postikatu", 24.93704, 60.17087),
        ("lasipalatsi", 24.93838, 60.16988), ("simonkatu", 24.93611, 60.16902),
        ("kolme seppää", 24.94084, 60.16848), ("ruotsalainen teatteri", 24.94182, 60.16751),
        ("erottaja", 24.94358, 60.16664), ("uudenmaankatu", 24.94376, 60.16551),
        ("yrjönkatu", 24.94168, 60.16595), ("bulevardi", 24.93934, 60.16513),
        ("fredrikinkatu", 24.93702, 60.16432), ("punavuori", 24.94043, 60.16435),
        ("lönnrotinkatu", 24.94025, 60.16697), ("vanha kirkko", 24.93791, 60.16616),
        ("annankatu", 24.93684, 60.16692), ("kalevankatu", 24.93921, 60.16773),
        ("kamppi", 24.93756, 60.16798), ("keskuskatu", 24.94290, 60.16883),
        ("mikonkatu", 24.94555, 60.16890), ("kluuvi", 24.94743, 60.16894),
        ("fabianinkatu", 24.94933, 60.16899), ("senaatintori", 24.95102, 60.16903),
        ("ateneum", 24.94540, 60.16981), ("vuorikatu", 24.94764, 60.16984),
        ("yliopisto", 24.94924, 60.16988), ("hallituskatu", 24.95087, 60.16992),
        ("rauhankatu", 24.95071, 60.17148), ("unioninkatu", 24.95052, 60.17313),
        ("esplanadi", 24.94567, 60.16772), ("kluuvikatu", 24.94757, 60.16777),
        ("kauppatori", 24.95107, 60.16779), ("sofiankatu", 24.95218, 60.16791),
        ("eteläesplanadi", 24.95113, 60.16726), ("kasarmikatu", 24.94763, 60.16717),
        ("korkeavuorenkatu", 24.94576, 60.16711), ("ludviginkatu", 24.94589, 60.16580),
        ("makasiinit", 24.94782, 60.16559), ("kaartinkaupunki", 24.95132, 60.16570),
        ("eteläranta", 24.95247, 60.16573), ("kasarmitori", 24.94791, 60.16475),
        ("laivasillankatu", 24.95266, 60.16486), ("pieni roobertinkatu", 24.94794, 60.16425),
    )
}  # fmt: skip
# Corners along a street, which vehicles follow in both directions.
_STREETS: Final = (
    ("hakaniemi", "pitkäsilta", "siltavuori", "liisankatu", "unioninkatu", "rauhankatu",
     "hallituskatu", "senaatintori", "kauppatori", "eteläesplanadi", "kaartinkaupunki"),
    ("hakaniemi", "pitkänsillanranta", "pitkäsilta"),
    ("liisankatu", "kaisaniemenkatu", "kaisaniemi", "rautatientori", "kaivokatu", "asema-aukio",
     "lasipalatsi", "simonkatu"),
    ("kaisaniemi", "vilhonkatu", "rautatientori", "ateneum", "mikonkatu", "esplanadi",
     "korkeavuorenkatu", "ludviginkatu"),
    ("asema-aukio", "elielinaukio", "töölönlahti"),
    ("elielinaukio", "postikatu", "lasipalatsi", "kolme seppää", "ruotsalainen teatteri",
     "erottaja", "uudenmaankatu"),
    ("simonkatu", "kamppi", "kalevankatu", "lönnrotinkatu", "yrjönkatu", "uudenmaankatu"),
    ("kamppi", "annankatu", "vanha kirkko", "bulevardi", "punavuori", "uudenmaankatu"),
    ("annankatu", "kalevankatu", "kolme seppää"),
    ("erottaja", "yrjönkatu", "bulevardi", "fredrikinkatu", "vanha kirkko"),
    ("vanha kirkko", "lönnrotinkatu", "ruotsalainen teatteri", "esplanadi", "kluuvikatu",
     "kauppatori", "sofiankatu"),
    ("kolme seppää", "keskuskatu", "mikonkatu", "kluuvi", "fabianinkatu", "senaatintori"),
    ("kaivokatu", "keskuskatu"),
    ("ateneum", "vuorikatu", "yliopisto", "hallituskatu"),
    ("kaisaniemi", "vuorikatu", "kluuvi", "kluuvikatu", "kasarmikatu", "makasiinit", "kasarmitori",
     "pieni roobertinkatu"),
    ("yliopisto", "fabianinkatu"),
    ("erottaja", "korkeavuorenkatu", "kasarmikatu", "eteläesplanadi", "sofiankatu", "eteläranta",
     "laivasillankatu", "kasarmitori"),
    ("uudenmaankatu", "ludviginkatu", "makasiinit", "kaartinkaupunki", "eteläranta"),
)  # fmt: skip

MAX_DIRECT_METRES: Final = 120.0


def _build_neighbours() -> Mapping[str, Sequence[str]]:
    neighbours: dict[str, list[str]] = {name: [] for name in CORNERS}
    for street in _STREETS:
        for start, end in pairwise(street):
            neighbours[start].append(end)
            neighbours[end].append(start)
    return neighbours


NEIGHBOURS: Final = _build_neighbours()


def find_nearest_corner(point: Point) -> str:
    """Find the name of the corner nearest to a point."""
    return min(CORNERS, key=lambda name: geo.distance(point, CORNERS[name]))


def find_route(start: Point, end: Point) -> RoutePoints:
    """Find the shortest route along the streets. Short distances are straight lines."""
    if geo.distance(start, end) < MAX_DIRECT_METRES:
        return [start, end]
    corners = [
        CORNERS[name]
        for name in _find_shortest_path(find_nearest_corner(start), find_nearest_corner(end))
    ]
    return [start, *corners, end]


def _find_shortest_path(start: str, end: str) -> list[str]:
    queue: list[tuple[float, list[str]]] = [(0.0, [start])]
    visited_corners: set[str] = set()
    while queue:
        metres, path = heapq.heappop(queue)
        corner = path[-1]
        if corner == end:
            return path
        if corner in visited_corners:
            continue
        visited_corners.add(corner)
        for name in NEIGHBOURS[corner]:
            total_metres = metres + geo.distance(CORNERS[corner], CORNERS[name])
            heapq.heappush(queue, (total_metres, [*path, name]))
    return [start, end]
