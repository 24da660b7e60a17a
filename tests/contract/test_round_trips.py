"""Decisions §1, Unknown names: a record that is sent back as it was read is accepted."""

from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

import httpx
import pytest

from customers.mall import Mall
from probe import refused
from stage import Firm

Json = dict[str, Any]

RING = [[103.8, 1.3], [103.9, 1.3], [103.9, 1.4], [103.8, 1.4], [103.8, 1.3]]
BORDER = {"type": "Polygon", "coordinates": [RING]}
FLOW = [
    {"code": "enroute", "status": "On the way", "next": ["handed_over"]},
    {"code": "handed_over", "status": "Handed over", "complete": True, "require_pod": True,
     "pod_method": "signature"},
]  # fmt: skip
RATE = {
    "service_name": "Same day", "service_type": "express", "currency": "SGD",
    "rate_calculation_method": "parcel", "base_fee": 500, "has_peak_hours_fee": True,
    "peak_hours_calculation_method": "flat", "peak_hours_flat_fee": 100,
    "peak_hours_start": "08:00", "peak_hours_end": "10:00",
    "parcel_fees": [{"size": "small", "length": 10, "width": 10, "height": 10, "fee": 5,
                     "dimensions_unit": "cm", "weight": 1, "weight_unit": "kg"}],
}  # fmt: skip
VEHICLE = {
    "plate_number": "S 1", "year": 2024, "capacity": {"weight": 800, "items": 40},
    "profile": "van", "cost_per_km": 35, "currency": "SGD",
}  # fmt: skip
ROUTE = {"pickup": "1.30,103.80", "dropoff": {"street1": "80 Mandai Lake Road", "country": "SG"}}


async def made(client: httpx.AsyncClient, path: str, body: Json) -> Json:
    answer = await client.post(path, json=body)
    assert answer.status_code == 201, answer.text
    found: Json = answer.json()
    return found


async def make_zone(firm: Firm) -> Json:
    area = await made(firm.api, "/v1/service-areas", {"name": "Singapore", "border": BORDER})
    zone = {"name": "Centre", "service_area": area["id"], "border": BORDER, "speed_limit_kmh": 30}
    return await made(firm.api, "/v1/zones", zone)


SHIFT = {"start": "08:00", "end": "16:00",
         "breaks": [{"earliest": "11:00", "latest": "12:00", "duration": 1800}]}  # fmt: skip


async def make_driver(firm: Firm) -> Json:
    vehicle = await made(firm.api, "/v1/vehicles", {"plate_number": "SGX 1"})
    depot = await made(firm.api, "/v1/places", {"street1": "1 Main", "location": "1.30,103.80"})
    body = {"name": "Ada", "phone": "+6591234567", "vehicle": vehicle["id"], "country": "SG",
            "skills": ["heavy"], "shifts": [SHIFT | {"days": ["mon"]}],
            "shift_exceptions": [{"date": "2027-01-01", "shifts": [SHIFT]}],
            "start_place": depot["id"], "cost_per_hour": 2400, "currency": "SGD"}  # fmt: skip
    return await made(firm.api, "/v1/drivers", body)


async def make_order(firm: Firm) -> Json:
    vendor = await made(firm.api, "/v1/vendors", {"name": "Acme Freight"})
    driver = await make_driver(firm)
    items = [{"name": "Box", "weight": 2, "meta": {"a": 1}}]
    person = {"name": "Bert", "phone": "+6598765432"}
    more = {"entities": items, "customer": person, "facilitator": vendor["id"],
            "driver": driver["id"], "scheduled_at": "2026-01-15T12:30:00.123456Z",
            "required_skills": ["heavy"], "cod_amount": 100, "cod_currency": "SGD",
            "meta": {"a": {"b": None}}}  # fmt: skip
    return await made(firm.api, "/v1/orders", ROUTE | more)


