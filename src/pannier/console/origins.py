"""Other origins that a page may load maps from. By default there are none."""

from urllib.parse import urlsplit

from pannier.console.tiles import find_city_streets
from pannier.settings import Settings


def format_map_source(settings: Settings) -> str:
    """Format the origin of the configured map for a content security policy."""
    map_url = settings.map_style_url
    if map_url is None and settings.map_tile_url is not None and not _has_streets(settings):
        map_url = settings.map_tile_url
    if map_url is None:
        return ""
    parts = urlsplit(map_url)
    return f" {parts.scheme}://{parts.netloc}"


def _has_streets(settings: Settings) -> bool:
    return settings.map_pmtiles is not None or find_city_streets(settings.folder) is not None
