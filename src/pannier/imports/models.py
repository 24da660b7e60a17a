"""Database rows of imports."""

from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec

from pannier.db import Actor
from pannier.db.row import PlainRow, VersionedRow

ImportResource = Literal["places", "contacts", "orders", "drivers", "vehicles", "service-rates"]
ImportState = Literal[
    "new", "checking", "checked", "importing", "done", "undoing", "undone", "failed"
]
ImportTask = Literal["check", "import", "undo"]
ImportRowState = Literal["created", "unchanged", "failed", "undone", "kept"]
DateOrder = Literal["day_first", "month_first"]
FileFormat = Literal["csv", "xlsx"]


class FileLayout(msgspec.Struct, frozen=True, kw_only=True):
    """How a file is to be read."""

    format: FileFormat
    encoding: str | None = None
    separator: str | None = None
    sheet: str | None = None


class RowError(msgspec.Struct, frozen=True):
    """What is wrong with a row, and in which column."""

    column: str | None
    message: str


class ImportCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The number of rows in each state."""

    ready: int = 0
    created: int = 0
    unchanged: int = 0
    failed: int = 0
    undone: int = 0
    kept: int = 0


class ImportRow(VersionedRow, kw_only=True):
    """An import."""

    resource: ImportResource
    state: ImportState
    # Null once the file was deleted.
    file: UUID | None
    file_name: str
    layout: FileLayout
    headers: list[str]
    headers_digest: bytes
    # The first rows of the file, to choose the mapping by.
    sample: list[list[str]]
    # The field of each mapped column, by header.
    mapping: dict[str, str]
    # Without it, a row with a date that could be read in both orders is refused.
    date_order: DateOrder | None = None
    # The number of the last row that was processed, and of the last row of the file.
    processed: int = 0
    row_count: int | None = None
    counts: ImportCounts = ImportCounts()
    failure: str | None = None
    # Who requested the present task: the author of its changes.
    actor: Actor | None = None
    checked_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    undone_at: datetime | None = None


class ImportRun(msgspec.Struct):
    """A leased task of an import."""

    import_uuid: UUID
    company: UUID
    task: ImportTask
    attempts: int
    # The attempt that last saved rows.
    progress_attempt: int
    created_at: datetime


class RowResult(PlainRow, kw_only=True):
    """The result of a row. An order of several rows has one, under its first row."""

    import_uuid: UUID
    number: int
    state: ImportRowState
    key: bytes | None
    # The public id of the record.
    record: str | None
    errors: list[RowError]
    # Of the record as it was created. Null in rows of earlier releases.
    fingerprint: bytes | None = None
