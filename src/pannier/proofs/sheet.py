"""The contents of a proof sheet, the printed proof of delivery."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal, Self

import msgspec

from pannier.proofs.models import ChainHead, Method, Proof
from pannier.proofs.signing import PublicKey

# The sheet shows at most this many photos per stop; the archive has the others.
MAX_PHOTOS_PER_STOP: Final = 6

LocationCheck = Literal["inside", "outside", "unknown"]


class CaptureLocation(msgspec.Struct, frozen=True, kw_only=True):
    """The location of a capture, in degrees and metres, compared with the stop's."""

    latitude: float
    longitude: float
    accuracy: float | None = None
    distance: int | None = None
    check: LocationCheck = "unknown"


class ScanResult(msgspec.Struct, frozen=True, kw_only=True):
    """A scanned value and whether it matched; `match` is None when none was expected."""

    value: str
    symbology: str | None = None
    match: bool | None = None
    entry: str | None = None
    # Why a code that does not match was used.
    reason: str | None = None


class Exhibit(msgspec.Struct, frozen=True, kw_only=True):
    """A proof on the sheet. `missing` is the reason if its picture cannot be shown."""

    id: str
    sequence: int
    method: Method
    subject: str
    captured_at: datetime
    received_at: datetime
    captured_by: str | None = None
    signer: str | None = None
    relationship: str | None = None
    location: CaptureLocation | None = None
    scan: ScanResult | None = None
    code_verified: bool = False
    remarks: str | None = None
    reason: str | None = None
    activity: str | None = None
    offline: bool = False
    late: bool = False
    has_picture: bool = False
    picture: bytes | None = None
    missing: str | None = None
    hash: str
    key_id: str

    @classmethod
    def from_row(
        cls, row: Proof, subject: str, *, picture: bytes | None = None, missing: str | None = None
    ) -> Self:
        """Build the sheet's view of a proof; `subject` is the subject's display name."""
        signer, override = _get_object(row.data, "signer"), _get_object(row.data, "override")
        reason = override.get("reason")
        return cls(
            id=row.public_id,
            sequence=row.sequence,
            method=row.method,
            subject=subject,
            captured_at=row.created_at,
            received_at=row.received_at,
            captured_by=_get_object(row.data, "captured_by").get("name"),
            signer=signer.get("name"),
            relationship=signer.get("relationship"),
            location=_parse_capture_location(row.data),
            scan=_parse_scan_result(row),
            code_verified=_get_object(row.data, "code").get("verified") is True,
            remarks=None if row.remarks == reason else row.remarks,
            reason=reason,
            activity=row.activity,
            offline=row.data.get("offline") is True,
            late=row.data.get("late") is True,
            has_picture=row.file is not None,
            picture=picture,
            missing=missing,
            hash=row.hash.hex(),
            key_id=row.key_id,
        )


class SheetItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item on the sheet. `evidence` lists the item's proofs."""

    name: str
    kind: str = ""
    reference: str = ""
    tracking_number: str = ""
    measures: str = ""
    evidence: str = ""


class TimelineEntry(msgspec.Struct, frozen=True):
    """An event in the stop's history, for display."""

    at: datetime
    status: str


class SheetStop(msgspec.Struct, frozen=True, kw_only=True):
    """A section with its own pages: a stop, or the whole delivery when it has no stops."""

    heading: str
    title: str
    address: str | None = None
    pickup: str | None = None
    dropoff: str | None = None
    tracking_number: str | None = None
    contact: str | None = None
    window_start: datetime | None = None
    window_end: datetime | None = None
    arrived_at: datetime | None = None
    completed_at: datetime | None = None
    notes: str | None = None
    timeline: tuple[TimelineEntry, ...] = ()
    items: tuple[SheetItem, ...] = ()
    exhibits: tuple[Exhibit, ...] = ()


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of a proof sheet. Equal contents give the same PDF, byte for byte."""

    company: str
    brand: str = ""
    color: str | None = None
    logo: bytes | None = None
    zone: str = "UTC"
    locale: str = "en"
    order_id: str
    tracking_number: str
    status: str
    type: str
    made_at: datetime
    placed_at: datetime
    internal_id: str | None = None
    customer: str | None = None
    facilitator: str | None = None
    driver: str | None = None
    vehicle: str | None = None
    scheduled_at: datetime | None = None
    window_start: datetime | None = None
    window_end: datetime | None = None
    dispatched_at: datetime | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    canceled_at: datetime | None = None
    cancel_reason: str | None = None
    distance: int | None = None
    head: ChainHead | None = None
    keys: tuple[PublicKey, ...] = ()
    # The page that verifies the proofs; encoded as a QR code.
    link: str | None = None
    manifest: bytes = b""
    stops: tuple[SheetStop, ...] = ()

    @property
    def order_number(self) -> str:
        """The company's own number of the order, or else its tracking number."""
        return self.internal_id or self.tracking_number


def _get_object(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = data.get(name)
    return value if isinstance(value, dict) else {}


def _parse_capture_location(data: Mapping[str, Any]) -> CaptureLocation | None:
    location = _get_object(data, "location")
    match location.get("coordinates"):
        case [int() | float() as longitude, int() | float() as latitude, *_]:
            return CaptureLocation(
                latitude=latitude,
                longitude=longitude,
                accuracy=location.get("accuracy_m"),
                distance=data.get("distance_to_stop_m"),
                check=data.get("location_check", "unknown"),
            )
    return None


def _parse_scan_result(row: Proof) -> ScanResult | None:
    scan = row.scan
    value = row.raw_data or scan.get("value")
    if not value:
        return None
    return ScanResult(
        value=value,
        symbology=scan.get("symbology"),
        match=scan.get("match"),
        entry=scan.get("entry"),
        reason=scan.get("reason"),
    )
