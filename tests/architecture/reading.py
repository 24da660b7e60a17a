"""The sources as the tests read them: parsed once, and looked through once."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "pannier"
Kind = TypeVar("Kind", bound=ast.AST)


@cache
def modules() -> dict[str, ast.Module]:
    """Every module by its path in the package."""
    return {
        str(path.relative_to(SOURCE)): ast.parse(path.read_text())
        for path in sorted(SOURCE.rglob("*.py"))
    }


def children(node: ast.AST) -> list[ast.AST]:
    """Return what a node is made of, except whether a name is loaded or stored."""
    found = list[ast.AST]()
    for name in node._fields:
        part = getattr(node, name, None)
        if isinstance(part, list):
            found += [one for one in part if isinstance(one, ast.AST)]
        elif isinstance(part, ast.AST) and name != "ctx":
            found.append(part)
    return found


@cache
def walk(module: ast.Module) -> list[ast.AST]:
    """Return every node of a module, in the order of `ast.walk`."""
    found: list[ast.AST] = [module]
    for node in found:
        found += children(node)
    return found


@cache
def sorted_out() -> dict[type[ast.AST], list[tuple[str, Any]]]:
    """Everything in every module by its kind, with the module's path."""
    found = defaultdict[type[ast.AST], list[tuple[str, Any]]](list)
    for name, module in modules().items():
        for node in walk(module):
            found[type(node)].append((name, node))
    return found


def every(*kinds: type[Kind]) -> list[tuple[str, Kind]]:
    """Everything of these kinds, with its module's path."""
    return [one for kind in kinds for one in sorted_out()[kind]]
