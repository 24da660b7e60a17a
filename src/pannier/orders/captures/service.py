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
from pannier.errors import Field, Invalid, NotFound, Problem, checked
from pannier.fleet.auth import Driving
from pannier.fleet.queries import DRIVERS
from pannier.kit import geo, ids
from pannier.kit.depth import too_deep
from pannier.kit.geo import Point
from pannier.orders import flow, gate
from pannier.orders.aggregate import OrderClosed
from pannier.orders.captures import recipients
from pannier.orders.captures.forms import Sent, Values
from pannier.orders.captures.scans import CodeBook, is_match
from pannier.orders.captures.schemas import CaptureIn, ScanIn, SignatureIn, SmsIn
from pannier.orders.models import Order
from pannier.orders.progress import find_stop, load_progress
from pannier.orders.views import Aggregate
from pannier.payloads import queries as payloads
from pannier.payloads.queries import Shown, Whole
from pannier.proofs import barcodes, codes, images
from pannier.proofs import evidence as rules
from pannier.proofs import service as proofs
from pannier.proofs.evidence import Captured, Evidence, Person
from pannier.proofs.models import Proof, Subject
from pannier.proofs.service import Kept
from pannier.verification.service import Requested
from pannier.web import fields
from pannier.web.budgets import Budget

DEEPEST_DATA: Final = 5
# SMS codes that one driver may request. No driver delivers more than this.
MOST_CODES: Final = (60, timedelta(hours=1))
# Half of the earth's circumference, in metres.
FARTHEST: Final = math.pi * geo.EARTH_RADIUS
TOO_LATE: Final = "The order is closed. Only proofs captured before that are accepted."
FORGOTTEN: Final = "The recipient's data was erased. No more proofs are accepted."


class CodeMismatch(Problem):
    """The scanned code is not one of the expected codes."""

    status, code, title = 422, "code_mismatch", "The code does not match."
    remedy = "Scan a code of this order, stop or item."


class CodeUnreadable(Problem):
    """The picture contains no readable code."""

    status, code = 422, "code_unreadable"
    title = "No code can be read from the picture."
    remedy = "Take it again, closer and with more light."


class Setting(msgspec.Struct, frozen=True):
    """The order, payload and subject that a proof is captured for."""

    order: Order
    whole: Whole
    subject: Subject
    codes: CodeBook
    place: Point | None


async def signatures(company: UUID, sent: Sent[SignatureIn]) -> list[Evidence]:
    """Validate a signature and return it as evidence."""
    if len(sent.pictures) != 1:
        raise Invalid(fields=[Field("signature", "Send one signature.")])
    values = sent.values
    signer = {
        name: value
        for name, value in (
            ("name", values.signer_name),
            ("relationship", values.signer_relationship),
        )
        if value is not None
    }
    picture = await images.signature(company, sent.pictures[0])
    details = {"signer": signer} if signer else {}
    return [Evidence(method="signature", picture=picture, details=details)]


async def photos(company: UUID, sent: Sent[Values]) -> list[Evidence]:
    """Validate photos together and return them as evidence."""
    if not sent.pictures:
        raise Invalid(fields=[Field("photos", "Send at least one photo.")])
    made = await images.photos(company, sent.pictures)
    return [Evidence(method="photo", picture=picture) for picture in made]


async def scan(company: UUID, sent: Sent[ScanIn]) -> list[Evidence]:
    """Return a scan as evidence, from its text or picture. If both are sent, they must agree."""
    values = sent.values
    text = values.raw_data or values.code
    if not sent.pictures:
        if text is None:
            raise Invalid(fields=[Field("code", "Send the scanned code, or a picture of it.")])
        return [_make_scan(text, values.symbology, None, values.entry)]
    read = await barcodes.read(company, sent.pictures[0])
    if not read:
        raise CodeUnreadable
    found = next((symbol for symbol in read if text in {None, symbol.text}), None)
    if found is None:
        raise CodeMismatch("The picture shows a different code. Send the code in the picture.")
    [picture] = await images.photos(company, sent.pictures[:1])
    return [_make_scan(found.text, found.symbology, picture, "scanned")]


