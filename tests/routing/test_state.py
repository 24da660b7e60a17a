"""Operators see which router there is, and whether it answers."""

from pathlib import Path

import pytest

import program
from orders.shop import Shop
from pannier.maps.folder import CityManifest, MapFolder
from pannier.routing.breaker import MAX_FAILURES
from routing.machines import Machine
from stage import Firm


async def test_the_state_says_when_the_engine_does_not_answer(
    roadside: tuple[Shop, Machine],
) -> None:
    shop, machine = roadside
    assert (await state(shop.firm))["checks"]["routing"] == "ok"
    machine.status = 503
    order = await shop.order()
    for _ in range(MAX_FAILURES):
        await shop.get(f"orders/{order['id']}/distance-and-time")
    told = await state(shop.firm)
    assert "great circles" in told["checks"]["routing"]
    assert (told["status"], told["providers"]["router"]) == ("degraded", "osrm")


async def test_without_an_engine_the_state_has_nothing_to_say_of_it(acme: Firm) -> None:
    told = await state(acme)
    assert "routing" not in told["checks"]
    assert told["providers"]["router"] == "none"


async def state(firm: Firm) -> dict[str, dict[str, str]]:
    told: dict[str, dict[str, str]] = (await firm.admin.get("/status")).json()
    return told


@pytest.mark.slow
def test_the_doctor_looks_at_the_city_in_use(tmp_path: Path) -> None:
    def findings(**settings: str) -> list[str]:
        # Without an installation something else is wrong too.
        done = program.run(tmp_path, "doctor", database_url="postgres://localhost:1", **settings)
        return [line for line in done.stdout.splitlines() if " routing " in line]

    assert findings() == []
    (missing,) = findings(router="embedded")
    assert missing.startswith("WRONG")
    assert "pannier map build" in missing
    maps = MapFolder(tmp_path)
    city = maps.get_city("nowhere")
    city.path.mkdir(parents=True)
    city.write_manifest(
        CityManifest(
            name="nowhere",
            bounds=(0, 0, 1, 1),
            profiles=("car", "bicycle"),
            built_at="2026-01-01T00:00:00Z",
            source_name="nowhere.osm.pbf",
            source_sha256="0" * 64,
            attribution="© OpenStreetMap contributors",
        )
    )
    maps.use_city(city)
    (present,) = findings()
    assert "nowhere" in present
