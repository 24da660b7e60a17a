"""A driver's token: their own orders, and nothing else."""

from typing import Any

import httpx
import pytest

from orders.shop import CHANGI, MANDAI, RAFFLES, Phone, Shop
from pannier.orders import sweep
from probe import refused
from stage import Firm, House


async def test_a_driver_carries_an_order_out(shop: Shop, phone: Phone) -> None:
    ada = await shop.driver()
    client = await phone(ada)
    order = await shop.order(driver=ada["id"], waypoints=[RAFFLES, MANDAI, CHANGI], dispatch=True)
    address = f"/v1/orders/{order['id']}"
    assert [row["id"] for row in (await client.get("/v1/orders")).json()] == [order["id"]]
    assert (await client.get(address)).json() == order | {
        "balance": None, "tracking_url": None,
    }  # fmt: skip
    assert (await client.post(f"{address}/start")).json()["status"] == "started"
    third = order["payload"]["waypoints"][2]["id"]
    moved = await client.post(f"{address}/set-destination/{third}")
    assert moved.json()["current_waypoint"] == third
    for _ in range(3):
        for _ in range(2):
            [activity] = (await client.get(f"{address}/next-activity")).json()
            fired = await client.patch(
                f"{address}/update-activity", json={"activity": activity["code"]}
            )
            assert fired.status_code == 200, fired.text
    assert fired.json()["status"] == "completed"
    assert (await client.get(f"{address}/tracker")).json()["progress"] == 100
    assert (await client.get(f"{address}/distance-and-time")).status_code == 200


async def test_the_link_for_the_recipient_is_not_for_the_driver(shop: Shop, phone: Phone) -> None:
    ada = await shop.driver()
    order = await shop.order(driver=ada["id"], dispatch=True)
    client, address = await phone(ada), f"/v1/orders/{order['id']}"
    for path in (address, f"{address}/tracker"):
        assert (await client.get(path)).json()["tracking_url"] is None
    assert (await client.get("/v1/orders")).json()[0]["tracking_url"] is None
    link = (await shop.get(f"orders/{order['id']}/tracker"))["tracking_url"]
    assert link == order["tracking_url"]
    page = await shop.firm.house.client().get(link.partition("8000")[2])
    assert page.status_code == 200
    assert order["tracking_number"]["tracking_number"] in page.text


async def test_somebody_elses_order_is_not_there(shop: Shop, phone: Phone) -> None:
    client = await phone(await shop.driver())
    for order in (await shop.ready(dispatch=True), await shop.order(adhoc=True)):
        address = f"/v1/orders/{order['id']}"
        for method, path in (
            ("GET", ""), ("GET", "/next-activity"), ("GET", "/flow"), ("GET", "/tracker"),
            ("GET", "/distance-and-time"), ("POST", "/start"), ("POST", "/complete"),
        ):  # fmt: skip
            refused(await client.request(method, address + path), 404, "not_found")
        body = {"activity": "started"}
        refused(await client.post(f"{address}/update-activity", json=body), 404, "not_found")
        assert await shop.get(f"orders/{order['id']}") == order
    assert (await client.get("/v1/orders")).json() == []


async def test_an_order_that_went_to_somebody_else_is_gone_at_once(
    shop: Shop, phone: Phone
) -> None:
    ada, grace = await shop.driver(), await shop.driver(name="Grace")
    client = await phone(ada)
    order = await shop.order(driver=ada["id"], dispatch=True)
    await shop.act(order, "assign-driver", driver=grace["id"])
    refused(await client.post(f"/v1/orders/{order['id']}/start"), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/orders"), ("PATCH", "/v1/orders/{id}"), ("DELETE", "/v1/orders/{id}"),
        ("POST", "/v1/orders/{id}/dispatch"), ("POST", "/v1/orders/{id}/cancel"),
        ("DELETE", "/v1/orders/{id}/cancel"), ("POST", "/v1/orders/{id}/assign-driver"),
        ("POST", "/v1/orders/{id}/schedule"), ("GET", "/v1/payloads"), ("GET", "/v1/places"),
        ("GET", "/v1/contacts"), ("GET", "/v1/drivers"), ("GET", "/v1/tracking-numbers"),
        ("GET", "/v1/entities"), ("GET", "/v1/waypoints"), ("GET", "/v1/order-configs"),
    ],
)  # fmt: skip
async def test_a_driver_opens_no_other_door(
    shop: Shop, phone: Phone, method: str, path: str
) -> None:
    ada = await shop.driver()
    order = await shop.order(driver=ada["id"])
    client = await phone(ada)
    answer = await client.request(method, path.replace("{id}", order["id"]), json={})
    assert answer.status_code == 401, answer.text
    assert await shop.get(f"orders/{order['id']}") == order


