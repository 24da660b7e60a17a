"""The worker's step for simulations: the next move or activity of one robot.

A worker leases a simulation for one move or one activity. The activity and the next due time are
written in one transaction under the order's lock, so a crash or a second worker repeats nothing.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from pannier.db import Database, Db
from pannier.db.database import is_transient
from pannier.devices.brokers.backends import IngestBackend
from pannier.devices.sources import Source
from pannier.devices.tracks import service as tracks
from pannier.devices.tracks.schemas import TrackIn
from pannier.errors import NotFound, Problem
from pannier.files.storage import Storage
from pannier.fleet.queries import DRIVERS
from pannier.jobs.leases import Lease
from pannier.kit.geo import Point
from pannier.orders import flow
from pannier.orders.activities import PodMethod
from pannier.orders.attempts.schemas import AttemptIn
from pannier.orders.progress import load_progress
from pannier.orders.queries import ORDERS
from pannier.orders.views import OrderAggregate
from pannier.proofs.evidence import Evidence
from pannier.robots import acting, service, sms_codes, travel
from pannier.robots.models import RobotStep, Simulation
from pannier.robots.proof_images import ProofImages
from pannier.robots.queue import LEASES
from pannier.robots.travel import RoutePosition
from pannier.routing.router import Router
from pannier.web.logs import log

LEASE_DURATION: Final = timedelta(minutes=1)
# Seconds between two positions: of a real driver, and at least between two reports.
POSITION_SECONDS, MIN_TICK_SECONDS = 10.0, 1.0
INTERNAL_REASON: Final = "Something went wrong on our side. Simulate the order again."
CHANGED: Final = "The order was changed by others."
REASSIGNED: Final = "The order has another driver."
CANCELED: Final = "The order was canceled."
DELETED: Final = "The order was deleted."


class LeaseLostError(Exception):
    """Another worker has the simulation, or it was stopped."""


class RobotRunner:
    """Moves the robots of all companies."""

    def __init__(
        self, database: Database, storage: Storage, router: Router, writer: IngestBackend
    ) -> None:
        self._database, self._router, self._writer = database, router, writer
        self._images = ProofImages(database, storage)

    async def step(self) -> bool:
        """Do the next move or activity of one robot; return False if none is due."""
        async with self._database.transaction() as db:
            rows = await LEASES.lease(db, Simulation, lease=LEASE_DURATION)
        for row in rows:
            await self._run(row)
        return bool(rows)

    async def _run(self, row: Simulation) -> None:
        try:
            await self._advance(row)
        except LeaseLostError:
            return
        except Problem as problem:
            await self._fail(row, problem.detail)
        except Exception as failure:
            if is_transient(failure):
                raise
            log.error("simulation failed", order=str(row.order_uuid), exc_info=failure)
            await self._fail(row, INTERNAL_REASON)

    async def _advance(self, row: Simulation) -> None:
        """Move the robot, or fire the activity if its time has come."""
        async with self._database.reading() as db:
            order = await _load_order(db, row)
            pause = None if order is None else _find_pause(row, db.now)
            destination = (
                None if order is None else _find_destination(order, row.steps[row.position])
            )
            now = db.now
            method = (
                None if order is None or pause is not None else await _find_method(db, order, row)
            )
        if order is None or pause is None:
            await self._prepare_and_fire(row, destination, method)
            return
        if destination is not None:
            await self._report_position(row, destination, now)
        async with self._database.transaction() as db:
            await LEASES.retry(db, _get_lease(row), timedelta(seconds=pause))

    async def _prepare_and_fire(
        self, row: Simulation, destination: Point | None, method: PodMethod | None
    ) -> None:
        """Prepare the proofs of the next activity, before its transaction takes any locks."""
        images: Sequence[Evidence] = []
        if method in {"photo", "signature"}:
            images = await self._images.store(row.company, row.order_uuid.int, [method])
        if method == "sms":
            await self._send_codes(row)
        await self._fire(row, destination, images)

    async def _send_codes(self, row: Simulation) -> None:
        """Send the SMS codes of the next activity, unless others have changed the order."""
        async with self._database.transaction() as db:
            order = await _lock_order(db, row)
            await self._hold(db, row)
            if order is not None and await _find_obstacle(db, order, row) is None:
                await sms_codes.send_codes(db, order, row.steps[row.position].activity)

    async def _report_position(self, row: Simulation, destination: Point, now: datetime) -> None:
        """Report the robot's position as a driver's phone does."""
        step, origin = row.steps[row.position], row.origin or destination
        elapsed = (now - row.step_started_at).total_seconds() * (row.speed or 0.0)
        share = min(1.0, elapsed / step.drive_seconds) if step.drive_seconds else 1.0
        line = await self._router.draw([origin, destination])
        points = (
            [origin, destination]
            if line is None
            else [Point(longitude, latitude) for longitude, latitude, *_ in line.coordinates]
        )
        metres = travel.measure_route(points)
        position = travel.locate(points, metres * share)
        speed = metres / step.drive_seconds if step.drive_seconds and share < 1 else 0.0
        await self._store_position(row, position, speed, now)

    async def _store_position(
        self, row: Simulation, position: RoutePosition, speed: float, now: datetime
    ) -> None:
        async with self._database.transaction() as db:
            driver = await DRIVERS.find(db, row.company, row.driver)
            if driver is None:
                return
            phone = await tracks.get_or_create_phone(db, driver)
        report = TrackIn(
            latitude=position.point.latitude,
            longitude=position.point.longitude,
            heading=round(position.heading, 1) % 360,
            speed=round(speed, 1),
            accuracy=6.0,
        )
        reading = tracks.parse_item(report.to_item(now), row.company, now)
        source = Source(row.company, phone.uuid, None, speaks_for_all=False, adopts=False)
        await self._writer.put(source, [reading], [])

    async def _fire(
        self, row: Simulation, destination: Point | None, images: Sequence[Evidence]
    ) -> None:
        """Fire the next activity, and move on to the next step."""
        if destination is not None:
            async with self._database.reading() as db:
                now = db.now
            await self._store_position(row, RoutePosition(destination, 0.0, arrived=True), 0.0, now)
        async with self._database.transaction() as db:
            order = await _lock_order(db, row)
            await self._hold(db, row)
            if order is None:
                await service.end(db, row, "stopped", DELETED)
                return
            obstacle = await _find_obstacle(db, order, row)
            if obstacle is not None:
                is_done = order.row.completed_at is not None
                await service.end(db, row, *(("done", None) if is_done else ("stopped", obstacle)))
                return
            order = await _act(db, order, row.steps[row.position], destination, images)
            row.position += 1
            if row.position == len(row.steps) or not order.row.open:
                await service.end(db, row, "done")
                return
            await _begin_next_step(db, row, destination)

    async def _hold(self, db: Db, row: Simulation) -> None:
        """Raise LeaseLostError unless the lease still lasts. It cannot be lost afterwards."""
        if not await LEASES.extend(db, _get_lease(row), LEASE_DURATION):
            raise LeaseLostError

    async def _fail(self, row: Simulation, reason: str) -> None:
        async with self._database.transaction() as db:
            await _lock_order(db, row)
            if await LEASES.extend(db, _get_lease(row), LEASE_DURATION):
                await service.end(db, row, "failed", reason)


def _get_lease(row: Simulation) -> Lease:
    return Lease(row.uuid, row.attempts)


async def _load_order(db: Db, row: Simulation) -> OrderAggregate | None:
    order_row = await ORDERS.find(db, row.company, row.order_uuid)
    return None if order_row is None else await OrderAggregate.load(db, order_row)


async def _lock_order(db: Db, row: Simulation) -> OrderAggregate | None:
    try:
        return await OrderAggregate.load(db, await ORDERS.lock(db, row.company, row.order_uuid))
    except NotFound:
        return None


def _find_pause(row: Simulation, now: datetime) -> float | None:
    """Return the seconds until the next position or activity, or None if an activity is due."""
    if row.speed is None:
        return None
    step = row.steps[row.position]
    elapsed = (now - row.step_started_at).total_seconds() * row.speed
    if elapsed >= step.seconds:
        return None
    remaining = (step.seconds - elapsed) / row.speed
    if elapsed >= step.drive_seconds:
        return remaining
    until_arrival = (step.drive_seconds - elapsed) / row.speed
    return min(max(POSITION_SECONDS / row.speed, MIN_TICK_SECONDS), until_arrival)


def _find_destination(order: OrderAggregate, step: RobotStep) -> Point | None:
    """Return where a step takes place, if that is known."""
    place = order.related.places.get(step.place) if step.place is not None else None
    return None if place is None else place.location


async def _find_method(db: Db, order: OrderAggregate, row: Simulation) -> PodMethod | None:
    """Return the method of the proof that the next step needs now."""
    step = row.steps[row.position]
    if step.reason is not None or await _find_obstacle(db, order, row) is not None:
        return step.method
    activity = flow.get_activity(await load_progress(db, order), step.activity)
    return activity.pod_method if activity.require_pod else None


async def _find_obstacle(db: Db, order: OrderAggregate, row: Simulation) -> str | None:
    """Return why a robot cannot go on, if others have changed the order."""
    if not order.row.open:
        return CANCELED
    if order.row.driver != row.driver:
        return REASSIGNED
    progress = await load_progress(db, order)
    step = row.steps[row.position]
    stop = order.payload_aggregate.stop
    is_elsewhere = step.waypoint is not None and (stop is None or stop.public_id != step.waypoint)
    return CHANGED if is_elsewhere or step.activity not in flow.list_next_codes(progress) else None


async def _act(
    db: Db,
    order: OrderAggregate,
    step: RobotStep,
    location: Point | None,
    images: Sequence[Evidence],
) -> OrderAggregate:
    """Fire an activity as the robot, or report a failed attempt."""
    if step.reason is not None:
        photos = [image for image in images if image.method == "photo"]
        place = None if location is None else location.to_geojson()
        attempt = AttemptIn(reason=step.reason, location=place, remarks="Simulated.")
        return await acting.report_failure(db, order, location, attempt, photos)
    if await _completes_delivery(db, order, step):
        await acting.collect_cash_here(db, order)
        order = await OrderAggregate.load(
            db, await ORDERS.lock(db, order.row.company, order.row.uuid)
        )
    return await acting.advance(db, order, location, images, step.activity, is_code_sent=True)


async def _completes_delivery(db: Db, order: OrderAggregate, step: RobotStep) -> bool:
    progress = await load_progress(db, order)
    return flow.get_activity(progress, step.activity).complete and not progress.is_returning


async def _begin_next_step(db: Db, row: Simulation, origin: Point | None) -> None:
    changes: dict[str, Any] = {"position": row.position, "step_started_at": db.now}
    if origin is not None:
        changes |= {"latitude": origin.latitude, "longitude": origin.longitude}
    next_row = msgspec.structs.replace(row, **changes)
    pause = _find_pause(next_row, db.now)
    delay = timedelta() if pause is None else timedelta(seconds=min(pause, MIN_TICK_SECONDS))
    await LEASES.retry(db, _get_lease(row), delay, **changes)
