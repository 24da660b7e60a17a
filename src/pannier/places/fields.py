"""Fields of places, areas and zones in the one form in which they are kept."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from pannier.errors import Field, Invalid, checked
from pannier.kit import geo, phone
from pannier.kit.geo import Point

LARGEST_META: Final = 16 * 1024
# What ISO 3166 has beside libphonenumber's regions: lands without a phone plan of their own.
_WITHOUT_PHONES: Final = frozenset({"AQ", "BV", "GS", "HM", "PN", "TF", "UM"})


def country(text: str) -> str:
    """Read a country's code of two letters (ISO 3166)."""
    import phonenumbers  # noqa: PLC0415 - its tables would slow every start of the program

    code = text.upper()
    if code not in phonenumbers.SUPPORTED_REGIONS and code not in _WITHOUT_PHONES:
        raise ValueError("must be a country's code of two letters (ISO 3166), such as SG.")
    return code


def bounded(meta: dict[str, Any]) -> dict[str, Any]:
    """Take an object of the caller's own, within a limit."""
    if len(msgspec.json.encode(meta)) > LARGEST_META:
        raise ValueError(f"must not take more than {LARGEST_META // 1024} KiB.")
    return meta


RULES: Final[Mapping[str, Callable[[Any], Any]]] = {
    "phone": phone.normalise,
    "country": country,
    "meta": bounded,
}


def settled(given: Mapping[str, Any], *, never_empty: frozenset[str]) -> dict[str, Any]:
    """Bring the given fields into their form, or refuse, naming each that has none."""
    kept: dict[str, Any] = {}
    wrong: list[Field] = []
    for name, value in given.items():
        # An empty text says as much as null.
        plain = (value.strip() or None) if isinstance(value, str) else value
        rule = RULES.get(name)
        try:
            if plain is None and name in never_empty:
                raise ValueError("must not be empty.")  # noqa: TRY301 - told like any other offender
            kept[name] = plain if plain is None or rule is None else rule(plain)
        except ValueError as refusal:
            wrong.append(Field(name, str(refusal)))
    if wrong:
        raise Invalid(fields=wrong)
    return kept


def located(given: dict[str, Any]) -> dict[str, Any]:
    """Turn `location`, or `latitude` and `longitude`, into the columns of a place."""
    spelled = {"location", "latitude", "longitude"} & given.keys()
    others = {name: value for name, value in given.items() if name not in spelled}
    if not spelled:
        return others
    point = _point(given)
    return others | {
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
    """Take the geometry out of a GeoJSON feature; anything else is itself."""
    match given:
        case {"type": "Feature", "geometry": geometry}:
            return geometry
    return given
