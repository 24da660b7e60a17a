import gc
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pannier.kit.money import divide_half_up
from pannier.rates import formula
from pannier.rates.formula import MAX_DEPTH, MAX_LENGTH, MAX_OPERATIONS, VARIABLES, Formula
from pannier.rates.formula.parts import NumberPart

VALUES = {
    "distance_km": Fraction(9_321, 1000), "time_min": Fraction(21), "stops": Fraction(3),
    "weight_kg": Fraction("4.2"), "volume_m3": Fraction("0.08"), "items": Fraction(2),
    "base_fee": Fraction(500),
}  # fmt: skip


def evaluate(text: str, values: dict[str, Fraction]) -> Fraction:
    ratios = {name: value.as_integer_ratio() for name, value in values.items()}
    return Fraction(*Formula(text).evaluate(ratios))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 3 - 2", 5),
        ("20 / 5 / 2", 2),
        ("- 2 * -3", 6),
        ("--2", 2),
        ("0.1 + .2", Fraction(3, 10)),
        ("1 / 3", Fraction(1, 3)),
        ("distance_km * 80", Fraction(74_568, 100)),
        ("base_fee + ceil(distance_km) * 80", 1_300),
        ("floor(-1 / 2) + ceil(-1 / 2)", -1),
        ("round(2.5) + round(-2.5) + round(0.5)", 1),
        ("min(3, 1, 2) + max(3, 1, 2) + min(7)", 11),
        ("if(stops > 2, (stops - 2) * 150, 0)", 150),
        ("if(stops <= 2, 1, if(stops == 3, 2, 3))", 2),
        ("if(items != 2, 1 / 2, 0)", 0),
        ("if(items > 0, distance_km / items, 0)", Fraction(9_321, 2000)),
        ("if(items==0,0,distance_km/items)", Fraction(9_321, 2000)),
    ],
)
def test_a_formula_is_reckoned_exactly(text: str, value: Any) -> None:
    formula.check_formula(text)
    assert evaluate(text, VALUES) == value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "ends at character 1, where a number, a variable or a function should be."),
        ("1 +", "ends at character 4"),
        ("1 2", "has '2' at character 3, where an operator should be."),
        ("(1", "ends at character 3, where ')' should be."),
        ("1)", "has ')' at character 2"),
        ("1 ** 2", "has '*' at character 4"),
        ("1 % 2", "has an unexpected '%' at character 3."),
        ("distance", "has no variable or function 'distance'. There are distance_km,"),
        ("__import__('os')", "has no variable or function '__import__'"),
        ("items.__class__", "has an unexpected '.' at character 6"),
        ("items[0]", "has an unexpected '[' at character 6"),
        ("1e9", "has 'e9' at character 2"),
        ("\u0661 + 1", "has an unexpected"),
        ("stops > 2", "has '>' at character 7, where an operator should be."),
        ("if(stops, 1, 2)", "where a comparison such as > should be."),
        ("if(stops > 1, 2)", "where ',' should be."),
        ("round(1, 2)", "has ',' at character 8, where ')' should be."),
        ("min()", "has ')' at character 5"),
        ("9" * 19, "must not have numbers with more than 18 digits."),
        ("1" + "+1" * 500, f"must not be longer than {MAX_LENGTH:,} characters."),
        ("(" * 40 + "1" + ")" * 40, f"must not be nested deeper than {MAX_DEPTH} levels."),
        ("-" * 40 + "1", f"must not be nested deeper than {MAX_DEPTH} levels."),
    ],
)
def test_what_is_no_formula_is_refused_with_the_place(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=r"\.$") as refusal:
        formula.check_formula(text)
    assert sentence in str(refusal.value)


