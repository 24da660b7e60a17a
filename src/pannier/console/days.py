"""A vehicle's day as a bar: when it moved, when it stood still, and when there is no data."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple, Self
from zoneinfo import ZoneInfo

from pannier.console.desk import Desk
from pannier.console.records import asked
from pannier.console.words import read
from pannier.errors import Invalid

TRIPS: Final = "/int/v1/fleet-module/vehicles/{vehicle_id}/trips"
WIDTH: Final = 1000  # of a whole day, in units of the bar


class Stretch(NamedTuple):
    """A part of a day in one state. `offset` and `width` are in units of the bar."""

    at: float
    width: float
    state: str
    since: datetime
    until: datetime


class Day(NamedTuple):
    """A vehicle's trips and stops on a day."""

    on: date
    today: date
    stretches: list[Stretch]
    trips: list[Any]
    told: Mapping[str, Any]

    @property
    def before(self) -> str:
        """The day before, as a date for the page's address."""
        return (self.on - timedelta(days=1)).isoformat()

    @property
    def after(self) -> str:
        """The day after, or nothing if this is today."""
        return "" if self.on >= self.today else (self.on + timedelta(days=1)).isoformat()

    @property
    def standing_seconds(self) -> float:
        stood = (one.until - one.since for one in self.stretches if one.state == "standing")
        return sum(stood, timedelta()).total_seconds()

    @classmethod
    async def of(cls, desk: Desk, vehicle: str, zone: ZoneInfo) -> Self:
        """Load the day that the page's address names, or today."""
        now = desk.exchange.db.now
        given = asked(desk.exchange).get("on", "")
        try:
            told = await desk.get(TRIPS, {"on": given}, vehicle_id=vehicle)
        except Invalid:
            told = await desk.get(TRIPS, vehicle_id=vehicle)
        since, until = read(told["from"]), read(told["to"])
        stretches = [
            _stretch(state, begins, ends, (since, until))
            for state, begins, ends in _states(told, now)
        ]
        today = now.astimezone(zone).date()
        return cls(since.astimezone(zone).date(), today, stretches, told["trips"], told)


def _states(told: Mapping[str, Any], now: datetime) -> Iterator[tuple[str, datetime, datetime]]:
    """List moves and stops. Before the first trip, the state is unknown."""
    for trip in told["trips"]:
        yield (
            "moving",
            read(trip["started_at"]),
            read(trip["ended_at"]) if trip["ended_at"] else now,
        )
    for stop in told["stops"]:
        yield "standing", read(stop["arrived_at"]), read(stop["left_at"])
    last = told["trips"][-1]["ended_at"] if told["trips"] else None
    if last is not None:
        yield "standing", read(last), min(now, read(told["to"]))


def _stretch(
    state: str, since: datetime, until: datetime, day: tuple[datetime, datetime]
) -> Stretch:
    begins, ends = max(since, day[0]), min(until, day[1])
    whole = (day[1] - day[0]) / WIDTH
    return Stretch(
        round((begins - day[0]) / whole, 1), round(max(ends - begins, whole) / whole, 1),
        state, begins, max(begins, ends),
    )  # fmt: skip
