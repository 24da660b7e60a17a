"""Signs: which of below, at and above zero a value can be, so that nothing is divided by zero."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from typing import Final, TypeAlias

from pannier.rates.formula.program import COMPARISONS

# Those of -1, 0 and 1 that a value can have.
Signs: TypeAlias = frozenset[int]
Known: TypeAlias = Mapping[str, Signs]
ANY_SIGN: Final = frozenset((-1, 0, 1))
NEVER_NEGATIVE: Final = frozenset((0, 1))


def sign_of(number: Fraction | int) -> int:
    """Return -1, 0 or 1."""
    return (number > 0) - (number < 0)


def combine_signs(combine: Callable[[int, int], Signs], left: Signs, right: Signs) -> Signs:
    """Return the signs that any pair of these can come to."""
    return frozenset(sign for pair in product(left, right) for sign in combine(*pair))


def _add_signs(left: int, right: int) -> Signs:
    return ANY_SIGN if left * right < 0 else frozenset((sign_of(left + right),))


def narrow(known: Known, name: str, mark: str, constant: Fraction) -> Known:
    """Keep of a variable's signs those with a value that compares so."""
    # Beside the constant and far from it: of each sign, one of these compares so if any does.
    samples = (constant - 1, constant, constant + 1, Fraction(constant) / 2, 0, -1, 1)
    compare = COMPARISONS[mark]
    possible = {sign_of(sample) for sample in samples if compare(sample, constant)}
    return {**known, name: known[name] & possible}


COMBINED: Final[Mapping[str, Callable[[int, int], Signs]]] = {
    "+": _add_signs,
    "-": lambda left, right: _add_signs(left, -right),
    "*": lambda left, right: frozenset((left * right,)),
    "/": lambda left, right: frozenset((left * right,)),
}
# Those of one part get its sign twice.
RESULTS: Final[Mapping[str, Callable[[int, int], Signs]]] = {
    "min": lambda one, other: frozenset((min(one, other),)),
    "max": lambda one, other: frozenset((max(one, other),)),
    "ceil": lambda sign, _: frozenset((1,)) if sign > 0 else frozenset((sign, 0)),
    "floor": lambda sign, _: frozenset((-1,)) if sign < 0 else frozenset((sign, 0)),
    "round": lambda sign, _: frozenset((sign, 0)),
}
OPPOSITES: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
