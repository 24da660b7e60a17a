"""Build street tiles from map features."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pannier.maps.programs import find_program
from pannier.maps.runner import run_program
from pannier.maps.street_rules import MAX_ZOOM, MIN_ZOOM

# From a larger tile, the densest features are left out.
MAX_TILE_BYTES: Final = 2_000_000
MAX_TILE_FEATURES: Final = 500_000
PROGRESS: Final = re.compile(r'"progress": ?([0-9.]+)')


def build_tiles(
    features: Path,
    target: Path,
    *,
    name: str,
    attribution: str,
    data: Path | None,
    advance: Callable[[float], None],
) -> None:
    """Build a PMTiles file from features, which are lines of GeoJSON."""

    def read_line(line: str) -> None:
        if match := PROGRESS.search(line):
            advance(float(match[1]) / 100)

    run_program(
        [
            find_program("tippecanoe", data), "-o", target, "--force",
            "-Z", str(MIN_ZOOM), "-z", str(MAX_ZOOM), "--name", name, "--attribution", attribution,
            "--read-parallel", "--drop-rate=1", "--drop-densest-as-needed",
            "--simplify-only-low-zooms", "--maximum-tile-bytes", str(MAX_TILE_BYTES),
            "--maximum-tile-features", str(MAX_TILE_FEATURES),
            "--temporary-directory", target.parent, "--json-progress", features,
        ],
        folder=target.parent,
        read_line=read_line,
    )  # fmt: skip
