"""Each process keeps companies' geofences, and never longer than they apply."""

from typing import Any

from devices.gear import Gear, device
from devices.test_deriving import alerts, derive, send, zone
from devices.walks import at, drive
from orders.shop import statements
from stage import Firm, House


async def entered(house: House, gear: Gear) -> list[str]:
    """The areas that a device was told to have entered, in order."""
    told = [row[5] for row in await alerts(house, gear)]
    return [data["area_id"] for data in told if data.get("action") == "enter"]


async def reads(house: House, gear: Gear, *fixes: Any) -> list[str]:
    """The statements on zones with which new positions are derived."""
    await send(house, gear, *fixes)
    async with statements(house) as heard:
        await derive(house.database)
    return [each for each in heard if "from zones" in each]


async def test_geofences_that_have_not_changed_are_not_read_again(acme: Firm, house: House) -> None:
    gear = await device(acme)
    made = await zone(acme, 1000, -500, 1000)
    assert await reads(house, gear, *drive(0, 0, seconds=60, kmh=36))
    assert await reads(house, gear, *drive(600, 60, seconds=100, kmh=36)) == []
    assert made["id"] in await entered(house, gear)


async def test_a_changed_geofence_applies_from_the_next_step_on(acme: Firm, house: House) -> None:
    gear = await device(acme)
    near, far = await zone(acme, 1000, -500, 1000), await zone(acme, 50_000, -500, 1000)
    await send(house, gear, *(at(10 * n, 0) for n in range(3)))
    await derive(house.database)
    for moved, other in ((near, far), (far, near)):
        border = {"border": other["border"]}
        assert (await acme.api.patch(f"/v1/zones/{moved['id']}", json=border)).status_code == 200
    assert len(await reads(house, gear, *(at(100 + 10 * n, 1500) for n in range(3)))) == 2
    found = await entered(house, gear)
    assert far["id"] in found
    assert near["id"] not in found


async def test_companies_have_each_their_own_geofences(
    acme: Firm, rival: Firm, house: House
) -> None:
    ours, theirs = await device(acme), await device(rival)
    made = await zone(acme, 1000, -500, 1000)
    for gear in (ours, theirs):
        await send(house, gear, at(0, 0), *(at(100 + 10 * n, 1500) for n in range(3)))
    await derive(house.database)
    assert made["id"] in await entered(house, ours)
    assert await entered(house, theirs) == []
