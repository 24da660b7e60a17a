"""Rank the possible meanings of a typed address. Pure: no index, clock or settings.

The index proposes streets and places; here each gets a score from its words, its importance and its
distance from a point.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from pannier.kit import geo
from pannier.kit.geo import Point

Kind = Literal["street", "place", "postcode"]
# Costs of an inexact match. A missing word costs 1.
ABBREVIATION_COST: Final = 0.05
PREFIX_COST: Final = 0.1
SLIP_COST: Final = 0.25
CONTEXT_COST: Final = 0.05
UNUSED_COST: Final = 0.25
IMPORTANCE_GAIN: Final = 0.15
NEARNESS_GAIN: Final = 0.25
HOUSE_GAIN: Final = 0.1
NO_HOUSE_COST: Final = 0.15
# At this distance, the bonus for nearness is half of its maximum.
NEAR_METRES: Final = 3_000.0
# Minimum lengths of words that may have one slip, and two slips.
ONE_SLIP_LENGTH: Final = 4
TWO_SLIPS_LENGTH: Final = 8
TRIGRAM: Final = 3


class NameWords(NamedTuple):
    """The words of a name, and their spellings as one word."""

    words: tuple[str, ...]
    joined: tuple[str, ...] = ()


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A street, place or postcode. `names` are pairs of a language and a name, the local one first.

    `name_words` are the words of each name, and `context` the words of its city and region.
    """

    id: int
    kind: Kind
    names: tuple[tuple[str, str], ...]
    name_words: tuple[NameWords, ...]
    context: frozenset[str]
    importance: float
    point: Point
    place: int | None = None
    city: str | None = None
    postal_code: str | None = None
    country: str | None = None
    houses: int = 0


class WordMatch(NamedTuple):
    """The matches of a typed word: some words, each at a cost, and all that begin with it."""

    costs: Mapping[str, float]
    prefix: str | None = None

    def cost(self, word: str) -> float | None:
        """Return the cost of matching a word, or None if it does not match."""
        known = self.costs.get(word)
        if known is None and self.prefix is not None and word.startswith(self.prefix):
            return PREFIX_COST
        return known


class TextScore(NamedTuple):
    """The score of an entry for the typed words, from 0 to 1, and the name that matched."""

    score: float
    name: int


def score_text(matches: Sequence[WordMatch], entry: Entry) -> TextScore | None:
    """Compare an entry with the typed words, or return None if it does not match all of them."""
    own_words = {word for name in entry.name_words for word in (*name.words, *name.joined)}
    other_words = own_words | entry.context
    context_costs = [_find_cheapest(match, other_words) for match in matches]
    best: TextScore | None = None
    for place, name in enumerate(entry.name_words):
        score = _score_name(matches, context_costs, name)
        if score is not None and (best is None or score > best.score):
            best = TextScore(score, place)
    return best


def _score_name(
    matches: Sequence[WordMatch], context_costs: Sequence[float | None], name: NameWords
) -> float | None:
    total = 0.0
    used: set[str] = set()
    for match, context_cost in zip(matches, context_costs, strict=True):
        own = _match_name(match, name)
        if own is not None and (context_cost is None or own.cost <= context_cost + CONTEXT_COST):
            total += own.cost
            used.update(own.words)
        elif context_cost is None:
            return None
        else:
            total += context_cost + CONTEXT_COST
    if not used:
        return None
    unused = 1 - len(used) / len(set(name.words))
    return max(0.0, 1 - total / len(matches) - UNUSED_COST * unused)


class _NameMatch(NamedTuple):
    cost: float
    words: tuple[str, ...]


def _match_name(match: WordMatch, name: NameWords) -> _NameMatch | None:
    """Return the cheapest match with a word of a name, or with several that are written as one."""
    single = [(match.cost(word), (word,)) for word in name.words]
    whole = [
        (match.cost(word), tuple(part for part in name.words if part in word))
        for word in name.joined
    ]
    found = [_NameMatch(cost, words) for cost, words in (*single, *whole) if cost is not None]
    return min(found, key=lambda one: one.cost, default=None)


def _find_cheapest(match: WordMatch, words: set[str]) -> float | None:
    costs = (match.cost(word) for word in words)
    return min((cost for cost in costs if cost is not None), default=None)


def rank(
    text: float, entry: Entry, near: Point | None, *, asks_house: bool, has_house: bool
) -> float:
    """Return the rank of an entry: the higher, the earlier it is suggested."""
    score = text + IMPORTANCE_GAIN * entry.importance
    if asks_house:
        score += HOUSE_GAIN if has_house else -NO_HOUSE_COST
    if near is not None:
        score += NEARNESS_GAIN / (1 + geo.distance(near, entry.point) / NEAR_METRES)
    return score


def max_slips(word: str) -> int:
    """Return the maximum number of slips in a word of this length. Numbers have none."""
    if len(word) < ONE_SLIP_LENGTH or any(letter.isdigit() for letter in word):
        return 0
    return 1 if len(word) < TWO_SLIPS_LENGTH else 2


def count_slips(typed: str, word: str, limit: int, *, is_open: bool = False) -> int | None:
    """Count the slips between a typed word and another, or return None if there are too many.

    A slip is a letter that is missing, added or wrong, or two that changed places. If the typed
    word may be unfinished, the beginning of the other that is nearest counts.
    """
    if len(typed) - len(word) > limit or (not is_open and len(word) - len(typed) > limit):
        return None
    word = word[: len(typed) + limit]
    above = limit + 1
    before: list[int] = []
    row = list(range(len(word) + 1))
    for position, letter in enumerate(typed, start=1):
        # Only cells near the diagonal can stay within the limit.
        first, last = max(1, position - limit), min(len(word), position + limit)
        next_row = [above] * (len(word) + 1)
        next_row[0] = min(position, above)
        for column in range(first, last + 1):
            cost = row[column - 1] + (letter != word[column - 1])
            cost = min(cost, row[column] + 1, next_row[column - 1] + 1)
            if (
                position > 1 and column > 1
                and letter == word[column - 2] and typed[position - 2] == word[column - 1]
            ):  # fmt: skip
                cost = min(cost, before[column - 2] + 1)
            next_row[column] = cost
        before, row = row, next_row
        if min(row) > limit and min(before) > limit:
            return None
    slips = min(row) if is_open else row[-1]
    return slips if slips <= limit else None


def list_trigrams(word: str) -> list[str]:
    """List the runs of three letters of a word, with a mark at its beginning."""
    marked = f"^{word}"
    return list(dict.fromkeys(marked[at : at + TRIGRAM] for at in range(len(marked) - TRIGRAM + 1)))
