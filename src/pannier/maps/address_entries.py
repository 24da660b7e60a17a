"""Make the entries of an address index: the names of streets and places, and their city."""

import math
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from pannier.maps import address_grid as grid
from pannier.maps.address_places import Place, PlaceFinder
from pannier.maps.address_source import CITY_KINDS
from pannier.maps.address_streets import (
    CLEAR_MAJORITY,
    MAJORITY,
    StreetDraft,
    find_majority,
)
from pannier.maps.address_tables import ENTRY_ROW
from pannier.maps.address_words import SEARCH_ONLY, Names

# Maximum distance between a street and the city in its houses' addresses.
NAMED_CITY_METRES: Final = 50_000.0
STREET_SHARE: Final = 0.35
HOUSES_SHARE: Final = 0.05
MAX_HOUSES_EXPONENT: Final = 3
Statement = tuple[str, tuple[Any, ...]]


class EntryMaker:
    """Makes the rows of streets and places, with names in certain languages."""

    def __init__(self, finder: PlaceFinder, languages: frozenset[str], country: str | None) -> None:
        self._finder, self._country = finder, country
        self._languages = languages

    def make_street(self, draft: StreetDraft) -> Statement:
        """Make the statement that stores a street."""
        point = draft.point
        city, name = draft.city, draft.city_name
        if name is not None:
            position = grid.to_point(*point)
            coordinates = (position.longitude, position.latitude)
            city = self._finder.find_city(name, coordinates, NAMED_CITY_METRES)
        clear_code = find_majority(draft.codes, draft.houses, CLEAR_MAJORITY)
        importance = self._finder.places[city].importance if city is not None else 0.0
        house_share = min(1.0, math.log10(1 + draft.houses) / MAX_HOUSES_EXPONENT)
        return _make_statement(
            draft.number,
            "street",
            draft.names,
            context=[
                *self._list_context_names(city, draft.suburbs),
                *draft.postal_codes,
                name or "",
            ],
            place=city,
            city=name,
            postal_code=clear_code or (draft.border_code if not draft.codes else None),
            country=draft.country
            or find_majority(draft.countries, draft.houses, MAJORITY)
            or self._country,
            point=point,
            importance=STREET_SHARE * importance + HOUSES_SHARE * house_share,
            houses=draft.houses,
        )

    def make_place(self, place: Place, houses: int) -> Statement:
        """Make the statement that stores a place."""
        surroundings = self._finder.find_surroundings(place.point)
        is_city = place.kind in CITY_KINDS
        city = None if is_city or surroundings.city == place.number else surroundings.city
        return _make_statement(
            place.number,
            "place",
            place.names,
            context=self._list_context_names(city, ()),
            place=city,
            city=None,
            postal_code=None if is_city else surroundings.postal_code,
            country=surroundings.country or self._country,
            point=(grid.to_micro(place.point[0]), grid.to_micro(place.point[1])),
            importance=place.importance,
            houses=houses,
        )

    def _list_context_names(self, city: int | None, suburbs: Iterable[int]) -> Iterator[str]:
        if city is not None:
            for language, name in self._finder.places[city].names:
                if language in self._languages or language == SEARCH_ONLY:
                    yield name
        for suburb in sorted(suburbs):
            for language, name in self._finder.places[suburb].names:
                if language in self._languages:
                    yield name


def _make_statement(
    number: int,
    kind: str,
    names: Names,
    *,
    context: Iterable[str],
    place: int | None,
    city: str | None,
    postal_code: str | None,
    country: str | None,
    point: tuple[int, int],
    importance: float,
    houses: int,
) -> Statement:
    return ENTRY_ROW, (
        number,
        kind,
        msgspec.json.encode(names),
        "\n".join(dict.fromkeys(filter(None, context))),
        place,
        city,
        postal_code,
        country,
        *point,
        round(importance, 4),
        houses,
    )
