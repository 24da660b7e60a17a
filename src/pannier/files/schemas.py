"""JSON schemas of files."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import PageIn
from pannier.files.links import FileLink
from pannier.files.models import File
from pannier.web.compatibility import ACCEPTED
from pannier.web.resource_out import PublicId
from pannier.web.serialization import to_schema
from pannier.web.times import Time, to_rfc3339


class FileOut(msgspec.Struct):
    """A file, with a download link that is valid for an hour."""

    id: Annotated[str, Meta(examples=["file_2VhXo7QeJm5tZr9K"])]
    uuid: UUID
    public_id: PublicId
    name: Annotated[str, Meta(examples=["parcel.jpg"])]
    content_type: Annotated[
        str, Meta(description="Detected from the content.", examples=["image/jpeg"])
    ]
    size: Annotated[int, Meta(description="Bytes.", examples=[48213])]
    sha256: Annotated[str, Meta(description="The content's hash, in hexadecimal.")]
    url: Annotated[str, Meta(description="Downloads the file without a credential.")]
    url_expires_at: Time
    created_at: Time
    version: Annotated[int, Meta(description="Always 1: a file never changes.", examples=[1])]

    @classmethod
    def from_row(cls, row: File, link: FileLink) -> Self:
        return to_schema(
            row,
            cls,
            sha256=row.sha256.hex(),
            url=link.url,
            url_expires_at=to_rfc3339(link.expires_at),
            version=row.version,
        )


class FileFormIn(msgspec.Struct):
    """The fields of a form with a file."""

    accepts: ClassVar = ACCEPTED["file"]
    file: Any = None
    name: Any = None


class FileIn(msgspec.Struct):
    """A file in JSON; the server detects its content type."""

    accepts: ClassVar = ACCEPTED["file"]
    data: Annotated[
        str,
        Meta(
            description="The content in base64, bare or as a data URI.",
            examples=["data:text/plain;base64,SGVsbG8="],
        ),
    ]
    name: Annotated[str | None, Meta(examples=["note.txt"])] = None
    content_type: Annotated[
        str | None,
        Meta(
            description="Only distinguishes types of plain text, such as `text/csv`.",
            examples=["text/plain"],
        ),
    ] = None


# JSON schemas for non-JSON bodies: a form upload and a download.
FILE_FORM_SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": {
            "type": "string",
            "format": "binary",
            "description": "The content, with its file name.",
        }
    },
}
CONTENT_SCHEMA: Final[Mapping[str, object]] = {"*/*": {"type": "string", "format": "binary"}}


class FileFilters(PageIn, frozen=True, kw_only=True):
    """Filters of the list of files."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "name", "size")

    name: Annotated[
        str | None, Meta(description="Part of the name, in any case.", examples=["parcel"])
    ] = None
    content_type: Annotated[str | None, Meta(examples=["image/jpeg"])] = None


class LinkIn(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of a signed link."""

    expires: Annotated[
        str,
        Meta(description="When the link expires, in seconds since 1970.", examples=["1768482000"]),
    ] = ""
    signature: Annotated[
        str, Meta(description="The server's signature of the file and the time.")
    ] = ""
