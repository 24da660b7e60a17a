"""The tables of an address index, filled from the work file.

Entries are streets, places and postcodes. They are numbered by importance, so that a truncated list
keeps the most important ones. Terms are numbered in alphabetical order, so that the words with a
prefix are a range of numbers.
"""

import itertools
import math
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from pannier.maps import address_grid as grid
from pannier.maps.address_ranking import list_trigrams
from pannier.maps.address_words import Names, join_words, split_words

# Increase this when the tables change. An index of another version is not used.
VERSION: Final = 1
BATCH: Final = 5_000
# Prefixes of these lengths match too many words, so their most important entries are stored.
SHORT_LENGTHS: Final = (1, 2, 3)
MAX_SHORT_ENTRIES: Final = 50
POSTCODE_SHARE: Final = 0.1
# Maximum distance of the house in the street whose postcode is used.
POSTCODE_METRES: Final = 200.0
MAX_COMPARED_HOUSES: Final = 500
Row = tuple[Any, ...]

WORK_TABLES: Final = """
    create table ways (key text, names blob, line blob);
    create table houses (
        key text, rank integer, number text, name text, is_place integer, city text,
        postal_code text, country text, longitude integer, latitude integer);
    create table entries (
        number integer primary key, kind text, names blob, context text, place integer, city text,
        postal_code text, country text, longitude integer, latitude integer, importance real,
        houses integer);
    create table numbers (
        entry integer, number text, text text, rank integer, longitude integer, latitude integer,
        postal_code text);
    create table spots (entry integer, longitude integer, latitude integer);
    create table ids (id integer primary key, number integer unique);
    create table words (term text, own integer, entry integer);
"""
HOUSE_ROW: Final = f"""
    insert into houses (key, rank, number, name, is_place, city, postal_code, country, longitude,
                        latitude)
    values ({"?, " * 9}?)"""
ENTRY_ROW: Final = f"""
    insert into entries (number, kind, names, context, place, city, postal_code, country,
                         longitude, latitude, importance, houses)
    values ({"?, " * 11}?)"""
NUMBER_ROW: Final = f"""
    insert into numbers (entry, number, text, rank, longitude, latitude, postal_code)
    values ({"?, " * 6}?)"""
INDEX_TABLES: Final = """
    create table target.info (name text primary key, value text) without rowid;
    create table target.entries (
        id integer primary key, kind text, names text, words text, context text, place integer,
        city text, postal_code text, country text, longitude integer, latitude integer,
        importance real, houses integer);
    create table target.terms (id integer primary key, term text unique, own integer);
    create table target.postings (
        own integer, term integer, entry integer, primary key (own, term, entry)) without rowid;
    create table target.entry_terms (
        entry integer, term integer, own integer, primary key (entry, term)) without rowid;
    create table target.trigrams (
        trigram text, term integer, primary key (trigram, term)) without rowid;
    create table target.trigram_counts (trigram text primary key, terms integer) without rowid;
    create table target.beginnings (
        beginning text, entry integer, primary key (beginning, entry)) without rowid;
    create table target.areas (
        cell integer, entry integer, primary key (cell, entry)) without rowid;
    create table target.houses (
        entry integer, number text, text text, longitude integer, latitude integer,
        postal_code text, cell integer, primary key (entry, number)) without rowid;
    create table target.spots (
        cell integer, entry integer, longitude integer, latitude integer,
        primary key (cell, entry, longitude, latitude)) without rowid;
    create table target.place_spots (
        cell integer, entry integer, longitude integer, latitude integer,
        primary key (cell, entry)) without rowid;
"""


