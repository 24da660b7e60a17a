"""Rules for captured evidence: content, person, place and time. Pure functions."""

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.files.models import StoredObject
from pannier.kit import device_times, geo
from pannier.kit.geo import Point
from pannier.proofs.images import Picture
from pannier.proofs.models import Method, ProofSubject

# How far a device's clock may be ahead of the server's.
MAX_CLOCK_LEAD: Final = timedelta(minutes=2)
# A proof received later than this after its capture was captured offline.
OFFLINE_AFTER: Final = timedelta(minutes=2)
# Metres from the stop within which a capture counts as inside, plus the device's accuracy.
MAX_METRES_FROM_STOP: Final = 200.0

# Above this, floats cannot represent every integer.
MAX_EXACT_FLOAT: Final = 2.0**53

# Reserved keys of a proof's data; callers cannot set them.
RESERVED_KEYS: Final = frozenset(
    {
        "captured_by", "device", "location", "location_check", "distance_to_stop_m", "offline",
        "late", "clock_skew_s", "image", "scan", "code", "signer", "override",
    }
)  # fmt: skip


class Capturer(msgspec.Struct, frozen=True):
    """The driver or operator who captured a proof."""

    uuid: UUID | None
    public_id: str
    name: str


class CaptureDetails(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a capture besides the evidence, for every method."""

    remarks: str | None = None
    data: Mapping[str, Any] = msgspec.field(default_factory=dict)
    location: Point | None = None
    accuracy: float | None = None
    captured_at: datetime | None = None
    device: Mapping[str, Any] | None = None
    activity: str | None = None
    proof_uuid: UUID | None = None
    capturer: Capturer | None = None
    stop_position: Point | None = None


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One proof's evidence: a picture, a scanned value or a verified code."""

    method: Method
    picture: Picture | None = None
    # The picture and its thumbnail, after they were stored.
    stored: tuple[StoredObject, StoredObject] | None = None
    raw_data: str | None = None
    details: Mapping[str, Any] = msgspec.field(default_factory=dict)


def limit_capture_time(
    capture_details: CaptureDetails, placed_at: datetime, now: datetime
) -> datetime:
    """Return the time of capture, moved between the order's creation and now if needed."""
    return device_times.limit_to_range(
        capture_details.captured_at, earliest=placed_at, now=now
    ).time


def build_data(
    capture_details: CaptureDetails, evidence: Evidence, created_at: datetime, now: datetime
) -> dict[str, Any]:
    """Build a proof's data. Callers cannot set the reserved keys."""
    data = {
        name: value for name, value in capture_details.data.items() if name not in RESERVED_KEYS
    }
    if capture_details.capturer is not None:
        data["captured_by"] = {
            "id": capture_details.capturer.public_id,
            "name": capture_details.capturer.name,
        }
    if capture_details.device is not None:
        data["device"] = dict(capture_details.device)
    data |= _build_location_data(capture_details)
    if capture_details.captured_at is not None:
        data["offline"] = now - created_at > OFFLINE_AFTER
        if capture_details.captured_at > now:
            data["clock_skew_s"] = round((capture_details.captured_at - now).total_seconds())
    if evidence.picture is not None:
        data["image"] = _build_image_data(evidence.picture)
    normalised_data: dict[str, Any] = _normalise_numbers(data | dict(evidence.details))
    return normalised_data


def _normalise_numbers(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Convert large numbers to the database's form, because rows are compared with signed facts."""
    match value:
        case float() if abs(value) >= MAX_EXACT_FLOAT:
            return int(Decimal(repr(value)))
        case dict():
            return {name: _normalise_numbers(item) for name, item in value.items()}
        case list():
            return [_normalise_numbers(item) for item in value]
    return value


def _build_location_data(capture_details: CaptureDetails) -> dict[str, Any]:
    if capture_details.location is None:
        return {"location_check": "unknown"}
    location = capture_details.location.to_geojson()
    if capture_details.accuracy is not None:
        location["accuracy_m"] = capture_details.accuracy
    if capture_details.stop_position is None:
        return {"location": location, "location_check": "unknown"}
    metres = geo.distance(capture_details.location, capture_details.stop_position)
    is_at_stop = metres <= MAX_METRES_FROM_STOP + (capture_details.accuracy or 0)
    return {
        "location": location,
        "distance_to_stop_m": round(metres),
        "location_check": "inside" if is_at_stop else "outside",
    }


def _build_image_data(picture: Picture) -> dict[str, Any]:
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


def hash_content(
    subject: ProofSubject, capture_details: CaptureDetails, evidence: Evidence
) -> bytes:
    """Hash the content, to tell a retry from other content with the same `proof_uuid`."""
    content = (
        subject.uuid,
        evidence.method,
        evidence.picture.original_sha256 if evidence.picture else None,
        evidence.raw_data,
        capture_details.remarks,
        capture_details.captured_at,
    )
    return hashlib.sha256(msgspec.json.encode(content)).digest()
