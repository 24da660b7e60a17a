"""The language of formulas: read by a parser of our own, reckoned in exact fractions. Pure rules.

    expression  = term { ("+" | "-") term }
    term        = factor { ("*" | "/") factor }
    factor      = "-" factor | number | variable | "(" expression ")" | call
    call        = ("min" | "max") "(" expression { "," expression } ")"
                | ("ceil" | "floor" | "round") "(" expression ")"
                | "if" "(" expression comparison expression "," expression "," expression ")"
    comparison  = "<" | "<=" | ">" | ">=" | "==" | "!="

A formula that could divide by zero is refused before it is kept. For that, each part of it is
asked which signs its value can have: a denominator must never be zero.
"""

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import product
from typing import Final, NamedTuple, Protocol, TypeAlias

import msgspec

from pannier.kit.money import half_up

VARIABLES: Final = (
    "distance_km", "time_min", "stops", "weight_kg", "volume_m3", "items", "base_fee",
)  # fmt: skip
LONGEST: Final = 1_000
DEEPEST: Final = 32
_MOST_DIGITS: Final = 18

Values: TypeAlias = Mapping[str, Fraction]
# Those of -1, 0 and 1 that a value can have.
Signs: TypeAlias = frozenset[int]
Known: TypeAlias = Mapping[str, Signs]

_ANY: Final = frozenset((-1, 0, 1))
_NEVER_BELOW: Final = frozenset((0, 1))
_KNOWN: Final[Known] = dict.fromkeys(VARIABLES, _NEVER_BELOW) | {"stops": frozenset((1,))}
_BY_ZERO: Final = (
    "could divide by zero; keep the denominator above it, as in max(items, 1), "
    "or ask before, as in if(items > 0, distance_km / items, 0)."
)


class Part(Protocol):
    """A piece of a formula."""

    @property
    def names(self) -> frozenset[str]:
        """The variables that it depends on."""

    def value(self, values: Values) -> Fraction:
        """Reckon it."""

    def signs(self, known: Known) -> Signs:
        """Tell which signs its value can have; a ValueError when it could divide by zero."""


class Number(msgspec.Struct, frozen=True):
    """A number as it is written."""

    number: Fraction
    names: frozenset[str] = frozenset()

    def value(self, _: Values) -> Fraction:
        """Answer the number."""
        return self.number

    def signs(self, _: Known) -> Signs:
        """Tell its sign."""
        return frozenset((_sign(self.number),))


_ZERO: Final = Number(Fraction(0))


class Variable(msgspec.Struct, frozen=True):
    """Something about a shipment or its rate."""

    name: str

    @property
    def names(self) -> frozenset[str]:
        """Itself."""
        return frozenset((self.name,))

    def value(self, values: Values) -> Fraction:
        """Look its value up."""
        return values[self.name]

    def signs(self, known: Known) -> Signs:
        """Tell what is known of it here."""
        return known[self.name]


class Operation(msgspec.Struct, frozen=True):
    """Two parts added, subtracted, multiplied or divided."""

    mark: str
    left: Part
    right: Part
    names: frozenset[str]

    def value(self, values: Values) -> Fraction:
        """Reckon both parts, then the whole."""
        return _ARITHMETIC[self.mark](self.left.value(values), self.right.value(values))

    def signs(self, known: Known) -> Signs:
        """Combine the signs of both parts, and see that no denominator can be zero."""
        left, right = self.left.signs(known), self.right.signs(known)
        if self.mark == "/" and 0 in right:
            raise ValueError(_BY_ZERO)
        return _every(_COMBINED[self.mark], left, right)


class Call(msgspec.Struct, frozen=True):
    """A function of one or several parts."""

    function: str
    parts: Sequence[Part]
    names: frozenset[str]

    def value(self, values: Values) -> Fraction:
        """Reckon the parts, then the function."""
        return Fraction(_FUNCTIONS[self.function]([part.value(values) for part in self.parts]))

    def signs(self, known: Known) -> Signs:
        """Combine the signs of the parts, one after the other."""
        each = [part.signs(known) for part in self.parts]
        combine = _RESULTS[self.function]
        first = frozenset(sign for one in each[0] for sign in combine(one, one))
        return reduce(lambda found, more: _every(combine, found, more), each[1:], first)