@pytest.mark.parametrize(
    "text",
    [
        "1 / 0", "1 / (2 - 2)", "1 / distance_km", "1 / items", "1 / (stops - 2)",
        "1 / round(distance_km)", "1 / floor(max(items, 0.5))", "1 / (base_fee * stops)",
        "1 / min(items, stops)", "1 / -items", "if(items > 0, 1, 1 / items)",
        "if(items != 0, 1, 1 / items)",
        "if(items <= 0, 1 / items, 0)",
        "if(0 >= items, 1 / items, 0)",
        "if(0 == items, 1 / items, 0)",
        "if(items < 1, 1 / items, 0)",
        "if(items >= 0, 1 / items, 0)", "if(items != 1, 1 / items, 0)", "1 / if(items > 0, 1, 0)",
        "if(1 / items > 2, 1, 2)", "if(items > stops, 1 / items, 0) + 1 / (items - stops)",
        "if(items > 5, 1 / (items - 5), 0)",
    ],
)  # fmt: skip
def test_a_formula_that_could_divide_by_zero_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="could divide by zero"):
        formula.check_formula(text)


@pytest.mark.parametrize(
    "text",
    [
        "1 / 3", "1 / (3 - 2)", "1 / stops", "1 / (items + 1)", "1 / max(items, 1)",
        "1 / max(distance_km, 0.001)", "1 / (stops * (distance_km + 1))", "1 / -stops",
        "1 / ceil(stops / 2)", "if(items > 0, 1 / items, 0)", "if(0 < items, 1 / items, 0)",
        "if(items == 0, 0, 1 / items)", "if(items >= 1, 1 / items, 0)",
        "if(items < 1, 0, 1 / items)", "if(items != 0, 1 / items, 0)",
        "1 / if(items > 0, items, 1)", "1 / (stops / (distance_km + 1))",
    ],
)  # fmt: skip
def test_a_formula_whose_denominators_are_never_zero_is_taken(text: str) -> None:
    formula.check_formula(text)


Drawn = tuple[str, Callable[[dict[str, Fraction]], Fraction]]
COMPARISONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}  # fmt: skip


def constant(number: Fraction) -> Drawn:
    return f"{number.numerator / 4:g}", lambda _: number / 4


def variable(name: str) -> Drawn:
    return name, lambda values: values[name]


def operation(mark: str, left: Drawn, right: Drawn) -> Drawn:
    reckon: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
        "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
        "/": lambda a, b: a / b,
    }  # fmt: skip
    text = f"({left[0]} {mark} {right[0]})"
    return text, lambda values: reckon[mark](left[1](values), right[1](values))


def call(name: str, parts: list[Drawn]) -> Drawn:
    several = {"min": min, "max": max}
    single: dict[str, Callable[[Fraction], int]] = {
        "ceil": lambda x: -(-x // 1), "floor": lambda x: x // 1,
        "round": lambda x: divide_half_up(x.numerator, x.denominator),
    }  # fmt: skip
    if name in several:
        text = ", ".join(part[0] for part in parts)
        return f"{name}({text})", lambda values: several[name](part[1](values) for part in parts)
    return f"{name}({parts[0][0]})", lambda values: Fraction(single[name](parts[0][1](values)))


def choice(mark: str, parts: list[Drawn]) -> Drawn:
    left, right, then, otherwise = parts
    return (
        f"if({left[0]} {mark} {right[0]}, {then[0]}, {otherwise[0]})",
        lambda values: (
            then if COMPARISONS[mark](left[1](values), right[1](values)) else otherwise
        )[1](values),
    )


LEAVES = st.one_of(
    st.integers(0, 20).map(Fraction).map(constant), st.sampled_from(VARIABLES).map(variable)
)
FORMULAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(operation, st.sampled_from("+-*/"), inner, inner),
        st.builds(
            call,
            st.sampled_from(["min", "max", "ceil", "floor", "round"]),
            st.lists(inner, min_size=1, max_size=3),
        ),
        st.builds(
            choice, st.sampled_from(list(COMPARISONS)), st.lists(inner, min_size=4, max_size=4)
        ),
    ),
    max_leaves=8,
)
AMOUNTS = st.one_of(st.just(Fraction(0)), st.fractions(0, 50, max_denominator=8))


@pytest.mark.slow
@settings(deadline=None)
@given(FORMULAS, st.lists(st.tuples(*[AMOUNTS] * len(VARIABLES)), min_size=1, max_size=3))
def test_a_formula_that_is_kept_is_reckoned_as_anybody_would_and_never_fails(
    drawn: Drawn, cases: list[tuple[Fraction, ...]]
) -> None:
    text, reckon = drawn
    try:
        formula.check_formula(text)
    except ValueError:
        return
    for case in cases:
        values = dict(zip(VARIABLES, case, strict=True))
        values["stops"] = Fraction(int(values["stops"]) + 1)
        assert evaluate(text, values) == reckon(values)


