"""Events of the demo company's devices: those of the last day, and current ones."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final, NamedTuple
from uuid import UUID

from pannier.demo import streets
from pannier.demo.cast import AT_WORK, HOMES, VANS
from pannier.demo.streets import Spot, Way
from pannier.devices import readings
from pannier.devices.ingest import receiving
from pannier.devices.items import Item
from pannier.devices.sources import Source
from pannier.devices.streams.takers import Takes
from pannier.kit.geo import Point
from pannier.settings import Settings

SPEED: Final = 42.0  # km/h
METRES_A_SECOND: Final = SPEED / 3.6
# Durations of shifts, and intervals of reports.
SHIFT, NIGHT = timedelta(hours=8), timedelta(hours=23)
REST: Final = timedelta(hours=9)
DRIVING: Final = timedelta(seconds=60)
STANDING: Final = timedelta(minutes=5)
MOST_TOGETHER: Final = 2500
FAULTS: Final = (("P0420", "Catalyst efficiency", "mil"), ("P0171", "Mixture too lean", "amber"))


class Leg(NamedTuple):
    """A van's drive along a route from a moment on; it stands at the end until the next."""

    begins: datetime
    way: Way

    def at(self, moment: datetime) -> Spot:
        """Return the van's position at a moment."""
        seconds = max(0.0, (moment - self.begins).total_seconds())
        return streets.along(self.way, seconds * METRES_A_SECOND)


class Reports:
    """Writes the events of a company's devices."""

    def __init__(self, company: UUID, settings: Settings, writer: Takes) -> None:
        self._settings, self._writer = settings, writer
        self._key = readings.keyed(company)
        self._source = Source(company, None, None, speaks_for_all=True, adopts=False)

    async def put(self, told: Sequence[Item], now: datetime) -> None:
        """Write events in batches."""
        bounds = receiving.believed(self._settings, now)
        for first in range(0, len(told), MOST_TOGETHER):
            portion = told[first : first + MOST_TOGETHER]
            found, refused = readings.read_all(
                portion, device=None, now=now, bounds=bounds, key=self._key
            )
            await self._writer.put(self._source, found, refused)


def position(number: int, moment: datetime, spot: Spot) -> Item:
    """Make a position event of a van."""
    speed = 0.0 if spot.arrived else SPEED + (moment.second + number * 7) % 13 - 6
    data: dict[str, Any] = {
        "speed": speed, "heading": round(spot.heading), "accuracy": 6, "satellites": 11,
        "ignition": not spot.arrived,
    }  # fmt: skip
    return _item(f"VT-{number + 1:02}", "position_update", moment, spot.point, **data)


def others(number: int, moment: datetime, spot: Spot) -> Iterator[Item]:
    """Make the occasional readings of a van's other devices."""
    if VANS[number].cold:
        temperature = 4.2 + (moment.minute * 7 + number) % 11 / 10
        yield _item(
            f"TS-{number + 1:02}", "temperature_reading", moment, spot.point,
            temperature=round(temperature, 1), setpoint=4, zone="cargo", humidity=61,
        )  # fmt: skip
    if number % 3 == 0 and not spot.arrived:
        yield _item(
            f"OB-{number + 1:02}", "obd_ii_reading", moment, spot.point,
            rpm=1650 + moment.minute * 9, fuel_level=78 - moment.hour, coolant_temperature=88,
            vehicle_speed=SPEED, battery_voltage=13.9,
        )  # fmt: skip


def heartbeat(number: int, moment: datetime) -> Item:
    """Make a heartbeat of a van's tracker."""
    return _item(
        f"VT-{number + 1:02}", "device_heartbeat", moment, None, status="ok",
        battery_level=92 - number, signal_strength=-71 - number, firmware="4.1.2",
    )  # fmt: skip


