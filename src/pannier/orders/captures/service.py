"""Capturing proofs: finding the subject, checking the evidence, and storing it."""

import math
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts.audit import record
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import FieldError, Invalid, NotFound, Problem, parse_field
from pannier.fleet.auth import DriverCaller
from pannier.fleet.queries import DRIVERS
from pannier.kit import geo, ids
from pannier.kit.geo import Point
from pannier.kit.json_depth import is_too_deep
from pannier.orders import flow, gate
from pannier.orders.aggregate import OrderClosed
from pannier.orders.captures import recipients
from pannier.orders.captures.forms import ParsedCapture, Values
from pannier.orders.captures.scans import CodeBook, is_match
from pannier.orders.captures.schemas import CaptureIn, ScanIn, SignatureIn, SmsIn
from pannier.orders.models import Order
from pannier.orders.progress import find_stop, load_progress
from pannier.orders.views import OrderAggregate
from pannier.payloads import queries as payloads
from pannier.payloads.queries import PayloadAggregate, PayloadRecords
from pannier.proofs import barcodes, codes, images
from pannier.proofs import evidence as rules
from pannier.proofs import service as proofs
from pannier.proofs.evidence import CaptureDetails, Capturer, Evidence
from pannier.proofs.models import Proof, ProofSubject
from pannier.proofs.service import CaptureResult
from pannier.verification.service import CodeTiming
from pannier.web import fields
from pannier.web.budgets import Budget

MAX_DATA_DEPTH: Final = 5
# SMS codes that one driver may request. No driver delivers more than this.
MAX_CODES: Final = (60, timedelta(hours=1))
# Half of the earth's circumference, in metres.
MAX_DISTANCE_METRES: Final = math.pi * geo.EARTH_RADIUS
TOO_LATE: Final = "The order is closed. Only proofs captured before that are accepted."
RECIPIENT_ERASED: Final = "The recipient's data was erased. No more proofs are accepted."


class CodeMismatch(Problem):
    """The scanned code is not one of the expected codes."""

    status, code, title = 422, "code_mismatch", "The code does not match."
    remedy = "Scan a code of this order, stop or item."


class CodeUnreadable(Problem):
    """The image has no code, or the code is too small, blurred or dark."""

    status, code = 422, "code_unreadable"
    title = "No code could be read from the image."
    remedy = "Take another photo, closer and in better light."


class CaptureContext(msgspec.Struct, frozen=True):
    """The order, payload and subject that a proof is captured for."""

    order: Order
    whole: PayloadAggregate
    subject: ProofSubject
    codes: CodeBook
    place: Point | None


async def read_signature(company: UUID, sent: ParsedCapture[SignatureIn]) -> list[Evidence]:
    """Validate a signature and return it as evidence."""
    if len(sent.pictures) != 1:
        raise Invalid(fields=[FieldError("signature", "Send one signature.")])
    values = sent.values
    signer = {
        name: value
        for name, value in (
            ("name", values.signer_name),
            ("relationship", values.signer_relationship),
        )
        if value is not None
    }
    picture = await images.process_signature(company, sent.pictures[0])
    details = {"signer": signer} if signer else {}
    return [Evidence(method="signature", picture=picture, details=details)]


async def read_photos(company: UUID, sent: ParsedCapture[Values]) -> list[Evidence]:
    """Validate photos together and return them as evidence."""
    if not sent.pictures:
        raise Invalid(fields=[FieldError("photos", "Send at least one photo.")])
    photos = await images.process_photos(company, sent.pictures)
    return [Evidence(method="photo", picture=picture) for picture in photos]


async def read_scan(company: UUID, sent: ParsedCapture[ScanIn]) -> list[Evidence]:
    """Return a scan as evidence, from its text or picture. If both are sent, they must agree."""
    values = sent.values
    text = values.raw_data or values.code
    if not sent.pictures:
        if text is None:
            raise Invalid(fields=[FieldError("code", "Send the scanned code, or a picture of it.")])
        return [_make_scan(text, values.symbology, None, values.entry)]
    read = await barcodes.read_codes(company, sent.pictures[0])
    if not read:
        raise CodeUnreadable
    found = next((symbol for symbol in read if text in {None, symbol.text}), None)
    if found is None:
        raise CodeMismatch("The picture shows a different code. Send the code in the picture.")
    [picture] = await images.process_photos(company, sent.pictures[:1])
    return [_make_scan(found.text, found.symbology, picture, "scanned")]


