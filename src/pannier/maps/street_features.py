"""Stream the map features of an extract into lines of GeoJSON.

Only node locations are kept in memory. For a large extract, they are kept in a file.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from pannier.maps import street_rules as rules
from pannier.maps.coast import Coast, Grid
from pannier.maps.programs import import_osmium
from pannier.maps.source import Bounds, read_share
from pannier.maps.street_rules import MapFeature

# For an extract of at least this size, node locations are kept in a file.
LARGE_BYTES: Final = 400_000_000
OBJECTS_BETWEEN_REPORTS: Final = 5000
COASTLINE: Final = "coastline"
Position = tuple[float, float]
Line = list[Position]
Advance = Callable[[float], None]


def write_features(
    source: Path, target: Path, bounds: Bounds, data: Path | None, advance: Advance
) -> dict[str, int]:
    """Write the features of an extract, and return the number in each layer."""
    reader = _Reader(source, target.parent, bounds, data)
    with target.open("wb", buffering=1 << 20) as file:
        writer = FeatureWriter(file)
        for count, _ in enumerate(reader.write_features(writer)):
            if count % OBJECTS_BETWEEN_REPORTS == 0:
                advance(read_share(source))
    return dict(writer.counts)


class FeatureWriter:
    """Writes features as lines, and counts them by layer."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self.counts = file, Counter[str]()

    def write(self, feature: MapFeature, geometry: bytes) -> None:
        """Write a feature with its geometry in GeoJSON."""
        zooms = {"layer": feature.layer, "minzoom": feature.min_zoom}
        self._file.write(
            b'{"type":"Feature","tippecanoe":%b,"properties":%b,"geometry":%b}\n'
            % (msgspec.json.encode(zooms), msgspec.json.encode(feature.properties), geometry)
        )
        self.counts[feature.layer] += 1


class _Reader:
    """Reads the objects of an extract."""

    def __init__(self, source: Path, folder: Path, bounds: Bounds, data: Path | None) -> None:
        self._osmium = import_osmium(data)
        self._source, self._folder = source, folder
        self._grid, self._coast = Grid(bounds), Coast()
        factory = self._osmium.geom.GeoJSONFactory()
        self._to_line: Callable[[Any], str] = factory.create_linestring
        self._to_polygon: Callable[[Any], str] = factory.create_multipolygon
        self._geometry_errors = (RuntimeError, self._osmium.InvalidLocationError)

    def write_features(self, writer: FeatureWriter) -> Iterator[None]:
        """Write all features, and yield before each object. Land and sea come last."""
        for item in self._read_objects():
            yield
            if item.is_node():
                self._write_node(writer, item)
            elif item.is_way():
                self._write_way(writer, item)
            elif item.is_area():
                self._write_area(writer, item)
        for feature, geometry in self._coast.list_features(self._grid):
            writer.write(feature, geometry)

    def _read_objects(self) -> Iterator[Any]:
        """Read the tagged nodes, ways and areas that can be features."""
        osmium = self._osmium
        areas = osmium.filter.KeyFilter(*rules.AREA_KEYS)
        points = osmium.filter.KeyFilter(*rules.POINT_KEYS).enable_for(osmium.osm.NODE)
        return iter(
            osmium.FileProcessor(str(self._source))
            .with_locations(self._choose_location_store())
            .with_areas(areas)
            .with_filter(osmium.filter.KeyFilter(*rules.TAG_KEYS))
            .with_filter(points)
        )

    def _choose_location_store(self) -> str:
        if self._source.stat().st_size < LARGE_BYTES:
            return "flex_mem"
        return f"sparse_file_array,{self._folder / 'locations'}"

    def _write_node(self, writer: FeatureWriter, node: Any) -> None:  # noqa: ANN401 - of osmium
        for feature in rules.list_point_features(node.tags):
            writer.write(feature, _to_point(node.location.lon, node.location.lat))

    def _write_way(self, writer: FeatureWriter, way: Any) -> None:  # noqa: ANN401 - of osmium
        if way.tags.get("natural") == COASTLINE:
            for line in _split_at_gaps(way):
                self._coast.add(line)
            return
        features = list(rules.list_line_features(way.tags))
        if not features:
            return
        lines = self._read_lines(way)
        if features[0].layer == "transportation":
            self._mark_land(way)
        for feature in features:
            for geometry in lines:
                writer.write(feature, geometry)

    def _mark_land(self, way: Any) -> None:  # noqa: ANN401 - of osmium
        start = way.nodes[0].location
        if start.valid():
            self._grid.mark_land(start.lon, start.lat)

    def _read_lines(self, way: Any) -> list[bytes]:  # noqa: ANN401 - of osmium
        """Read the lines of a way, which is split at gaps at the edge of an extract."""
        try:
            return [self._to_line(way).encode()]
        except self._geometry_errors:
            return [
                msgspec.json.encode({"type": "LineString", "coordinates": line})
                for line in _split_at_gaps(way)
            ]

    def _write_area(self, writer: FeatureWriter, area: Any) -> None:  # noqa: ANN401 - of osmium
        features = list(rules.list_area_features(area.tags))
        if not features:
            return
        try:
            geometry = self._to_polygon(area).encode()
        except self._geometry_errors:
            return
        for feature in features:
            writer.write(feature, geometry)
        if features[0].layer == "building":
            for feature in rules.list_house_numbers(area.tags):
                writer.write(feature, _find_center(area))


def _to_point(longitude: float, latitude: float) -> bytes:
    return msgspec.json.encode({"type": "Point", "coordinates": (longitude, latitude)})


def _find_center(area: Any) -> bytes:  # noqa: ANN401 - of osmium
    """Return the mean of a building's corners as GeoJSON."""
    corners = [(node.lon, node.lat) for node in next(iter(area.outer_rings()))][1:]
    return _to_point(
        *(round(sum(values) / len(corners), 7) for values in zip(*corners, strict=True))
    )


def _split_at_gaps(way: Any) -> Iterator[Line]:  # noqa: ANN401 - of osmium
    """Yield the parts of a way whose nodes are in the extract."""
    line: Line = []
    for node in way.nodes:
        if node.location.valid():
            line.append((node.lon, node.lat))
        else:
            if len(line) > 1:
                yield line
            line = []
    if len(line) > 1:
        yield line
