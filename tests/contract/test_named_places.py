"""Decisions §1, Unknown names, and §10, owners: a place named by its id is not changed unseen."""

import json
from typing import Any

import httpx
import pytest

from probe import refused
from stage import Firm

Json = dict[str, Any]
PICKUP = "1.30,103.80"
ADDRESS = {
    "street1": "80 Mandai Lake Road", "city": "Singapore", "country": "SG",
    "phone": "+6561234567", "location": {"type": "Point", "coordinates": [103.79, 1.404]},
}  # fmt: skip


async def made(firm: Firm, path: str, body: Json) -> Json:
    answer = await firm.api.post(path, json=body)
    assert answer.status_code == 201, answer.text
    found: Json = answer.json()
    return found


async def make_place(firm: Firm) -> Json:
    return await made(firm, "/v1/places", ADDRESS)


def paths(answer: httpx.Response) -> list[str]:
    return [field["path"] for field in answer.json()["fields"]]


CHANGES: tuple[Json, ...] = (
    {"street1": "changed"}, {"phone": "+6561234568"}, {"city": None}, {"meta": {"floor": 3}},
    {"location": "1.5,103.9"}, {"latitude": 1.5, "longitude": 103.9}, {"address": "elsewhere"},
)  # fmt: skip


@pytest.mark.parametrize("end", ["pickup", "dropoff", "return"])
@pytest.mark.parametrize("change", CHANGES)
async def test_an_id_with_another_address_is_refused(acme: Firm, end: str, change: Json) -> None:
    place = await make_place(acme)
    route = {"pickup": PICKUP, "dropoff": "1.35,103.85", end: {"id": place["id"], **change}}
    answer = await acme.api.post("/v1/orders", json={"payload": route})
    refused(answer, 422, "validation_failed")
    assert paths(answer) == [f"payload.{end}.{name}" for name in sorted(change)]
    assert "either the id of a place or an address" in answer.text
    assert (await acme.api.get(f"/v1/places/{place['id']}")).json() == place


async def test_identifiers_that_contradict_each_other_are_refused(acme: Firm) -> None:
    place, other = await make_place(acme), await make_place(acme)
    named = {"id": place["id"], "uuid": other["uuid"]}
    answer = await acme.api.post("/v1/orders", json={"pickup": named, "dropoff": PICKUP})
    refused(answer, 422, "validation_failed")
    assert len(paths(answer)) == 1


async def test_an_id_with_what_the_place_has_is_accepted(acme: Firm) -> None:
    place = await make_place(acme)
    spelled = {"id": place["id"], "country": "sg", "location": "1.404,103.79"}
    point = {"id": place["id"], "type": "Point", "coordinates": [103.79, 1.404]}
    for given in (place, spelled, point, {"place": place["id"]}, {"place": place}):
        order = await made(acme, "/v1/orders", {"pickup": PICKUP, "dropoff": given})
        assert order["payload"]["dropoff"]["id"] == place["id"]


@pytest.mark.parametrize(
    "named",
    [
        lambda place: {"place": place["id"]},
        lambda place: {"place": place},
        lambda place: {"id": place["id"]},
    ],
)  # fmt: skip
async def test_a_stop_does_not_drop_fields_beside_its_place(acme: Firm, named: Any) -> None:
    place = await make_place(acme)
    stop = named(place)
    same = {**stop, "street1": ADDRESS["street1"], "type": "dropoff", "meta": {"floor": 3}}
    order = await made(acme, "/v1/orders", {"waypoints": [PICKUP, same]})
    assert order["payload"]["waypoints"][1]["place"]["id"] == place["id"]
    assert order["payload"]["waypoints"][1]["meta"] == {"floor": 3}
    answer = await acme.api.post(
        "/v1/orders", json={"waypoints": [PICKUP, {**stop, "street1": "changed"}]}
    )
    refused(answer, 422, "validation_failed")
    assert paths(answer) == ["waypoints[1].street1"]


async def test_a_kept_stop_changes_its_place_by_place_only(acme: Firm) -> None:
    order = await made(acme, "/v1/orders", {"waypoints": [PICKUP, ADDRESS]})
    first, last = order["payload"]["waypoints"]
    one = f"/v1/orders/{order['id']}"
    moved = {"waypoints": [first, {"id": last["id"], "street1": "changed"}]}
    answer = await acme.api.put(one, json=moved)
    refused(answer, 422, "validation_failed")
    for change in ({"name": "Zoo"}, {"location": "1.5,103.9"}):
        answer = await acme.api.patch(f"/v1/waypoints/{last['id']}", json=change)
        refused(answer, 422, "validation_failed")
        assert paths(answer) == list(change)
    # The rest of the stop is as it was read, so it says where the stop was.
    other = await made(acme, "/v1/places", {"name": "Depot", "location": "1.36,103.9"})
    answer = await acme.api.put(one, json={"waypoints": [first, last | {"place": other["id"]}]})
    assert answer.status_code == 200, answer.text
    assert answer.json()["payload"]["waypoints"][1]["place"]["id"] == other["id"]


