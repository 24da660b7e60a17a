"""Places named by an identifier: fields sent beside it must be the place's own.

A record that was read may be sent back whole, so equal fields are accepted. Anything else would be
dropped without notice, because naming a place does not change it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from pannier.db import Db
from pannier.errors import Field, Invalid
from pannier.kit import ids
from pannier.places import fields
from pannier.places.models import Place
from pannier.places.schemas import PlaceIn
from pannier.places.service import IDENTIFIERS, as_point, to_place_in
from pannier.web.fields import given_fields

EITHER: Final = (
    "Send either a place's identifier or an address: this differs from the place. "
    "PUT /v1/places/{id} changes a place."
)
NESTED: Final = "A place has no place inside. Send an address or an identifier."
OWN_FIELDS: Final = frozenset(PlaceIn.__struct_fields__)
# Of a stop, these are the stop's own.
STOP_FIELDS: Final = OWN_FIELDS - {"type", "meta"}
_POINT: Final = frozenset({"location", "latitude", "longitude"})
_GEOMETRY: Final = frozenset({"type", "coordinates", "geometry", "bbox", "properties"})
# Filled in later, by the geocoder or with the order: null says that it was not known.
_LATER: Final = _POINT | {"owner_type", "owner"}


def place_of(given: object) -> Any:  # noqa: ANN401 - a place in any of its forms
    """Return the place of a stop, however deep it is; anything else is a place itself."""
    while isinstance(given, dict) and given.get("place") is not None:
        given = given["place"]
    return given


def check_nesting(given: object, path: str) -> None:
    """Refuse a place that has another place inside."""
    if isinstance(given, dict) and has_place(given.get("place")):
        raise Invalid(fields=[Field(_below(path, "place.place"), NESTED)])


def has_place(given: object) -> bool:
    """Tell whether an object has its place inside."""
    return place_of(given) is not given


async def check_object(
    db: Db,
    company: UUID,
    given: object,
    place: Place,
    *,
    path: str,
    names: frozenset[str] = OWN_FIELDS,
) -> None:
    """Refuse an object that names a place, or has it inside, and says other things of it."""
    if not isinstance(given, dict):
        return
    inside = has_place(given)
    sent = _with_point(given)
    wrong = [] if inside else _other_identifiers(given, place)
    address = sent.get("address")
    if not inside and address is not None and address != place.address:
        wrong.append("address")
    wanted = names & STOP_FIELDS if inside else names
    await check_fields(
        db,
        company,
        {name: value for name, value in sent.items() if name in wanted},
        [place],
        path=path,
        wrong=wrong,
    )


async def check_fields(
    db: Db,
    company: UUID,
    sent: Mapping[str, Any],
    places: Sequence[Place],
    *,
    path: str,
    wrong: Sequence[str] = (),
) -> None:
    """Refuse fields that belong to none of the places; `wrong` are further ones."""
    differing = {name for name in sent if not any(_is_as_read(name, sent, row) for row in places)}
    if differing:
        try:
            differing = await _differing(
                db, company, {name: sent[name] for name in differing}, places
            )
        except Invalid as refusal:
            raise Invalid(
                fields=[Field(_below(path, one.path), one.message) for one in refusal.fields]
            ) from None
    refused = [*wrong, *sorted(differing)]
    if refused:
        raise Invalid(fields=[Field(_below(path, name), EITHER) for name in refused])


async def _differing(
    db: Db, company: UUID, sent: dict[str, Any], places: Sequence[Place]
) -> set[str]:
    """Name the fields that differ from every place once they are in the form that is kept."""
    wanted = await fields.of_place(db, company, given_fields(to_place_in(sent)))
    point = {name: wanted.pop(name) for name in ("longitude", "latitude") if name in wanted}
    wrong = {
        name for name, value in wanted.items() if all(getattr(row, name) != value for row in places)
    }
    here = [{"longitude": row.longitude, "latitude": row.latitude} for row in places]
    return wrong if point in here else wrong | (_POINT & sent.keys())


def _is_as_read(name: str, sent: Mapping[str, Any], place: Place) -> bool:
    if sent[name] is None and name in _LATER:
        return True
    own: Any = getattr(place, name)
    if name == "location":
        own = own and own.to_geojson()
    return bool(own == sent[name])


def _with_point(given: dict[str, Any]) -> dict[str, Any]:
    """Spell an object that is itself a GeoJSON point as one that has a `location`."""
    point = as_point(given)
    if point is None:
        return given
    others = {name: value for name, value in given.items() if name not in _GEOMETRY}
    return others | {"location": point.to_geojson()}


def _other_identifiers(given: dict[str, Any], place: Place) -> list[str]:
    own = {place.public_id, str(place.uuid)}
    named = {name: given[name] for name in IDENTIFIERS if isinstance(given.get(name), str)}
    return [name for name, text in named.items() if str(ids.as_uuid(text) or text) not in own]


def _below(path: str, name: str) -> str:
    return f"{path}.{name}".strip(".")
