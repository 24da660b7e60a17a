"""Vector tiles from a PMTiles file: the configured file, or the file of the city in use."""

import gzip
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Final

import structlog

from pannier.maps.folder import CityFolder, MapFolder
from pannier.settings import Settings, SettingsError

logger: Final = structlog.get_logger()
# Tiles of a dense city are up to half a megabyte large, and anonymous requests fill the cache.
MAX_CACHED_TILES: Final = 256


class TileArchive:
    """A PMTiles file with vector tiles, mapped into memory."""

    def __init__(self, path: Path) -> None:
        # Imported only if a file is configured.
        reader_module, tile_module = import_module("pmtiles.reader"), import_module("pmtiles.tile")
        with path.open("rb") as file:
            self._reader = reader_module.Reader(reader_module.MmapSource(file))
        header, metadata = self._reader.header(), self._reader.metadata()
        if header["tile_type"] is not tile_module.TileType.MVT:
            raise ValueError("it contains raster tiles")
        self._is_compressed = header["tile_compression"] is tile_module.Compression.GZIP
        self.zoom_range = header["min_zoom"], header["max_zoom"]
        corners = ("min_lon_e7", "min_lat_e7", "max_lon_e7", "max_lat_e7")
        # West, south, east and north of the area with tiles.
        self.bounds = [header[corner] / 1e7 for corner in corners]
        self.layers = frozenset(layer["id"] for layer in metadata.get("vector_layers", []))
        self.attribution = str(metadata.get("attribution") or "")
        # Each archive has its own cache. A shared cache would keep files that are no longer in use.
        self.tile = lru_cache(maxsize=MAX_CACHED_TILES)(self._read_tile)

    def _read_tile(self, z: int, x: int, y: int) -> bytes | None:
        """Return a tile compressed with gzip, or None."""
        content: bytes | None = self._reader.get(z, x, y)
        if content is None or self._is_compressed:
            return content
        return gzip.compress(content, 5, mtime=0)


@lru_cache(maxsize=1)
def open_archive(path: str) -> TileArchive:
    """Open the configured file. The result is cached."""
    try:
        return TileArchive(Path(path))
    except Exception as error:  # noqa: BLE001 - a damaged file can fail in any way
        raise SettingsError(
            f"PANNIER_MAP_PMTILES={path} cannot be used: {str(error) or 'it is damaged'}. Use a "
            "PMTiles file with vector tiles, or unset the variable."
        ) from None


def find_streets(settings: Settings) -> TileArchive | None:
    """Return the configured tile file, or else the tile file of the city in use."""
    if settings.map_pmtiles is not None:
        return open_archive(settings.map_pmtiles)
    return find_city_streets(settings.folder)


def find_city_streets(data: Path) -> TileArchive | None:
    """Return the tile file of the city in use. Follow a new choice or build immediately."""
    maps = MapFolder(data)
    try:
        city = _find_city(data, maps.current.stat().st_mtime_ns)
        if city is None:
            return None
        return _open_city(city.streets, city.streets.stat().st_mtime_ns)
    except OSError:
        return None


@lru_cache(maxsize=1)
def _find_city(data: Path, _changed_at: int) -> CityFolder | None:
    return MapFolder(data).find_current_city()


@lru_cache(maxsize=1)
def _open_city(streets: Path, _changed_at: int) -> TileArchive | None:
    """Open a city's tiles. Log damaged tiles once, and fall back to the world map."""
    try:
        return TileArchive(streets)
    except Exception as error:  # noqa: BLE001 - a damaged file can fail in any way
        logger.warning(
            "Street tiles cannot be used. Build the city again.",
            file=str(streets),
            error=str(error) or "damaged",
        )
        return None


def check_tile_file(settings: Settings) -> None:
    """Check at startup that the configured tile file is usable."""
    if settings.map_pmtiles is not None and settings.map_style_url is None:
        open_archive(settings.map_pmtiles)