def _make_scan(
    text: str, symbology: str | None, picture: images.Picture | None, entry: str | None
) -> Evidence:
    details: dict[str, Any] = {"scan": {"value": text, "symbology": symbology, "entry": entry}}
    return Evidence(method="scan", raw_data=text, picture=picture, details=details)


async def load_context(db: Db, order: Order, subject_id: str | None) -> CaptureContext:
    """Load the subject of a proof: the order, or one of its stops or items."""
    related = await payloads.load_related(db, order.company, [order.payload])
    whole = related.wholes[order.payload]
    found = get_subject(order, whole, subject_id)
    codes_here = CodeBook(order, whole, related.numbers)
    return CaptureContext(order, whole, found, codes_here, _delivery_point(related, whole, found))


def get_subject(order: Order, whole: PayloadAggregate, identifier: str | None) -> ProofSubject:
    """Find the order, or one of its stops or items, by its identifier."""
    rows: tuple[tuple[Any, Sequence[Any]], ...] = (
        ("order", [order]),
        ("waypoint", whole.waypoints),
        ("entity", whole.entities),
    )
    uuid = None if identifier is None else ids.parse_uuid(identifier)
    for kind, candidates in rows:
        for row in candidates:
            if identifier is None or identifier == row.public_id or uuid == row.uuid:
                return ProofSubject(
                    kind, row.uuid, row.public_id, order.company, order.uuid, order.public_id
                )
    raise NotFound


def _delivery_point(
    related: PayloadRecords, whole: PayloadAggregate, subject: ProofSubject
) -> Point | None:
    """Find where a subject is to be delivered."""
    stops = {stop.uuid: stop.place for stop in whole.waypoints}
    ends = {item.uuid: stops.get(item.destination) for item in whole.entities if item.destination}
    place = stops.get(subject.uuid) or ends.get(subject.uuid) or whole.payload.dropoff
    return None if place is None else related.places[place].location


async def capture(
    db: Db,
    caller: FleetKey | DriverCaller,
    context: CaptureContext,
    given: CaptureIn,
    pieces: Sequence[Evidence],
) -> CaptureResult:
    """Store proofs for a locked order. Idempotent.

    Proofs that were stored before are returned unchanged, whatever happened to the order since.
    """
    captured = await _parse_common_fields(db, caller, context, given)
    before = await proofs.find_replayed(db, context.subject, captured, pieces)
    if before is not None:
        return CaptureResult(before, is_replay=True)
    late = await _is_late(db, context, given)
    checked_pieces = [_match_scan(context, piece, late=late) for piece in pieces]
    return await proofs.capture(
        db, context.subject, captured, checked_pieces, placed_at=context.order.created_at
    )


async def capture_code(
    db: Db, caller: FleetKey | DriverCaller, context: CaptureContext, given: SmsIn
) -> CaptureResult:
    """Store the proof that the recipient knew the code.

    A code typed offline is checked as of the time it was typed.
    """
    captured = await _parse_common_fields(db, caller, context, given)
    before = await proofs.find_replayed(db, context.subject, captured, [Evidence(method="sms")])
    if before is not None:
        return CaptureResult(before, is_replay=True)
    late = await _is_late(db, context, given)
    piece = Evidence(method="sms", details=_flag_late({"code": {"verified": True}}, late=late))
    at = given.captured_at
    offline = at is not None and db.now - at > rules.OFFLINE_AFTER
    await codes.check(db, context.subject, given.code, at=at if offline else None)
    return await proofs.capture(
        db, context.subject, captured, [piece], placed_at=context.order.created_at
    )


async def send_code(
    db: Db, context: CaptureContext, *, driver: UUID | None = None
) -> tuple[CodeTiming, str]:
    """Send a code to the recipient of the subject, within the driver's budget.

    An order may have a thousand items, and codes are limited separately for each of them.
    """
    if not context.order.open:
        raise OrderClosed(TOO_LATE)
    phone = await recipients.find_phone(db, context.order, context.whole, context.subject)
    if phone is None:
        raise codes.PhoneMissing
    spent = [] if driver is None else [Budget(f"delivery-codes-by:{driver}", *MAX_CODES)]
    return await codes.send(db, context.subject, phone, budgets=spent), phone


