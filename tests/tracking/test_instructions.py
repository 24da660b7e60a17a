"""Delivery instructions: with the link and the secret, until the driver is near."""

import asyncio
from typing import Any

import httpx
import msgspec
import pytest

from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from routing.test_routing import sign_in
from stage import Firm, House
from tracking.asking import link_of, link_to, stranger

HOME = {**MANDAI, "postal_code": "729826"}
SHED = {"handover": "safe_place", "location": "Garden shed", "access_code": "4711#",
        "note": "Knock, please."}  # fmt: skip
CHANGES = "select count(*) from audit_entries where action = 'order.instructions_changed'"
LAST_EVENT = """select body from events where name = 'order.updated'
    order by created_at desc limit 1"""


async def placed(shop: Shop, **more: Any) -> dict[str, Any]:
    """Place an order to a home with a postcode."""
    return await shop.order(pickup=RAFFLES, dropoff=HOME, **more)


async def admitted(house: House, link: str) -> httpx.AsyncClient:
    """Come by the link and answer with the postcode, as the recipient."""
    client = stranger(house)
    answer = await client.post(link, data={"secret": "729826", "to": "/instructions"})
    assert answer.headers["location"] == form_of(link)
    return client


def form_of(link: str) -> str:
    """Take the path of the form."""
    return link.replace("?", "/instructions?")


async def give(house: House, link: str, **fields: str) -> httpx.Response:
    """Give instructions, as the recipient."""
    client = await admitted(house, link)
    return await client.post(form_of(link), data={**SHED, **fields})


async def read(shop: Shop, order: dict[str, Any]) -> dict[str, Any] | None:
    """Read the instructions as the company sees them."""
    shown: dict[str, Any] | None = (await shop.get(f"orders/{order['id']}"))[
        "delivery_instructions"
    ]
    return shown


async def test_the_recipient_gives_instructions_and_the_company_reads_them(
    shop: Shop, house: House
) -> None:
    order = await placed(shop)
    link = await link_of(shop, order)
    saved = await give(house, link)
    assert (saved.status_code, saved.headers["location"]) == (303, link)
    shown = await read(shop, order)
    assert shown is not None
    assert {name: shown[name] for name in SHED} == SHED
    assert shown["requested_at"] == "2026-01-15T12:00:00.000Z"
    async with await admitted(house, link) as client:
        page = (await client.get(link)).text
        assert "Leave it in a safe place" in page
        assert "Garden shed" not in page
        assert "4711#" not in page
        assert "Garden shed" in (await client.get(form_of(link))).text
    event = await house.value(LAST_EVENT)
    assert msgspec.json.decode(event)["data"]["changed"] == ["delivery_instructions"]
    assert b"4711#" not in event
    assert await house.value(CHANGES) == 1


async def test_neither_the_link_nor_the_postcode_is_enough(shop: Shop, house: House) -> None:
    order = await placed(shop)
    link = await link_of(shop, order)
    number = order["tracking_number"]["tracking_number"]
    async with stranger(house) as client:
        assert "Confirm your details" in (await client.get(form_of(link))).text
        refused = await client.post(form_of(link), data=SHED)
        assert "Confirm your details" in refused.text
    async with stranger(house) as client:
        await client.post(f"/t/{number}", data={"secret": "729826"})
        assert "Order received" in (await client.get(f"/t/{number}")).text
        for method in ("GET", "POST"):
            led = await client.request(method, f"/t/{number}/instructions", data=SHED)
            assert led.headers["location"] == f"/t/{number}"
    async with stranger(house) as client:
        led = await client.get("/t/ABC-1234-5678-9ABC/instructions")
        assert led.status_code in {303, 404}
    assert await read(shop, order) is None


async def test_the_pass_of_one_delivery_changes_no_other(
    shop: Shop, rival: Firm, house: House
) -> None:
    link = await link_of(shop, await placed(shop))
    theirs = Shop(rival)
    order = await placed(theirs)
    async with await admitted(house, link) as client:
        refused = await client.post(form_of(await link_of(theirs, order)), data=SHED)
        assert "Confirm your details" in refused.text
    assert await read(theirs, order) is None


