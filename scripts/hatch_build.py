"""Complete the wheel: its dependencies, and the files that the console serves."""

from __future__ import annotations

import re
import shutil
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

# Only a checkout needs these, because it builds itself.
BUILD_ONLY = frozenset({"editables", "hatchling"})
PIN = re.compile(r"^([\w.-]+)==([^\s;\\]+)", re.MULTILINE)


class Dependencies(MetadataHookInterface):
    """Sets the dependencies of the wheel."""

    def update(self, metadata: dict[str, Any]) -> None:
        """List the packages of requirements/run.in, each at least in its locked version."""
        folder = Path(self.root, "requirements")
        locked = dict(PIN.findall((folder / "run.txt").read_text()))
        lines = (folder / "run.in").read_text().splitlines()
        named = [line for line in lines if line and not line.startswith("#")]
        metadata["dependencies"] = [
            f"{name}>={locked[name]}" for name in named if name not in BUILD_ONLY
        ]


class Assets(BuildHookInterface):
    """Fetches the console's files before a wheel is built."""

    def dependencies(self) -> list[str]:
        """Return the packages that fetching needs, in their locked versions."""
        names = ["cities"] if shutil.which("npm") else ["cities", "node"]
        locks = [Path(self.root, "requirements", f"{name}.txt") for name in names]
        return (
            []
            if self._load_script().is_current()
            else [lock.read_text().split()[0] for lock in locks]
        )

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - the hook's interface
        """Fetch the files, unless this is an editable install: `make setup` fetches them there."""
        if version != "editable":
            self._load_script().main()

    def _load_script(self) -> Any:  # noqa: ANN401 - a module
        loader = SourceFileLoader("assets_script", str(Path(self.root, "scripts", "assets")))
        spec = spec_from_loader(loader.name, loader)
        if spec is None:
            raise ImportError(loader.path)
        module = module_from_spec(spec)
        loader.exec_module(module)
        return module
