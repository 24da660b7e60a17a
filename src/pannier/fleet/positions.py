"""Positions within a driver's or a vehicle's details.

A new record may have a first position. A change cannot move it: positions are reported to `track`,
which stores their history. A client may still send back a complete record that it read, even if its
subject has moved since.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from pannier.errors import FieldError, Invalid, parse_field
from pannier.fleet import fixes
from pannier.fleet.fixes import PositionFix
from pannier.fleet.models import Whereabouts
from pannier.kit import geo
from pannier.kit.geo import Point
from pannier.web import times

POINT_FIELDS: Final = ("location", "latitude", "longitude")
MEASURE_FIELDS: Final = ("heading", "altitude", "speed")
POSITION_FIELDS: Final = frozenset({*POINT_FIELDS, *MEASURE_FIELDS, "located_at"})


class SplitFields(NamedTuple):
    """The columns and the position fields of a driver or a vehicle in a request."""

    columns: dict[str, Any]
    position: dict[str, Any]


def split_fields(fields: Mapping[str, Any]) -> SplitFields:
    """Separate position fields from columns."""
    position = {name: value for name, value in fields.items() if name in POSITION_FIELDS}
    columns = {name: value for name, value in fields.items() if name not in POSITION_FIELDS}
    return SplitFields(columns, position)


def parse_first_fix(position: Mapping[str, Any], now: datetime) -> PositionFix | None:
    """Parse the position of a new record. Return None if it has no position."""
    point = _parse_point(position)
    if point is None:
        if any(position.get(name) for name in MEASURE_FIELDS):
            raise Invalid(fields=[FieldError("location", "This field is required.")])
        return None
    point = parse_field("location", fixes.check_point, point)
    recorded_at = parse_field(
        "located_at", lambda value: fixes.choose_fix_time(value, now), position.get("located_at")
    )
    return PositionFix(
        point,
        recorded_at,
        heading=fixes.drop_unknown_measure(position.get("heading")),
        altitude=position.get("altitude"),
        speed=fixes.drop_unknown_measure(position.get("speed")),
    )


def check_unmoved(position: Mapping[str, Any], current: Whereabouts | None, resource: str) -> None:
    """Refuse a change that moves a driver or a vehicle."""
    if current is not None and _is_outdated(position, current):
        return
    point = _parse_point(position)
    current_values = {name: getattr(current, name, None) for name in MEASURE_FIELDS}
    current_values["located_at"] = current and times.normalise(current.located_at)
    differing = [
        name
        for name in current_values
        if name in position and position[name] != current_values[name]
    ]
    # Existing clients send zeros for a subject without a position.
    changed_names = [name for name in differing if current is not None or position[name]]
    if point != (current and current.location):
        changed_names += [name for name in POINT_FIELDS if name in position]
    if changed_names:
        message = f"Positions are not changed here. Send them to POST /v1/{resource}/{{id}}/track."
        raise Invalid(fields=[FieldError(name, message) for name in changed_names])


def _is_outdated(position: Mapping[str, Any], current: Whereabouts) -> bool:
    """Return whether the position was read before the current one was reported."""
    if "located_at" not in position:
        return False
    read_at = position["located_at"]
    if read_at is None:
        return all(value is None for value in position.values())
    return bool(read_at < times.normalise(current.located_at))


def _parse_point(position: Mapping[str, Any]) -> Point | None:
    if position.get("location") is not None:
        return parse_field("location", geo.parse, position["location"])
    pair = {name: position.get(name) for name in ("latitude", "longitude")}
    missing_names = [name for name, value in pair.items() if value is None]
    if len(missing_names) == len(pair):
        return None
    if missing_names:
        raise Invalid(fields=[FieldError(missing_names[0], "This field is required.")])
    return parse_field("latitude", geo.parse, pair)