class Choice(msgspec.Struct, frozen=True):
    """One of two parts, as a comparison says; the other one is not reckoned."""

    mark: str
    left: Part
    right: Part
    then: Part
    otherwise: Part
    names: frozenset[str]

    def value(self, values: Values) -> Fraction:
        """Compare, then reckon what was chosen."""
        holds = _COMPARISONS[self.mark](self.left.value(values), self.right.value(values))
        return (self.then if holds else self.otherwise).value(values)

    def signs(self, known: Known) -> Signs:
        """Ask each branch, knowing what must be so for it to be chosen."""
        self.left.signs(known)
        self.right.signs(known)
        then = self._learned(known, self.mark)
        otherwise = self._learned(known, _OPPOSITES[self.mark])
        return self.then.signs(then) | self.otherwise.signs(otherwise)

    def _learned(self, known: Known, mark: str) -> Known:
        """Learn from the comparison of a variable with a constant."""
        if isinstance(self.left, Variable) and not self.right.names:
            return _narrowed(known, self.left.name, mark, self.right.value({}))
        if isinstance(self.right, Variable) and not self.left.names:
            return _narrowed(known, self.right.name, _MIRRORED[mark], self.left.value({}))
        return known


def _narrowed(known: Known, name: str, mark: str, constant: Fraction) -> Known:
    """Keep of a variable's signs those with a value that compares so."""
    # Beside the constant and far from it: of each sign, one of these compares so if any does.
    samples = (constant - 1, constant, constant + 1, Fraction(constant) / 2, 0, -1, 1)
    compare = _COMPARISONS[mark]
    possible = {_sign(sample) for sample in samples if compare(sample, constant)}
    return {**known, name: known[name] & possible}


def _sign(number: Fraction | int) -> int:
    return (number > 0) - (number < 0)


def _every(combine: Callable[[int, int], Signs], left: Signs, right: Signs) -> Signs:
    return frozenset(sign for pair in product(left, right) for sign in combine(*pair))


def _added(left: int, right: int) -> Signs:
    return _ANY if left * right < 0 else frozenset((_sign(left + right),))