async def test_a_driver_cannot_take_an_order_by_naming_themself(shop: Shop, phone: Phone) -> None:
    ada = await shop.driver()
    order = await shop.order(adhoc=True, dispatch=True)
    client = await phone(ada)
    answer = await client.post(f"/v1/orders/{order['id']}/start", json={"assign": ada["id"]})
    refused(answer, 404, "not_found")


async def test_a_driver_who_is_out_is_out_at_once(shop: Shop, phone: Phone) -> None:
    ada = await shop.driver()
    await shop.order(driver=ada["id"], dispatch=True)
    client = await phone(ada)
    await shop.patch(f"drivers/{ada['id']}", status="suspended")
    assert (await client.get("/v1/orders")).status_code == 401


async def test_a_status_says_who_let_it_happen(
    shop: Shop, phone: Phone, house: House, acme: Firm
) -> None:
    ada = await shop.driver()
    client = await phone(ada)
    order = await shop.order(driver=ada["id"], scheduled_at="2026-01-15T11:58:00Z")
    assert await sweep.step(house.database)
    path = f"/v1/orders/{order['id']}"
    assert (await client.post(f"{path}/start")).status_code == 200
    await shop.act(order, "cancel")
    [number] = await shop.get(f"tracking-numbers?order={order['id']}&type=order")
    shown = await shop.get(f"tracking-numbers/{number['id']}")
    actors = {status["code"]: status["actor"] for status in shown["statuses"]}
    assert {code: actor["kind"] for code, actor in actors.items()} == {
        "created": "key", "dispatched": "worker", "started": "driver", "canceled": "key",
    }  # fmt: skip
    assert actors["started"] == {"kind": "driver", "id": ada["id"], "name": ada["name"]}
    [key] = [
        key for key in (await acme.admin.get("/int/v1/keys")).json()["data"] if key["kind"] == "api"
    ]
    assert actors["created"] == {"kind": "key", "id": key["id"], "name": key["name"]}


# What an order tells its driver about the people at its stops, besides names and addresses.
DETAILS = (
    "+6591110001", "grace@example.com", "4711#", "+6591110002", "below the mat", "0815",
    "Ring twice", "blue-kite", "dog",
)  # fmt: skip


