"""The wheel: it names what it needs, and runs where there is no checkout."""

import email
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterator
from email.message import Message
from pathlib import Path

import httpx
import pytest

from program import PATIENCE, Serving
from scripts.test_setup import ROOT, script

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PACKAGES = Path(sysconfig.get_path("purelib")).relative_to(sys.prefix)


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """Build the wheel as it is published."""
    folder = tmp_path / "wheel"
    built = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(built, cwd=ROOT, check=True, capture_output=True, timeout=PATIENCE)
    [made] = folder.glob("*.whl")
    return made


def named(requirements: str) -> set[str]:
    """Read the names of packages off a list, one a line."""
    lines = (line for line in requirements.splitlines() if line and not line.startswith("#"))
    return {re.split(r"[<>=;\s]", line)[0] for line in lines}


def read_metadata(wheel: Path) -> Message:
    """Read what the wheel says of itself."""
    with zipfile.ZipFile(wheel) as packed:
        [place] = [name for name in packed.namelist() if name.endswith(".dist-info/METADATA")]
        return email.message_from_bytes(packed.read(place))


def assert_needs_named(wheel: Path) -> None:
    """Check that the wheel names what running needs, and nothing else."""
    metadata = read_metadata(wheel)
    wanted = named((ROOT / "requirements" / "run.in").read_text()) - {"editables", "hatchling"}
    assert named("\n".join(metadata.get_all("Requires-Dist", []))) == wanted
    assert metadata["Requires-Python"] == ">=3.11"


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    """Make a folder outside of the checkout."""
    with tempfile.TemporaryDirectory(prefix="pannier-elsewhere-") as folder:
        assert ROOT not in Path(folder).resolve().parents
        yield Path(folder)


def install(wheel: Path, place: Path) -> None:
    """Install the wheel and what it names into an empty environment, in the versions locked.

    The wheel by itself and past uv's cache, which would keep every one that is ever built.
    """
    setup = script(ROOT)
    told = {
        name: value for name, value in setup.build_environment().items() if name != "PYTHONPATH"
    }
    uv, locked = str(setup.UV / "bin" / "uv"), str(ROOT / "requirements" / "run.txt")
    into = ("--python", str(place / "bin" / "python"))
    needed = read_metadata(wheel).get_all("Requires-Dist", [])
    for words in (
        ("venv", "--python", sys.executable, str(place)),
        ("pip", "install", *into, "--no-cache", "--no-deps", str(wheel)),
        ("pip", "install", *into, "--constraints", locked, *needed),
        ("pip", "check", *into),
    ):
        done = subprocess.run(
            [uv, *words, "--quiet"], env=told, cwd="/", capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    lend_bytecode(place)


def lend_bytecode(place: Path) -> None:
    """Copy what Python has compiled of the same packages for us; it looks whether it still fits."""
    ours, theirs = (Path(of) / PACKAGES for of in (sys.prefix, place))
    for compiled in ours.rglob("__pycache__"):
        folder = theirs / compiled.relative_to(ours)
        if folder.parent.is_dir() and not folder.exists():
            shutil.copytree(compiled, folder)


def test_the_wheel_names_all_it_needs_and_runs_outside_of_a_checkout_where_an_operator_signs_in(
    wheel: Path, elsewhere: Path, new_folder: Path
) -> None:
    assert_needs_named(wheel)
    install(wheel, elsewhere / "environment")
    command = [str(elsewhere / "environment" / "bin" / "pannier")]
    program = Serving(new_folder, "--workers", "1", command=command, folder=elsewhere)
    try:
        program.ready()
        given = {"email": program.said("Operator  "), "password": program.said("Password")}
        with httpx.Client(base_url=program.url, timeout=PATIENCE) as browser:
            assert browser.get("/console/orders").status_code == 303
            signed_in = browser.post("/console/sign-in", data=given)
            assert signed_in.headers["Location"] == "/console/home", signed_in.text
            page = browser.get("/console/orders")
            assert page.status_code == 200
            [style] = re.findall(r'href="(/assets/[^"]+\.css)"', page.text)[:1]
            assert browser.get(style).status_code == 200
            assert browser.get("/docs").status_code == 200
        assert program.interrupt() == 0
    finally:
        program.kill()
