"""Rows of order templates."""

from typing import Any

from pannier.db.row import VersionedRow


class OrderTemplate(VersionedRow, kw_only=True):
    """A template: the body of an order with local times, as `duplicates.copying` makes it."""

    name: str
    body: dict[str, Any]
    # The contacts and vendors in the body, by public id.
    partners: list[str]
