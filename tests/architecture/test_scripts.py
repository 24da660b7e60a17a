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


def scripts() -> Iterator[Path]:
    for folder in ("console/static", "driver/static", "tracking/static", "web/docs"):
        yield from sorted((ROOT / "src" / "pannier" / folder).rglob("*.js"))


def run(program: str, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    [found] = (FRONTEND / "node_modules").glob(program)
    return subprocess.run(
        [found, *words], cwd=cwd, capture_output=True, text=True, check=False, timeout=60
    )


def check_types(folder: Path, script: str, config: str = "tsconfig.json") -> str:
    """Check one script as our own are; answer what is wrong with it."""
    (folder / "script.js").write_text(script)
    told = {"extends": str(FRONTEND / config), "include": ["script.js"], "exclude": []}
    (folder / "tsconfig.json").write_text(json.dumps(told))
    return run("@typescript/*/lib/tsc", "-p", ".", "--pretty", "false", cwd=folder).stdout


def test_a_script_that_asks_for_what_old_phones_lack_is_refused(tmp_path: Path) -> None:
    assert check_types(tmp_path, "export const last = [1].slice(-1)[0];") == ""
    assert "Property 'at' does not exist" in check_types(tmp_path, "export const x = [1].at(-1);")


def test_a_value_that_may_be_missing_is_refused(tmp_path: Path) -> None:
    wrong = check_types(tmp_path, 'document.querySelector("main").remove();')
    assert "possibly 'null'" in wrong


def test_a_worker_that_asks_for_a_document_is_refused(tmp_path: Path) -> None:
    asked = "export const title = () => document.title;"
    assert check_types(tmp_path, asked) == ""
    assert "Cannot find name 'document'" in check_types(tmp_path, asked, "tsconfig.workers.json")


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
