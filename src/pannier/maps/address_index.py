"""Read an address index: words, candidates for words, houses, and objects near a point.

Every query has a row limit, and all queries of a search share a time limit.
"""

import itertools
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import msgspec

from pannier.errors import SetupError
from pannier.kit.geo import Point
from pannier.maps import address_grid as grid
from pannier.maps.address_ranking import (
    ABBREVIATION_COST,
    PREFIX_COST,
    TYPO_COST,
    Entry,
    NameWords,
    WordMatch,
    count_typos,
    get_max_typos,
    list_trigrams,
)
from pannier.maps.address_tables import SHORT_LENGTHS, VERSION
from pannier.maps.address_words import expand_abbreviation

# Steps of SQLite's virtual machine between checks of the time limit.
STEPS_PER_CHECK: Final = 2_000
# Maximum rows that a search reads for one word, and maximum entries that are ranked.
MAX_SCANNED_ROWS: Final = 6_000
MAX_CANDIDATES: Final = 300
MAX_TYPO_TERMS: Final = 12
MAX_COMPARED_TERMS: Final = 100
MAX_TRIGRAM_ROWS: Final = 20_000
MAX_HOUSES: Final = 2_000
MAX_NEARBY_ROWS: Final = 2_000
# Sorts after all letters, so that it ends the range of words with a prefix.
LAST_LETTER: Final = "\U0010ffff"
HOUSES: Final = "select entry, number, text, longitude, latitude, postal_code from houses"
Row = tuple[Any, ...]


class SearchTooSlow(Exception):  # noqa: N818 - a limit, not an error
    """A search exceeded its time limit."""


class TermRange(NamedTuple):
    """The terms that match a typed word: single terms and a range."""

    match: WordMatch
    terms: tuple[int, ...]
    first: int = 0
    last: int = -1

    @property
    def is_empty(self) -> bool:
        """Whether no word of the index matches."""
        return not self.terms and self.last < self.first

    @property
    def condition(self) -> str:
        """The SQL condition on a column `term`. It has no parameters: terms are our own numbers."""
        conditions = []
        if self.terms:
            conditions.append(f"term in ({_join_numbers(self.terms)})")
        if self.first <= self.last:
            conditions.append(f"term between {self.first} and {self.last}")
        return f"({' or '.join(conditions) or 'false'})"

    def select_postings(self, own_condition: str) -> str:
        """Make a query of entries with these terms. Exact terms have the least slack."""
        terms = _join_numbers(self.terms)
        exact_query = f"""select entry, 0 as slack from postings
                          where {own_condition} and term in ({terms}) limit {MAX_SCANNED_ROWS}"""
        range_query = f"""select entry, 1 as slack from postings
                         where {own_condition} and term between {self.first} and {self.last}
                         limit {MAX_SCANNED_ROWS}"""
        return f"""select entry, slack from ({exact_query})
                   union all select entry, slack from ({range_query})"""


class HouseRow(NamedTuple):
    """A house number of an entry."""

    entry: int
    number: str
    text: str
    point: Point
    postal_code: str | None


