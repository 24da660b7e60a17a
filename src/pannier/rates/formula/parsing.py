"""A recursive-descent parser of formulas, with one token of lookahead."""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, NamedTuple

from pannier.rates.formula.parts import (
    ZERO,
    Call,
    Choice,
    Number,
    Operation,
    Part,
    Variable,
    constant_value,
    names_of,
)
from pannier.rates.formula.program import COMPARISONS, FUNCTIONS

VARIABLES: Final = (
    "distance_km", "time_min", "stops", "weight_kg", "volume_m3", "items", "base_fee",
)  # fmt: skip
LONGEST: Final = 1_000
DEEPEST: Final = 32
_MOST_DIGITS: Final = 18
_SEVERAL: Final = frozenset(("min", "max"))


def parse(text: str) -> Part:
    """Parse a formula. A ValueError says what is wrong with it."""
    if len(text) > LONGEST:
        raise ValueError(f"must not be longer than {LONGEST:,} characters.")
    return _Reader(text).whole()


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?|\.\d+)|(?P<name>[A-Za-z_]\w*)|(?P<mark>[<>=!]=|[-+*/()<>,]))",
    re.ASCII,
)
_END: Final = "end"


def _tokens(text: str) -> Iterator[_Token]:
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if found is None or found.lastgroup is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            raise ValueError(f"has an unexpected '{text[at]}' at character {at + 1}.")
        yield _Token(found.lastgroup, found[found.lastgroup], found.start(found.lastgroup) + 1)
        at = found.end()
    yield _Token(_END, "", end + 1)


class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._next = next(self._tokens)
        self._depth = 0

    def whole(self) -> Part:
        part = self._expression()
        if self._next.kind != _END:
            raise self._describe_unexpected("an operator")
        return part

    def _expression(self) -> Part:
        part = self._term()
        while self._next.text in {"+", "-"}:
            part = _operation(self._take(), part, self._term())
        return part

    def _term(self) -> Part:
        part = self._factor()
        while self._next.text in {"*", "/"}:
            part = _operation(self._take(), part, self._factor())
        return part

    def _factor(self) -> Part:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ValueError(f"must not be nested more than {DEEPEST} deep.")
        part = self._atom()
        self._depth -= 1
        return part

    def _atom(self) -> Part:
        match self._next.kind, self._next.text:
            case "number", _:
                return _number(self._take())
            case "name", _:
                return self._read_name(self._take())
            case _, "-":
                return _operation(self._take(), ZERO, self._factor())
            case _, "(":
                self._expect("(")
                part = self._expression()
                self._expect(")")
                return part
        raise self._describe_unexpected("a number, a variable or a function")

    def _read_name(self, name: str) -> Part:
        if name == "if":
            return self._choice()
        if name in FUNCTIONS:
            return self._call(name)
        if name in VARIABLES:
            return Variable(name)
        raise ValueError(
            f"has no variable or function {name[:40]!r}. There are {', '.join(VARIABLES)}, "
            f"{', '.join(FUNCTIONS)} and if."
        )

    def _call(self, function: str) -> Part:
        self._expect("(")
        parts = [self._expression()]
        while function in _SEVERAL and self._next.text == ",":
            self._expect(",")
            parts.append(self._expression())
        self._expect(")")
        return _fold(Call(function, parts, names_of(*parts)), *parts)

    def _choice(self) -> Part:
        self._expect("(")
        left = self._expression()
        if self._next.text not in COMPARISONS:
            raise self._describe_unexpected("a comparison such as >")
        mark, right = self._take(), self._expression()
        self._expect(",")
        then = self._expression()
        self._expect(",")
        otherwise = self._expression()
        self._expect(")")
        names = names_of(left, right, then, otherwise)
        chosen = Choice(mark, left, right, then, otherwise, names)
        return _fold(chosen, left, right, then, otherwise)

    def _take(self) -> str:
        text, self._next = self._next.text, next(self._tokens, self._next)
        return text

    def _expect(self, mark: str) -> None:
        if self._next.text != mark:
            raise self._describe_unexpected(repr(mark))
        self._take()

    def _describe_unexpected(self, wanted: str) -> ValueError:
        found = "ends" if self._next.kind == _END else f"has {self._next.text[:40]!r}"
        return ValueError(f"{found} at character {self._next.at}, where {wanted} should be.")


def _operation(mark: str, left: Part, right: Part) -> Part:
    whole = Operation(mark, left, right, names_of(left, right))
    by_zero = mark == "/" and right == ZERO
    return whole if by_zero else _fold(whole, left, right)


def _fold(whole: Part, *parts: Part) -> Part:
    """Evaluate a constant part once, instead of for each shipment."""
    constant = all(isinstance(part, Number) for part in parts)
    return Number(constant_value(whole)) if constant else whole


def _number(text: str) -> Part:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"must not have numbers with more than {_MOST_DIGITS} digits.")
    return Number(Fraction(text))
