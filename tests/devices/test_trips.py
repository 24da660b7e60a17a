"""A vehicle's trips: by day, with stops and lines, of whichever device was on it."""

from datetime import timedelta
from itertools import pairwise
from time import process_time
from typing import Any
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from devices.gear import Gear, device
from devices.test_deriving import derive, send
from devices.walks import at, drive
from pannier.devices.trips import queries
from pannier.devices.trips.queries import TripRow
from pannier.kit import lines
from probe import refused
from stage import NOON, Firm, House

DOOR = "/int/v1/fleet-module/vehicles"


async def van(firm: Firm) -> dict[str, Any]:
    made: dict[str, Any] = (await firm.api.post("/v1/vehicles", json={"make": "Toyota"})).json()
    return made


async def attach(gear: Gear, vehicle: dict[str, Any], hours: float = 24) -> None:
    """Have a device be on a vehicle since so long before noon."""
    body = {"vehicle": vehicle["id"], "since": (NOON - timedelta(hours=hours)).isoformat()}
    path = f"/v1/devices/{gear.public_id}/attach"
    answer = await gear.firm.api.post(path, json=body)
    assert answer.is_success, answer.text


async def test_a_day_has_its_trips_the_stops_between_them_and_lines(
    acme: Firm, house: House
) -> None:
    gear, vehicle = await device(acme), await van(acme)
    await attach(gear, vehicle)
    first = drive(-7200, 0, seconds=600, kmh=36)
    rest = [at(-6600 + 60 * n, 6000) for n in range(1, 30)]
    second = drive(-4800, 6000, seconds=600, kmh=54)
    end = [at(-4200 + 60 * n, 15_000) for n in range(1, 9)]
    await send(house, gear, *first, *rest, *second, *end)
    await derive(house.database)
    answer = await acme.admin.get(f"{DOOR}/{vehicle['id']}/trips?on=2026-01-15")
    assert answer.status_code == 200, answer.text
    report = answer.json()
    assert report["vehicle_id"] == vehicle["id"]
    assert (report["from"], report["to"]) == (
        "2026-01-15T00:00:00.000Z",
        "2026-01-16T00:00:00.000Z",
    )
    one, two = report["trips"]
    assert (one["started_at"], one["ended_at"]) == (
        "2026-01-15T10:00:00.000Z",
        "2026-01-15T10:10:00.000Z",
    )
    assert (one["device_id"], one["max_speed"]) == (gear.public_id, 36)
    assert one["distance"] == pytest.approx(6000, rel=0.01)
    assert two["distance"] == pytest.approx(9000, rel=0.01)
    assert report["distance"] == pytest.approx(15_000, rel=0.01)
    assert report["max_speed"] == 54
    (stop,) = report["stops"]
    assert (stop["arrived_at"], stop["left_at"]) == (one["ended_at"], two["started_at"])
    assert stop["location"] == one["end"]
    # Straight on, so that two points say it all.
    assert one["track"] == {
        "type": "LineString",
        "coordinates": [
            [round(each, 6) for each in spot["coordinates"]] for spot in (one["start"], one["end"])
        ],
        "source": "positions",
    }
    other_day = await acme.api.get(f"{DOOR}/{vehicle['uuid']}/trips?on=2026-01-14")
    assert other_day.json()["trips"] == []


async def test_a_day_is_the_company_s_day_and_a_period_may_be_chosen(
    acme: Firm, house: House
) -> None:
    gear, vehicle = await device(acme), await van(acme)
    await attach(gear, vehicle)
    await acme.admin.patch("/int/v1/settings", json={"time_zone": "Asia/Singapore"})
    # At 23:00 UTC of the 14th it is the 15th in Singapore.
    await send(house, gear, *drive(-13 * 3600, 0, seconds=600, kmh=36))
    await derive(house.database)

    async def found(question: str) -> int:
        answer = await acme.admin.get(f"{DOOR}/{vehicle['id']}/trips{question}")
        assert answer.status_code == 200, answer.text
        return len(answer.json()["trips"])

    assert [await found(f"?on=2026-01-{day}") for day in (14, 15)] == [0, 1]
    assert await found("") == 1
    assert await found("?from=2026-01-14T22:00:00Z&to=2026-01-14T23:30:00Z") == 1
    assert await found("?from=2026-01-14T23:30:00Z") == 0
    long = await acme.admin.get(f"{DOOR}/{vehicle['id']}/trips?from=2026-01-01T00:00:00Z")
    assert [trip["track"] for trip in long.json()["trips"]] == [None]


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("on=2026-01-15&from=2026-01-15T00:00:00Z", "on"),
        ("to=2026-01-15T00:00:00Z", "from"),
        ("from=2026-01-15T00:00:00Z&to=2026-01-14T00:00:00Z", "to"),
        ("from=2025-01-15T00:00:00Z&to=2026-01-14T00:00:00Z", "to"),
        ("on=yesterday", "on"),
    ],
)
async def test_what_is_no_period_is_refused(acme: Firm, question: str, path: str) -> None:
    vehicle = await van(acme)
    answer = await acme.admin.get(f"{DOOR}/{vehicle['id']}/trips?{question}")
    fields = refused(answer, 422, "validation_failed")["fields"]
    assert [field["path"] for field in fields] == [path]


