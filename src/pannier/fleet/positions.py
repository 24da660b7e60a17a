"""Positions sent with a driver's or a vehicle's details: a new one starts there, none is moved.

Positions are reported to `track`, which keeps their history. A record that was read may be sent
back whole, also when its subject has moved on since.
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
    """What was sent of a driver or a vehicle: its columns, and where it is."""

    columns: dict[str, Any]
    position: dict[str, Any]


def split(given: Mapping[str, Any]) -> Sent:
    """Part the fields of a position from the columns."""
    position = {name: value for name, value in given.items() if name in FIELDS}
    columns = {name: value for name, value in given.items() if name not in FIELDS}
    return Sent(columns, position)


def first_fix(position: Mapping[str, Any], now: datetime) -> Fix | None:
    """Read where something new is, if that is known."""
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
    """Refuse to move a driver or a vehicle with a change of its details."""
    if where is not None and _is_earlier(position, where):
        return
    point = _point(position)
    known = {name: getattr(where, name, None) for name in MEASURES}
    known["located_at"] = where and times.within(where.located_at)
    differing = [name for name in known if name in position and position[name] != known[name]]
    # Existing clients send noughts for what was never located.
    wrong = [name for name in differing if where is not None or position[name]]
    if point != (where and where.location):
        wrong += [name for name in POINT if name in position]
    if wrong:
        sentence = f"Positions are not changed here. Send them to POST /v1/{resource}/{{id}}/track."
        raise Invalid(fields=[Field(name, sentence) for name in wrong])


def _is_earlier(position: Mapping[str, Any], where: Whereabouts) -> bool:
    """Tell whether it was read before the latest position came in."""
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
