"""Capture of proofs: finds the subject, checks the evidence and stores it."""

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
from pannier.orders.captures import mismatches, recipients
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
# The SMS codes that a driver may request. No driver delivers more orders in an hour.
DRIVER_CODE_BUDGET: Final = (60, timedelta(hours=1))
# Half of the earth's circumference, in metres.
MAX_DISTANCE_METRES: Final = math.pi * geo.EARTH_RADIUS
TOO_LATE: Final = "The order is closed. Only proofs captured before that are accepted."
RECIPIENT_ERASED: Final = "The recipient's data was erased. No more proofs are accepted."


class CodeUnreadable(Problem):
    """The image has no code, or the code is too small, blurred or dark."""

    status, code = 422, "code_unreadable"
    title = "No code could be read from the image."
    remedy = "Take another photo, closer and in better light."


class CaptureContext(msgspec.Struct, frozen=True):
    """The order, payload and subject that a proof is captured for."""

    order: Order
    payload_aggregate: PayloadAggregate
    subject: ProofSubject
    codes: CodeBook
    place: Point | None


async def read_signature(company: UUID, form: ParsedCapture[SignatureIn]) -> list[Evidence]:
    """Validate a signature and return it as evidence."""
    if len(form.pictures) != 1:
        raise Invalid(fields=[FieldError("signature", "Send one signature.")])
    values = form.values
    signer = {
        name: value
        for name, value in (
            ("name", values.signer_name),
            ("relationship", values.signer_relationship),
        )
        if value is not None
    }
    picture = await images.process_signature(company, form.pictures[0])
    details = {"signer": signer} if signer else {}
    return [Evidence(method="signature", picture=picture, details=details)]


async def read_photos(company: UUID, form: ParsedCapture[Values]) -> list[Evidence]:
    """Validate photos together and return them as evidence."""
    if not form.pictures:
        raise Invalid(fields=[FieldError("photos", "Send at least one photo.")])
    photos = await images.process_photos(company, form.pictures)
    return [Evidence(method="photo", picture=picture) for picture in photos]


async def read_scan(company: UUID, form: ParsedCapture[ScanIn]) -> list[Evidence]:
    """Return a scan as evidence, from its text or picture. If both are sent, they must agree."""
    values = form.values
    text = values.raw_data or values.code
    if not form.pictures:
        if text is None:
            raise Invalid(fields=[FieldError("code", "Send the scanned code, or a picture of it.")])
        return [_make_scan(text, values, None)]
    if text is not None and values.mismatch_reason is not None:
        [picture] = await images.process_photos(company, form.pictures[:1])
        return [_make_scan(text, values, picture)]
    symbols = await barcodes.read_codes(company, form.pictures[0])
    if not symbols:
        raise CodeUnreadable
    matching_symbol = next((symbol for symbol in symbols if text in {None, symbol.text}), None)
    if matching_symbol is None:
        raise mismatches.CodeMismatch(
            "The picture shows a different code. Send the code in the picture."
        )
    [picture] = await images.process_photos(company, form.pictures[:1])
    read_values = msgspec.structs.replace(
        values, symbology=matching_symbol.symbology, entry="scanned"
    )
    return [_make_scan(matching_symbol.text, read_values, picture)]


def _make_scan(text: str, values: ScanIn, picture: images.Picture | None) -> Evidence:
    scan: dict[str, Any] = {"value": text, "symbology": values.symbology, "entry": values.entry}
    if values.mismatch_reason is not None:
        scan["reason"] = values.mismatch_reason
    return Evidence(method="scan", raw_data=text, picture=picture, details={"scan": scan})


async def load_context(db: Db, order: Order, subject_id: str | None) -> CaptureContext:
    """Load the context of a capture: the order, its payload and the subject of the proof."""
    related = await payloads.load_related(db, order.company, [order.payload])
    payload_aggregate = related.payload_aggregates[order.payload]
    subject = get_subject(order, payload_aggregate, subject_id)
    code_book = CodeBook(order, payload_aggregate, related.numbers)
    return CaptureContext(
        order,
        payload_aggregate,
        subject,
        code_book,
        _find_delivery_point(related, payload_aggregate, subject),
    )


def get_subject(
    order: Order, payload_aggregate: PayloadAggregate, identifier: str | None
) -> ProofSubject:
    """Get the order, or one of its stops or items, by its identifier."""
    rows: tuple[tuple[Any, Sequence[Any]], ...] = (
        ("order", [order]),
        ("waypoint", payload_aggregate.waypoints),
        ("entity", payload_aggregate.entities),
    )
    uuid = None if identifier is None else ids.parse_uuid(identifier)
    for kind, candidates in rows:
        for row in candidates:
            if identifier is None or identifier == row.public_id or uuid == row.uuid:
                return ProofSubject(
                    kind, row.uuid, row.public_id, order.company, order.uuid, order.public_id
                )
    raise NotFound


