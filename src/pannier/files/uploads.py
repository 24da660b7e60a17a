"""Parsing of uploads: a form, or JSON with base64."""

import binascii
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from multipart import (  # type: ignore[import-untyped]  # it has no types
    MultipartSegment,
    PushMultipartParser,
    parse_options_header,
)

from pannier.errors import BodyUnreadable, FieldError, Invalid, UnsupportedMedia, parse_field
from pannier.files.schemas import FileFormIn, FileIn
from pannier.web import bodies, unknown_names
from pannier.web.exchange import Exchange

MAX_FORM_PARTS: Final = 100
SCHEME: Final = "data:"
BASE64: Final = ";base64"
_SPACE: Final = b" \t\n\r\v\f"
# Each step blocks all other threads.
_STEP_CHARACTERS: Final = 1024 * 1024  # a multiple of four
_STEP_BYTES: Final = 256 * 1024


class Upload(NamedTuple):
    """An uploaded file."""

    data: bytes
    name: str | None
    content_type: str | None


async def read(exchange: Exchange) -> Upload:
    """Read the file from a form or from JSON, or the one that a page has received."""
    if exchange.upload is not None:
        upload: Upload = exchange.upload
        return upload
    return await bodies.process_body(exchange, lambda: _parse_upload(exchange))


def _parse_upload(exchange: Exchange) -> Upload:
    content_type = exchange.headers.get(b"content-type", b"").decode("latin-1")
    media_type, options = parse_options_header(content_type)
    reader = READERS.get(media_type)
    if reader is None:
        raise UnsupportedMedia("Send the file as multipart/form-data or application/json.")
    return reader(exchange, options)


def _read_json(exchange: Exchange, _: Mapping[str, str]) -> Upload:
    data: FileIn = bodies.read(exchange, FileIn)
    uri_type, content = parse_field("data", _split_data_uri, data.data)
    return Upload(
        parse_field("data", _decode_characters, content), data.name, data.content_type or uri_type
    )


def decode_base64(text: str) -> bytes:
    """Decode base64, bare or as a data URI; line breaks are allowed."""
    return _decode_characters(_split_data_uri(text)[1])


def _split_data_uri(text: str) -> tuple[str | None, str]:
    """Split a data URI into its type and content. Other text is all content."""
    if text[: len(SCHEME)].lower() != SCHEME:
        return None, text
    header, comma, content = text.partition(",")
    if not comma or not header.lower().endswith(BASE64):
        raise ValueError("A data URI must be in base64, such as data:image/png;base64,….")
    return header[len(SCHEME) :].partition(";")[0], content


def _decode_characters(text: str) -> bytes:
    try:
        return b"".join(_decode_in_steps(text.encode("ascii").translate(None, _SPACE)))
    except ValueError:
        raise ValueError("must be valid base64.") from None


def _decode_in_steps(characters: bytes) -> Iterator[bytes]:
    """Decode base64 in steps."""
    # Only the last step may end in padding.
    if characters.find(b"=", 0, max(0, len(characters) - 2)) >= 0:
        raise ValueError
    for start in range(0, len(characters), _STEP_CHARACTERS):
        yield binascii.a2b_base64(characters[start : start + _STEP_CHARACTERS], strict_mode=True)


def _read_form(exchange: Exchange, options: Mapping[str, str]) -> Upload:
    parts = parse_form(exchange, options)
    unknown_names.check_value(exchange, {part.name: None for part in parts}, FileFormIn)
    files = [part for part in parts if part.name == "file" and part.upload.name is not None]
    if len(files) != 1:
        raise Invalid(fields=[FieldError("file", "Send one file with a file name in this field.")])
    return files[0].upload


class FormPart(NamedTuple):
    """A field of a form."""

    name: str
    upload: Upload


def parse_form(exchange: Exchange, options: Mapping[str, str]) -> list[FormPart]:
    try:
        return _parse_parts(exchange.body, options.get("boundary", ""))
    except ValueError:
        raise BodyUnreadable("The form could not be read.") from None


def _parse_parts(body: bytes, boundary: str) -> list[FormPart]:
    parts: list[FormPart] = []
    segment: MultipartSegment | None = None
    chunks: list[bytes] = []
    with PushMultipartParser(
        boundary, content_length=len(body), max_segment_count=MAX_FORM_PARTS
    ) as parser:
        for start in range(0, len(body), _STEP_BYTES):
            for event in parser.parse(body[start : start + _STEP_BYTES]):
                if isinstance(event, MultipartSegment):
                    segment, chunks = event, []
                elif event:
                    chunks.append(bytes(event))
                elif segment is not None:
                    upload = Upload(b"".join(chunks), segment.filename, segment.content_type)
                    parts.append(FormPart(segment.name, upload))
    return parts


READERS: Final[Mapping[str, Callable[[Exchange, Mapping[str, str]], Upload]]] = {
    "application/json": _read_json,
    "multipart/form-data": _read_form,
}