async def test_a_quote_does_not_drop_fields_beside_a_place(acme: Firm) -> None:
    place = await make_place(acme)
    for wrong in (
        {"pickup": PICKUP, "dropoff": {"id": place["id"], "latitude": 1.5, "longitude": 103.9}},
        {"waypoints": [PICKUP, {"place": place["id"], "street1": "changed"}]},
        {"waypoints": [PICKUP, {"place": {"id": place["id"], "street1": "changed"}}]},
    ):
        query = {name: value if name == "pickup" else json.dumps(value)
                 for name, value in wrong.items()}  # fmt: skip
        for answer in (
            await acme.api.get("/v1/service-quotes", params=query),
            await acme.api.post("/v1/service-rates/preview", json=wrong),
        ):
            refused(answer, 422, "validation_failed")
            assert "either the id of a place or an address" in answer.text
    right = {"pickup": PICKUP, "dropoff": json.dumps(place)}
    assert (await acme.api.get("/v1/service-quotes", params=right)).json() == []


async def test_a_shop_does_not_drop_fields_beside_a_place(acme: Firm) -> None:
    inner = {"street1": "80 Mandai Lake Road", "location": "1.404,103.79"}
    stops = [PICKUP, {"place": inner, "street1": "changed"}]
    query = {"waypoints": json.dumps(stops)}
    answer = await acme.storefront.get("/storefront/v1/service-quotes", params=query)
    refused(answer, 422, "validation_failed")
    assert paths(answer) == ["waypoints[1].street1"]


async def test_a_place_made_of_a_stop_has_the_owner_that_was_sent(acme: Firm) -> None:
    contact = await made(acme, "/v1/contacts", {"name": "Ada", "type": "customer"})
    owned = {**ADDRESS, "owner_type": "customer", "owner": contact["id"]}
    order = await made(acme, "/v1/orders", {"waypoints": [PICKUP, owned]})
    first, last = (stop["place"] for stop in order["payload"]["waypoints"])
    assert (last["owner_type"], last["owner"]) == ("customer", contact["id"])
    assert first["owner_type"] == "order"
    saved = {**ADDRESS, "owner_type": "company"}
    order = await made(acme, "/v1/orders", {"pickup": PICKUP, "dropoff": saved, "return": saved})
    assert order["payload"]["return"]["owner_type"] == "company"
    for wrong in ({"owner_type": "nobody"}, {"owner": "contact_none"}):
        answer = await acme.api.post(
            "/v1/orders", json={"waypoints": [PICKUP, {**ADDRESS, **wrong}]}
        )
        assert answer.status_code in {404, 422}, answer.text
        assert paths(answer) == [f"waypoints[1].{next(iter(wrong))}"]
    named = {"place": last["id"], "owner_type": "company"}
    refused(
        await acme.api.post("/v1/orders", json={"waypoints": [PICKUP, named]}),
        422,
        "validation_failed",
    )


async def test_a_place_inside_a_place_is_refused(acme: Firm) -> None:
    place = await make_place(acme)
    deep = {"place": {"place": place["id"], "street1": "elsewhere"}}
    for body, path in (
        ({"pickup": deep, "dropoff": PICKUP}, "pickup.place.place"),
        ({"waypoints": [PICKUP, {"place": deep}]}, "waypoints[1].place.place.place"),
    ):
        answer = await acme.api.post("/v1/orders", json=body)
        refused(answer, 422, "validation_failed")
        assert paths(answer) == [path]
    route = {"pickup": json.dumps(deep), "dropoff": PICKUP}
    quote = await acme.api.get("/v1/service-quotes", params=route)
    refused(quote, 422, "validation_failed")


async def test_a_stop_whose_owner_is_null_says_nothing_of_it(acme: Firm) -> None:
    nobodys = {"owner_type": None, "owner": None}
    order = await made(acme, "/v1/orders", {"waypoints": [PICKUP, {**ADDRESS, **nobodys}]})
    last = order["payload"]["waypoints"][1]["place"]
    assert last["owner_type"] == "order"
    named = {"place": last["id"], **nobodys}
    await made(acme, "/v1/orders", {"waypoints": [PICKUP, named]})


async def test_an_empty_id_names_no_place(acme: Firm) -> None:
    nameless = {**ADDRESS, "id": ""}
    order = await acme.api.post("/v1/orders", json={"pickup": PICKUP, "dropoff": nameless})
    query = {"pickup": PICKUP, "dropoff": json.dumps(nameless)}
    for answer in (order, await acme.api.get("/v1/service-quotes", params=query)):
        refused(answer, 404, "not_found")
        assert paths(answer)[-1] == "dropoff"
