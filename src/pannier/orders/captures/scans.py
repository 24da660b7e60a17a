"""Codes that identify an order, a stop or an item, and rules for matching scans.

Pure rules. The driver's app applies the same rules offline (`capture/codes.js`).
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final
from uuid import UUID

from pannier.orders.models import Order
from pannier.payloads.models import Entity, TrackingNumber, Waypoint
from pannier.payloads.queries import PayloadAggregate

TRACKING_PAGE: Final = re.compile(r"/t/([^/?#\s]+)")
# Scanners add line ends and GS1 separators around a code.
SURROUNDING_CHARACTERS: Final = re.compile(r"^[\s\x1d]+|[\s\x1d]+$")
# Some hand scanners prefix the text with the symbol's type, an AIM identifier.
AIM_IDENTIFIER: Final = re.compile(r"^\][A-Za-z][0-9A-Za-z]")
SEPARATORS: Final = re.compile(r"[\s-]")
# An EAN-13 may be a UPC-A article number with a leading zero.
ARTICLE_NUMBER: Final = re.compile(r"[0-9]{12,13}", re.ASCII)
ARTICLE_SYMBOLOGIES: Final = frozenset({"EAN13", "UPCA"})


class CodeBook:
    """The codes that identify an order, its stops and its items."""

    def __init__(
        self,
        order: Order,
        payload_aggregate: PayloadAggregate,
        numbers: Mapping[UUID, TrackingNumber],
    ) -> None:
        self._numbers, self._items = numbers, payload_aggregate.entities
        rows: list[Order | Waypoint | Entity] = [
            order,
            *payload_aggregate.waypoints,
            *payload_aggregate.entities,
        ]
        self._rows = {row.uuid: row for row in rows}
        self._items_by_stop: dict[UUID | None, list[Entity]] = {}
        for item in payload_aggregate.entities:
            self._items_by_stop.setdefault(item.destination, []).append(item)

    def list_declared_codes(self, subject: UUID) -> list[str]:
        """List the codes that a subject's items declare. They exclude any other code."""
        row = self._rows[subject]
        items = (
            self._items_by_stop.get(subject, [])
            if isinstance(row, Waypoint)
            else self._list_items(row)
        )
        return list(dict.fromkeys(code for item in items for code in item.expected_codes))

    def list_known_codes(self, subject: UUID) -> list[str]:
        """List every code that identifies a subject, declared codes first.

        These are its own codes and those of the items delivered or picked up with it. The codes of
        a stop identify its order too.
        """
        row = self._rows[subject]
        items = self._list_items(row)
        rows: Iterable[Order | Waypoint | Entity] = [row, *items]
        if isinstance(row, Order):
            rows = self._rows.values()
        declared_codes = (code for item in items for code in item.expected_codes)
        own_codes = (code for code_row in rows for code in self._list_own_codes(code_row))
        return list(dict.fromkeys([*declared_codes, *own_codes]))

    def _list_items(self, row: Order | Waypoint | Entity) -> list[Entity]:
        """List the items of a subject. An item without a destination may be at any stop."""
        if isinstance(row, Entity):
            return [row]
        if isinstance(row, Order) or row.type == "pickup":
            return self._items
        return [*self._items_by_stop.get(row.uuid, ()), *self._items_by_stop.get(None, ())]

    def _list_own_codes(self, row: Order | Waypoint | Entity) -> list[str]:
        """List the tracking number, internal id, id and UUID of an order, a stop or an item."""
        number = self._numbers[row.uuid].number if row.uuid in self._numbers else None
        internal_id = None if isinstance(row, Waypoint) else row.internal_id
        codes = (number, internal_id, row.public_id, str(row.uuid))
        return [code for code in codes if code is not None]


def is_match(
    text: str, codes: Collection[str], *, symbology: str | None = None, is_typed: bool = False
) -> bool:
    """Return whether a scanned or typed text is one of the known codes.

    The URL of a tracking page counts as its number. For typed codes, case, spaces and hyphens
    are ignored.
    """
    trimmed_text = SURROUNDING_CHARACTERS.sub("", text)
    page_match = TRACKING_PAGE.search(trimmed_text)
    spellings = {
        trimmed_text,
        AIM_IDENTIFIER.sub("", trimmed_text),
        page_match[1] if page_match else trimmed_text,
    }
    if not spellings.isdisjoint(codes):
        return True
    if is_typed:
        return _normalise_typed_code(trimmed_text) in map(_normalise_typed_code, codes)
    return _normalise_symbology(symbology) in ARTICLE_SYMBOLOGIES and any(
        ARTICLE_NUMBER.fullmatch(code) and code.zfill(13) == trimmed_text.zfill(13)
        for code in codes
    )


def _normalise_typed_code(text: str) -> str:
    return SEPARATORS.sub("", text).upper()


def _normalise_symbology(symbology: str | None) -> str:
    """Return a symbology in one form: `EAN-13`, `ean_13` and `EAN13` are the same."""
    return re.sub(r"[^A-Z0-9]", "", (symbology or "").upper())
