"""The simulation: vans drive, orders are completed, and new ones are placed.

It takes a step every few seconds, for the demo company alone, with the services that the API calls.
Visitors have priority: each step loads the current state, and skips orders that refuse a step.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from pannier.accounts import queries as accounts
from pannier.accounts.company_settings.models import Bounds
from pannier.db import Database, Db, PageIn
from pannier.demo import cast, history, shop, streets, telemetry
from pannier.demo.album import Album
from pannier.demo.cast import AT_WORK, VANS
from pannier.demo.couriers import next_place, onward
from pannier.demo.furnishing import place
from pannier.demo.shop import Shop
from pannier.demo.streets import Spot
from pannier.demo.telemetry import Leg, Reports
from pannier.devices.items import Item
from pannier.devices.streams.takers import Takes
from pannier.errors import Problem
from pannier.files.storage import Storage
from pannier.fleet import whereabouts
from pannier.fleet.eligibility import may_work
from pannier.fleet.models import Driver
from pannier.kit.geo import Point
from pannier.orders import flow, moves
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.stages import OPEN
from pannier.orders.views import Aggregate
from pannier.settings import Settings
from pannier.web.logs import log

EVERY: Final = 5.0  # seconds
# Steps between two reports of standing vans, and between two heartbeats of trackers.
NOW_AND_THEN, SELDOM = 12, 60
# Maximum number of started orders, of orders without a driver, and of orders placed in a day.
ON_THE_ROAD, WAITING, A_DAY = 8, 6, 240
# The webhook receiver stops after this many steps.
SHOP_CLOSES: Final = 6
# Time to open and close the rear door.
A_MOMENT: Final = timedelta(seconds=80)
# Visitors have this long to dispatch an order before the simulation does.
PATIENCE: Final = timedelta(minutes=10)


class Errand(NamedTuple):
    """The drive of an order to its next stop, and the version of the order that it is for."""

    leg: Leg
    version: int


class City:
    """The simulation of an installation's demo company, if there is one."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        storage: Storage,
        writer: Takes,
        *,
        name: str = cast.COMPANY,
    ) -> None:
        self._name = name
        self._database, self._settings, self._writer = database, settings, writer
        self._album, self._shop = Album(database, storage), Shop(settings.folder)
        self._errands: dict[UUID, Errand] = {}
        self._left_alone: set[UUID] = set()
        self._steps = 0
        self._has_past = False

    async def step(self) -> bool:
        """Simulate a few seconds."""
        async with self._database.reading() as db:
            company = await accounts.company_named(db, self._name)
        if company is None or company.mode != "test":
            return False
        if self._has_past:
            await self._pass(company.uuid)
        else:
            await self._begin(company.uuid)
        return False

    async def close(self) -> None:
        """Stop receiving webhooks."""
        await self._shop.close()

    async def _begin(self, company: UUID) -> None:
        """Create the company's history, if it has none."""
        album = await self._album.stored(company)
        async with self._database.transaction() as db:
            new = await history.has_none(db, company)
            if new:
                await shop.register(db, company, await self._shop.open(db.now))
                await history.live_through(db, company, album, Bounds.of(self._settings))
        if new:
            await self._report_day(company)
            log.info("demo history created")
        self._has_past = True

    async def _report_day(self, company: UUID) -> None:
        """Report all devices' events of the last day, up to the vans' current positions."""
        now = self._database.clock.now()
        async with self._database.reading() as db:
            drivers = await history.working(db, company)
            busy = {order.driver: order for order in await _started(db, company, drivers)}
            told: list[Item] = []
            for driver in drivers:
                number = cast.van_of(driver.phone)
                spot = await _midway(db, busy.get(driver.uuid), number, now)
                told += telemetry.day_behind(number, now, spot.point)
                if number < AT_WORK:
                    told.append(telemetry.position(number, now, spot))
                    told += telemetry.others(number, now, spot)
        await Reports(company, self._settings, self._writer).put(told, now)

    async def _pass(self, company: UUID) -> None:
        """Move all vans; those that arrive handle their stop."""
        self._steps += 1
        if self._steps == SHOP_CLOSES:
            await self.close()
            async with self._database.transaction() as db:
                await shop.hear_less(db, company)
        now, told = self._database.clock.now(), list[Item]()
        async with self._database.reading() as db:
            drivers = await history.working(db, company)
            started = await _started(db, company, drivers)
        busy: set[UUID | None] = set()
        for order in started:
            if order.driver in busy or order.uuid in self._left_alone:
                continue
            busy.add(order.driver)
            driver = next(each for each in drivers if each.uuid == order.driver)
            told += await self._drive(order, driver, now)
        idle = [
            driver
            for driver in drivers
            if driver.online and may_work(driver.status) and driver.uuid not in busy
        ]
        await self._dispatch(company, idle, len(busy))
        told += await self._standing(drivers, busy, now)
        await Reports(company, self._settings, self._writer).put(told, now)
        self._errands = {order.uuid: errand for order in started
                         if (errand := self._errands.get(order.uuid))}  # fmt: skip

    async def _drive(self, order: Order, driver: Driver, now: datetime) -> Sequence[Item]:
        """Move a van with its order, or handle the stop where it arrives."""
        number = cast.van_of(driver.phone)
        errand = await self._errand(order, driver, now)
        if errand is None:
            return []
        spot = errand.leg.at(now)
        told: list[Item] = []
        due = NOW_AND_THEN if spot.arrived and order.meta.get("on_hold") else 2
        if (self._steps + number) % due == 0:
            told.append(telemetry.position(number, now, spot))
        if self._steps % NOW_AND_THEN == number:
            told += telemetry.others(number, now, spot)
        if spot.arrived and not order.meta.get("on_hold"):
            await self._arrive(order, spot.point)
            told += telemetry.doors(number, now - A_MOMENT, spot.point)
        return told

    async def _errand(self, order: Order, driver: Driver, now: datetime) -> Errand | None:
        """Find the route from a driver's position to the order's next stop."""
        known = self._errands.get(order.uuid)
        if known is None or known.version != order.version:
            async with self._database.reading() as db:
                held = await Aggregate.of(db, order)
                here = await _position(db, driver)
            target = next_place(held)
            if target is None or here is None:
                return None
            if known is None or known.leg.way[-1] != target:
                known = Errand(Leg(now, streets.way(here, target)), order.version)
            self._errands[order.uuid] = known._replace(version=order.version)
        return self._errands[order.uuid]

    async def _arrive(self, order: Order, where: Point) -> None:
        album = await self._album.stored(order.company)
        try:
            async with self._database.transaction() as db:
                taken = await ORDERS.take(db, order.company, order.public_id)
                await onward(db, await Aggregate.of(db, taken), where, album)
        except Problem:
            self._left_alone.add(order.uuid)

    async def _standing(
        self, drivers: Sequence[Driver], busy: set[UUID | None], now: datetime
    ) -> list[Item]:
        """Report standing vans now and then."""
        told: list[Item] = []
        if self._steps % SELDOM == 1:
            told += [telemetry.heartbeat(number, now) for number in range(len(VANS))]
        if self._steps % NOW_AND_THEN != 1:
            return told
        async with self._database.reading() as db:
            for driver in drivers:
                number = cast.van_of(driver.phone)
                if (
                    driver.online
                    and driver.uuid not in busy
                    and (here := await _position(db, driver))
                ):
                    spot = Spot(here, 0.0, arrived=True)
                    told.append(telemetry.position(number, now, spot))
                    told += telemetry.others(number, now, spot)
        return told

    async def _dispatch(self, company: UUID, idle: Sequence[Driver], busy: int) -> None:
        """Do one thing that a dispatcher would: start an order, or place a new one."""
        try:
            async with self._database.transaction() as db:
                if idle and busy < ON_THE_ROAD and await self._sent_out(db, company, idle):
                    return
                await _take_in(db, company)
        except Problem as refused:
            log.info("demo step refused", reason=str(refused))

    async def _sent_out(self, db: Db, company: UUID, idle: Sequence[Driver]) -> bool:
        """Let an idle driver start a dispatched order."""
        names = [driver.uuid for driver in idle]
        handed_out = await _orders(
            db, company, f"status = '{flow.DISPATCHED}' and driver = any(:drivers)", drivers=names
        )
        ready = [order for order in handed_out if order.uuid not in self._left_alone]
        if not ready:
            return await _handed_out(db, company, idle)
        chosen = ready[0]
        self._left_alone.add(chosen.uuid)
        held = await Aggregate.of(db, await ORDERS.take(db, company, chosen.public_id))
        here = await _position(db, idle[names.index(held.order.driver)])  # type: ignore[arg-type]  # one of them
        await onward(db, held, here or streets.CROSSINGS["raffles"], [])
        self._left_alone.discard(chosen.uuid)
        return True