def _find_delivery_point(
    related: PayloadRecords, payload_aggregate: PayloadAggregate, subject: ProofSubject
) -> Point | None:
    """Find the point of delivery of a subject."""
    stops = {stop.uuid: stop.place for stop in payload_aggregate.waypoints}
    item_places = {
        item.uuid: stops.get(item.destination)
        for item in payload_aggregate.entities
        if item.destination
    }
    place = (
        stops.get(subject.uuid)
        or item_places.get(subject.uuid)
        or payload_aggregate.payload.dropoff
    )
    return None if place is None else related.places[place].location


async def capture(
    db: Db,
    caller: FleetKey | DriverCaller,
    context: CaptureContext,
    data: CaptureIn,
    evidence: Sequence[Evidence],
) -> CaptureResult:
    """Store proofs for a locked order.

    A repeated request returns the stored proofs, even if the order has ended since.
    """
    details = await _parse_common_fields(db, caller, context, data)
    replayed_proofs = await proofs.find_replayed_proofs(db, context.subject, details, evidence)
    if replayed_proofs is not None:
        return CaptureResult(replayed_proofs, is_replay=True)
    is_late = await _check_lateness(db, context, data)
    matched_evidence = [
        await _match_scan(db, context, item, data.activity, is_late=is_late) for item in evidence
    ]
    return await proofs.capture_proofs(
        db, context.subject, details, matched_evidence, placed_at=context.order.created_at
    )


async def capture_code(
    db: Db, caller: FleetKey | DriverCaller, context: CaptureContext, data: SmsIn
) -> CaptureResult:
    """Store an SMS proof if the code is correct.

    A code typed offline is checked as of the time it was typed.
    """
    details = await _parse_common_fields(db, caller, context, data)
    replayed_proofs = await proofs.find_replayed_proofs(
        db, context.subject, details, [Evidence(method="sms")]
    )
    if replayed_proofs is not None:
        return CaptureResult(replayed_proofs, is_replay=True)
    is_late = await _check_lateness(db, context, data)
    evidence = Evidence(
        method="sms", details=_flag_late_proof({"code": {"verified": True}}, is_late=is_late)
    )
    captured_at = data.captured_at
    is_offline = captured_at is not None and db.now - captured_at > rules.OFFLINE_AFTER
    await codes.check_code(
        db, context.subject, data.code, entered_at=captured_at if is_offline else None
    )
    return await proofs.capture_proofs(
        db, context.subject, details, [evidence], placed_at=context.order.created_at
    )


async def send_code(
    db: Db, context: CaptureContext, *, driver: UUID | None = None
) -> tuple[CodeTiming, str]:
    """Send a code to the recipient of the subject, within the driver's budget.

    The limits of codes apply to each item separately, and an order may have a thousand items.
    """
    if not context.order.open:
        raise OrderClosed(TOO_LATE)
    phone = await recipients.find_phone(
        db, context.order, context.payload_aggregate, context.subject
    )
    if phone is None:
        raise codes.PhoneMissing
    driver_budgets = (
        [] if driver is None else [Budget(f"delivery-codes-by:{driver}", *DRIVER_CODE_BUDGET)]
    )
    return await codes.send_code(db, context.subject, phone, budgets=driver_budgets), phone


async def _parse_common_fields(
    db: Db, caller: FleetKey | DriverCaller, context: CaptureContext, capture_data: CaptureIn
) -> CaptureDetails:
    """Parse the fields that all captures have in common."""
    if (
        capture_data.captured_at is not None
        and capture_data.captured_at > db.now + rules.MAX_CLOCK_LEAD
    ):
        raise Invalid(
            fields=[FieldError("captured_at", "must not be in the future. Check the clock.")]
        )
    data = parse_field("data", _check_data, capture_data.data or {})
    location = (
        None
        if capture_data.location is None
        else parse_field("location", geo.parse, capture_data.location)
    )
    return CaptureDetails(
        remarks=capture_data.remarks,
        data=data,
        location=location,
        accuracy=_parse_accuracy(capture_data.location),
        captured_at=capture_data.captured_at,
        device=None
        if capture_data.device is None
        else parse_field("device", _check_data, capture_data.device),
        activity=capture_data.activity,
        proof_uuid=capture_data.proof_uuid,
        capturer=await _load_capturer(db, caller),
        stop_position=context.place,
    )


