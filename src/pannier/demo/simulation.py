"""The simulation: couriers drive, orders are completed, and new ones are placed.

It takes a step every few seconds, for the demo company alone, with the services that the API calls.
Visitors have priority: each step loads the current state, and skips orders that refuse a step.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Final, NamedTuple
from uuid import UUID

from pannier.accounts import queries as accounts
from pannier.accounts.company_settings.models import InstallationLimits
from pannier.db import Database, Db
from pannier.demo import content, dispatching, history, streets, telemetry, webhook_receiver
from pannier.demo.city import DemoCity
from pannier.demo.content import ACTIVE_COURIERS, COURIERS
from pannier.demo.couriers import advance, find_destination, is_before_pickup
from pannier.demo.proof_images import ProofImages
from pannier.demo.routes import DrivenRoute, FoundRoute, RouteFinder
from pannier.demo.streets import RoutePosition
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
from pannier.orders.models import Order
from pannier.orders.progress import load_progress
from pannier.orders.queries import ORDERS
from pannier.orders.views import OrderAggregate
from pannier.routing.configuration import create_router
from pannier.settings import Settings
from pannier.web.logs import log

STEP_SECONDS: Final = 5.0  # seconds
# Steps between two reports of standing vehicles, and between two heartbeats of trackers.
STEPS_PER_STANDING_REPORT, STEPS_PER_HEARTBEAT = 12, 60
# The webhook receiver stops after this many steps.
RECEIVER_STEPS: Final = 6
# Time to load the goods and to hand them over.
LOADING_DURATION, HANDOVER_DURATION = timedelta(seconds=60), timedelta(seconds=30)
# How much faster or slower than the routing engine says a drive is.
MIN_TRAFFIC, MAX_TRAFFIC = 0.9, 1.15
DRIVEN_SHARE: Final = 0.85


class Errand(NamedTuple):
    """The drive of an order to its next stop, and the version of the order that it is for."""

    drive: DrivenRoute
    destination: Point
    version: int
    stop_duration: timedelta

    @property
    def finished_at(self) -> datetime:
        return self.drive.ends_at + self.stop_duration


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
        self._errands: dict[UUID, Errand] = {}
        self._skipped: set[UUID] = set()
        self._steps = 0
        self._has_history = False

    async def step(self) -> bool:
        """Simulate a few seconds. Return whether to continue at once."""
        async with self._database.reading() as db:
            company = await accounts.find_company(db, self._name)
        if company is None or company.mode != "test":
            return False
        # A map that comes late is used as soon as it is there.
        is_prepared = await self._city.prepare()
        if self._has_history:
            await self._advance(company.uuid)
        elif is_prepared:
            await self._create_history(company.uuid)
        return not is_prepared

    async def close(self) -> None:
        """Stop receiving webhooks."""
        await self._receiver.close()

    async def _create_history(self, company: UUID) -> None:
        """Create the company's history, if it has none."""
        album = await self._images.store(company)
        async with self._database.transaction() as db:
            new = await history.is_empty(db, company)
            if new:
                await webhook_receiver.register(db, company, await self._receiver.open(db.now))
                await history.create(
                    db, company, album, InstallationLimits.from_settings(self._settings)
                )
        if new:
            await self._report_last_day(company)
            log.info("demo history created")
        self._has_history = True

    async def _report_last_day(self, company: UUID) -> None:
        """Report all devices' events of the last day, up to the vehicles' current positions."""
        now = self._database.clock.now()
        async with self._database.reading() as db:
            drivers = await history.list_drivers(db, company)
            current_orders: dict[UUID | None, OrderAggregate] = {}
            for order in await dispatching.list_under_way(db, company, drivers):
                if order.started_at is not None and order.driver not in current_orders:
                    current_orders[order.driver] = await OrderAggregate.load(db, order)
        items: list[EventItem] = []
        for driver in drivers:
            number = content.find_courier(driver.phone)
            position = await self._find_start_position(current_orders.get(driver.uuid), number, now)
            items += await telemetry.make_last_day(self._roads, number, now, position.point)
            if number < ACTIVE_COURIERS:
                items.append(telemetry.make_position(number, now, position))
                items += telemetry.make_readings(number, now, position)
        await ReportWriter(company, self._settings, self._writer).write(items, now)

    async def _find_start_position(
        self, aggregate: OrderAggregate | None, number: int, now: datetime
    ) -> RoutePosition:
        """Return where a vehicle is at first: on its order's route, or standing at its corner."""
        courier = COURIERS[number]
        corner = streets.CORNERS[courier.corner]
        if aggregate is None or aggregate.row.started_at is None:
            return RoutePosition(corner, 0.0, arrived=True)
        payload, places = aggregate.whole.payload, aggregate.related.places
        ends = [places[uuid].location for uuid in (payload.pickup, payload.dropoff) if uuid]
        start, end = (point or corner for point in ends)
        if aggregate.row.meta.get("on_hold"):
            return RoutePosition(end, 0.0, arrived=True)
        route = await self._roads.find(start, end, courier.profile)
        elapsed = now - aggregate.row.started_at
        driven = min(elapsed, timedelta(seconds=route.seconds * DRIVEN_SHARE))
        return DrivenRoute(now - driven, route).locate(now)

    async def _advance(self, company: UUID) -> None:
        """Move all vehicles; those that arrive handle their stop."""
        self._steps += 1
        if self._steps == RECEIVER_STEPS:
            await self.close()
            async with self._database.transaction() as db:
                await webhook_receiver.reduce_events(db, company)
        now, items = self._database.clock.now(), list[EventItem]()
        async with self._database.reading() as db:
            drivers = await history.list_drivers(db, company)
            under_way = await dispatching.list_under_way(db, company, drivers)
        busy_drivers: set[UUID | None] = set()
        for order in under_way:
            if order.driver in busy_drivers or order.uuid in self._skipped:
                continue
            busy_drivers.add(order.driver)
            driver = next(candidate for candidate in drivers if candidate.uuid == order.driver)
            items += await self._drive(order, driver, now)
        idle = [
            driver
            for driver in drivers
            if driver.online and can_work(driver.status) and driver.uuid not in busy_drivers
        ]
        await self._dispatch(company, idle)
        items += await self._report_standing(drivers, busy_drivers, now)
        await ReportWriter(company, self._settings, self._writer).write(items, now)
        self._errands = {order.uuid: errand for order in under_way
                         if (errand := self._errands.get(order.uuid))}  # fmt: skip

    async def _drive(self, order: Order, driver: Driver, now: datetime) -> Sequence[EventItem]:
        """Move a vehicle with its order, or handle the stop where it arrives."""
        number = content.find_courier(driver.phone)
        errand = await self._get_errand(order, driver, now)
        if errand is None:
            return []
        position, on_hold = errand.drive.locate(now), order.meta.get("on_hold")
        items: list[EventItem] = []
        due = STEPS_PER_STANDING_REPORT if position.arrived and on_hold else 2
        if (self._steps + number) % due == 0:
            items.append(telemetry.make_position(number, now, position))
        if self._steps % STEPS_PER_STANDING_REPORT == number:
            items += telemetry.make_readings(number, now, position)
        if now >= errand.finished_at and not on_hold:
            await self._handle_stop(order, position.point)
            items.append(telemetry.make_position(number, now, position))
            items += telemetry.make_door_events(number, errand.drive.ends_at, position.point)
        return items

    async def _get_errand(self, order: Order, driver: Driver, now: datetime) -> Errand | None:
        """Return the order's errand to its next stop, or begin one."""
        errand = self._errands.get(order.uuid)
        if errand is None or errand.version != order.version:
            async with self._database.reading() as db:
                aggregate = await OrderAggregate.load(db, order)
                positions = await dispatching.load_positions(db, [driver])
            destination, position = find_destination(aggregate), positions.get(driver.uuid)
            sets_off_at = now
            if errand is not None:
                position = errand.drive.locate(now).point
                sets_off_at = min(now, errand.finished_at)
            if destination is None or position is None:
                return None
            if errand is not None and errand.destination == destination:
                errand = errand._replace(version=order.version)
            else:
                route = await self._find_route(order, driver, position, destination)
                loads = is_before_pickup(aggregate)
                pause = LOADING_DURATION if loads else HANDOVER_DURATION
                drive = DrivenRoute(sets_off_at, route)
                errand = Errand(drive, destination, order.version, pause)
            self._errands[order.uuid] = errand
        return errand

    async def _find_route(
        self, order: Order, driver: Driver, start: Point, end: Point
    ) -> FoundRoute:
        """Find a courier's route. Traffic makes the drive a little faster or slower."""
        profile = COURIERS[content.find_courier(driver.phone)].profile
        route = await self._roads.find(start, end, profile)
        chance = Random(f"{order.uuid} {end}")  # noqa: S311 - for a simulation, not a secret
        return route._replace(seconds=route.seconds * chance.uniform(MIN_TRAFFIC, MAX_TRAFFIC))

    async def _handle_stop(self, order: Order, location: Point) -> None:
        """Pick up the goods and set off, or hand them over."""
        album = await self._images.store(order.company)
        try:
            async with self._database.transaction() as db:
                locked_order = await ORDERS.lock(db, order.company, order.public_id)
                aggregate = await OrderAggregate.load(db, locked_order)
                await advance(db, aggregate, location, album)
                if await _can_set_off(db, aggregate):
                    await advance(db, aggregate, location, album)
        except Problem as problem:
            log.info("demo step refused", reason=str(problem))
            self._skipped.add(order.uuid)

    async def _report_standing(
        self, drivers: Sequence[Driver], busy_drivers: set[UUID | None], now: datetime
    ) -> list[EventItem]:
        """Report standing vehicles now and then."""
        items: list[EventItem] = []
        if self._steps % STEPS_PER_HEARTBEAT == 1:
            items += [telemetry.make_heartbeat(number, now) for number in range(len(COURIERS))]
        if self._steps % STEPS_PER_STANDING_REPORT != 1:
            return items
        parked_drivers = [each for each in drivers if each.online and each.uuid not in busy_drivers]
        async with self._database.reading() as db:
            positions = await dispatching.load_positions(db, parked_drivers)
        for driver in parked_drivers:
            if driver.uuid in positions:
                number = content.find_courier(driver.phone)
                position = RoutePosition(positions[driver.uuid], 0.0, arrived=True)
                items.append(telemetry.make_position(number, now, position))
                items += telemetry.make_readings(number, now, position)
        return items

    async def _dispatch(self, company: UUID, idle: Sequence[Driver]) -> None:
        try:
            async with self._database.transaction() as db:
                await dispatching.dispatch_next(db, company, idle)
        except Problem as problem:
            log.info("demo step refused", reason=str(problem))


async def _can_set_off(db: Db, aggregate: OrderAggregate) -> bool:
    """Tell whether an order was just started, and its next activity is to drive."""
    progress = await load_progress(db, aggregate)
    codes = flow.list_next(progress)
    is_started = aggregate.row.activity == flow.STARTED
    return is_started and bool(codes) and not progress.flow[codes[0]].complete
