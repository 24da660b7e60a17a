"""Decisions §1, Unknown names: what used to be dropped without a word is refused or honoured."""

from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

import stage
from customers.mall import Mall
from pannier.db import Database
from pannier.kit.clock import ManualClock
from payments.purse import Purse
from probe import refused
from stage import Firm, House
from webhooks.office import Office
from webhooks.test_replays import fail

ROUTE = {"pickup": "1.30,103.80", "dropoff": "1.35,103.85"}


def suggestions(answer: Any) -> dict[str, str]:
    return {field["path"]: field["message"] for field in answer.json()["fields"]}


async def made(firm: Firm, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = await firm.api.post(path, json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_a_key_with_a_misspelled_scope_is_not_made(acme: Firm) -> None:
    body = {"kind": "api", "name": "Narrow", "scope": ["orders:read"]}
    answer = await acme.admin.post("/int/v1/keys", json=body)
    refused(answer, 422, "unknown_field")
    assert "`scopes`" in suggestions(answer)["scope"]


RATE = {
    "service_name": "Same day", "service_type": "express", "currency": "SGD",
    "rate_calculation_method": "fixed_rate",
}  # fmt: skip
WEBHOOK = {"url": "https://example.com/hook"}


async def assert_misspelled(
    caller: httpx.AsyncClient, path: str, body: dict[str, Any], meant: dict[str, str], record: str
) -> None:
    """Post a misspelled body: the record stays as it is, and the refusal says what was meant."""
    before = (await caller.get(record)).json()
    answer = await caller.post(path, json=body)
    assert (await caller.get(record)).json() == before, answer.text
    refused(answer, 422, "unknown_field")
    told = suggestions(answer)
    assert told.keys() == meant.keys()
    for name, sentence in told.items():
        expected = meant[name] if " " in meant[name] else f"`{meant[name]}`"
        assert expected in sentence, told


@pytest.mark.parametrize(
    ("path", "body", "meant"),
    [
        ("/int/v1/webhooks", {**WEBHOOK, "enabled_events": ["order.created"], "status": "disabled"},
         {"enabled_events": "events", "status": "state"}),
        ("/v1/service-rates", {**RATE, "base_fe": 500, "valid_til": "2026-12-31T00:00:00Z"},
         {"base_fe": "base_fee", "valid_til": "valid_until"}),
        ("/v1/orders", {**ROUTE, "dropoff": {"stret1": "1 Main", "zip": "1", "lat": 1, "lng": 2}},
         {"dropoff.stret1": "street1", "dropoff.zip": "postal_code", "dropoff.lat": "latitude",
          "dropoff.lng": "longitude"}),
        ("/v1/orders", {**ROUTE, "dropoff": {"street1": "1 Main", "zip": "1", "lat": 1, "lng": 2}},
         {"dropoff.zip": "postal_code", "dropoff.lat": "latitude", "dropoff.lng": "longitude"}),
        ("/v1/orders", {**ROUTE, "entities": [{"name": "Box", "quantitty": 3, "wieght": 2}]},
         {"entities[0].quantitty": "quantity", "entities[0].wieght": "weight"}),
        ("/v1/orders", {"waypoints": [{"place": {"stret1": "x"}}, "1.3,103.8"]},
         {"waypoints[0].place.stret1": "street1"}),
        ("/v1/orders", {"waypoints": [{"place": {"street1": "x", "stret2": "y"}}, "1.3,103.8"]},
         {"waypoints[0].place.stret2": "street2"}),
    ],
)  # fmt: skip
async def test_a_record_with_a_misspelled_field_is_not_made(
    acme: Firm, path: str, body: dict[str, Any], meant: dict[str, str]
) -> None:
    caller = acme.admin if path.startswith("/int") else acme.api
    await assert_misspelled(caller, path, body, meant, path)


@pytest.mark.parametrize(
    ("pickup", "meant"),
    [
        ({"lat": 1, "lng": 2}, {"pickup.lat": "latitude", "pickup.lng": "longitude"}),
        ({"latitude": 1, "longitude": 2, "zip": "1"}, {"pickup.zip": "postal_code"}),
    ],
)
async def test_a_place_with_a_misspelled_field_has_no_price(
    acme: Firm, pickup: dict[str, Any], meant: dict[str, str]
) -> None:
    path = "/v1/service-rates"
    body = {"pickup": pickup, "dropoff": "1,2"}
    await assert_misspelled(acme.api, f"{path}/preview", body, meant, path)


async def test_a_misspelled_amount_refunds_nothing(
    database: Database, clock: ManualClock, tmp_path: Path
) -> None:
    house = await stage.build(database, clock, str(tmp_path), payments="fake")
    purse = Purse(await house.found("Acme", mode="test"))
    offered = await purse.offered()
    assert (await purse.pay(offered)).status_code == 303
    assert (await purse.read(offered["id"]))["amount_paid"] > 100
    path = f"/int/v1/transactions/{offered['id']}"
    body, meant = {"ammount": 100}, {"ammount": "amount"}
    await assert_misspelled(purse.firm.admin, f"{path}/refund", body, meant, path)


async def test_a_misspelled_grace_rotates_no_secret(acme: Firm) -> None:
    webhook = (await acme.admin.post("/int/v1/webhooks", json=WEBHOOK)).json()
    path = f"/int/v1/webhooks/{webhook['id']}"
    body, meant = {"grace": 0}, {"grace": "grace_seconds"}
    await assert_misspelled(acme.admin, f"{path}/rotate-secret", body, meant, path)


async def test_a_misspelled_dry_run_replays_nothing(acme: Firm) -> None:
    office = Office.of(acme)
    webhook = await office.register()
    await fail(office, "order_1")
    path = "/int/v1/webhook-deliveries"
    body = {"filter": {"webhook": webhook["id"]}, "dryRun": True}
    await assert_misspelled(acme.admin, f"{path}/replay", body, {"dryRun": "dry_run"}, path)


async def test_cash_on_delivery_at_the_top_of_an_order_is_collected(acme: Firm) -> None:
    cash = {"cod_amount": 2500, "cod_currency": "SGD", "cod_payment_method": "cash"}
    order = await made(acme, "/v1/orders", ROUTE | cash)
    assert {name: order["payload"][name] for name in cash} == cash
    inline = await made(acme, "/v1/orders", {"payload": ROUTE, **cash})
    assert inline["payload"]["cod_amount"] == 2500
    payload = await made(acme, "/v1/payloads", ROUTE)
    kept = await made(acme, "/v1/orders", {"payload": payload["id"], **cash})
    assert kept["payload"]["cod_amount"] == 2500
    path = f"/v1/orders/{order['id']}"
    changed = await acme.api.patch(path, json={"cod_amount": 900})
    assert changed.json()["payload"]["cod_amount"] == 900
    twice = {"cod_amount": 1, "payload": {"cod_amount": 2}}
    refused(await acme.api.patch(path, json=twice), 422, "validation_failed")


async def test_driver_assigned_assigns_the_driver(acme: Firm) -> None:
    driver = await made(acme, "/v1/drivers", {"name": "Ada", "phone": "+6591234567"})
    order = await made(acme, "/v1/orders", ROUTE)
    path = f"/v1/orders/{order['id']}"
    for named in (driver["id"], {"id": driver["id"], "name": "Ada"}):
        answer = await acme.api.patch(path, json={"driver_assigned": named})
        assert answer.json()["driver_assigned"]["id"] == driver["id"], answer.text
        answer = await acme.api.patch(path, json={"driver_assigned": None})
        assert answer.json()["driver_assigned"] is None
    created = await made(acme, "/v1/orders", ROUTE | {"driver_assigned": driver["id"]})
    assert created["driver_assigned"]["id"] == driver["id"]
    both = {"driver": driver["id"], "driver_assigned": "driver_other"}
    refused(await acme.api.patch(path, json=both), 422, "validation_failed")


async def test_a_status_is_not_written_and_the_refusal_names_the_actions(acme: Firm) -> None:
    order = await made(acme, "/v1/orders", ROUTE)
    path = f"/v1/orders/{order['id']}"
    answer = await acme.api.patch(path, json={"status": "completed"})
    refused(answer, 422, "validation_failed")
    for action in ("dispatch", "start", "update-activity", "complete", "cancel"):
        assert action in suggestions(answer)["status"]
    same = await acme.api.put(path, json={"status": "created", "notes": "Ring."})
    assert (same.status_code, same.json()["notes"]) == (200, "Ring.")


async def test_a_device_takes_vehicle_device_id_and_type(acme: Firm) -> None:
    vehicle = await made(acme, "/v1/vehicles", {"plate_number": "SGX 1"})
    device = await made(acme, "/v1/devices", {"name": "Box"})
    path = f"/v1/devices/{device['id']}"
    body = {"vehicle": vehicle["id"], "device_id": "356938035643809", "type": "dashcam_unit"}
    answer = await acme.api.put(path, json=body)
    assert answer.status_code == 200, answer.text
    device = answer.json()
    assert device["identifier"] == "356938035643809"
    assert device["kind"] == "camera"
    assert vehicle["id"] in str(device["vehicle"])
    assert (await acme.api.put(path, json={"vehicle": None})).json()["vehicle"] is None
    new = await made(acme, "/v1/devices", {"name": "Two", "device_id": "77", "type": "obd"})
    assert (new["identifier"], new["kind"]) == ("77", "obd")


async def test_one_waypoint_alone_is_no_order(acme: Firm) -> None:
    answer = await acme.api.post("/v1/orders", json={"waypoints": ["1.30,103.80"]})
    refused(answer, 422, "validation_failed")
    assert list(suggestions(answer)) == ["waypoints"]
    inline = {"payload": {"waypoints": ["1.30,103.80"]}}
    answer = await acme.api.post("/v1/orders", json=inline)
    assert list(suggestions(answer)) == ["payload.waypoints"]
    await made(acme, "/v1/orders", {"waypoints": ["1.30,103.80", "1.31,103.81"]})


async def test_a_time_that_has_passed_schedules_nothing(acme: Firm) -> None:
    past, soon = "2026-01-15T11:54:59Z", "2026-01-15T11:56:00Z"  # it is noon
    answer = await acme.api.post("/v1/orders", json=ROUTE | {"scheduled_at": past})
    refused(answer, 422, "validation_failed")
    assert list(suggestions(answer)) == ["scheduled_at"]
    order = await made(acme, "/v1/orders", ROUTE | {"scheduled_at": soon})
    path = f"/v1/orders/{order['id']}"
    refused(await acme.api.patch(path, json={"scheduled_at": past}), 422, "validation_failed")
    answer = await acme.api.post(f"{path}/schedule", json={"scheduled_at": past})
    refused(answer, 422, "validation_failed")


RING = [[103.8, 1.3], [103.9, 1.3], [103.9, 1.4], [103.8, 1.4], [103.8, 1.3]]
BORDER = {"type": "Polygon", "coordinates": [RING]}
METAS = (
    ("/v1/orders", ROUTE), ("/v1/contacts", {"name": "Ada"}), ("/v1/vendors", {"name": "Acme"}),
    ("/v1/places", {"street1": "1 Main"}), ("/v1/drivers", {"name": "A", "phone": "+6591234567"}),
    ("/v1/vehicles", {"plate_number": "S 1"}), ("/v1/fleets", {"name": "Night"}),
    ("/v1/payloads", ROUTE), ("/v1/entities", {"name": "Box"}), ("/v1/devices", {"name": "Box"}),
    ("/v1/issues", {"report": "Door"}), ("/v1/service-rates", RATE | {"base_fee": 1}),
    ("/v1/service-areas", {"name": "Singapore", "border": BORDER}),
    ("/v1/zones", {"name": "Centre", "border": BORDER}),
    ("/v1/waypoints", {"place": "1.36,103.86"}),
    ("/v1/order-configs", {"name": "Cold", "flow": [{"code": "done", "complete": True}]}),
    ("/v1/tracking-statuses", {"code": "cleared", "status": "Cleared"}),
)  # fmt: skip


async def with_parent(firm: Firm, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Name the record that some records belong to."""
    if path in {"/v1/entities", "/v1/waypoints"}:
        return body | {"payload": (await made(firm, "/v1/payloads", ROUTE))["id"]}
    if path == "/v1/zones":
        area = {"name": "Singapore", "border": BORDER}
        return body | {"service_area": (await made(firm, "/v1/service-areas", area))["id"]}
    if path == "/v1/tracking-statuses":
        return body | {"order": (await made(firm, "/v1/orders", ROUTE))["id"]}
    return body


@pytest.mark.parametrize(("path", "body"), METAS)
async def test_patching_meta_merges_by_key_and_putting_replaces(
    acme: Firm, path: str, body: dict[str, Any]
) -> None:
    body = await with_parent(acme, path, body)
    row = await made(acme, path, body | {"meta": {"a": 1, "b": {"c": 2}}})
    one = f"{path}/{row['id']}"
    patch = {"meta": {"a": None, "b": {"d": 3}, "e": 4}}
    answer = await acme.api.patch(one, json=patch)
    assert answer.json()["meta"] == {"b": {"d": 3}, "e": 4}, answer.text
    assert (await acme.api.patch(one, json={"meta": {}})).json()["meta"] == {"b": {"d": 3}, "e": 4}
    assert (await acme.api.get(one)).json()["meta"] == {"b": {"d": 3}, "e": 4}
    assert (await acme.api.put(one, json={"meta": {"f": 5}})).json()["meta"] == {"f": 5}
    large = {"meta": {"g": "x" * 9000}}
    assert (await acme.api.patch(one, json=large)).status_code == 200
    refused(await acme.api.patch(one, json={"meta": {"h": "x" * 9000}}), 422, "validation_failed")


async def test_every_resource_with_meta_is_among_those_that_merge_it(house: House) -> None:
    told = (await house.client().get("/openapi.json")).json()
    schemas = told["components"]["schemas"]
    changed = set()
    for path, item in told["paths"].items():
        if not path.startswith("/v1/") or "requestBody" not in item.get("patch", {}):
            continue
        name = item["patch"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        if "meta" in schemas[name.rpartition("/")[2]]["properties"]:
            changed.add(path.rpartition("/")[0])
    assert changed == {path for path, _ in METAS}


async def test_a_customers_own_changes_merge_meta_alike(acme: Firm) -> None:
    _, client = await Mall(acme, count(1)).visitor()
    path = "/storefront/v1/customers/me"
    put = await client.put(path, json={"meta": {"a": 1, "b": 2}})
    assert put.json()["meta"] == {"a": 1, "b": 2}, put.text
    assert (await client.put(path, json={"meta": {"c": 3}})).json()["meta"] == {"c": 3}
    patched = await client.patch(path, json={"meta": {"c": None, "d": 4}})
    assert patched.json()["meta"] == {"d": 4}, patched.text


MOBILES = (("drivers", {"name": "Ada", "phone": "+6591234567"}), ("vehicles", {"year": 2024}))


@pytest.mark.parametrize(("kind", "body"), MOBILES)
async def test_positions_are_reported_to_track_and_not_dropped(
    acme: Firm, kind: str, body: dict[str, Any]
) -> None:
    where = {"latitude": 1.3, "longitude": "103.8", "heading": 90, "speed": 2.5}
    row = await made(acme, f"/v1/{kind}", body | where)
    assert row["location"]["coordinates"] == [103.8, 1.3]
    assert (row["heading"], row["speed"]) == (90, 2.5)
    one = f"/v1/{kind}/{row['id']}"
    for method in ("PUT", "PATCH"):
        for change in ({"location": "1.4,103.9"}, {"latitude": 1.4, "longitude": 103.9},
                       {"speed": 3}, {"location": None},
                       row | {"location": "1.4,103.9"}):  # fmt: skip
            answer = await acme.api.request(method, one, json=change)
            refused(answer, 422, "validation_failed")
            assert f"POST /v1/{kind}/{{id}}/track" in answer.text
        for same in (row, {"location": "1.3,103.8"}, {"latitude": 1.3, "longitude": 103.8}):
            answer = await acme.api.request(method, one, json=same)
            assert answer.status_code == 200, answer.text
    half = await acme.api.patch(one, json={"latitude": 1.3})
    assert list(suggestions(half)) == ["longitude"]
    assert (await acme.api.get(one)).json()["location"] == row["location"]


@pytest.mark.parametrize(("kind", "body"), MOBILES)
async def test_a_record_read_before_a_move_may_be_sent_back(
    acme: Firm, kind: str, body: dict[str, Any]
) -> None:
    unseen = await made(acme, f"/v1/{kind}", body | {"heading": 0, "speed": 0})
    one = f"/v1/{kind}/{unseen['id']}"
    noughts = await acme.api.patch(one, json={"heading": 0, "altitude": 0, "speed": 0})
    assert noughts.status_code == 200, noughts.text
    early = {"location": "1.3,103.8", "recorded_at": "2026-01-15T11:58:00Z"}
    seen = (await acme.api.post(f"{one}/track", json=early)).json()
    later = {"location": "1.4,103.9", "recorded_at": "2026-01-15T11:59:00Z"}
    moved = (await acme.api.post(f"{one}/track", json=later)).json()
    for read in (unseen, seen, moved):
        answer = await acme.api.put(one, json=read | {"internal_id": "X-1"})
        assert answer.status_code == 200, answer.text
        assert answer.json()["location"] == moved["location"]
    half = await acme.api.post(f"/v1/{kind}", json=body | {"heading": 90})
    assert list(suggestions(half)) == ["location"]


async def test_single_answers_the_first_record_or_404(acme: Firm) -> None:
    refused(await acme.api.get("/v1/contacts?single=true"), 404, "not_found")
    await made(acme, "/v1/contacts", {"name": "Ada"})
    newest = await made(acme, "/v1/contacts", {"name": "Bert"})
    listed = (await acme.api.get("/v1/contacts")).json()
    for query in ("single=true", "single=True", "single=1&with[]=place", "single=true&limit=1"):
        answer = await acme.api.get(f"/v1/contacts?{query}")
        assert answer.json() == listed[0]
        assert "link" not in answer.headers
    found = await acme.api.get(f"/v1/contacts?single=true&query={newest['name']}")
    assert found.json()["id"] == newest["id"]
    assert (await acme.api.get("/v1/contacts?single=false")).json() == listed
    for wrong in ("single=perhaps", "single=1&single=1", "single[]=1", "single[x]=1"):
        refused(await acme.api.get(f"/v1/contacts?{wrong}"), 422, "unknown_value")
    refused(await acme.admin.get("/int/v1/keys?single=true"), 422, "unknown_parameter")


async def test_single_leaves_the_cheapest_quote(acme: Firm) -> None:
    for fee in (900, 500):
        await made(acme, "/v1/service-rates", RATE | {"base_fee": fee})
    for query, amounts in (({}, [500, 900]), ({"single": "1"}, [500])):
        quotes = (await acme.api.get("/v1/service-quotes", params=ROUTE | query)).json()
        assert [quote["amount"] for quote in quotes] == amounts


async def test_the_first_page_may_be_asked_for_by_its_number(acme: Firm) -> None:
    for name in ("Ada", "Bert"):
        await made(acme, "/v1/contacts", {"name": name})
    listed = (await acme.api.get("/v1/contacts")).json()
    for query in ("page=1", "offset=0", "page=1&offset=0"):
        assert (await acme.api.get(f"/v1/contacts?{query}")).json() == listed
    assert (await acme.admin.get("/int/v1/keys?page=1")).status_code == 200
    first = await acme.api.get("/v1/contacts?limit=1")
    link = first.headers["link"].partition(">")[0].removeprefix("<")
    numbered = await acme.api.get("/v1/contacts?page=1&offset=0&limit=1")
    following = numbered.headers["link"].partition(">")[0].removeprefix("<")
    assert (await acme.api.get(following)).json() == listed[1:]
    for wrong in ("/v1/contacts?page=0", "/v1/contacts?offset=1", f"{link}&page=1"):
        refused(await acme.api.get(wrong), 422, "unknown_parameter")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (ROUTE | {"customer": {"name": "Bert", "phone": "12"}}, "customer.phone"),
        (ROUTE | {"type": "nope"}, "type"),
        (ROUTE | {"order_config": "nope"}, "order_config"),
        ([ROUTE], "body"),
    ],
    ids=["customer", "type", "order_config", "list"],
)
async def test_refusals_name_fields_as_the_caller_sent_them(
    acme: Firm, body: Any, path: str
) -> None:
    assert list(suggestions(await acme.api.post("/v1/orders", json=body))) == [path]


async def test_names_of_the_ancestors_clients_are_accepted(acme: Firm) -> None:
    body = ROUTE | {"customer_type": "customer-contact", "required_skills": [], "options": {}}
    order = await made(acme, "/v1/orders", body)
    back = {"id": order["id"], "created_at": order["created_at"], "tracking_number": {}, "eta": 1}
    answer = await acme.api.put(f"/v1/orders/{order['id']}", json=back)
    assert answer.status_code == 200, answer.text
    await made(acme, "/v1/vehicles", {"plate_number": "S 1", "engine_number": "E", "class": "b"})
    assert (await acme.api.get("/v1/orders?single=true&with[]=payload")).status_code == 200
