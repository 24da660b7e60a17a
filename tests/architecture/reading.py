"""The sources as the tests read them: parsed once, each module with everything in it."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "pannier"


@cache
def modules() -> dict[str, ast.Module]:
    """Every module by its path in the package."""
    return {
        str(path.relative_to(SOURCE)): ast.parse(path.read_text())
        for path in sorted(SOURCE.rglob("*.py"))
    }


@cache
def inside(name: str) -> list[ast.AST]:
    """Everything in a module, from the outermost to the innermost."""
    return list(ast.walk(modules()[name]))


def everything() -> Iterator[tuple[str, ast.AST]]:
    """Everything in every module, with the module's path."""
    return ((name, node) for name in modules() for node in inside(name))