async def _handed_out(db: Db, company: UUID, idle: Sequence[Driver]) -> bool:
    """Dispatch an order that has waited too long to an idle driver."""
    waiting = await _orders(
        db,
        company,
        f"status = '{flow.CREATED}' and driver is null and scheduled_at is null "
        "and created_at < :old",
        old=db.now - PATIENCE,
    )
    if not waiting:
        return False
    held = await Aggregate.of(db, await ORDERS.take(db, company, waiting[0].public_id))
    chosen = idle[held.order.uuid.int % len(idle)]
    await moves.dispatch(db, held, driver=chosen.public_id)
    return True


async def _take_in(db: Db, company: UUID) -> None:
    """Place an order if few are waiting, up to a daily maximum."""
    condition = f"status = '{flow.CREATED}' and driver is null and scheduled_at is null"
    waiting = await _orders(db, company, condition)
    of_today = await db.value(
        "select count(*) from orders where company = :company and created_at > :since",
        company=company,
        since=db.now - timedelta(days=1),
    )
    if len(waiting) < WAITING and of_today < A_DAY:
        placed = await db.value("select count(*) from orders where company = :company",
                                company=company)  # fmt: skip
        due = db.now + timedelta(hours=2)
        await place(db, company, history.FIRST + 80 + placed, time_window_end=due)


