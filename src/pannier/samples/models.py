"""Rows of sample data."""

from pannier.db.row import PlainRow
from pannier.imports.models import ImportResource


class SampleRecord(PlainRow, kw_only=True):
    """A record that was added as sample data."""

    resource: ImportResource
    # The public id of the record.
    record: str
    # Of the record as it was created, by which removal recognises later changes.
    fingerprint: bytes
    # Why the record was not removed.
    reason: str | None = None
