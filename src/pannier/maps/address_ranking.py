"""Rank the candidates for a typed address. Pure: no index, clock or settings.

The index finds the candidates. Each gets a score from its words, its importance and its distance
from a point.
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
TYPO_COST: Final = 0.25
CONTEXT_COST: Final = 0.05
UNUSED_COST: Final = 0.25
IMPORTANCE_GAIN: Final = 0.15
NEARNESS_GAIN: Final = 0.25
HOUSE_GAIN: Final = 0.1
NO_HOUSE_COST: Final = 0.15
# At this distance, the bonus for nearness is half of its maximum.
NEAR_METRES: Final = 3_000.0
# Minimum lengths of words that may have one typo, and two typos.
ONE_TYPO_LENGTH: Final = 4
TWO_TYPOS_LENGTH: Final = 8
TRIGRAM_LENGTH: Final = 3


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
    """The words that match a typed word, with their costs, and a prefix that matches as well."""

    costs: Mapping[str, float]
    prefix: str | None = None

    def find_cost(self, word: str) -> float | None:
        """Find the cost of matching a word, or return None if it does not match."""
        cost = self.costs.get(word)
        if cost is None and self.prefix is not None and word.startswith(self.prefix):
            return PREFIX_COST
        return cost


class TextScore(NamedTuple):
    """The score of an entry for the typed words, from 0 to 1, and the index of its best name."""

    score: float
    name_index: int


def score_text(matches: Sequence[WordMatch], entry: Entry) -> TextScore | None:
    """Compare an entry with the typed words, or return None if it does not match all of them."""
    name_words = {word for name in entry.name_words for word in (*name.words, *name.joined)}
    all_words = name_words | entry.context
    context_costs = [_find_cheapest(match, all_words) for match in matches]
    best: TextScore | None = None
    for index, name in enumerate(entry.name_words):
        score = _score_name(matches, context_costs, name)
        if score is not None and (best is None or score > best.score):
            best = TextScore(score, index)
    return best


def _score_name(
    matches: Sequence[WordMatch], context_costs: Sequence[float | None], name: NameWords
) -> float | None:
    total_cost = 0.0
    used_words: set[str] = set()
    for match, context_cost in zip(matches, context_costs, strict=True):
        name_match = _match_name(match, name)
        if name_match is not None and (
            context_cost is None or name_match.cost <= context_cost + CONTEXT_COST
        ):
            total_cost += name_match.cost
            used_words.update(name_match.words)
        elif context_cost is None:
            return None
        else:
            total_cost += context_cost + CONTEXT_COST
    if not used_words:
        return None
    unused_share = 1 - len(used_words) / len(set(name.words))
    return max(0.0, 1 - total_cost / len(matches) - UNUSED_COST * unused_share)


class _NameMatch(NamedTuple):
    cost: float
    words: tuple[str, ...]


def _match_name(match: WordMatch, name: NameWords) -> _NameMatch | None:
    """Find the cheapest match with a word of a name, or with several words joined."""
    single_words = [(match.find_cost(word), (word,)) for word in name.words]
    joined_words = [
        (match.find_cost(word), tuple(part for part in name.words if part in word))
        for word in name.joined
    ]
    pairs = (*single_words, *joined_words)
    matches = [_NameMatch(cost, words) for cost, words in pairs if cost is not None]
    return min(matches, key=lambda name_match: name_match.cost, default=None)


def _find_cheapest(match: WordMatch, words: set[str]) -> float | None:
    costs = (match.find_cost(word) for word in words)
    return min((cost for cost in costs if cost is not None), default=None)


def compute_rank(
    text: float, entry: Entry, near: Point | None, *, asks_house: bool, has_house: bool
) -> float:
    """Compute the rank of an entry. Higher ranks are suggested first."""
    score = text + IMPORTANCE_GAIN * entry.importance
    if asks_house:
        score += HOUSE_GAIN if has_house else -NO_HOUSE_COST
    if near is not None:
        score += NEARNESS_GAIN / (1 + geo.distance(near, entry.point) / NEAR_METRES)
    return score


def get_max_typos(word: str) -> int:
    """Return the maximum number of typos in a word. Numbers may have none."""
    if len(word) < ONE_TYPO_LENGTH or any(letter.isdigit() for letter in word):
        return 0
    return 1 if len(word) < TWO_TYPOS_LENGTH else 2


def count_typos(typed: str, word: str, limit: int, *, is_open: bool = False) -> int | None:
    """Count the typos between a typed word and another, or return None if there are too many.

    A typo is a missing, added or wrong letter, or two swapped letters. If the typed word may be
    unfinished, it is compared with all prefixes of the other word.
    """
    if len(typed) - len(word) > limit or (not is_open and len(word) - len(typed) > limit):
        return None
    word = word[: len(typed) + limit]
    over_limit = limit + 1
    previous_row: list[int] = []
    row = list(range(len(word) + 1))
    for position, letter in enumerate(typed, start=1):
        # Only cells near the diagonal can stay within the limit.
        first, last = max(1, position - limit), min(len(word), position + limit)
        next_row = [over_limit] * (len(word) + 1)
        next_row[0] = min(position, over_limit)
        for column in range(first, last + 1):
            cost = row[column - 1] + (letter != word[column - 1])
            cost = min(cost, row[column] + 1, next_row[column - 1] + 1)
            if (
                position > 1 and column > 1
                and letter == word[column - 2] and typed[position - 2] == word[column - 1]
            ):  # fmt: skip
                cost = min(cost, previous_row[column - 2] + 1)
            next_row[column] = cost
        previous_row, row = row, next_row
        if min(row) > limit and min(previous_row) > limit:
            return None
    typos = min(row) if is_open else row[-1]
    return typos if typos <= limit else None


def list_trigrams(word: str) -> list[str]:
    """List the distinct runs of three letters of a word, with a mark before the first letter."""
    marked_word = f"^{word}"
    starts = range(len(marked_word) - TRIGRAM_LENGTH + 1)
    return list(dict.fromkeys(marked_word[start : start + TRIGRAM_LENGTH] for start in starts))
