"""Whoever a door lets in is who the request's changes are made by."""

from typing import Any, Final

import httpx
import pytest
from litestar import Router

from customers.mall import Mall
from fleet.depot import Depot
from fleet.test_signin import PHONE, signed_in
from pannier.accounts import auth
from pannier.customers import auth as customers
from pannier.db import Db
from pannier.devices import auth as devices
from pannier.fleet import auth as fleet
from pannier.web.routes import get
from probe import mounted
from stage import Firm, House


@get("/who")
async def who(db: Db) -> list[str]:
    """Tell who is behind the request."""
    return [db.actor.kind, db.actor.id, db.actor.name, db.actor.request_id, db.actor.address]


NAMES: Final[dict[str, Any]] = {
    "anybody": auth.allow_anonymous,
    "operator": auth.require_operator("viewer"),
    "key": auth.require_api_key(None),
    "store": auth.require_storefront_key,
    "app": auth.require_api_or_app_key("drivers"),
    "customer": customers.require_customer,
    "driver": fleet.require_driver,
    "either": fleet.require_driver_or_key("drivers"),
    "device": devices.make_device_or_key_guard(),
}


async def said(house: House, name: str, client: httpx.AsyncClient) -> list[str]:
    doors = [
        Router(f"/{name}", route_handlers=[who], before_request=door)
        for name, door in NAMES.items()
    ]
    headers = {**client.headers, "X-Request-Id": f"at-{name}"}
    answer = await mounted(house, *doors).client().get(f"/{name}/who", headers=headers)
    assert answer.status_code == 200, answer.text
    kind, one, shown, request, address = answer.json()
    assert (request, address) == (("", "") if kind == "stranger" else (f"at-{name}", "127.0.0.1"))
    return [kind, one, shown]


@pytest.mark.slow
async def test_every_door_says_who_is_behind_it(
    acme: Firm, depot: Depot, mall: Mall, house: House
) -> None:
    boss = (await acme.admin.get("/int/v1/me")).json()["operator"]["id"]
    keys = {}
    for kind in ("api", "storefront", "app"):
        made = await acme.admin.post("/int/v1/keys", json={"kind": kind, "name": f"My {kind}"})
        keys[kind] = made.json()
    by_key = {kind: house.client(key["key"]) for kind, key in keys.items()}
    driver = await depot.driver(phone=PHONE)
    at_work = house.client((await signed_in(acme))["token"])
    customer, shopping = await mall.visitor(name="Grace")
    tracker = (await acme.api.post("/v1/devices", json={"name": "Tracker"})).json()

    assert await said(house, "anybody", house.client()) == [
        "stranger", "stranger", "Unknown",
    ]  # fmt: skip
    assert await said(house, "operator", acme.admin) == ["operator", boss, "Admin"]
    assert await said(house, "key", by_key["api"]) == ["key", keys["api"]["id"], "My api"]
    assert await said(house, "either", by_key["api"]) == ["key", keys["api"]["id"], "My api"]
    shop = ["key", keys["storefront"]["id"], "My storefront"]
    assert await said(house, "store", by_key["storefront"]) == shop
    assert await said(house, "app", by_key["app"]) == ["key", keys["app"]["id"], "My app"]
    assert await said(house, "device", house.client(tracker["token"])) == [
        "device", tracker["id"], "Tracker",
    ]  # fmt: skip
    assert await said(house, "device", by_key["api"]) == ["key", keys["api"]["id"], "My api"]
    assert await said(house, "customer", shopping) == ["customer", customer["id"], "Grace"]
    for door in ("driver", "either"):
        assert await said(house, door, at_work) == ["driver", driver["id"], "Ada"]
