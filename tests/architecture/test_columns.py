"""SQL names its columns, so that one which a newer release has added disturbs nothing.

With `select *` a new column makes every prepared statement fail once; an insert without a list
of columns writes null into it.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache

from architecture.reading import children, modules

SQL = re.compile(r"\s*(?:select|with|insert|update|delete)\b", re.IGNORECASE)
STAR = re.compile(
    r"(?:\bselect|\breturning|,)\s+(?:(\w+)\.)?\*(?:\s+from\s+(\w+\(?))?", re.IGNORECASE
)
POSITIONAL = re.compile(r"\binsert\s+into\s+[\w.]+\s+(?:select|values)\b", re.IGNORECASE)


def texts(module: ast.AST) -> Iterator[str]:
    """Every string in a module; what is put into one stands there as a letter."""
    waiting = [module]
    while waiting:
        match waiting.pop():
            case ast.JoinedStr(values=parts):
                yield "".join(
                    part.value if isinstance(part, ast.Constant) else "x" for part in parts
                )
            case ast.Constant(value=str(text)):
                yield text
            case node:
                waiting += children(node)


@cache
def statements() -> list[tuple[str, str]]:
    return [
        (name, " ".join(text.split()))
        for name, module in modules().items()
        for text in texts(module)
        if SQL.match(text)
    ]


def of_a_table(star: re.Match[str]) -> bool:
    """Whether what is read may grow: not what a function answers, nor the statement's own parts."""
    named, source = star[1] or star[2], star[2] or ""
    part = re.search(rf"\b{re.escape(named or '-')} as (?:materialized )?\(", star.string)
    return part is None and not source.endswith("(")


def test_nothing_is_read_by_a_star() -> None:
    found = [
        f"{place}: {text}"
        for place, text in statements()
        if any(of_a_table(star) for star in STAR.finditer(text))
    ]
    assert found == []


def test_nothing_is_written_by_position() -> None:
    found = [f"{place}: {text}" for place, text in statements() if POSITIONAL.search(text)]
    assert found == []