async def _started(db: Db, company: UUID, drivers: Sequence[Driver]) -> list[Order]:
    """List started orders that are not on hold, the first started first."""
    names = [driver.uuid for driver in drivers]
    condition = (
        f"started_at is not null and undelivered is null and {OPEN} and driver = any(:drivers)"
    )
    found = await _orders(db, company, condition, drivers=names)
    return sorted(found, key=lambda order: (order.started_at, order.uuid))


async def _orders(db: Db, company: UUID, condition: str, **values: object) -> list[Order]:
    """List some open orders, the oldest first."""
    where = ORDERS.where(company).that(condition, **values)
    return (await ORDERS.page(db, where, PageIn(limit=50, sort="created_at"))).rows


async def _midway(db: Db, order: Order | None, number: int, now: datetime) -> Spot:
    """Return a van's position when the simulation starts: on its order's route, or standing."""
    if order is None or order.started_at is None:
        return Spot(streets.CROSSINGS[VANS[number].at], 0.0, arrived=True)
    held = await Aggregate.of(db, order)
    payload, places = held.whole.payload, held.shown.places
    ends = [places[uuid].location for uuid in (payload.pickup, payload.dropoff) if uuid]
    start, end = (point or streets.CROSSINGS["raffles"] for point in ends)
    if order.meta.get("on_hold"):
        return Spot(end, 0.0, arrived=True)
    way = streets.way(start, end)
    driven = telemetry.METRES_A_SECOND * (now - order.started_at).total_seconds()
    return streets.along(way, min(driven, streets.length(way) * 0.85))


async def _position(db: Db, driver: Driver) -> Point | None:
    """Return the last position of a driver's van."""
    if driver.vehicle is None:
        return None
    found = await whereabouts.of(db, driver.company, [driver.vehicle])
    seen = found.get(driver.vehicle)
    return None if seen is None else seen.location
