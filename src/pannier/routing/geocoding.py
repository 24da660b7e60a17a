"""Geocoders: coordinates of addresses, and suggestions for incomplete ones."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final, Literal, Protocol

import msgspec

from pannier.errors import Unavailable
from pannier.kit.clock import Clock
from pannier.kit.geo import Point
from pannier.routing.breaker import Breaker
from pannier.web.logs import log
from pannier.web.outside import Outside, OutsideAnswer, OutsideError

# Precision of a result, from an exact house to a region.
Quality = Literal["house", "street", "locality", "region"]
Name = Literal["nominatim", "photon"]
WELL: Final = 200
# Statuses of a geocoder that works but cannot use the query.
UNDERSTOOD: Final = frozenset({400, 404, 414})
AT_ONCE: Final = 4


class GeocoderAway(Unavailable):
    """The geocoder did not respond, or its response was invalid."""

    code = "geocoder_unavailable"
    title = "The geocoder is unavailable."
    remedy = "Try again soon, or send coordinates."


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A query: an address on one line, or its beginning."""

    text: str
    country: str | None = None
    near: Point | None = None
    limit: int = 1


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """An address that a geocoder knows, with its coordinates."""

    point: Point
    quality: Quality
    name: str | None = None
    street1: str | None = None
    city: str | None = None
    province: str | None = None
    postal_code: str | None = None
    country: str | None = None


class Spelling(Protocol):
    """The protocol of one kind of geocoder: its requests and its responses."""

    name: Name

    def path(self, asked: Asked) -> tuple[str, dict[str, str]]:
        """Build the path and the query string of a request."""

    def read(self, body: bytes) -> list[Found]:
        """Parse a response, or raise ValueError."""


class _Nominated(msgspec.Struct):
    lat: str
    lon: str
    addresstype: str = ""
    name: str = ""
    address: dict[str, Any] = {}


class Nominatim:
    """The search API of Nominatim 4."""

    name: Name = "nominatim"
    HOUSES: Final = frozenset({"building", "house", "place", "amenity", "shop", "office"})
    STREETS: Final = frozenset({"road", "street", "residential"})
    LOCALITIES: Final = frozenset({
        "suburb", "quarter", "neighbourhood", "village", "town", "city", "city_district",
        "municipality", "hamlet", "postcode",
    })  # fmt: skip

    def path(self, asked: Asked) -> tuple[str, dict[str, str]]:
        """Build a free-form search request."""
        query = {"q": asked.text, "format": "jsonv2", "addressdetails": "1"}
        query["limit"] = str(asked.limit)
        if asked.country:
            query["countrycodes"] = asked.country.lower()
        return "/search", query

    def read(self, body: bytes) -> list[Found]:
        """Parse the results, best first."""
        return [self._found(each) for each in msgspec.json.decode(body, type=list[_Nominated])]

    def _found(self, spot: _Nominated) -> Found:
        parts = {name: value for name, value in spot.address.items() if isinstance(value, str)}
        towns = (parts.get(name) for name in ("city", "town", "village", "municipality"))
        return Found(
            point=Point(float(spot.lon), float(spot.lat)),
            quality=self._quality(spot.addresstype, "house_number" in parts),
            name=spot.name or None,
            street1=_street(parts.get("house_number"), parts.get("road")),
            city=next(filter(None, towns), None),
            province=parts.get("state"),
            postal_code=parts.get("postcode"),
            country=_country(parts.get("country_code")),
        )

    def _quality(self, kind: str, house: bool) -> Quality:  # noqa: FBT001 - one of two facts
        if house or kind in self.HOUSES:
            return "house"
        if kind in self.STREETS:
            return "street"
        return "locality" if kind in self.LOCALITIES else "region"


class _Properties(msgspec.Struct):
    type: str = ""
    name: str | None = None
    housenumber: str | None = None
    street: str | None = None
    city: str | None = None
    state: str | None = None
    postcode: str | None = None
    countrycode: str | None = None


class _Geometry(msgspec.Struct):
    coordinates: tuple[float, float]


class _Feature(msgspec.Struct):
    geometry: _Geometry
    properties: _Properties


class _Collection(msgspec.Struct):
    features: list[_Feature]


class Photon:
    """The search API of Photon, which suits search as you type."""

    name: Name = "photon"
    QUALITIES: Final[dict[str, Quality]] = {
        "house": "house",
        "street": "street",
        "locality": "locality",
        "district": "locality",
        "city": "locality",
    }

    def path(self, asked: Asked) -> tuple[str, dict[str, str]]:
        """Build a free-form search request, biased towards a point if one is given."""
        # Photon cannot filter by country, so more results are requested and filtered afterwards.
        limit = asked.limit * 10 if asked.country else asked.limit
        query = {"q": asked.text, "limit": str(limit)}
        if asked.near is not None:
            query |= {"lat": f"{asked.near.latitude:.5f}", "lon": f"{asked.near.longitude:.5f}"}
        return "/api", query

    def read(self, body: bytes) -> list[Found]:
        """Parse the results, best first."""
        return [self._found(each) for each in msgspec.json.decode(body, type=_Collection).features]

    def _found(self, feature: _Feature) -> Found:
        parts = feature.properties
        street = parts.street or (parts.name if parts.type == "street" else None)
        return Found(
            point=Point(*feature.geometry.coordinates),
            quality=self.QUALITIES.get(parts.type, "region"),
            name=parts.name,
            street1=_street(parts.housenumber, street),
            city=parts.city or (parts.name if parts.type == "city" else None),
            province=parts.state,
            postal_code=parts.postcode,
            country=_country(parts.countrycode),
        )


def _street(number: str | None, road: str | None) -> str | None:
    return " ".join(filter(None, (number, road))) or None


def _country(code: str | None) -> str | None:
    return code.upper() if code and len(code) == 2 else None  # noqa: PLR2004 - letters of a code


class Geocoder:
    """A client of a geocoding service. Never call it inside a transaction."""

    def __init__(
        self, outside: Outside, url: str, spelling: Spelling, clock: Clock, *, patience: float = 3.0
    ) -> None:
        self.name: Name = spelling.name
        self._outside, self._url, self._spelling = outside, url, spelling
        self._breaker, self._patience = Breaker(clock), patience
        self._turn = asyncio.Semaphore(AT_ONCE)

    @property
    def resting(self) -> bool:
        """Whether the circuit breaker is open."""
        return self._breaker.resting

    async def find(self, asked: Asked) -> Sequence[Found]:
        """Find addresses, best first. An empty result is a valid answer."""
        if not self._breaker.lets_through():
            raise GeocoderAway
        path, query = self._spelling.path(asked)
        try:
            async with asyncio.timeout(self._patience), self._turn:
                found = self._read(await self._outside.get(self._url + path, query))
        except (OutsideError, TimeoutError) as failure:
            self._breaker.failed()
            log.warning("geocoder failed", geocoder=self.name, kind=type(failure).__name__)
            raise GeocoderAway from None
        self._breaker.worked()
        inside = [each for each in found if asked.country in {None, each.country}]
        return inside[: asked.limit]

    def _read(self, answer: OutsideAnswer) -> list[Found]:
        if answer.status in UNDERSTOOD:
            return []
        if answer.status != WELL:
            raise OutsideError("The geocoder rejected the request.")
        try:
            return self._spelling.read(answer.body)
        except ValueError:
            # Coordinates outside the earth raise ValueError too.
            raise OutsideError("The geocoder returned an invalid response.") from None
