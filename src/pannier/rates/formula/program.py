"""Compiled formulas: instructions for a stack of fractions.

A fraction is a pair of a numerator and a positive denominator. Fractions are not reduced to lowest
terms: that would cost more than it saves, because they never have more digits than all numbers of
the formula together. A program consists only of strings, numbers and tuples of them. A process
keeps thousands of programs, which the garbage collector then need not traverse.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any, Final, TypeAlias

from pannier.kit.money import divide_half_up

# A numerator and a positive denominator.
Ratio: TypeAlias = tuple[int, int]
Values: TypeAlias = Mapping[str, Ratio]


def _add(numerator: int, denominator: int, other_numerator: int, other_denominator: int) -> Ratio:
    return (
        numerator * other_denominator + other_numerator * denominator,
        denominator * other_denominator,
    )


def _subtract(
    numerator: int, denominator: int, other_numerator: int, other_denominator: int
) -> Ratio:
    return (
        numerator * other_denominator - other_numerator * denominator,
        denominator * other_denominator,
    )


def _multiply(
    numerator: int, denominator: int, other_numerator: int, other_denominator: int
) -> Ratio:
    return numerator * other_numerator, denominator * other_denominator


def _divide(
    numerator: int, denominator: int, other_numerator: int, other_denominator: int
) -> Ratio:
    if other_numerator < 0:
        return -numerator * other_denominator, denominator * -other_numerator
    return numerator * other_denominator, denominator * other_numerator


def _find_largest(ratios: Sequence[Ratio]) -> Ratio:
    return reduce(lambda a, b: b if b[0] * a[1] > a[0] * b[1] else a, ratios)


def _find_smallest(ratios: Sequence[Ratio]) -> Ratio:
    return reduce(lambda a, b: b if b[0] * a[1] < a[0] * b[1] else a, ratios)


ARITHMETIC: Final[Mapping[str, Callable[[int, int, int, int], Ratio]]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
}
FUNCTIONS: Final[Mapping[str, Callable[[Sequence[Ratio]], Ratio]]] = {
    "min": _find_smallest,
    "max": _find_largest,
    "ceil": lambda ratios: (-(-ratios[0][0] // ratios[0][1]), 1),
    "floor": lambda ratios: (ratios[0][0] // ratios[0][1], 1),
    "round": lambda ratios: (divide_half_up(*ratios[0]), 1),
}
COMPARISONS: Final[Mapping[str, Callable[[Fraction | int, Fraction | int], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
# Instructions besides operators and functions. A comparison jumps to its argument if it fails.
PUSH, LOAD, JUMP = "push", "load", "jump"


class Program:
    """The instructions of a formula while it is compiled, with their arguments."""

    def __init__(self) -> None:
        self.codes: list[str] = []
        self.arguments: list[Any] = []

    def add(self, code: str, argument: Ratio | str | int = 0) -> int:
        """Add an instruction, and return its index."""
        self.codes.append(code)
        self.arguments.append(argument)
        return len(self.codes) - 1

    def set_jump_target(self, jump: int) -> None:
        """Set the target of a jump to the next instruction."""
        self.arguments[jump] = len(self.codes)


def run_program(codes: Sequence[str], arguments: Sequence[Any], values: Values) -> Ratio:
    """Run a program, and return the value on its stack."""
    stack: list[Ratio] = []
    position, end = 0, len(codes)
    while position < end:
        code, argument = codes[position], arguments[position]
        position += 1
        if code == PUSH:
            stack.append(argument)
        elif code == LOAD:
            stack.append(values[argument])
        elif code in ARITHMETIC:
            other_numerator, other_denominator = stack.pop()
            numerator, denominator = stack[-1]
            stack[-1] = ARITHMETIC[code](numerator, denominator, other_numerator, other_denominator)
        elif code in FUNCTIONS:
            stack[-argument:] = [FUNCTIONS[code](stack[-argument:])]
        elif code == JUMP:
            position = argument
        else:
            other_numerator, other_denominator = stack.pop()
            numerator, denominator = stack.pop()
            if not COMPARISONS[code](numerator * other_denominator, other_numerator * denominator):
                position = argument
    return stack[0]
