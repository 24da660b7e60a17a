"""Decisions §1, Unknown names: what clients of comparable products send is accepted or honoured."""

import json
from typing import Any

import httpx
import pytest

from orders.shop import Shop
from probe import refused
from proofs import drawn
from stage import Firm

Json = dict[str, Any]

ROUTE = {"pickup": "1.30,103.80", "dropoff": "1.35,103.85"}
# As a phone reports it.
POSITION = {
    "latitude": 1.35, "longitude": 103.85, "accuracy": 8, "altitude": 3, "altitudeAccuracy": None,
    "heading": 90, "speed": 1.5, "mocked": False, "timestamp": 1768478400000,
}  # fmt: skip
ITEM = {
    "name": "Box", "type": "parcel", "internal_id": "E-1", "description": "Fragile", "sku": "B-1",
    "length": 10, "width": 10, "height": 10, "dimensions_unit": "cm", "weight": 1,
    "weight_unit": "kg", "declared_value": 100, "price": 100, "sale_price": 90, "currency": "SGD",
    "meta": {"colour": "red"},
}  # fmt: skip


def taken(answer: httpx.Response) -> Any:
    assert answer.status_code in {200, 201}, answer.text
    return answer.json()


async def started(firm: Firm) -> Json:
    order: Json = await Shop(firm).started(**ROUTE)
    return order


async def test_an_order_takes_every_field_of_the_reference(acme: Firm) -> None:
    contact = taken(await acme.api.post("/v1/contacts", json={"name": "Ada", "type": "customer"}))
    vendor = taken(await acme.api.post("/v1/vendors", json={"name": "Acme Freight"}))
    payload = ROUTE | {
        "type": "parcel", "return": "1.30,103.80", "entities": [ITEM], "cod_amount": 100,
        "cod_currency": "SGD", "cod_payment_method": "cash", "payment_method": "cash", "meta": {},
    }  # fmt: skip
    body = {
        "type": "transport", "order_config": "transport", "internal_id": "SO-1", "notes": "Ring.",
        "payload": payload, "customer": {"id": contact["id"], "name": "Ada"},
        "facilitator": {"id": vendor["id"]}, "driver": None, "vehicle": None, "meta": {},
        "service_quote": None, "purchase_rate": None, "adhoc": False, "adhoc_distance": 6000,
        "pod_required": True, "pod_method": "scan", "scheduled_at": "2026-01-15T12:00:00Z",
        "status": "created", "dispatch": False, "time_window_start": None, "time_window_end": None,
        "required_skills": [], "orchestrator_priority": 50, "options": {},
        "customer_type": "customer-contact", "facilitator_type": "facilitator-vendor",
    }  # fmt: skip
    order = taken(await acme.api.post("/v1/orders", json=body))
    assert order["customer"]["id"] == contact["id"]
    assert order["facilitator"]["id"] == vendor["id"]
    nobody = await acme.api.post("/v1/orders", json=ROUTE | {"customer": {"phone": "+6591234567"}})
    refused(nobody, 422, "validation_failed")
    assert nobody.json()["fields"][0]["path"] == "customer.name"


@pytest.mark.parametrize(
    "activity",
    [
        None,
        {"key": "enroute", "code": "enroute", "status": "x", "details": "x", "color": "x",
         "sequence": 0, "activities": [], "complete": False, "pod_method": "scan",
         "require_pod": False, "logic": [], "events": [], "actions": [], "options": [],
         "entities": [], "internalId": "x", "_resolved_status": "x", "_resolved_details": "x"},
    ],
)  # fmt: skip
async def test_an_activity_is_reported_with_the_whole_object(
    acme: Firm, activity: Json | None
) -> None:
    order = await started(acme)
    path = f"/v1/orders/{order['id']}"
    if activity is None:
        activity = taken(await acme.api.get(f"{path}/next-activity"))[0]
    body = {"activity": activity, "proof": "proof_x", "skip_dispatch": False}
    done = taken(await acme.api.post(f"{path}/update-activity", json=body))
    assert done["status"] == activity["code"]


async def test_a_capture_takes_a_phones_position(acme: Firm) -> None:
    order = await started(acme)
    path = f"/v1/orders/{order['id']}"
    common = {
        "remarks": "At the door.", "data": {"floor": 3}, "location": POSITION, "activity": None,
        "captured_at": "2026-01-15T12:00:00Z", "device": {"id": "x", "platform": "ios"},
    }  # fmt: skip
    scan = {"code": order["uuid"], "raw_data": order["uuid"], "waypoint": None}
    taken(await acme.api.post(f"{path}/capture-qr", json=common | scan))
    signature = {"signature": drawn.text(drawn.signature()), "disk": "s3", "bucket": "b"}
    proof = taken(await acme.api.post(f"{path}/capture-signature", json=common | signature))
    assert proof["data"]["location_check"] == "inside"


