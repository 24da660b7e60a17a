"""What is generated from the document: complete, small, and readable by its programs."""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from clients.packages import ROOT, script
from pannier.app import build_litestar
from pannier.web.openapi import build_document

MAX_BYTES: Final = 500_000
METHODS: Final = ("get", "post", "put", "patch", "delete")
STREAM: Final = "text/event-stream"
ALIAS: Final = re.compile(r"By(Get|Post|Put|Patch|Delete)$")


@cache
def document() -> dict[str, Any]:
    return build_document(build_litestar(), "http://127.0.0.1:8000").content


def list_operations() -> dict[str, dict[str, Any]]:
    """List the operations of the three APIs by id, without other methods for the same thing."""
    return {
        spec["operationId"]: {**spec, "path": path, "method": method}
        for path, item in document()["paths"].items()
        for method, spec in item.items()
        if "/v1/" in path
        and not ALIAS.search(spec["operationId"])
        and STREAM not in spec["responses"].get("200", {}).get("content", {})
    }


def count_paths(folder: str) -> Counter[str]:
    """Count the paths in the resources of a client, with `{}` for parameters."""
    files = (ROOT / "clients" / folder).rglob("*.[pt][ys]")
    text = re.sub(r"\$?{[^{}\s]*}", "{}", "\n".join(path.read_text() for path in files))
    return Counter(re.findall(r'["`](/[^"`\s]*)["`]', text))


def test_every_operation_has_a_method_in_both_clients() -> None:
    operations = list_operations().values()
    assert len(operations) > 500
    paths = Counter(re.sub(r"{[^}]*}", "{}", each["path"]) for each in operations)
    python = count_paths("python/src/pannier_client/resources")
    assert python == Counter({path: 2 * count for path, count in paths.items()})
    assert count_paths("typescript/src/resources") == paths


def test_generated_files_are_committed_only_while_they_are_small() -> None:
    generator = script().sys.modules["generator"]
    files = [
        *generator.PYTHON_PACKAGE.rglob("*.py"),
        *generator.TYPESCRIPT_SOURCES.rglob("*.ts"),
    ]
    assert {path.name for path in files if path.stat().st_size > MAX_BYTES} == set()


def test_no_file_is_left_of_a_resource_that_is_gone() -> None:
    generator = script().sys.modules["generator"]
    notes = ("# Written by", "// Written by")
    stale = [
        path
        for path in generator.find_stale_files(dict.fromkeys(list_expected_files(), ""))
        if path.read_text().startswith(notes)
    ]
    assert stale == []


def list_expected_files() -> list[Path]:
    """List where the resources of today's operations are."""
    generator = script().sys.modules["generator"]
    groups = {tuple(name.split(".")[:-1]) for name in list_operations()}
    groups |= {group[:length] for group in groups for length in range(len(group))}
    parents = {group[:-1] for group in groups if group}
    files = []
    for group in groups:
        python = [re.sub(r"(?<!^)([A-Z])", r"_\1", word).lower() for word in group]
        for root, words, index, end in (
            (generator.PYTHON_PACKAGE, python, "__init__.py", ".py"),
            (generator.TYPESCRIPT_SOURCES, list(group), "index.ts", ".ts"),
        ):
            folder = Path(root, "resources", *words)
            files.append(folder / index if group in parents else folder.with_suffix(end))
    return files


BLOCK: Final = re.compile(r"([a-z:-]+) ([{\[])\n((?:  .*\n)*)[}\]]\n")


def parse_bru(text: str) -> dict[str, list[str]]:
    """Read a file of Bruno: blocks whose lines are indented."""
    blocks = {}
    rest = text
    while rest:
        found = BLOCK.match(rest)
        assert found, rest[:200]
        blocks[found[1]] = [line[2:] for line in found[3].splitlines()]
        rest = rest[found.end() :].removeprefix("\n")
    return blocks


def parse_entries(lines: list[str]) -> dict[str, str]:
    """Read the lines of a block of names and values."""
    pairs = [re.fullmatch(r"(~?[\w.-]+): ?(.*)", line) for line in lines]
    assert all(pairs), lines
    return {pair[1]: pair[2] for pair in pairs if pair}


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    script().write_collection(tmp_path, document())
    return tmp_path


def test_the_collection_has_every_operation(collection: Path) -> None:
    operations = list_operations()
    files = {path.stem: path for path in collection.rglob("*.bru") if "." in path.stem}
    assert files.keys() == operations.keys()
    assert json.loads((collection / "bruno.json").read_text())["type"] == "collection"
    environment = parse_bru((collection / "environments" / "Local.bru").read_text())
    assert parse_entries(environment["vars"]) == {"baseUrl": "http://127.0.0.1:8000"}
    for name, path in files.items():
        blocks, spec = parse_bru(path.read_text()), operations[name]
        request = parse_entries(blocks[spec["method"]])
        url = re.sub(r":(\w+)", r"{\1}", request["url"].removeprefix("{{baseUrl}}"))
        assert url == spec["path"]
        assert request["body"] == ("json" if "requestBody" in spec else "none")
        if request["body"] == "json":
            json.loads("\n".join(blocks["body:json"]))
        if request["auth"] == "bearer":
            [variable] = re.findall(r"token: {{(\w+)}}", blocks["auth:bearer"][0])
            assert variable in "".join(environment["vars:secret"])
        for block in ("meta", "headers", "params:path", "params:query"):
            parse_entries(blocks.get(block, []))
