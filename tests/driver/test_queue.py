"""What drivers press and capture: kept without reception, sent in order, exactly once."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.async_api import BrowserContext

from console.browser import Troubles, until
from driver.handset import BrowserHandset, Dispatcher, Handset, NodeHandset
from driver.weather import Weather, foreign, problem
from proofs import drawn
from stage import House

pytestmark = pytest.mark.slow


async def proofs(house: House, order: dict[str, Any]) -> int:
    found: int = await house.value(
        """select count(*) from proofs join orders on orders.uuid = proofs.order_uuid
           where orders.public_id = :id""",
        id=order["id"],
    )
    return found


async def told(house: House, name: str) -> int:
    found: int = await house.value("select count(*) from events where name = :name", name=name)
    return found


async def deliver(handset: Handset, order: dict[str, Any], turn: int = 0) -> None:
    """Do everything with an order that its driver does."""
    await handset.press(order, "started")
    await handset.press(order, "arrived")
    await handset.photo(order, turn)
    await handset.press(order, "handed_over")


async def test_what_is_done_without_reception_is_sent_in_order_when_there_is_some(
    handset: Handset, dispatcher: Dispatcher, weather: Weather, house: House
) -> None:
    orders = [await dispatcher.give(handset.driver) for _ in range(2)]
    weather.gone = True
    for turn, order in enumerate(orders):
        await deliver(handset, order, turn)
    assert await handset.send() == 8
    assert not weather.heard
    weather.gone = False
    assert await handset.send() == 0
    assert await handset.entries() == []
    for order in orders:
        paths = [path.split("/")[4] for path in weather.done() if order["id"] in path]
        assert paths == ["start", "update-activity", "capture-photo", "update-activity"]
        assert (await dispatcher.get(f"orders/{order['id']}"))["status"] == "completed"
        assert await proofs(house, order) == 1
    assert await handset.js("return store.getAllRecords('pictures')") == []


async def test_orders_leave_the_phone_a_day_after_they_ended_also_without_reception(
    handset: NodeHandset, dispatcher: Dispatcher, weather: Weather
) -> None:
    first, second = [await dispatcher.give(handset.driver) for _ in range(2)]
    assert await handset.js("return (await orders.pullOrders()).status") == 200
    # The phone hears that the first order is delivered, and cannot read its orders again.
    weather.meets = lambda scope: scope["path"] == "/v1/orders"
    weather.coming.extend(["gone"] * 1_000)
    await deliver(handset, first)
    assert await handset.send() == 0
    weather.gone = True
    kept = """await orders.pullOrders();
        return (await store.getAllRecords('orders')).map((one) => one.id)"""
    both = sorted([first["id"], second["id"]])
    for hours, left in ((23, both), (25, [second["id"]])):
        await handset.stop_clock(datetime.now(UTC) + timedelta(hours=hours))
        assert sorted(await handset.js(kept)) == left


@pytest.mark.parametrize("fate", ["gone", "cut", "lost"])
async def test_each_thing_arrives_once_however_the_connection_breaks(
    handset: Handset, dispatcher: Dispatcher, weather: Weather, house: House, fate: str
) -> None:
    order = await dispatcher.give(handset.driver)
    for number in range(4):
        # Every one of the four requests meets the bad weather once, and then good weather.
        weather.coming.extend([fate] if number == 0 else [None, fate])
    await deliver(handset, order)
    for _ in range(6):
        await handset.send()
    assert await handset.entries() == []
    assert (await dispatcher.get(f"orders/{order['id']}"))["status"] == "completed"
    assert await proofs(house, order) == 1
    assert await told(house, "proof_of_delivery.created") == 1
    assert await told(house, "order.completed") == 1


async def test_two_tabs_send_each_thing_once(
    browser_handset: BrowserHandset,
    phone_with_worker: BrowserContext,
    dispatcher: Dispatcher,
    weather: Weather,
) -> None:
    handset = browser_handset
    other = BrowserHandset(await phone_with_worker.new_page(), handset.driver)
    await other.open()
    order = await dispatcher.give(handset.driver)
    weather.gone = True
    await deliver(handset, order)
    await handset.page.evaluate(
        "() => { window.heard = 0; addEventListener('outbox', () => window.heard++) }"
    )
    weather.gone = False
    await other.js("outbox.send(); outbox.send(); return 0")
    assert await handset.send() == 0
    assert await other.send() == 0
    assert len(weather.heard) == 4
    await until(handset.page, "window.heard")


async def test_a_sign_in_that_ended_loses_nothing(
    handset: Handset, dispatcher: Dispatcher, weather: Weather, house: House
) -> None:
    order = await dispatcher.give(handset.driver)
    async with house.client(handset.token) as client:
        await client.post("/v1/drivers/logout")
    await deliver(handset, order)
    assert await handset.send() == 4
    assert (await handset.standing())["signIn"] is True
    assert len(weather.done(401)) == 1
    await handset.sign_in(await dispatcher.signed_in(handset.driver))
    assert await handset.send() == 0
    assert (await dispatcher.get(f"orders/{order['id']}"))["status"] == "completed"


async def test_another_driver_on_the_same_phone_does_not_send_what_is_not_theirs(
    handset: Handset, dispatcher: Dispatcher, weather: Weather
) -> None:
    order = await dispatcher.give(handset.driver)
    weather.gone = True
    await handset.press(order, "started")
    first, handset.driver = handset.driver, await dispatcher.driver(name="Grace")
    await handset.sign_in(await dispatcher.signed_in(handset.driver))
    weather.gone = False
    assert await handset.send() == 0
    assert (await handset.standing())["others"] == 1
    assert weather.heard == []
    handset.driver = first
    await handset.sign_in(handset.token)
    assert await handset.send() == 0
    assert len(weather.done()) == 1


async def test_an_issue_with_a_photo_arrives_once_and_waits_for_no_order(
    handset: Handset, dispatcher: Dispatcher, weather: Weather, house: House
) -> None:
    order = await dispatcher.give(handset.driver)
    path = f"/v1/orders/{order['id']}/update-activity"
    body = {"activity": "handed_over"}
    refused = await handset.add(kind="activity", order=order["id"], path=path, body=body)
    assert "refused" in await handset.outcome(refused)
    weather.coming.append("lost")
    await handset.add(
        drawn.photo(),
        kind="issue",
        order=order["id"],
        path="/v1/issues/with-photos",
        body={"report": "The door does not close.", "order": order["id"]},
    )
    while await handset.send():
        pass
    assert [entry["id"] for entry in await handset.entries()] == [refused]
    assert await house.value("select count(*) from issues") == 1
    [issue] = await dispatcher.get(f"issues?order={order['id']}")
    assert len(await dispatcher.get(f"issues/{issue['id']}/photos")) == 1


async def test_too_many_requests_are_waited_for(
    handset: Handset, dispatcher: Dispatcher, weather: Weather
) -> None:
    order = await dispatcher.give(handset.driver)
    weather.coming.append(problem(429, "too_many_requests", **{"Retry-After": "120"}))
    entry = await handset.press(order, "started")
    assert (await handset.outcome(entry))["waiting"]["problem"]["code"] == "too_many_requests"
    assert await handset.send() == 1
    assert len(weather.heard) == 1
    standing = await handset.standing()
    assert (standing["waiting"], standing["until"] > 0) == (1, True)
    await handset.js("await store.saveValue('pause', Date.now() - 1)")
    assert await handset.send() == 0


async def test_a_defect_at_one_order_does_not_hold_up_the_others(
    handset: Handset, dispatcher: Dispatcher, weather: Weather
) -> None:
    orders = [await dispatcher.give(handset.driver) for _ in range(2)]
    weather.gone = True
    for order in orders:
        await handset.press(order, "started")
        await handset.press(order, "arrived")
    weather.meets = lambda scope: orders[0]["id"] in scope["path"]
    weather.coming.extend([problem(500, "internal")] * 50)
    weather.gone = False
    assert await handset.send() == 2
    assert {entry["order"] for entry in await handset.entries()} == {orders[0]["id"]}
    weather.coming.clear()
    assert await handset.send() == 0
    assert len({key for _, key, _ in weather.heard}) == 4


@pytest.mark.parametrize("answer", [foreign(200), foreign(403), foreign(404), foreign(502)])
async def test_nobody_but_the_interface_is_believed(
    handset: Handset, dispatcher: Dispatcher, weather: Weather, answer: dict[str, Any]
) -> None:
    order = await dispatcher.give(handset.driver)
    weather.coming.extend([answer] * 50)
    entry = await handset.press(order, "started")
    assert "waiting" in await handset.outcome(entry)
    weather.coming.clear()
    assert await handset.send() == 0
    assert (await dispatcher.get(f"orders/{order['id']}"))["status"] == "started"


async def test_a_full_phone_says_so_and_keeps_no_half_of_it(
    phone_with_worker: BrowserContext, dispatcher: Dispatcher, weather: Weather, troubles: Troubles
) -> None:
    driver = await dispatcher.driver()
    handset = BrowserHandset(await phone_with_worker.new_page(), driver)
    cdp = await phone_with_worker.new_cdp_session(handset.page)
    room = {"origin": troubles.origin, "quotaSize": 4_000_000}
    await cdp.send("Storage.overrideQuotaForOrigin", room)
    await handset.open()
    await handset.sign_in(await dispatcher.signed_in(driver))
    order, weather.gone = await dispatcher.give(driver), True
    before = [await handset.photo(order, turn) for turn in range(2)]
    name = await handset.js(
        """const grain = () => crypto.getRandomValues(new Uint8Array(60000));
           const noise = Array.from({ length: 100 }, grain);
           const path = `/v1/orders/${given.id}/capture-photo`;
           const pictures = [new Blob(noise)];
           return outbox.addEntry({ kind: "proof", order: given.id, path, pictures })
               .then(() => "kept", (error) => error.name)""",
        id=order["id"],
    )
    assert name == "StorageFull"
    assert [entry["id"] for entry in await handset.entries()] == before
    assert (
        len(await handset.js("return (await store.getAllRecords('pictures')).map(({ id }) => id)"))
        == 2
    )
    weather.gone = False
    assert await handset.send() == 0


async def test_what_is_given_up_while_it_is_on_its_way_is_given_up_or_done_and_never_both(
    handset: Handset, dispatcher: Dispatcher, weather: Weather
) -> None:
    order = await dispatcher.give(handset.driver)
    weather.coming.append("slow")
    entry = await handset.press(order, "started")
    await handset.js("globalThis.dropping = outbox.discardEntry(given.id)", id=entry)
    weather.sun.set()
    await handset.js("return globalThis.dropping")
    assert await handset.entries() == []
    # Either it had left before it was given up, or it never left.
    done = {0: "dispatched", 1: "started"}[len(weather.done())]
    assert (await dispatcher.get(f"orders/{order['id']}"))["status"] == done


async def test_what_is_added_twice_is_kept_once(
    handset: Handset, dispatcher: Dispatcher, weather: Weather
) -> None:
    order = await dispatcher.give(handset.driver)
    path = f"/v1/orders/{order['id']}/start"
    weather.gone = True
    for _ in range(2):
        name = await handset.add(kind="activity", order=order["id"], path=path, id="once")
        assert name == "once"
    assert len(await handset.entries()) == 1


async def test_a_phone_whose_clock_is_wrong_is_put_right_by_the_server(
    handset: NodeHandset, dispatcher: Dispatcher, weather: Weather, house: House
) -> None:
    order = await dispatcher.give(handset.driver)
    wrong = house.clock.now() + timedelta(hours=2)
    weather.gone = True
    await handset.stop_clock(wrong)
    # What is captured before the phone has heard of the server is dated by its own clock.
    await handset.photo(order, 1)
    [first] = await handset.entries()
    assert datetime.fromisoformat(first["at"]) > house.clock.now() + timedelta(hours=1)
    weather.gone = False
    assert await handset.send() == 0
    await handset.photo(order, 2)
    assert await handset.send() == 0
    assert weather.done(422) == [f"/v1/orders/{order['id']}/capture-photo"]
    assert await handset.entries() == []
    for proof in await dispatcher.get(f"orders/{order['id']}/proofs"):
        taken = datetime.fromisoformat(proof["created_at"])
        assert abs(taken - house.clock.now()) < timedelta(minutes=5)


async def test_a_message_with_a_photo_is_sent_once_after_its_answer_was_lost(
    handset: Handset, dispatcher: Dispatcher, weather: Weather
) -> None:
    weather.gone = True
    path = "/v1/driver-messages/with-photos"
    for text in ("This gate?", "I am at the front."):
        photos = [drawn.photo()] if text == "This gate?" else []
        body = {"text": text}
        await handset.add(
            *photos, kind="message", path=path if photos else "/v1/driver-messages", body=body
        )
    assert await handset.send() == 2
    weather.gone = False
    weather.coming.append("lost")
    while await handset.send():
        pass
    messages = await dispatcher.get("driver-messages")
    assert [(row["text"], len(row["photos"])) for row in messages] == [
        ("I am at the front.", 0), ("This gate?", 1),
    ]  # fmt: skip
    assert await handset.js("return store.getAllRecords('pictures')") == []
