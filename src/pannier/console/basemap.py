"""The base map: the bundled world map, or the configured street map.

The first available source is used: a style's URL, a configured file of vector tiles (PMTiles), the
streets of the city in use, or a URL of raster tiles. Without any, countries and cities come from
our own files, so that maps work without internet access.
"""

import asyncio
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from litestar import Response

from pannier.console import assets, overlay
from pannier.console.overlay import Layer, Theme
from pannier.console.street_style import (
    PALETTES,
    PLACE_NAMES_FROM,
    Palette,
    list_street_layers,
    make_name_layer,
    make_text_layout,
)
from pannier.console.tiles import find_streets
from pannier.errors import NotFound
from pannier.settings import Settings
from pannier.web.routes import get

WORLD_ATTRIBUTION: Final = "Natural Earth, GeoNames"
TILE_PATH: Final = re.compile(r"([0-9]{1,2})/([0-9]{1,8})/([0-9]{1,8})\.mvt")
TILES_URL: Final = "/console/tiles/{z}/{x}/{y}.mvt"
# For pages without a session. Streets are public.
PUBLIC_TILES_URL: Final = "/t/-/tiles/{z}/{x}/{y}.mvt"
COARSE_ATLAS: Final = "vendor/countries-50m.json"
# The finest outlines of Natural Earth: 3.7 MB, or 0.9 MB compressed.
FINE_ATLAS: Final = "vendor/countries-10m.json"
MAX_ZOOM: Final = 22


class Basemap(msgspec.Struct):
    """A map's style or its URL, the layers on top, and the files of the world map."""

    style: Any
    layers: list[Layer]
    atlas: str
    fine_atlas: str
    cities: str


def has_streets(settings: Settings) -> bool:
    """Return whether maps show streets."""
    is_remote = bool(settings.map_style_url or settings.map_tile_url)
    return is_remote or find_streets(settings) is not None


def build_basemap(settings: Settings, theme: Theme, tiles: str = TILES_URL) -> Basemap:
    style: Any = settings.map_style_url or build_style(settings, theme, tiles)
    return Basemap(
        style,
        list(overlay.list_layers(theme)),
        assets.url(COARSE_ATLAS),
        assets.url(FINE_ATLAS),
        assets.url("vendor/cities.json"),
    )


def build_style(settings: Settings, theme: Theme, tiles: str = TILES_URL) -> Layer:
    """Build the MapLibre style of the bundled or configured map."""
    palette = PALETTES[theme]
    no_features = {"type": "FeatureCollection", "features": []}
    countries_source: Layer = {
        "type": "geojson",
        "data": no_features,
        "attribution": WORLD_ATTRIBUTION,
    }
    style_sources = {
        "pannier-countries": countries_source,
        "pannier-cities": {"type": "geojson", "data": no_features},
    }
    street_layers: list[Layer] = []
    archive = find_streets(settings)
    if archive is not None:
        attribution = archive.attribution or settings.map_attribution
        style_sources["streets"] = {
            "type": "vector", "tiles": [tiles], "minzoom": archive.zoom_range[0],
            "maxzoom": archive.zoom_range[1], "bounds": archive.bounds, "attribution": attribution,
        }  # fmt: skip
        street_layers = list(list_street_layers(palette, archive.layers))
    elif settings.map_tile_url is not None:
        style_sources["pictures"] = {
            "type": "raster", "tiles": [settings.map_tile_url], "tileSize": 256,
            "attribution": settings.map_attribution,
        }  # fmt: skip
        street_layers = [
            {
                "id": "pictures",
                "type": "raster",
                "source": "pictures",
                "paint": palette.raster_paint,
            }
        ]
    city_names = _make_city_layer(palette, PLACE_NAMES_FROM if street_layers else MAX_ZOOM)
    layers = [
        *_list_world_layers(palette),
        *(
            [city_names, *street_layers]
            if "pictures" in style_sources
            else [*street_layers, city_names]
        ),
    ]
    return {"version": 8, "sources": style_sources, "layers": layers}


def _list_world_layers(palette: Palette) -> Iterator[Layer]:
    yield {"id": "water", "type": "background", "paint": {"background-color": palette.water}}
    yield {
        "id": "land", "type": "fill", "source": "pannier-countries",
        "paint": {"fill-color": palette.land},
    }  # fmt: skip
    yield {
        "id": "borders", "type": "line", "source": "pannier-countries",
        "paint": {"line-color": palette.border, "line-width": 0.8},
    }  # fmt: skip


def _make_city_layer(palette: Palette, max_zoom: int) -> Layer:
    """Build the layer of city names. Closer zoom levels show smaller cities."""
    size = ["get", "size"]
    return make_name_layer(palette, "pannier-cities", ["get", "name"], 11) | {
        "maxzoom": max_zoom,
        "filter": [">", size, ["step", ["zoom"], 4e6, 3, 2e6, 4, 8e5, 5, 3e5, 6, 0]],
        "layout": make_text_layout(["get", "name"], 11) | {"symbol-sort-key": ["-", 0, size]},
    }


@get("/basemap/{theme:str}")
async def show_basemap(theme: str, settings: Settings) -> Basemap:
    """Return the base map in the light or the dark theme."""
    return build_basemap(settings, parse_theme(theme))


def parse_theme(name: str) -> Theme:
    theme = next((palette for palette in PALETTES if palette == name), None)
    if theme is None:
        raise NotFound("This base map theme does not exist. Use light or dark.")
    return theme


@get("/tiles/{z:str}/{x:str}/{name:str}")
async def get_tile(z: str, x: str, name: str, settings: Settings) -> Response[bytes]:
    """Return a vector tile of the street map."""
    return await load_tile(settings, z, x, name)


async def load_tile(settings: Settings, z: str, x: str, name: str) -> Response[bytes]:
    """Return a vector tile of the street map. A tile without data is an empty response."""
    match = TILE_PATH.fullmatch(f"{z}/{x}/{name}")
    archive = find_streets(settings)
    if archive is None or match is None:
        raise NotFound("Tile not found.")
    zoom, column, row = map(int, match.groups())
    in_range = zoom <= MAX_ZOOM and max(column, row) < 2**zoom
    tile_data = await asyncio.to_thread(archive.tile, zoom, column, row) if in_range else None
    headers = {"Cache-Control": "private, max-age=3600"}
    if tile_data is None:
        return Response(b"", status_code=204, headers=headers)
    headers["Content-Encoding"] = "gzip"
    return Response(tile_data, media_type="application/vnd.mapbox-vector-tile", headers=headers)


handlers: Final = (show_basemap, get_tile)
