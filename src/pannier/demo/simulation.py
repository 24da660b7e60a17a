"""The simulation: vans drive, orders are completed, and new ones are placed.

It takes a step every few seconds, for the demo company alone, with the services that the API calls.
Visitors have priority: each step loads the current state, and skips orders that refuse a step.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from pannier.accounts import queries as accounts
from pannier.accounts.company_settings.models import InstallationLimits
from pannier.db import Database, Db, PageIn
from pannier.demo import content, history, streets, telemetry, webhook_receiver
from pannier.demo.content import ACTIVE_VANS, VANS
from pannier.demo.couriers import advance, next_location
from pannier.demo.proof_images import ProofImages
from pannier.demo.seeding import place_order
from pannier.demo.streets import RoutePosition
from pannier.demo.telemetry import DrivenRoute, ReportWriter
from pannier.demo.webhook_receiver import WebhookReceiver
from pannier.devices.brokers.backends import IngestBackend
from pannier.devices.items import EventItem
from pannier.errors import Problem
from pannier.files.storage import Storage
from pannier.fleet import whereabouts
from pannier.fleet.eligibility import can_work
from pannier.fleet.models import Driver
from pannier.kit.geo import Point
from pannier.orders import flow, moves
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.stages import OPEN
from pannier.orders.views import OrderAggregate
from pannier.settings import Settings
from pannier.web.logs import log

STEP_SECONDS: Final = 5.0  # seconds
# Steps between two reports of standing vans, and between two heartbeats of trackers.
STEPS_PER_STANDING_REPORT, STEPS_PER_HEARTBEAT = 12, 60
# Maximum number of started orders, of orders without a driver, and of orders placed in a day.
MAX_STARTED, MAX_WAITING, MAX_ORDERS_PER_DAY = 8, 6, 240
# The webhook receiver stops after this many steps.
RECEIVER_STEPS: Final = 6
# Time to open and close the rear door.
STOP_DURATION: Final = timedelta(seconds=80)
# Visitors have this long to dispatch an order before the simulation does.
UNASSIGNED_WAIT: Final = timedelta(minutes=10)


class Errand(NamedTuple):
    """The drive of an order to its next stop, and the version of the order that it is for."""

    drive: DrivenRoute
    version: int


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
        self._errands: dict[UUID, Errand] = {}
        self._skipped: set[UUID] = set()
        self._steps = 0
        self._has_history = False

    async def step(self) -> bool:
        """Simulate a few seconds."""
        async with self._database.reading() as db:
            company = await accounts.find_company(db, self._name)
        if company is None or company.mode != "test":
            return False
        if self._has_history:
            await self._advance(company.uuid)
        else:
            await self._create_history(company.uuid)
        return False

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
        """Report all devices' events of the last day, up to the vans' current positions."""
        now = self._database.clock.now()
        async with self._database.reading() as db:
            drivers = await history.list_drivers(db, company)
            orders_by_driver = {
                order.driver: order for order in await _list_started(db, company, drivers)
            }
            items: list[EventItem] = []
            for driver in drivers:
                number = content.find_van(driver.phone)
                position = await _find_start_position(
                    db, orders_by_driver.get(driver.uuid), number, now
                )
                items += telemetry.make_last_day(number, now, position.point)
                if number < ACTIVE_VANS:
                    items.append(telemetry.make_position(number, now, position))
                    items += telemetry.make_readings(number, now, position)
        await ReportWriter(company, self._settings, self._writer).write(items, now)

    async def _advance(self, company: UUID) -> None:
        """Move all vans; those that arrive handle their stop."""
        self._steps += 1
        if self._steps == RECEIVER_STEPS:
            await self.close()
            async with self._database.transaction() as db:
                await webhook_receiver.reduce_events(db, company)
        now, items = self._database.clock.now(), list[EventItem]()
        async with self._database.reading() as db:
            drivers = await history.list_drivers(db, company)
            started = await _list_started(db, company, drivers)
        busy_drivers: set[UUID | None] = set()
        for order in started:
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
        await self._dispatch(company, idle, len(busy_drivers))
        items += await self._report_standing(drivers, busy_drivers, now)
        await ReportWriter(company, self._settings, self._writer).write(items, now)
        self._errands = {order.uuid: errand for order in started
                         if (errand := self._errands.get(order.uuid))}  # fmt: skip

    async def _drive(self, order: Order, driver: Driver, now: datetime) -> Sequence[EventItem]:
        """Move a van with its order, or handle the stop where it arrives."""
        number = content.find_van(driver.phone)
        errand = await self._get_errand(order, driver, now)
        if errand is None:
            return []
        position = errand.drive.locate(now)
        items: list[EventItem] = []
        due = STEPS_PER_STANDING_REPORT if position.arrived and order.meta.get("on_hold") else 2
        if (self._steps + number) % due == 0:
            items.append(telemetry.make_position(number, now, position))
        if self._steps % STEPS_PER_STANDING_REPORT == number:
            items += telemetry.make_readings(number, now, position)
        if position.arrived and not order.meta.get("on_hold"):
            await self._arrive(order, position.point)
            items += telemetry.make_door_events(number, now - STOP_DURATION, position.point)
        return items

    async def _get_errand(self, order: Order, driver: Driver, now: datetime) -> Errand | None:
        """Return the cached errand to the order's next stop, or start a new one."""
        errand = self._errands.get(order.uuid)
        if errand is None or errand.version != order.version:
            async with self._database.reading() as db:
                aggregate = await OrderAggregate.load(db, order)
                position = await _get_position(db, driver)
            target = next_location(aggregate)
            if target is None or position is None:
                return None
            if errand is None or errand.drive.route[-1] != target:
                errand = Errand(
                    DrivenRoute(now, streets.find_route(position, target)), order.version
                )
            self._errands[order.uuid] = errand._replace(version=order.version)
        return self._errands[order.uuid]

    async def _arrive(self, order: Order, location: Point) -> None:
        album = await self._images.store(order.company)
        try:
            async with self._database.transaction() as db:
                locked_order = await ORDERS.lock(db, order.company, order.public_id)
                await advance(db, await OrderAggregate.load(db, locked_order), location, album)
        except Problem:
            self._skipped.add(order.uuid)

    async def _report_standing(
        self, drivers: Sequence[Driver], busy_drivers: set[UUID | None], now: datetime
    ) -> list[EventItem]:
        """Report standing vans now and then."""
        items: list[EventItem] = []
        if self._steps % STEPS_PER_HEARTBEAT == 1:
            items += [telemetry.make_heartbeat(number, now) for number in range(len(VANS))]
        if self._steps % STEPS_PER_STANDING_REPORT != 1:
            return items
        async with self._database.reading() as db:
            for driver in drivers:
                number = content.find_van(driver.phone)
                if (
                    driver.online
                    and driver.uuid not in busy_drivers
                    and (point := await _get_position(db, driver))
                ):
                    position = RoutePosition(point, 0.0, arrived=True)
                    items.append(telemetry.make_position(number, now, position))
                    items += telemetry.make_readings(number, now, position)
        return items

    async def _dispatch(self, company: UUID, idle: Sequence[Driver], busy_count: int) -> None:
        """Do one thing that a dispatcher would: start an order, or place a new one."""
        try:
            async with self._database.transaction() as db:
                if idle and busy_count < MAX_STARTED and await self._start_order(db, company, idle):
                    return
                await _place_order_if_few(db, company)
        except Problem as problem:
            log.info("demo step refused", reason=str(problem))

    async def _start_order(self, db: Db, company: UUID, idle: Sequence[Driver]) -> bool:
        """Let an idle driver start a dispatched order."""
        names = [driver.uuid for driver in idle]
        dispatched = await _list_orders(
            db, company, f"status = '{flow.DISPATCHED}' and driver = any(:drivers)", drivers=names
        )
        ready = [order for order in dispatched if order.uuid not in self._skipped]
        if not ready:
            return await _assign_waiting_order(db, company, idle)
        order_to_start = ready[0]
        self._skipped.add(order_to_start.uuid)
        aggregate = await OrderAggregate.load(
            db, await ORDERS.lock(db, company, order_to_start.public_id)
        )
        position = await _get_position(db, idle[names.index(aggregate.row.driver)])  # type: ignore[arg-type]  # one of them
        await advance(db, aggregate, position or streets.CROSSINGS["raffles"], [])
        self._skipped.discard(order_to_start.uuid)
        return True


