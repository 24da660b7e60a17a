"""Normalisation of place, area and zone fields to the form in which they are stored."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from pannier.accounts.company_settings import phones
from pannier.db import Db
from pannier.errors import Field, Invalid, checked
from pannier.kit import country, geo
from pannier.kit.geo import Point
from pannier.web import fields

RULES: Final[fields.Rules] = {
    "country": country.normalise,
    "meta": fields.bounded,
}


async def of_place(db: Db, company: UUID, given: Mapping[str, Any]) -> dict[str, Any]:
    """Normalise the given fields of a place, or raise Invalid naming each bad one."""
    read_phone = await phones.reader(db, company, given.get("phone"))
    return located(fields.normalised(given, {**RULES, "phone": read_phone}))


def of_area(given: Mapping[str, Any]) -> dict[str, Any]:
    """Normalise the given fields of an area or a zone, or raise Invalid."""
    return fields.normalised(given, RULES, never_empty=frozenset({"name"}))


def located(given: dict[str, Any]) -> dict[str, Any]:
    """Turn `location`, or `latitude` and `longitude`, into the columns of a place."""
    spelled = {"location", "latitude", "longitude"} & given.keys()
    others = {name: value for name, value in given.items() if name not in spelled}
    if not spelled:
        return others
    return others | columns(_point(given))


def columns(point: Point | None) -> dict[str, float | None]:
    """Return a point as the columns of a place."""
    return {
        "longitude": None if point is None else point.longitude,
        "latitude": None if point is None else point.latitude,
    }


def _point(given: Mapping[str, Any]) -> Point | None:
    if given.get("location") is not None:
        return checked("location", geo.parse, feature(given["location"]))
    pair = {name: given.get(name) for name in ("latitude", "longitude")}
    missing = [name for name, value in pair.items() if value is None]
    if len(missing) == len(pair):
        return None
    if missing:
        raise Invalid(fields=[Field(missing[0], "This field is required.")])
    return checked("latitude", geo.parse, pair)


def feature(given: object) -> object:
    """Return the geometry of a GeoJSON feature, and any other value unchanged."""
    match given:
        case {"type": "Feature", "geometry": geometry}:
            return geometry
    return given
