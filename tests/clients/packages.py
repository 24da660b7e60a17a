"""The clients as they are published: a wheel, and a package that Node.js loads."""

import importlib.util
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, Final

from playwright._impl._driver import compute_driver_executable

from pannier.db.embedded.lock import hold_lock

ROOT: Final = Path(__file__).resolve().parents[2]
NODE: Final = compute_driver_executable()[0]


@cache
def script() -> Any:
    """Load scripts/clients.py, which is no package."""
    spec = importlib.util.spec_from_file_location("pannier_clients", ROOT / "scripts/clients.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Packages:
    """Both packages, in one folder."""

    def __init__(self, folder: Path) -> None:
        self.typescript = folder / "node_modules" / "@pannier" / "client"
        self._folder = folder

    @property
    def wheel(self) -> Path:
        return next(self._folder.glob("*.whl"))

    @classmethod
    def build(cls, shared: Path) -> "Packages":
        """Build them once a run, whichever process needs them first."""
        folder = shared / "clients"
        packages = cls(folder)
        with hold_lock(shared / "clients.lock"):
            if not folder.exists():
                half = cls(shared / "clients.half")
                half.typescript.mkdir(parents=True)
                script().build_typescript(half.typescript)
                script().build_python(half._folder)
                half._folder.rename(folder)
        return packages

    def link(self, folder: Path) -> None:
        """Let modules in a folder import `@pannier/client`."""
        link = folder / "node_modules"
        if not link.exists():
            link.symlink_to(self._folder / "node_modules")

    def run_node(self, folder: Path, *words: str, **environment: str) -> str:
        """Run a module that imports `@pannier/client`."""
        self.link(folder)
        return run([str(NODE), *words], folder, environment)

    def run_python(self, folder: Path, *words: str, **environment: str) -> str:
        """Run a script that imports `pannier_client` from the wheel."""
        environment["PYTHONPATH"] = str(self.wheel)
        return run([sys.executable, *words], folder, environment)


def run(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """Run a program to its end, and return what it wrote."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{done.stderr[-3000:]}\n{done.stdout[-3000:]}"
    return done.stdout
