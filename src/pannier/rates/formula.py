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

A formula is compiled once into a program for a stack of pairs of whole numbers, a numerator and a
positive denominator. Pairs are not reduced to lowest terms: that would cost more than it saves,
because they never have more digits than all numbers of the formula together. A program is made of
texts, numbers and tuples of them alone: a process keeps thousands, and the garbage collector need
not walk through any.
"""

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import msgspec

from pannier.kit.money import half_up

VARIABLES: Final = (
    "distance_km", "time_min", "stops", "weight_kg", "volume_m3", "items", "base_fee",
)  # fmt: skip
LONGEST: Final = 1_000
# Refused at save. Longer formulas that were saved before are still priced.
MAX_OPERATIONS: Final = 64
DEEPEST: Final = 32
_MOST_DIGITS: Final = 18

# A numerator and a denominator above zero.
Ratio: TypeAlias = tuple[int, int]
Values: TypeAlias = Mapping[str, Ratio]
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

    @property
    def operations(self) -> int:
        """Count the operations of its evaluation."""

    def emit(self, program: "Program") -> None:
        """Add the instructions that leave its value on the stack."""

    def signs(self, known: Known) -> Signs:
        """Tell which signs its value can have; a ValueError when it could divide by zero."""


class Number(msgspec.Struct, frozen=True):
    """A number as it is written."""

    number: Fraction
    names: frozenset[str] = frozenset()

    @property
    def operations(self) -> int:
        """None: it is known beforehand."""
        return 0

    def emit(self, program: "Program") -> None:
        """Push the number."""
        program.add(PUSH, self.number.as_integer_ratio())

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

    @property
    def operations(self) -> int:
        """None: looking it up costs next to nothing."""
        return 0

    def emit(self, program: "Program") -> None:
        """Push its value."""
        program.add(LOAD, self.name)

    def signs(self, known: Known) -> Signs:
        """Tell what is known of it here."""
        return known[self.name]


class Operation(msgspec.Struct, frozen=True):
    """Two parts added, subtracted, multiplied or divided."""

    mark: str
    left: Part
    right: Part
    names: frozenset[str]

    @property
    def operations(self) -> int:
        """Count those of both parts and this one."""
        return self.left.operations + self.right.operations + 1

    def emit(self, program: "Program") -> None:
        """Evaluate both parts, then combine them."""
        self.left.emit(program)
        self.right.emit(program)
        program.add(self.mark)

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

    @property
    def operations(self) -> int:
        """Count those of the parts, and one for each of them."""
        return sum(part.operations + 1 for part in self.parts)

    def emit(self, program: "Program") -> None:
        """Evaluate the parts, then apply the function."""
        for part in self.parts:
            part.emit(program)
        program.add(self.function, len(self.parts))

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

    @property
    def operations(self) -> int:
        """Count those of all parts, although one branch is never evaluated, and the comparison."""
        parts = (self.left, self.right, self.then, self.otherwise)
        return sum(part.operations for part in parts) + 1

    def emit(self, program: "Program") -> None:
        """Compare, then evaluate the chosen branch."""
        self.left.emit(program)
        self.right.emit(program)
        comparison = program.add(self.mark)
        self.then.emit(program)
        skip = program.add(JUMP)
        program.aim(comparison)
        self.otherwise.emit(program)
        program.aim(skip)

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
            return _narrowed(known, self.left.name, mark, _constant(self.right))
        if isinstance(self.right, Variable) and not self.left.names:
            return _narrowed(known, self.right.name, _MIRRORED[mark], _constant(self.left))
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


def _add(above: int, below: int, other_above: int, other_below: int) -> Ratio:
    return above * other_below + other_above * below, below * other_below


def _subtract(above: int, below: int, other_above: int, other_below: int) -> Ratio:
    return above * other_below - other_above * below, below * other_below


def _multiply(above: int, below: int, other_above: int, other_below: int) -> Ratio:
    return above * other_above, below * other_below


def _divide(above: int, below: int, other_above: int, other_below: int) -> Ratio:
    if other_above < 0:
        return -above * other_below, below * -other_above
    return above * other_below, below * other_above


def _largest(ratios: Sequence[Ratio]) -> Ratio:
    return reduce(lambda one, two: two if two[0] * one[1] > one[0] * two[1] else one, ratios)


def _smallest(ratios: Sequence[Ratio]) -> Ratio:
    return reduce(lambda one, two: two if two[0] * one[1] < one[0] * two[1] else one, ratios)


_ARITHMETIC: Final[Mapping[str, Callable[[int, int, int, int], Ratio]]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
}
_COMBINED: Final[Mapping[str, Callable[[int, int], Signs]]] = {
    "+": _added,
    "-": lambda left, right: _added(left, -right),
    "*": lambda left, right: frozenset((left * right,)),
    "/": lambda left, right: frozenset((left * right,)),
}
_FUNCTIONS: Final[Mapping[str, Callable[[Sequence[Ratio]], Ratio]]] = {
    "min": _smallest,
    "max": _largest,
    "ceil": lambda ratios: (-(-ratios[0][0] // ratios[0][1]), 1),
    "floor": lambda ratios: (ratios[0][0] // ratios[0][1], 1),
    "round": lambda ratios: (half_up(*ratios[0]), 1),
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
_COMPARISONS: Final[Mapping[str, Callable[[Fraction | int, Fraction | int], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_OPPOSITES: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


# Instructions besides operators and functions. A comparison jumps to its argument unless it holds.
PUSH, LOAD, JUMP = "push", "load", "jump"


class Program:
    """The instructions of a formula while it is compiled: what to do, and with what."""

    def __init__(self, part: Part) -> None:
        self.codes: list[str] = []
        self.arguments: list[Any] = []
        part.emit(self)

    def add(self, code: str, argument: Ratio | str | int = 0) -> int:
        """Add an instruction; return its place."""
        self.codes.append(code)
        self.arguments.append(argument)
        return len(self.codes) - 1

    def aim(self, jump: int) -> None:
        """Let a jump lead to what is added next."""
        self.arguments[jump] = len(self.codes)


class Formula:
    """A formula that is ready to be evaluated."""

    __slots__ = ("_arguments", "_codes", "names")

    def __init__(self, text: str) -> None:
        """Parse and compile it; a ValueError says what is wrong."""
        part = parse(text)
        self.names = part.names
        program = Program(part)
        self._codes, self._arguments = tuple(program.codes), tuple(program.arguments)

    def evaluate(self, values: Values) -> Ratio:
        """Return its value, given those of its variables."""
        return _run(self._codes, self._arguments, values)


def _run(codes: Sequence[str], arguments: Sequence[Any], values: Values) -> Ratio:
    stack: list[Ratio] = []
    at, end = 0, len(codes)
    while at < end:
        code, argument = codes[at], arguments[at]
        at += 1
        if code == PUSH:
            stack.append(argument)
        elif code == LOAD:
            stack.append(values[argument])
        elif code in _ARITHMETIC:
            other_above, other_below = stack.pop()
            above, below = stack[-1]
            stack[-1] = _ARITHMETIC[code](above, below, other_above, other_below)
        elif code in _FUNCTIONS:
            stack[-argument:] = [_FUNCTIONS[code](stack[-argument:])]
        elif code == JUMP:
            at = argument
        else:
            other_above, other_below = stack.pop()
            above, below = stack.pop()
            if not _COMPARISONS[code](above * other_below, other_above * below):
                at = argument
    return stack[0]


def parse(text: str) -> Part:
    """Parse a formula; a ValueError says what is wrong with it."""
    if len(text) > LONGEST:
        raise ValueError(f"must not be longer than {LONGEST:,} characters.")
    return _Reader(text).whole()


def check(text: str) -> None:
    """Refuse a formula with a ValueError.

    It is unreadable, has too many operations, or could divide by zero.
    """
    part = parse(text)
    if part.operations > MAX_OPERATIONS:
        raise ValueError(
            f"has {part.operations} operations; at most {MAX_OPERATIONS} are allowed. "
            "Combine terms, or split the formula into several rates."
        )
    part.signs(_KNOWN)


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
    return Number(_constant(whole)) if constant else whole


def _constant(part: Part) -> Fraction:
    """Evaluate a part that depends on no variable."""
    program = Program(part)
    return Fraction(*_run(program.codes, program.arguments, {}))


def _number(text: str) -> Part:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"must not have numbers of more than {_MOST_DIGITS} digits.")
    return Number(Fraction(text))


def _names(*parts: Part) -> frozenset[str]:
    return frozenset(name for part in parts for name in part.names)