async def _assign_waiting_order(db: Db, company: UUID, idle: Sequence[Driver]) -> bool:
    """Dispatch an order that has waited too long to an idle driver."""
    old_orders = await _list_orders(
        db,
        company,
        f"status = '{flow.CREATED}' and driver is null and scheduled_at is null "
        "and created_at < :old",
        old=db.now - UNASSIGNED_WAIT,
    )
    if not old_orders:
        return False
    aggregate = await OrderAggregate.load(
        db, await ORDERS.lock(db, company, old_orders[0].public_id)
    )
    driver_to_assign = idle[aggregate.row.uuid.int % len(idle)]
    await moves.dispatch(db, aggregate, driver=driver_to_assign.public_id)
    return True


async def _place_order_if_few(db: Db, company: UUID) -> None:
    """Place an order if few are waiting, up to a daily maximum."""
    condition = f"status = '{flow.CREATED}' and driver is null and scheduled_at is null"
    waiting_orders = await _list_orders(db, company, condition)
    today_count = await db.fetch_value(
        "select count(*) from orders where company = :company and created_at > :since",
        company=company,
        since=db.now - timedelta(days=1),
    )
    if len(waiting_orders) < MAX_WAITING and today_count < MAX_ORDERS_PER_DAY:
        order_count = await db.fetch_value("select count(*) from orders where company = :company",
                                company=company)  # fmt: skip
        due = db.now + timedelta(hours=2)
        await place_order(db, company, history.FIRST_NUMBER + 80 + order_count, time_window_end=due)


