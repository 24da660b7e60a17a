"""Events of the demo company's devices: those of the last day, and current ones."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final, NamedTuple
from uuid import UUID

from pannier.demo import streets
from pannier.demo.content import ACTIVE_VANS, HOMES, VANS
from pannier.demo.streets import RoutePoints, RoutePosition
from pannier.devices import readings
from pannier.devices.brokers.backends import IngestBackend
from pannier.devices.ingest import reception
from pannier.devices.items import EventItem
from pannier.devices.sources import Source
from pannier.kit.geo import Point
from pannier.settings import Settings

SPEED_KMH: Final = 42.0  # km/h
METRES_PER_SECOND: Final = SPEED_KMH / 3.6
# Durations of shifts, and intervals of reports.
SHIFT_DURATION, NIGHT_SHIFT_DURATION = timedelta(hours=8), timedelta(hours=23)
REST_DURATION: Final = timedelta(hours=9)
DRIVING_INTERVAL: Final = timedelta(seconds=60)
STANDING_INTERVAL: Final = timedelta(minutes=5)
MAX_BATCH: Final = 2500
FAULTS: Final = (("P0420", "Catalyst efficiency", "mil"), ("P0171", "Mixture too lean", "amber"))


class DrivenRoute(NamedTuple):
    """A van's drive along a route from a moment on; it stands at the end until the next."""

    started_at: datetime
    route: RoutePoints

    def locate(self, moment: datetime) -> RoutePosition:
        """Return the van's position at a moment."""
        seconds = max(0.0, (moment - self.started_at).total_seconds())
        return streets.locate(self.route, seconds * METRES_PER_SECOND)


class ReportWriter:
    """Writes the events of a company's devices."""

    def __init__(self, company: UUID, settings: Settings, writer: IngestBackend) -> None:
        self._settings, self._writer = settings, writer
        self._key = readings.company_hash(company)
        self._source = Source(company, None, None, speaks_for_all=True, adopts=False)

    async def write(self, items: Sequence[EventItem], now: datetime) -> None:
        """Write events in batches."""
        bounds = reception.clock_bounds(self._settings, now)
        for first in range(0, len(items), MAX_BATCH):
            portion = items[first : first + MAX_BATCH]
            parsed, rejected = readings.parse_all(
                portion, device=None, now=now, bounds=bounds, key=self._key
            )
            await self._writer.put(self._source, parsed, rejected)


def make_position(number: int, moment: datetime, position: RoutePosition) -> EventItem:
    """Make a position event of a van."""
    speed = 0.0 if position.arrived else SPEED_KMH + (moment.second + number * 7) % 13 - 6
    data: dict[str, Any] = {
        "speed": speed, "heading": round(position.heading), "accuracy": 6, "satellites": 11,
        "ignition": not position.arrived,
    }  # fmt: skip
    return _make_item(f"VT-{number + 1:02}", "position_update", moment, position.point, **data)


def make_readings(number: int, moment: datetime, position: RoutePosition) -> Iterator[EventItem]:
    """Make the occasional readings of a van's other devices."""
    if VANS[number].cold:
        temperature = 4.2 + (moment.minute * 7 + number) % 11 / 10
        yield _make_item(
            f"TS-{number + 1:02}", "temperature_reading", moment, position.point,
            temperature=round(temperature, 1), setpoint=4, zone="cargo", humidity=61,
        )  # fmt: skip
    if number % 3 == 0 and not position.arrived:
        yield _make_item(
            f"OB-{number + 1:02}", "obd_ii_reading", moment, position.point,
            rpm=1650 + moment.minute * 9, fuel_level=78 - moment.hour, coolant_temperature=88,
            vehicle_speed=SPEED_KMH, battery_voltage=13.9,
        )  # fmt: skip


def make_heartbeat(number: int, moment: datetime) -> EventItem:
    """Make a heartbeat of a van's tracker."""
    return _make_item(
        f"VT-{number + 1:02}", "device_heartbeat", moment, None, status="ok",
        battery_level=92 - number, signal_strength=-71 - number, firmware="4.1.2",
    )  # fmt: skip


