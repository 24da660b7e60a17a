"""Errands: the drives of couriers to the next stop of their day, and the work there."""

from collections.abc import Collection
from datetime import datetime, timedelta
from random import Random
from typing import NamedTuple
from uuid import UUID

from pannier.db import Database
from pannier.demo import content, dispatching
from pannier.demo.content import COURIERS
from pannier.demo.routes import DrivenRoute, FoundRoute, RouteFinder
from pannier.fleet.models import Driver
from pannier.kit.geo import Point
from pannier.orders.driver_days.stops import DayStop, StopKey

# Time to load the goods and to hand them over.
LOADING_DURATION, HANDOVER_DURATION = timedelta(seconds=30), timedelta(seconds=20)
# The range of factors that traffic applies to the routing engine's drive times.
MIN_TRAFFIC, MAX_TRAFFIC = 0.92, 1.08


class Errand(NamedTuple):
    """A drive to a stop, and the work there, which begins within the stop's time window."""

    stop: StopKey
    destination: Point
    drive: DrivenRoute
    finished_at: datetime


class ErrandBook:
    """The current errand of each courier."""

    def __init__(self, database: Database, roads: RouteFinder) -> None:
        self._database, self._roads = database, roads
        self._errands: dict[UUID, Errand] = {}

    def keep_only(self, drivers: Collection[UUID | None]) -> None:
        """Remove the errands of all other drivers."""
        self._errands = {uuid: errand for uuid, errand in self._errands.items() if uuid in drivers}

    async def get_or_start(self, driver: Driver, stop: DayStop, now: datetime) -> Errand | None:
        """Return a courier's errand to a stop, or start one."""
        previous_errand, destination = self._errands.get(driver.uuid), stop.location
        if destination is None:
            return None
        if previous_errand and (previous_errand.stop, previous_errand.destination) == (
            stop.key,
            destination,
        ):
            return previous_errand
        if previous_errand is not None:
            start: Point | None = previous_errand.drive.locate(now).point
            departed_at = min(now, previous_errand.finished_at)
        else:
            start, departed_at = await self._load_position(driver), now
        if start is None:
            return None
        route = await self._find_route(driver, stop.key, start, destination)
        errand = _make_errand(stop, destination, DrivenRoute(departed_at, route))
        self._errands[driver.uuid] = errand
        return errand

    async def _load_position(self, driver: Driver) -> Point | None:
        async with self._database.reading() as db:
            return (await dispatching.load_positions(db, [driver])).get(driver.uuid)

    async def _find_route(
        self, driver: Driver, stop: StopKey, start: Point, end: Point
    ) -> FoundRoute:
        """Find a courier's route. Traffic makes the drive a little faster or slower."""
        profile = COURIERS[content.find_courier_number(driver.phone)].profile
        route = await self._roads.find(start, end, profile)
        random = Random(str(stop))  # noqa: S311 - for a simulation, not a secret
        return route._replace(seconds=route.seconds * random.uniform(MIN_TRAFFIC, MAX_TRAFFIC))


def _make_errand(stop: DayStop, destination: Point, drive: DrivenRoute) -> Errand:
    begins_at = drive.ends_at if stop.opens is None else max(drive.ends_at, stop.opens)
    duration = LOADING_DURATION if stop.type == "pickup" else HANDOVER_DURATION
    return Errand(stop.key, destination, drive, begins_at + duration)
