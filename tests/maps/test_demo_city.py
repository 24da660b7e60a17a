"""The demo's couriers follow the streets of Helsinki, and arrive when they should."""

import statistics
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from structlog.testing import capture_logs

import stage
from maps.test_routing_engine import CALLER, answers, soon
from pannier.db import Database
from pannier.demo.city import DemoCity
from pannier.demo.errands import HANDOVER_DURATION
from pannier.demo.routes import RouteFinder
from pannier.demo.seeding import seed
from pannier.demo.simulation import DemoSimulation
from pannier.devices.writer import Writer
from pannier.files.storage import make_storage
from pannier.kit.clock import ManualClock, SystemClock
from pannier.maps import programs
from pannier.maps.folder import CityFolder, MapFolder
from pannier.routing import embedded
from pannier.routing.configuration import create_router
from pannier.settings import load
from planning.day import runner
from stage import Firm, House

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

STEP: Final = timedelta(seconds=15)
STEPS, MIN_TRIPS = 60, 10
MAX_MEDIAN_ERROR: Final = 0.2
# Doors are up to 20 m from the middle of the street.
MAX_METRES: Final = 20.0


@pytest.fixture(scope="module")
def engine_urls(helsinki: CityFolder) -> Iterator[str]:
    """The routing engine, as `pannier serve` runs it."""
    with ExitStack() as running:
        urls = list[str]()
        for profile in ("car", "van", "bicycle"):
            engine = embedded.Engine(helsinki.path.parents[2], profile)
            running.callback(engine.close)
            process = running.enter_context(
                subprocess.Popen(engine.build_command(), stdout=subprocess.DEVNULL)
            )
            running.callback(process.kill)
            urls.append(f"{profile}={engine.url}")
            soon(lambda url=engine.url: answers(url))
        yield " ".join(urls)


@pytest.fixture
async def house(
    database: Database,
    clock: ManualClock,
    tmp_path: Path,
    helsinki: CityFolder,
    engine_urls: str,
) -> House:
    """A house that uses the city."""
    (tmp_path / "maps").symlink_to(helsinki.path.parents[1])
    return await stage.build(database, clock, str(tmp_path), router_url=engine_urls)


@pytest.fixture
async def firm(house: House) -> Firm:
    firm = await house.found("City", mode="test")
    async with house.database.transaction() as db:
        await seed(db, firm.uuid)
    return firm


@pytest.fixture
async def city(house: House) -> AsyncIterator[DemoSimulation]:
    writer = Writer(house.database, house.settings)
    simulation = DemoSimulation(
        house.database, house.settings, make_storage(house.settings), writer, name="City"
    )
    yield simulation
    await simulation.close()
    await writer.close()


def make_city(folder: Path) -> DemoCity:
    """Make the demo's city of a data directory that `pannier serve` uses."""
    settings = load({}, data=str(folder), router_url="van=http://127.0.0.1:9")
    return DemoCity(settings, RouteFinder(create_router(settings, SystemClock())))


@pytest.mark.usefixtures("helsinki_pbf")
async def test_the_first_start_builds_the_city_and_uses_it(tmp_path: Path) -> None:
    city, maps = make_city(tmp_path), MapFolder(tmp_path)
    while (used := maps.find_current_city()) is None:
        await city.prepare()
    assert used.name == "helsinki"


async def test_who_chose_to_use_no_city_keeps_that(tmp_path: Path, helsinki: CityFolder) -> None:
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "cities").symlink_to(helsinki.path.parent)
    assert await make_city(tmp_path).prepare()
    assert MapFolder(tmp_path).find_current_city() is None


async def test_a_demo_without_map_programs_begins_at_once_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "ENVIRONMENT", tmp_path / "environment")
    city = make_city(tmp_path)
    with capture_logs() as logs:
        for _ in range(2):
            assert await city.prepare()
    assert [entry["event"] for entry in logs].count("demo without streets") == 1


class Trip(msgspec.Struct):
    """A drive to a drop-off: when its ETA was read first, the ETA, and the arrival."""

    seen_at: datetime
    eta: datetime
    arrival: datetime | None = None

    def error(self) -> float:
        """Return the error of the ETA as a share of the drive."""
        assert self.arrival is not None
        return abs(self.eta - self.arrival) / max(self.arrival - self.seen_at, STEP)


async def list_orders(firm: Firm) -> list[dict[str, Any]]:
    """List the orders of the last hours: the demo's numbers of them grow."""
    found = await firm.api.get("/v1/orders", params={"limit": 100, "sort": "-updated_at"})
    assert found.status_code == 200, found.text
    orders: list[dict[str, Any]] = found.json()
    return orders


async def read_eta(firm: Firm, order: str) -> datetime:
    tracker = (await firm.api.get(f"/v1/orders/{order}/tracker")).json()
    assert tracker["route_source"] == "osrm"
    return datetime.fromisoformat(tracker["eta"])


async def run(firm: Firm, city: DemoSimulation, clock: ManualClock) -> list[Trip]:
    """Let the demo run, and read the ETA of each order that a courier sets off with."""
    trips = dict[str, Trip]()
    await city.step()
    assert await runner(firm.house).step()  # the plan of the morning
    for _ in range(STEPS):
        await city.step()
        for order in await list_orders(firm):
            name, done_at = order["id"], order["completed_at"]
            if name in trips and done_at is not None:
                trips[name].arrival = datetime.fromisoformat(done_at) - HANDOVER_DURATION
            elif order["status"] == "enroute" and name not in trips and not order["meta"]:
                trips[name] = Trip(clock.now(), await read_eta(firm, name))
        clock.advance(seconds=STEP.total_seconds())
    return [trip for trip in trips.values() if trip.arrival and trip.arrival > trip.seen_at]


async def measure_offroad(firm: Firm, url: str) -> list[float]:
    """Measure how far the last positions are from the next street, in metres."""
    params = {"event_type": "position_update", "limit": 100}
    found = await firm.admin.get("/int/v1/fleet-module/device-events", params=params)
    metres = list[float]()
    for event in found.json()["data"]:
        longitude, latitude = event["location"]["coordinates"]
        near = CALLER.get(f"{url}/nearest/v1/driving/{longitude},{latitude}").json()
        metres.append(near["waypoints"][0]["distance"])
    return metres


async def test_couriers_follow_streets_and_the_median_eta_is_off_by_less_than_20_per_cent(
    firm: Firm, city: DemoSimulation, clock: ManualClock, engine_urls: str
) -> None:
    trips = await run(firm, city, clock)
    assert len(trips) >= MIN_TRIPS
    # It was 6 % in November 2026.
    assert statistics.median(trip.error() for trip in trips) < MAX_MEDIAN_ERROR
    metres = await measure_offroad(firm, engine_urls.rpartition("bicycle=")[2])
    assert len(metres) == 100
    assert statistics.quantiles(metres, n=10)[-1] < MAX_METRES
