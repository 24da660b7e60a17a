"""The OpenStreetMap extract of a city."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pannier.errors import SetupError
from pannier.maps.programs import import_osmium

# The first block of a PBF file: its length in four bytes, then its type.
MAGIC: Final = b"OSMHeader"
CHUNK_BYTES: Final = 1 << 20
Bounds = tuple[float, float, float, float]


class SourceError(SetupError):
    """An extract from which no city can be built."""


def check_source(path: Path) -> None:
    """Refuse a file that is not an OpenStreetMap extract."""
    try:
        with path.open("rb") as file:
            start = file.read(64)
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from None
    if MAGIC not in start:
        raise SourceError(
            f"{path} is not an OpenStreetMap extract in PBF format. Use a file that ends with "
            ".osm.pbf, such as one from a download service for OpenStreetMap."
        )


def compute_digest(path: Path, advance: Callable[[int], None]) -> str:
    """Compute the SHA-256 of a file. Call `advance` with the size of each chunk."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
            advance(len(chunk))
    return digest.hexdigest()


def read_bounds(path: Path, data: Path | None) -> Bounds:
    """Read west, south, east and north from the header, or compute them from the nodes."""
    osmium = import_osmium(data)
    with osmium.io.Reader(str(path), osmium.osm.osm_entity_bits.NOTHING) as reader:
        box = reader.header().box()
    if not box.valid():
        for node in osmium.FileProcessor(str(path), osmium.osm.NODE):
            if node.location.valid():
                box.extend(node.location)
    if not box.valid():
        raise SourceError(f"{path} has no points. Use another extract.")
    low, high = box.bottom_left, box.top_right
    return low.lon, low.lat, high.lon, high.lat


def read_share(path: Path) -> float:
    """Return the share of an open file that this process has read, or 0 if it is unknown."""
    try:
        size, resolved_path = path.stat().st_size, str(path.resolve())
        for entry in Path("/proc/self/fd").iterdir():
            if _read_link(entry) == resolved_path:
                info = Path("/proc/self/fdinfo", entry.name).read_text()
                return min(int(info.split()[1]) / max(size, 1), 1.0)
    except OSError:
        pass
    return 0.0


def _read_link(entry: Path) -> str:
    try:
        return str(entry.readlink())
    except OSError:  # the file was closed
        return ""
