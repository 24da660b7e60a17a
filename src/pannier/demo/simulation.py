"""The simulation: couriers drive, orders are completed, and new ones are placed.

Every few seconds it takes a step for the demo company, with the same services as the API. Visitors
have priority: each step loads the current state, and skips orders whose next activity is refused.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from uuid import UUID

from pannier.accounts import queries as accounts
from pannier.accounts.company_settings.models import InstallationLimits
from pannier.db import Database, Db
from pannier.demo import (
    bookkeeping,
    content,
    dispatching,
    history,
    streets,
    telemetry,
    webhook_receiver,
)
from pannier.demo.bookkeeping import BookBuilder
from pannier.demo.city import DemoCity
from pannier.demo.content import ACTIVE_COURIERS, COURIERS
from pannier.demo.errands import HANDOVER_DURATION, LOADING_DURATION, ErrandBook
from pannier.demo.morning import MorningPlan
from pannier.demo.routes import DrivenRoute, RouteFinder
from pannier.demo.telemetry import ReportWriter
from pannier.demo.webhook_receiver import WebhookReceiver
from pannier.devices.brokers.backends import IngestBackend
from pannier.devices.items import EventItem
from pannier.errors import Problem
from pannier.files.storage import Storage
from pannier.fleet.eligibility import can_work
from pannier.fleet.models import Driver
from pannier.kit.geo import Point
from pannier.orders import flow
from pannier.orders.driver_days.stops import DayStop
from pannier.orders.models import Order
from pannier.orders.progress import load_progress
from pannier.orders.queries import ORDERS
from pannier.orders.views import OrderAggregate
from pannier.robots import sms_codes
from pannier.robots.acting import advance, collect_due_cash
from pannier.robots.proof_images import ProofImages
from pannier.robots.travel import RoutePosition
from pannier.routing.configuration import create_router
from pannier.settings import Settings
from pannier.web.logs import log

STEP_SECONDS: Final = 5.0
# Steps between reports of standing vehicles, and between heartbeats of trackers.
STEPS_PER_STANDING_REPORT, STEPS_PER_HEARTBEAT = 12, 60
# Steps between checks for planned orders that are due.
STEPS_PER_PLAN_CHECK: Final = 4
# The webhook receiver stops after this many steps.
RECEIVER_STEPS: Final = 6
DRIVEN_SHARE: Final = 0.85


class DemoSimulation:
    """The simulation of an installation's demo company, if there is one."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        storage: Storage,
        writer: IngestBackend,
        *,
        name: str = content.COMPANY,
    ) -> None:
        self._name = name
        self._database, self._settings, self._writer = database, settings, writer
        self._images, self._receiver = (
            ProofImages(database, storage),
            WebhookReceiver(settings.folder),
        )
        self._roads = RouteFinder(create_router(settings, database.clock))
        self._city = DemoCity(settings, self._roads)
        self._errands = ErrandBook(database, self._roads)
        self._plan: MorningPlan | None = None
        self._skipped: set[UUID] = set()
        self._steps = 0
        self._has_history = self._has_roads = False

    async def step(self) -> bool:
        """Simulate a few seconds. Return whether to call it again at once."""
        async with self._database.reading() as db:
            company = await accounts.find_company(db, self._name)
        if company is None or company.mode != "test":
            return False
        # The map can become ready after the history was created.
        is_prepared = await self._city.prepare()
        if self._has_history:
            await self._measure_on_roads(company.uuid)
            await self._advance_vehicles(company.uuid)
        elif is_prepared:
            await self._create_history_or_go_on(company.uuid)
        return not is_prepared

    async def close(self) -> None:
        """Stop receiving webhooks."""
        await self._receiver.close()

    async def _create_history_or_go_on(self, company: UUID) -> None:
        """Create the history. Without the records that it needs, the demo runs without one."""
        try:
            await self._create_history(company)
        except (Problem, LookupError) as failure:
            log.error("demo history failed", exc_info=failure)
            self._has_history = True

    async def _create_history(self, company: UUID) -> None:
        """Create the company's history, if it has none."""
        images = await self._images.store_all(company)
        self._has_roads = await self._roads.has_roads()
        async with self._database.transaction() as db:
            is_new = await history.lock_and_check_empty(db, company)
            if is_new:
                await webhook_receiver.register(db, company, await self._receiver.open(db.now))
                limits = InstallationLimits.from_settings(self._settings)
                builder = await history.create(db, company, images, limits)
                await bookkeeping.change_settings(db, company, limits)
                await BookBuilder(db, company, builder).build()
        if is_new:
            await self._report_last_day(company)
            await self._request_plan(company)
            log.info("demo history created")
        self._has_history = True

    async def _measure_on_roads(self, company: UUID) -> None:
        """Measure the orders again once roads are ready after the history was created."""
        is_due = not self._has_roads and self._steps % STEPS_PER_STANDING_REPORT == 0
        if is_due and await self._roads.has_roads():
            self._has_roads = True
            await self._run_action(partial(history.remeasure_open_orders, company=company))

    async def _request_plan(self, company: UUID) -> None:
        self._plan = MorningPlan(self._database, company)
        try:
            await self._plan.request(LOADING_DURATION, HANDOVER_DURATION)
        except Problem as problem:
            log.info("demo plan refused", reason=str(problem))

    async def _report_last_day(self, company: UUID) -> None:
        """Report all devices' events of the last day, up to the vehicles' current positions."""
        now = self._database.clock.now()
        async with self._database.reading() as db:
            drivers = await history.list_drivers(db, company)
            current_orders: dict[UUID | None, OrderAggregate] = {}
            for order in await dispatching.list_started_orders(db, company, drivers):
                if order.driver not in current_orders:
                    current_orders[order.driver] = await OrderAggregate.load(db, order)
        items: list[EventItem] = []
        for driver in drivers:
            number = content.find_courier_number(driver.phone)
            position = await self._find_start_position(current_orders.get(driver.uuid), number, now)
            items += await telemetry.make_last_day(self._roads, number, now, position.point)
            if number < ACTIVE_COURIERS:
                items.append(telemetry.make_position(number, now, position))
                items += telemetry.make_readings(number, now, position)
        await ReportWriter(company, self._settings, self._writer).write(items, now)

    async def _find_start_position(
        self, aggregate: OrderAggregate | None, number: int, now: datetime
    ) -> RoutePosition:
        """Find a vehicle's first position: on its order's route, or at its corner."""
        courier = COURIERS[number]
        corner = streets.CORNERS[courier.corner]
        if aggregate is None or aggregate.row.started_at is None:
            return RoutePosition(corner, 0.0, arrived=True)
        payload, places = aggregate.payload_aggregate.payload, aggregate.related.places
        ends = [places[uuid].location for uuid in (payload.pickup, payload.dropoff) if uuid]
        start, end = (point or corner for point in ends)
        if aggregate.row.meta.get("on_hold"):
            return RoutePosition(end, 0.0, arrived=True)
        route = await self._roads.find(start, end, courier.profile)
        elapsed = now - aggregate.row.started_at
        driven_time = min(elapsed, timedelta(seconds=route.seconds * DRIVEN_SHARE))
        return DrivenRoute(now - driven_time, route).locate(now)

    async def _advance_vehicles(self, company: UUID) -> None:
        """Move all vehicles. Vehicles that arrive do the work at their stop."""
        self._steps += 1
        if self._steps == RECEIVER_STEPS:
            await self.close()
            async with self._database.transaction() as db:
                await webhook_receiver.reduce_events(db, company)
        now, items = self._database.clock.now(), list[EventItem]()
        async with self._database.reading() as db:
            drivers = await history.list_drivers(db, company)
            stops = await dispatching.list_next_stops(db, company, drivers, self._skipped)
        drivers_by_uuid = {driver.uuid: driver for driver in drivers}
        for stop, order in stops:
            items += await self._drive_vehicle(drivers_by_uuid[stop.driver], stop, order, now)
        busy_drivers = {stop.driver for stop, _ in stops}
        self._errands.keep_only(busy_drivers)
        await self._dispatch_orders(company, drivers, busy_drivers)
        items += await self._report_standing(drivers, busy_drivers, now)
        await ReportWriter(company, self._settings, self._writer).write(items, now)

    async def _drive_vehicle(
        self, driver: Driver, stop: DayStop, order: Order, now: datetime
    ) -> Sequence[EventItem]:
        """Move a vehicle to its next stop, or do the work there."""
        number = content.find_courier_number(driver.phone)
        errand = await self._errands.get_or_start(driver, stop, now)
        if errand is None:
            return []
        position, is_on_hold = errand.drive.locate(now), order.meta.get("on_hold")
        items: list[EventItem] = []
        interval = STEPS_PER_STANDING_REPORT if position.arrived and is_on_hold else 2
        if (self._steps + number) % interval == 0:
            items.append(telemetry.make_position(number, now, position))
        if self._steps % STEPS_PER_STANDING_REPORT == number:
            items += telemetry.make_readings(number, now, position)
        if now >= errand.finished_at and not is_on_hold:
            await self._do_work(order, position.point)
            items.append(telemetry.make_position(number, now, position))
            opened_at = errand.finished_at - HANDOVER_DURATION
            items += telemetry.make_door_events(number, opened_at, position.point)
        return items

    async def _do_work(self, order: Order, location: Point) -> None:
        """Pick up the goods and depart, or hand them over."""
        images = await self._images.store(order.company, order.uuid.int)
        try:
            async with self._database.transaction() as db:
                await sms_codes.send_codes(db, await _lock_order(db, order))
            async with self._database.transaction() as db:
                aggregate = await _lock_order(db, order)
                await advance(db, aggregate, location, images, is_code_sent=True)
                if await _can_depart(db, aggregate):
                    await advance(db, aggregate, location, images)
                if not aggregate.row.open:
                    await collect_due_cash(db, aggregate)
        except Problem as problem:
            log.info("demo step refused", reason=str(problem))
            self._skipped.add(order.uuid)

    async def _report_standing(
        self, drivers: Sequence[Driver], busy_drivers: set[UUID], now: datetime
    ) -> list[EventItem]:
        """Report standing vehicles, and heartbeats of trackers, at their intervals."""
        items: list[EventItem] = []
        if self._steps % STEPS_PER_HEARTBEAT == 1:
            items += [telemetry.make_heartbeat(number, now) for number in range(len(COURIERS))]
        if self._steps % STEPS_PER_STANDING_REPORT != 1:
            return items
        parked_drivers = [
            driver for driver in drivers if driver.online and driver.uuid not in busy_drivers
        ]
        async with self._database.reading() as db:
            positions = await dispatching.load_positions(db, parked_drivers)
        for driver in parked_drivers:
            if driver.uuid in positions:
                number = content.find_courier_number(driver.phone)
                position = RoutePosition(positions[driver.uuid], 0.0, arrived=True)
                items.append(telemetry.make_position(number, now, position))
                items += telemetry.make_readings(number, now, position)
        return items

    async def _dispatch_orders(
        self, company: UUID, drivers: Sequence[Driver], busy_drivers: set[UUID]
    ) -> None:
        """Dispatch and place orders, unless a plan is pending."""
        if self._plan is not None and self._plan.is_waiting:
            await self._plan.accept_if_done()
            return
        idle_drivers = [
            driver
            for driver in drivers
            if driver.online and can_work(driver.status) and driver.uuid not in busy_drivers
        ]
        await self._run_action(
            partial(dispatching.dispatch_next, company=company, idle_drivers=idle_drivers)
        )
        if self._steps % STEPS_PER_PLAN_CHECK == 0:
            async with self._database.reading() as db:
                order_ids = await dispatching.list_due_orders(db, company, drivers)
            for order_id in order_ids:
                await self._run_action(
                    partial(dispatching.dispatch_order, company=company, order_id=order_id)
                )

    async def _run_action(self, action: Callable[[Db], Awaitable[None]]) -> None:
        """Run an action in its own transaction. Log a refusal and continue."""
        try:
            async with self._database.transaction() as db:
                await action(db)
        except Problem as problem:
            log.info("demo step refused", reason=str(problem))


async def _lock_order(db: Db, order: Order) -> OrderAggregate:
    return await OrderAggregate.load(db, await ORDERS.lock(db, order.company, order.public_id))


async def _can_depart(db: Db, aggregate: OrderAggregate) -> bool:
    """Return whether an order has just started, and its next activity is the drive."""
    progress = await load_progress(db, aggregate)
    codes = flow.list_next_codes(progress)
    is_started = aggregate.row.activity == flow.STARTED
    return is_started and bool(codes) and not progress.flow[codes[0]].complete
