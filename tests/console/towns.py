"""Small files of vector tiles."""

import gzip
from pathlib import Path
from typing import Any

from pmtiles.tile import Compression, TileType, zxy_to_tileid
from pmtiles.writer import Writer


def write(
    path: Path, place: tuple[int, int, int], tile: bytes, kind: TileType = TileType.MVT
) -> None:
    """Write a file that knows one tile, of a town with water and streets."""
    header: dict[str, Any] = {
        "tile_type": kind,
        "tile_compression": Compression.GZIP,
        "min_lon_e7": -1_800_000_000, "min_lat_e7": -850_000_000,
        "max_lon_e7": 1_800_000_000, "max_lat_e7": 850_000_000,
        "center_zoom": 0, "center_lon_e7": 0, "center_lat_e7": 0,
    }  # fmt: skip
    layers = [{"id": "water"}, {"id": "transportation"}]
    with path.open("wb") as file:
        writer = Writer(file)
        writer.write_tile(zxy_to_tileid(*place), gzip.compress(tile))
        writer.finalize(header, {"vector_layers": layers, "attribution": "© the town"})
