"""Actions of simulated drivers: the next activity of an order, with its proofs."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import msgspec

from pannier.cash import service as cash
from pannier.cash.schemas import CollectCashIn
from pannier.db import Actor, Db
from pannier.fleet.auth import DriverCaller
from pannier.fleet.models import Driver
from pannier.fleet.queries import DRIVERS
from pannier.kit.geo import Point
from pannier.orders import flow, gate, moves
from pannier.orders.attempts import service as attempts
from pannier.orders.attempts.schemas import AttemptIn
from pannier.orders.captures import service as captures
from pannier.orders.captures.forms import ParsedCapture
from pannier.orders.captures.schemas import CaptureIn, ScanIn, SmsIn
from pannier.orders.gate import ProofRequirement
from pannier.orders.progress import load_progress
from pannier.orders.views import OrderAggregate
from pannier.proofs.evidence import Evidence
from pannier.verification.rules import TEST_CODE


async def advance(
    db: Db,
    aggregate: OrderAggregate,
    location: Point | None,
    images: Sequence[Evidence],
    code: str | None = None,
    *,
    is_code_sent: bool = False,
) -> OrderAggregate:
    """Fire an activity as the order's driver, by default the next one, with its proofs.

    SMS codes that may have been entered wrongly before are sent first, by `sms_codes`.
    """
    async with _act_as_driver(db, aggregate) as driver:
        progress = await load_progress(db, aggregate)
        code = code or flow.list_next_codes(progress)[0]
        activity = flow.get_activity(progress, code)
        stop = None if code in flow.HEAD else aggregate.payload_aggregate.stop
        outcome = await gate.match_unused_proofs(
            db, aggregate.row, activity, stop, aggregate.payload_aggregate.entities
        )
        for requirement in outcome.missing:
            if requirement.method == "sms" and not is_code_sent:
                context = await captures.load_context(db, aggregate.row, requirement.subject_id)
                await captures.send_code(db, context)
            await _capture_proof(db, aggregate, driver, requirement, code, location, images)
        return await moves.fire_activity(db, aggregate, code, location=location)


async def report_failure(
    db: Db,
    aggregate: OrderAggregate,
    location: Point | None,
    attempt: AttemptIn,
    images: Sequence[Evidence] = (),
) -> OrderAggregate:
    """Report a failed attempt as the order's driver, with a photo if there are images."""
    async with _act_as_driver(db, aggregate) as driver:
        if images:
            requirement = ProofRequirement("order", aggregate.row.public_id, "photo")
            await _capture_proof(db, aggregate, driver, requirement, None, location, images)
        return await attempts.record_failed_attempt(db, aggregate, attempt)


async def collect_cash(
    db: Db, aggregate: OrderAggregate, amount: int | None = None, reason: str | None = None
) -> None:
    """Collect the cash of an order without stops as its driver: by default, all that is due."""
    async with _act_as_driver(db, aggregate) as driver:
        due = aggregate.payload_aggregate.cash[None]
        caller = DriverCaller(driver.uuid, driver.public_id, aggregate.row.company, driver.uuid)
        data = CollectCashIn(amount=due.amount if amount is None else amount, reason=reason)
        await cash.collect_cash(db, caller, aggregate.row.public_id, data)


async def collect_due_cash(db: Db, aggregate: OrderAggregate) -> None:
    """Collect the cash of an order without stops, if it is still due."""
    due = aggregate.payload_aggregate.cash.get(None)
    if due is not None and not due.collected:
        await collect_cash(db, aggregate)


async def collect_cash_here(db: Db, aggregate: OrderAggregate) -> None:
    """Collect the cash that is due at the current stop, or on an order without stops."""
    stop = aggregate.payload_aggregate.stop
    due = aggregate.payload_aggregate.cash.get(None if stop is None else stop.uuid)
    if due is None or due.collected:
        return
    async with _act_as_driver(db, aggregate) as driver:
        caller = DriverCaller(driver.uuid, driver.public_id, aggregate.row.company, driver.uuid)
        data = CollectCashIn(amount=due.amount, stop=None if stop is None else stop.public_id)
        await cash.collect_cash(db, caller, aggregate.row.public_id, data)


@asynccontextmanager
async def _act_as_driver(db: Db, aggregate: OrderAggregate) -> AsyncIterator[Driver]:
    """Act as the order's driver within the context."""
    driver = await DRIVERS.get(db, aggregate.row.company, str(aggregate.row.driver))
    previous_actor, db.actor = db.actor, Actor("driver", driver.public_id, driver.name)
    try:
        yield driver
    finally:
        db.actor = previous_actor


def find_next_location(aggregate: OrderAggregate) -> Point | None:
    """Find the location of an order's next activity."""
    payload, stops = aggregate.payload_aggregate.payload, aggregate.payload_aggregate.waypoints
    is_at_pickup = aggregate.row.activity in {flow.DISPATCHED, flow.STARTED}
    place = payload.pickup if is_at_pickup else payload.dropoff
    if stops:
        open_stops = [stop for stop in stops if stop.completed_at is None] or stops[-1:]
        current_stops = [stop for stop in open_stops if stop.uuid == payload.current_waypoint]
        place = (current_stops or open_stops)[0].place
    return _get_location(aggregate, place)


def _get_location(aggregate: OrderAggregate, place: UUID | None) -> Point | None:
    place_row = None if place is None else aggregate.related.places[place]
    return None if place_row is None else place_row.location


async def _capture_proof(
    db: Db,
    aggregate: OrderAggregate,
    driver: Driver,
    requirement: ProofRequirement,
    code: str | None,
    location: Point | None,
    images: Sequence[Evidence],
) -> None:
    """Capture a required proof with the services of the driver app.

    Without an image for it, nothing is captured, and the activity is refused.
    """
    order = aggregate.row
    caller = DriverCaller(driver.uuid, driver.public_id, order.company, driver.uuid)
    context = await captures.load_context(db, order, requirement.subject_id)
    details: dict[str, Any] = {
        "location": location and {**location.to_geojson(), "accuracy": 8},
        "captured_at": db.now,
        "activity": code,
        "device": {"platform": "android", "model": "Pixel 7a"},
    }
    if requirement.method == "sms":
        await captures.capture_code(db, caller, context, SmsIn(code=TEST_CODE, **details))
        return
    if requirement.method == "scan":
        text = context.codes.list_known_codes(context.subject.uuid)[0]
        scan = ScanIn(code=text, symbology="QRCode")
        evidence = await captures.read_scan(order.company, ParsedCapture(scan, []))
    else:
        evidence = _choose_image(aggregate, requirement.method, images)
    if not evidence:
        return
    await captures.capture(db, caller, context, CaptureIn(**details), evidence)


def _choose_image(
    aggregate: OrderAggregate, method: str, images: Sequence[Evidence]
) -> list[Evidence]:
    """Choose an image, if there is one. An order always gets the same one."""
    candidates = [image for image in images if image.method == method]
    if not candidates:
        return []
    image = candidates[aggregate.row.uuid.int % len(candidates)]
    if method != "signature":
        return [image]
    contact = (
        aggregate.related.contacts.get(aggregate.row.customer) if aggregate.row.customer else None
    )
    signer = {"name": contact.name if contact else "Neighbor"}
    return [msgspec.structs.replace(image, details={"signer": signer})]
