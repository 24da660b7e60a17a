"""Checks of fields that are sent next to a place's identifier.

A record may be sent back as it was read, so equal fields are accepted. Different ones are rejected:
naming a place does not change it, so they would be lost silently.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from pannier.db import Db
from pannier.errors import Field, Invalid, below, naming
from pannier.kit import ids
from pannier.places import fields
from pannier.places.models import Place
from pannier.places.parsing import Claims, ParsedPlace, to_place_in
from pannier.web.fields import given_fields

EITHER: Final = (
    "This differs from the place. Send either the id of a place or an address. "
    "PUT /v1/places/{id} changes a place."
)
_POINT: Final = frozenset({"location", "latitude", "longitude"})
# Set later by the geocoder or the order, so null only means that it was unknown at the time.
_LATER: Final = _POINT | {"owner_type", "owner"}


async def check_claims(
    db: Db, company: UUID, given: ParsedPlace, place: Place, part: str = ""
) -> None:
    """Reject an object whose fields differ from its place. `part` is its path."""
    for claims in given.claims:
        path, wrong = below(part, claims.path), _other_names(claims, place)
        await check_fields(db, company, claims.fields, [place], path=path, wrong=wrong)


def _other_names(claims: Claims, place: Place) -> list[str]:
    own = {place.public_id, str(place.uuid)}
    names = claims.identifiers.items()
    wrong = [name for name, text in names if str(ids.as_uuid(text) or text) not in own]
    is_elsewhere = claims.address is not None and claims.address != place.address
    return [*wrong, "address"] if is_elsewhere else wrong


async def check_fields(
    db: Db,
    company: UUID,
    sent: Mapping[str, Any],
    places: Sequence[Place],
    *,
    path: str,
    wrong: Sequence[str] = (),
) -> None:
    """Reject fields that match none of the places. `also_wrong` adds further names."""
    differing = {name for name in sent if not any(_is_as_read(name, sent, row) for row in places)}
    if differing:
        with naming(path):
            unequal = {name: sent[name] for name in differing}
            differing = await _differing(db, company, unequal, places)
    refused = [*wrong, *sorted(differing)]
    if refused:
        raise Invalid(fields=[Field(below(path, name), EITHER) for name in refused])


async def _differing(
    db: Db, company: UUID, sent: dict[str, Any], places: Sequence[Place]
) -> set[str]:
    """Return the fields that differ from every place after normalisation."""
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
