"""The router and the geocoder that the settings choose, and validation of their addresses."""

import re
from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from pannier.kit.clock import Clock
from pannier.routing.engines import Engine, Osrm, Valhalla
from pannier.routing.geocoding import Geocoder, Nominatim, Photon, Spelling
from pannier.routing.router import Router
from pannier.settings import Settings, SettingsError
from pannier.web.outside import Outside

ENGINES: Final[dict[str, Callable[[Outside, str, str | None], Engine]]] = {
    "osrm": Osrm,
    "valhalla": Valhalla,
}
PROFILE: Final = re.compile(r"[A-Za-z0-9_-]+")
SPELLINGS: Final[dict[str, type[Spelling]]] = {"nominatim": Nominatim, "photon": Photon}


def router_of(settings: Settings, clock: Clock) -> Router:
    """Create the router that the settings choose."""
    engine: Engine | None = None
    if settings.router != "none":
        url = _address("PANNIER_ROUTER_URL", settings.router_url)
        if settings.router_profile and not PROFILE.fullmatch(settings.router_profile):
            raise SettingsError("PANNIER_ROUTER_PROFILE is wrong: give a name such as driving.")
        engine = ENGINES[settings.router](Outside(settings.ca_bundle), url, settings.router_profile)
    return Router(engine, clock, patience=settings.router_seconds)


def geocoder_of(settings: Settings, clock: Clock) -> Geocoder | None:
    """Create the geocoder that the settings choose, or None."""
    if settings.geocoder == "none":
        return None
    url = _address("PANNIER_GEOCODER_URL", settings.geocoder_url)
    return Geocoder(Outside(settings.ca_bundle), url, SPELLINGS[settings.geocoder](), clock)


def engines(settings: Settings) -> frozenset[str]:
    """Return which external services are configured: a router, a geocoder."""
    named = {"router": settings.router, "geocoder": settings.geocoder}
    return frozenset(name for name, chosen in named.items() if chosen != "none")


def check(settings: Settings, clock: Clock) -> None:
    """Validate the addresses of both services, or raise SettingsError."""
    router_of(settings, clock)
    geocoder_of(settings, clock)


def _address(variable: str, given: str | None) -> str:
    wrong = SettingsError(f"{variable} is missing or wrong: give https://host or http://host.")
    try:
        parts = urlsplit(given or "")
        rest = parts.query or parts.fragment
        if parts.scheme not in {"http", "https"} or not parts.hostname or rest or parts.port == 0:
            raise wrong
    except ValueError:
        raise wrong from None
    return (given or "").rstrip("/")
