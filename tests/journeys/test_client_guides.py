"""The programs of the guides, in Python and TypeScript: typed strictly, and run as written.

A block marked `python` or `ts` is a part of its guide's program in that language. One marked
`elsewhere` needs what a test does not have.
"""

import json
import re
import sys
from pathlib import Path
from typing import Final

import pytest

from clients.packages import ROOT, Packages, run, script
from program import Serving

pytestmark = pytest.mark.slow

GUIDES: Final = [
    guide for guide in sorted(ROOT.glob("docs/guide/*.md")) if "pannier_client" in guide.read_text()
]
# What Node.js declares of itself, in a package that the clients do not need.
NODE_TYPES: Final = """
declare const process: { env: { [name: string]: string } };
declare module "node:fs/promises" {
  export function readFile(path: string, encoding: "utf8"): Promise<string>;
}
"""
OPTIONS: Final = {
    "strict": True,
    "noEmit": True,
    "target": "ES2022",
    "module": "NodeNext",
    "lib": ["ES2022", "DOM", "DOM.Iterable"],
    "types": [],
}


def write_program(guide: Path, language: str, folder: Path, name: str) -> str:
    """Write the blocks of a guide as one program, with the files that it reads."""
    text = guide.read_text()
    blocks = re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert blocks
    (folder / name).write_text("\n".join(blocks))
    for content in re.findall(r"^```csv\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        (folder / "orders.csv").write_text(content)
    return name


def environment(served: Serving) -> dict[str, str]:
    return {"PANNIER": served.url, "API_KEY": served.said("API key")}


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_the_python_of_a_guide_works(
    client_packages: Packages, served: Serving, tmp_path: Path, guide: Path
) -> None:
    name = write_program(guide, "python", tmp_path, "program.py")
    said = client_packages.run_python(tmp_path, name, **environment(served))
    assert_says_as_promised(guide, said)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_the_typescript_of_a_guide_works(
    client_packages: Packages, served: Serving, tmp_path: Path, guide: Path
) -> None:
    name = write_program(guide, "ts", tmp_path, "program.mjs")
    said = client_packages.run_node(tmp_path, name, **environment(served))
    assert_says_as_promised(guide, said)


def assert_says_as_promised(guide: Path, said: str) -> None:
    if guide.stem == "tutorial":
        assert said.splitlines()[0] == "completed"
    else:
        assert "404 not_found" in said
        assert [line.split()[0] for line in said.splitlines()[-3:]] == ["WEB-1", "WEB-2", "WEB-3"]


def test_the_typescript_of_the_guides_is_typed(client_packages: Packages, tmp_path: Path) -> None:
    names = [write_program(guide, "ts", tmp_path, f"{guide.stem}.mts") for guide in GUIDES]
    client_packages.link(tmp_path)
    (tmp_path / "node.d.ts").write_text(NODE_TYPES)
    config = {"compilerOptions": OPTIONS, "files": ["node.d.ts", *names]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config))
    run([str(script().find_compiler()), "-p", "."], tmp_path, {})


def test_the_python_of_the_guides_is_typed(tmp_path: Path) -> None:
    names = [
        str(tmp_path / write_program(guide, "python", tmp_path, f"{guide.stem}.py"))
        for guide in GUIDES
    ]
    # With the settings and the cache of `make types`, which has read the client already.
    run([sys.executable, "-m", "mypy", *names], ROOT, {})