def write_index(
    database: sqlite3.Connection, path: Path, country_names: Mapping[str, list[str]]
) -> dict[str, int]:
    """Fill a new index from the work file, and return the number of entries of each kind."""
    database.execute("attach ? as target", (str(path),))
    database.executescript("pragma target.journal_mode = off; pragma target.synchronous = off;")
    database.executescript(INDEX_TABLES)
    with database:
        _add_postcodes(database)
        database.execute(
            """insert into ids (number)
               select number from entries order by kind <> 'place', importance desc, number"""
        )
        _write_entries(database)
        _write_terms(database)
        _write_houses(database)
        counts = {
            name: database.execute(query).fetchone()[0]
            for name, query in (
                ("houses", "select count(*) from target.houses"),
                ("streets", "select count(*) from target.entries where kind = 'street'"),
                ("places", "select count(*) from target.entries where kind = 'place'"),
                ("postcodes", "select count(*) from target.entries where kind = 'postcode'"),
            )
        }
        database.executemany(
            "insert into target.info (name, value) values (?, ?)",
            [
                ("version", str(VERSION)),
                ("countries", msgspec.json.encode(country_names).decode()),
                ("counts", msgspec.json.encode(counts).decode()),
            ],
        )
    database.execute("analyze target")
    database.execute("detach target")
    _sync_file(path)
    return counts


def _add_postcodes(database: sqlite3.Connection) -> None:
    """Add an entry for each postcode, at the mean of its houses, with their main city."""
    rows = database.execute(
        """select n.postal_code, e.country, e.place, e.city, count(*) as houses,
                  sum(n.longitude) as longitude, sum(n.latitude) as latitude
           from numbers n join entries e on e.number = n.entry
           where n.postal_code is not null
           group by 1, 2, 3, 4 order by 1, 2, 5 desc"""
    )
    number = database.execute("select coalesce(max(number), 0) from entries").fetchone()[0]
    entries = []
    for (code, country), group in itertools.groupby(rows, lambda row: row[:2]):
        cities = list(group)
        houses = sum(row[4] for row in cities)
        number += 1
        entries.append((
            number, "postcode", msgspec.json.encode([("", code)]), cities[0][3] or "",
            cities[0][2], cities[0][3], code, country, sum(row[5] for row in cities) // houses,
            sum(row[6] for row in cities) // houses, POSTCODE_SHARE * math.log10(1 + houses), 0,
        ))  # fmt: skip
    database.executemany(ENTRY_ROW, entries)


def _write_entries(database: sqlite3.Connection) -> None:
    rows = database.execute(
        """select ids.id, e.kind, e.names, e.context, place.id, e.city, e.postal_code, e.country,
                  e.longitude, e.latitude, e.importance, e.houses
           from ids join entries e on e.number = ids.number
           left join ids place on place.number = e.place
           order by ids.id"""
    )
    for batch in _list_batches(rows):
        entries, words, areas = [], [], []
        for entry_id, kind, names, context, *fields in batch:
            texts = [name for _, name in msgspec.json.decode(names, type=Names)]
            name_words = {
                word for name in texts for word in (*split_words(name), *join_words(name))
            }
            context_words = {word for name in context.split("\n") for word in split_words(name)}
            context_words -= name_words
            entries.append((
                entry_id, kind, names.decode(), "\n".join(map(_format_words, texts)),
                " ".join(sorted(context_words)), *fields,
            ))  # fmt: skip
            words += [(word, 1, entry_id) for word in name_words]
            words += [(word, 0, entry_id) for word in context_words]
            areas.append((grid.find_cell(fields[4], fields[5], grid.AREA_CELL), entry_id))
        database.executemany(
            f"""insert into target.entries (
                    id, kind, names, words, context, place, city, postal_code, country, longitude,
                    latitude, importance, houses)
                values ({"?, " * 12}?)""",
            entries,
        )
        database.executemany("insert into words (term, own, entry) values (?, ?, ?)", words)
        database.executemany("insert into target.areas (cell, entry) values (?, ?)", areas)


def _format_words(name: str) -> str:
    """Join the words of a name and, after a bar, their spellings as one word."""
    return f"{' '.join(split_words(name))}|{' '.join(join_words(name))}"


