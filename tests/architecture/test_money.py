"""Money is whole numbers and exact decimals: no float comes near it."""

import ast
import re
from collections.abc import Iterator

from architecture.reading import SOURCE, modules, walk

PLACES = ("rates", "payments", "kit/money.py", "orders/quotes")
# What reckons with degrees, metres or seconds, and gives money whole numbers of them.
MEASURES = {"rates/crossing.py": "lengths along the earth, told in whole metres"}
# Seconds to wait for somebody, the size of an item and an example in the docs are no money.
NO_MONEY = re.compile(r"\b(\w*seconds|\w*SECONDS|timeout|TIMEOUT|Size|examples)\b")
# These make floats, or round as money does not.
FORBIDDEN = {"float", "round", "fsum", "sqrt", "ROUND_HALF_EVEN"}


def floats(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Find what is a float, or could make one of an amount."""
    for node in walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            yield node.lineno, repr(node.value)
        if isinstance(node, ast.Name) and node.id in FORBIDDEN:
            yield node.lineno, node.id
        if isinstance(node, ast.Attribute) and node.attr in FORBIDDEN:
            yield node.lineno, node.attr
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and not exact(node.left):
            yield node.lineno, ast.unparse(node)


def exact(numerator: ast.expr) -> bool:
    """Tell whether what is divided is a fraction, as anybody can see."""
    return isinstance(numerator, ast.Call) and ast.unparse(numerator.func) == "Fraction"


def looked_at() -> list[str]:
    return [
        path
        for path in modules()
        if path in PLACES or path.startswith(tuple(f"{place}/" for place in PLACES))
        if path not in MEASURES
    ]


def test_no_float_is_in_money() -> None:
    found = []
    for path in looked_at():
        lines = (SOURCE / path).read_text().splitlines()
        found += [
            f"{path}:{number} {what}"
            for number, what in floats(modules()[path])
            if not NO_MONEY.search(lines[number - 1])
        ]
    assert found == []


def test_the_look_finds_floats() -> None:
    wrong = ast.parse("a = 0.1\nb = float(x)\nc = amount / 100\nd = round(e)\nf: float = 1")
    assert {line for line, _ in floats(wrong)} == {1, 2, 3, 4, 5}
    assert list(floats(ast.parse("a = Fraction(b) / 100 + c // 2"))) == []