async def test_wrong_answers_are_counted(shop: Shop, house: House) -> None:
    link = await link_of(shop, await placed(shop))
    async with stranger(house) as client:
        for _ in range(10):
            wrong = await client.post(link, data={"secret": "000000", "to": "/instructions"})
            assert wrong.status_code == 422
        late = await client.post(link, data={"secret": "729826", "to": "/instructions"})
        assert late.status_code == 429
        assert "Confirm your details" in (await client.get(form_of(link))).text


async def test_each_stop_has_its_recipients_instructions(shop: Shop, house: House) -> None:
    order = await shop.order(
        payload={"waypoints": [{**RAFFLES, "type": "pickup"}, HOME, {**CHANGI, "postal_code": "1"}]}
    )
    stop = order["payload"]["waypoints"][1]
    await give(house, await link_to(shop, stop["tracking_number"]))
    stops = (await shop.get(f"orders/{order['id']}"))["payload"]["waypoints"]
    shown = [stop["delivery_instructions"] for stop in stops]
    assert shown[1]["location"] == "Garden shed"
    assert shown[0] is shown[2] is None
    event = msgspec.json.decode(await house.value(LAST_EVENT))
    assert "delivery_instructions" in event["data"]["changed"]


async def test_a_safe_place_is_described_and_texts_are_cut(shop: Shop, house: House) -> None:
    order = await placed(shop)
    link = await link_of(shop, order)
    empty = await give(house, link, location="  ")
    assert empty.status_code == 422
    assert "Describe the place" in empty.text
    assert await read(shop, order) is None
    await give(house, link, note="One\r\ntwo\x00\u202e" + "x" * 600, handover="elsewhere")
    shown = await read(shop, order)
    assert shown is not None
    assert (shown["handover"], shown["location"]) == ("recipient", None)
    assert shown["note"].startswith("One two x")
    assert len(shown["note"]) == 500


async def test_the_same_again_changes_nothing_and_an_empty_form_withdraws(
    shop: Shop, house: House
) -> None:
    order = await placed(shop)
    link = await link_of(shop, order)
    await give(house, link)
    before = await read(shop, order)
    house.clock.advance(minutes=5)
    await give(house, link)
    assert await read(shop, order) == before
    assert await house.value(CHANGES) == 1
    await give(house, link, handover="recipient", location="", access_code="", note="")
    assert await read(shop, order) is None
    assert await house.value(CHANGES) == 2


async def test_changes_of_a_delivery_are_limited(shop: Shop, house: House) -> None:
    order = await placed(shop)
    link = await link_of(shop, order)
    client = await admitted(house, link)
    for turn in range(20):
        assert (await client.post(form_of(link), data={**SHED, "note": str(turn)})).is_redirect
    late = await client.post(form_of(link), data=SHED)
    assert late.status_code == 429
    shown = await read(shop, order)
    assert shown is not None
    assert shown["note"] == "19"


async def test_two_at_once_are_saved_one_after_the_other(shop: Shop, house: House) -> None:
    order = await placed(shop)
    link = await link_of(shop, order)
    clients = [await admitted(house, link) for _ in range(2)]
    answers = await asyncio.gather(
        *(
            client.post(form_of(link), data={**SHED, "note": str(turn)})
            for turn, client in enumerate(clients)
        )
    )
    assert [answer.status_code for answer in answers] == [303, 303]
    assert await house.value(CHANGES) == 2
    shown = await read(shop, order)
    assert shown is not None
    assert shown["note"] in {"0", "1"}


async def test_near_the_driver_it_is_too_late(shop: Shop, house: House) -> None:
    order = await shop.started(pickup=RAFFLES, dropoff=HOME)
    link, driver = await link_of(shop, order), order["driver_assigned"]["id"]
    await shop.fire(order, "enroute")
    await shop.post(f"drivers/{driver}/track", latitude=RAFFLES["latitude"], longitude=103.85)
    assert (await give(house, link)).status_code == 303
    await shop.post(f"drivers/{driver}/track", latitude=1.4, longitude=103.79)
    near = await give(house, link, note="Late")
    assert near.status_code == 409
    assert "too late" in near.text
    shown = await read(shop, order)
    assert shown is not None
    assert shown["note"] == "Knock, please."
    async with await admitted(house, link) as client:
        assert "Change delivery instructions" not in (await client.get(link)).text


