"""The signs that a value can have, to prove that no formula divides by zero."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from typing import Final, TypeAlias

from pannier.rates.formula.program import COMPARISONS

# A subset of -1, 0 and 1.
Signs: TypeAlias = frozenset[int]
VariableSigns: TypeAlias = Mapping[str, Signs]
ANY_SIGN: Final = frozenset((-1, 0, 1))
NEVER_NEGATIVE: Final = frozenset((0, 1))


def get_sign(number: Fraction | int) -> int:
    return (number > 0) - (number < 0)


def combine_signs(combine: Callable[[int, int], Signs], left: Signs, right: Signs) -> Signs:
    """Return the possible signs of combining a left and a right value."""
    return frozenset(sign for pair in product(left, right) for sign in combine(*pair))


def _add_signs(left: int, right: int) -> Signs:
    return ANY_SIGN if left * right < 0 else frozenset((get_sign(left + right),))


def narrow_signs(
    variable_signs: VariableSigns, name: str, operator: str, constant: Fraction
) -> VariableSigns:
    """Keep the signs of a variable that can satisfy the comparison."""
    # Values near the constant and far from it: if any value of a sign satisfies the comparison, one
    # of these does.
    samples = (constant - 1, constant, constant + 1, Fraction(constant) / 2, 0, -1, 1)
    compare = COMPARISONS[operator]
    possible_signs = {get_sign(sample) for sample in samples if compare(sample, constant)}
    return {**variable_signs, name: variable_signs[name] & possible_signs}


COMBINED_SIGNS: Final[Mapping[str, Callable[[int, int], Signs]]] = {
    "+": _add_signs,
    "-": lambda left, right: _add_signs(left, -right),
    "*": lambda left, right: frozenset((left * right,)),
    "/": lambda left, right: frozenset((left * right,)),
}
# Functions of one part combine its sign with itself.
FUNCTION_SIGNS: Final[Mapping[str, Callable[[int, int], Signs]]] = {
    "min": lambda left, right: frozenset((min(left, right),)),
    "max": lambda left, right: frozenset((max(left, right),)),
    "ceil": lambda sign, _: frozenset((1,)) if sign > 0 else frozenset((sign, 0)),
    "floor": lambda sign, _: frozenset((-1,)) if sign < 0 else frozenset((sign, 0)),
    "round": lambda sign, _: frozenset((sign, 0)),
}
OPPOSITES: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
