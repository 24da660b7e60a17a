"""What customers see of orders, stops, items and places is chosen field by field."""

from collections.abc import Iterator
from typing import Any

import pytest

from customers.mall import Mall
from customers.seen import SEEN
from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from pannier.kit.clock import ManualClock
from stage import House

HERE = "/storefront/v1/customers"


Json = dict[str, Any]


def parts(document: Json, schema: Json, name: str) -> Iterator[tuple[str, Json]]:
    """Find the objects that a schema may be, each under its name."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        yield from parts(document, document["components"]["schemas"][name], name)
    for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from parts(document, choice, name)
    if schema.get("items"):
        yield from parts(document, schema["items"], name)
    if "properties" in schema:
        yield name, schema["properties"]


def chosen(document: Json, schema: Json, path: str) -> Iterator[str]:
    """Walk every field that an answer may have, however deep."""
    for name, properties in parts(document, schema, path):
        for field, inner in properties.items():
            yield f"{name}.{field}"
            yield from chosen(document, inner, f"{name}.{field}")


def unknown(document: Json, schema: Json, value: object) -> Iterator[str]:
    """Walk every field that an answer has, however deep, and name those that its schema lacks."""
    if isinstance(value, list):
        for each in value:
            yield from unknown(document, schema, each)
    if isinstance(value, dict):
        known = {
            field: inner
            for _, found in parts(document, schema, "")
            for field, inner in found.items()
        }
        yield from (field for field in value if known and field not in known)
        for field, each in value.items():
            yield from unknown(document, known.get(field, {}), each)


def schemas(document: Json) -> Iterator[tuple[str, str, Json]]:
    """List what storefronts answer."""
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            for status, answer in operation["responses"].items():
                if path.startswith("/storefront/") and status.startswith("2"):
                    for media in answer.get("content", {}).values():
                        yield method, path, media["schema"]


@pytest.mark.slow
async def test_no_answer_of_a_storefront_has_a_field_that_nobody_chose(house: House) -> None:
    document = (await house.client().get("/openapi.json")).json()
    found = {
        field for _, path, schema in schemas(document) for field in chosen(document, schema, path)
    }
    assert found == {f"{name}.{field}" for name, row in SEEN.items() for field in row.split()}


def secret(text: str) -> str:
    return f"secret {text}"


PRICE = 987_654_321


def place(where: Json, whose: str) -> Json:
    """A place in which every field is filled."""
    return {
        **where, "street2": f"{whose} floor", "security_access_code": secret("code"),
        "phone": "+6587654321", "type": secret("kind of place"), "meta": {"a": secret("place")},
    }  # fmt: skip


def item(name: str, stop: int, **more: Any) -> Json:
    """An item in which every field is filled."""
    return {
        "name": name, "destination": stop, "internal_id": secret("item"), "sku": f"{name} sku",
        "expected_codes": [secret("scan")], "declared_value": PRICE, "price": PRICE,
        "sale_price": PRICE, "currency": "SGD", "meta": {"a": secret("item meta")}, **more,
    }  # fmt: skip


async def rounds(shop: Shop, ada: Json) -> Json:
    """Place an order that calls at three doors, the second of which is Ada's; fill every field."""
    vendor = await shop.post("vendors", name=secret("vendor"))
    eve = await shop.post("contacts", name=secret("Eve"), phone="+6581112222")
    grower = await shop.post("vendors", name=secret("grower"))
    whose = ((RAFFLES, "secret first", eve["id"]), (MANDAI, "Ada's", ada["contact"]),
             (CHANGI, "secret last", eve["id"]))  # fmt: skip
    stops = [
        {"place": (await shop.post("places", **place(where, floor)))["id"], "contact": contact,
         "notes": secret("note at the stop"), "service_time": 300, "meta": {"a": secret("stop")}}
        for where, floor, contact in whose
    ]  # fmt: skip
    items = [
        item("secret box", 0, supplier=grower["id"]),
        item("Ada's box", 1, supplier=grower["id"]),
        item("secret gift", 1, customer=eve["id"]),
        item("secret last box", 2),
    ]
    back = (await shop.post("places", **place(RAFFLES, "secret return")))["id"]
    vehicle = await shop.vehicle(vin=secret("vin"), internal_id=secret("van"))
    return await shop.ready(
        customer=ada["id"],
        facilitator=vendor["id"],
        vehicle=vehicle["id"],
        internal_id=secret("order"),
        notes=secret("note for the driver"),
        meta={"a": secret("order meta")},
        payload={
            "waypoints": stops, "entities": items, "return": back, "cod_amount": PRICE,
            "cod_currency": "SGD", "payment_method": secret("method"), "meta": {"a": secret("p")},
        },
    )  # fmt: skip


