"""Search an address index for a typed text.

A text is read in several ways, and each reading is searched in rounds, from exact words to slips,
until there is a good match.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from pannier.kit.geo import Point
from pannier.maps.address_index import AddressIndex, HouseRow, SearchTooSlow, TermRange
from pannier.maps.address_ranking import Entry, TextScore, rank, score_text
from pannier.maps.address_results import AddressWriter, IndexedAddress, interpolate
from pannier.maps.address_words import Query, fold, join_neighbours, parse_query

SECONDS: Final = 0.25
MAX_READINGS: Final = 4
MAX_JOINED: Final = 8
# Maximum entries whose house numbers are searched.
MAX_RANKED: Final = 60
# From this score on, a match is good enough to end the search.
GOOD_SCORE: Final = 0.8
STRICT_SCORE: Final = 0.9
MISSING_COST: Final = 0.2
MAX_MISSING: Final = 2


class AddressQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A query.

    A strict search is for an address that nobody checks afterwards. It allows no slips, no missing
    word except a postcode, and no choice between streets with the same name.
    """

    text: str
    near: Point | None = None
    country: str | None = None
    limit: int = 5
    is_strict: bool = False


class _Match(NamedTuple):
    """An entry that matches a reading of the query."""

    rank: float
    text: TextScore
    entry: Entry
    query: Query
    house: HouseRow | None
    missing: int


def search(index: AddressIndex, query: AddressQuery) -> list[IndexedAddress]:
    """Find addresses, the best first."""
    return _Search(index, query).run()


