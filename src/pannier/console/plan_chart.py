"""The schedule of a plan as a chart: a lane for each driver, with bars along the hours of the day.

Bars are placed in percent of the chart's width.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from pannier.console.formatting import format_duration, parse_time
from pannier.console.statuses import to_label

# The colors of routes; see overlay.py. Lanes that share a color differ by their number.
COLOR_COUNT: Final = 8
MAX_TICKS: Final = 13
TICK_HOURS: Final = (1, 2, 3, 6, 12, 24)
HOUR: Final = timedelta(hours=1)


class ScheduleBar(NamedTuple):
    """A part of a lane: `shift`, `drive`, `wait`, `work` or `break`."""

    kind: str
    x: float
    width: float
    # For `work`: the number of the stop in its lane, the stop, and its description.
    number: int = 0
    stop: Any = None
    title: str = ""


class DriverLane(NamedTuple):
    """A driver's row: the routes of the driver's shifts, and their stops."""

    number: int
    driver: Mapping[str, Any]
    routes: Sequence[Mapping[str, Any]]

    @property
    def color(self) -> str:
        """The name of the lane's color."""
        return f"route{(self.number - 1) % COLOR_COUNT + 1}"

    @property
    def plates(self) -> list[str]:
        """The plate numbers of the vehicles."""
        plates = (route["vehicle"] and route["vehicle"]["plate_number"] for route in self.routes)
        return list(dict.fromkeys(filter(None, plates)))

    @property
    def stops(self) -> list[Any]:
        return [stop for route in self.routes for stop in route["stops"]]

    @property
    def orders(self) -> list[str]:
        """The orders, in the sequence of their first stops."""
        return list(dict.fromkeys(stop["order"] for stop in self.stops))

    def sum_figure(self, name: str) -> int:
        """Return the sum of a figure over the routes."""
        return sum(route[name] for route in self.routes)


class ScheduleChart(NamedTuple):
    """A chart of lanes with its first and last hour."""

    start: datetime
    end: datetime
    zone: ZoneInfo
    lanes: Sequence[DriverLane]

    def to_percent(self, moment: str | datetime) -> float:
        """Convert a time to a position on the chart, in percent."""
        share = (parse_time(moment) - self.start) / (self.end - self.start)
        return round(100 * min(1.0, max(0.0, share)), 2)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """The labeled hours: the position in percent, and the label."""
        hours = (self.end - self.start) / HOUR
        step = next((step for step in TICK_HOURS if hours / step <= MAX_TICKS), TICK_HOURS[-1])
        count = int(hours // step) + 1
        times = [self.start + number * step * HOUR for number in range(count)]
        return [(self.to_percent(time), f"{time.astimezone(self.zone):%H:%M}") for time in times]

    def find_now(self, now: datetime) -> float | None:
        """Return the position of the current time in percent, if the chart shows it."""
        return self.to_percent(now) if self.start <= now <= self.end else None

    def list_bars(self, lane: DriverLane) -> Iterator[ScheduleBar]:
        """Yield the bars of a lane, the background bars first."""
        number = 0
        for route in lane.routes:
            yield self._make_bar("shift", route["shift_start"], route["shift_end"])
        for route in lane.routes:
            left_at = route["starts_at"]
            for stop in route["stops"]:
                number += 1
                yield self._make_bar("drive", left_at, stop["arrives_at"])
                if stop["begins_at"] != stop["arrives_at"]:
                    yield self._make_bar("wait", stop["arrives_at"], stop["begins_at"])
                yield self._make_bar(
                    "work", stop["begins_at"], stop["leaves_at"], number=number, stop=stop
                )
                left_at = stop["leaves_at"]
            yield self._make_bar("drive", left_at, route["ends_at"])
        for route in lane.routes:
            for pause in route["breaks"]:
                yield self._make_bar("break", pause["begins_at"], pause["ends_at"])

    def _make_bar(
        self,
        kind: str,
        begin: str,
        end: str,
        *,
        number: int = 0,
        stop: Any = None,  # noqa: ANN401 - JSON
    ) -> ScheduleBar:
        x = self.to_percent(begin)
        title = "" if stop is None else f"{number}. {self._describe_stop(stop)}"
        return ScheduleBar(kind, x, round(self.to_percent(end) - x, 2), number, stop, title)

    def _describe_stop(self, stop: Mapping[str, Any]) -> str:
        """Describe a stop and its times."""
        begin, end = (parse_time(stop[name]).astimezone(self.zone)
                      for name in ("begins_at", "leaves_at"))  # fmt: skip
        delay = f", {format_duration(stop['late'])} late" if stop["late"] else ""
        name = stop["number"]
        return f"{to_label(stop['type'])} {name}, {begin:%H:%M} to {end:%H:%M}{delay}"


def number_drivers(*groups: Sequence[Mapping[str, Any]]) -> dict[str, tuple[int, Any]]:
    """Number the drivers of all groups by name, so that each keeps one color in every chart."""
    drivers = {route["driver"]["id"]: route["driver"] for routes in groups for route in routes}
    sorted_drivers = sorted(
        drivers.values(), key=lambda driver: (driver["name"].casefold(), driver["id"])
    )
    return {driver["id"]: (number, driver) for number, driver in enumerate(sorted_drivers, 1)}


def make_lanes(
    routes: Sequence[Mapping[str, Any]], numbers: Mapping[str, tuple[int, Any]]
) -> list[DriverLane]:
    """Make a lane for each numbered driver, with or without work."""
    return [
        DriverLane(
            number, driver, [route for route in routes if route["driver"]["id"] == identifier]
        )
        for identifier, (number, driver) in numbers.items()
    ]


def split_lanes(lanes: Sequence[DriverLane], max_stops: int) -> list[list[DriverLane]]:
    """Split the lanes with work into pages of at most `max_stops` stops and at least one lane."""
    pages: list[list[DriverLane]] = [[]]
    count = 0
    for lane in lanes:
        if not lane.routes:
            continue
        if pages[-1] and count + len(lane.stops) > max_stops:
            pages.append([])
            count = 0
        pages[-1].append(lane)
        count += len(lane.stops)
    return pages


def make_chart(lanes: Sequence[DriverLane], zone: ZoneInfo) -> ScheduleChart | None:
    """Make the chart of lanes, from full hour to full hour. Return None without routes."""
    routes = [route for lane in lanes for route in lane.routes]
    if not routes:
        return None
    begins = [parse_time(route[name]) for route in routes for name in ("shift_start", "starts_at")]
    ends = [parse_time(route[name]) for route in routes for name in ("shift_end", "ends_at")]
    start = min(begins).astimezone(zone).replace(minute=0, second=0, microsecond=0)
    hours = max(1, -((start - max(ends)) // HOUR))
    return ScheduleChart(start, start + hours * HOUR, zone, lanes)


def list_late_stops(lanes: Sequence[DriverLane]) -> list[tuple[DriverLane, Any]]:
    """List the late stops with their lanes, the longest delay first."""
    late_stops = [(lane, stop) for lane in lanes for stop in lane.stops if stop["late"]]
    return sorted(late_stops, key=lambda pair: -pair[1]["late"])