@pytest.mark.slow
async def test_nothing_that_is_not_theirs_reaches_a_customer(mall: Mall, house: House) -> None:
    shop = Shop(mall.firm)
    ada, client = await mall.visitor()
    terms = {"service_type": "standard", "currency": "SGD", "rate_calculation_method": "fixed_rate"}
    cash = {"has_cod_fee": True, "cod_calculation_method": "flat", "cod_flat_fee": 0}
    await shop.post("service-rates", service_name="Public", public=True, **terms, **cash)
    order = await rounds(shop, ada)
    await shop.act(order, "start", skip_dispatch=True)
    track = {"latitude": 1.23456, "longitude": 103.45678, "speed": 7.5}
    await shop.post(f"drivers/{order['driver_assigned']['id']}/track", **track)
    await shop.post("service-rates", service_name=secret("rate"), base_fee=PRICE, **terms)
    document = (await house.client().get("/openapi.json")).json()
    promised = {path: schema for method, path, schema in schemas(document) if method == "get"}
    assert len(promised) >= 6
    for path, schema in promised.items():
        way = {"pickup": "1.3,103.8", "dropoff": "1.3,103.9"}
        asked = way if path.endswith("/service-quotes") else {}
        if "/addresses" in path:  # of the city, not of an order
            continue
        answer = await client.get(path.format(order_id=order["id"]), params=asked)
        assert answer.status_code == 200, path
        for trace in ("secret", str(PRICE), "87654321", "81112222", "1.23456", "103.45678", "7.5"):
            assert trace not in answer.text, path
        assert list(unknown(document, schema, answer.json())) == []
    shown = (await client.get(f"{HERE}/orders/{order['id']}")).json()
    [stop] = shown["payload"]["waypoints"]
    assert stop["place"]["street2"] == "Ada's floor"
    assert shown["payload"]["dropoff"] == stop["place"]
    assert [each["name"] for each in shown["payload"]["entities"]] == ["Ada's box"]
    assert shown["customer"]["contact"] == ada["contact"] == order["customer"]["uuid"]
    assert (await client.get(f"{HERE}/orders")).json() == [shown]
    assert (await client.get(f"{HERE}/places")).json() == [stop["place"]]


@pytest.mark.slow
async def test_the_driver_is_seen_only_on_the_way_to_the_customers_own_stop(
    mall: Mall, clock: ManualClock
) -> None:
    shop = Shop(mall.firm)
    ada, client = await mall.visitor()
    order = await rounds(shop, ada)
    fix = {"latitude": 1.3, "longitude": 103.8, "heading": 90, "speed": 7.5}
    await shop.post(f"drivers/{order['driver_assigned']['id']}/track", **fix)

    async def followed() -> Json:
        shown = (await client.get(f"{HERE}/orders/{order['id']}/tracker")).json()
        seen = [shown[name] is not None for name in ("position", "heading", "speed", "located_at")]
        assert len(set(seen)) == 1
        assert (shown["distance_remaining"] is not None) == seen[0]
        return {**shown, "seen": seen[0]}

    async def pass_stop() -> None:
        for code in ("enroute", "completed"):
            await shop.fire(order, code)

    assert (await followed())["seen"] is False
    await shop.act(order, "dispatch")
    assert (await followed())["eta"] is None
    await shop.act(order, "start")
    heading_elsewhere = await followed()
    assert heading_elsewhere["seen"] is False
    # When they will come is told all the same.
    assert heading_elsewhere["eta"] > "2026-01-15T12:00"
    await pass_stop()
    assert (await followed())["seen"] is True
    await pass_stop()
    after = await followed()
    assert (after["seen"], after["eta"], after["completed_stops"]) == (False, None, 1)
    await pass_stop()
    clock.advance(days=1)
    assert (await followed())["seen"] is False