async def _list_started(db: Db, company: UUID, drivers: Sequence[Driver]) -> list[Order]:
    """List started orders that are not on hold, the first started first."""
    names = [driver.uuid for driver in drivers]
    condition = (
        f"started_at is not null and undelivered is null and {OPEN} and driver = any(:drivers)"
    )
    started_orders = await _list_orders(db, company, condition, drivers=names)
    return sorted(started_orders, key=lambda order: (order.started_at, order.uuid))


async def _list_orders(db: Db, company: UUID, condition: str, **values: object) -> list[Order]:
    """List some open orders, the oldest first."""
    where = ORDERS.where(company).add(condition, **values)
    return (await ORDERS.load_page(db, where, PageIn(limit=50, sort="created_at"))).rows


async def _find_start_position(
    db: Db, order: Order | None, number: int, now: datetime
) -> RoutePosition:
    """Return a van's position when the simulation starts: on its order's route, or standing."""
    if order is None or order.started_at is None:
        return RoutePosition(streets.CROSSINGS[VANS[number].crossing], 0.0, arrived=True)
    aggregate = await OrderAggregate.load(db, order)
    payload, places = aggregate.whole.payload, aggregate.related.places
    ends = [places[uuid].location for uuid in (payload.pickup, payload.dropoff) if uuid]
    start, end = (point or streets.CROSSINGS["raffles"] for point in ends)
    if order.meta.get("on_hold"):
        return RoutePosition(end, 0.0, arrived=True)
    route = streets.find_route(start, end)
    driven = telemetry.METRES_PER_SECOND * (now - order.started_at).total_seconds()
    return streets.locate(route, min(driven, streets.route_length(route) * 0.85))


async def _get_position(db: Db, driver: Driver) -> Point | None:
    """Return the last position of a driver's van."""
    if driver.vehicle is None:
        return None
    positions = await whereabouts.load(db, driver.company, [driver.vehicle])
    last_position = positions.get(driver.vehicle)
    return None if last_position is None else last_position.location
