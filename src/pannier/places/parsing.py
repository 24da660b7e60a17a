"""Parsing of a place in a request into one value. Pure rules."""

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
    # Names of the owner fields that were sent, also those sent with a plain point.
    owner_fields: tuple[str, ...] = ()

    @property
    def identifier(self) -> str | None:
        """The identifier of an existing place; None for a new one."""
        return self.value if isinstance(self.value, str) else None


def parse(given: object, path: str, *, own: frozenset[str] = OWN_FIELDS) -> ParsedPlace:
    """Parse a place in any of its forms, or a stop with a nested place.

    `path` is the field that errors name. `own` lists the fields that belong to the place.
    """
    if not isinstance(given, dict) or given.get("place") is None:
        return _parse_place(given, path, own)
    inner, inner_path = given["place"], join_path(path, "place")
    if isinstance(inner, dict) and inner.get("place") is not None:
        raise Invalid(fields=[FieldError(join_path(inner_path, "place"), _NESTED)])
    place = _parse_place(inner, inner_path, own)
    outer_fields = SentFields(path, _select_fields(given, path, STOP_FIELDS))
    return msgspec.structs.replace(place, sent_fields=(*place.sent_fields, outer_fields))


def _parse_place(given: object, path: str, own: frozenset[str]) -> ParsedPlace:
    if isinstance(given, dict):
        names = {name: given[name] for name in _IDENTIFIERS if isinstance(given.get(name), str)}
        if names:
            claims = SentFields(path, _select_fields(given, path, own), names, given.get("address"))
            return ParsedPlace(path, next(iter(names.values())), (claims,))
    if isinstance(given, str) and (_PLACE_ID.fullmatch(given) or ids.parse_uuid(given)):
        return ParsedPlace(path, given)
    spot = unwrap_feature(given)
    sent = {name for level in (given, spot) if isinstance(level, dict) for name in level}
    owner_fields = tuple(name for name in ("owner_type", "owner") if name in sent)
    with prefix_fields(path):
        wanted = _parse_point(spot) or _parse_address(spot)
    return ParsedPlace(path, wanted, owner_fields=owner_fields)


def _parse_point(spot: object) -> Point | None:
    """Parse a plain point; return None for an address or anything else."""
    match spot:
        case {"coordinates": _} | list():
            return parse_field("", geo.parse, spot)
        case str() if _PAIR.fullmatch(spot):
            return parse_field("", geo.parse, spot)
    return None


def _parse_address(given: object) -> PlaceIn:
    match given:
        case str() if ids.is_public_id(given):
            raise Invalid(
                fields=[FieldError("", "This is the id of something else. Send the id of a place.")]
            )
        case str():
            return to_place_in({"street1": given})
        case dict():
            return to_place_in(given)
    raise Invalid(
        fields=[
            FieldError(
                "", "Send the id of a place, an address, or coordinates such as 1.3521,103.8198."
            )
        ]
    )


def to_place_in(given: dict[str, Any]) -> PlaceIn:
    """Convert an object to the fields of a place."""
    try:
        return msgspec.convert(given, PlaceIn)
    except msgspec.ValidationError as error:
        raise validation_errors.from_value(error, given, PlaceIn) from None


def _select_fields(given: dict[str, Any], path: str, names: frozenset[str]) -> dict[str, Any]:
    """Select the fields of a place. A GeoJSON point becomes a `location`."""
    with prefix_fields(path):
        point = _parse_point(unwrap_feature(given))
    if point is not None:
        others = {name: value for name, value in given.items() if name not in _GEOMETRY}
        given = others | {"location": point.to_geojson()}
    return {name: value for name, value in given.items() if name in names}
