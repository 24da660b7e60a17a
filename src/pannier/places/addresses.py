"""Addresses on one line."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

# From the door outwards, as a courier reads it; parts of one group share a comma.
ORDER: Final = (
    ("building",),
    ("street1",),
    ("street2",),
    ("neighborhood",),
    ("district",),
    ("city",),
    ("province", "postal_code"),
    ("country",),
)
_COMMAS: Final = re.compile(r"[,，、\r\n]+")  # noqa: RUF001 - East Asian commas part addresses too


def one_line(parts: Iterable[str | None]) -> str:
    """Join the parts that say something, each with one comma, none twice in a row."""
    line: list[str] = []
    for piece in _pieces(parts):
        if not line or line[-1].casefold() != piece.casefold():
            line.append(piece)
    return ", ".join(line)


def _pieces(parts: Iterable[str | None]) -> Iterator[str]:
    for part in parts:
        for piece in _COMMAS.split(part or ""):
            if words := " ".join(piece.split()):
                yield words


def groups(place: object) -> list[str]:
    """Take an address apart in the order in which it is read."""
    return [" ".join(text for name in names if (text := getattr(place, name))) for names in ORDER]
