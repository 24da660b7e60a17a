"""Routing, geocoding and maps."""

from typing import Annotated, Literal

from msgspec import Meta

from pannier.settings.payments import PaymentSettings
from pannier.settings.values import WebAddress


class MapSettings(PaymentSettings, frozen=True, kw_only=True):
    """Routing, geocoding and maps."""

    router: Annotated[
        Literal["auto", "embedded", "none", "osrm", "valhalla"],
        Meta(
            description="Routing engine: `embedded` runs with `pannier serve` on the city in use, "
            "`osrm` and `valhalla` are your own servers, and `none` is for great-circle distances "
            "with the company's detour factor and speed. `auto` is `embedded` while a city is in "
            "use, otherwise `none`."
        ),
    ] = "auto"
    router_url: Annotated[
        str | None,
        Meta(
            description="URL of your routing engine, such as `http://osrm.internal:5000`, or one "
            "for each profile: `car=http://a:5000 bicycle=http://b:5000`. Vans use the URL for "
            "cars unless they have a separate one."
        ),
    ] = None
    router_profile: Annotated[
        str | None,
        Meta(
            description="OSRM profile (default `driving`) or Valhalla costing (default `auto`).",
        ),
    ] = None
    router_seconds: Annotated[
        int,
        Meta(
            ge=1,
            le=30,
            description="Timeout of the routing engine in seconds. After it, a great-circle "
            "distance is used.",
        ),
    ] = 2
    geocoder: Annotated[
        Literal["auto", "embedded", "none", "nominatim", "photon"],
        Meta(
            description="Geocoder: `embedded` searches the addresses of the city in use, "
            "`nominatim` and `photon` are your own servers. With `none`, places have coordinates "
            "only if you provide them. `auto` is `embedded` while a city is in use, otherwise "
            "`none`."
        ),
    ] = "auto"
    geocoder_url: Annotated[
        str | None,
        Meta(description="URL of the geocoder, such as `https://nominatim.internal`."),
    ] = None
    map_style_url: Annotated[
        WebAddress | None,
        Meta(
            description="MapLibre style for the console's maps, light and dark. All its "
            "resources must come from the same origin. Takes precedence over the "
            "other map settings."
        ),
    ] = None
    map_pmtiles: Annotated[
        str | None,
        Meta(
            description="PMTiles file with vector tiles (OpenMapTiles or Protomaps) for "
            "street maps without internet access. Takes precedence over the city "
            "in use and `PANNIER_MAP_TILE_URL`."
        ),
    ] = None
    map_tile_url: Annotated[
        WebAddress | None,
        Meta(
            description="Raster tiles for maps while no city is in use, "
            "`https://tiles.example.com/{z}/{x}/{y}.png`. Unset: the bundled "
            "map of countries and cities, without internet access."
        ),
    ] = None
    map_attribution: Annotated[
        str, Meta(description="Attribution for street and raster tiles on the console's maps.")
    ] = "© OpenStreetMap contributors"