def _check_data(data: dict[str, Any]) -> dict[str, Any]:
    if is_too_deep(msgspec.json.encode(data), MAX_DATA_DEPTH):
        raise ValueError(f"must not be nested deeper than {MAX_DATA_DEPTH} levels.")
    return fields.check_meta(data)


def _parse_accuracy(location: object) -> float | None:
    """Return the accuracy of a reported location in metres, if it is usable."""
    accuracy = location.get("accuracy") if isinstance(location, dict) else None
    if not isinstance(accuracy, int | float) or isinstance(accuracy, bool):
        return None
    # No distance is longer, and a JSON number may exceed any float.
    return float(accuracy) if 0 <= accuracy <= MAX_DISTANCE_METRES else None


async def _load_capturer(db: Db, caller: FleetKey | DriverCaller) -> Capturer:
    if not isinstance(caller, DriverCaller):
        return Capturer(None, caller.public_id, caller.name)
    driver = await DRIVERS.get(db, caller.company, caller.uuid)
    return Capturer(driver.uuid, driver.public_id, driver.name)


async def _check_lateness(db: Db, context: CaptureContext, data: CaptureIn) -> bool:
    """Return whether a proof arrives late, and reject one captured after the order ended."""
    ended_at = context.order.completed_at or context.order.canceled_at
    if ended_at is None:
        return False
    if data.captured_at is None or data.captured_at > ended_at:
        raise OrderClosed(TOO_LATE)
    if await recipients.is_recipient_erased(
        db, context.order, context.payload_aggregate, context.subject
    ):
        raise OrderClosed(RECIPIENT_ERASED)
    return True


def _flag_late_proof(details: dict[str, Any], *, is_late: bool) -> dict[str, Any]:
    return {**details, "late": True} if is_late else details


async def _match_scan(
    db: Db, context: CaptureContext, evidence: Evidence, activity: str | None, *, is_late: bool
) -> Evidence:
    """Return evidence with the result of comparing a scan with its subject's codes.

    If items declare codes, any other code is rejected. If none do, an unknown code is stored as
    unmatched. An activity can have stricter rules, or accept a code with a reason and a photo.
    """
    details = dict(evidence.details)
    if evidence.method == "scan":
        scan = details["scan"]
        declared_codes, known_codes = (
            list_codes(context.subject.uuid)
            for list_codes in (context.codes.list_declared_codes, context.codes.list_known_codes)
        )
        is_known = is_match(
            evidence.raw_data or "",
            known_codes,
            symbology=scan["symbology"],
            is_typed=scan["entry"] == "typed",
        )
        if not is_known:
            await mismatches.check_mismatch(
                db, context.order, activity, evidence, has_declared_codes=bool(declared_codes)
            )
        details["scan"] = {**scan, "expected": declared_codes, "match": is_known}
    return msgspec.structs.replace(evidence, details=_flag_late_proof(details, is_late=is_late))


async def override_proofs(db: Db, order: Order, activity: str, reason: str) -> list[Proof]:
    """Allow an activity without its proofs, and record the operator's reason."""
    aggregate = await OrderAggregate.load(db, order)
    progress = await load_progress(db, aggregate)
    flow_activity = flow.get_activity(progress, activity)
    stop = find_stop(aggregate, progress, activity)
    proof_match = await gate.match_unused_proofs(
        db, order, flow_activity, stop, aggregate.payload_aggregate.entities
    )
    actor = db.actor
    capture_details = CaptureDetails(
        remarks=reason, activity=activity, capturer=Capturer(None, actor.id, actor.name)
    )
    details = {"override": {"reason": reason, "operator": actor.id, "name": actor.name}}
    subjects = [
        get_subject(order, aggregate.payload_aggregate, requirement.subject_id)
        for requirement in proof_match.missing
    ]
    evidence = Evidence(method="override", details=details)
    overrides = await proofs.record_override(
        db, subjects, capture_details, evidence, placed_at=order.created_at
    )
    for requirement, subject in zip(proof_match.missing, subjects, strict=True):
        record(
            db, order.company, "proof.overridden", subject.public_id,
            order=order.public_id, activity=activity, method=requirement.method, reason=reason,
        )  # fmt: skip
    return overrides


async def unlock_codes(db: Db, order: Order, subject_id: str | None) -> None:
    """Allow codes at a stop again after too many wrong codes."""
    context = await load_context(db, order, subject_id)
    await codes.unlock_codes(db, context.subject)
    name = context.subject.public_id
    record(db, order.company, "proof.code_unlocked", name, order=order.public_id)