async def make_round(firm: Firm) -> Json:
    stops = [
        {"place": "1.30,103.80", "type": "pickup", "contact": {"name": "Cleo"}},
        {"street1": "80 Mandai Lake Road", "country": "SG", "service_time": 300},
        {"location": {"latitude": 1.31, "longitude": 103.81}, "notes": "Ring."},
    ]
    items = [{"name": "Box", "destination": 1}, {"name": "Bag", "destination": 2}]
    return await made(firm.api, "/v1/orders", {"waypoints": stops, "entities": items})


async def make_status(firm: Firm) -> Json:
    order = await made(firm.api, "/v1/orders", ROUTE)
    body = {"order": order["id"], "code": "customs_cleared", "status": "Cleared",
            "location": "1.30,103.80"}  # fmt: skip
    return await made(firm.api, "/v1/tracking-statuses", body)


async def make_issue(firm: Firm) -> Json:
    driver = await make_driver(firm)
    body = {"report": "Door", "driver": driver["id"], "location": "1.30,103.80", "tags": ["door"]}
    return await made(firm.api, "/v1/issues", body)


async def make_device(firm: Firm) -> Json:
    vehicle = await made(firm.api, "/v1/vehicles", {"plate_number": "SGX 1"})
    return await made(firm.api, "/v1/devices", {"name": "Box", "vehicle": vehicle["id"]})


async def make_place(firm: Firm) -> Json:
    contact = await made(firm.api, "/v1/contacts", {"name": "Ada", "type": "customer"})
    body = {"street1": "1 Main", "location": "1.30,103.80", "owner": contact["id"]}
    return await made(firm.api, "/v1/places", body)


def plain(path: str, body: Json) -> Callable[[Firm], Awaitable[Json]]:
    async def make(firm: Firm) -> Json:
        return await made(firm.api, path, body)

    return make


RECORDS: dict[str, Callable[[Firm], Awaitable[Json]]] = {
    "/v1/orders": make_order,
    "/v1/contacts": plain("/v1/contacts", {"name": "Ada", "phone": "+6591234567"}),
    "/v1/vendors": plain("/v1/vendors", {"name": "Acme", "country": "SG"}),
    "/v1/places": make_place,
    "/v1/drivers": make_driver,
    "/v1/vehicles": plain("/v1/vehicles", VEHICLE),
    "/v1/fleets": plain("/v1/fleets", {"name": "Night"}),
    "/v1/issues": make_issue,
    "/v1/devices": make_device,
    "/v1/service-areas": plain("/v1/service-areas", {"name": "Singapore", "border": BORDER}),
    "/v1/zones": make_zone,
    "/v1/service-rates": plain("/v1/service-rates", RATE),
    "/v1/order-configs": plain("/v1/order-configs", {"name": "Cold chain", "flow": FLOW}),
    "/v1/tracking-statuses": make_status,
}


def lasting(record: Any) -> Any:
    """Leave out what counts changes and signs that a record was read at another moment."""
    if isinstance(record, dict):
        passing = {"version", "updated_at", "tracking_url", "flow_version"}
        return {name: lasting(value) for name, value in record.items() if name not in passing}
    return [lasting(each) for each in record] if isinstance(record, list) else record


async def check_round_trip(client: httpx.AsyncClient, path: str, method: str) -> None:
    before = (await client.get(path)).json()
    answer = await client.request(method, path, json=before)
    assert answer.status_code == 200, answer.text
    assert lasting(answer.json()) == lasting(before)
    assert lasting((await client.get(path)).json()) == lasting(before)


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("path", RECORDS)
async def test_a_record_may_be_sent_back_as_it_was_read(acme: Firm, path: str, method: str) -> None:
    row = await RECORDS[path](acme)
    await check_round_trip(acme.api, f"{path}/{row['id']}", method)


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
async def test_an_order_of_several_stops_and_its_parts_may_be_sent_back(
    acme: Firm, method: str
) -> None:
    order = await make_round(acme)
    await check_round_trip(acme.api, f"/v1/orders/{order['id']}", method)
    payload = order["payload"]
    await check_round_trip(acme.api, f"/v1/payloads/{payload['id']}", method)
    for kind in ("waypoints", "entities"):
        await check_round_trip(acme.api, f"/v1/{kind}/{payload[kind][1]['id']}", method)