@pytest.mark.slow
@settings(deadline=None)
@given(FORMULAS, st.tuples(*[AMOUNTS] * len(VARIABLES)))
def test_the_signs_that_a_formula_can_have_hold_the_one_it_has(
    drawn: Drawn, case: tuple[Fraction, ...]
) -> None:
    text, reckon = drawn
    values = dict(zip(VARIABLES, case, strict=True))
    known = {name: frozenset(((value > 0) - (value < 0),)) for name, value in values.items()}
    try:
        signs = formula.parse_formula(text).find_signs(known)
    except ValueError:
        return
    value = reckon(values)
    assert (value > 0) - (value < 0) in signs


@pytest.mark.slow
@settings(deadline=None)
@given(st.text(alphabet="0123456789.+-*/()<>=!, abcdefikmnorstuvx_{}", max_size=60))
def test_whatever_is_typed_is_read_or_refused(text: str) -> None:
    with suppress(ValueError):
        formula.check_formula(text)


def test_a_formula_with_too_many_operations_is_refused_but_one_saved_before_is_priced() -> None:
    longest = "items" + " + items" * MAX_OPERATIONS
    formula.check_formula(longest)
    too_long = f"{longest} + items"
    with pytest.raises(ValueError, match=f"has {MAX_OPERATIONS + 1} operations; at most"):
        formula.check_formula(too_long)
    assert evaluate(too_long, VALUES) == 2 * (MAX_OPERATIONS + 2)


@pytest.mark.parametrize(
    "text",
    [
        f"max({'items, ' * MAX_OPERATIONS}1)",
        "-" * 30 + "items" + " - -items" * 20,
        "if(items > 1, items + 1, 2) + " * 25 + "items",
        "round(items) * " * 40 + "items",
    ],
)
def test_calls_choices_and_signs_are_operations_too(text: str) -> None:
    with pytest.raises(ValueError, match="operations; at most"):
        formula.check_formula(text)


def test_a_long_formula_is_checked_at_once() -> None:
    formula.check_formula(f"1 / max({'items, ' * 60}1)")
    nested = "if(items > 1, " * 30 + "1" + ", 2)" * 30
    formula.check_formula(nested)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9" + "+9" * 499, 4_500),
        ("max(9)" + "+max(9)" * 120, 1_089),
        ("if(1 < 2, 3, 4)" + "-if(2 < 1, 3, 4)" * 60, -237),
    ],
)
def test_what_is_made_of_numbers_alone_is_one_number(text: str, value: int) -> None:
    formula.check_formula(text)
    assert formula.parse_formula(text) == NumberPart(Fraction(value))


@pytest.mark.parametrize(
    "text",
    [
        "weight_kg" + "".join(f"/(weight_kg+.{number:09d}1)" for number in range(31)),
        "*".join(["weight_kg", *(f"9.{number:012d}7" for number in range(50))]),
    ],
)
def test_unreduced_numbers_have_no_more_digits_than_those_of_the_formula(text: str) -> None:
    formula.check_formula(text)
    weight = Fraction(10**17 + 1, 10**17)
    digits = len(text) + 2 * 18 * text.count("weight_kg")
    ratios = Formula(text).evaluate({"weight_kg": weight.as_integer_ratio()})
    assert all(len(str(number)) <= digits for number in ratios)


def test_compiled_formulas_are_nothing_to_the_garbage_collector() -> None:
    part = "if(distance_km > {}.5, distance_km * {}.25, max(time_min, {}))"
    texts = ["+".join(part.format(n, i, n) for i in range(12)) for n in range(50)]
    gc.collect(1)
    gc.disable()  # What is made from here on is young until it is looked at.
    try:
        kept = [Formula(text) for text in texts]
        gc.collect(0)
        assert len(gc.get_objects(generation=1)) < 5 * len(kept)
    finally:
        gc.enable()
