"""Rows of files."""

from datetime import datetime
from uuid import UUID

import msgspec

from pannier.db.row import PublicRow


class File(PublicRow, kw_only=True):
    """A company's upload; its bytes are in the storage under their hash."""

    sha256: bytes
    size: int
    content_type: str
    name: str
    deleted_at: datetime | None = None
    # Another record refers to it, such as a proof, so it cannot be deleted as a file.
    held: bool = False

    @property
    def version(self) -> int:
        """Always 1, because a file never changes."""
        return 1


class Content(msgspec.Struct, frozen=True):
    """Bytes to store, with their declared content type."""

    data: bytes
    content_type: str | None = None


class StoredObject(msgspec.Struct, frozen=True):
    """A stored object. Its note lets the sweep find it if no file is created for it."""

    sha256: bytes
    size: int
    content_type: str
    sweep: UUID


class FileSweep(msgspec.Struct):
    """A note to check at `due_at` whether an object is still needed."""

    uuid: UUID
    sha256: bytes
    due_at: datetime