WEBHOOK = {"url": "https://example.com/hook", "headers": {"X-A": "1"}, "rate_limit": 5}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/int/v1/keys", {"kind": "api", "name": "Shop", "expires_at": "2027-01-01T00:00:00Z"}),
        ("/int/v1/webhooks", WEBHOOK),
        ("/int/v1/operators", {"email": "v@example.com", "name": "Vi", "role": "viewer",
                               "password": "a long and private sentence"}),
        ("/int/v1/devices", {"name": "Box"}),
    ],
)  # fmt: skip
async def test_an_operators_record_may_be_sent_back_as_it_was_read(
    acme: Firm, path: str, body: Json
) -> None:
    if path == "/int/v1/devices":
        row = await made(acme.api, "/v1/devices", body)
    else:
        row = await made(acme.admin, path, body)
    one = f"{path}/{row['id']}"
    if (await acme.admin.get(one)).status_code != 200:
        listed = (await acme.admin.get(path)).json()["data"]
        before = next(each for each in listed if each["id"] == row["id"])
        answer = await acme.admin.patch(one, json=before)
        assert answer.status_code == 200, answer.text
        assert lasting(answer.json()) == lasting(before)
        return
    await check_round_trip(acme.admin, one, "PATCH")


async def test_settings_and_stores_may_be_sent_back_as_they_were_read(acme: Firm) -> None:
    before = (await acme.admin.get("/int/v1/settings")).json()
    answer = await acme.admin.patch("/int/v1/settings", json=before)
    assert answer.status_code == 200, answer.text
    store = (await acme.admin.get("/int/v1/storefronts")).json()["data"][0]
    answer = await acme.admin.patch(f"/int/v1/storefronts/{store['id']}", json=store)
    assert answer.status_code == 200, answer.text


async def test_fixed_fields_of_a_key_and_an_operator_are_refused_when_they_differ(
    acme: Firm,
) -> None:
    key = await made(acme.admin, "/int/v1/keys", {"kind": "api", "name": "Shop"})
    operator = (await acme.admin.get("/int/v1/me")).json()["operator"]
    for path, body in (
        (f"/int/v1/keys/{key['id']}", {"expires_at": "2027-01-01T00:00:00Z"}),
        (f"/int/v1/keys/{key['id']}", {"kind": "storefront"}),
        (f"/int/v1/operators/{operator['id']}", {"email": "other@example.com"}),
        ("/int/v1/me", {"role": "viewer"}),
    ):
        answer = await acme.admin.patch(path, json=body)
        refused(answer, 422, "validation_failed")
        assert [field["path"] for field in answer.json()["fields"]] == list(body)
    rotated = await acme.admin.post(f"/int/v1/keys/{key['id']}/rotate", json={})
    assert rotated.status_code == 201, rotated.text
    await check_round_trip(acme.admin, f"/int/v1/keys/{key['id']}", "PUT")


async def test_a_customer_may_be_sent_back_and_changes_a_phone_by_verification_only(
    acme: Firm,
) -> None:
    mall = Mall(acme, count(1))
    _, client = await mall.visitor()
    path = "/storefront/v1/customers/me"
    await check_round_trip(client, path, "PUT")
    answer = await client.put(path, json={"phone": "+6598760000"})
    refused(answer, 422, "validation_failed")
    assert "request-phone-verification" in answer.json()["detail"]
    number = {"phone": "+6598760000"}
    asked = await client.post("/storefront/v1/customers/request-phone-verification", json=number)
    assert asked.status_code == 200, asked.text
    code = number | {"code": await mall.texted()}
    done = await client.post("/storefront/v1/customers/verify-phone-number", json=code)
    assert done.status_code == 200, done.text


async def test_an_order_whose_customer_was_deleted_may_be_sent_back(acme: Firm) -> None:
    order = await make_order(acme)
    gone = await acme.api.delete(f"/v1/contacts/{order['customer']['id']}")
    assert gone.status_code == 200, gone.text
    await check_round_trip(acme.api, f"/v1/orders/{order['id']}", "PUT")
