"""Geocoders: coordinates of addresses, and suggestions for incomplete ones."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final, Literal, Protocol

import msgspec

from pannier.errors import Unavailable
from pannier.kit.clock import Clock
from pannier.kit.geo import Point
from pannier.routing.breaker import CircuitBreaker
from pannier.web.http_client import HttpClient, HttpClientError, HttpClientResponse
from pannier.web.logs import log

# Precision of a result, from an exact house to a region.
Quality = Literal["house", "street", "locality", "region"]
Name = Literal["nominatim", "photon"]
OK_STATUS: Final = 200
# Statuses of a geocoder that works but cannot use the query.
NO_RESULT_STATUSES: Final = frozenset({400, 404, 414})
MAX_CONCURRENT_CALLS: Final = 4


class GeocoderUnavailable(Unavailable):
    """The geocoder did not respond, or its response was invalid."""

    code = "geocoder_unavailable"
    title = "The geocoder is unavailable."
    remedy = "Try again soon, or send coordinates."


class GeocodeQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A query: an address on one line, or its beginning."""

    text: str
    country: str | None = None
    near: Point | None = None
    limit: int = 1


class GeocodeResult(msgspec.Struct, frozen=True, kw_only=True):
    """An address that a geocoder knows, with its coordinates."""

    point: Point
    quality: Quality
    name: str | None = None
    street1: str | None = None
    city: str | None = None
    province: str | None = None
    postal_code: str | None = None
    country: str | None = None


class GeocoderProtocol(Protocol):
    """The protocol of one kind of geocoder: its requests and its responses."""

    name: Name

    def build_request(self, wanted: GeocodeQuery) -> tuple[str, dict[str, str]]:
        """Build the path and the query string of a request."""

    def parse_response(self, body: bytes) -> list[GeocodeResult]:
        """Parse a response, or raise ValueError."""


class _NominatimPlace(msgspec.Struct):
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

    def build_request(self, wanted: GeocodeQuery) -> tuple[str, dict[str, str]]:
        """Build a free-form search request."""
        query = {"q": wanted.text, "format": "jsonv2", "addressdetails": "1"}
        query["limit"] = str(wanted.limit)
        if wanted.country:
            query["countrycodes"] = wanted.country.lower()
        return "/search", query

    def parse_response(self, body: bytes) -> list[GeocodeResult]:
        """Parse the results, best first."""
        return [
            self._to_result(place)
            for place in msgspec.json.decode(body, type=list[_NominatimPlace])
        ]

    def _to_result(self, spot: _NominatimPlace) -> GeocodeResult:
        parts = {name: value for name, value in spot.address.items() if isinstance(value, str)}
        towns = (parts.get(name) for name in ("city", "town", "village", "municipality"))
        return GeocodeResult(
            point=Point(float(spot.lon), float(spot.lat)),
            quality=self._quality(spot.addresstype, "house_number" in parts),
            name=spot.name or None,
            street1=_street_line(parts.get("house_number"), parts.get("road")),
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

    def build_request(self, wanted: GeocodeQuery) -> tuple[str, dict[str, str]]:
        """Build a free-form search request, biased towards a point if one is given."""
        # Photon cannot filter by country, so more results are requested and filtered afterwards.
        limit = wanted.limit * 10 if wanted.country else wanted.limit
        query = {"q": wanted.text, "limit": str(limit)}
        if wanted.near is not None:
            query |= {"lat": f"{wanted.near.latitude:.5f}", "lon": f"{wanted.near.longitude:.5f}"}
        return "/api", query

    def parse_response(self, body: bytes) -> list[GeocodeResult]:
        """Parse the results, best first."""
        return [
            self._to_result(feature)
            for feature in msgspec.json.decode(body, type=_Collection).features
        ]

    def _to_result(self, feature: _Feature) -> GeocodeResult:
        parts = feature.properties
        street = parts.street or (parts.name if parts.type == "street" else None)
        return GeocodeResult(
            point=Point(*feature.geometry.coordinates),
            quality=self.QUALITIES.get(parts.type, "region"),
            name=parts.name,
            street1=_street_line(parts.housenumber, street),
            city=parts.city or (parts.name if parts.type == "city" else None),
            province=parts.state,
            postal_code=parts.postcode,
            country=_country(parts.countrycode),
        )


def _street_line(number: str | None, road: str | None) -> str | None:
    return " ".join(filter(None, (number, road))) or None


def _country(code: str | None) -> str | None:
    return code.upper() if code and len(code) == 2 else None  # noqa: PLR2004 - letters of a code


class Geocoder:
    """A client of a geocoding service. Never call it inside a transaction."""

    def __init__(
        self,
        outside: HttpClient,
        url: str,
        protocol: GeocoderProtocol,
        clock: Clock,
        *,
        timeout_seconds: float = 3.0,
    ) -> None:
        self.name: Name = protocol.name
        self._outside, self._url, self._protocol = outside, url, protocol
        self._breaker, self._timeout_seconds = CircuitBreaker(clock), timeout_seconds
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_CALLS)

    @property
    def is_unavailable(self) -> bool:
        """Whether the circuit breaker is open."""
        return self._breaker.is_open

    async def find(self, wanted: GeocodeQuery) -> Sequence[GeocodeResult]:
        """Find addresses, best first. An empty result is a valid answer."""
        if not self._breaker.can_call():
            raise GeocoderUnavailable
        path, query = self._protocol.build_request(wanted)
        try:
            async with asyncio.timeout(self._timeout_seconds), self._slots:
                found = self._parse(await self._outside.get(self._url + path, query))
        except (HttpClientError, TimeoutError) as failure:
            self._breaker.record_failure()
            log.warning("geocoder failed", geocoder=self.name, kind=type(failure).__name__)
            raise GeocoderUnavailable from None
        self._breaker.record_success()
        in_country = [address for address in found if wanted.country in {None, address.country}]
        return in_country[: wanted.limit]

    def _parse(self, answer: HttpClientResponse) -> list[GeocodeResult]:
        if answer.status in NO_RESULT_STATUSES:
            return []
        if answer.status != OK_STATUS:
            raise HttpClientError("The geocoder rejected the request.")
        try:
            return self._protocol.parse_response(answer.body)
        except ValueError:
            # Coordinates outside the earth raise ValueError too.
            raise HttpClientError("The geocoder returned an invalid response.") from None
