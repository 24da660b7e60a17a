"""Parsing of the forms in which a request can send a place. Pure rules."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from pannier.errors import FieldError, Invalid, join_path, parse_field, prefix_fields
from pannier.kit import geo, ids
from pannier.kit.geo import Point
from pannier.places.fields import unwrap_feature
from pannier.places.schemas import PlaceIn
from pannier.web import validation_errors

_PLACE_ID: Final = re.compile(r"place_[0-9A-Za-z]{1,60}")
_PAIR: Final = re.compile(r"\s*[-+.\d][-+.\deE]*\s*,\s*[-+.\d][-+.\deE]*\s*")
_IDENTIFIERS: Final = ("uuid", "public_id", "id")
_GEOMETRY: Final = frozenset({"type", "coordinates", "geometry", "bbox", "properties"})
_NESTED: Final = "A place cannot contain a place. Send an address or an id."
OWN_FIELDS: Final = frozenset(PlaceIn.__struct_fields__)
# In a stop, `type` and `meta` belong to the stop and not to its place.
STOP_FIELDS: Final = OWN_FIELDS - {"type", "meta"}


class SentFields(msgspec.Struct, frozen=True):
    """Fields sent next to a place's identifier. They must match the stored place."""

    path: str
    fields: Mapping[str, Any]
    identifiers: Mapping[str, str] = {}
    address: object = None


class ParsedPlace(msgspec.Struct, frozen=True):
    """An existing place by its identifier, or the fields or the point of a new one."""

    path: str
    value: str | PlaceIn | Point
    sent_fields: tuple[SentFields, ...] = ()
    # Names of the owner fields that were sent, even with a plain point.
    owner_fields: tuple[str, ...] = ()

    @property
    def identifier(self) -> str | None:
        """The identifier of an existing place, or None for a new one."""
        return self.value if isinstance(self.value, str) else None


def parse(value: object, path: str, *, own_fields: frozenset[str] = OWN_FIELDS) -> ParsedPlace:
    """Parse a place in any of its forms, or a stop with a nested place.

    `path` is the field that errors name. `own_fields` lists the fields that belong to the place.
    """
    if not isinstance(value, dict) or value.get("place") is None:
        return _parse_place(value, path, own_fields)
    nested_place, nested_path = value["place"], join_path(path, "place")
    if isinstance(nested_place, dict) and nested_place.get("place") is not None:
        raise Invalid(fields=[FieldError(join_path(nested_path, "place"), _NESTED)])
    place = _parse_place(nested_place, nested_path, own_fields)
    outer_fields = SentFields(path, _select_fields(value, path, STOP_FIELDS))
    return msgspec.structs.replace(place, sent_fields=(*place.sent_fields, outer_fields))


def _parse_place(value: object, path: str, own_fields: frozenset[str]) -> ParsedPlace:
    if isinstance(value, dict):
        names = {name: value[name] for name in _IDENTIFIERS if isinstance(value.get(name), str)}
        if names:
            sent_fields = SentFields(
                path, _select_fields(value, path, own_fields), names, value.get("address")
            )
            return ParsedPlace(path, next(iter(names.values())), (sent_fields,))
    if isinstance(value, str) and (_PLACE_ID.fullmatch(value) or ids.parse_uuid(value)):
        return ParsedPlace(path, value)
    geometry = unwrap_feature(value)
    sent_names = {name for level in (value, geometry) if isinstance(level, dict) for name in level}
    owner_fields = tuple(name for name in ("owner_type", "owner") if name in sent_names)
    with prefix_fields(path):
        location = _parse_point(geometry) or _parse_address(geometry)
    return ParsedPlace(path, location, owner_fields=owner_fields)


def _parse_point(geometry: object) -> Point | None:
    """Parse a plain point. Return None for any other value."""
    match geometry:
        case {"coordinates": _} | list():
            return parse_field("", geo.parse, geometry)
        case str() if _PAIR.fullmatch(geometry):
            return parse_field("", geo.parse, geometry)
    return None


def _parse_address(address: object) -> PlaceIn:
    match address:
        case str() if ids.is_public_id(address):
            raise Invalid(
                fields=[FieldError("", "This is the id of something else. Send the id of a place.")]
            )
        case str():
            return to_place_in({"street1": address})
        case dict():
            return to_place_in(address)
    raise Invalid(
        fields=[
            FieldError(
                "", "Send the id of a place, an address, or coordinates such as 1.3521,103.8198."
            )
        ]
    )


def to_place_in(values: dict[str, Any]) -> PlaceIn:
    """Convert an object to the fields of a place."""
    try:
        return msgspec.convert(values, PlaceIn)
    except msgspec.ValidationError as error:
        raise validation_errors.from_value(error, values, PlaceIn) from None


def _select_fields(values: dict[str, Any], path: str, names: frozenset[str]) -> dict[str, Any]:
    """Select the fields of a place. A GeoJSON point becomes a `location`."""
    with prefix_fields(path):
        point = _parse_point(unwrap_feature(values))
    if point is not None:
        other_values = {name: value for name, value in values.items() if name not in _GEOMETRY}
        values = other_values | {"location": point.to_geojson()}
    return {name: value for name, value in values.items() if name in names}
