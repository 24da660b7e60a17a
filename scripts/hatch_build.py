"""Completes the wheel: its dependencies, and the files that the console serves."""

from __future__ import annotations

import re
import shutil
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

# In the list because a checkout builds itself; a wheel is built already.
BUILD_ONLY = frozenset({"editables", "hatchling"})
PIN = re.compile(r"^([\w.-]+)==([^\s;\\]+)", re.MULTILINE)


class Dependencies(MetadataHookInterface):
    """Names the dependencies of the wheel."""

    def update(self, metadata: dict[str, Any]) -> None:
        """List what requirements/run.in names, each from the locked version on."""
        folder = Path(self.root, "requirements")
        locked = dict(PIN.findall((folder / "run.txt").read_text()))
        lines = (folder / "run.in").read_text().splitlines()
        named = [line for line in lines if line and not line.startswith("#")]
        metadata["dependencies"] = [
            f"{name}>={locked[name]}" for name in named if name not in BUILD_ONLY
        ]


class Assets(BuildHookInterface):
    """Fetches the console's files before a wheel is put together."""

    def dependencies(self) -> list[str]:
        """Name what fetching needs, as it is locked."""
        names = ["cities"] if shutil.which("npm") else ["cities", "node"]
        locks = [Path(self.root, "requirements", f"{name}.txt") for name in names]
        return [] if self._script().current() else [lock.read_text().split()[0] for lock in locks]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - the hook's interface
        """Fetch, unless the checkout itself is what is installed: `make setup` does it there."""
        if version != "editable":
            self._script().main()

    def _script(self) -> Any:  # noqa: ANN401 - a module
        loader = SourceFileLoader("assets_script", str(Path(self.root, "scripts", "assets")))
        spec = spec_from_loader(loader.name, loader)
        if spec is None:
            raise ImportError(loader.path)
        module = module_from_spec(spec)
        loader.exec_module(module)
        return module