class _Search:
    """One search: its rounds, and the best match of each entry so far."""

    def __init__(self, index: AddressIndex, query: AddressQuery) -> None:
        self._index, self._query = index, query
        text, self._country = strip_country(query.text, index.country_names)
        # A strict text is complete, as if a space followed it.
        self._readings = parse_query(f"{text} " if query.is_strict else text)[:MAX_READINGS]
        self._matches: dict[int, _Match] = {}
        self._terms: dict[tuple[str, bool, bool], TermRange] = {}

    def run(self) -> list[IndexedAddress]:
        self._index.start(SECONDS)
        rounds = [self._search_exact, self._search_joined_words, self._search_with_slips,
                  self._search_without_missing_words]  # fmt: skip
        if self._query.is_strict:
            rounds.remove(self._search_with_slips)
        try:
            for search_round in rounds:
                search_round()
                if self._is_good():
                    break
        except SearchTooSlow:
            # The matches found so far are a valid result.
            self._index.start(SECONDS)
        matches = sorted(self._matches.values(), key=lambda match: (-match.rank, match.entry.id))
        if self._query.is_strict:
            matches = _choose_certain(matches)
        addresses = dict.fromkeys(self._write(matches))
        return list(addresses)[: self._query.limit]

    def _is_good(self) -> bool:
        return any(match.text.score >= GOOD_SCORE for match in self._matches.values())

    def _search_exact(self) -> None:
        for reading in self._readings:
            self._collect(reading, self._find_terms(reading, allow_slips=False))

    def _search_joined_words(self) -> None:
        joined = (
            reading._replace(words=words, open=None if reading.open is None else len(words) - 1)
            for reading in self._readings
            for words in join_neighbours(reading.words)
        )
        for reading, _ in zip(joined, range(MAX_JOINED), strict=False):
            self._collect(reading, self._find_terms(reading, allow_slips=False))

    def _search_with_slips(self) -> None:
        for reading in self._readings:
            self._collect(reading, self._find_terms(reading, allow_slips=True))

    def _search_without_missing_words(self) -> None:
        """Search without the words that the index does not have at all."""
        for reading in self._readings:
            terms = self._find_terms(reading, allow_slips=not self._query.is_strict)
            missing = [
                word for word, term in zip(reading.words, terms, strict=True) if term.is_empty
            ]
            rest = [term for term in terms if not term.is_empty]
            if self._query.is_strict and not all(map(_is_code, missing)):
                continue
            if rest and 0 < len(missing) <= MAX_MISSING:
                self._collect(reading, rest, missing=len(missing))

    def _find_terms(self, reading: Query, *, allow_slips: bool) -> list[TermRange]:
        """Find the terms of each word. The terms of a word with slips are found only once."""
        found = []
        for place, word in enumerate(reading.words):
            key = (word, place == reading.open, allow_slips)
            if key not in self._terms:
                self._terms[key] = self._index.match_word(
                    word, is_open=key[1], allow_slips=allow_slips
                )
            found.append(self._terms[key])
        return found

    def _collect(self, reading: Query, terms: Sequence[TermRange], *, missing: int = 0) -> None:
        """Add the entries that match all terms."""
        if not terms or any(term.is_empty for term in terms):
            return
        matches = [term.match for term in terms]
        scored = []
        for entry in self._index.find_candidates(terms, self._query.near):
            text = score_text(matches, entry)
            if text is not None and self._is_in_country(entry):
                score = max(0.0, text.score - MISSING_COST * missing / (len(terms) + missing))
                scored.append((text._replace(score=score), entry))
        asks_house = bool(reading.numbers)
        scored.sort(key=lambda pair: -self._rank(*pair, asks_house=asks_house, has_house=True))
        for text, entry in scored[:MAX_RANKED]:
            house = self._find_house(entry, reading)
            has_house = house is not None
            score = self._rank(text, entry, asks_house=asks_house, has_house=has_house)
            known = self._matches.get(entry.id)
            if known is None or known.rank < score:
                self._matches[entry.id] = _Match(score, text, entry, reading, house, missing)

    def _rank(self, text: TextScore, entry: Entry, *, asks_house: bool, has_house: bool) -> float:
        near = self._query.near
        return rank(text.score, entry, near, asks_house=asks_house, has_house=has_house)

    def _is_in_country(self, entry: Entry) -> bool:
        chosen = {self._query.country, self._country} - {None}
        return entry.country is None or chosen <= {entry.country}

    def _find_house(self, entry: Entry, reading: Query) -> HouseRow | None:
        if not entry.houses:
            return None
        houses = (self._index.find_house(entry.id, number) for number in reading.numbers)
        return next((house for house in houses if house is not None), None)

    def _write(self, matches: Iterable[_Match]) -> Iterator[IndexedAddress]:
        """Turn matches into addresses. While a number is typed, longer ones follow it."""
        writer = AddressWriter(self._index)
        limit = self._query.limit
        for position, match in enumerate(itertools.islice(matches, 2 * limit)):
            entry, reading, house = match.entry, match.query, match.house
            language = entry.names[match.text.name][0]
            if house is not None:
                yield writer.write_house(entry, language, house)
            elif reading.numbers and entry.houses:
                houses = self._index.list_all_houses(entry.id)
                spot = interpolate(houses, reading.numbers[-1])
                yield writer.write_entry(entry, language, spot)
            else:
                yield writer.write_entry(entry, language)
            if position == 0 and reading.is_number_open:
                number = reading.numbers[0]
                for longer in self._index.list_houses(entry.id, number, limit):
                    yield writer.write_house(entry, language, longer)


def _choose_certain(matches: Sequence[_Match]) -> list[_Match]:
    """Keep the best match of a strict search, unless another one is equally likely."""
    best = next((match for match in matches if match.text.score >= STRICT_SCORE), None)
    if best is None:
        return []
    has_city = any(word in best.entry.context for word in best.query.words if not _is_code(word))
    names = {name for _, name in best.entry.names}
    others = [
        match
        for match in matches
        if match.entry.id != best.entry.id
        and match.entry.kind == best.entry.kind
        and match.text.score >= best.text.score
        and (match.house is None) == (best.house is None)
        and not names.isdisjoint(name for _, name in match.entry.names)
    ]
    return [] if others or (best.missing and not has_city) else [best]


def _is_code(word: str) -> bool:
    """Tell whether a word looks like a postcode."""
    return any(letter.isdigit() for letter in word)


def strip_country(text: str, country_names: Mapping[str, Sequence[str]]) -> tuple[str, str | None]:
    """Strip a country from the end of a text, and return its code. Its name may follow a space.

    A code is only recognised after a comma, because short words such as `de` occur in names.
    """
    before, comma, last = text.rpartition(",")
    ending = fold(last).strip().rstrip(".")
    for code, names in country_names.items():
        if comma and ending == code.lower():
            return before, code
        for name in map(fold, names):
            if ending == name and comma:
                return before, code
            if ending.endswith(f" {name}"):
                return text.strip()[: -len(name)].rstrip(), code
    return text, None
