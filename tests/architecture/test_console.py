"""The console is a caller like any other: it knows doors, and nothing behind them."""

import ast
import re
from collections.abc import Iterator

from architecture.reading import ROOT, SOURCE, modules, walk
from pannier.app import build_litestar
from pannier.console import assets
from pannier.console.api_client import _map_handlers
from pannier.console.navigation import ENTRIES, MAX_SECTIONS, SECTIONS, find_guide

HOME = SOURCE / "console"
# What is below the interface, or is the way into it; and which words there are for a standing.
KNOWN = re.compile(
    r"pannier\.(accounts|console|errors|files|kit|locales|maps|settings|web)\b|pannier\.\w+\.(event_types|models)$|pannier$"
)
CALLS = {"get": "GET", "rows": "GET", "answer": "GET"}
INLINE = re.compile(r"\s(style|on[a-z]+|hx-on[:a-z]*)=")


def sources() -> Iterator[tuple[str, ast.Module]]:
    for path, module in modules().items():
        if path.startswith("console/"):
            yield path.rpartition("/")[2], module


def test_no_screen_knows_a_domain() -> None:
    found = [
        f"{file}: {node.module}"
        for file, tree in sources()
        for node in walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pannier")
        if not KNOWN.match(node.module or "")
    ]
    allowed = {"sign_in.py: pannier.db"}
    assert set(found) - allowed == set()


def called(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """List the doors that are called by name: method and template."""
    for node in walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
        words = [text for text in texts if isinstance(text, str)]
        paths = [word for word in words if word.startswith(("/v1/", "/int/v1/"))]
        if not paths:
            continue
        if node.func.attr in CALLS:
            yield CALLS[node.func.attr], paths[0]
        elif node.func.attr in {"act", "may"}:
            yield words[0], paths[0]


def test_every_door_that_a_screen_calls_is_there() -> None:
    doors = _map_handlers(build_litestar())
    missing = [
        f"{file}: {method} {path}"
        for file, tree in sources()
        for method, path in called(tree)
        if (method, path) not in doors
    ]
    assert missing == []


def test_every_page_of_the_side_bar_is_there() -> None:
    doors = _map_handlers(build_litestar())
    pages = [entry.resource for entry in ENTRIES]
    assert [page for page in pages if ("GET", f"/console/{page}") not in doors] == []
    assert [entry.api_path for entry in ENTRIES if ("GET", entry.api_path) not in doors] == []


def test_every_page_leads_to_a_guide_that_exists() -> None:
    guides = {find_guide(f"/console/{entry.resource}/x") for entry in ENTRIES}
    missing = {url for url in guides if not (ROOT / f"{url[1:]}.md").is_file()}
    assert (missing, find_guide("/console/me")) == (set(), "/docs/guide/console")


def test_the_side_bar_is_taken_in_at_a_glance() -> None:
    assert len(SECTIONS) <= MAX_SECTIONS
    assert "Settings" in [section.label for section in SECTIONS]


def test_no_template_has_a_style_or_a_script_of_its_own() -> None:
    found = [
        f"{file.name}: {line.strip()[:80]}"
        for file in (HOME / "templates").rglob("*.html")
        for line in file.read_text().splitlines()
        if INLINE.search(line)
    ]
    assert found == []


def test_all_scripts_of_our_own_together_stay_small() -> None:
    sizes = {
        path: len(content)
        for path, content in assets.load_store().files.items()
        if path.endswith(".js") and (HOME / "static" / path).is_file()
    }
    assert sum(sizes.values()) < 48_000, sizes
