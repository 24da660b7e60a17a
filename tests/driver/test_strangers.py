"""Answers of somebody on the way, a gateway or a network's log-in page: none stops the queue."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from driver.handset import Dispatcher, Handset
from driver.rider import Rider
from driver.weather import Weather, foreign
from stage import Firm

pytestmark = pytest.mark.slow
ELSEWHERE = {**foreign(302), "headers": {"Location": "/log-in"}}
IN_JSON = {**foreign(403, '{"code": 7}'), "headers": {"Content-Type": "application/json"}}


@pytest.mark.parametrize("status", [400, 403, 413])
async def test_what_a_gateway_turns_down_holds_up_no_other_order_and_is_refused_in_the_end(
    handset: Handset, dispatcher: Dispatcher, weather: Weather, status: int
) -> None:
    orders = [await dispatcher.give(handset.driver) for _ in range(2)]
    weather.meets = lambda scope: "capture-photo" in scope["path"]
    weather.coming.extend([foreign(status)] * 50)
    photo = await handset.photo(orders[0])
    await handset.press(orders[1], "started")
    for _ in range(4):
        await handset.send()
    assert (await dispatcher.get(f"orders/{orders[1]['id']}"))["status"] == "started"
    [kept] = await handset.entries()
    assert (kept["id"], kept["state"], kept["problem"]["code"]) == (photo, "refused", "turned_down")
    weather.coming.clear()
    assert await handset.js("return outbox.retryEntry(given.id)", id=photo) == 0
    assert len(await dispatcher.get(f"orders/{orders[0]['id']}/proofs")) == 1


@pytest.mark.parametrize(
    "answer",
    [foreign(200), ELSEWHERE, IN_JSON, foreign(413), foreign(511)],
    ids=["page", "elsewhere", "json", "413", "511"],
)
async def test_a_network_that_lets_nothing_through_is_waited_for_and_refuses_nothing(
    handset: Handset, dispatcher: Dispatcher, weather: Weather, answer: dict[str, Any]
) -> None:
    orders = [await dispatcher.give(handset.driver) for _ in range(2)]
    weather.meets = lambda _: True
    weather.coming.extend([answer] * 500)
    for order in orders:
        await handset.press(order, "started")
    for _ in range(8):
        assert await handset.send() == 2
    assert [entry["state"] for entry in await handset.entries()] == ["waiting", "waiting"]
    assert (await handset.standing())["signIn"] is False
    weather.coming.clear()
    assert await handset.send() == 0
    for order in orders:
        assert (await dispatcher.get(f"orders/{order['id']}"))["status"] == "started"


async def test_a_network_that_lets_only_reading_through_refuses_nothing(
    handset: Handset, dispatcher: Dispatcher, weather: Weather
) -> None:
    orders = [await dispatcher.give(handset.driver) for _ in range(2)]
    weather.coming.extend([foreign(403)] * 500)
    for order in orders:
        await handset.press(order, "started")
    for _ in range(8):
        assert await handset.send() == 2
    assert [entry["state"] for entry in await handset.entries()] == ["waiting", "waiting"]
    weather.coming.clear()
    assert await handset.send() == 0


async def test_what_was_turned_down_on_the_way_is_sent_again_as_the_same(
    handset: Handset, dispatcher: Dispatcher, weather: Weather
) -> None:
    weather.meets = lambda scope: "issues" in scope["path"]
    weather.coming.extend([foreign(403)] * 50)
    body = {"report": "The door does not close."}
    issue = await handset.add(kind="issue", path="/v1/issues", body=body)
    for _ in range(4):
        await handset.send()
    [kept] = await handset.entries()
    assert (kept["state"], kept["problem"]["code"]) == ("refused", "turned_down")
    weather.coming.clear()
    assert await handset.js("return outbox.retryEntry(given.id)", id=issue) == 0
    # Whoever stood in the way may have let it through, and kept the answer.
    assert {key for path, key, _ in weather.heard if "issues" in path} == {issue}
    assert len(await dispatcher.get("issues")) == 1


async def test_the_driver_reads_that_the_network_wants_something(
    acme: Firm, app: Page, weather: Weather
) -> None:
    rider = await Rider.of(acme, app)
    order = await rider.round()
    await rider.sign_in()
    await rider.link("Night Safari").click()
    await expect(rider.button("Start order")).to_be_enabled()
    weather.meets = lambda _: True
    weather.coming.extend([foreign(200)] * 500)
    await rider.button("Start order").click()
    await rider.link("Wi-Fi sign-in needed?").click()
    await expect(
        rider.page.get_by_text("This network cannot reach the server").first
    ).to_be_visible()
    weather.coming.clear()
    await rider.send_all()
    assert (await rider.read(order))["status"] == "started"