def doors(number: int, moment: datetime, point: Point) -> Iterator[Item]:
    """Make the events of opening and closing the rear door."""
    device = f"VT-{number + 1:02}"
    yield _item(device, "door_event", moment, point, state="open", position="rear")
    closed = moment + timedelta(seconds=75)
    yield _item(device, "door_event", closed, point, state="closed", position="rear", duration_s=75)


def day_behind(number: int, now: datetime, ends: Point) -> Iterator[Item]:
    """Make the last day's events of a van that is at a point now."""
    for hours in range(24):
        yield heartbeat(number, now - timedelta(hours=hours, minutes=number))
    if number < AT_WORK:
        legs = list(_legs(number, now, ends))
        for leg, after in zip(legs, [*(one.begins for one in legs[1:]), now], strict=True):
            yield from _driven(number, leg, after)
        yield from _mishaps(number, legs)
    else:
        parked = Spot(ends, 0.0, arrived=True)
        yield position(number, now - REST, parked)


def _legs(number: int, now: datetime, ends: Point) -> Iterator[Leg]:
    """Make up a van's drives between addresses, which end at its current position."""
    chance = Random(number)  # noqa: S311 - for a simulation, not a secret
    here = streets.CROSSINGS[VANS[number].at]
    shift = NIGHT if number % 4 == 3 else SHIFT  # noqa: PLR2004 - every fourth van
    moment = now - shift + timedelta(minutes=9 * number)
    while True:
        longitude, latitude = chance.choice(HOMES).location
        way = streets.way(here, Point(longitude, latitude))
        rest = timedelta(minutes=chance.randint(6, 18))
        home = streets.way(way[-1], ends)
        left = moment + _lasts(way) + rest
        if left + _lasts(home) > now - timedelta(minutes=2):
            break
        yield Leg(moment, way)
        here, moment = way[-1], left
    last = streets.way(here, ends)
    yield Leg(now - _lasts(last) - timedelta(minutes=1), last)


def _lasts(way: Way) -> timedelta:
    return timedelta(seconds=streets.length(way) / METRES_A_SECOND)


def _driven(number: int, leg: Leg, until: datetime) -> Iterator[Item]:
    """Make the events of a drive, and of standing until the next one."""
    moment, beats = leg.begins, 0
    while moment < until:
        spot = leg.at(moment)
        yield position(number, moment, spot)
        if beats % 4 == 0:
            yield from others(number, moment, spot)
        moment, beats = moment + (STANDING if spot.arrived else DRIVING), beats + 1
    arrived = leg.begins + _lasts(leg.way)
    yield from doors(number, min(arrived, until - timedelta(minutes=2)), leg.way[-1])


def _mishaps(number: int, legs: Sequence[Leg]) -> Iterator[Item]:
    """Make incidents: harsh braking, a fault code, a speed alert, a geofence event."""
    device, leg = f"VT-{number + 1:02}", legs[0]
    moment = leg.begins + timedelta(minutes=5, seconds=number)
    where = leg.at(moment).point
    if number % 2:
        yield _item(
            device, "motion_event", moment, where, kind="harsh_braking",
            g_force=1.5 + number / 2,
        )  # fmt: skip
    if number % 4 == 1:
        code, description, lamp = FAULTS[number // 4 % len(FAULTS)]
        yield _item(
            device, "fault_code", moment, where, code=code, description=description, lamp=lamp,
            status="active", protocol="obd2",
        )  # fmt: skip
    if number % 5 == 0:
        yield _item(
            device, "speed_alert", moment, where, speed=84, limit=70, excess=14,
            phase="started", source="gps", severity="warning",
        )  # fmt: skip
        yield _item(
            device, "geofence_event", moment, where, action="enter", area_id="depot",
            area_name="Depot",
        )  # fmt: skip


def _item(
    device: str,
    event: str,
    moment: datetime,
    where: Point | None,
    /,
    **data: Any,  # noqa: ANN401 - depends on the type
) -> Item:
    location = None if where is None else [where.longitude, where.latitude]
    return Item(device=device, event_type=event, timestamp=moment, location=location, data=data)
