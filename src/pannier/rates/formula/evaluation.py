"""Formulas that are ready to be evaluated, and what is refused before one is kept."""

from typing import Final

from pannier.rates.formula.parsing import VARIABLES, parse
from pannier.rates.formula.parts import compile_part
from pannier.rates.formula.program import Ratio, Values, run
from pannier.rates.formula.signs import NEVER_NEGATIVE, Known

# Refused at save. Longer formulas that were saved before are still priced.
MAX_OPERATIONS: Final = 64
_KNOWN: Final[Known] = dict.fromkeys(VARIABLES, NEVER_NEGATIVE) | {"stops": frozenset((1,))}


class Formula:
    """A formula that is ready to be evaluated."""

    __slots__ = ("_arguments", "_codes", "names")

    def __init__(self, text: str) -> None:
        """Parse and compile it; a ValueError says what is wrong."""
        part = parse(text)
        self.names = part.names
        program = compile_part(part)
        self._codes, self._arguments = tuple(program.codes), tuple(program.arguments)

    def evaluate(self, values: Values) -> Ratio:
        """Return its value, given those of its variables."""
        return run(self._codes, self._arguments, values)


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
