"""Routing, geocoding and maps."""

from typing import Annotated, Literal

from msgspec import Meta

from pannier.settings.payments import PaymentSettings
from pannier.settings.values import WebAddress


class MapSettings(PaymentSettings, frozen=True, kw_only=True):
    """Routing, geocoding and maps."""

    router: Annotated[
        Literal["none", "osrm", "valhalla"],
        Meta(
            description="The engine that measures ways along roads: `osrm`, `valhalla`, or `none`: "
            "great circles with the company's detour and speed."
        ),
    ] = "none"
    router_url: Annotated[
        str | None,
        Meta(description="Where the routing engine is, such as `http://osrm.internal:5000`."),
    ] = None
    router_profile: Annotated[
        str | None,
        Meta(
            description="What travels: OSRM's profile (`driving`, when unset) or Valhalla's "
            "costing (`auto`, when unset).",
        ),
    ] = None
    router_seconds: Annotated[
        int,
        Meta(
            ge=1,
            le=30,
            description="Seconds that the routing engine may take before a great circle is "
            "measured instead.",
        ),
    ] = 2
    geocoder: Annotated[
        Literal["none", "nominatim", "photon"],
        Meta(
            description="Who finds the points of addresses: `nominatim`, `photon`, or `none`: "
            "places have a point only when it is given."
        ),
    ] = "none"
    geocoder_url: Annotated[
        str | None,
        Meta(description="Where the geocoder is, such as `https://nominatim.internal`."),
    ] = None
    map_style_url: Annotated[
        WebAddress | None,
        Meta(
            description="A MapLibre style that the console's maps are drawn with, light and dark; "
            "whatever it loads must come from its own origin. Goes before the other map settings."
        ),
    ] = None
    map_pmtiles: Annotated[
        str | None,
        Meta(
            description="A PMTiles file with vector tiles (OpenMapTiles or Protomaps) that the "
            "console's maps take streets from, without internet. Goes before "
            "`PANNIER_MAP_TILE_URL`."
        ),
    ] = None
    map_tile_url: Annotated[
        WebAddress | None,
        Meta(
            description="Picture tiles for the console's maps, "
            "`https://tiles.example.com/{z}/{x}/{y}.png`. Unset: countries and cities that come "
            "along, without internet."
        ),
    ] = None
    map_attribution: Annotated[
        str, Meta(description="Whom the console's maps credit for streets and picture tiles.")
    ] = "© OpenStreetMap contributors"
