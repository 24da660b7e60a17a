"""`scripts/setup` finds out what there is to do, and says what went wrong."""

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
# pip itself, which the suite's own Python may be without.
PYTHON = Path(sys.base_prefix) / "bin" / "python3"


def script(root: Path, name: str = "setup") -> Any:
    """Load a script of a clone."""
    loader = SourceFileLoader(f"{name}_script", str(root / "scripts" / name))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def stocked(root: Path) -> None:
    """Pretend that the console's files were fetched."""
    for name in ("frontend/package-lock.json", "src/pannier/console/icons.txt"):
        (root / name).parent.mkdir(parents=True)
        shutil.copy(ROOT / name, root / name)
    assets = script(root, "assets")
    assets.VENDOR.mkdir()
    assets.build_stamp_path().write_text(assets.compute_digest())


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with nothing but what setting up reads."""
    for name in ("scripts", "requirements"):
        # What others compile there meanwhile comes and goes.
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    stocked(tmp_path)
    return tmp_path


def run(clone: Path, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PYTHON, clone / "scripts" / "setup", *words],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )


def installed(clone: Path, *levels: str) -> Any:
    """Pretend that levels were installed."""
    setup = script(clone)
    setup.PYTHON.parent.mkdir(parents=True)
    setup.PYTHON.symlink_to(PYTHON)
    for level in levels:
        setup.build_stamp_path(level).write_text(setup.compute_digest(level))
    return setup


def test_nothing_is_done_and_said_when_nothing_changed(clone: Path) -> None:
    installed(clone, "run")
    done = run(clone, "run")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_demo_needs_what_running_needs_and_its_map_comes_in_the_background(
    clone: Path,
) -> None:
    installed(clone, "run")
    fetched = clone / "fetched"
    module = clone / "modules" / "pannier" / "maps" / "installer.py"
    module.parent.mkdir(parents=True)
    module.write_text(f"print('unwanted'); open({str(fetched)!r}, 'w').close()\n")
    done = run(clone, "run", PYTHONPATH=str(clone / "modules"))
    assert (done.returncode, fetched.exists()) == (0, False)
    done = run(clone, "demo", PYTHONPATH=str(clone / "modules"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert fetched.exists()  # its errors were read to their end


def test_each_level_is_current_until_what_decides_it_changes(clone: Path) -> None:
    setup = installed(clone, "run", "dev")
    assert setup.is_current("run")
    assert setup.is_current("dev")
    with (clone / "requirements" / "dev.txt").open("a") as locked:
        locked.write("another==1\n")
    assert setup.is_current("run")
    assert not setup.is_current("dev")
    setup.PYTHON.unlink()
    assert not setup.is_current("run")


def test_uv_asks_where_pip_is_configured_to_ask() -> None:
    listed = """
        :env:.index-url='https://mirror.example.com/simple'
        :env:.default-timeout='60'
        global.cert='/etc/ssl/ours.pem'
        global.extra-index-url='file:///srv/one\\nfile:///srv/two'
        global.index-url='https://other.example.com/simple'
        install.find-links='/srv/wheels /srv/more'
        freeze.timeout='10'
    """
    told = script(ROOT).translate_pip_config(
        "\n".join(line.strip() for line in listed.splitlines())
    )
    assert told.items() >= {
        ("UV_DEFAULT_INDEX", "https://mirror.example.com/simple"),
        ("UV_INDEX", "file:///srv/one file:///srv/two"),
        ("UV_FIND_LINKS", "/srv/wheels,/srv/more"),
        ("SSL_CERT_FILE", "/etc/ssl/ours.pem"),
        ("UV_HTTP_TIMEOUT", "60"),
    }


def test_uv_stays_with_its_own_default_where_pip_is_not_configured() -> None:
    assert not {"UV_DEFAULT_INDEX", "UV_INDEX", "UV_FIND_LINKS"} & set(
        script(ROOT).translate_pip_config("")
    )


def test_setting_up_ends_when_the_console_has_not_what_it_needs(clone: Path) -> None:
    installed(clone, "run")
    script(clone, "assets").build_stamp_path().unlink()
    (clone / "frontend" / "package-lock.json").unlink()
    done = run(clone, "run")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("setup: the console's files are missing")


@pytest.mark.parametrize(
    ("words", "settings", "sentence"),
    [
        (["everything"], {}, "setup: use `scripts/setup run`, "),
        (["run"], {"PYTHON": "python-of-nobody"}, "setup: PYTHON=python-of-nobody cannot be run"),
    ],
)
def test_a_wrong_wish_is_answered_in_a_sentence(
    clone: Path, words: list[str], settings: dict[str, str], sentence: str
) -> None:
    done = run(clone, *words, **settings)
    assert done.returncode == 1
    assert done.stderr.startswith(sentence)


@pytest.mark.slow
def test_a_registry_that_does_not_answer_is_told_plainly_and_without_escape_codes(
    clone: Path,
) -> None:
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0"}
    done = run(clone, "run", **nowhere, PIP_CONFIG_FILE=os.devnull, PIP_FIND_LINKS="")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("setup: pip could not fetch uv; check ")
    assert "==> Fetching uv" in done.stdout
    assert not {"\033", "\r"} & set(done.stdout + done.stderr)


def unsteady(clone: Path, crashes: int) -> Path:
    """Put a uv in place that crashes some times before it works; a file counts its runs."""
    setup = installed(clone)
    uv, runs = setup.UV / "bin" / "uv", clone / "runs"
    uv.parent.mkdir(parents=True)
    uv.write_text(
        f"#!/bin/sh\necho >> {runs}\n[ $(wc -l < {runs}) -gt {crashes} ] || kill -SEGV $$\n"
    )
    uv.chmod(0o755)
    shutil.copy(setup.LOCKED / "uv.txt", setup.UV / "locked.txt")
    return runs


@pytest.mark.slow
def test_a_uv_that_crashes_is_run_again(clone: Path) -> None:
    runs = unsteady(clone, crashes=1)
    done = run(clone, "run")
    assert done.returncode == 0
    assert "uv crashed (SIGSEGV)" in done.stderr
    assert len(runs.read_text().splitlines()) == 3  # one crash, what is locked, Pannier itself
    assert script(clone).is_current("run")


@pytest.mark.slow
def test_a_uv_that_keeps_crashing_is_told_and_nothing_counts_as_installed(clone: Path) -> None:
    runs = unsteady(clone, crashes=100)
    done = run(clone, "run")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("setup: the packages could not be installed")
    assert done.stderr.count("uv crashed (SIGSEGV)") == len(runs.read_text().splitlines()) == 3
    assert not script(clone).is_current("run")


def test_a_browser_that_is_named_is_the_one(clone: Path) -> None:
    command = [PYTHON, clone / "scripts" / "chromium"]
    named = {**os.environ, "PANNIER_CHROMIUM": str(PYTHON)}
    for asked in ("--where", "--where-shell"):
        told = subprocess.check_output([*command, asked], env=named, text=True)
        assert told == f"{PYTHON}\n"
    nobody = {**os.environ, "PANNIER_CHROMIUM": "browser-of-nobody"}
    done = subprocess.run(command, env=nobody, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("chromium: not found; install Chromium")
