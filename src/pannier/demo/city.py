"""The city lives: vans drive along their ways, and orders come to their ends and are placed anew.

One step each few seconds, for the demo company alone, by the verbs that everybody else calls. What
a visitor does goes before: each step looks at what there is, and what refuses a step is left alone.
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
# Of how many steps one has vans that stand still report, and trackers say that they are there.
NOW_AND_THEN, SELDOM = 12, 60
# So many orders are on the road at a time, wait for a driver, and are placed in a day.
ON_THE_ROAD, WAITING, A_DAY = 8, 6, 240
# After so many steps the shop does not answer any more.
SHOP_CLOSES: Final = 6
# How long it takes to open a door and close it.
A_MOMENT: Final = timedelta(seconds=80)
# How long an order that nobody takes is left to whoever dispatches.
PATIENCE: Final = timedelta(minutes=10)


class Errand(NamedTuple):
    """Where somebody drives with an order, and which version of the order it was for."""

    leg: Leg
    version: int


class City:
    """The demo company of an installation, if there is one."""

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
        """Let a few seconds pass."""
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
        """Stop answering deliveries."""
        await self._shop.close()

    async def _begin(self, company: UUID) -> None:
        """Give the company its past, if it has none."""
        album = await self._album.stored(company)
        async with self._database.transaction() as db:
            new = await history.has_none(db, company)
            if new:
                await shop.register(db, company, await self._shop.open(db.now))
                await history.live_through(db, company, album, Bounds.of(self._settings))
        if new:
            await self._report_day(company)
            log.info("the demo city has its past")
        self._has_past = True

    async def _report_day(self, company: UUID) -> None:
        """Have all devices tell of the day behind them, up to where the vans are now."""
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
        """Let everybody drive on; who has arrived does what is to be done there."""
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
        """Drive on with an order, or do what is to be done where it leads."""
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
        """Find the way of an order to its next place, from where its driver is."""
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
        """Have vans that stand say so now and then."""
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
        """Do one thing that a dispatcher would: send somebody out, or take an order in."""
        try:
            async with self._database.transaction() as db:
                if idle and busy < ON_THE_ROAD and await self._sent_out(db, company, idle):
                    return
                await _take_in(db, company)
        except Problem as refused:
            log.info("the demo city waits", reason=str(refused))

    async def _sent_out(self, db: Db, company: UUID, idle: Sequence[Driver]) -> bool:
        """Have somebody who has nothing to do leave with an order."""
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
    """Give an order that nobody has taken for long to somebody who has nothing to do."""
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
    """Place an order where few wait, as long as it is not too many for a day."""
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
    """List what is on the road, what began first before the rest; what is held waits for people."""
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
    """Tell where a van is when the city begins: on the way with its order, or where it stands."""
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
    """Tell where a driver's van was seen last."""
    if driver.vehicle is None:
        return None
    found = await whereabouts.of(db, driver.company, [driver.vehicle])
    seen = found.get(driver.vehicle)
    return None if seen is None else seen.location
