"""Compiled formulas, and the check of a formula before it is saved."""

from typing import Final

from pannier.rates.formula.parsing import VARIABLES, parse_formula
from pannier.rates.formula.parts import compile_part
from pannier.rates.formula.program import Ratio, Values, run_program
from pannier.rates.formula.signs import NEVER_NEGATIVE, VariableSigns

# Checked when a formula is saved. Longer formulas that were saved earlier still work.
MAX_OPERATIONS: Final = 64
_VARIABLE_SIGNS: Final[VariableSigns] = dict.fromkeys(VARIABLES, NEVER_NEGATIVE) | {
    "stops": frozenset((1,))
}


class Formula:
    """A compiled formula."""

    __slots__ = ("_arguments", "_codes", "names")

    def __init__(self, text: str) -> None:
        """Parse and compile a formula. Raise ValueError if it is invalid."""
        part = parse_formula(text)
        self.names = part.names
        program = compile_part(part)
        self._codes, self._arguments = tuple(program.codes), tuple(program.arguments)

    def evaluate(self, values: Values) -> Ratio:
        """Return the value of the formula for these variables."""
        return run_program(self._codes, self._arguments, values)


def check_formula(text: str) -> None:
    """Raise ValueError for a formula that cannot be saved.

    It cannot be parsed, has too many operations, or could divide by zero.
    """
    part = parse_formula(text)
    if part.operations > MAX_OPERATIONS:
        raise ValueError(
            f"has {part.operations} operations; at most {MAX_OPERATIONS} are allowed. "
            "Combine terms, or split the formula into several rates."
        )
    part.find_signs(_VARIABLE_SIGNS)
