"""Words and house numbers of addresses, normalised for comparison.

The index and a search split texts in the same way, so that they agree on every word.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

# Names with their languages.
Names = tuple[tuple[str, str], ...]
# The language of a name that is only used for searching, never shown.
UNSHOWN: Final = "*"
MAX_WORDS: Final = 10
MAX_WORD_LENGTH: Final = 40
MAX_JOINED_WORDS: Final = 3
MAX_NUMBERS_OF_RANGE: Final = 12
MAX_UNIT_LENGTH: Final = 4
# A flat after a staircase, as in "12 A 5".
MAX_FLAT_LENGTH: Final = 3
# Letters that have no decomposition, but are typed without their mark.
PLAIN_LETTERS: Final = str.maketrans({
    "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i",  # noqa: RUF001 - typed by hand or by a phone
    "’": "'", "ʼ": "'", "`": "'", "´": "'", "–": "-", "‐": "-", "‑": "-",  # noqa: RUF001 - typed by hand or by a phone
})  # fmt: skip
WORD_PATTERN: Final = re.compile(r"[^\W_]+")
# Two parts of one word, such as in Saint-Denis or O'Connell.
JOINED_PATTERN: Final = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)+")
# In a query, a number keeps its letter or its range: 12, 12b, 22-24, 3/5.
TOKEN_PATTERN: Final = re.compile(r"\d+[^\W\d_]{0,3}(?:[-/]\d+[^\W\d_]?)?(?![^\W_])|[^\W_]+|,")
NUMBER_PATTERN: Final = re.compile(r"\d{1,5}[^\W\d_]{0,3}(?:[-/]\d{1,5}[^\W\d_]?)?")
RANGE_PATTERN: Final = re.compile(r"(\d{1,5})-(\d{1,5})")
# Words that introduce a flat number, which OpenStreetMap does not have.
UNIT_WORDS: Final = frozenset(
    {"apartment", "apt", "app", "as", "asunto", "flat", "lgh", "suite", "top", "unit", "wohnung"}
)
ABBREVIATIONS: Final = {
    "av": ("avenue", "avenida"), "ave": ("avenue",), "bd": ("boulevard",), "blvd": ("boulevard",),
    "dr": ("drive", "doktor"), "ln": ("lane",), "pl": ("place", "platz", "plaza"),
    "rd": ("road",), "sq": ("square",), "st": ("street", "saint", "sankt"),
    "str": ("strasse", "street"), "ul": ("ulica",), "pza": ("plaza",), "c": ("calle",),
}  # fmt: skip
# Abbreviated endings of words that contain the street's type.
ENDINGS: Final = {"str": "strasse", "k": "katu", "t": "tie", "g": "gatan", "v": "vagen"}


class Query(NamedTuple):
    """One reading of a typed text: words, and perhaps a house number.

    `open` is the place of the word that may be unfinished, or None. `is_number_open` says that the
    number was typed last, so that it may be the beginning of another.
    """

    words: tuple[str, ...]
    open: int | None = None
    numbers: tuple[str, ...] = ()
    is_number_open: bool = False


@lru_cache(maxsize=16_384)
def fold(text: str) -> str:
    """Return a text without case and accents."""
    if text.isascii():
        return text.casefold().replace("`", "'")
    plain = unicodedata.normalize("NFKD", text.casefold().translate(PLAIN_LETTERS))
    return "".join(letter for letter in plain if unicodedata.category(letter)[0] != "M").casefold()


def split_words(text: str) -> list[str]:
    """Split a name into words without case and accents."""
    return [word[:MAX_WORD_LENGTH] for word in WORD_PATTERN.findall(fold(text))][:MAX_WORDS]


def join_words(text: str) -> list[str]:
    """List the spellings of a name's words as one word: `Saint-Denis`, `Feldkircher Strasse`."""
    words = split_words(text)
    joined = [re.sub("['-]", "", word) for word in JOINED_PATTERN.findall(fold(text))]
    if 1 < len(words) <= MAX_JOINED_WORDS:
        joined.append("".join(words))
    return list(dict.fromkeys(word[:MAX_WORD_LENGTH] for word in joined))


