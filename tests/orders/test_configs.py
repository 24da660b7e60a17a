"""Order configurations are saved only when right, and keep every version."""

import asyncio
from typing import Any

from pannier.orders.configs import service as configs
from probe import paths, refused
from stage import Firm, House

FLOW = [
    {"code": "collected", "status": "Collected", "next": ["delivered"]},
    {
        "code": "delivered",
        "status": "Delivered",
        "complete": True,
        "require_pod": True,
        "pod_method": "signature",
    },
]


async def make(firm: Firm, **fields: Any) -> dict[str, Any]:
    answer = await firm.api.post(
        "/v1/order-configs", json={"name": "Parcels", "flow": FLOW, **fields}
    )
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def test_every_company_has_a_sensible_default(acme: Firm) -> None:
    (default,) = (await acme.api.get("/v1/order-configs")).json()
    assert default["key"] == "transport"
    assert [activity["code"] for activity in default["flow"]] == [
        "created", "dispatched", "started", "arrived_at_pickup", "collected", "enroute",
        "completed",
    ]  # fmt: skip
    refused = await acme.api.delete(f"/v1/order-configs/{default['id']}")
    assert (refused.status_code, refused.json()["code"]) == (409, "order_config_needed")


async def test_a_configuration_is_made_read_listed_found_and_deleted(acme: Firm) -> None:
    made = await make(acme)
    assert made["key"] == "parcels"
    assert [activity["code"] for activity in made["flow"]][:3] == [
        "created", "dispatched", "started",
    ]  # fmt: skip
    for name in (made["id"], made["uuid"]):
        assert (await acme.api.get(f"/v1/order-configs/{name}")).json() == made
    assert (await acme.api.get("/v1/order-configs?query=arce")).json() == [made]
    assert (await acme.api.get("/v1/order-configs?key=parcels")).json() == [made]
    assert (await acme.api.get("/v1/order-configs?query=%25")).json() == []
    gone = await acme.api.delete(f"/v1/order-configs/{made['id']}")
    assert gone.json()["deleted"] is True
    assert (await acme.api.get(f"/v1/order-configs/{made['id']}")).status_code == 404
    assert (await make(acme))["key"] == "parcels"


async def test_every_fault_of_a_flow_is_told_with_its_place_and_nothing_is_saved(
    acme: Firm,
) -> None:
    wrong = [
        {"code": "a", "next": ["nowhere"]},
        {"code": "b", "complete": True, "require_pod": True},
    ]
    answer = await acme.api.post(
        "/v1/order-configs",
        json={"name": "Wrong", "flow": wrong, "subflows": {"dock": [{"code": "started"}]}},
    )
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    told = {(field["path"], field["message"]) for field in answer.json()["fields"]}
    assert ("flow[0]", "a leads to nowhere, which does not exist.") in told
    assert ("flow[1]", "b requires a proof but has no pod_method.") in told
    assert any(path == "subflows.dock" for path, _ in told)
    assert len((await acme.api.get("/v1/order-configs")).json()) == 1


async def test_the_code_of_goods_that_went_back_is_reserved_but_kept_where_it_stood_before(
    acme: Firm, house: House
) -> None:
    own = [{"code": "returned", "status": "Returned", "complete": True}]
    answer = await acme.api.post("/v1/order-configs", json={"name": "Rentals", "flow": own})
    [field] = refused(answer, 422, "validation_failed")["fields"]
    assert (field["path"], "Choose another code" in field["message"]) == ("flow[0]", True)
    made = await make(acme)
    async with house.database.transaction() as db:
        await db.execute(
            "update order_configs set flow = replace(flow::text, 'delivered', 'returned')::jsonb "
            "where public_id = :id",
            id=made["id"],
        )
    kept = (await acme.api.get(f"/v1/order-configs/{made['id']}")).json()["flow"]
    path = f"/v1/order-configs/{made['id']}"
    assert (await acme.api.patch(path, json={"name": "Rentals"})).status_code == 200
    assert (await acme.api.patch(path, json={"flow": kept})).status_code == 200


