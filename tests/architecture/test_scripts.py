"""What checks our scripts refuses what it is there for, and nobody gets around it in silence."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FRONTEND = ROOT / "frontend"
EXEMPTION = re.compile(r"@ts-(?:ignore|expect-error|nocheck)|biome-ignore[^:]*:|\bany\b")
# Words of a reason.
SHORTEST = 2
# Scripts to check together: to start the checker takes longer than to check one.
SAMPLES = {
    "slices.js": "export const last = [1].slice(-1)[0];",
    "lacks.js": "export const x = [1].at(-1);",
    "misses.js": 'document.querySelector("main").remove();',
    "titles.js": "export const title = () => document.title;",
}


def scripts() -> Iterator[Path]:
    for folder in ("console/static", "driver/static", "tracking/static", "web/docs"):
        yield from sorted((ROOT / "src" / "pannier" / folder).rglob("*.js"))


def run(program: str, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    [found] = (FRONTEND / "node_modules").glob(program)
    return subprocess.run(
        [found, *words], cwd=cwd, capture_output=True, text=True, check=False, timeout=60
    )


def check_types(folder: Path, config: str) -> str:
    """Check the samples as our own scripts are; return what is wrong with them."""
    for name, script in SAMPLES.items():
        (folder / name).write_text(script)
    told = {"extends": str(FRONTEND / config), "include": ["*.js"], "exclude": []}
    (folder / "tsconfig.json").write_text(json.dumps(told))
    return run("@typescript/*/lib/tsc", "-p", ".", "--pretty", "false", cwd=folder).stdout


@pytest.fixture(scope="module")
def on_pages(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is wrong with the samples as scripts of pages."""
    return check_types(tmp_path_factory.mktemp("pages"), "tsconfig.json")


@pytest.fixture(scope="module")
def in_workers(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is wrong with the samples as scripts of workers."""
    return check_types(tmp_path_factory.mktemp("workers"), "tsconfig.workers.json")


def test_a_script_that_asks_for_what_old_phones_lack_is_refused(on_pages: str) -> None:
    assert "slices.js" not in on_pages
    assert re.search(r"^lacks.js\(.*Property 'at' does not exist", on_pages, re.MULTILINE)


def test_a_value_that_may_be_missing_is_refused(on_pages: str) -> None:
    assert re.search(r"^misses.js\(.*possibly 'null'", on_pages, re.MULTILINE)


def test_a_worker_that_asks_for_a_document_is_refused(on_pages: str, in_workers: str) -> None:
    assert "titles.js" not in on_pages
    assert re.search(r"^titles.js\(.*Cannot find name 'document'", in_workers, re.MULTILINE)


@pytest.mark.parametrize("way", ['import "./one.js";', 'await import("./one.js");'])
def test_scripts_that_import_each_other_in_a_circle_are_refused(tmp_path: Path, way: str) -> None:
    folder = tmp_path / "src" / "pannier"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "biome.json", tmp_path)
    (folder / "one.js").write_text('import { two } from "./two.js";\n\nexport const one = two;\n')
    (folder / "two.js").write_text("export const two = 2;\n")
    words = ("lint", "--error-on-warnings", "src")
    assert run("@biomejs/*/biome", *words, cwd=tmp_path).returncode == 0
    (folder / "two.js").write_text(f"{way}\n\nexport const two = 2;\n")
    done = run("@biomejs/*/biome", *words, cwd=tmp_path)
    assert done.returncode == 1
    assert "noImportCycles" in done.stderr + done.stdout


def is_type(path: Path, line: str) -> bool:
    return "/**" in line if path.suffix == ".js" else not line.startswith("//")


def test_every_exemption_from_a_check_gives_its_reason() -> None:
    found = []
    for path in [*scripts(), *sorted((FRONTEND / "types").glob("*.d.ts"))]:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = EXEMPTION.search(line)
            # In a comment of its own, `any` is a word.
            if match is None or (match[0] == "any" and not is_type(path, line)):
                continue
            reason = line[match.end() :].strip(" */{}[]<>()|;,-=")
            if len(reason.split()) < SHORTEST:
                found.append(f"{path.name}:{number}")
    assert found == []
