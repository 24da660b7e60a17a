"""Formatting of addresses on one line."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

# From the building outwards. A space separates the parts of a group, and a comma the groups.
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
PARTS: Final = tuple(name for names in ORDER for name in names)
_COMMAS: Final = re.compile(r"[,，、\r\n]+")  # noqa: RUF001 - East Asian commas separate address parts too


def join_parts(parts: Iterable[str | None]) -> str:
    """Join the non-empty parts with commas, and drop consecutive duplicates."""
    pieces: list[str] = []
    for piece in _split_pieces(parts):
        if not pieces or pieces[-1].casefold() != piece.casefold():
            pieces.append(piece)
    return ", ".join(pieces)


def _split_pieces(parts: Iterable[str | None]) -> Iterator[str]:
    for part in parts:
        for piece in _COMMAS.split(part or ""):
            if text := " ".join(piece.split()):
                yield text


@lru_cache(maxsize=4096)
def format_address(*parts: str | None) -> str:
    """Format the parts of an address, given in the order of PARTS.

    Results are cached, because a route formats the same addresses often.
    """
    parts_by_name = dict(zip(PARTS, parts, strict=True))
    return join_parts(
        " ".join(filter(None, (parts_by_name[name] for name in names))) for names in ORDER
    )
