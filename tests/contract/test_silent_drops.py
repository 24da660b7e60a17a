"""Decisions §1, Unknown names: what used to be dropped without a word is refused or honoured."""

from typing import Any

import pytest

from probe import refused
from stage import Firm

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


@pytest.mark.parametrize(
    ("path", "body", "meant"),
    [
        ("/int/v1/transactions/transaction_x/refund", {"ammount": 100}, {"ammount": "amount"}),
        ("/int/v1/webhooks", {**WEBHOOK, "enabled_events": ["order.created"], "status": "disabled"},
         {"enabled_events": "events", "status": "state"}),
        ("/int/v1/webhooks/webhook_x/rotate-secret", {"grace": 0}, {"grace": "grace_seconds"}),
        ("/int/v1/webhook-deliveries/replay", {"filter": {}, "dryRun": True},
         {"dryRun": "dry_run"}),
        ("/v1/service-rates", {**RATE, "base_fe": 500, "valid_til": "2026-12-31T00:00:00Z"},
         {"base_fe": "base_fee", "valid_til": "valid_until"}),
        ("/v1/orders", {**ROUTE, "dropoff": {"stret1": "1 Main", "zip": "1", "lat": 1, "lng": 2}},
         {"dropoff.stret1": "street1", "dropoff.zip": "postal_code", "dropoff.lat": "latitude",
          "dropoff.lng": "longitude"}),
        ("/v1/orders", {**ROUTE, "entities": [{"name": "Box", "quantity": 3, "wieght": 2}]},
         {"entities[0].quantity": "one item for each piece", "entities[0].wieght": "weight"}),
        ("/v1/orders", {"waypoints": [{"place": {"stret1": "x"}}, "1.3,103.8"]},
         {"waypoints[0].place.stret1": "street1"}),
        ("/v1/service-rates/preview", {"pickup": {"lat": 1, "lng": 2}, "dropoff": "1,2"},
         {"pickup.lat": "latitude", "pickup.lng": "longitude"}),
    ],
)  # fmt: skip
async def test_a_misspelled_field_is_refused_with_what_was_meant(
    acme: Firm, path: str, body: dict[str, Any], meant: dict[str, str]
) -> None:
    caller = acme.admin if path.startswith("/int") else acme.api
    answer = await caller.post(path, json=body)
    refused(answer, 422, "unknown_field")
    told = suggestions(answer)
    assert told.keys() == meant.keys()
    for name, sentence in told.items():
        expected = meant[name] if " " in meant[name] else f"`{meant[name]}`"
        assert expected in sentence, told


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


METAS = (
    ("/v1/orders", ROUTE), ("/v1/contacts", {"name": "Ada"}), ("/v1/vendors", {"name": "Acme"}),
    ("/v1/places", {"street1": "1 Main"}), ("/v1/drivers", {"name": "A", "phone": "+6591234567"}),
    ("/v1/vehicles", {"plate_number": "S 1"}), ("/v1/fleets", {"name": "Night"}),
    ("/v1/payloads", ROUTE), ("/v1/entities", {"name": "Box"}), ("/v1/devices", {"name": "Box"}),
    ("/v1/issues", {"report": "Door"}), ("/v1/service-rates", RATE | {"base_fee": 1}),
)  # fmt: skip


@pytest.mark.parametrize(("path", "body"), METAS)
async def test_patching_meta_merges_by_key_and_putting_replaces(
    acme: Firm, path: str, body: dict[str, Any]
) -> None:
    if path == "/v1/entities":
        payload = await made(acme, "/v1/payloads", ROUTE)
        body = body | {"payload": payload["id"]}
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


async def test_refusals_name_fields_as_the_caller_sent_them(acme: Firm) -> None:
    person = {"customer": {"name": "Bert", "phone": "12"}}
    answer = await acme.api.post("/v1/orders", json=ROUTE | person)
    assert list(suggestions(answer)) == ["customer.phone"]
    answer = await acme.api.post("/v1/orders", json=ROUTE | {"type": "nope"})
    assert list(suggestions(answer)) == ["type"]
    answer = await acme.api.post("/v1/orders", json=ROUTE | {"order_config": "nope"})
    assert list(suggestions(answer)) == ["order_config"]
    answer = await acme.api.post("/v1/orders", json=[ROUTE])
    assert list(suggestions(answer)) == ["body"]


async def test_names_of_the_ancestors_clients_are_accepted(acme: Firm) -> None:
    body = ROUTE | {"customer_type": "customer-contact", "required_skills": [], "options": {}}
    order = await made(acme, "/v1/orders", body)
    back = {"id": order["id"], "created_at": order["created_at"], "tracking_number": {}, "eta": 1}
    answer = await acme.api.put(f"/v1/orders/{order['id']}", json=back)
    assert answer.status_code == 200, answer.text
    await made(acme, "/v1/vehicles", {"plate_number": "S 1", "engine_number": "E", "class": "b"})
    assert (await acme.api.get("/v1/orders?single=true&with[]=payload")).status_code == 200