async def test_only_a_changed_flow_makes_a_new_version_and_the_old_one_is_kept(acme: Firm) -> None:
    made = await make(acme)
    path = f"/v1/order-configs/{made['id']}"
    renamed = (await acme.api.patch(path, json={"name": "Post"})).json()
    assert (renamed["flow_version"], renamed["version"]) == (1, 2)
    same = (await acme.api.put(path, json={"name": "Post", "flow": FLOW})).json()
    assert same == renamed
    longer = [{"code": "weighed", "next": ["collected"]}, *FLOW]
    changed = (await acme.api.put(path, json={"flow": longer})).json()
    assert (changed["flow_version"], changed["version"]) == (2, 3)
    kept = (await acme.api.get(f"{path}/versions/1")).json()
    assert (kept["number"], kept["flow"]) == (1, made["flow"])
    assert (await acme.api.get(f"{path}/versions/2")).json()["flow"] == changed["flow"]
    for number in ("0", "3", "x", "9" * 5000):
        assert (await acme.api.get(f"{path}/versions/{number}")).status_code == 404


async def test_a_key_is_taken_once_even_when_two_ask_at_once(acme: Firm) -> None:
    body = {"name": "Twice", "flow": FLOW}
    answers = await asyncio.gather(
        *(acme.api.post("/v1/order-configs", json=body) for _ in range(4))
    )
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]


async def test_a_change_of_what_was_changed_meanwhile_is_refused_on_demand(acme: Firm) -> None:
    made = await make(acme)
    path = f"/v1/order-configs/{made['id']}"
    tag = (await acme.api.get(path)).headers["etag"]
    assert (
        await acme.api.patch(path, json={"name": "A"}, headers={"If-Match": tag})
    ).status_code == 200
    late = await acme.api.patch(path, json={"name": "B"}, headers={"If-Match": tag})
    assert (late.status_code, late.json()["code"]) == (412, "precondition_failed")
    assert (await acme.api.get(path)).json()["name"] == "A"
    assert (await acme.api.patch(path, json={"name": "B"})).status_code == 200


async def test_what_a_configuration_holds_has_bounds(acme: Firm) -> None:
    done = [{"code": "done", "complete": True}]
    body = {"name": "Large", "flow": done}
    made = (await acme.api.post("/v1/order-configs", json=body)).json()
    for more, path in (
        ({"meta": {"text": "x" * 17_000}}, "meta"),
        ({"subflows": {"x" * 61: done}}, "subflows"),
    ):
        asked = [
            await acme.api.post("/v1/order-configs", json={**body, "key": "other", **more}),
            await acme.api.patch(f"/v1/order-configs/{made['id']}", json=more),
        ]
        assert [(answer.status_code, paths(answer)) for answer in asked] == [(422, [path])] * 2


async def test_a_key_needs_the_scope(acme: Firm) -> None:
    made = await acme.admin.post(
        "/int/v1/keys", json={"kind": "api", "name": "Reader", "scopes": ["order-configs:read"]}
    )
    reader = acme.house.client(made.json()["key"])
    assert (await reader.get("/v1/order-configs")).status_code == 200
    refused = await reader.post("/v1/order-configs", json={"name": "X", "flow": FLOW})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")


WAITING = """select count(*) from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'"""


async def test_what_is_being_deleted_does_not_become_the_default_at_the_same_time(
    acme: Firm, house: House
) -> None:
    made = await make(acme)
    async with house.database.transaction() as db:
        await configs.remove(db, await configs.CONFIGS.lock(db, acme.uuid, made["id"]))
        body = {"order_config": made["id"]}
        wish = asyncio.ensure_future(acme.admin.patch("/int/v1/settings", json=body))
        while not wish.done() and not await house.value(WAITING):
            pass
    refused(await wish, 404, "not_found")
    order = {"pickup": "1 First Street", "dropoff": "2 Second Street"}
    assert (await acme.api.post("/v1/orders", json=order)).status_code == 201
