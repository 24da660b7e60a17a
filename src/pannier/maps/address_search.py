"""Search an address index for a typed text.

A text can have several readings. They are searched in rounds, from exact words to typos, until
there is a good match.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from pannier.kit.geo import Point
from pannier.maps.address_index import AddressIndex, HouseRow, SearchTooSlow, TermRange
from pannier.maps.address_ranking import Entry, TextScore, compute_rank, score_text
from pannier.maps.address_results import AddressFormatter, IndexedAddress, estimate_point
from pannier.maps.address_words import Query, fold, join_neighbours, parse_query

TIME_LIMIT_SECONDS: Final = 0.25
MAX_READINGS: Final = 4
MAX_JOINED_READINGS: Final = 8
# Maximum entries whose house numbers are searched.
MAX_RANKED_ENTRIES: Final = 60
# The minimum score of a match that ends the search, and of one in a strict search.
GOOD_SCORE: Final = 0.8
STRICT_SCORE: Final = 0.9
MISSING_COST: Final = 0.2
MAX_MISSING_WORDS: Final = 2


class AddressQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A text to search for.

    A strict search is for addresses that nobody checks afterwards. It allows neither typos nor
    missing words, except a postcode, and refuses to choose between streets with the same name.
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


def search_addresses(index: AddressIndex, query: AddressQuery) -> list[IndexedAddress]:
    """Find addresses, best first."""
    return _Search(index, query).run()


class _Search:
    """One search, with the best match of each entry so far."""

    def __init__(self, index: AddressIndex, query: AddressQuery) -> None:
        self._index, self._query = index, query
        text, self._country = strip_country(query.text, index.country_names)
        # A strict text is complete. The space marks its last word as finished.
        self._readings = parse_query(f"{text} " if query.is_strict else text)[:MAX_READINGS]
        self._matches: dict[int, _Match] = {}
        self._terms: dict[tuple[str, bool, bool], TermRange] = {}

    def run(self) -> list[IndexedAddress]:
        self._index.start_search(TIME_LIMIT_SECONDS)
        rounds = [self._search_exact, self._search_joined_words, self._search_with_typos,
                  self._search_without_missing_words]  # fmt: skip
        if self._query.is_strict:
            rounds.remove(self._search_with_typos)
        try:
            for search_round in rounds:
                search_round()
                if self._has_good_match():
                    break
        except SearchTooSlow:
            # The matches found so far are a valid result.
            self._index.start_search(TIME_LIMIT_SECONDS)
        matches = sorted(self._matches.values(), key=lambda match: (-match.rank, match.entry.id))
        if self._query.is_strict:
            matches = _keep_certain_match(matches)
        addresses = dict.fromkeys(self._format_matches(matches))
        return list(addresses)[: self._query.limit]

    def _has_good_match(self) -> bool:
        return any(match.text.score >= GOOD_SCORE for match in self._matches.values())

    def _search_exact(self) -> None:
        for reading in self._readings:
            self._collect_matches(reading, self._find_terms(reading, allow_typos=False))

    def _search_joined_words(self) -> None:
        joined_readings = (
            reading._replace(
                words=words, open_word=None if reading.open_word is None else len(words) - 1
            )
            for reading in self._readings
            for words in join_neighbours(reading.words)
        )
        for reading, _ in zip(joined_readings, range(MAX_JOINED_READINGS), strict=False):
            self._collect_matches(reading, self._find_terms(reading, allow_typos=False))

    def _search_with_typos(self) -> None:
        for reading in self._readings:
            self._collect_matches(reading, self._find_terms(reading, allow_typos=True))

    def _search_without_missing_words(self) -> None:
        """Search without the words that are not in the index."""
        for reading in self._readings:
            terms = self._find_terms(reading, allow_typos=not self._query.is_strict)
            missing_words = [
                word for word, term in zip(reading.words, terms, strict=True) if term.is_empty
            ]
            found_terms = [term for term in terms if not term.is_empty]
            if self._query.is_strict and not all(map(_is_code, missing_words)):
                continue
            if found_terms and 0 < len(missing_words) <= MAX_MISSING_WORDS:
                self._collect_matches(reading, found_terms, missing=len(missing_words))

    def _find_terms(self, reading: Query, *, allow_typos: bool) -> list[TermRange]:
        """Find the terms of each word. They are cached, because readings share words."""
        terms = []
        for position, word in enumerate(reading.words):
            key = (word, position == reading.open_word, allow_typos)
            if key not in self._terms:
                self._terms[key] = self._index.match_word(
                    word, is_open=key[1], allow_typos=allow_typos
                )
            terms.append(self._terms[key])
        return terms

    def _collect_matches(
        self, reading: Query, terms: Sequence[TermRange], *, missing: int = 0
    ) -> None:
        """Add the entries that match all terms of a reading."""
        if not terms or any(term.is_empty for term in terms):
            return
        matches = [term.match for term in terms]
        scored_entries = []
        for entry in self._index.find_candidates(terms, self._query.near):
            text = score_text(matches, entry)
            if text is not None and self._is_in_country(entry):
                score = max(0.0, text.score - MISSING_COST * missing / (len(terms) + missing))
                scored_entries.append((text._replace(score=score), entry))
        asks_house = bool(reading.numbers)
        scored_entries.sort(
            key=lambda pair: -self._compute_rank(*pair, asks_house=asks_house, has_house=True)
        )
        for text, entry in scored_entries[:MAX_RANKED_ENTRIES]:
            house = self._find_house(entry, reading)
            has_house = house is not None
            score = self._compute_rank(text, entry, asks_house=asks_house, has_house=has_house)
            previous_match = self._matches.get(entry.id)
            if previous_match is None or previous_match.rank < score:
                self._matches[entry.id] = _Match(score, text, entry, reading, house, missing)

    def _compute_rank(
        self, text: TextScore, entry: Entry, *, asks_house: bool, has_house: bool
    ) -> float:
        near = self._query.near
        return compute_rank(text.score, entry, near, asks_house=asks_house, has_house=has_house)

    def _is_in_country(self, entry: Entry) -> bool:
        countries = {self._query.country, self._country} - {None}
        return entry.country is None or countries <= {entry.country}

    def _find_house(self, entry: Entry, reading: Query) -> HouseRow | None:
        if not entry.houses:
            return None
        houses = (self._index.find_house(entry.id, number) for number in reading.numbers)
        return next((house for house in houses if house is not None), None)

    def _format_matches(self, matches: Iterable[_Match]) -> Iterator[IndexedAddress]:
        """Yield the addresses of matches. After an unfinished house number, longer ones follow."""
        formatter = AddressFormatter(self._index)
        limit = self._query.limit
        for position, match in enumerate(itertools.islice(matches, 2 * limit)):
            entry, reading, house = match.entry, match.query, match.house
            language = entry.names[match.text.name_index][0]
            if house is not None:
                yield formatter.format_house(entry, language, house)
            elif reading.numbers and entry.houses:
                houses = self._index.list_all_houses(entry.id)
                point = estimate_point(houses, reading.numbers[-1])
                yield formatter.format_entry(entry, language, point)
            else:
                yield formatter.format_entry(entry, language)
            if position == 0 and reading.is_number_open:
                number = reading.numbers[0]
                for longer_number in self._index.list_houses_by_prefix(entry.id, number, limit):
                    yield formatter.format_house(entry, language, longer_number)


def _keep_certain_match(matches: Sequence[_Match]) -> list[_Match]:
    """Keep the best match of a strict search, unless another one is equally likely."""
    best = next((match for match in matches if match.text.score >= STRICT_SCORE), None)
    if best is None:
        return []
    has_city = any(word in best.entry.context for word in best.query.words if not _is_code(word))
    names = {name for _, name in best.entry.names}
    rivals = [
        match
        for match in matches
        if match.entry.id != best.entry.id
        and match.entry.kind == best.entry.kind
        and match.text.score >= best.text.score
        and (match.house is None) == (best.house is None)
        and not names.isdisjoint(name for _, name in match.entry.names)
    ]
    return [] if rivals or (best.missing and not has_city) else [best]


def _is_code(word: str) -> bool:
    """Return whether a word looks like a postcode."""
    return any(letter.isdigit() for letter in word)


def strip_country(text: str, country_names: Mapping[str, Sequence[str]]) -> tuple[str, str | None]:
    """Strip a country from the end of a text, and return its code.

    A name may follow a space. A code needs a comma, because words such as `de` occur in names.
    """
    address, comma, last_part = text.rpartition(",")
    ending = fold(last_part).strip().rstrip(".")
    for code, names in country_names.items():
        if comma and ending == code.lower():
            return address, code
        for name in map(fold, names):
            if ending == name and comma:
                return address, code
            if ending.endswith(f" {name}"):
                return text.strip()[: -len(name)].rstrip(), code
    return text, None