async def test_a_trip_belongs_to_the_vehicle_of_then_and_is_told_once(
    acme: Firm, rival: Firm, house: House
) -> None:
    tracker, phone = await device(acme), await device(acme, kind="phone")
    one, two = await van(acme), await van(acme)
    for gear in (tracker, phone):
        await attach(gear, one, hours=6)
        await send(house, gear, *drive(-7200, 0, seconds=600, kmh=36))
    await attach(tracker, two, hours=1)
    await derive(house.database)
    found = (await acme.admin.get(f"{DOOR}/{one['id']}/trips")).json()["trips"]
    assert [trip["device_id"] for trip in found] == [tracker.public_id]
    assert (await acme.admin.get(f"{DOOR}/{two['id']}/trips")).json()["trips"] == []
    refused(await rival.admin.get(f"{DOOR}/{one['id']}/trips"), 404, "not_found")


async def test_a_device_that_fell_silent_on_the_way_hides_no_later_trips(
    acme: Firm, house: House
) -> None:
    broken, phone = await device(acme), await device(acme, kind="phone")
    vehicle = await van(acme)
    for gear in (broken, phone):
        await attach(gear, vehicle)
    first, second = (drive(start, 0, seconds=600, kmh=36) for start in (-10_800, -3600))
    await send(house, broken, *first[:30])
    await send(house, phone, *first, *second)
    await derive(house.database)
    found = (await acme.admin.get(f"{DOOR}/{vehicle['id']}/trips")).json()["trips"]
    assert [trip["device_id"] for trip in found] == [broken.public_id, phone.public_id]
    assert [trip["started_at"][11:16] for trip in found] == ["09:00", "11:00"]


def seen(device: int, kind: Any, start: int, seconds: int | None) -> TripRow:
    """A trip of a device, so many seconds after noon and so long."""
    started = NOON + timedelta(seconds=start)
    ended = None if seconds is None else started + timedelta(seconds=seconds)
    nothing = dict.fromkeys(
        ("start_latitude", "start_longitude", "end_latitude", "end_longitude", "distance",
         "moving_seconds", "idle_seconds", "longest_stop_seconds"), 0.0,
    )  # fmt: skip
    return TripRow(
        public_id=f"trip_{start}", uuid=UUID(int=start), device_id=f"device_{device}",
        device_no=device, kind=kind, started_at=started, ended_at=ended, max_speed=None,
        seen_until=ended, **nothing,
    )  # fmt: skip


@given(
    st.lists(
        st.builds(
            seen,
            st.integers(1, 3),
            st.sampled_from(["tracker", "phone", "virtual"]),
            st.integers(0, 60),
            st.one_of(st.none(), st.integers(1, 20)),
        ),
        max_size=20,
    )
)
def test_of_trips_at_one_time_the_best_is_told(rows: list[TripRow]) -> None:
    def overlap(one: TripRow, other: TripRow) -> bool:
        first, second = sorted((one, other), key=lambda row: row.started_at)
        return first.seen_until is None or first.seen_until > second.started_at

    best = ("tracker", "virtual", "phone")
    kept: list[TripRow] = []
    for row in sorted(rows, key=lambda row: (best.index(row.kind), row.started_at)):
        if not any(overlap(row, other) for other in kept):
            kept.append(row)
    assert queries.drop_overlapping_trips(rows) == sorted(kept, key=lambda row: row.started_at)


def test_a_month_of_trips_is_told_in_no_time() -> None:
    rows = [seen(1, "tracker", 60 * number, 50) for number in range(queries.MAX_TRIPS)]
    began = process_time()
    assert queries.drop_overlapping_trips(rows) == rows
    assert process_time() - began < 0.2


@given(
    st.lists(
        st.tuples(st.floats(-170, 170), st.floats(-80, 80)), min_size=2, max_size=60, unique=True
    ),
    st.integers(2, 20),
)
@example([(0.0, 0.0), (0.0, 1.0), (0.0, 1.3288556268750635e-290)], 2)
def test_a_line_has_no_more_points_than_asked_for_and_keeps_its_ends(
    points: list[tuple[float, float]], most: int
) -> None:
    line = lines.simplify(points, most)
    assert 2 <= len(line) <= most
    assert [tuple(line[0]), tuple(line[-1])] == [
        tuple(round(each, 6) for each in end) for end in (points[0], points[-1])
    ]
    assert all(one != other for one, other in pairwise(line)) or len(line) == 2
