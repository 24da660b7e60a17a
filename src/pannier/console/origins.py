"""Other origins that a page may load maps from. By default there are none."""

from urllib.parse import urlsplit

from pannier.settings import Settings


def sources(settings: Settings) -> str:
    """Return the origin of the configured map for a policy, or nothing."""
    outside = settings.map_style_url
    if outside is None and settings.map_pmtiles is None:
        outside = settings.map_tile_url
    if outside is None:
        return ""
    parts = urlsplit(outside)
    return f" {parts.scheme}://{parts.netloc}"