_ARITHMETIC: Final[Mapping[str, Callable[[Fraction, Fraction], Fraction]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_COMBINED: Final[Mapping[str, Callable[[int, int], Signs]]] = {
    "+": _added,
    "-": lambda left, right: _added(left, -right),
    "*": lambda left, right: frozenset((left * right,)),
    "/": lambda left, right: frozenset((left * right,)),
}
_FUNCTIONS: Final[Mapping[str, Callable[[Sequence[Fraction]], Fraction | int]]] = {
    "min": min,
    "max": max,
    "ceil": lambda parts: math.ceil(parts[0]),
    "floor": lambda parts: math.floor(parts[0]),
    "round": lambda parts: half_up(parts[0].numerator, parts[0].denominator),
}
# Those of one part get its sign twice.
_RESULTS: Final[Mapping[str, Callable[[int, int], Signs]]] = {
    "min": lambda one, other: frozenset((min(one, other),)),
    "max": lambda one, other: frozenset((max(one, other),)),
    "ceil": lambda sign, _: frozenset((1,)) if sign > 0 else frozenset((sign, 0)),
    "floor": lambda sign, _: frozenset((-1,)) if sign < 0 else frozenset((sign, 0)),
    "round": lambda sign, _: frozenset((sign, 0)),
}
_SEVERAL: Final = frozenset(("min", "max"))
_COMPARISONS: Final[Mapping[str, Callable[[Fraction | int, Fraction], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_OPPOSITES: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


@lru_cache(maxsize=2048)
def parsed(text: str) -> Part:
    """Read a formula; a ValueError says what is wrong with it."""
    if len(text) > LONGEST:
        raise ValueError(f"must not be longer than {LONGEST:,} characters.")
    return _Reader(text).whole()


def check(text: str) -> None:
    """Refuse, with a ValueError, a formula that cannot be read or that could divide by zero."""
    parsed(text).signs(_KNOWN)


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
            raise ValueError(f"has {text[at]!r} at character {at + 1}, which means nothing here.")
        yield _Token(found.lastgroup, found[found.lastgroup], found.start(found.lastgroup) + 1)
        at = found.end()
    yield _Token(_END, "", end + 1)


class _Reader:
    """Reads a formula from left to right, one token ahead."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._next = next(self._tokens)
        self._depth = 0

    def whole(self) -> Part:
        part = self._expression()
        if self._next.kind != _END:
            raise self._unexpected("an operator")
        return part

    def _expression(self) -> Part:
        part = self._term()
        while self._next.text in {"+", "-"}:
            part = _operation(self._taken(), part, self._term())
        return part

    def _term(self) -> Part:
        part = self._factor()
        while self._next.text in {"*", "/"}:
            part = _operation(self._taken(), part, self._factor())
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
                return _number(self._taken())
            case "name", _:
                return self._named(self._taken())
            case _, "-":
                return _operation(self._taken(), _ZERO, self._factor())
            case _, "(":
                self._expect("(")
                part = self._expression()
                self._expect(")")
                return part
        raise self._unexpected("a number, a variable or a function")

    def _named(self, name: str) -> Part:
        if name == "if":
            return self._choice()
        if name in _FUNCTIONS:
            return self._call(name)
        if name in VARIABLES:
            return Variable(name)
        raise ValueError(
            f"has no variable or function {name[:40]!r}; there are {', '.join(VARIABLES)}, "
            f"{', '.join(_FUNCTIONS)} and if."
        )

    def _call(self, function: str) -> Part:
        self._expect("(")
        parts = [self._expression()]
        while function in _SEVERAL and self._next.text == ",":
            self._expect(",")
            parts.append(self._expression())
        self._expect(")")
        return _folded(Call(function, parts, _names(*parts)), *parts)

    def _choice(self) -> Part:
        self._expect("(")
        left = self._expression()
        if self._next.text not in _COMPARISONS:
            raise self._unexpected("a comparison such as >")
        mark, right = self._taken(), self._expression()
        self._expect(",")
        then = self._expression()
        self._expect(",")
        otherwise = self._expression()
        self._expect(")")
        names = _names(left, right, then, otherwise)
        chosen = Choice(mark, left, right, then, otherwise, names)
        return _folded(chosen, left, right, then, otherwise)

    def _taken(self) -> str:
        text, self._next = self._next.text, next(self._tokens, self._next)
        return text

    def _expect(self, mark: str) -> None:
        if self._next.text != mark:
            raise self._unexpected(repr(mark))
        self._taken()

    def _unexpected(self, wanted: str) -> ValueError:
        found = "ends" if self._next.kind == _END else f"has {self._next.text[:40]!r}"
        return ValueError(f"{found} at character {self._next.at}, where {wanted} should be.")


def _operation(mark: str, left: Part, right: Part) -> Part:
    whole = Operation(mark, left, right, _names(left, right))
    by_zero = mark == "/" and right == _ZERO
    return whole if by_zero else _folded(whole, left, right)


def _folded(whole: Part, *parts: Part) -> Part:
    """Reckon what is made of numbers alone at once, so that no part of it is reckoned again."""
    constant = all(isinstance(part, Number) for part in parts)
    return Number(whole.value({})) if constant else whole


def _number(text: str) -> Part:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"must not have numbers of more than {_MOST_DIGITS} digits.")
    return Number(Fraction(text))


def _names(*parts: Part) -> frozenset[str]:
    return frozenset(name for part in parts for name in part.names)
