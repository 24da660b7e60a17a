"""Whom else than us a page of the console loads anything from: nobody, but for maps by setting."""

from urllib.parse import urlsplit

from pannier.settings import Settings


def sources(settings: Settings) -> str:
    """Spell what maps add to a policy: the origin they are loaded from, if it is not ours."""
    outside = settings.map_style_url
    if outside is None and settings.map_pmtiles is None:
        outside = settings.map_tile_url
    if outside is None:
        return ""
    parts = urlsplit(outside)
    return f" {parts.scheme}://{parts.netloc}"
