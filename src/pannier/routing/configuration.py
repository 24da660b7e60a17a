"""The router and the geocoder that the settings choose, and validation of their addresses."""

import re
from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from pannier.kit.clock import Clock
from pannier.routing.engines import Osrm, RoutingEngine, Valhalla
from pannier.routing.geocoding import Geocoder, GeocoderProtocol, Nominatim, Photon
from pannier.routing.router import Router
from pannier.settings import Settings, SettingsError
from pannier.web.http_client import HttpClient

ENGINES: Final[dict[str, Callable[[HttpClient, str, str | None], RoutingEngine]]] = {
    "osrm": Osrm,
    "valhalla": Valhalla,
}
PROFILE_PATTERN: Final = re.compile(r"[A-Za-z0-9_-]+")
GEOCODER_PROTOCOLS: Final[dict[str, type[GeocoderProtocol]]] = {
    "nominatim": Nominatim,
    "photon": Photon,
}


def create_router(settings: Settings, clock: Clock) -> Router:
    """Create the router that the settings choose."""
    engine: RoutingEngine | None = None
    if settings.router != "none":
        url = _parse_address("PANNIER_ROUTER_URL", settings.router_url)
        if settings.router_profile and not PROFILE_PATTERN.fullmatch(settings.router_profile):
            raise SettingsError("PANNIER_ROUTER_PROFILE is wrong: give a name such as driving.")
        engine = ENGINES[settings.router](
            HttpClient(settings.ca_bundle), url, settings.router_profile
        )
    return Router(engine, clock, timeout_seconds=settings.router_seconds)


def create_geocoder(settings: Settings, clock: Clock) -> Geocoder | None:
    """Create the geocoder that the settings choose, or None."""
    if settings.geocoder == "none":
        return None
    url = _parse_address("PANNIER_GEOCODER_URL", settings.geocoder_url)
    return Geocoder(
        HttpClient(settings.ca_bundle), url, GEOCODER_PROTOCOLS[settings.geocoder](), clock
    )


def configured_services(settings: Settings) -> frozenset[str]:
    """Return which external services are configured: a router, a geocoder."""
    named = {"router": settings.router, "geocoder": settings.geocoder}
    return frozenset(name for name, chosen in named.items() if chosen != "none")


def check(settings: Settings, clock: Clock) -> None:
    """Validate the addresses of both services, or raise SettingsError."""
    create_router(settings, clock)
    create_geocoder(settings, clock)


def _parse_address(variable: str, given: str | None) -> str:
    refusal = SettingsError(f"{variable} is missing or wrong: give https://host or http://host.")
    try:
        parts = urlsplit(given or "")
        rest = parts.query or parts.fragment
        if parts.scheme not in {"http", "https"} or not parts.hostname or rest or parts.port == 0:
            raise refusal
    except ValueError:
        raise refusal from None
    return (given or "").rstrip("/")
