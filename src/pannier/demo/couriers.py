"""Actions of the demo's drivers: the next activity of an order, with its proofs."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from pannier.db import Actor, Db
from pannier.fleet.auth import Driving
from pannier.fleet.models import Driver
from pannier.fleet.queries import DRIVERS
from pannier.kit.geo import Point
from pannier.orders import flow, gate, moves
from pannier.orders.attempts import service as attempts
from pannier.orders.attempts.schemas import AttemptIn
from pannier.orders.captures import service as captures
from pannier.orders.captures.forms import Sent
from pannier.orders.captures.schemas import CaptureIn, ScanIn, SmsIn
from pannier.orders.gate import Demand
from pannier.orders.progress import load_progress
from pannier.orders.views import Aggregate
from pannier.proofs.evidence import Evidence
from pannier.verification.rules import REHEARSED_CODE


async def onward(db: Db, held: Aggregate, where: Point, album: Sequence[Evidence]) -> Aggregate:
    """Fire the order's next activity as its driver, with the proofs that it requires."""
    async with _driving(db, held) as driver:
        progress = await load_progress(db, held)
        code = flow.following(progress)[0]
        activity = flow.activity_of(progress, code)
        stop = None if code in flow.HEAD else held.whole.stop
        outcome = await gate.looked_at(db, held.order, activity, stop, held.whole.entities)
        for demand in outcome.missing:
            await _prove(db, held, driver, demand, code, where, album)
        return await moves.advance(db, held, code, location=where)


async def give_up(
    db: Db, held: Aggregate, where: Point, given: AttemptIn, album: Sequence[Evidence] = ()
) -> Aggregate:
    """Report a failed attempt as the order's driver, with a photo if there are images."""
    async with _driving(db, held) as driver:
        if album:
            demand = Demand("order", held.order.public_id, "photo")
            await _prove(db, held, driver, demand, None, where, album)
        return await attempts.fail(db, held, given)


@asynccontextmanager
async def _driving(db: Db, held: Aggregate) -> AsyncIterator[Driver]:
    """Act as the order's driver."""
    driver = await DRIVERS.get(db, held.order.company, str(held.order.driver))
    before, db.actor = db.actor, Actor("driver", driver.public_id, driver.name)
    try:
        yield driver
    finally:
        db.actor = before


def next_place(held: Aggregate) -> Point | None:
    """Return the location of a started order's next stop."""
    payload, stops = held.whole.payload, held.whole.waypoints
    place = payload.pickup if held.order.activity == flow.STARTED else payload.dropoff
    if stops:
        left = [stop for stop in stops if stop.completed_at is None] or stops[-1:]
        named = [stop for stop in left if stop.uuid == payload.current_waypoint]
        place = (named or left)[0].place
    found = None if place is None else held.shown.places[place]
    return None if found is None else found.location


async def _prove(
    db: Db,
    held: Aggregate,
    driver: Driver,
    demand: Demand,
    code: str | None,
    where: Point,
    album: Sequence[Evidence],
) -> None:
    """Capture a required proof, with the services that a driver's app calls."""
    order = held.order
    caller = Driving(driver.uuid, driver.public_id, order.company, driver.uuid)
    scene = await captures.setting(db, order, demand.subject_id)
    told: dict[str, Any] = {
        "location": {**where.to_geojson(), "accuracy": 8},
        "captured_at": db.now,
        "activity": code,
        "device": {"platform": "android", "model": "Pixel 7a"},
    }
    if demand.method == "sms":
        await captures.send_code(db, scene)
        await captures.capture_code(db, caller, scene, SmsIn(code=REHEARSED_CODE, **told))
        return
    if demand.method == "scan":
        text = next(iter(scene.codes.list_declared(scene.subject.uuid)), demand.subject_id)
        given = ScanIn(code=text, symbology="QRCode")
        pieces = await captures.scan(order.company, Sent(given, []))
    else:
        pieces = [_chosen(held, demand.method, album)]
    await captures.capture(db, caller, scene, CaptureIn(**told), pieces)


def _chosen(held: Aggregate, method: str, album: Sequence[Evidence]) -> Evidence:
    """Choose an image; an order always gets the same one."""
    fitting = [piece for piece in album if piece.method == method]
    piece = fitting[held.order.uuid.int % len(fitting)]
    if method != "signature":
        return piece
    contact = held.shown.contacts.get(held.order.customer) if held.order.customer else None
    signer = {"name": contact.name if contact else "Neighbor"}
    return msgspec.structs.replace(piece, details={"signer": signer})
