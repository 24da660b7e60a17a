"""A recursive-descent parser of formulas, with one token of lookahead."""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, NamedTuple

from pannier.rates.formula.parts import (
    ZERO,
    CallPart,
    ChoicePart,
    FormulaPart,
    NumberPart,
    OperationPart,
    VariablePart,
    collect_names,
    evaluate_constant,
)
from pannier.rates.formula.program import COMPARISONS, FUNCTIONS

VARIABLES: Final = (
    "distance_km", "time_min", "stops", "weight_kg", "volume_m3", "items", "base_fee",
)  # fmt: skip
MAX_LENGTH: Final = 1_000
MAX_DEPTH: Final = 32
_MAX_DIGITS: Final = 18
_VARIADIC: Final = frozenset(("min", "max"))


def parse_formula(text: str) -> FormulaPart:
    """Parse a formula. Raise ValueError if it is invalid."""
    if len(text) > MAX_LENGTH:
        raise ValueError(f"must not be longer than {MAX_LENGTH:,} characters.")
    return _Parser(text).parse()


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?|\.\d+)|(?P<name>[A-Za-z_]\w*)|(?P<mark>[<>=!]=|[-+*/()<>,]))",
    re.ASCII,
)
_END: Final = "end"


def _tokenize(text: str) -> Iterator[_Token]:
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            position += len(text[position:]) - len(text[position:].lstrip())
            raise ValueError(f"has an unexpected '{text[position]}' at character {position + 1}.")
        yield _Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup) + 1)
        position = match.end()
    yield _Token(_END, "", end + 1)


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = _tokenize(text)
        self._token = next(self._tokens)
        self._depth = 0

    def parse(self) -> FormulaPart:
        part = self._parse_expression()
        if self._token.kind != _END:
            raise self._describe_unexpected("an operator")
        return part

    def _parse_expression(self) -> FormulaPart:
        part = self._parse_term()
        while self._token.text in {"+", "-"}:
            part = _make_operation(self._take_token(), part, self._parse_term())
        return part

    def _parse_term(self) -> FormulaPart:
        part = self._parse_factor()
        while self._token.text in {"*", "/"}:
            part = _make_operation(self._take_token(), part, self._parse_factor())
        return part

    def _parse_factor(self) -> FormulaPart:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ValueError(f"must not be nested deeper than {MAX_DEPTH} levels.")
        part = self._parse_atom()
        self._depth -= 1
        return part

    def _parse_atom(self) -> FormulaPart:
        match self._token.kind, self._token.text:
            case "number", _:
                return _parse_number(self._take_token())
            case "name", _:
                return self._parse_name(self._take_token())
            case _, "-":
                return _make_operation(self._take_token(), ZERO, self._parse_factor())
            case _, "(":
                self._expect_symbol("(")
                part = self._parse_expression()
                self._expect_symbol(")")
                return part
        raise self._describe_unexpected("a number, a variable or a function")

    def _parse_name(self, name: str) -> FormulaPart:
        if name == "if":
            return self._parse_choice()
        if name in FUNCTIONS:
            return self._parse_call(name)
        if name in VARIABLES:
            return VariablePart(name)
        raise ValueError(
            f"has no variable or function {name[:40]!r}. There are {', '.join(VARIABLES)}, "
            f"{', '.join(FUNCTIONS)} and if."
        )

    def _parse_call(self, function: str) -> FormulaPart:
        self._expect_symbol("(")
        parts = [self._parse_expression()]
        while function in _VARIADIC and self._token.text == ",":
            self._expect_symbol(",")
            parts.append(self._parse_expression())
        self._expect_symbol(")")
        return _fold_constant(CallPart(function, parts, collect_names(*parts)), *parts)

    def _parse_choice(self) -> FormulaPart:
        self._expect_symbol("(")
        left_part = self._parse_expression()
        if self._token.text not in COMPARISONS:
            raise self._describe_unexpected("a comparison such as >")
        operator, right_part = self._take_token(), self._parse_expression()
        self._expect_symbol(",")
        then_part = self._parse_expression()
        self._expect_symbol(",")
        else_part = self._parse_expression()
        self._expect_symbol(")")
        names = collect_names(left_part, right_part, then_part, else_part)
        choice_part = ChoicePart(operator, left_part, right_part, then_part, else_part, names)
        return _fold_constant(choice_part, left_part, right_part, then_part, else_part)

    def _take_token(self) -> str:
        text, self._token = self._token.text, next(self._tokens, self._token)
        return text

    def _expect_symbol(self, symbol: str) -> None:
        if self._token.text != symbol:
            raise self._describe_unexpected(repr(symbol))
        self._take_token()

    def _describe_unexpected(self, expected: str) -> ValueError:
        actual = "ends" if self._token.kind == _END else f"has {self._token.text[:40]!r}"
        return ValueError(
            f"{actual} at character {self._token.position}, where {expected} should be."
        )


def _make_operation(operator: str, left: FormulaPart, right: FormulaPart) -> FormulaPart:
    operation = OperationPart(operator, left, right, collect_names(left, right))
    divides_by_zero = operator == "/" and right == ZERO
    return operation if divides_by_zero else _fold_constant(operation, left, right)


def _fold_constant(operation: FormulaPart, *parts: FormulaPart) -> FormulaPart:
    """Evaluate a constant part once, instead of for each shipment."""
    is_constant = all(isinstance(part, NumberPart) for part in parts)
    return NumberPart(evaluate_constant(operation)) if is_constant else operation


def _parse_number(text: str) -> FormulaPart:
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"must not have numbers with more than {_MAX_DIGITS} digits.")
    return NumberPart(Fraction(text))