async def test_after_the_arrival_it_is_too_late_even_without_a_position(
    shop: Shop, house: House
) -> None:
    config = await shop.config(
        {"code": "at_the_door", "status": "At the door", "next": ["delivered"]},
        {"code": "delivered", "status": "Delivered", "complete": True},
    )
    order = await shop.started(pickup=RAFFLES, dropoff=HOME, order_config=config["id"])
    link = await link_of(shop, order)
    assert (await give(house, link)).status_code == 303
    await shop.fire(order, "at_the_door")
    assert (await give(house, link, note="Late")).status_code == 409
    await shop.fire(order, "delivered")
    assert (await give(house, link, note="Late")).status_code == 409


async def test_a_driver_at_the_pickup_is_not_near(shop: Shop, house: House) -> None:
    order = await shop.started(pickup=RAFFLES, dropoff=HOME)
    link = await link_of(shop, order)
    for code in ("arrived_at_pickup", "collected"):
        await shop.fire(order, code)
        assert (await give(house, link, note=code)).status_code == 303


@pytest.mark.parametrize(
    ("until", "open_stages", "said"),
    [
        ("never", 0, "It is too late to change"),
        ("dispatched", 1, "until the order is sent to a driver"),
        ("started", 2, "until the driver sets off"),
        ("near", 3, "until the driver is near"),
    ],
)
async def test_the_company_says_until_when(
    shop: Shop, house: House, until: str, open_stages: int, said: str
) -> None:
    change = {"recipients": {"instructions_until": until}}
    assert (await shop.firm.admin.patch("/int/v1/settings", json=change)).is_success
    order = await shop.ready(pickup=RAFFLES, dropoff=HOME)
    link = await link_of(shop, order)
    assert said in (await (await admitted(house, link)).get(form_of(link))).text
    answers = [(await give(house, link, note="1")).status_code]
    await shop.act(order, "dispatch")
    answers.append((await give(house, link, note="2")).status_code)
    await shop.act(order, "start")
    answers.append((await give(house, link, note="3")).status_code)
    assert answers == [303] * open_stages + [409] * (3 - open_stages)


async def test_an_order_that_ended_takes_no_instructions(shop: Shop, house: House) -> None:
    order = await placed(shop)
    link = await link_of(shop, order)
    await shop.act(order, "cancel")
    assert (await give(house, link)).status_code == 409
    assert await read(shop, order) is None


async def test_the_driver_reads_them_until_a_day_after_the_end(
    acme: Firm, shop: Shop, house: House
) -> None:
    order = await shop.ready(pickup=RAFFLES, dropoff=HOME)
    stops = await shop.order(
        payload={"waypoints": [RAFFLES, HOME]}, driver=order["driver_assigned"]["id"]
    )
    number = stops["payload"]["waypoints"][1]["tracking_number"]
    for link in (await link_of(shop, order), await link_to(shop, number)):
        assert (await give(house, link)).status_code == 303
    driver = await shop.get(f"drivers/{order['driver_assigned']['id']}")
    client = await sign_in(acme, driver)
    for each in (order, stops):
        path = f"/v1/orders/{each['id']}"
        assert "4711#" in (await client.get(path)).text
        await shop.act(each, "cancel")
        assert "4711#" in (await client.get(path)).text
    house.clock.advance(hours=25)
    client = await sign_in(acme, driver)
    for each in (order, stops):
        answer = await client.get(f"/v1/orders/{each['id']}")
        assert each["id"] in answer.text
        assert "4711#" not in answer.text


async def test_without_the_link_nobody_reads_that_there_are_instructions(
    shop: Shop, house: House
) -> None:
    order = await placed(shop)
    await give(house, await link_of(shop, order))
    path = f"/t/{order['tracking_number']['tracking_number']}"
    async with stranger(house) as client:
        await client.post(path, data={"secret": "729826"})
        page = (await client.get(path)).text
        assert "Order received" in page
        assert "safe place" not in page
