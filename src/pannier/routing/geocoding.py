"""Geocoders: coordinates of addresses, suggestions for incomplete ones, addresses of points."""

from collections.abc import Sequence
from typing import Final, Literal, Protocol

import msgspec

from pannier.errors import Unavailable
from pannier.kit.geo import Point
from pannier.web.fair_queue import FairQueue

# Precision of a result, from an exact house to a region.
Quality = Literal["house", "street", "locality", "region"]
Name = Literal["embedded", "nominatim", "photon"]
# Concurrent public searches in each process. Programs and operators have the other slots.
MAX_PUBLIC_SEARCHES: Final = 2
# Public searches of a company that wait for a slot.
MAX_WAITING_SEARCHES: Final = 16


class GeocoderUnavailable(Unavailable):
    """There is no geocoder, it did not respond, or its response was invalid."""

    code = "geocoder_unavailable"
    title = "The geocoder is unavailable."
    remedy = (
        "Try again soon, or send coordinates. If this lasts, an administrator can build a city "
        "map with `pannier map build`, or set `PANNIER_GEOCODER`."
    )


def make_public_queue() -> FairQueue:
    """Make the queue in which the public searches of all companies take turns."""
    return FairQueue(
        lambda: GeocoderUnavailable("Too many addresses are being searched."),
        company_places=MAX_PUBLIC_SEARCHES,
        places=MAX_PUBLIC_SEARCHES,
        company_waiting=MAX_WAITING_SEARCHES,
    )


class GeocodeQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A query: an address on one line, or its beginning.

    A worldwide service searches only the country `home`, unless `country` is set.

    `address` is the same address with only its street, postcode and city. With it, the query is for
    a complete address that nobody reviews, so the embedded geocoder does not guess.
    """

    text: str
    country: str | None = None
    home: str | None = None
    near: Point | None = None
    limit: int = 1
    address: str | None = None


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


class Geocoder(Protocol):
    """A search for addresses. Never call it in a transaction: each call may take seconds."""

    @property
    def name(self) -> Name:
        """The kind of geocoder."""

    @property
    def public_searches(self) -> FairQueue:
        """The queue of public searches, which wait only for each other."""

    @property
    def is_unavailable(self) -> bool:
        """Whether a call would fail at once."""

    async def find(self, query: GeocodeQuery) -> Sequence[GeocodeResult]:
        """Find addresses, best first, or raise GeocoderUnavailable. There may be none."""

    async def find_address(self, point: Point) -> GeocodeResult | None:
        """Return the address nearest to a point, or None, or raise GeocoderUnavailable."""
