"""Modules that are slow to import and that many processes never need, imported on first use."""

from importlib import import_module
from typing import Any


class _LazyModule:
    """A placeholder that imports its module on the first access to an attribute."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the module has
        member = getattr(import_module(self._name), name)
        setattr(self, name, member)
        return member


aiodns: Any = _LazyModule("aiodns")
markdown_it: Any = _LazyModule("markdown_it")
numpy: Any = _LazyModule("numpy")
shapely: Any = _LazyModule("shapely")
