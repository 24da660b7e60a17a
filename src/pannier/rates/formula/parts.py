"""The parts of a formula: numbers, variables, operations, functions and conditions."""

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Final, Protocol

import msgspec

from pannier.rates.formula.program import JUMP, LOAD, PUSH, Program, run
from pannier.rates.formula.signs import (
    COMBINED_SIGNS,
    FUNCTION_SIGNS,
    MIRRORED,
    OPPOSITES,
    Signs,
    VariableSigns,
    combine_signs,
    narrow,
    sign_of,
)

_BY_ZERO: Final = (
    "could divide by zero. Keep the denominator above zero, as in max(items, 1), "
    "or test it first, as in if(items > 0, distance_km / items, 0)."
)


class FormulaPart(Protocol):
    """A piece of a formula."""

    @property
    def names(self) -> frozenset[str]:
        """The variables that it depends on."""

    @property
    def operations(self) -> int:
        """Count the operations of its evaluation."""

    def emit(self, program: Program) -> None:
        """Add the instructions that leave its value on the stack."""

    def signs(self, variable_signs: VariableSigns) -> Signs:
        """Return the signs that its value can have. Raise ValueError if it could divide by zero."""


class NumberPart(msgspec.Struct, frozen=True):
    """A literal number."""

    number: Fraction
    names: frozenset[str] = frozenset()

    @property
    def operations(self) -> int:
        """No operation, because the value is known beforehand."""
        return 0

    def emit(self, program: Program) -> None:
        program.add(PUSH, self.number.as_integer_ratio())

    def signs(self, _: VariableSigns) -> Signs:
        return frozenset((sign_of(self.number),))


ZERO: Final = NumberPart(Fraction(0))


class VariablePart(msgspec.Struct, frozen=True):
    """A value of the shipment or the rate."""

    name: str

    @property
    def names(self) -> frozenset[str]:
        return frozenset((self.name,))

    @property
    def operations(self) -> int:
        """No operation, because a look-up costs almost nothing."""
        return 0

    def emit(self, program: Program) -> None:
        program.add(LOAD, self.name)

    def signs(self, variable_signs: VariableSigns) -> Signs:
        return variable_signs[self.name]


class OperationPart(msgspec.Struct, frozen=True):
    """Two parts that are added, subtracted, multiplied or divided."""

    mark: str
    left: FormulaPart
    right: FormulaPart
    names: frozenset[str]

    @property
    def operations(self) -> int:
        """The operations of both parts, and this one."""
        return self.left.operations + self.right.operations + 1

    def emit(self, program: Program) -> None:
        """Evaluate both parts, then combine them."""
        self.left.emit(program)
        self.right.emit(program)
        program.add(self.mark)

    def signs(self, variable_signs: VariableSigns) -> Signs:
        """Combine the signs of both parts. Raise ValueError if a denominator can be zero."""
        left, right = self.left.signs(variable_signs), self.right.signs(variable_signs)
        if self.mark == "/" and 0 in right:
            raise ValueError(_BY_ZERO)
        return combine_signs(COMBINED_SIGNS[self.mark], left, right)


class CallPart(msgspec.Struct, frozen=True):
    """A function of one or several parts."""

    function: str
    parts: Sequence[FormulaPart]
    names: frozenset[str]

    @property
    def operations(self) -> int:
        """The operations of the parts, and one for each part."""
        return sum(part.operations + 1 for part in self.parts)

    def emit(self, program: Program) -> None:
        """Evaluate the parts, then apply the function."""
        for part in self.parts:
            part.emit(program)
        program.add(self.function, len(self.parts))

    def signs(self, variable_signs: VariableSigns) -> Signs:
        """Combine the signs of the parts, one after the other."""
        signs_by_part = [part.signs(variable_signs) for part in self.parts]
        combine = FUNCTION_SIGNS[self.function]
        first = frozenset(
            sign
            for sign_of_first in signs_by_part[0]
            for sign in combine(sign_of_first, sign_of_first)
        )
        return reduce(
            lambda combined, operand_signs: combine_signs(combine, combined, operand_signs),
            signs_by_part[1:],
            first,
        )


class ChoicePart(msgspec.Struct, frozen=True):
    """A condition with two branches. Only the chosen branch is evaluated."""

    mark: str
    left: FormulaPart
    right: FormulaPart
    then: FormulaPart
    otherwise: FormulaPart
    names: frozenset[str]

    @property
    def operations(self) -> int:
        """The operations of all parts and the comparison, although only one branch runs."""
        parts = (self.left, self.right, self.then, self.otherwise)
        return sum(part.operations for part in parts) + 1

    def emit(self, program: Program) -> None:
        """Compare, then evaluate the chosen branch."""
        self.left.emit(program)
        self.right.emit(program)
        comparison = program.add(self.mark)
        self.then.emit(program)
        skip = program.add(JUMP)
        program.set_jump_target(comparison)
        self.otherwise.emit(program)
        program.set_jump_target(skip)

    def signs(self, variable_signs: VariableSigns) -> Signs:
        """Return both branches' signs, given what their condition says of a variable."""
        self.left.signs(variable_signs)
        self.right.signs(variable_signs)
        then_signs = self._narrow(variable_signs, self.mark)
        else_signs = self._narrow(variable_signs, OPPOSITES[self.mark])
        return self.then.signs(then_signs) | self.otherwise.signs(else_signs)

    def _narrow(self, variable_signs: VariableSigns, operator: str) -> VariableSigns:
        """Narrow the signs of a variable that is compared with a constant."""
        if isinstance(self.left, VariablePart) and not self.right.names:
            return narrow(variable_signs, self.left.name, operator, constant_value(self.right))
        if isinstance(self.right, VariablePart) and not self.left.names:
            return narrow(
                variable_signs, self.right.name, MIRRORED[operator], constant_value(self.left)
            )
        return variable_signs


def constant_value(part: FormulaPart) -> Fraction:
    """Evaluate a part without variables."""
    program = compile_part(part)
    return Fraction(*run(program.codes, program.arguments, {}))


def compile_part(part: FormulaPart) -> Program:
    program = Program()
    part.emit(program)
    return program


def names_of(*parts: FormulaPart) -> frozenset[str]:
    """Return the variables of all these parts."""
    return frozenset(name for part in parts for name in part.names)
