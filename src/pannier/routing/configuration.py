"""The router and the geocoder that the settings choose, and validation of their addresses."""

import re
from collections.abc import Container
from datetime import timedelta
from typing import Final
from urllib.parse import urlsplit

from pannier.kit.clock import Clock
from pannier.maps.folder import PROFILES, MapFolder, Profile
from pannier.routing.breaker import OPEN_PERIOD
from pannier.routing.embedded import MAX_BLOCK, CurrentCity, EmbeddedUrls
from pannier.routing.embedded_geocoder import CityAddresses, EmbeddedGeocoder
from pannier.routing.engines import FixedUrls, RoutingEngine
from pannier.routing.geocoder_protocols import GeocoderProtocol, Nominatim, Photon
from pannier.routing.geocoding import Geocoder
from pannier.routing.osrm import Osrm
from pannier.routing.remote_geocoder import RemoteGeocoder
from pannier.routing.router import Router
from pannier.routing.valhalla import Valhalla
from pannier.settings import Settings, SettingsError
from pannier.web.http_client import HttpClient

# Our own engine starts again within seconds, and asking it in vain costs little.
EMBEDDED_OPEN_PERIOD: Final = timedelta(seconds=2)
PROFILE_PATTERN: Final = re.compile(r"[A-Za-z0-9_-]+")
GEOCODER_PROTOCOLS: Final[dict[str, type[GeocoderProtocol]]] = {
    "nominatim": Nominatim,
    "photon": Photon,
}


def create_router(settings: Settings, clock: Clock) -> Router:
    """Create the router that the settings choose."""
    is_ours = settings.router in {"auto", "embedded"}
    return Router(
        _create_engine(settings),
        clock,
        timeout_seconds=settings.router_seconds,
        open_period=EMBEDDED_OPEN_PERIOD if is_ours else OPEN_PERIOD,
    )


def _create_engine(settings: Settings) -> RoutingEngine | None:
    outside = HttpClient(settings.ca_bundle)
    if settings.router == "none":
        return None
    if settings.router in {"auto", "embedded"}:
        # Only processes of `pannier serve` have the URL of our engine.
        if settings.router_url is None:
            return None
        urls = _parse_router_urls(settings.router_url)
        city = CurrentCity(MapFolder(settings.folder))
        return Osrm(outside, EmbeddedUrls(city, urls), max_block=MAX_BLOCK)
    if settings.router_profile and not PROFILE_PATTERN.fullmatch(settings.router_profile):
        raise SettingsError("PANNIER_ROUTER_PROFILE is wrong: give a name such as driving.")
    fixed = FixedUrls(_parse_router_urls(settings.router_url))
    if settings.router == "osrm":
        return Osrm(outside, fixed, settings.router_profile)
    return Valhalla(outside, fixed, settings.router_profile)


def create_geocoder(settings: Settings, clock: Clock) -> Geocoder | None:
    """Create the geocoder that the settings choose, or None."""
    if settings.geocoder == "none":
        return None
    if settings.geocoder in {"auto", "embedded"}:
        return EmbeddedGeocoder(MapFolder(settings.folder))
    url = _parse_address("PANNIER_GEOCODER_URL", settings.geocoder_url)
    return RemoteGeocoder(
        HttpClient(settings.ca_bundle), url, GEOCODER_PROTOCOLS[settings.geocoder](), clock
    )


class ConfiguredServices(Container[str]):
    """The external services that are available: a router, a geocoder.

    The embedded ones are there while a city is in use.
    """

    def __init__(self, settings: Settings) -> None:
        self._engine = _create_engine(settings)
        self._has_own_geocoder = settings.geocoder in {"nominatim", "photon"}
        self._addresses = (
            CityAddresses(MapFolder(settings.folder))
            if settings.geocoder in {"auto", "embedded"}
            else None
        )

    def __contains__(self, name: object) -> bool:
        if name == "router":
            engine = self._engine
            return engine is not None and any(map(engine.has_roads, PROFILES))
        if name == "geocoder":
            city = self._addresses
            return self._has_own_geocoder or (city is not None and city.find_file() is not None)
        return False


def check(settings: Settings, clock: Clock) -> None:
    """Validate the addresses of both services, or raise SettingsError."""
    create_router(settings, clock)
    create_geocoder(settings, clock)


def _parse_router_urls(text: str | None) -> dict[Profile, str]:
    """Parse one URL for all profiles, or one for each: `car=http://… bicycle=http://…`."""
    variable = "PANNIER_ROUTER_URL"
    if not any((text or "").startswith(f"{profile}=") for profile in PROFILES):
        return dict.fromkeys(PROFILES, _parse_address(variable, text))
    urls: dict[Profile, str] = {}
    for part in (text or "").split():
        name, _, url = part.partition("=")
        profile = next((profile for profile in PROFILES if profile == name), None)
        if profile is None or profile in urls:
            raise SettingsError(
                f"{variable} is wrong: give one URL, or one for each of car, van and bicycle, "
                "such as car=http://osrm-car:5000 bicycle=http://osrm-bicycle:5000."
            )
        urls[profile] = _parse_address(variable, url)
    return urls


def _parse_address(variable: str, text: str | None) -> str:
    refusal = SettingsError(f"{variable} is missing or wrong: give https://host or http://host.")
    try:
        parts = urlsplit(text or "")
        rest = parts.query or parts.fragment
        if parts.scheme not in {"http", "https"} or not parts.hostname or rest or parts.port == 0:
            raise refusal
    except ValueError:
        raise refusal from None
    return (text or "").rstrip("/")
