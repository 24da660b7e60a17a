"""The documentation says what the code does, and leads nowhere that is not there."""

import importlib.util
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pannier.app import EVENT_DATA_TYPES
from pannier.web.docs.fields import SchemaTables
from pannier.web.openapi.schemas import Schemas

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
DOOR = re.compile(r"`((?:GET|POST|PUT|PATCH|DELETE) /[^`]+)`")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
KINDS = list(dict.fromkeys(EVENT_DATA_TYPES.values()))


@cache
def generator() -> Any:
    """Load scripts/docs.py, which is no package."""
    spec = importlib.util.spec_from_file_location("pannier_docs", ROOT / "scripts" / "docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def markdown() -> list[Path]:
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def prose(page: Path) -> str:
    return FENCE.sub("", COMMENT.sub("", page.read_text()))


def links(page: Path) -> Iterator[str]:
    outside = ("http://", "https://", "mailto:")
    return (link for link in LINK.findall(prose(page)) if not link.startswith(outside))


@cache
def anchors(page: Path) -> set[str]:
    """The names that GitHub gives to a page's headings."""
    bare = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(prose(page)))
    return {heading.replace(" ", "-") for heading in bare}


def leads_somewhere(page: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    if not target.exists():
        return False
    return not anchor or target.suffix != ".md" or anchor in anchors(target)


def test_the_generated_pages_are_what_the_code_says_today() -> None:
    stale = [
        str(path.relative_to(ROOT))
        for path, text in generator().render_pages().items()
        if not path.exists() or path.read_text() != text
    ]
    assert not stale, f"run `make docs`, which changes {', '.join(stale)}"


def test_no_two_refusals_share_a_code() -> None:
    generator().import_everything()
    kinds = generator().list_problem_types()
    codes = Counter(kind.code for kind in kinds)
    shared = {kind.__name__: kind.code for kind in kinds if codes[kind.code] > 1}
    assert not shared


def test_every_refusal_says_what_it_means() -> None:
    generator().import_everything()
    for kind in generator().list_problem_types():
        assert kind.__doc__, kind.__name__
        assert kind.title.endswith("."), kind.__name__
        assert re.fullmatch(r"[a-z][a-z0-9_]+", kind.code), kind.__name__


def test_every_setting_is_described() -> None:
    page = generator().render_settings()
    rows = [line for line in page.splitlines() if line.startswith("| `PANNIER_")]
    assert rows
    assert not [row for row in rows if row.endswith("|  |")]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_field_of_an_event_is_described(kind: type[msgspec.Struct]) -> None:
    schemas = Schemas([kind])
    rows = SchemaTables(schemas.components).list_rows(schemas.find_schema(kind))
    assert rows
    assert [row.name for row in rows if not row.description] == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_event_names_the_operations_that_emit_it_and_there_are_such_doors(
    kind: type[msgspec.Struct],
) -> None:
    doors = {f"{method} {path}" for path, method, _ in generator().list_routes()}
    named = DOOR.findall((kind.__doc__ or "").partition("Emitted by ")[2])
    assert named
    assert set(named) - doors == set()


@pytest.mark.parametrize("page", markdown(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = [link for link in links(page) if not leads_somewhere(page, link)]
    assert not broken, f"{page.relative_to(ROOT)} links to what is not there: {broken}"


def test_the_readme_fits_on_a_few_screens() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


def test_the_architecture_names_every_package_and_module() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text()
    folder = ROOT / "src" / "pannier"
    packages = [f"{path.parent.name}/" for path in folder.glob("*/__init__.py")]
    modules = [path.name for path in folder.glob("*.py") if not path.name.startswith("__")]
    assert not [name for name in (*packages, *modules) if name not in page]


def test_the_architecture_lists_packages_in_the_order_of_their_imports() -> None:
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = [re.findall(r"pannier\.(\w+)", layer) for layer in linter["contracts"][0]["layers"]]
    listing = (ROOT / "ARCHITECTURE.md").read_text().split("```\ncli/")[1].split("```")[0]
    lines = ["cli/" + listing.splitlines()[0], *listing.splitlines()[1:]]
    names = [re.split(r"\s{2,}", line)[0].split(" | ") for line in lines]
    assert [[re.sub(r"/$|\.py$", "", name) for name in line] for line in names] == layers


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "adr"
    decisions = {path.name for path in folder.glob("[0-9]*.md")}
    assert decisions == set(
        re.findall(r"\((\d{4}-[a-z0-9-]+\.md)\)", (folder / "README.md").read_text())
    )


def test_every_runtime_dependency_has_its_line_in_a_decision() -> None:
    lines = (ROOT / "requirements" / "run.in").read_text().splitlines()
    wanted = {line.strip() for line in lines if line.strip() and not line.startswith("#")}
    decisions = "\n".join(path.read_text() for path in (ROOT / "docs" / "adr").glob("[0-9]*.md"))
    assert not [name for name in wanted if f"`{name}`" not in decisions]
