"""Small files of vector tiles."""

import gzip
from pathlib import Path
from typing import Any, Final

from pmtiles.tile import Compression, TileType, zxy_to_tileid
from pmtiles.writer import Writer

CORNERS: Final = ("min_lon_e7", "min_lat_e7", "max_lon_e7", "max_lat_e7")


WORLD: Final = (-180.0, -85.0, 180.0, 85.0)


def write(
    path: Path,
    place: tuple[int, int, int],
    tile: bytes,
    kind: TileType = TileType.MVT,
    bounds: tuple[float, float, float, float] = WORLD,
) -> None:
    """Write a file that knows one tile, of a town with water and streets."""
    header: dict[str, Any] = {
        "tile_type": kind,
        "tile_compression": Compression.GZIP,
        **dict(zip(CORNERS, (round(degrees * 1e7) for degrees in bounds), strict=True)),
        "center_zoom": 0, "center_lon_e7": 0, "center_lat_e7": 0,
    }  # fmt: skip
    layers = [{"id": "water"}, {"id": "transportation"}]
    with path.open("wb") as file:
        writer = Writer(file)
        writer.write_tile(zxy_to_tileid(*place), gzip.compress(tile))
        writer.finalize(header, {"vector_layers": layers, "attribution": "© the town"})
