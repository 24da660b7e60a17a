"""The rows of files."""

from datetime import datetime
from uuid import UUID

import msgspec

from pannier.db.row import PublicRow


class File(PublicRow, kw_only=True):
    """An upload of a company; its bytes lie in the storage under their hash."""

    sha256: bytes
    size: int
    content_type: str
    name: str
    deleted_at: datetime | None = None
    # Something else keeps it, such as a proof: nobody deletes it as a file of their own.
    held: bool = False

    @property
    def version(self) -> int:
        """A file never changes: there is only the one."""
        return 1


class Content(msgspec.Struct, frozen=True):
    """Bytes that are to be stored, and what they are said to be."""

    data: bytes
    content_type: str | None = None


class Stored(msgspec.Struct, frozen=True):
    """An object in the storage that no file names yet; its note finds it if none ever does."""

    sha256: bytes
    size: int
    content_type: str
    note: UUID


class Sweep(msgspec.Struct):
    """A note to look whether an object is still needed, at a time when it may not be."""

    uuid: UUID
    sha256: bytes
    due_at: datetime
