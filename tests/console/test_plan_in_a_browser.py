"""Planning routes in a browser: the morning is planned, changed by hand, accepted and undone."""

from typing import Any

import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from console.browser import in_both_themes
from planning.day import TOMORROW, Yard, at, place, runner
from stage import Firm, House

pytestmark = pytest.mark.slow
HOME = "/console/plan"
SHIFTS = [
    {
        "days": ["fri"], "start": "08:00", "end": "17:00",
        "breaks": [{"earliest": "11:00", "latest": "13:00", "duration": 1800}],
    }
]  # fmt: skip


@pytest.fixture
def yard(acme: Firm) -> Yard:
    return Yard(acme)


async def furnish(yard: Yard, orders: int = 7) -> list[dict[str, Any]]:
    """Hire three drivers, and place orders: one that nobody can do, one that will be late."""
    drivers = []
    for number, name in enumerate(("Ada Lovelace", "Grace Hopper", "Mary Jackson")):
        van = await yard.vehicle(plate_number=f"SGX {1000 + number} A")
        drivers.append(await yard.driver(name=name, vehicle=van["id"], shifts=SHIFTS))
    for number in range(orders):
        await yard.order(
            pickup={"name": "Depot", "street1": "1 Raffles Place", "latitude": 1.284,
                    "longitude": 103.851},
            dropoff=place(number * 3), internal_id=f"SO-{number + 1}",
            entities=[{"name": "Box", "weight": 10}], scheduled_at=at("08:00"),
        )  # fmt: skip
    late = await yard.order(
        pickup=place(30), dropoff=place(21), internal_id="SO-90", scheduled_at=at("08:00"),
        time_window_end=at("08:10"), driver=drivers[0]["id"],
    )  # fmt: skip
    await yard.order(
        pickup=place(3), dropoff=place(4), internal_id="SO-91", scheduled_at=at("08:00"),
        required_skills=["cold chain"],
    )  # fmt: skip
    return [*drivers, late]


async def wait_until_done(page: Tab) -> None:
    """Wait until the page of a plan has loaded itself again with the routes."""
    await expect(page.locator("#plan[data-state=done]")).to_be_attached()
    await expect(page.get_by_role("button", name="Accept")).to_be_visible()


async def drag(page: Tab, order: str, driver: str) -> None:
    """Drag an order's drop-off to the lane of a driver."""
    await page.locator(".lanes").scroll_into_view_if_needed()
    bar = await page.locator(f".track a[data-order='{order}'] rect").last.bounding_box()
    lane = await page.locator(f".lane[data-driver='{driver}'] .track").bounding_box()
    assert bar
    assert lane
    await page.mouse.move(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2)
    await page.mouse.down()
    await page.mouse.move(lane["x"] + 300, lane["y"] + lane["height"] / 2, steps=4)
    await expect(page.locator(".lane.over")).to_have_attribute("data-driver", driver)
    await page.mouse.up()


async def confirm(page: Tab, button: str, words: str) -> None:
    """Answer the question of a button."""
    await page.locator("header.head").get_by_role("button", name=button).click()
    dialog = page.locator("#sure")
    await expect(dialog).to_contain_text(words)
    await dialog.get_by_role("button", name=button).click()


async def watch(page: Tab, yard: Yard, driver: dict[str, Any]) -> None:
    """Follow the drivers of an accepted plan on the live map."""
    plan = page.url
    await yard.post(f"drivers/{driver['id']}/track", latitude=1.29, longitude=103.85)
    await page.get_by_role("link", name="Follow them on the live map").click()
    await expect(page.get_by_role("heading", name="Live map")).to_be_visible()
    await expect(page.locator("main").get_by_text(driver["name"]).first).to_be_visible()
    await page.goto(plan)


async def test_the_morning_is_planned_changed_by_hand_accepted_and_undone(
    yard: Yard, house: House, page: Tab
) -> None:
    await furnish(yard)
    await page.goto(HOME)
    await page.get_by_role("textbox", name="Day").fill(TOMORROW)
    await page.get_by_label("Aim").select_option("balance")
    await page.get_by_text("More options").click()
    await page.get_by_label("Time per stop").fill("20")
    await page.get_by_label("Search time").fill("1")
    await page.get_by_role("button", name="Plan routes").click()
    await expect(page.get_by_role("heading", name="Waiting for a worker")).to_be_visible()
    assert await runner(house).step()
    await wait_until_done(page)
    await page.locator(".lane summary").first.click()
    assert await in_both_themes(page) == []
    await page.locator(".lane summary").first.click()
    [plan] = await yard.get("plans")
    before = await yard.get(f"plans/{plan['id']}")
    giver, taker = before["routes"][:2]
    order = giver["stops"][-1]["order"]
    had = (await yard.get(f"orders/{order}"))["driver_assigned"]
    await drag(page, order, taker["driver"]["id"])
    dialog = page.locator("#move")
    await expect(dialog.get_by_label("Move to")).to_have_value(taker["driver"]["id"])
    await expect(dialog).to_contain_text("working time \N{MINUS SIGN}")
    assert await in_both_themes(page) == []
    assert (await yard.get(f"plans/{plan['id']}"))["routes"] == before["routes"]
    await dialog.get_by_role("button", name="Save move").click()
    await expect(page.locator("#toasts")).to_contain_text(f"to {taker['driver']['name']}.")
    after = await yard.get(f"plans/{plan['id']}")
    [route] = [one for one in after["routes"] if one["driver"] == taker["driver"]]
    assert order in {stop["order"] for stop in route["stops"]}
    await confirm(page, "Accept", "Assign ")
    await expect(page.locator("#plan")).to_contain_text("Accepted")
    assert (await yard.get(f"orders/{order}"))["driver_assigned"]["id"] == taker["driver"]["id"]
    await watch(page, yard, taker["driver"])
    await confirm(page, "Undo", "Undo this plan?")
    await expect(page.locator("#plan")).to_contain_text("Orders have their previous drivers again.")
    assert (await yard.get(f"orders/{order}"))["driver_assigned"] == had
    await page.goto(HOME)
    assert await in_both_themes(page) == []