def list_numbers(text: str) -> list[str]:
    """List the house numbers of one address: the one written, then those within its range."""
    numbers: list[str] = []
    for part in re.split("[;,]", fold(text)):
        number = normalise_number(part)
        if not number:
            continue
        numbers.append(number)
        if (bounds := RANGE_PATTERN.fullmatch(number)) is not None:
            first, last = int(bounds[1]), int(bounds[2])
            step = 2 if (last - first) % 2 == 0 else 1
            if 0 < last - first <= step * MAX_NUMBERS_OF_RANGE:
                numbers += [str(number) for number in range(first, last + 1, step)]
    return list(dict.fromkeys(numbers))[: MAX_NUMBERS_OF_RANGE + 2]


def normalise_number(text: str) -> str:
    """Normalise a house number for comparison."""
    return "".join(fold(text).split())[:MAX_WORD_LENGTH]


def parse_query(text: str) -> list[Query]:
    """List the readings of a typed text, the most probable one first.

    A number may be a house number at either end, a postcode, or part of a name.
    """
    tokens = TOKEN_PATTERN.findall(fold(text))[: 2 * MAX_WORDS]
    tokens = [token[:MAX_WORD_LENGTH] for token in _drop_units(tokens)][:MAX_WORDS]
    is_open = bool(text) and not text[-1].isspace()
    readings = [
        _read(tokens, position, is_open=is_open)
        for position, token in enumerate(tokens)
        if NUMBER_PATTERN.fullmatch(token) and len(tokens) > 1
    ]
    words = _words(tokens)
    plain = Query(words, len(words) - 1 if is_open and words else None)
    return [reading for reading in (*readings, plain) if reading.words]


def _drop_units(pieces: Sequence[str]) -> list[str]:
    """Drop the words for a flat with its number, and keep commas away."""
    rest: list[str] = []
    in_unit = False
    for piece in pieces:
        if in_unit and _is_unit(piece):
            in_unit = False
            continue
        in_unit = piece in UNIT_WORDS and any(NUMBER_PATTERN.fullmatch(word) for word in rest)
        if not in_unit and piece != ",":
            rest.append(piece)
    return rest


def _is_unit(piece: str) -> bool:
    return len(piece) == 1 or (piece.isdigit() and len(piece) <= MAX_UNIT_LENGTH)


def _words(tokens: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for token in tokens for word in WORD_PATTERN.findall(token))


def _read(tokens: Sequence[str], position: int, *, is_open: bool) -> Query:
    """Read the token at a position as the house number.

    A letter after it is its suffix or a staircase, and a short number after that is a flat.
    """
    number, after = tokens[position], position + 1
    numbers = [number]
    if after < len(tokens) and len(tokens[after]) == 1 and tokens[after].isalpha():
        numbers.insert(0, number + tokens[after])
        after += 1
        if (
            after < len(tokens)
            and tokens[after].isdigit()
            and len(tokens[after]) <= MAX_FLAT_LENGTH
        ):
            after += 1
    before, behind = _words(tokens[:position]), _words(tokens[after:])
    words = before + behind
    # The word before the number may be a beginning too, as in "Manner 12".
    unfinished = len(words) - 1 if behind else len(before) - 1 if before else None
    unfinished = unfinished if is_open else None
    return Query(words, unfinished, tuple(numbers), is_open and after == len(tokens))


def expand_abbreviation(word: str) -> Iterator[str]:
    """Return words for which a word may stand, such as `strasse` for `str`."""
    yield from ABBREVIATIONS.get(word, ())
    for ending, whole in ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending) + 2:
            yield word[: -len(ending)] + whole


def join_neighbours(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Return the words with two neighbours joined, for each pair: `unionin katu`."""
    for place, (first, second) in enumerate(pairwise(words)):
        if not (first + second).isdigit():
            yield (*words[:place], first + second, *words[place + 2 :])
