"""The parts of a formula: numbers, variables, operations, functions and conditions."""

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Final, Protocol

import msgspec

from pannier.rates.formula.program import JUMP, LOAD, PUSH, Program, run_program
from pannier.rates.formula.signs import (
    COMBINED_SIGNS,
    FUNCTION_SIGNS,
    MIRRORED,
    OPPOSITES,
    Signs,
    VariableSigns,
    combine_signs,
    get_sign,
    narrow_signs,
)

_BY_ZERO: Final = (
    "could divide by zero. Keep the denominator above zero, as in max(items, 1), "
    "or test it first, as in if(items > 0, distance_km / items, 0)."
)


class FormulaPart(Protocol):
    """A part of a formula."""

    @property
    def names(self) -> frozenset[str]:
        """The variables that it depends on."""

    @property
    def operations(self) -> int:
        """The number of operations in its evaluation."""

    def emit(self, program: Program) -> None:
        """Add the instructions that leave its value on the stack."""

    def find_signs(self, variable_signs: VariableSigns) -> Signs:
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

    def find_signs(self, _: VariableSigns) -> Signs:
        return frozenset((get_sign(self.number),))


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

    def find_signs(self, variable_signs: VariableSigns) -> Signs:
        return variable_signs[self.name]


class OperationPart(msgspec.Struct, frozen=True):
    """Two parts that are added, subtracted, multiplied or divided."""

    operator: str
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
        program.add(self.operator)

    def find_signs(self, variable_signs: VariableSigns) -> Signs:
        """Combine the signs of both parts. Raise ValueError if a denominator can be zero."""
        left, right = self.left.find_signs(variable_signs), self.right.find_signs(variable_signs)
        if self.operator == "/" and 0 in right:
            raise ValueError(_BY_ZERO)
        return combine_signs(COMBINED_SIGNS[self.operator], left, right)


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

    def find_signs(self, variable_signs: VariableSigns) -> Signs:
        """Combine the signs of the parts, one after the other."""
        signs_by_part = [part.find_signs(variable_signs) for part in self.parts]
        combine = FUNCTION_SIGNS[self.function]
        first_signs = frozenset(
            sign for first_sign in signs_by_part[0] for sign in combine(first_sign, first_sign)
        )
        return reduce(
            lambda combined, operand_signs: combine_signs(combine, combined, operand_signs),
            signs_by_part[1:],
            first_signs,
        )


class ChoicePart(msgspec.Struct, frozen=True):
    """A condition with two branches. Only the chosen branch is evaluated."""

    operator: str
    left: FormulaPart
    right: FormulaPart
    then_part: FormulaPart
    else_part: FormulaPart
    names: frozenset[str]

    @property
    def operations(self) -> int:
        """The operations of all parts and the comparison, although only one branch runs."""
        parts = (self.left, self.right, self.then_part, self.else_part)
        return sum(part.operations for part in parts) + 1

    def emit(self, program: Program) -> None:
        """Compare, then evaluate the chosen branch."""
        self.left.emit(program)
        self.right.emit(program)
        comparison = program.add(self.operator)
        self.then_part.emit(program)
        jump = program.add(JUMP)
        program.set_jump_target(comparison)
        self.else_part.emit(program)
        program.set_jump_target(jump)

    def find_signs(self, variable_signs: VariableSigns) -> Signs:
        """Return the signs of both branches, narrowed by the condition."""
        self.left.find_signs(variable_signs)
        self.right.find_signs(variable_signs)
        then_signs = self._narrow_signs(variable_signs, self.operator)
        else_signs = self._narrow_signs(variable_signs, OPPOSITES[self.operator])
        return self.then_part.find_signs(then_signs) | self.else_part.find_signs(else_signs)

    def _narrow_signs(self, variable_signs: VariableSigns, operator: str) -> VariableSigns:
        """Narrow the signs of a variable that is compared with a constant."""
        if isinstance(self.left, VariablePart) and not self.right.names:
            return narrow_signs(
                variable_signs, self.left.name, operator, evaluate_constant(self.right)
            )
        if isinstance(self.right, VariablePart) and not self.left.names:
            return narrow_signs(
                variable_signs, self.right.name, MIRRORED[operator], evaluate_constant(self.left)
            )
        return variable_signs


def evaluate_constant(part: FormulaPart) -> Fraction:
    """Evaluate a part without variables."""
    program = compile_part(part)
    return Fraction(*run_program(program.codes, program.arguments, {}))


def compile_part(part: FormulaPart) -> Program:
    program = Program()
    part.emit(program)
    return program


def collect_names(*parts: FormulaPart) -> frozenset[str]:
    """Return the variables of all these parts."""
    return frozenset(name for part in parts for name in part.names)
