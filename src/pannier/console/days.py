"""A vehicle's day as a bar of moving, standing and unknown segments."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple, Self
from zoneinfo import ZoneInfo

from pannier.console.api_client import ApiClient
from pannier.console.formatting import parse_time
from pannier.console.records import read_query
from pannier.errors import Invalid

TRIPS: Final = "/int/v1/fleet-module/vehicles/{vehicle_id}/trips"
BAR_WIDTH: Final = 1000  # of a whole day, in bar units


class DaySegment(NamedTuple):
    """A part of a day in one state. `offset` and `width` are in bar units."""

    offset: float
    width: float
    state: str
    since: datetime
    until: datetime


class VehicleDay(NamedTuple):
    """A vehicle's trips and stops on a day."""

    day: date
    today: date
    segments: list[DaySegment]
    trips: list[Any]
    summary: Mapping[str, Any]

    @property
    def previous_day(self) -> str:
        """The previous date, for the page's URL."""
        return (self.day - timedelta(days=1)).isoformat()

    @property
    def next_day(self) -> str:
        """The next date for the page's URL, or an empty text if this is today."""
        return "" if self.day >= self.today else (self.day + timedelta(days=1)).isoformat()

    @property
    def standing_seconds(self) -> float:
        durations = (
            segment.until - segment.since
            for segment in self.segments
            if segment.state == "standing"
        )
        return sum(durations, timedelta()).total_seconds()

    @classmethod
    async def load(cls, client: ApiClient, vehicle: str, zone: ZoneInfo) -> Self:
        """Load the day in the page's URL, or today."""
        now = client.exchange.db.now
        requested_day = read_query(client.exchange).get("on", "")
        try:
            summary = await client.get(
                TRIPS, {"on": requested_day, "track": "roads"}, vehicle_id=vehicle
            )
        except Invalid:
            summary = await client.get(TRIPS, {"track": "roads"}, vehicle_id=vehicle)
        since, until = parse_time(summary["from"]), parse_time(summary["to"])
        segments = [
            _to_segment(state, start, end, (since, until))
            for state, start, end in _list_states(summary, now)
        ]
        today = now.astimezone(zone).date()
        return cls(since.astimezone(zone).date(), today, segments, summary["trips"], summary)


def _list_states(
    summary: Mapping[str, Any], now: datetime
) -> Iterator[tuple[str, datetime, datetime]]:
    """Yield the state, start and end of each trip and stop. Skip the time before the first trip."""
    for trip in summary["trips"]:
        yield (
            "moving",
            parse_time(trip["started_at"]),
            parse_time(trip["ended_at"]) if trip["ended_at"] else now,
        )
    for stop in summary["stops"]:
        yield "standing", parse_time(stop["arrived_at"]), parse_time(stop["left_at"])
    last_trip_end = summary["trips"][-1]["ended_at"] if summary["trips"] else None
    if last_trip_end is not None:
        yield "standing", parse_time(last_trip_end), min(now, parse_time(summary["to"]))


def _to_segment(
    state: str, since: datetime, until: datetime, day_range: tuple[datetime, datetime]
) -> DaySegment:
    start, end = max(since, day_range[0]), min(until, day_range[1])
    bar_unit = (day_range[1] - day_range[0]) / BAR_WIDTH
    return DaySegment(
        round((start - day_range[0]) / bar_unit, 1),
        round(max(end - start, bar_unit) / bar_unit, 1),
        state, start, max(start, end),
    )  # fmt: skip
