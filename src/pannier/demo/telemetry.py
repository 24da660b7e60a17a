"""Events of the demo company's devices: those of the last day, and current ones."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final
from uuid import UUID

from pannier.demo import streets
from pannier.demo.content import ACTIVE_COURIERS, COURIERS, HOMES
from pannier.demo.routes import DrivenRoute, FoundRoute, RouteFinder
from pannier.demo.streets import RoutePosition
from pannier.devices import readings
from pannier.devices.brokers.backends import IngestBackend
from pannier.devices.ingest import reception
from pannier.devices.items import EventItem
from pannier.devices.sources import Source
from pannier.kit.geo import Point
from pannier.settings import Settings

# Durations of shifts, and intervals of reports.
SHIFT_DURATION, NIGHT_SHIFT_DURATION = timedelta(hours=8), timedelta(hours=23)
REST_DURATION: Final = timedelta(hours=9)
DRIVING_INTERVAL: Final = timedelta(seconds=30)
STANDING_INTERVAL: Final = timedelta(minutes=5)
# Addresses that a courier visits again and again during the last day.
TOUR_STOPS: Final = 6
MAX_BATCH: Final = 2500
FAULTS: Final = (("P0420", "Catalyst efficiency", "mil"), ("P0171", "Mixture too lean", "amber"))
DOOR_SECONDS: Final = 35


class ReportWriter:
    """Writes the events of a company's devices."""

    def __init__(self, company: UUID, settings: Settings, writer: IngestBackend) -> None:
        self._settings, self._writer = settings, writer
        self._key = readings.company_hash(company)
        self._source = Source(company, None, None, speaks_for_all=True, adopts=False)

    async def write(self, items: Sequence[EventItem], now: datetime) -> None:
        """Write events in batches."""
        bounds = reception.make_clock_bounds(self._settings, now)
        for first in range(0, len(items), MAX_BATCH):
            portion = items[first : first + MAX_BATCH]
            parsed, rejected = readings.parse_all(
                portion, device=None, now=now, bounds=bounds, key=self._key
            )
            await self._writer.put(self._source, parsed, rejected)


def make_position(number: int, moment: datetime, position: RoutePosition) -> EventItem:
    """Make a position event of a courier's vehicle."""
    swing = 1 + ((moment.second + number * 7) % 13 - 6) / 40
    data: dict[str, Any] = {
        "speed": round(position.speed_kmh * swing, 1), "heading": round(position.heading),
        "accuracy": 6, "satellites": 11, "ignition": not position.arrived,
    }  # fmt: skip
    return _make_item(f"VT-{number + 1:02}", "position_update", moment, position.point, **data)


def make_readings(number: int, moment: datetime, position: RoutePosition) -> Iterator[EventItem]:
    """Make the occasional readings of a van's other devices."""
    if COURIERS[number].cold:
        temperature = 4.2 + (moment.minute * 7 + number) % 11 / 10
        yield _make_item(
            f"TS-{number + 1:02}", "temperature_reading", moment, position.point,
            temperature=round(temperature, 1), setpoint=4, zone="cargo", humidity=61,
        )  # fmt: skip
    if not COURIERS[number].on_bicycle and not position.arrived:
        yield _make_item(
            f"OB-{number + 1:02}", "obd_ii_reading", moment, position.point,
            rpm=1250 + moment.minute * 9, fuel_level=78 - moment.hour, coolant_temperature=88,
            vehicle_speed=round(position.speed_kmh, 1), battery_voltage=13.9,
        )  # fmt: skip


def make_heartbeat(number: int, moment: datetime) -> EventItem:
    """Make a heartbeat of a van's tracker."""
    return _make_item(
        f"VT-{number + 1:02}", "device_heartbeat", moment, None, status="ok",
        battery_level=92 - number, signal_strength=-71 - number, firmware="4.1.2",
    )  # fmt: skip


def make_door_events(number: int, moment: datetime, point: Point) -> Iterator[EventItem]:
    """Make the events of opening and closing a van's rear door."""
    if COURIERS[number].on_bicycle:
        return
    device = f"VT-{number + 1:02}"
    yield _make_item(device, "door_event", moment, point, state="open", position="rear")
    closed_at = moment + timedelta(seconds=DOOR_SECONDS)
    yield _make_item(
        device, "door_event", closed_at, point, state="closed", position="rear",
        duration_s=DOOR_SECONDS,
    )  # fmt: skip


