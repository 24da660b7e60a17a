"""What every resource's row has."""

from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from pannier.kit.geo import Point


class Named(msgspec.Struct):
    """All that one package needs to know of another one's row: what it goes by."""

    uuid: UUID
    public_id: str


class PlainRow(msgspec.Struct, kw_only=True):
    """A company's row: whose it is, and when it was made."""

    uuid: UUID
    company: UUID
    created_at: datetime


class PublicRow(PlainRow, kw_only=True):
    """A row that people can name; it stays as it was written."""

    public_id: str


class Row(PublicRow, kw_only=True):
    """A row that changes: when it last did, and how often."""

    updated_at: datetime
    version: int = 1


class KeptRow(Row, kw_only=True):
    """A row that stays behind when it leaves, marked, because history names it."""

    deleted_at: datetime | None = None


class OwnRow(KeptRow, kw_only=True):
    """A row with room for whatever its company wants to keep beside it."""

    meta: dict[str, Any] = msgspec.field(default_factory=dict)


class LocatedRow(OwnRow, kw_only=True):
    """A row that may be somewhere on the earth."""

    latitude: float | None = None
    longitude: float | None = None

    @property
    def location(self) -> Point | None:
        """Where it is, if that is known."""
        return point(self.latitude, self.longitude)


def point(latitude: float | None, longitude: float | None) -> Point | None:
    """Read the two columns of a point."""
    return None if latitude is None or longitude is None else Point(longitude, latitude)
