"""Positions within a driver's or a vehicle's details.

A new record may start at a position. A change cannot move it: positions are reported to `track`,
which keeps their history. A client may still send back a whole record that it read before, even if
its subject has moved since.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from pannier.errors import Field, Invalid, checked
from pannier.fleet import fixes
from pannier.fleet.fixes import Fix
from pannier.fleet.models import Whereabouts
from pannier.kit import geo
from pannier.kit.geo import Point
from pannier.web import times

POINT: Final = ("location", "latitude", "longitude")
MEASURES: Final = ("heading", "altitude", "speed")
FIELDS: Final = frozenset({*POINT, *MEASURES, "located_at"})


class Sent(NamedTuple):
    """The columns and the position fields of a driver or a vehicle in a request."""

    columns: dict[str, Any]
    position: dict[str, Any]


def split(given: Mapping[str, Any]) -> Sent:
    """Separate position fields from columns."""
    position = {name: value for name, value in given.items() if name in FIELDS}
    columns = {name: value for name, value in given.items() if name not in FIELDS}
    return Sent(columns, position)


def first_fix(position: Mapping[str, Any], now: datetime) -> Fix | None:
    """Parse the position of a new record; None if it has none."""
    point = _point(position)
    if point is None:
        if any(position.get(name) for name in MEASURES):
            raise Invalid(fields=[Field("location", "This field is required.")])
        return None
    point = checked("location", fixes.somewhere, point)
    at = checked("located_at", lambda given: fixes.moment(given, now), position.get("located_at"))
    return Fix(
        point,
        at,
        heading=fixes.known(position.get("heading")),
        altitude=position.get("altitude"),
        speed=fixes.known(position.get("speed")),
    )


def check_unmoved(position: Mapping[str, Any], where: Whereabouts | None, resource: str) -> None:
    """Refuse a change of details that moves a driver or a vehicle."""
    if where is not None and _is_earlier(position, where):
        return
    point = _point(position)
    known = {name: getattr(where, name, None) for name in MEASURES}
    known["located_at"] = where and times.within(where.located_at)
    differing = [name for name in known if name in position and position[name] != known[name]]
    # Existing clients send zeros for a subject without a position.
    wrong = [name for name in differing if where is not None or position[name]]
    if point != (where and where.location):
        wrong += [name for name in POINT if name in position]
    if wrong:
        sentence = f"Positions are not changed here. Send them to POST /v1/{resource}/{{id}}/track."
        raise Invalid(fields=[Field(name, sentence) for name in wrong])


def _is_earlier(position: Mapping[str, Any], where: Whereabouts) -> bool:
    """Tell whether the position was read before the current one was reported."""
    if "located_at" not in position:
        return False
    at = position["located_at"]
    if at is None:
        return all(value is None for value in position.values())
    return bool(at < times.within(where.located_at))


def _point(position: Mapping[str, Any]) -> Point | None:
    if position.get("location") is not None:
        return checked("location", geo.parse, position["location"])
    pair = {name: position.get(name) for name in ("latitude", "longitude")}
    missing = [name for name, value in pair.items() if value is None]
    if len(missing) == len(pair):
        return None
    if missing:
        raise Invalid(fields=[Field(missing[0], "This field is required.")])
    return checked("latitude", geo.parse, pair)
