"""Payloads: put together, read back, changed, handed over, let go."""

from pannier.kit.clock import ManualClock
from payloads.warehouse import Warehouse


async def test_a_pickup_and_a_dropoff_are_enough(depot: Warehouse) -> None:
    made = await depot.payload(type="parcel", meta={"a": 1})
    assert made["id"] == made["public_id"]
    assert made["id"].startswith("payload_")
    assert (made["order"], made["state"], made["type"]) == (None, "open", "parcel")
    assert made["pickup"]["street1"] == "A Street"
    assert made["dropoff"]["street1"] == "B Street"
    assert made["return"] is None
    assert (made["waypoints"], made["entities"], made["current_waypoint"]) == ([], [], None)
    assert (made["version"], made["meta"]) == (1, {"a": 1})
    assert made["created_at"] == made["updated_at"] == "2026-01-15T12:00:00.000Z"
    answer = await depot.firm.api.get(f"/v1/payloads/{made['uuid']}")
    assert answer.json() == made
    assert answer.headers["etag"] == '"1"'
    assert await depot.get("payloads") == [made]


async def test_sending_back_what_was_read_changes_nothing(
    depot: Warehouse, clock: ManualClock
) -> None:
    contact = (await depot.post("contacts", name="Ada"))["id"]
    vendor = (await depot.post("vendors", name="Swift"))["id"]
    route = await depot.payload(
        pickup="P Street", waypoints=[
            {"place": "A Street", "contact": {"name": "Bob", "phone": "+6591234567"},
             "time_window_start": "2026-01-15T13:00:00.123456+08:00",
             "time_window_end": "2026-01-15T14:00:00Z", "service_time": 60, "notes": "Ring.",
             "pod_required": True, "pod_method": "photo", "meta": {"x": [1.5]}},
            {"latitude": 1.3, "longitude": 103.8, "name": "A point"},
        ],
        dropoff={"type": "Point", "coordinates": [103.9, 1.4]}, cod_amount=1250, cod_currency="sgd",
        cod_payment_method="cash", payment_method="invoice", **{"return": "R Street"},
        entities=[{
            "name": "Coffee", "destination": 1, "sku": "C-1", "expected_codes": ["1", "2"],
            "length": 30, "weight": 1.5, "price": 100, "currency": "EUR", "customer": contact,
            "supplier": vendor, "meta": {"y": None},
        }],
    )  # fmt: skip
    assert [stop["order"] for stop in route["waypoints"]] == [0, 1, 2, 3]
    assert [stop["type"] for stop in route["waypoints"]] == ["pickup", *["dropoff"] * 3]
    assert route["entities"][0]["destination"] == route["waypoints"][2]["id"]
    clock.advance(seconds=5)
    for made in (route, await depot.payload()):
        for _ in range(2):
            assert await depot.patch(f"payloads/{made['id']}", **made) == made
        for stop in made["waypoints"]:
            assert await depot.patch(f"waypoints/{stop['id']}", **stop) == stop
        for item in made["entities"]:
            assert await depot.patch(f"entities/{item['id']}", **item) == item
        assert await depot.get(f"payloads/{made['id']}") == made
