"""File names as stored: without folders, and safe in headers, on disks and on pages."""

import re
import unicodedata
from typing import Final

LONGEST: Final = 200
NAMELESS: Final = "file"
_EXTENSION: Final = re.compile(r"\.[A-Za-z0-9]{1,10}\Z")
# Control, invisible and direction-changing characters, surrogates, line breaks.
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean(name: str | None) -> str:
    """Return a safe name without its folder."""
    last = re.split(r"[/\\]", name or "")[-1]
    seen = "".join(mark for mark in last if unicodedata.category(mark) not in _UNSEEN)
    words = " ".join(unicodedata.normalize("NFC", seen).split())
    return _shortened(words.strip(". ")) or NAMELESS


def _shortened(name: str) -> str:
    """Shorten a long name but keep its extension."""
    if len(name) <= LONGEST:
        return name
    found = _EXTENSION.search(name)
    extension = found[0] if found else ""
    return name[: LONGEST - len(extension)].rstrip(". ") + extension
