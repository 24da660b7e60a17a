"""Puts what the console serves into the wheel, as `scripts/assets` does for a checkout."""

from __future__ import annotations

import shutil
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


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
