"""Compiled formulas: instructions for a stack of fractions.

A fraction is a pair of a numerator and a positive denominator. Fractions are not reduced to lowest
terms: that would cost more than it saves, because they never have more digits than all numbers of
the formula together. A program consists only of strings, numbers and tuples of them. A process
keeps thousands of programs, and the garbage collector need not traverse them.
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


def _find_largest(ratios: Sequence[Ratio]) -> Ratio:
    return reduce(lambda one, two: two if two[0] * one[1] > one[0] * two[1] else one, ratios)


def _find_smallest(ratios: Sequence[Ratio]) -> Ratio:
    return reduce(lambda one, two: two if two[0] * one[1] < one[0] * two[1] else one, ratios)


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
        """Make a jump lead to the next instruction that is added."""
        self.arguments[jump] = len(self.codes)


def run(codes: Sequence[str], arguments: Sequence[Any], values: Values) -> Ratio:
    """Run a program, and return the value on its stack."""
    stack: list[Ratio] = []
    at, end = 0, len(codes)
    while at < end:
        code, argument = codes[at], arguments[at]
        at += 1
        if code == PUSH:
            stack.append(argument)
        elif code == LOAD:
            stack.append(values[argument])
        elif code in ARITHMETIC:
            other_above, other_below = stack.pop()
            above, below = stack[-1]
            stack[-1] = ARITHMETIC[code](above, below, other_above, other_below)
        elif code in FUNCTIONS:
            stack[-argument:] = [FUNCTIONS[code](stack[-argument:])]
        elif code == JUMP:
            at = argument
        else:
            other_above, other_below = stack.pop()
            above, below = stack.pop()
            if not COMPARISONS[code](above * other_below, other_above * below):
                at = argument
    return stack[0]