async def detailed(shop: Shop, driver: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Dispatch an order that holds every detail."""
    secret = {"phone": "+6591110001", "email": "grace@example.com"}
    grace = await shop.post("contacts", name="Grace Hopper", **secret)
    home = {
        **MANDAI, "security_access_code": "4711#", "phone": "+6591110002",
        "meta": {"gate": "key below the mat"},
    }  # fmt: skip
    stop = {"place": home, "contact": grace["id"], "notes": "Gate code 0815", "meta": {"dog": 1}}
    return await shop.order(
        driver=driver["id"], waypoints=[RAFFLES, stop], customer=grace["id"], notes="Ring twice",
        dispatch=True, meta={"pin": "blue-kite"}, **more,
    )  # fmt: skip


async def deliver(client: httpx.AsyncClient, address: str) -> list[httpx.Response]:
    """Carry an order out; return the answers, whose keys are `0`, `1` and so on."""
    answers = [await client.post(f"{address}/start", headers={"Idempotency-Key": "0"})]
    while answers[-1].json()["status"] != "completed":
        [activity] = (await client.get(f"{address}/next-activity")).json()
        answers.append(
            await client.post(
                f"{address}/update-activity",
                json={"activity": activity["code"]},
                headers={"Idempotency-Key": str(len(answers))},
            )
        )
    return answers


def told(text: str) -> list[str]:
    return [detail for detail in DETAILS if detail in text]


@pytest.mark.parametrize("ending", ["complete", "cancel"])
async def test_a_day_after_an_order_ended_its_driver_sees_no_contact_details(
    shop: Shop, phone: Phone, house: House, ending: str
) -> None:
    ada = await shop.driver()
    order = await detailed(shop, ada)
    client, address = await phone(ada), f"/v1/orders/{order['id']}"
    if ending == "cancel":
        await shop.act(order, "cancel")
    else:
        await deliver(client, address)
    house.clock.advance(hours=23)
    for text in await _read_by(client, address):
        assert told(text) == list(DETAILS)
    house.clock.advance(hours=2)
    for text in await _read_by(client, address):
        assert "80 Mandai Lake Road" in text
        assert told(text) == []
    assert told(str(await shop.get(f"orders/{order['id']}"))) == list(DETAILS)


async def test_no_route_that_a_driver_may_call_shows_contact_details_a_day_later(
    shop: Shop, phone: Phone, house: House
) -> None:
    ada = await shop.driver()
    order = await detailed(shop, ada, adhoc=True)
    client, address = await phone(ada), f"/v1/orders/{order['id']}"
    await deliver(client, address)
    issue = await shop.post("issues", driver=ada["id"], order=order["id"], report="A scratch.")
    message = await shop.post("driver-messages", driver=ada["id"], text="Please call.")
    house.clock.advance(hours=25)
    names = {
        "{order_id}": order["id"], "{driver_id}": "me", "{issue_id}": issue["id"],
        "{stop_id}": order["payload"]["waypoints"][1]["id"],
        "{subject_id}": order["payload"]["waypoints"][1]["id"],
        "{session_id}": "session_0000000000000000",
        "{driver_message_id}": message["id"],
    }  # fmt: skip
    paths = (await client.get("/openapi.json")).json()["paths"]
    called = 0
    for path, methods in paths.items():
        for method, operation in methods.items():
            if {"driverToken": []} not in operation.get("security", ()) or "logout" in path:
                continue
            concrete = path
            for name, value in names.items():
                concrete = concrete.replace(name, value)
            assert "{" not in concrete, path
            answer = await client.request(method, concrete, json=None if method == "get" else {})
            assert answer.status_code not in {401, 404, 405} or "session" in path, (path, method)
            assert told(answer.text) == [], (path, method)
            called += 1
    assert called > 30


async def test_a_request_repeated_a_day_later_tells_its_driver_no_contact_details(
    shop: Shop, phone: Phone, house: House
) -> None:
    ada = await shop.driver()
    order = await detailed(shop, ada)
    client, address = await phone(ada), f"/v1/orders/{order['id']}"
    first = await deliver(client, address)
    assert all(told(answer.text) == list(DETAILS) for answer in first)
    house.clock.advance(hours=23)
    for number, answer in enumerate(await _repeat(client, first)):
        assert answer.json() == first[number].json()
    house.clock.advance(hours=2)
    for number, answer in enumerate(await _repeat(client, first)):
        assert answer.headers["idempotent-replayed"] == "true"
        assert answer.json()["status"] == first[number].json()["status"]
        assert told(answer.text) == []


async def _repeat(client: httpx.AsyncClient, answers: list[httpx.Response]) -> list[httpx.Response]:
    """Send the requests of these answers again, with the same keys."""
    return [
        await client.post(
            answer.request.url.path,
            content=answer.request.content,
            headers={
                "Idempotency-Key": answer.request.headers["idempotency-key"],
                "Content-Type": "application/json",
            },
        )
        for answer in answers
    ]


async def _read_by(client: httpx.AsyncClient, address: str) -> list[str]:
    """Read an order alone and in the list."""
    return [(await client.get(path)).text for path in (address, "/v1/orders")]


async def test_drivers_cannot_find_out_a_balance_by_a_filter(shop: Shop, phone: Phone) -> None:
    driver = await shop.driver()
    await shop.order(driver=driver["id"])
    client = await phone(driver)
    assert (await client.get("/v1/orders")).status_code == 200
    for name in ("balance", "balance_min", "balance_max"):
        answer = await client.get("/v1/orders", params={name: "1"})
        assert answer.status_code == 403, name


async def test_a_driver_selects_among_the_fields_that_drivers_see(shop: Shop, phone: Phone) -> None:
    driver = await shop.driver()
    order = await shop.order(driver=driver["id"])
    app = await phone(driver)
    expected = {"id": order["id"], "balance": None, "tracking_url": None}
    query = "fields=id,balance,tracking_url"
    assert (await app.get(f"/v1/orders/{order['id']}?{query}")).json() == expected
    assert (await app.get(f"/v1/orders?{query}")).json() == [expected]


async def test_a_driver_inlines_no_records(shop: Shop, phone: Phone) -> None:
    driver = await shop.driver()
    order = await shop.order(driver=driver["id"])
    app = await phone(driver)
    for path in ("/v1/orders", f"/v1/orders/{order['id']}"):
        assert (await app.get(f"{path}?expand=driver")).status_code == 403
