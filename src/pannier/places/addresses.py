"""Formatting of addresses on one line."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

# From the building outwards.
PARTS: Final = (
    "building", "street1", "street2", "neighborhood", "district", "city", "province",
    "postal_code", "country",
)  # fmt: skip
# Countries that write the postal code after the city and the province, if there is one. The others
# write it before the city.
_CODE_LAST: Final = frozenset({
    "AU", "BD", "BR", "CA", "CN", "CO", "EG", "GB", "GG", "ID", "IE", "IM", "IN", "JE",
    "JO", "JP", "KR", "KZ", "LK", "LV", "MM", "MT", "MV", "NG", "NP", "NZ", "PE", "PK",
    "PR", "RU", "SA", "SG", "TH", "TW", "UA", "US", "VN", "ZA",
})  # fmt: skip
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
    """Format the parts of an address on one line, given in the order of PARTS.

    Results are cached, because a route formats the same addresses often.
    """
    *streets, city, province, postal_code, country = parts
    return join_parts((*streets, format_town(city, province, postal_code, country), country))


def format_town(
    city: str | None, province: str | None, postal_code: str | None, country: str | None
) -> str:
    """Format the part below the street as its country does: "00120 Helsinki", "London N1 9GU".

    Without a country, the postal code is last only after a province: "New York, NY 10118".
    """
    if city and province and city.casefold() == province.casefold():
        province = None
    if country in _CODE_LAST or (not country and province):
        last = _join_with_spaces(province or city, postal_code)
        return join_parts((city, last) if province else (last,))
    return join_parts((_join_with_spaces(postal_code, city), province))


def _join_with_spaces(*parts: str | None) -> str:
    return " ".join(filter(None, parts))
