"""A signed-in driver reports issues about themself, and sees no others."""

import re
from typing import Any

import httpx
import pytest

from fleet.depot import Depot
from probe import refused
from stage import Firm, House

PHONE = "+6591230000"


@pytest.fixture
async def ada(depot: Depot) -> dict[str, Any]:
    """A driver who can sign in."""
    return await depot.driver(phone=PHONE)


@pytest.fixture
async def me(ada: dict[str, Any], acme: Firm, house: House) -> httpx.AsyncClient:
    """The driver, signed in."""
    await acme.api.post("/v1/drivers/login-with-sms", json={"phone": ada["phone"]})
    text = await house.value("select body from messages order by created_at desc limit 1")
    [code] = re.findall(r"\b\d{6}\b", text)
    body = {"identity": ada["phone"], "code": code}
    answer = await acme.api.post("/v1/drivers/verify-code", json=body)
    return house.client(answer.json()["token"])


async def test_a_driver_reports_and_the_report_is_about_them(
    me: httpx.AsyncClient, ada: dict[str, Any], depot: Depot
) -> None:
    other = await depot.driver()
    for named in ({}, {"driver": None}, {"driver": ada["id"]}, {"driver": other["id"]}):
        answer = await me.post("/v1/issues", json={"report": "A flat tyre.", **named})
        assert answer.status_code == 201, answer.text
        assert answer.json()["driver"] == ada["id"]
    told = await depot.told("issue.created")
    assert [body["data"]["driver"] for body in told] == [ada["id"]] * 4


async def test_a_driver_names_their_own_vehicle_and_their_own_order(
    me: httpx.AsyncClient, ada: dict[str, Any], depot: Depot
) -> None:
    van, order = await depot.vehicle(), await depot.order()
    await depot.patch(f"drivers/{ada['id']}", vehicle=van["id"])
    await depot.post(f"orders/{order['id']}/assign-driver", driver=ada["id"])
    for form in ("id", "uuid"):
        body = {"report": "A flat tyre.", "vehicle": van[form], "order": order[form]}
        answer = await me.post("/v1/issues", json=body)
        assert answer.status_code == 201, answer.text
        assert (answer.json()["vehicle"], answer.json()["order"]) == (van["id"], order["id"])


async def test_a_list_does_not_tell_whether_a_record_exists(
    me: httpx.AsyncClient, depot: Depot
) -> None:
    taken = await depot.order(internal_id="WEB-5")
    other = await depot.driver()
    await depot.issue(order=taken["id"], driver=other["id"])
    for query in (
        "order=internal:WEB-5", "order=internal:WEB-6", f"driver={other['id']}", "driver=x",
    ):  # fmt: skip
        answer = await me.get(f"/v1/issues?{query}")
        assert (answer.status_code, answer.json()) == (200, []), query
    refused(await depot.firm.api.get("/v1/issues?order=internal:WEB-6"), 404, "not_found")


async def test_another_vehicle_or_order_is_404_as_if_it_were_not_there(
    me: httpx.AsyncClient, depot: Depot, yard: Depot
) -> None:
    bea = await depot.driver(vehicle=(await depot.vehicle())["id"])
    taken = await depot.order()
    await depot.post(f"orders/{taken['id']}/assign-driver", driver=bea["id"])
    others = {
        "vehicle": [bea["vehicle"], (await depot.vehicle())["id"], (await yard.vehicle())["id"]],
        "order": [taken["id"], (await depot.order())["uuid"], (await yard.order())["id"]],
    }
    for field, identifiers in others.items():
        for identifier in (*identifiers, f"{field}_0000000000000000"):
            answer = await me.post("/v1/issues", json={"report": "R", field: identifier})
            body = refused(answer, 404, "not_found")
            assert body["fields"] == [{"path": field, "message": f"There is no such {field}."}]
    assert await depot.get("issues") == []


async def test_a_driver_lists_and_reads_the_issues_about_them(
    me: httpx.AsyncClient, ada: dict[str, Any], depot: Depot, yard: Depot
) -> None:
    bea = await depot.driver()
    own = [(await me.post("/v1/issues", json={"report": "Mine."})).json()]
    own.append(await depot.issue(driver=ada["id"]))
    foreign = [await depot.issue(), await depot.issue(driver=bea["id"]), await yard.issue()]
    for query in ("", f"&driver={ada['id']}"):
        listed = (await me.get(f"/v1/issues?sort=created_at{query}")).json()
        assert [row["id"] for row in listed] == [row["id"] for row in own]
    assert (await me.get(f"/v1/issues?driver={bea['id']}")).json() == []
    for row in own:
        assert (await me.get(f"/v1/issues/{row['id']}")).json() == row
    for row in foreign:
        for name in (row["id"], row["uuid"]):
            refused(await me.get(f"/v1/issues/{name}"), 404, "not_found")


async def test_a_driver_settles_nothing(me: httpx.AsyncClient, depot: Depot) -> None:
    made = (await me.post("/v1/issues", json={"report": "Mine."})).json()
    path = f"/v1/issues/{made['id']}"
    for method, address in (
        ("PATCH", path), ("PUT", path), ("DELETE", path), ("POST", f"{path}/resolve"),
        ("POST", f"{path}/reopen"),
    ):  # fmt: skip
        answer = await me.request(method, address, json={"title": "T"})
        refused(answer, 401, "unauthenticated")
    assert await depot.get(f"issues/{made['id']}") == made
