"""The schedule of a plan as a chart: a lane for each driver, with bars along the hours of the day.

Bars are placed in percent of the chart's width.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from pannier.console.formatting import format_duration, parse_time
from pannier.console.statuses import to_label

# The colors of routes; see overlay.py. Numbers distinguish the lanes that share one.
COLOR_COUNT: Final = 8
MAX_TICKS: Final = 13
TICK_HOURS: Final = (1, 2, 3, 6, 12, 24)
HOUR: Final = timedelta(hours=1)


class ScheduleBar(NamedTuple):
    """A part of a lane: `shift`, `drive`, `wait`, `work` or `break`."""

    kind: str
    x: float
    width: float
    # The number of the stop in its lane, the stop and its description, for work.
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

    def sum_up(self, name: str) -> int:
        """Add up a figure of the routes."""
        return sum(route[name] for route in self.routes)


class ScheduleChart(NamedTuple):
    """The hours that the chart shows, and its lanes."""

    start: datetime
    end: datetime
    zone: ZoneInfo
    lanes: Sequence[DriverLane]

    def place(self, moment: str | datetime) -> float:
        """Return where a time is, in percent."""
        share = (parse_time(moment) - self.start) / (self.end - self.start)
        return round(100 * min(1.0, max(0.0, share)), 2)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """List the hours that are labeled: where, and the label."""
        hours = (self.end - self.start) / HOUR
        step = next((each for each in TICK_HOURS if hours / each <= MAX_TICKS), TICK_HOURS[-1])
        count = int(hours // step) + 1
        moments = [self.start + number * step * HOUR for number in range(count)]
        return [(self.place(each), f"{each.astimezone(self.zone):%H:%M}") for each in moments]

    def find_present(self, now: datetime) -> float | None:
        """Return where the present is, if the chart shows it."""
        return self.place(now) if self.start <= now <= self.end else None

    def list_bars(self, lane: DriverLane) -> Iterator[ScheduleBar]:
        """List the bars of a lane, those in the background first."""
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
        x = self.place(begin)
        title = "" if stop is None else f"{number}. {self._describe(stop)}"
        return ScheduleBar(kind, x, round(self.place(end) - x, 2), number, stop, title)

    def _describe(self, stop: Mapping[str, Any]) -> str:
        """Describe a stop with its times."""
        begin, end = (parse_time(stop[name]).astimezone(self.zone)
                      for name in ("begins_at", "leaves_at"))  # fmt: skip
        late = f", {format_duration(stop['late'])} late" if stop["late"] else ""
        name = stop["internal_id"] or stop["order"]
        return f"{to_label(stop['type'])} {name}, {begin:%H:%M} to {end:%H:%M}{late}"


def number_drivers(*groups: Sequence[Mapping[str, Any]]) -> dict[str, tuple[int, Any]]:
    """Number the drivers of routes, so that a driver has the same color in all of them."""
    drivers = {route["driver"]["id"]: route["driver"] for routes in groups for route in routes}
    ordered = sorted(drivers.values(), key=lambda driver: (driver["name"].casefold(), driver["id"]))
    return {driver["id"]: (number, driver) for number, driver in enumerate(ordered, 1)}


def make_lanes(
    routes: Sequence[Mapping[str, Any]], numbers: Mapping[str, tuple[int, Any]]
) -> list[DriverLane]:
    """Make the lanes of the numbered drivers, also of those without work."""
    return [
        DriverLane(
            number, driver, [route for route in routes if route["driver"]["id"] == identifier]
        )
        for identifier, (number, driver) in numbers.items()
    ]


def make_chart(lanes: Sequence[DriverLane], zone: ZoneInfo) -> ScheduleChart | None:
    """Make the chart of lanes; its hours are whole ones. Without routes there is none."""
    routes = [route for lane in lanes for route in lane.routes]
    if not routes:
        return None
    begins = [parse_time(route[name]) for route in routes for name in ("shift_start", "starts_at")]
    ends = [parse_time(route[name]) for route in routes for name in ("shift_end", "ends_at")]
    start = min(begins).astimezone(zone).replace(minute=0, second=0, microsecond=0)
    hours = max(1, -((start - max(ends)) // HOUR))
    return ScheduleChart(start, start + hours * HOUR, zone, lanes)


def list_late_stops(lanes: Sequence[DriverLane]) -> list[tuple[DriverLane, Any]]:
    """List the stops that will be late, the latest first, with their lanes."""
    late = [(lane, stop) for lane in lanes for stop in lane.stops if stop["late"]]
    return sorted(late, key=lambda pair: -pair[1]["late"])
