"""A file as it comes in: a form, or JSON with base64."""

import binascii
import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from multipart import (  # type: ignore[import-untyped]  # it has no types
    MultipartSegment,
    PushMultipartParser,
    parse_options_header,
)

from pannier.errors import BodyUnreadable, Field, Invalid, UnsupportedMedia, checked
from pannier.files.schemas import FileIn
from pannier.web import bodies
from pannier.web.exchange import Exchange

MOST_PARTS: Final = 100
_DATA_URI: Final = re.compile(
    r"data:(?P<type>[^,;]*)(?:;[^,;]*)*?(?P<base64>;base64)?,", re.IGNORECASE
)


class Upload(NamedTuple):
    """What was sent."""

    data: bytes
    name: str | None
    content_type: str | None


def read(exchange: Exchange) -> Upload:
    """Read the file out of a request in either encoding."""
    told = exchange.headers.get(b"content-type", b"").decode("latin-1")
    media_type, options = parse_options_header(told)
    reader = READERS.get(media_type)
    if reader is None:
        raise UnsupportedMedia("Send the file as multipart/form-data or application/json.")
    return reader(exchange, options)


def _from_json(exchange: Exchange, _: Mapping[str, str]) -> Upload:
    sent: FileIn = bodies.read(exchange, FileIn)
    uri = _DATA_URI.match(sent.data)
    data = checked("data", decoded, sent.data)
    return Upload(data, sent.name, sent.content_type or (uri["type"] if uri else None))


def decoded(text: str) -> bytes:
    """Read base64, bare or as a data URI; lines may be broken as mail does."""
    if text[:5].lower() == "data:":
        uri = _DATA_URI.match(text)
        if uri is None or uri["base64"] is None:
            raise ValueError("A data URI must be in base64: data:image/png;base64,….")
        text = text[uri.end() :]
    try:
        return binascii.a2b_base64("".join(text.split()), strict_mode=True)
    except ValueError:
        raise ValueError("This is not valid base64.") from None


def _from_form(exchange: Exchange, options: Mapping[str, str]) -> Upload:
    files = [
        part
        for part in form(exchange, options)
        if part.name == "file" and part.upload.name is not None
    ]
    if len(files) != 1:
        raise Invalid(fields=[Field("file", "Send one file, with a file name, in this field.")])
    return files[0].upload


class Part(NamedTuple):
    """One field of a form."""

    name: str
    upload: Upload


def form(exchange: Exchange, options: Mapping[str, str]) -> list[Part]:
    """Read every field of a form."""
    try:
        return _parts(exchange.body, options.get("boundary", ""))
    except ValueError:
        raise BodyUnreadable("The form could not be read.") from None


def _parts(body: bytes, boundary: str) -> list[Part]:
    parts: list[Part] = []
    segment: MultipartSegment | None = None
    content = bytearray()
    with PushMultipartParser(
        boundary, content_length=len(body), max_segment_count=MOST_PARTS
    ) as parser:
        for event in parser.parse(body):
            if isinstance(event, MultipartSegment):
                segment, content = event, bytearray()
            elif event:
                content += event
            elif segment is not None:
                upload = Upload(bytes(content), segment.filename, segment.content_type)
                parts.append(Part(segment.name, upload))
    return parts


READERS: Final[Mapping[str, Callable[[Exchange, Mapping[str, str]], Upload]]] = {
    "application/json": _from_json,
    "multipart/form-data": _from_form,
}
