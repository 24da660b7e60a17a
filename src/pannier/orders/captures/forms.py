"""Parsing of captures that are sent as JSON with base64 pictures, or as a form with files."""

import re
from collections.abc import Mapping
from typing import Any, Final, Generic, TypeVar

import msgspec
from multipart import parse_options_header  # type: ignore[import-untyped]  # it has no types

from pannier.errors import FieldError, Invalid, UnsupportedMedia, parse_field
from pannier.files import uploads
from pannier.kit import wording
from pannier.kit.json_depth import is_too_deep
from pannier.web import bodies, times, unknown_names, validation_errors
from pannier.web.exchange import Exchange

Values = TypeVar("Values", bound=msgspec.Struct)

PICTURE_FIELDS: Final = ("signature", "photo", "photos")
OBJECT_FIELDS: Final = frozenset({"data", "location", "device", "meta", "tags"})
MAX_PICTURES: Final = 10
# Forms write a list as `photos[]` or `photos[0]`.
_INDEX: Final = re.compile(r"\[\d*\]$")
# Forms write a member of an object as `location[latitude]`.
_MEMBER: Final = re.compile(r"(\w+)\[([^\[\]]+)\]")


class ParsedCapture(msgspec.Struct, Generic[Values]):
    """The parsed fields of a capture, and the bytes of its pictures."""

    values: Values
    pictures: list[bytes]


async def parse_capture(exchange: Exchange, fields_type: type[Values]) -> ParsedCapture[Values]:
    """Parse a capture in either encoding, outside the event loop."""
    return await bodies.process_body(exchange, lambda: _parse_capture(exchange, fields_type))


def _parse_capture(exchange: Exchange, fields_type: type[Values]) -> ParsedCapture[Values]:
    content_type = exchange.headers.get(b"content-type", b"application/json").decode("latin-1")
    media_type, options = parse_options_header(content_type)
    if media_type == "multipart/form-data":
        return _check_picture_count(_parse_form(exchange, options, fields_type))
    if not exchange.is_json:
        raise UnsupportedMedia("Send the capture as multipart/form-data or application/json.")
    values: Values = bodies.read(exchange, fields_type)
    # The console passes the file of its form along.
    pictures = [] if exchange.upload is None else [exchange.upload.data]
    return _check_picture_count(ParsedCapture(values, pictures + _decode_pictures(values)))


def _check_picture_count(form: ParsedCapture[Values]) -> ParsedCapture[Values]:
    if len(form.pictures) > MAX_PICTURES:
        message = f"Send at most {MAX_PICTURES} pictures."
        raise Invalid(fields=[FieldError("photos", message)])
    return form


def _decode_pictures(values: msgspec.Struct) -> list[bytes]:
    """Decode the base64 pictures in the fields."""
    pictures = []
    for name in PICTURE_FIELDS:
        value = getattr(values, name, None)
        texts = value if isinstance(value, list) else [value] if value else []
        pictures += [parse_field(name, uploads.decode_base64, text) for text in texts]
    return pictures


def _parse_form(
    exchange: Exchange, options: Mapping[str, str], fields_type: type[Values]
) -> ParsedCapture[Values]:
    fields: dict[str, Any] = {}
    pictures: list[bytes] = []
    for part in uploads.parse_form(exchange, options):
        name = _INDEX.sub("", part.name)
        if part.upload.name is not None:
            if name in PICTURE_FIELDS:
                pictures.append(part.upload.data)
            else:
                fields[name] = None
        elif name == "photos":
            fields.setdefault(name, []).append(_decode_text(name, part.upload.data))
        elif (member := _MEMBER.fullmatch(name)) and member[1] in OBJECT_FIELDS:
            _set_member(fields, member[1], member[2], _decode_text(name, part.upload.data))
        else:
            fields[name] = _parse_value(name, part.upload.data)
    unknown_names.check_value(exchange, fields, fields_type)
    try:
        values = msgspec.convert(fields, fields_type, strict=False, dec_hook=times.read)
    except msgspec.ValidationError as error:
        raise validation_errors.from_value(error, fields, fields_type, strict=False) from None
    return ParsedCapture(values, pictures + _decode_pictures(values))


def _set_member(fields: dict[str, Any], name: str, member: str, text: str) -> None:
    """Set a member of an object, or reject a field sent in two notations."""
    member_values = fields.setdefault(name, {})
    if not isinstance(member_values, dict):
        raise Invalid(
            fields=[FieldError(name, "This field was sent twice, in two notations. Send one.")]
        )
    member_values[member] = text


def _decode_text(name: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Invalid(fields=[FieldError(name, "must be UTF-8 text.")]) from None


def _parse_value(name: str, data: bytes) -> Any:  # noqa: ANN401 - a text, or an object as JSON
    """Parse a field. Objects may be sent as JSON."""
    text = _decode_text(name, data)
    if name in OBJECT_FIELDS and text.lstrip().startswith(("{", "[")):
        if is_too_deep(data):
            raise Invalid(fields=[FieldError(name, wording.TOO_DEEP)])
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError:
            raise Invalid(fields=[FieldError(name, "must be valid JSON.")]) from None
    return text