class AddressIndex:
    """An address index, opened for reading. One thread uses it at a time."""

    def __init__(self, database: sqlite3.Connection, countries: dict[str, list[str]]) -> None:
        self._database, self._deadline = database, float("inf")
        self.country_names = countries
        database.set_progress_handler(self._is_past_deadline, STEPS_PER_CHECK)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open an index, or raise SetupError if it cannot be used."""
        try:
            database = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
            )
            database.execute("pragma mmap_size = 268435456")
            info = dict(database.execute("select name, value from info"))
        except sqlite3.Error as error:
            raise SetupError(f"The address index {path} cannot be read: {error}.") from None
        if info.get("version") != str(VERSION):
            database.close()
            raise SetupError(f"The address index {path} was built by another version of Pannier.")
        return cls(database, msgspec.json.decode(info["countries"]))

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def start_search(self, seconds: float) -> None:
        """Begin a search with a time limit."""
        self._deadline = time.monotonic() + seconds

    def match_word(self, word: str, *, is_open: bool, allow_typos: bool) -> TermRange:
        """Find the terms that match a typed word."""
        costs = {word: 0.0}
        costs.update(dict.fromkeys(expand_abbreviation(word), ABBREVIATION_COST))
        if allow_typos and (limit := get_max_typos(word)):
            costs = self._find_typos(word, limit, is_open=is_open) | costs
        terms = self._find_terms(costs)
        term_costs = {term: costs[term] for term in terms}
        if not is_open:
            return TermRange(WordMatch(term_costs), tuple(terms.values()))
        first_rows, last_rows = self._find_prefix_range(word)
        return TermRange(WordMatch(term_costs, word), tuple(terms.values()), first_rows, last_rows)

    def find_candidates(self, words: Sequence[TermRange], near: Point | None) -> list[Entry]:
        """Find entries that match all words, at least one of them by name."""
        entries = [] if near is None else list(self._find_nearby_entries(words, near))
        for position, word in enumerate(words):
            other_words = [*words[:position], *words[position + 1 :]]
            entries += self._find_entries_by_name(word, other_words)
        return self.load_entries(itertools.islice(dict.fromkeys(entries), MAX_CANDIDATES))

    def load_entries(self, numbers: Iterable[int]) -> list[Entry]:
        """Load entries by number, in this order."""
        entry_ids = list(numbers)
        rows = self._select_rows(
            f"""select id, kind, names, words, context, place, city, postal_code, country,
                       longitude, latitude, importance, houses
                from entries where id in ({_join_numbers(entry_ids)})"""
        )
        entries = {row[0]: _to_entry(row) for row in rows}
        return [entries[number] for number in entry_ids if number in entries]

    def find_house(self, entry: int, number: str) -> HouseRow | None:
        """Find a house number of an entry. Return None if the entry does not have it."""
        rows = self._select_rows(f"{HOUSES} where entry = ? and number = ?", entry, number)
        return next(map(_to_house, rows), None)

    def list_houses_by_prefix(self, entry: int, prefix: str, limit: int) -> list[HouseRow]:
        """List the house numbers with a prefix, shortest first."""
        rows = self._select_rows(
            f"""{HOUSES} where entry = ? and number >= ? and number < ?
                order by length(number), number limit ?""",
            entry, prefix, prefix + LAST_LETTER, limit,
        )  # fmt: skip
        return list(map(_to_house, rows))

    def list_all_houses(self, entry: int) -> list[HouseRow]:
        """List the house numbers of an entry, up to a limit."""
        return list(map(_to_house, self._select_rows(f"{HOUSES} where entry = ? limit ?", entry,
                                                MAX_HOUSES)))  # fmt: skip

    def list_houses_near(self, point: Point, radius: float) -> Iterator[HouseRow]:
        """List the house numbers in the cells around a point."""
        for first_cell, last_cell in grid.list_cell_ranges(point, radius, grid.HOUSE_CELL):
            rows = self._select_rows(
                f"{HOUSES} where cell between ? and ? limit ?",
                first_cell,
                last_cell,
                MAX_NEARBY_ROWS,
            )
            yield from map(_to_house, rows)

    def list_streets_near(self, point: Point, radius: float) -> Iterator[tuple[int, Point]]:
        """List points along streets in the cells around a point."""
        for first_cell, last_cell in grid.list_cell_ranges(point, radius, grid.STREET_CELL):
            yield from self._list_points("spots", first_cell, last_cell)

    def list_places_near(self, point: Point, radius: float) -> Iterator[tuple[int, Point]]:
        """List places in the cells around a point."""
        for first_cell, last_cell in grid.list_cell_ranges(point, radius, grid.PLACE_CELL):
            yield from self._list_points("place_spots", first_cell, last_cell)

    def _list_points(
        self, table: str, first_cell: int, last_cell: int
    ) -> Iterator[tuple[int, Point]]:
        rows = self._select_rows(
            f"""select entry, longitude, latitude from {table}
                where cell between ? and ? limit ?""",
            first_cell, last_cell, MAX_NEARBY_ROWS,
        )  # fmt: skip
        return ((row[0], grid.to_point(row[1], row[2])) for row in rows)

    def _find_entries_by_name(
        self, word: TermRange, other_words: Sequence[TermRange]
    ) -> Iterator[int]:
        """Find entries with a word in their name and the other words anywhere."""
        prefix = word.match.prefix
        if not other_words and prefix is not None and len(prefix) <= max(SHORT_LENGTHS):
            yield from self._find_entries_by_prefix(prefix)
            return
        conditions = "".join(map(_make_word_condition, other_words))
        rows = self._select_rows(
            f"""select entry from ({word.select_postings("own = 1")}) p
                where true {conditions} order by slack, entry limit {MAX_CANDIDATES}"""
        )
        count = 0
        for row in rows:
            count += 1
            yield row[0]
        if count < MAX_CANDIDATES and self._is_common(word):
            # Too many streets have this name, so search by the other words first.
            for position, other in enumerate(other_words):
                remaining_words = [*other_words[:position], *other_words[position + 1 :]]
                conditions = "".join(map(_make_word_condition, remaining_words))
                conditions += _make_word_condition(word, " and q.own = 1")
                rows = self._select_rows(
                    f"""select entry from ({other.select_postings("own in (0, 1)")}) p
                        where true {conditions} limit {MAX_CANDIDATES}"""
                )
                yield from (row[0] for row in rows)

    def _find_entries_by_prefix(self, prefix: str) -> Iterator[int]:
        rows = self._select_rows("select entry from beginnings where beginning = ?", prefix)
        return (row[0] for row in rows)

    def _find_nearby_entries(self, words: Sequence[TermRange], near: Point) -> Iterator[int]:
        """Find entries near a point that match all words, at least one of them by name."""
        cell = grid.find_cell(
            grid.to_micro(near.longitude), grid.to_micro(near.latitude), grid.AREA_CELL
        )
        name_condition = " or ".join(word.condition for word in words)
        cells = _join_numbers(grid.list_neighbours(cell))
        rows = self._select_rows(
            f"""select entry from (
                    select entry from areas where cell in ({cells})
                    limit {MAX_SCANNED_ROWS}) p
                where exists (select 1 from entry_terms q
                              where q.entry = p.entry and q.own = 1 and ({name_condition}))
                      {"".join(map(_make_word_condition, words))}
                limit {MAX_CANDIDATES // 2}"""
        )
        return (row[0] for row in rows)

    def _is_common(self, word: TermRange) -> bool:
        """Return whether more names have a word than one search reads."""
        rows = self._select_rows(f"select count(*) from ({word.select_postings('own = 1')})")
        return bool(rows[0][0] >= MAX_SCANNED_ROWS)

    def _find_terms(self, words: Iterable[str]) -> dict[str, int]:
        parameters = list(words)
        rows = self._select_rows(
            f"select term, id from terms where term in ({', '.join('?' * len(parameters))})",
            *parameters,
        )
        return dict(rows)

    def _find_prefix_range(self, prefix: str) -> tuple[int, int]:
        """Find the first and the last term with a prefix."""
        low, high = prefix, prefix + LAST_LETTER
        first_rows = self._select_rows(
            "select id from terms where term >= ? order by term limit 1", low
        )
        last_rows = self._select_rows(
            "select id from terms where term < ? order by term desc limit 1", high
        )
        return (first_rows[0][0], last_rows[0][0]) if first_rows and last_rows else (0, -1)

    def _find_typos(self, word: str, limit: int, *, is_open: bool) -> dict[str, float]:
        """Find the words that differ from a typed one by a few typos, with their costs."""
        trigrams = list_trigrams(word)
        counts: dict[str, int] = dict(
            self._select_rows(
                f"""select trigram, terms from trigram_counts
                    where trigram in ({", ".join("?" * len(trigrams))})""",
                *trigrams,
            )
        )
        # A typo changes up to four trigrams, so the intended word has one of the rarest ones.
        rare_trigrams = sorted(counts, key=counts.__getitem__)[: 4 * limit + 1]
        while (
            len(rare_trigrams) > 1
            and sum(counts[trigram] for trigram in rare_trigrams) > MAX_TRIGRAM_ROWS
        ):
            rare_trigrams.pop()
        rows = self._select_rows(
            f"""select t.term from (
                    select term, count(*) as shared from trigrams
                    where trigram in ({", ".join("?" * len(rare_trigrams))})
                    group by term order by shared desc limit {MAX_COMPARED_TERMS}) near
                join terms t on t.id = near.term""",
            *rare_trigrams,
        )
        costs = {}
        for (term,) in rows:
            typos = count_typos(word, term, limit, is_open=is_open)
            if typos:
                prefix_cost = PREFIX_COST if is_open and len(term) > len(word) + typos else 0.0
                costs[term] = TYPO_COST * typos + prefix_cost
        return dict(sorted(costs.items(), key=lambda item: item[1])[:MAX_TYPO_TERMS])

    def _select_rows(self, query: str, *values: object) -> list[Row]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.OperationalError as error:
            if "interrupt" in str(error):
                raise SearchTooSlow from None
            raise

    def _is_past_deadline(self) -> bool:
        return time.monotonic() > self._deadline


def _make_word_condition(word: TermRange, own_condition: str = "") -> str:
    """Make the SQL condition that an entry `p` has a word."""
    return f""" and exists (select 1 from entry_terms q
                where q.entry = p.entry and {word.condition}{own_condition})"""


def _join_numbers(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))


def _to_entry(row: Row) -> Entry:
    (
        entry_id, kind, names, words, context, place, city, postal_code, country, longitude,
        latitude, importance, houses,
    ) = row  # fmt: skip
    return Entry(
        id=entry_id,
        kind=kind,
        names=msgspec.json.decode(names, type=tuple[tuple[str, str], ...]),
        name_words=tuple(map(_to_name_words, words.split("\n"))),
        context=frozenset(context.split()),
        importance=importance,
        point=grid.to_point(longitude, latitude),
        place=place,
        city=city,
        postal_code=postal_code,
        country=country,
        houses=houses,
    )


def _to_name_words(line: str) -> NameWords:
    words, _, joined_words = line.partition("|")
    return NameWords(tuple(words.split()), tuple(joined_words.split()))


def _to_house(row: Row) -> HouseRow:
    entry, number, text, longitude, latitude, postal_code = row
    return HouseRow(entry, number, text, grid.to_point(longitude, latitude), postal_code)
