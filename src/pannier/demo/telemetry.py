"""Events of the demo company's devices, for the last day and for now."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final
from uuid import UUID

from pannier.demo import streets
from pannier.demo.content import ACTIVE_COURIERS, COURIERS, HOMES
from pannier.demo.routes import DrivenRoute, FoundRoute, RouteFinder
from pannier.devices import readings
from pannier.devices.brokers.backends import IngestBackend
from pannier.devices.ingest import reception
from pannier.devices.items import EventItem
from pannier.devices.sources import Source
from pannier.kit.geo import Point
from pannier.robots.travel import RoutePosition
from pannier.settings import Settings

# Durations of shifts, and intervals of reports.
SHIFT_DURATION, NIGHT_SHIFT_DURATION = timedelta(hours=8), timedelta(hours=23)
REST_DURATION: Final = timedelta(hours=9)
DRIVING_INTERVAL: Final = timedelta(seconds=30)
STANDING_INTERVAL: Final = timedelta(minutes=5)
# Addresses that a courier visited repeatedly during the last day.
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
            batch = items[first : first + MAX_BATCH]
            parsed_items, rejected_items = readings.parse_all(
                batch, device=None, now=now, bounds=bounds, key=self._key
            )
            await self._writer.put(self._source, parsed_items, rejected_items)


def make_position(number: int, moment: datetime, position: RoutePosition) -> EventItem:
    """Make a position event of a courier's vehicle."""
    speed_factor = 1 + ((moment.second + number * 7) % 13 - 6) / 40
    data: dict[str, Any] = {
        "speed": round(position.speed_kmh * speed_factor, 1), "heading": round(position.heading),
        "accuracy": 6, "satellites": 11, "ignition": not position.arrived,
    }  # fmt: skip
    return _make_item(f"VT-{number + 1:02}", "position_update", moment, position.point, **data)


def make_readings(number: int, moment: datetime, position: RoutePosition) -> Iterator[EventItem]:
    """Make the occasional readings of a van's other devices."""
    if COURIERS[number].is_refrigerated:
        temperature = 4.2 + (moment.minute * 7 + number) % 11 / 10
        yield _make_item(
            f"TS-{number + 1:02}", "temperature_reading", moment, position.point,
            temperature=round(temperature, 1), setpoint=4, zone="cargo", humidity=61,
        )  # fmt: skip
    if not COURIERS[number].is_on_bicycle and not position.arrived:
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
    if COURIERS[number].is_on_bicycle:
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
    """Make the last day's events of a vehicle that is now at `end`."""
    items = [
        make_heartbeat(number, now - timedelta(hours=hours, minutes=number)) for hours in range(24)
    ]
    if number >= ACTIVE_COURIERS:
        parked_position = RoutePosition(end, 0.0, arrived=True)
        return [*items, make_position(number, now - REST_DURATION, parked_position)]
    drives = await _make_drives(roads, number, now, end)
    ends = [*(drive.started_at for drive in drives[1:]), now]
    for drive, until in zip(drives, ends, strict=True):
        items += _report_drive(number, drive, until)
    return [*items, *_make_incidents(number, drives)]


async def _make_drives(
    roads: RouteFinder, number: int, now: datetime, end: Point
) -> list[DrivenRoute]:
    """Invent a courier's drives between addresses, which end at the current position."""
    random = Random(number)  # noqa: S311 - for a simulation, not a secret
    courier, drives = COURIERS[number], list[DrivenRoute]()
    tour = [Point(*home.location) for home in random.sample(HOMES, TOUR_STOPS)]
    position = streets.CORNERS[courier.corner]
    shift = NIGHT_SHIFT_DURATION if number % 4 == 3 else SHIFT_DURATION  # noqa: PLR2004 - every fourth
    moment = now - shift + timedelta(minutes=9 * number)
    while True:
        target = tour[len(drives) % TOUR_STOPS]
        route = await roads.find(position, target, courier.profile)
        final_route = await roads.find(target, end, courier.profile)
        departed_at = moment + _get_duration(route) + timedelta(minutes=random.randint(6, 18))
        if departed_at + _get_duration(final_route) > now - timedelta(minutes=2):
            break
        drives.append(DrivenRoute(moment, route))
        position, moment = target, departed_at
    final_route = await roads.find(position, end, courier.profile)
    final_start = now - _get_duration(final_route) - timedelta(minutes=1)
    return [*drives, DrivenRoute(final_start, final_route)]


def _get_duration(route: FoundRoute) -> timedelta:
    return timedelta(seconds=route.seconds)


def _report_drive(number: int, drive: DrivenRoute, until: datetime) -> Iterator[EventItem]:
    """Make the events of a drive, and of the stop until the next drive."""
    moment, report_count = drive.started_at, 0
    while moment < until:
        position = drive.locate(moment)
        yield make_position(number, moment, position)
        if report_count % 4 == 0:
            yield from make_readings(number, moment, position)
        next_moment = moment + (STANDING_INTERVAL if position.arrived else DRIVING_INTERVAL)
        # Report the end of the drive as well.
        moment = next_moment if position.arrived else min(next_moment, drive.ends_at)
        report_count += 1
    opened_at = min(drive.ends_at, until - timedelta(seconds=2 * DOOR_SECONDS))
    yield from make_door_events(number, opened_at, drive.end)


def _make_incidents(number: int, drives: Sequence[DrivenRoute]) -> Iterator[EventItem]:
    """Make incidents: geofence events, and for vans harsh braking, fault codes and speed alerts."""
    device, drive = f"VT-{number + 1:02}", drives[0]
    moment = drive.started_at + timedelta(minutes=1, seconds=number)
    point = drive.locate(moment).point
    if number % 5 == 0:
        yield _make_item(
            device, "geofence_event", moment, point, action="enter", area_id="depot",
            area_name="Depot",
        )  # fmt: skip
    if COURIERS[number].is_on_bicycle:
        return
    yield _make_item(
        device, "motion_event", moment, point, kind="harsh_braking", g_force=1.5 + number / 10
    )
    if number % 4 == 2:  # noqa: PLR2004 - every fourth
        code, description, lamp = FAULTS[number // 4 % len(FAULTS)]
        yield _make_item(
            device, "fault_code", moment, point, code=code, description=description, lamp=lamp,
            status="active", protocol="obd2",
        )  # fmt: skip
    if number % 4 == 0:
        yield _make_item(
            device, "speed_alert", moment, point, speed=44, limit=30, excess=14,
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