async def make_last_day(
    roads: RouteFinder, number: int, now: datetime, end: Point
) -> list[EventItem]:
    """Make the last day's events of a vehicle that is at a point now."""
    items = [
        make_heartbeat(number, now - timedelta(hours=hours, minutes=number)) for hours in range(24)
    ]
    if number >= ACTIVE_COURIERS:
        parked = RoutePosition(end, 0.0, arrived=True)
        return [*items, make_position(number, now - REST_DURATION, parked)]
    legs = await _make_drives(roads, number, now, end)
    for leg, after in zip(legs, [*(later.started_at for later in legs[1:]), now], strict=True):
        items += _report_drive(number, leg, after)
    return [*items, *_make_incidents(number, legs)]


async def _make_drives(
    roads: RouteFinder, number: int, now: datetime, end: Point
) -> list[DrivenRoute]:
    """Make up a courier's drives between addresses, which end at the current position."""
    chance = Random(number)  # noqa: S311 - for a simulation, not a secret
    courier, drives = COURIERS[number], list[DrivenRoute]()
    tour = [Point(*home.location) for home in chance.sample(HOMES, TOUR_STOPS)]
    position = streets.CORNERS[courier.corner]
    shift = NIGHT_SHIFT_DURATION if number % 4 == 3 else SHIFT_DURATION  # noqa: PLR2004 - every fourth
    moment = now - shift + timedelta(minutes=9 * number)
    while True:
        target = tour[len(drives) % TOUR_STOPS]
        route = await roads.find(position, target, courier.profile)
        home = await roads.find(target, end, courier.profile)
        departed_at = moment + _duration(route) + timedelta(minutes=chance.randint(6, 18))
        if departed_at + _duration(home) > now - timedelta(minutes=2):
            break
        drives.append(DrivenRoute(moment, route))
        position, moment = target, departed_at
    last = await roads.find(position, end, courier.profile)
    return [*drives, DrivenRoute(now - _duration(last) - timedelta(minutes=1), last)]


def _duration(route: FoundRoute) -> timedelta:
    return timedelta(seconds=route.seconds)


def _report_drive(number: int, drive: DrivenRoute, until: datetime) -> Iterator[EventItem]:
    """Make the events of a drive, and of standing until the next one."""
    moment, beats = drive.started_at, 0
    while moment < until:
        position = drive.locate(moment)
        yield make_position(number, moment, position)
        if beats % 4 == 0:
            yield from make_readings(number, moment, position)
        following = moment + (STANDING_INTERVAL if position.arrived else DRIVING_INTERVAL)
        # It is reported where it ends, too.
        moment = following if position.arrived else min(following, drive.ends_at)
        beats += 1
    opened_at = min(drive.ends_at, until - timedelta(seconds=2 * DOOR_SECONDS))
    yield from make_door_events(number, opened_at, drive.end)


def _make_incidents(number: int, drives: Sequence[DrivenRoute]) -> Iterator[EventItem]:
    """Make incidents: a geofence event, and of vans harsh braking, fault codes, speed alerts."""
    device, leg = f"VT-{number + 1:02}", drives[0]
    moment = leg.started_at + timedelta(minutes=1, seconds=number)
    where = leg.locate(moment).point
    if number % 5 == 0:
        yield _make_item(
            device, "geofence_event", moment, where, action="enter", area_id="depot",
            area_name="Depot",
        )  # fmt: skip
    if COURIERS[number].on_bicycle:
        return
    yield _make_item(
        device, "motion_event", moment, where, kind="harsh_braking", g_force=1.5 + number / 10
    )
    if number % 4 == 2:  # noqa: PLR2004 - some
        code, description, lamp = FAULTS[number // 4 % len(FAULTS)]
        yield _make_item(
            device, "fault_code", moment, where, code=code, description=description, lamp=lamp,
            status="active", protocol="obd2",
        )  # fmt: skip
    if number % 4 == 0:
        yield _make_item(
            device, "speed_alert", moment, where, speed=44, limit=30, excess=14,
            phase="started", source="gps", severity="warning",
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
