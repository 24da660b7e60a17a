"""Evidence as it comes in: what was captured, by whom, where and when. Pure rules."""

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.files.models import Stored
from pannier.kit import geo, moments
from pannier.kit.geo import Point
from pannier.proofs.images import Picture
from pannier.proofs.models import Method, Subject

# How far a device's clock may be ahead.
AHEAD: Final = timedelta(minutes=2)
# Later than this after it was captured, a proof was sent by a device that had no reception.
OFFLINE_AFTER: Final = timedelta(minutes=2)
# Metres around a stop within which a proof was captured there, beside what the device allows for.
NEAR: Final = 200.0

# From here on a float is whole, and not every whole number is a float.
EXACT: Final = 2.0**53

# Keys of a proof's data that only we write.
OURS: Final = frozenset(
    {
        "captured_by", "device", "location", "location_check", "distance_to_stop_m", "offline",
        "late", "clock_skew_s", "image", "scan", "code", "signer", "override",
    }
)  # fmt: skip


class Person(msgspec.Struct, frozen=True):
    """The driver or operator who captured it."""

    uuid: UUID | None
    public_id: str
    name: str


class Captured(msgspec.Struct, frozen=True, kw_only=True):
    """What every method captures beside the evidence itself."""

    remarks: str | None = None
    data: Mapping[str, Any] = msgspec.field(default_factory=dict)
    location: Point | None = None
    accuracy: float | None = None
    captured_at: datetime | None = None
    device: Mapping[str, Any] | None = None
    activity: str | None = None
    proof_uuid: UUID | None = None
    by: Person | None = None
    place: Point | None = None


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One proof's own part: a picture, a scanned value, a code that was right."""

    method: Method
    picture: Picture | None = None
    # The picture and its thumbnail, once they are stored.
    stored: tuple[Stored, Stored] | None = None
    raw_data: str | None = None
    details: Mapping[str, Any] = msgspec.field(default_factory=dict)


def moment(captured: Captured, placed_at: datetime, now: datetime) -> datetime:
    """Choose when a proof was captured: never in the future, nor before there was an order."""
    return moments.happened(captured.captured_at, earliest=placed_at, now=now).at


def told(
    captured: Captured, evidence: Evidence, created_at: datetime, now: datetime
) -> dict[str, Any]:
    """Put together what a proof says beside its evidence; nobody else writes our part of it."""
    found = {name: value for name, value in captured.data.items() if name not in OURS}
    if captured.by is not None:
        found["captured_by"] = {"id": captured.by.public_id, "name": captured.by.name}
    if captured.device is not None:
        found["device"] = dict(captured.device)
    found |= _where(captured)
    if captured.captured_at is not None:
        found["offline"] = now - created_at > OFFLINE_AFTER
        if captured.captured_at > now:
            found["clock_skew_s"] = round((captured.captured_at - now).total_seconds())
    if evidence.picture is not None:
        found["image"] = _image(evidence.picture)
    kept: dict[str, Any] = _kept(found | dict(evidence.details))
    return kept


def _kept(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Spell large numbers as the database gives them back: that is compared with what is signed."""
    match value:
        case float() if abs(value) >= EXACT:
            return int(Decimal(repr(value)))
        case dict():
            return {name: _kept(each) for name, each in value.items()}
        case list():
            return [_kept(each) for each in value]
    return value


def _where(captured: Captured) -> dict[str, Any]:
    if captured.location is None:
        return {"location_check": "unknown"}
    spot = captured.location.to_geojson()
    if captured.accuracy is not None:
        spot["accuracy_m"] = captured.accuracy
    if captured.place is None:
        return {"location": spot, "location_check": "unknown"}
    metres = geo.distance(captured.location, captured.place)
    near = metres <= NEAR + (captured.accuracy or 0)
    return {
        "location": spot,
        "distance_to_stop_m": round(metres),
        "location_check": "inside" if near else "outside",
    }


def _image(picture: Picture) -> dict[str, Any]:
    return {
        "width": picture.width,
        "height": picture.height,
        "content_type": picture.content_type,
        "bytes": len(picture.data),
        "original_type": picture.original_type,
        "original_sha256": picture.original_sha256,
        "stored_sha256": hashlib.sha256(picture.data).hexdigest(),
        "exif": picture.exif,
    }


def content_hash(subject: Subject, captured: Captured, evidence: Evidence) -> bytes:
    """Tell apart what was sent again from something else that came under the same name."""
    sent = (
        subject.uuid,
        evidence.method,
        evidence.picture.original_sha256 if evidence.picture else None,
        evidence.raw_data,
        captured.remarks,
        captured.captured_at,
    )
    return hashlib.sha256(msgspec.json.encode(sent)).digest()
