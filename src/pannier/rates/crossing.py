"""Split a route among zones by cutting it at their borders. Pure rules.

Between two stops the route counts as a straight line in degrees, as in GeoJSON. Its pieces are
measured along great circles, and then scaled so that together they have the route's measured
length, to the metre.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, Final, NamedTuple, TypeAlias
from uuid import UUID

from pannier.kit import geo
from pannier.kit.geo import Point
from pannier.kit.lazy_modules import numpy as np
from pannier.kit.lazy_modules import shapely
from pannier.rates.models import ZoneFee

# Prepared shapes of zones and areas, by UUID.
Borders: TypeAlias = Mapping[UUID, Any]

# Metres. Adjacent zones are rarely drawn to share their border to the centimetre.
_MIN_PIECE_METRES: Final = 1.0
_LINESTRING_TYPE: Final = 1
_ANTIMERIDIAN: Final = 180


class CuttingWork(NamedTuple):
    """The work of cutting a route: vertices of borders, counted once per leg, and crossings."""

    vertices: int
    crossings: int


class _Piece(NamedTuple):
    fee: ZoneFee | None
    metres: float


class _BorderFee(NamedTuple):
    fee: ZoneFee
    shape: Any


def apportion_distance(
    stops: Sequence[Point], distance: int, fees: Sequence[ZoneFee], borders: Borders
) -> list[tuple[ZoneFee, int]] | None:
    """Return the metres for each fee, in the order of the route.

    Return None if no fee applies to a piece of the route.
    """
    rules = _list_border_fees(fees, borders)
    default_fee = max((fee for fee in fees if _is_everywhere(fee)), key=_get_priority, default=None)
    all_pieces = (
        piece for leg in _split_legs(stops) for piece in _cut_leg(leg, rules, default_fee)
    )
    # Stops can be too close together to measure.
    pieces = [piece for piece in all_pieces if piece.metres]
    pieces = pieces or [_Piece(_find_fee(stops[0], rules) or default_fee, _MIN_PIECE_METRES)]
    if any(piece.fee is None and piece.metres >= _MIN_PIECE_METRES for piece in pieces):
        return None
    return _scale_pieces(pieces, distance) or None


def measure_work(
    stops: Sequence[Point], fees: Sequence[ZoneFee], borders: Borders, limit: CuttingWork
) -> CuttingWork:
    """Measure the work of cutting a route at the borders of fees.

    Counting stops at the limit, because counting takes time too.
    """
    shapes = np.array([rule.shape for rule in _list_border_fees(fees, borders)], dtype=object)
    vertices = crossings = 0
    for leg in _split_legs(stops):
        for shape in shapes[shapely.intersects(shapes, _to_line(leg))]:
            corners = shapely.get_coordinates(shape)
            vertices += len(corners)
            crossings += _count_crossings(leg, corners)
            if vertices > limit.vertices or crossings > limit.crossings:
                return CuttingWork(vertices, crossings)
    return CuttingWork(vertices, crossings)


def _count_crossings(leg: tuple[Point, Point], corners: Any) -> int:  # noqa: ANN401 - an array
    """Count the edges of a border that meet a leg. All rings count as one, which adds few edges.

    An edge meets the leg if each of the two has its ends on different sides of the other.
    """
    start, end = (np.array([point.longitude, point.latitude]) for point in leg)
    sides = np.sign(_compute_cross_products(end - start, corners - start))
    edges, edge_starts = np.diff(corners, axis=0), corners[:-1]
    has_ends_apart = np.sign(_compute_cross_products(edges, start - edge_starts)) != np.sign(
        _compute_cross_products(edges, end - edge_starts)
    )
    return int(np.count_nonzero((sides[1:] != sides[:-1]) & has_ends_apart))


def _compute_cross_products(line: Any, vector: Any) -> Any:  # noqa: ANN401 - arrays
    """Return cross products. Their signs are the sides of `line` on which the vectors lie."""
    return line[..., 0] * vector[..., 1] - line[..., 1] * vector[..., 0]


def _scale_pieces(pieces: Sequence[_Piece], distance: int) -> list[tuple[ZoneFee, int]]:
    """Scale pieces to a distance. Rounding their ends, not their lengths, keeps the sum exact."""
    charged_pieces = [(piece.fee, piece.metres) for piece in pieces if piece.fee is not None]
    end_metres = list(accumulate(length for _, length in charged_pieces))
    ends = [round(distance * (end / end_metres[-1])) for end in end_metres]
    shares: dict[ZoneFee, int] = {}
    for (fee, _), (start, end) in zip(charged_pieces, pairwise([0, *ends]), strict=True):
        shares[fee] = shares.get(fee, 0) + end - start
    used_shares = [(fee, length) for fee, length in shares.items() if length]
    return used_shares or list(shares.items())[:1]


def _get_priority(fee: ZoneFee) -> int:
    return fee.priority


def _is_everywhere(fee: ZoneFee) -> bool:
    return fee.zone is None and fee.service_area is None


def _list_border_fees(fees: Sequence[ZoneFee], borders: Borders) -> list[_BorderFee]:
    """List the fees with a border by priority, without borders that have no shape."""
    sorted_fees = sorted(fees, key=_get_priority, reverse=True)
    border_uuids = [(fee, fee.zone or fee.service_area) for fee in sorted_fees]
    return [
        _BorderFee(fee, borders[uuid])
        for fee, uuid in border_uuids
        if uuid is not None and uuid in borders
    ]


def _find_fee(point: Point, rules: Sequence[_BorderFee]) -> ZoneFee | None:
    location = shapely.points(point.longitude, point.latitude)
    return next((rule.fee for rule in rules if rule.shape.covers(location)), None)


def _split_legs(stops: Sequence[Point]) -> Iterator[tuple[Point, Point]]:
    """Yield the legs between distinct stops."""
    for pair in pairwise(stops):
        yield from (leg for leg in _split_at_antimeridian(*pair) if leg[0] != leg[1])


def _split_at_antimeridian(start: Point, end: Point) -> Iterator[tuple[Point, Point]]:
    """Split a leg at the 180th meridian if crossing it is shorter."""
    if abs(end.longitude - start.longitude) <= _ANTIMERIDIAN:
        yield start, end
        return
    side = _ANTIMERIDIAN if start.longitude > 0 else -_ANTIMERIDIAN
    start_distance, end_distance = abs(side - start.longitude), abs(side + end.longitude)
    total_distance = start_distance + end_distance
    share = start_distance / total_distance if total_distance else 0
    latitude = _interpolate_number(start.latitude, end.latitude, share)
    yield start, Point(side, latitude)
    yield Point(-side, latitude), end


def _cut_leg(
    leg: tuple[Point, Point], rules: Sequence[_BorderFee], default_fee: ZoneFee | None
) -> Iterator[_Piece]:
    """Cut a leg where it enters or leaves a border, and assign each piece its fee."""
    changes = sorted(_find_border_changes(leg, [rule.shape for rule in rules]))
    entered_borders: set[int] = set()
    position = 0.0
    for share, number, is_entry in [*changes, (1.0, -1, False)]:
        if share > position:
            fee = rules[min(entered_borders)].fee if entered_borders else default_fee
            yield _Piece(fee, geo.distance(_find_point(leg, position), _find_point(leg, share)))
            position = share
        if is_entry:
            entered_borders.add(number)
        else:
            entered_borders.discard(number)


def _find_border_changes(
    leg: tuple[Point, Point], shapes: Sequence[Any]
) -> Iterator[tuple[float, int, bool]]:
    """Yield the positions on a leg where it enters and leaves shapes, with each shape's number."""
    line = _to_line(leg)
    for number in np.flatnonzero(shapely.intersects(shapes, line)).tolist():
        for part in shapely.get_parts(shapely.intersection(line, shapes[number])):
            if shapely.get_type_id(part) == _LINESTRING_TYPE:
                shares = [
                    _to_share(leg, *corner) for corner in shapely.get_coordinates(part).tolist()
                ]
                yield min(shares), number, True
                yield max(shares), number, False


def _to_line(leg: tuple[Point, Point]) -> Any:  # noqa: ANN401 - a shape
    return shapely.linestrings([[point.longitude, point.latitude] for point in leg])


def _to_share(leg: tuple[Point, Point], longitude: float, latitude: float) -> float:
    """Return a point's position on a leg, from 0 to 1, along the leg's longer axis."""
    start, end = leg
    width, height = end.longitude - start.longitude, end.latitude - start.latitude
    if abs(width) >= abs(height):
        return (longitude - start.longitude) / width
    return (latitude - start.latitude) / height


def _find_point(leg: tuple[Point, Point], share: float) -> Point:
    start, end = leg
    return Point(
        _interpolate_number(start.longitude, end.longitude, share),
        _interpolate_number(start.latitude, end.latitude, share),
    )


def _interpolate_number(start: float, end: float, share: float) -> float:
    """Interpolate between two numbers. Rounding never leaves their range."""
    return min(max(start + share * (end - start), min(start, end)), max(start, end))
