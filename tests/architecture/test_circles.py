"""No files import each other in a circle: a file is read after those it needs, and alone."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import PurePath

from architecture.reading import modules, walk

Graph = Mapping[str, frozenset[str]]


def module_name(path: str) -> str:
    """Return the dotted name that a file is imported by."""
    parts = PurePath("pannier", path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_names(module: ast.Module) -> Iterator[str]:
    """Yield what a file imports, wherever in it: in functions and for type checkers too."""
    for node in walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "Imports name the whole path; this test reads no relative ones."
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def import_graph(sources: Mapping[str, ast.Module]) -> Graph:
    """Map each module to the modules that it imports, itself left out."""
    named = {module_name(path): module for path, module in sources.items()}
    graph = {}
    for name, module in named.items():
        imports = set(imported_names(module))
        # `from package import name` means the module of that name, or what the package defines.
        found = {one if one in named else one.rpartition(".")[0] for one in imports}
        graph[name] = frozenset(found & named.keys() - {name})
    return graph


def reachable(graph: Graph, start: str) -> set[str]:
    """Return all modules that one needs, directly or over others."""
    found, waiting = set[str](), [start]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def circles(graph: Graph) -> list[list[str]]:
    """Return the groups of modules in which each needs every other."""
    needs = {name: reachable(graph, name) for name in graph}
    groups = {
        frozenset(other for other in needs[name] if name in needs[other])
        for name in graph
        if name in needs[name]
    }
    return sorted(sorted(group) for group in groups)


def test_no_files_import_each_other_in_a_circle() -> None:
    found = circles(import_graph(modules()))
    assert not found, "\n".join(" <-> ".join(circle) for circle in found)


def test_a_circle_is_found_wherever_its_imports_stand() -> None:
    sources = {
        "a.py": "from pannier import b",
        "b.py": "def late() -> None:\n    import pannier.c.d",
        "c/__init__.py": "",
        "c/d.py": "if TYPE_CHECKING:\n    from pannier.a import A",
        "e.py": "from pannier.a import A",
    }
    parsed = {path: ast.parse(text) for path, text in sources.items()}
    assert circles(import_graph(parsed)) == [["pannier.a", "pannier.b", "pannier.c.d"]]
