"""The configured router and geocoder, and validation of their addresses."""

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

# Our own engine restarts within seconds, and a failed call to it costs little.
EMBEDDED_OPEN_PERIOD: Final = timedelta(seconds=2)
PROFILE_PATTERN: Final = re.compile(r"[A-Za-z0-9_-]+")
GEOCODER_PROTOCOLS: Final[dict[str, type[GeocoderProtocol]]] = {
    "nominatim": Nominatim,
    "photon": Photon,
}


def create_router(settings: Settings, clock: Clock) -> Router:
    """Create the configured router."""
    is_embedded = settings.router in {"auto", "embedded"}
    return Router(
        _create_engine(settings),
        clock,
        timeout_seconds=settings.router_seconds,
        open_period=EMBEDDED_OPEN_PERIOD if is_embedded else OPEN_PERIOD,
    )


def _create_engine(settings: Settings) -> RoutingEngine | None:
    http_client = HttpClient(settings.ca_bundle)
    if settings.router == "none":
        return None
    if settings.router in {"auto", "embedded"}:
        # Only processes of `pannier serve` have the URL of our engine.
        if settings.router_url is None:
            return None
        urls = _parse_router_urls(settings.router_url)
        city = CurrentCity(MapFolder(settings.folder))
        return Osrm(http_client, EmbeddedUrls(city, urls), max_block=MAX_BLOCK)
    if settings.router_profile and not PROFILE_PATTERN.fullmatch(settings.router_profile):
        raise SettingsError("PANNIER_ROUTER_PROFILE is invalid: use a name such as driving.")
    fixed_urls = FixedUrls(_parse_router_urls(settings.router_url))
    if settings.router == "osrm":
        return Osrm(http_client, fixed_urls, settings.router_profile)
    return Valhalla(http_client, fixed_urls, settings.router_profile)


def create_geocoder(settings: Settings, clock: Clock) -> Geocoder | None:
    """Create the configured geocoder, or return None if there is none."""
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

    The embedded ones are available while a city is in use.
    """

    def __init__(self, settings: Settings) -> None:
        self._engine = _create_engine(settings)
        self._has_remote_geocoder = settings.geocoder in {"nominatim", "photon"}
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
            addresses = self._addresses
            has_addresses = addresses is not None and addresses.find_file() is not None
            return self._has_remote_geocoder or has_addresses
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
                f"{variable} is invalid: use one URL, or one for each of car, van and bicycle, "
                "such as car=http://osrm-car:5000 bicycle=http://osrm-bicycle:5000."
            )
        urls[profile] = _parse_address(variable, url)
    return urls


def _parse_address(variable: str, text: str | None) -> str:
    error = SettingsError(f"{variable} is missing or wrong: give https://host or http://host.")
    try:
        parts = urlsplit(text or "")
        is_http = parts.scheme in {"http", "https"}
        if not is_http or not parts.hostname or parts.query or parts.fragment or parts.port == 0:
            raise error
    except ValueError:
        raise error from None
    return (text or "").rstrip("/")
