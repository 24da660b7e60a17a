"""Words and house numbers of addresses, normalised for comparison.

The index and the search split texts with the same functions, so that their words match.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

# Names with their languages.
Names = tuple[tuple[str, str], ...]
# The language of names that are used only for search, never shown.
SEARCH_ONLY: Final = "*"
MAX_WORDS: Final = 10
MAX_WORD_LENGTH: Final = 40
MAX_JOINED_WORDS: Final = 3
MAX_RANGE_NUMBERS: Final = 12
MAX_UNIT_LENGTH: Final = 4
# A flat after a staircase, as in "12 A 5".
MAX_FLAT_LENGTH: Final = 3
# Letters without a decomposition, with their plain spelling.
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
# Abbreviated endings of words that include the type of street.
ENDINGS: Final = {"str": "strasse", "k": "katu", "t": "tie", "g": "gatan", "v": "vagen"}


class Query(NamedTuple):
    """One reading of a typed text: words, and possibly a house number.

    `open_word` is the index of the word that may be unfinished, or None. `is_number_open` is true
    if the text ends with the number, which may be unfinished as well.
    """

    words: tuple[str, ...]
    open_word: int | None = None
    numbers: tuple[str, ...] = ()
    is_number_open: bool = False


@lru_cache(maxsize=16_384)
def fold(text: str) -> str:
    """Remove case and accents from a text."""
    if text.isascii():
        return text.casefold().replace("`", "'")
    decomposed_text = unicodedata.normalize("NFKD", text.casefold().translate(PLAIN_LETTERS))
    return "".join(
        letter for letter in decomposed_text if unicodedata.category(letter)[0] != "M"
    ).casefold()


def split_words(text: str) -> list[str]:
    """Split a name into words without case and accents."""
    return [word[:MAX_WORD_LENGTH] for word in WORD_PATTERN.findall(fold(text))][:MAX_WORDS]


def join_words(text: str) -> list[str]:
    """List the spellings of a name's words as one word: `Saint-Denis`, `Feldkircher Strasse`."""
    words = split_words(text)
    joined_words = [re.sub("['-]", "", word) for word in JOINED_PATTERN.findall(fold(text))]
    if 1 < len(words) <= MAX_JOINED_WORDS:
        joined_words.append("".join(words))
    return list(dict.fromkeys(word[:MAX_WORD_LENGTH] for word in joined_words))


def list_numbers(text: str) -> list[str]:
    """List the house numbers of an address: the written one, then those in its range."""
    numbers: list[str] = []
    for part in re.split("[;,]", fold(text)):
        number = normalise_number(part)
        if not number:
            continue
        numbers.append(number)
        if (bounds := RANGE_PATTERN.fullmatch(number)) is not None:
            first_number, last_number = int(bounds[1]), int(bounds[2])
            step = 2 if (last_number - first_number) % 2 == 0 else 1
            if 0 < last_number - first_number <= step * MAX_RANGE_NUMBERS:
                numbers += [str(number) for number in range(first_number, last_number + 1, step)]
    return list(dict.fromkeys(numbers))[: MAX_RANGE_NUMBERS + 2]


def normalise_number(text: str) -> str:
    """Normalise a house number for comparison."""
    return "".join(fold(text).split())[:MAX_WORD_LENGTH]


def parse_query(text: str) -> list[Query]:
    """Parse a typed text into its readings, most probable first.

    A number may be a house number at either end, a postcode, or part of a name.
    """
    tokens = TOKEN_PATTERN.findall(fold(text))[: 2 * MAX_WORDS]
    tokens = [token[:MAX_WORD_LENGTH] for token in _drop_units(tokens)][:MAX_WORDS]
    is_open = bool(text) and not text[-1].isspace()
    readings = [
        _read_number(tokens, position, is_open=is_open)
        for position, token in enumerate(tokens)
        if NUMBER_PATTERN.fullmatch(token) and len(tokens) > 1
    ]
    words = _list_words(tokens)
    without_number = Query(words, len(words) - 1 if is_open and words else None)
    return [reading for reading in (*readings, without_number) if reading.words]


def _drop_units(tokens: Sequence[str]) -> list[str]:
    """Drop commas, and the words for a flat with its number."""
    address_tokens: list[str] = []
    is_in_unit = False
    for text in tokens:
        if is_in_unit and _is_unit(text):
            is_in_unit = False
            continue
        has_number = any(NUMBER_PATTERN.fullmatch(word) for word in address_tokens)
        is_in_unit = text in UNIT_WORDS and has_number
        if not is_in_unit and text != ",":
            address_tokens.append(text)
    return address_tokens


def _is_unit(text: str) -> bool:
    return len(text) == 1 or (text.isdigit() and len(text) <= MAX_UNIT_LENGTH)


def _list_words(tokens: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for token in tokens for word in WORD_PATTERN.findall(token))


def _read_number(tokens: Sequence[str], position: int, *, is_open: bool) -> Query:
    """Read the token at a position as the house number.

    A letter after it is a suffix or a staircase. A short number after the letter is a flat.
    """
    number, end = tokens[position], position + 1
    numbers = [number]
    if end < len(tokens) and len(tokens[end]) == 1 and tokens[end].isalpha():
        numbers.insert(0, number + tokens[end])
        end += 1
        if end < len(tokens) and tokens[end].isdigit() and len(tokens[end]) <= MAX_FLAT_LENGTH:
            end += 1
    street_words, city_words = _list_words(tokens[:position]), _list_words(tokens[end:])
    words = street_words + city_words
    # The word before the number may be unfinished as well, as in "Manner 12".
    open_word = len(words) - 1 if is_open and words else None
    return Query(words, open_word, tuple(numbers), is_open and end == len(tokens))


def expand_abbreviation(word: str) -> Iterator[str]:
    """Yield the words that an abbreviation can stand for, such as `strasse` for `str`."""
    yield from ABBREVIATIONS.get(word, ())
    for ending, full_ending in ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending) + 2:
            yield word[: -len(ending)] + full_ending


def join_neighbours(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the words with two neighbours joined, for each pair, such as `unionin katu`."""
    for position, (first, second) in enumerate(pairwise(words)):
        if not (first + second).isdigit():
            yield (*words[:position], first + second, *words[position + 2 :])
