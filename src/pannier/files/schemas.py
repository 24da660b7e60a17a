"""Files in JSON."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import PageIn
from pannier.files.links import Link
from pannier.files.models import File
from pannier.web.ancestor import ACCEPTED
from pannier.web.spelling import spelled
from pannier.web.times import Time, stamp


class FileOut(msgspec.Struct):
    """A file, with a link that fetches it for an hour."""

    id: Annotated[str, Meta(examples=["file_2VhXo7QeJm5tZr9K"])]
    uuid: UUID
    public_id: str
    name: Annotated[str, Meta(examples=["parcel.jpg"])]
    content_type: Annotated[str, Meta(description="Told by the content.", examples=["image/jpeg"])]
    size: Annotated[int, Meta(description="Bytes.", examples=[48213])]
    sha256: Annotated[str, Meta(description="The content's hash, in hexadecimal.")]
    url: Annotated[str, Meta(description="Fetches the file without a credential.")]
    url_expires_at: Time
    created_at: Time
    version: Annotated[int, Meta(description="Always 1: a file never changes.", examples=[1])]

    @classmethod
    def of(cls, row: File, link: Link) -> Self:
        """Spell a file."""
        return spelled(
            row,
            cls,
            sha256=row.sha256.hex(),
            url=link.url,
            url_expires_at=stamp(link.expires_at),
            version=row.version,
        )


class FileFormIn(msgspec.Struct):
    """The fields of a form with a file."""

    accepts: ClassVar = ACCEPTED["file"]
    file: Any = None
    name: Any = None


class FileIn(msgspec.Struct):
    """A file in JSON; what kind it is, its content tells."""

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
            description="Only chooses between kinds of plain text, such as `text/csv`.",
            examples=["text/plain"],
        ),
    ] = None


# JSON schemas of what is not JSON: a file as a form sends it, and as a link answers it.
FILE_FORM: Final[Mapping[str, object]] = {
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
CONTENT: Final[Mapping[str, object]] = {"*/*": {"type": "string", "format": "binary"}}


class FileFilters(PageIn, frozen=True, kw_only=True):
    """How files are listed."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "name", "size")

    name: Annotated[
        str | None, Meta(description="Part of the name, in any case.", examples=["parcel"])
    ] = None
    content_type: Annotated[str | None, Meta(examples=["image/jpeg"])] = None


class LinkIn(msgspec.Struct, frozen=True, kw_only=True):
    """What a signed link carries."""

    expires: Annotated[
        str, Meta(description="Seconds since 1970 when the link ends.", examples=["1768482000"])
    ] = ""
    signature: Annotated[str, Meta(description="Ours, over the file and the time.")] = ""
