"""What takes long to load and many processes never need: loaded when it is first used."""

from importlib import import_module
from typing import Any


class _Module:
    """Stands for a module until something of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the module has
        found = getattr(import_module(self._name), name)
        setattr(self, name, found)
        return found


aiodns: Any = _Module("aiodns")
markdown_it: Any = _Module("markdown_it")
numpy: Any = _Module("numpy")
shapely: Any = _Module("shapely")