def _make_scan(
    text: str, symbology: str | None, picture: images.Picture | None, entry: str | None
) -> Evidence:
    details: dict[str, Any] = {"scan": {"value": text, "symbology": symbology, "entry": entry}}
    return Evidence(method="scan", raw_data=text, picture=picture, details=details)


async def setting(db: Db, order: Order, subject_id: str | None) -> Setting:
    """Load the subject of a proof: the order, or one of its stops or items."""
    shown = await payloads.shown(db, order.company, [order.payload])
    whole = shown.wholes[order.payload]
    found = subject_of(order, whole, subject_id)
    codes_here = CodeBook(order, whole, shown.numbers)
    return Setting(order, whole, found, codes_here, _place(shown, whole, found))


def subject_of(order: Order, whole: Whole, identifier: str | None) -> Subject:
    """Find the order, or one of its stops or items, by its identifier."""
    rows: tuple[tuple[Any, Sequence[Any]], ...] = (
        ("order", [order]),
        ("waypoint", whole.waypoints),
        ("entity", whole.entities),
    )
    uuid = None if identifier is None else ids.as_uuid(identifier)
    for kind, candidates in rows:
        for row in candidates:
            if identifier is None or identifier == row.public_id or uuid == row.uuid:
                return Subject(
                    kind, row.uuid, row.public_id, order.company, order.uuid, order.public_id
                )
    raise NotFound


def _place(shown: Shown, whole: Whole, subject: Subject) -> Point | None:
    """Find where a subject is to be delivered."""
    stops = {stop.uuid: stop.place for stop in whole.waypoints}
    ends = {item.uuid: stops.get(item.destination) for item in whole.entities if item.destination}
    place = stops.get(subject.uuid) or ends.get(subject.uuid) or whole.payload.dropoff
    return None if place is None else shown.places[place].location


async def capture(
    db: Db,
    caller: FleetKey | Driving,
    scene: Setting,
    given: CaptureIn,
    pieces: Sequence[Evidence],
) -> Kept:
    """Store proofs for a locked order. Idempotent.

    Proofs that were stored before are returned unchanged, whatever happened to the order since.
    """
    captured = await _captured(db, caller, scene, given)
    before = await proofs.sent_before(db, scene.subject, captured, pieces)
    if before is not None:
        return Kept(before, replayed=True)
    late = await _late(db, scene, given)
    told = [_expected(scene, piece, late=late) for piece in pieces]
    return await proofs.capture(db, scene.subject, captured, told, placed_at=scene.order.created_at)


async def capture_code(db: Db, caller: FleetKey | Driving, scene: Setting, given: SmsIn) -> Kept:
    """Store the proof that the recipient knew the code.

    A code typed offline is checked as of the time it was typed.
    """
    captured = await _captured(db, caller, scene, given)
    before = await proofs.sent_before(db, scene.subject, captured, [Evidence(method="sms")])
    if before is not None:
        return Kept(before, replayed=True)
    late = await _late(db, scene, given)
    piece = Evidence(method="sms", details=_flagged({"code": {"verified": True}}, late=late))
    at = given.captured_at
    offline = at is not None and db.now - at > rules.OFFLINE_AFTER
    await codes.check(db, scene.subject, given.code, at=at if offline else None)
    return await proofs.capture(
        db, scene.subject, captured, [piece], placed_at=scene.order.created_at
    )


async def send_code(db: Db, scene: Setting, *, driver: UUID | None = None) -> tuple[Requested, str]:
    """Send a code to the recipient of the subject, within the driver's budget.

    An order may have a thousand items, and codes are limited separately for each of them.
    """
    if not scene.order.open:
        raise OrderClosed(TOO_LATE)
    phone = await recipients.phone(db, scene.order, scene.whole, scene.subject)
    if phone is None:
        raise codes.PhoneMissing
    spent = [] if driver is None else [Budget(f"delivery-codes-by:{driver}", *MOST_CODES)]
    return await codes.send(db, scene.subject, phone, spent=spent), phone


