"""The protocols of geocoding services: their requests and their responses."""

from typing import Any, Final, Protocol

import msgspec

from pannier.kit.geo import Point
from pannier.maps.address_results import join_number
from pannier.routing.geocoding import GeocodeQuery, GeocodeResult, Name, Quality

Request = tuple[str, dict[str, str]]
# Results within this distance of a point come first.
NEAR_DEGREES: Final = 0.5


class GeocoderProtocol(Protocol):
    """The protocol of one kind of geocoder."""

    name: Name

    def build_request(self, query: GeocodeQuery) -> Request:
        """Build the path and the query string of a request for addresses."""

    def parse_response(self, body: bytes) -> list[GeocodeResult]:
        """Parse a response, or raise ValueError."""

    def build_reverse_request(self, point: Point) -> Request:
        """Build the path and the query string of a request for the address of a point."""

    def parse_reverse_response(self, body: bytes) -> GeocodeResult | None:
        """Parse a response with the address of a point, or raise ValueError."""


class _NominatimPlace(msgspec.Struct):
    lat: str
    lon: str
    addresstype: str = ""
    name: str = ""
    address: dict[str, Any] = {}


class _NominatimAnswer(_NominatimPlace):
    lat: str = ""
    lon: str = ""
    error: Any = None


class Nominatim:
    """The search API of Nominatim 4."""

    name: Name = "nominatim"
    FORMAT: Final = {"format": "jsonv2", "addressdetails": "1"}
    HOUSES: Final = frozenset({"building", "house", "place", "amenity", "shop", "office"})
    STREETS: Final = frozenset({"road", "street", "residential"})
    LOCALITIES: Final = frozenset({
        "suburb", "quarter", "neighbourhood", "village", "town", "city", "city_district",
        "municipality", "hamlet", "postcode",
    })  # fmt: skip

    def build_request(self, query: GeocodeQuery) -> Request:
        """Build a free-form search request, biased towards a point if one is given."""
        parameters = {"q": query.text, **self.FORMAT, "limit": str(query.limit)}
        if query.country:
            parameters["countrycodes"] = query.country.lower()
        if query.near is not None:
            west, south = query.near.longitude - NEAR_DEGREES, query.near.latitude - NEAR_DEGREES
            east, north = query.near.longitude + NEAR_DEGREES, query.near.latitude + NEAR_DEGREES
            parameters["viewbox"] = f"{west:.4f},{south:.4f},{east:.4f},{north:.4f}"
        return "/search", parameters

    def parse_response(self, body: bytes) -> list[GeocodeResult]:
        """Parse the results, best first."""
        return [
            self._to_result(place)
            for place in msgspec.json.decode(body, type=list[_NominatimPlace])
        ]

    def build_reverse_request(self, point: Point) -> Request:
        """Build a request for the address of a point."""
        return "/reverse", {**_format_point(point), **self.FORMAT}

    def parse_reverse_response(self, body: bytes) -> GeocodeResult | None:
        """Parse the address, or return None: Nominatim reports an error for a point at sea."""
        place = msgspec.json.decode(body, type=_NominatimAnswer)
        return None if place.error is not None else self._to_result(place)

    def _to_result(self, place: _NominatimPlace) -> GeocodeResult:
        parts = {name: value for name, value in place.address.items() if isinstance(value, str)}
        country = _parse_country(parts.get("country_code"))
        towns = (parts.get(name) for name in ("city", "town", "village", "municipality"))
        return GeocodeResult(
            point=Point(float(place.lon), float(place.lat)),
            quality=self._rate_quality(place.addresstype, "house_number" in parts),
            name=place.name or None,
            street1=_join_street(parts.get("road"), parts.get("house_number"), country),
            city=next(filter(None, towns), None),
            province=parts.get("state"),
            postal_code=parts.get("postcode"),
            country=country,
        )

    def _rate_quality(self, kind: str, has_number: bool) -> Quality:  # noqa: FBT001 - one of two facts
        if has_number or kind in self.HOUSES:
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

    def build_request(self, query: GeocodeQuery) -> Request:
        """Build a free-form search request, biased towards a point if one is given."""
        # Photon cannot filter by country, so more results are requested and filtered afterwards.
        limit = query.limit * 10 if query.country else query.limit
        parameters = {"q": query.text, "limit": str(limit)}
        if query.near is not None:
            parameters |= _format_point(query.near)
        return "/api", parameters

    def parse_response(self, body: bytes) -> list[GeocodeResult]:
        """Parse the results, best first."""
        return [
            self._to_result(feature)
            for feature in msgspec.json.decode(body, type=_Collection).features
        ]

    def build_reverse_request(self, point: Point) -> Request:
        """Build a request for the address of a point."""
        return "/reverse", {**_format_point(point), "limit": "1"}

    def parse_reverse_response(self, body: bytes) -> GeocodeResult | None:
        """Parse the address."""
        return next(iter(self.parse_response(body)), None)

    def _to_result(self, feature: _Feature) -> GeocodeResult:
        parts = feature.properties
        country = _parse_country(parts.countrycode)
        street = parts.street or (parts.name if parts.type == "street" else None)
        return GeocodeResult(
            point=Point(*feature.geometry.coordinates),
            quality=self.QUALITIES.get(parts.type, "region"),
            name=parts.name,
            street1=_join_street(street, parts.housenumber, country),
            city=parts.city or (parts.name if parts.type == "city" else None),
            province=parts.state,
            postal_code=parts.postcode,
            country=country,
        )


def _join_street(road: str | None, number: str | None, country: str | None) -> str | None:
    return join_number(road, number, country) if road and number else road or number


def _parse_country(code: str | None) -> str | None:
    return code.upper() if code and len(code) == 2 else None  # noqa: PLR2004 - letters of a code


def _format_point(point: Point) -> dict[str, str]:
    return {"lat": f"{point.latitude:.5f}", "lon": f"{point.longitude:.5f}"}