def make_door_events(number: int, moment: datetime, point: Point) -> Iterator[EventItem]:
    """Make the events of opening and closing the rear door."""
    device = f"VT-{number + 1:02}"
    yield _make_item(device, "door_event", moment, point, state="open", position="rear")
    closed_at = moment + timedelta(seconds=75)
    yield _make_item(
        device, "door_event", closed_at, point, state="closed", position="rear", duration_s=75
    )


def make_last_day(number: int, now: datetime, end: Point) -> Iterator[EventItem]:
    """Make the last day's events of a van that is at a point now."""
    for hours in range(24):
        yield make_heartbeat(number, now - timedelta(hours=hours, minutes=number))
    if number < ACTIVE_VANS:
        legs = list(_make_drives(number, now, end))
        for leg, after in zip(legs, [*(later.started_at for later in legs[1:]), now], strict=True):
            yield from _report_drive(number, leg, after)
        yield from _make_incidents(number, legs)
    else:
        parked = RoutePosition(end, 0.0, arrived=True)
        yield make_position(number, now - REST_DURATION, parked)


def _make_drives(number: int, now: datetime, end: Point) -> Iterator[DrivenRoute]:
    """Make up a van's drives between addresses, which end at its current position."""
    chance = Random(number)  # noqa: S311 - for a simulation, not a secret
    position = streets.CROSSINGS[VANS[number].crossing]
    shift = NIGHT_SHIFT_DURATION if number % 4 == 3 else SHIFT_DURATION  # noqa: PLR2004 - every fourth van
    moment = now - shift + timedelta(minutes=9 * number)
    while True:
        longitude, latitude = chance.choice(HOMES).location
        route = streets.find_route(position, Point(longitude, latitude))
        pause = timedelta(minutes=chance.randint(6, 18))
        home = streets.find_route(route[-1], end)
        departed_at = moment + _duration(route) + pause
        if departed_at + _duration(home) > now - timedelta(minutes=2):
            break
        yield DrivenRoute(moment, route)
        position, moment = route[-1], departed_at
    last = streets.find_route(position, end)
    yield DrivenRoute(now - _duration(last) - timedelta(minutes=1), last)


def _duration(route: RoutePoints) -> timedelta:
    return timedelta(seconds=streets.route_length(route) / METRES_PER_SECOND)


def _report_drive(number: int, drive: DrivenRoute, until: datetime) -> Iterator[EventItem]:
    """Make the events of a drive, and of standing until the next one."""
    moment, beats = drive.started_at, 0
    while moment < until:
        position = drive.locate(moment)
        yield make_position(number, moment, position)
        if beats % 4 == 0:
            yield from make_readings(number, moment, position)
        moment, beats = (
            moment + (STANDING_INTERVAL if position.arrived else DRIVING_INTERVAL),
            beats + 1,
        )
    arrived = drive.started_at + _duration(drive.route)
    yield from make_door_events(number, min(arrived, until - timedelta(minutes=2)), drive.route[-1])


def _make_incidents(number: int, drives: Sequence[DrivenRoute]) -> Iterator[EventItem]:
    """Make incidents: harsh braking, a fault code, a speed alert, a geofence event."""
    device, leg = f"VT-{number + 1:02}", drives[0]
    moment = leg.started_at + timedelta(minutes=5, seconds=number)
    where = leg.locate(moment).point
    if number % 2:
        yield _make_item(
            device, "motion_event", moment, where, kind="harsh_braking",
            g_force=1.5 + number / 2,
        )  # fmt: skip
    if number % 4 == 1:
        code, description, lamp = FAULTS[number // 4 % len(FAULTS)]
        yield _make_item(
            device, "fault_code", moment, where, code=code, description=description, lamp=lamp,
            status="active", protocol="obd2",
        )  # fmt: skip
    if number % 5 == 0:
        yield _make_item(
            device, "speed_alert", moment, where, speed=84, limit=70, excess=14,
            phase="started", source="gps", severity="warning",
        )  # fmt: skip
        yield _make_item(
            device, "geofence_event", moment, where, action="enter", area_id="depot",
            area_name="Depot",
        )  # fmt: skip


def _make_item(
    device: str,
    event: str,
    moment: datetime,
    point: Point | None,
    /,
    **data: Any,  # noqa: ANN401 - depends on the type
) -> EventItem:
    location = None if point is None else [point.longitude, point.latitude]
    return EventItem(
        device=device, event_type=event, timestamp=moment, location=location, data=data
    )
