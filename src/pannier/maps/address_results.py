"""Format the addresses of an index as people write them, in the language of the query."""

import re
from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from pannier.kit.geo import Point
from pannier.maps.address_index import AddressIndex, HouseRow
from pannier.maps.address_ranking import Entry
from pannier.maps.address_words import SEARCH_ONLY

Quality = Literal["house", "street", "locality", "region"]
# Countries where the house number comes before the street.
NUMBER_FIRST: Final = frozenset({
    "AU", "CA", "FR", "GB", "IE", "IN", "LU", "MC", "MY", "NZ", "PH", "SG", "TH", "US", "ZA",
})  # fmt: skip
MAX_NUMBER_DIGITS: Final = 5


class IndexedAddress(msgspec.Struct, frozen=True, kw_only=True):
    """An address of the index."""

    point: Point
    quality: Quality
    name: str | None = None
    street1: str | None = None
    city: str | None = None
    postal_code: str | None = None
    country: str | None = None


class AddressFormatter:
    """Formats entries and houses as addresses, and caches their cities."""

    def __init__(self, index: AddressIndex) -> None:
        self._index = index
        self._cities: dict[int, Entry | None] = {}

    def format_house(self, entry: Entry, language: str, house: HouseRow) -> IndexedAddress:
        """Format a house number of a street or place."""
        name = _find_name(entry, language)
        return IndexedAddress(
            point=house.point,
            quality="house",
            street1=join_number(name, house.text, entry.country),
            city=self._find_city(entry, language),
            postal_code=house.postal_code or entry.postal_code,
            country=entry.country,
        )

    def format_entry(
        self, entry: Entry, language: str, point: Point | None = None
    ) -> IndexedAddress:
        """Format a street, place or postcode."""
        name = _find_name(entry, language)
        is_street = entry.kind == "street"
        city = self._find_city(entry, language)
        is_city = entry.kind == "place" and entry.place is None
        return IndexedAddress(
            point=point or entry.point,
            quality="street" if is_street else "locality",
            name=name,
            street1=name if is_street else None,
            city=name if is_city else city,
            postal_code=entry.postal_code,
            country=entry.country,
        )

    def _find_city(self, entry: Entry, language: str) -> str | None:
        """Find the name of an entry's city."""
        if entry.place is None:
            return entry.city
        if entry.place not in self._cities:
            self._cities[entry.place] = next(iter(self._index.load_entries([entry.place])), None)
        city = self._cities[entry.place]
        if city is None:
            return entry.city
        if language in {"", SEARCH_ONLY} or language not in dict(city.names):
            return entry.city or city.names[0][1]
        return _find_name(city, language)


def _find_name(entry: Entry, language: str) -> str:
    """Find an entry's name in a language, or its local name. Names for search are not shown."""
    names = dict(reversed(entry.names))
    return entry.names[0][1] if language == SEARCH_ONLY else names.get(language, entry.names[0][1])


def join_number(street: str, number: str, country: str | None) -> str:
    """Put a house number before or after the street, as is usual in the country."""
    return f"{number} {street}" if country in NUMBER_FIRST else f"{street} {number}"


def estimate_point(houses: Sequence[HouseRow], number: str) -> Point | None:
    """Estimate the point of an unknown house number from the next lower and higher numbers.

    All three are on the same side of the street: all even, or all odd. Return None if there is no
    lower or no higher number.
    """
    target_number = _parse_number(number)
    if target_number is None:
        return None
    candidates = [
        (parsed_number, house.point)
        for house in houses
        if (parsed_number := _parse_number(house.number)) is not None
        and (parsed_number - target_number) % 2 == 0
    ]
    lower_pair = max(
        (pair for pair in candidates if pair[0] <= target_number), key=_get_number, default=None
    )
    upper_pair = min(
        (pair for pair in candidates if pair[0] >= target_number), key=_get_number, default=None
    )
    if lower_pair is None or upper_pair is None:
        return None
    share = (target_number - lower_pair[0]) / max(upper_pair[0] - lower_pair[0], 1)
    start, end = lower_pair[1], upper_pair[1]
    return Point(
        round(start.longitude + (end.longitude - start.longitude) * share, 6),
        round(start.latitude + (end.latitude - start.latitude) * share, 6),
    )


def _get_number(pair: tuple[int, Point]) -> int:
    return pair[0]


def _parse_number(text: str) -> int | None:
    digits = re.match(r"\d{1,5}", text)
    return int(digits[0]) if digits else None
