"""Normalisation of place, area and zone fields to the form in which they are stored."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from pannier.accounts.company_settings import phones
from pannier.db import Db
from pannier.errors import FieldError, Invalid, parse_field
from pannier.kit import country, geo, tax
from pannier.kit.geo import Point
from pannier.web import fields

RULES: Final[fields.NormalisationRules] = {
    "country": country.normalise,
    "meta": fields.check_meta,
    "tax_rate": tax.parse_rate,
}


async def normalise_place(db: Db, company: UUID, values: Mapping[str, Any]) -> dict[str, Any]:
    """Normalise a place's fields, or raise Invalid naming each bad one."""
    read_phone = await phones.make_parser(db, company, values.get("phone"))
    return replace_location(fields.normalise(values, {**RULES, "phone": read_phone}))


def normalise_area(values: Mapping[str, Any]) -> dict[str, Any]:
    """Normalise the fields of an area or a zone, or raise Invalid."""
    return fields.normalise(values, RULES, never_empty=frozenset({"name"}))


def replace_location(values: dict[str, Any]) -> dict[str, Any]:
    """Turn `location`, or `latitude` and `longitude`, into the columns of a place."""
    location_fields = {"location", "latitude", "longitude"} & values.keys()
    other_values = {name: value for name, value in values.items() if name not in location_fields}
    if not location_fields:
        return other_values
    return other_values | to_columns(_parse_point(values))


def to_columns(point: Point | None) -> dict[str, float | None]:
    """Return a point as the columns of a place."""
    return {
        "longitude": None if point is None else point.longitude,
        "latitude": None if point is None else point.latitude,
    }


def _parse_point(values: Mapping[str, Any]) -> Point | None:
    if values.get("location") is not None:
        return parse_field("location", geo.parse, unwrap_feature(values["location"]))
    pair = {name: values.get(name) for name in ("latitude", "longitude")}
    missing_names = [name for name, value in pair.items() if value is None]
    if len(missing_names) == len(pair):
        return None
    if missing_names:
        raise Invalid(fields=[FieldError(missing_names[0], "This field is required.")])
    return parse_field("latitude", geo.parse, pair)


def unwrap_feature(value: object) -> object:
    """Return the geometry of a GeoJSON feature, and any other value unchanged."""
    match value:
        case {"type": "Feature", "geometry": geometry}:
            return geometry
    return value