async def _captured(
    db: Db, caller: FleetKey | Driving, scene: Setting, given: CaptureIn
) -> Captured:
    """Parse the fields that all captures have in common."""
    if given.captured_at is not None and given.captured_at > db.now + rules.AHEAD:
        raise Invalid(fields=[Field("captured_at", "must not be in the future. Check the clock.")])
    data = checked("data", _own, given.data or {})
    location = None if given.location is None else checked("location", geo.parse, given.location)
    return Captured(
        remarks=given.remarks,
        data=data,
        location=location,
        accuracy=_accuracy(given.location),
        captured_at=given.captured_at,
        device=None if given.device is None else checked("device", _own, given.device),
        activity=given.activity,
        proof_uuid=given.proof_uuid,
        by=await _person(db, caller),
        place=scene.place,
    )


def _own(data: dict[str, Any]) -> dict[str, Any]:
    if too_deep(msgspec.json.encode(data), DEEPEST_DATA):
        raise ValueError(f"must not be nested deeper than {DEEPEST_DATA} levels.")
    return fields.bounded(data)


def _accuracy(location: object) -> float | None:
    """Return the accuracy of a reported location in metres, if it is usable."""
    found = location.get("accuracy") if isinstance(location, dict) else None
    if not isinstance(found, int | float) or isinstance(found, bool):
        return None
    # No distance is longer, and a JSON number may exceed any float.
    return float(found) if 0 <= found <= FARTHEST else None


async def _person(db: Db, caller: FleetKey | Driving) -> Person:
    if not isinstance(caller, Driving):
        return Person(None, caller.public_id, caller.name)
    driver = await DRIVERS.get(db, caller.company, caller.uuid)
    return Person(driver.uuid, driver.public_id, driver.name)


async def _late(db: Db, scene: Setting, given: CaptureIn) -> bool:
    """Return whether a proof arrives after the order ended.

    A proof captured after the end is rejected.
    """
    ended = scene.order.completed_at or scene.order.canceled_at
    if ended is None:
        return False
    if given.captured_at is None or given.captured_at > ended:
        raise OrderClosed(TOO_LATE)
    if await recipients.is_forgotten(db, scene.order, scene.whole, scene.subject):
        raise OrderClosed(FORGOTTEN)
    return True


def _flagged(details: dict[str, Any], *, late: bool) -> dict[str, Any]:
    return {**details, "late": True} if late else details


def _expected(scene: Setting, piece: Evidence, *, late: bool) -> Evidence:
    """Compare a scan with the codes of its subject.

    If items declare codes, any other code is rejected. Otherwise it is stored as unmatched.
    """
    details = dict(piece.details)
    if piece.method == "scan":
        scan = details["scan"]
        declared, known = (
            find(scene.subject.uuid) for find in (scene.codes.list_declared, scene.codes.list_known)
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
    return msgspec.structs.replace(piece, details=_flagged(details, late=late))


async def override(db: Db, order: Order, activity: str, reason: str) -> list[Proof]:
    """Allow an activity without its proofs, and record the operator's reason."""
    read = await Aggregate.of(db, order)
    progress = await load_progress(db, read)
    chosen = flow.activity_of(progress, activity)
    stop = find_stop(read, progress, activity)
    outcome = await gate.looked_at(db, order, chosen, stop, read.whole.entities)
    actor = db.actor
    captured = Captured(remarks=reason, activity=activity, by=Person(None, actor.id, actor.name))
    said = {"override": {"reason": reason, "operator": actor.id, "name": actor.name}}
    proved = [subject_of(order, read.whole, each.subject_id) for each in outcome.missing]
    word = Evidence(method="override", details=said)
    made = await proofs.vouch(db, proved, captured, word, placed_at=order.created_at)
    for demand, subject in zip(outcome.missing, proved, strict=True):
        record(
            db, order.company, "proof.overridden", subject.public_id,
            order=order.public_id, activity=activity, method=demand.method, reason=reason,
        )  # fmt: skip
    return made


async def unlock(db: Db, order: Order, subject_id: str | None) -> None:
    """Allow codes at a stop again after too many wrong ones."""
    scene = await setting(db, order, subject_id)
    await codes.unlock(db, scene.subject)
    name = scene.subject.public_id
    record(db, order.company, "proof.code_unlocked", name, order=order.public_id)