async def _parse_common_fields(
    db: Db, caller: FleetKey | DriverCaller, context: CaptureContext, given: CaptureIn
) -> CaptureDetails:
    """Parse the fields that all captures have in common."""
    if given.captured_at is not None and given.captured_at > db.now + rules.MAX_CLOCK_LEAD:
        raise Invalid(
            fields=[FieldError("captured_at", "must not be in the future. Check the clock.")]
        )
    data = parse_field("data", _check_data, given.data or {})
    location = (
        None if given.location is None else parse_field("location", geo.parse, given.location)
    )
    return CaptureDetails(
        remarks=given.remarks,
        data=data,
        location=location,
        accuracy=_parse_accuracy(given.location),
        captured_at=given.captured_at,
        device=None if given.device is None else parse_field("device", _check_data, given.device),
        activity=given.activity,
        proof_uuid=given.proof_uuid,
        by=await _load_person(db, caller),
        place=context.place,
    )


def _check_data(data: dict[str, Any]) -> dict[str, Any]:
    if is_too_deep(msgspec.json.encode(data), MAX_DATA_DEPTH):
        raise ValueError(f"must not be nested deeper than {MAX_DATA_DEPTH} levels.")
    return fields.check_meta(data)


def _parse_accuracy(location: object) -> float | None:
    """Return the accuracy of a reported location in metres, if it is usable."""
    found = location.get("accuracy") if isinstance(location, dict) else None
    if not isinstance(found, int | float) or isinstance(found, bool):
        return None
    # No distance is longer, and a JSON number may exceed any float.
    return float(found) if 0 <= found <= MAX_DISTANCE_METRES else None


async def _load_person(db: Db, caller: FleetKey | DriverCaller) -> Capturer:
    if not isinstance(caller, DriverCaller):
        return Capturer(None, caller.public_id, caller.name)
    driver = await DRIVERS.get(db, caller.company, caller.uuid)
    return Capturer(driver.uuid, driver.public_id, driver.name)


async def _is_late(db: Db, context: CaptureContext, given: CaptureIn) -> bool:
    """Return whether a proof arrives after the order ended.

    A proof captured after the end is rejected.
    """
    ended = context.order.completed_at or context.order.canceled_at
    if ended is None:
        return False
    if given.captured_at is None or given.captured_at > ended:
        raise OrderClosed(TOO_LATE)
    if await recipients.is_erased(db, context.order, context.whole, context.subject):
        raise OrderClosed(RECIPIENT_ERASED)
    return True


def _flag_late(details: dict[str, Any], *, late: bool) -> dict[str, Any]:
    return {**details, "late": True} if late else details


def _match_scan(context: CaptureContext, piece: Evidence, *, late: bool) -> Evidence:
    """Compare a scan with the codes of its subject.

    If items declare codes, any other code is rejected. Otherwise it is stored as unmatched.
    """
    details = dict(piece.details)
    if piece.method == "scan":
        scan = details["scan"]
        declared, known = (
            find(context.subject.uuid)
            for find in (context.codes.list_declared, context.codes.list_known)
        )
        match = is_match(
            piece.raw_data or "",
            known,
            symbology=scan["symbology"],
            typed=scan["entry"] == "typed",
        )
        if declared and not match:
            raise CodeMismatch
        details["scan"] = {**scan, "expected": declared, "match": match}
    return msgspec.structs.replace(piece, details=_flag_late(details, late=late))


async def override(db: Db, order: Order, activity: str, reason: str) -> list[Proof]:
    """Allow an activity without its proofs, and record the operator's reason."""
    aggregate = await OrderAggregate.load(db, order)
    progress = await load_progress(db, aggregate)
    chosen = flow.get_activity(progress, activity)
    stop = find_stop(aggregate, progress, activity)
    outcome = await gate.evaluate(db, order, chosen, stop, aggregate.whole.entities)
    actor = db.actor
    captured = CaptureDetails(
        remarks=reason, activity=activity, by=Capturer(None, actor.id, actor.name)
    )
    details = {"override": {"reason": reason, "operator": actor.id, "name": actor.name}}
    proved = [
        get_subject(order, aggregate.whole, missing.subject_id) for missing in outcome.missing
    ]
    evidence = Evidence(method="override", details=details)
    created = await proofs.record_override(
        db, proved, captured, evidence, placed_at=order.created_at
    )
    for demand, subject in zip(outcome.missing, proved, strict=True):
        record(
            db, order.company, "proof.overridden", subject.public_id,
            order=order.public_id, activity=activity, method=demand.method, reason=reason,
        )  # fmt: skip
    return created


async def unlock(db: Db, order: Order, subject_id: str | None) -> None:
    """Allow codes at a stop again after too many wrong codes."""
    context = await load_context(db, order, subject_id)
    await codes.unlock(db, context.subject)
    name = context.subject.public_id
    record(db, order.company, "proof.code_unlocked", name, order=order.public_id)