async def test_of_an_order_without_stops_the_driver_is_seen_once_it_was_picked_up(
    mall: Mall, clock: ManualClock
) -> None:
    shop = Shop(mall.firm)
    ada, client = await mall.visitor()
    order = await shop.ready(customer=ada["id"], dispatch=True)
    fix = {"latitude": 1.3, "longitude": 103.8}
    await shop.post(f"drivers/{order['driver_assigned']['id']}/track", **fix)

    async def position() -> object:
        shown = (await client.get(f"{HERE}/orders/{order['id']}/tracker")).json()
        [stop] = shown["stops"]
        assert stop["type"] == "dropoff"
        return shown["position"]

    assert await position() is None
    await shop.act(order, "start")
    assert await position() is None, "the driver is on the way to the pickup"
    await shop.fire(order, "enroute")
    assert await position() == {"type": "Point", "coordinates": [103.8, 1.3]}
    clock.advance(minutes=11)
    assert await position() is None, "an old position may be the driver's home"
    await shop.post(f"drivers/{order['driver_assigned']['id']}/track", **fix)
    assert await position() is not None
    await shop.act(order, "cancel")
    assert await position() is None


async def test_a_driver_who_has_begun_another_order_since_is_not_seen_until_it_is_over(
    mall: Mall, clock: ManualClock
) -> None:
    shop = Shop(mall.firm)
    ada, client = await mall.visitor()
    order = await shop.started(customer=ada["id"], type=await shop.plain_type())
    driver = order["driver_assigned"]["id"]
    await shop.post(f"drivers/{driver}/track", latitude=1.3, longitude=103.8)

    async def seen() -> tuple[bool, bool]:
        shown = (await client.get(f"{HERE}/orders/{order['id']}/tracker")).json()
        return shown["position"] is not None, shown["eta"] is not None

    clock.advance(minutes=1)
    detour = await shop.order(driver=driver)
    assert await seen() == (True, True)
    await shop.act(detour, "start", skip_dispatch=True)
    assert await seen() == (False, False)
    await shop.act(detour, "cancel")
    assert await seen() == (True, True)


async def test_a_last_stop_that_names_nobody_is_the_customers_and_the_others_are_not(
    mall: Mall,
) -> None:
    shop = Shop(mall.firm)
    ada, client = await mall.visitor()
    order = await shop.order(customer=ada["id"], waypoints=[RAFFLES, CHANGI, MANDAI])
    shown = (await client.get(f"{HERE}/orders/{order['id']}")).json()["payload"]
    assert shown["pickup"] is None
    assert [stop["place"]["street1"] for stop in shown["waypoints"]] == [MANDAI["street1"]]
    assert (await client.get(f"{HERE}/places")).json() == [shown["dropoff"]]
    named = [{**RAFFLES, "contact": ada["contact"]}, CHANGI]
    await shop.patch(f"orders/{order['id']}", waypoints=named)
    shown = (await client.get(f"{HERE}/orders/{order['id']}")).json()["payload"]
    assert [stop["place"]["street1"] for stop in shown["waypoints"]] == [RAFFLES["street1"]]
    assert (await client.get(f"{HERE}/places")).json() == [shown["dropoff"]]


async def test_a_customer_reads_why_an_attempt_failed_and_not_what_the_driver_remarked(
    mall: Mall,
) -> None:
    shop = Shop(mall.firm)
    ada, client = await mall.visitor()
    order = await shop.started(customer=ada["id"], type=await shop.plain_type())
    fix = {"latitude": 1.3, "longitude": 103.8}
    await shop.post(f"drivers/{order['driver_assigned']['id']}/track", **fix)
    body = {"reason": "wrong_address", "remarks": "The dog is huge."}
    await shop.act(order, "fail-attempt", **body)
    answer = await client.get(f"{HERE}/orders/{order['id']}/tracker")
    assert "dog" not in answer.text
    [stop] = answer.json()["stops"]
    assert (stop["attempts"], stop["failed"]) == (
        1,
        {
            "label": "Address not found", "then": "hold",
            "occurred_at": "2026-01-15T12:00:00.000Z",
        },
    )  # fmt: skip
    # Nobody is on the way while somebody decides.
    assert (answer.json()["position"], answer.json()["eta"]) == (None, None)
    await shop.act(order, "resume-attempt", then="retry")
    followed = (await client.get(f"{HERE}/orders/{order['id']}/tracker")).json()
    assert followed["position"] is not None
