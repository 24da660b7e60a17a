"""Internal ids with slashes in paths. A client sends each slash as `%2F`."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

from pannier.web.identifiers import INTERNAL_PREFIX

# Stands for an encoded slash while a path is mapped to its handler. Text never contains it.
SLASH_MARK: Final = "\x00"


def protect_slashes(scope: Mapping[str, Any]) -> str:
    """Return the path of a request. Slashes that belong to internal ids are marked."""
    raw_path: bytes = scope["raw_path"]
    path: str = scope["path"]
    if b"%2f" not in raw_path.lower() or SLASH_MARK in path:
        return path
    parts = map(unquote, raw_path.decode("ascii").split("/"))
    return "/".join(
        part.replace("/", SLASH_MARK) if part.startswith(INTERNAL_PREFIX) else part
        for part in parts
    )


def restore_slashes(path_params: Mapping[str, Any]) -> dict[str, Any]:
    """Return path parameters with their slashes."""
    return {
        name: value.replace(SLASH_MARK, "/") if isinstance(value, str) else value
        for name, value in path_params.items()
    }