async def test_a_form_spells_members_of_an_object_with_brackets(acme: Firm) -> None:
    order = await started(acme)
    path = f"/v1/orders/{order['id']}/capture-photo"
    files = {"photos[]": ("door.jpg", drawn.photo(), "image/jpeg")}
    data = {"location[latitude]": "1.35", "location[longitude]": "103.85", "data[floor]": "3"}
    proof = taken(await acme.api.post(path, files=files, data=data))
    assert proof["data"]["location_check"] == "inside"
    assert proof["data"]["floor"] == "3"
    wrong = {"locaton": "1,2", "location": json.dumps(POSITION | {"acuracy": 1})}
    answer = await acme.api.post(path, files=files, data=wrong)
    refused(answer, 422, "unknown_field")
    told = {field["path"]: field["message"] for field in answer.json()["fields"]}
    assert told.keys() == {"locaton", "location.acuracy"}
    lenient = await acme.api.post(
        path, files=files, data=wrong, headers={"Prefer": "handling=lenient"}
    )
    assert lenient.headers["pannier-ignored"] == "locaton, location.acuracy"
    both = {"location": "1.35,103.85", "location[latitude]": "1.35"}
    refused(await acme.api.post(path, files=files, data=both), 422, "validation_failed")


@pytest.mark.parametrize("prefix", ["/v1", "/storefront/v1"])
async def test_a_quote_takes_items_and_stops_as_an_order_does(acme: Firm, prefix: str) -> None:
    client = acme.api if prefix == "/v1" else acme.storefront
    path = f"{prefix}/service-quotes"
    place = {"latitude": 1.3, "longitude": 103.8, "accuracy": 5}
    stops = [{"place": place, "type": "pickup", "service_time": 60, "notes": "Ring."}, "1.31,103.8"]
    for query in (
        ROUTE | {"entities": json.dumps([ITEM]), "single": "1", "is_route_optimized": "true"},
        {"waypoints": json.dumps(stops)},
        {"pickup[latitude]": "1.3", "pickup[longitude]": "103.8", "dropoff": "1.31,103.8"},
    ):
        assert taken(await client.get(path, params=query)) == []
    item = {**ITEM, "quantity": 2}
    assert taken(await client.get(path, params=ROUTE | {"entities": json.dumps([item])})) == []


async def test_fees_may_name_the_rates_currency(acme: Firm) -> None:
    box = {"size": "small", "length": 1, "width": 1, "height": 1, "dimensions_unit": "cm",
           "weight": 1, "weight_unit": "kg", "fee": 1, "currency": "SGD"}  # fmt: skip
    rate = {"service_name": "S", "service_type": "express", "currency": "SGD"}
    parcel = rate | {"rate_calculation_method": "parcel", "parcel_fees": [box]}
    taken(await acme.api.post("/v1/service-rates", json=parcel))
    lost = rate | {"rate_calculation_method": "fixed_rate", "rate_fees": [{"fee": 500}]}
    refused(await acme.api.post("/v1/service-rates", json=lost), 422, "unknown_field")


async def test_asking_for_related_records_is_accepted(acme: Firm) -> None:
    order = taken(await acme.api.post("/v1/orders", json=ROUTE))
    for query in ("single=true", "with[]=payload&without[]=meta", "with_tracker_data=true",
                  "with_eta=1", "columns[]=id", "with_count=files"):  # fmt: skip
        taken(await acme.api.get(f"/v1/orders?{query}"))
        taken(await acme.api.get(f"/v1/orders/{order['id']}?{query}"))


async def test_what_would_have_to_act_is_refused_on_a_change(acme: Firm) -> None:
    order = taken(await acme.api.post("/v1/orders", json=ROUTE))
    path = f"/v1/orders/{order['id']}"
    for body in ({"dispatch": True}, {"service_quote": "quote_another"}):
        answer = await acme.api.patch(path, json=body)
        refused(answer, 422, "validation_failed")
        assert answer.json()["fields"][0]["path"] == next(iter(body))
    taken(await acme.api.patch(path, json={"dispatch": False, "service_quote": None}))
