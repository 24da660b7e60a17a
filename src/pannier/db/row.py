"""Base classes of table rows."""

from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from pannier.kit.geo import Point


class RowReference(msgspec.Struct):
    """Another package's row, reduced to its identifiers."""

    uuid: UUID
    public_id: str


class PlainRow(msgspec.Struct, kw_only=True):
    """A company's row."""

    uuid: UUID
    company: UUID
    created_at: datetime


class PublicRow(PlainRow, kw_only=True):
    """A row with a public id, which never changes once written."""

    public_id: str


class VersionedRow(PublicRow, kw_only=True):
    """A row that can change."""

    updated_at: datetime
    version: int = 1


class SoftDeletedRow(VersionedRow, kw_only=True):
    """A soft-deleted row: it stays in the table, because history refers to it."""

    deleted_at: datetime | None = None


class MetaRow(SoftDeletedRow, kw_only=True):
    """A row with custom metadata of its company."""

    meta: dict[str, Any] = msgspec.field(default_factory=dict)


class LocatedRow(MetaRow, kw_only=True):
    """A row with an optional location."""

    latitude: float | None = None
    longitude: float | None = None

    @property
    def location(self) -> Point | None:
        """The location, or None if unknown."""
        return to_point(self.latitude, self.longitude)


def to_point(latitude: float | None, longitude: float | None) -> Point | None:
    """Return the point of two nullable columns."""
    return None if latitude is None or longitude is None else Point(longitude, latitude)