def _write_terms(database: sqlite3.Connection) -> None:
    database.execute(
        """insert into target.terms (term, own)
           select term, sum(own) from words group by term order by term"""
    )
    database.execute(
        """insert into target.postings (own, term, entry)
           select w.own, t.id, w.entry from words w join target.terms t on t.term = w.term
           order by 1, 2, 3"""
    )
    database.execute(
        """insert into target.entry_terms (entry, term, own)
           select entry, term, own from target.postings order by 1, 2"""
    )
    for length in SHORT_LENGTHS:
        database.execute(
            """insert into target.beginnings (beginning, entry)
               select beginning, entry from (
                   select beginning, entry,
                          row_number() over (partition by beginning order by entry) as position
                   from (select distinct substr(term, 1, :length) as beginning, entry from words
                         where own = 1 and length(term) >= :length))
               where position <= :limit""",
            {"length": length, "limit": MAX_SHORT_ENTRIES},
        )
    terms = database.execute("select id, term from target.terms")
    for batch in _list_batches(terms):
        database.executemany(
            "insert into target.trigrams (trigram, term) values (?, ?)",
            [
                (trigram, term_id)
                for term_id, term in batch
                if not any(letter.isdigit() for letter in term)
                for trigram in list_trigrams(term)
            ],
        )

    database.execute(
        """insert into target.trigram_counts (trigram, terms)
           select trigram, count(*) from target.trigrams group by trigram"""
    )


def _write_houses(database: sqlite3.Connection) -> None:
    """Write the best row of each house number, and the points of streets and places."""
    database.create_function("find_cell", 3, grid.find_cell, deterministic=True)
    database.execute(
        """insert into target.place_spots (cell, entry, longitude, latitude)
           select find_cell(longitude, latitude, ?), id, longitude, latitude
           from target.entries where kind = 'place'""",
        (grid.PLACE_CELL,),
    )
    rows = database.execute(
        """select ids.id, n.number, n.text, n.longitude, n.latitude, n.postal_code,
                  find_cell(n.longitude, n.latitude, ?)
           from numbers n join ids on ids.number = n.entry
           order by ids.id, n.number, n.rank, n.longitude, n.latitude""",
        (grid.HOUSE_CELL,),
    )
    for _, group in itertools.groupby(rows, lambda row: row[0]):
        # The first row of a house number has the best rank.
        houses = list({row[1]: row for row in reversed(list(group))}.values())
        database.executemany(
            f"""insert into target.houses (
                    entry, number, text, longitude, latitude, postal_code, cell)
                values ({"?, " * 6}?)""",
            fill_postal_codes(houses),
        )
    database.execute("create index target.houses_by_cell on houses (cell)")
    database.execute(
        """insert or ignore into target.spots (cell, entry, longitude, latitude)
           select find_cell(s.longitude, s.latitude, ?), ids.id, s.longitude, s.latitude
           from spots s join ids on ids.number = s.entry order by 1, 2, 3, 4""",
        (grid.STREET_CELL,),
    )


def fill_postal_codes(houses: Sequence[Row]) -> Iterator[Row]:
    """Fill missing postcodes from the nearest house in the street."""
    rows_with_code = [row for row in houses if row[5] is not None][:MAX_COMPARED_HOUSES]
    for row in houses:
        codes = [
            (_compute_squared_distance(row[3:5], other_house[3:5]), other_house[5])
            for other_house in rows_with_code
            if row[5] is None
        ]
        distance, code = min(codes, default=(0.0, None))
        is_near = code is not None and distance <= POSTCODE_METRES**2
        yield (*row[:5], code, *row[6:]) if is_near else row


def _compute_squared_distance(start: Row, end: Row) -> float:
    """Compute the square of the distance in metres between two points in microdegrees."""
    height = (start[1] - end[1]) / grid.MICRO * grid.METRES_PER_DEGREE
    width = (start[0] - end[0]) / grid.MICRO * grid.METRES_PER_DEGREE
    width *= math.cos(math.radians(start[1] / grid.MICRO))
    return float(width * width + height * height)


def _list_batches(rows: Iterator[Any]) -> Iterator[list[Any]]:
    while batch := list(itertools.islice(rows, BATCH)):
        yield batch


def _sync_file(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
