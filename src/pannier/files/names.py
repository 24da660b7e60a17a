"""File names as stored: without folders, and safe in headers, on disks and on pages."""

import re
import unicodedata
from typing import Final

MAX_LENGTH: Final = 200
DEFAULT_NAME: Final = "file"
_EXTENSION: Final = re.compile(r"\.[A-Za-z0-9]{1,10}\Z")
# Control, invisible and direction-changing characters, surrogates, line breaks.
_INVISIBLE_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean(name: str | None) -> str:
    """Return a safe name without its folder."""
    file_name = re.split(r"[/\\]", name or "")[-1]
    visible_name = "".join(
        character
        for character in file_name
        if unicodedata.category(character) not in _INVISIBLE_CATEGORIES
    )
    collapsed_name = " ".join(unicodedata.normalize("NFC", visible_name).split())
    return _shorten(collapsed_name.strip(". ")) or DEFAULT_NAME


def _shorten(name: str) -> str:
    """Shorten a long name but keep its extension."""
    if len(name) <= MAX_LENGTH:
        return name
    match = _EXTENSION.search(name)
    extension = match[0] if match else ""
    return name[: MAX_LENGTH - len(extension)].rstrip(". ") + extension
