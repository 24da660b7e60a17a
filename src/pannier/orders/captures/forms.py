"""Parsing of captures: JSON with base64 pictures, or a form with files."""

import re
from collections.abc import Mapping
from typing import Any, Final, Generic, TypeVar

import msgspec
from multipart import parse_options_header  # type: ignore[import-untyped]  # it has no types

from pannier.errors import Field, Invalid, UnsupportedMedia, checked
from pannier.files import uploads
from pannier.kit.depth import too_deep
from pannier.web import bodies, offenders, times, unknown
from pannier.web.exchange import Exchange

Values = TypeVar("Values", bound=msgspec.Struct)

PICTURES: Final = ("signature", "photo", "photos")
OBJECTS: Final = frozenset({"data", "location", "device", "meta", "tags"})
MOST_PICTURES: Final = 10
# Forms write a list as `photos[]` or `photos[0]`.
_INDEX: Final = re.compile(r"\[\d*\]$")
# Forms write a member of an object as `location[latitude]`.
_MEMBER: Final = re.compile(r"(\w+)\[([^\[\]]+)\]")


class Sent(msgspec.Struct, Generic[Values]):
    """The parsed fields of a capture, and the bytes of its pictures."""

    values: Values
    pictures: list[bytes]


async def read(exchange: Exchange, kind: type[Values]) -> Sent[Values]:
    """Parse a capture in either encoding, outside the event loop."""
    return await bodies.aside(exchange, lambda: _read(exchange, kind))


def _read(exchange: Exchange, kind: type[Values]) -> Sent[Values]:
    told = exchange.headers.get(b"content-type", b"application/json").decode("latin-1")
    media_type, options = parse_options_header(told)
    if media_type == "multipart/form-data":
        return _bounded(_from_form(exchange, options, kind))
    if not exchange.is_json:
        raise UnsupportedMedia("Send the capture as multipart/form-data or application/json.")
    values: Values = bodies.read(exchange, kind)
    return _bounded(Sent(values, _decoded(values)))


def _bounded(sent: Sent[Values]) -> Sent[Values]:
    if len(sent.pictures) > MOST_PICTURES:
        sentence = f"Send at most {MOST_PICTURES} pictures."
        raise Invalid(fields=[Field("photos", sentence)])
    return sent


def _decoded(values: msgspec.Struct) -> list[bytes]:
    """Decode the base64 pictures in the fields."""
    found = []
    for name in PICTURES:
        given = getattr(values, name, None)
        texts = given if isinstance(given, list) else [given] if given else []
        found += [checked(name, uploads.decoded, text) for text in texts]
    return found


def _from_form(exchange: Exchange, options: Mapping[str, str], kind: type[Values]) -> Sent[Values]:
    fields: dict[str, Any] = {}
    pictures: list[bytes] = []
    for part in uploads.form(exchange, options):
        name = _INDEX.sub("", part.name)
        if part.upload.name is not None:
            if name in PICTURES:
                pictures.append(part.upload.data)
            else:
                fields[name] = None
        elif name == "photos":
            fields.setdefault(name, []).append(_text(name, part.upload.data))
        elif (member := _MEMBER.fullmatch(name)) and member[1] in OBJECTS:
            _put(fields, member[1], member[2], _text(name, part.upload.data))
        else:
            fields[name] = _value(name, part.upload.data)
    unknown.check_value(exchange, fields, kind)
    try:
        values = msgspec.convert(fields, kind, strict=False, dec_hook=times.read)
    except msgspec.ValidationError as wrong:
        raise offenders.refusal(wrong, fields, kind, strict=False) from None
    return Sent(values, pictures + _decoded(values))


def _put(fields: dict[str, Any], name: str, member: str, text: str) -> None:
    """Set a member of an object, or reject a field sent in two notations."""
    whole = fields.setdefault(name, {})
    if not isinstance(whole, dict):
        raise Invalid(
            fields=[Field(name, "This field was sent twice, in two spellings. Send one.")]
        )
    whole[member] = text


def _text(name: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Invalid(fields=[Field(name, "must be UTF-8 text.")]) from None


def _value(name: str, data: bytes) -> Any:  # noqa: ANN401 - a text, or an object as JSON
    """Parse a field. Objects may be sent as JSON."""
    text = _text(name, data)
    if name in OBJECTS and text.lstrip().startswith(("{", "[")):
        if too_deep(data):
            raise Invalid(fields=[Field(name, "must not be nested so deeply.")])
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError:
            raise Invalid(fields=[Field(name, "must be valid JSON.")]) from None
    return text
