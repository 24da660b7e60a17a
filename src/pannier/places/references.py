"""Checks of fields that are sent next to a place's identifier.

Clients may send back a record that they read, so equal fields are accepted. A reference does not
change the place, so different fields are rejected instead of being lost silently.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from pannier.db import Db
from pannier.errors import FieldError, Invalid, join_path, prefix_fields
from pannier.kit import ids
from pannier.places import fields
from pannier.places.models import PlaceRow
from pannier.places.parsing import ParsedPlace, SentFields, to_place_in
from pannier.web.fields import get_sent_fields

SEND_EITHER: Final = (
    "This differs from the place. Send either the id of a place or an address. "
    "PUT /v1/places/{id} changes a place."
)
_POINT: Final = frozenset({"location", "latitude", "longitude"})
# The geocoder or the order fills these later, so null is accepted.
_FILLED_LATER: Final = _POINT | {"owner_type", "owner"}


async def check_sent_fields(
    db: Db, company: UUID, parsed: ParsedPlace, place: PlaceRow, part: str = ""
) -> None:
    """Reject an object whose fields differ from its place. `part` is its path."""
    for record in parsed.sent_fields:
        path, mismatches = join_path(part, record.path), _find_wrong_names(record, place)
        await check_fields(db, company, record.fields, [place], path=path, also_wrong=mismatches)


def _find_wrong_names(record: SentFields, place: PlaceRow) -> list[str]:
    place_ids = {place.public_id, str(place.uuid)}
    names = record.identifiers.items()
    mismatches = [
        name for name, text in names if str(ids.parse_uuid(text) or text) not in place_ids
    ]
    has_other_address = record.address is not None and record.address != place.address
    return [*mismatches, "address"] if has_other_address else mismatches


async def check_fields(
    db: Db,
    company: UUID,
    values: Mapping[str, Any],
    places: Sequence[PlaceRow],
    *,
    path: str,
    also_wrong: Sequence[str] = (),
) -> None:
    """Reject fields that match none of the places. `also_wrong` adds further names."""
    differing = {
        name
        for name in values
        if not any(_equals_stored_value(name, values, row) for row in places)
    }
    if differing:
        with prefix_fields(path):
            differing_values = {name: values[name] for name in differing}
            differing = await _find_differences(db, company, differing_values, places)
    wrong_names = [*also_wrong, *sorted(differing)]
    if wrong_names:
        raise Invalid(
            fields=[FieldError(join_path(path, name), SEND_EITHER) for name in wrong_names]
        )


async def _find_differences(
    db: Db, company: UUID, values: dict[str, Any], places: Sequence[PlaceRow]
) -> set[str]:
    """Find the fields that differ from every place after normalisation."""
    normalised_fields = await fields.normalise_place(
        db, company, get_sent_fields(to_place_in(values))
    )
    point = {
        name: normalised_fields.pop(name)
        for name in ("longitude", "latitude")
        if name in normalised_fields
    }
    mismatches = {
        name
        for name, value in normalised_fields.items()
        if all(getattr(row, name) != value for row in places)
    }
    points = [{"longitude": row.longitude, "latitude": row.latitude} for row in places]
    return mismatches if point in points else mismatches | (_POINT & values.keys())


def _equals_stored_value(name: str, values: Mapping[str, Any], place: PlaceRow) -> bool:
    if values[name] is None and name in _FILLED_LATER:
        return True
    current_value: Any = getattr(place, name)
    if name == "location":
        current_value = current_value and current_value.to_geojson()
    return bool(current_value == values[name])
