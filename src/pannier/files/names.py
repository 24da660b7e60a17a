"""File names as they are kept: a name and nothing else, safe in a header, on a disk, on a page."""

import re
import unicodedata
from typing import Final

LONGEST: Final = 200
NAMELESS: Final = "file"
_EXTENSION: Final = re.compile(r"\.[A-Za-z0-9]{1,10}\Z")
# Control, invisible and direction-changing characters, halves of characters, line breaks.
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean(name: str | None) -> str:
    """Keep what a person would call the file; the folder it came from is not our business."""
    last = re.split(r"[/\\]", name or "")[-1]
    seen = "".join(mark for mark in last if unicodedata.category(mark) not in _UNSEEN)
    words = " ".join(unicodedata.normalize("NFC", seen).split())
    return _shortened(words.strip(". ")) or NAMELESS


def _shortened(name: str) -> str:
    """Cut a long name before its extension."""
    if len(name) <= LONGEST:
        return name
    found = _EXTENSION.search(name)
    extension = found[0] if found else ""
    return name[: LONGEST - len(extension)].rstrip(". ") + extension
