"""`fields` returns only the named fields of orders, and `expand` inlines related records."""

import pytest

from orders.shop import Shop, statements
from probe import refused
from stage import Firm, House

SELECTED = "id,status,customer.name,payload.dropoff.street1,payload.waypoints.id,meta.shop"


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def test_only_the_named_fields_are_returned(shop: Shop, acme: Firm) -> None:
    ada = {"name": "Ada", "phone": "+6591234567"}
    made = await shop.order(customer=ada, meta={"shop": "north", "till": 3})
    expected = {
        "id": made["id"],
        "status": "created",
        "customer": {"name": "Ada"},
        "payload": {
            "dropoff": {"street1": made["payload"]["dropoff"]["street1"]},
            "waypoints": [],
        },
        "meta": {"shop": "north"},
    }
    repeated = "fields=id,status,customer.name&fields=payload.dropoff.street1,payload.waypoints.id"
    for query in (f"fields={SELECTED}", f"{repeated}&fields=meta.shop"):
        assert (await acme.api.get(f"/v1/orders/{made['id']}?{query}")).json() == expected
        assert (await acme.api.get(f"/v1/orders?{query}")).json() == [expected]
        assert (await acme.api.get(f"/v1/orders?single=true&{query}")).json() == expected
    bracketed = await acme.api.get("/v1/orders?fields[]=customer.name&fields[]=customer")
    assert bracketed.json() == [{"customer": made["customer"]}]


async def test_the_next_page_has_the_same_fields(shop: Shop, acme: Firm) -> None:
    ids = [(await shop.order())["id"] for _ in range(2)]
    first = await acme.api.get("/v1/orders?limit=1&fields=id")
    second = await acme.api.get(first.links["next"]["url"])
    assert first.json() + second.json() == [{"id": ids[1]}, {"id": ids[0]}]


async def test_an_etag_belongs_to_a_representation_and_fits_if_match(
    shop: Shop, acme: Firm
) -> None:
    path = f"/v1/orders/{(await shop.order())['id']}"
    tags = [
        (await acme.api.get(path, params={"fields": names})).headers["etag"]
        for names in ("id", "id,status")
    ]
    tags.append((await acme.api.get(path)).headers["etag"])
    assert len({*tags}) == 3
    assert (await acme.api.get(path, params={"fields": "id"})).headers["etag"] == tags[0]
    changed = await acme.api.patch(path, json={"notes": "Ring"}, headers={"If-Match": tags[0]})
    assert changed.status_code == 200, changed.text
    late = await acme.api.patch(path, json={"notes": "Knock"}, headers={"If-Match": tags[1]})
    refused(late, 412, "precondition_failed")


async def test_a_former_name_is_returned_as_asked_and_announced(shop: Shop, acme: Firm) -> None:
    driver = await shop.driver()
    order = await shop.order(driver=driver["id"])
    for path in ("/v1/orders", f"/v1/orders/{order['id']}"):
        former = await acme.api.get(path, params={"fields": "driver_assigned.id"})
        rows = former.json()
        row = rows[0] if isinstance(rows, list) else rows
        assert row == {"driver_assigned": {"id": driver["id"]}}
        assert former.headers["deprecation"].startswith("@")
        present = await acme.api.get(path, params={"fields": "driver.id"})
        assert "deprecation" not in present.headers


@pytest.mark.parametrize(
    ("fields", "meant"),
    [("statuss", "status"), ("customer.nmae", "customer.name"), ("customer.name.first", None),
     ("payload.dropoff.zip", "payload.dropoff.postal_code"), ("xyzzy", None),
     ("payload.waypoints.place.city", None), ("created_at,id,stat us", "status")],
)  # fmt: skip
async def test_unknown_fields_are_refused_with_a_suggestion(
    acme: Firm, fields: str, meant: str | None
) -> None:
    answer = await acme.api.get("/v1/orders", params={"fields": fields})
    refused(answer, 422, "unknown_value")
    [field] = answer.json()["fields"]
    assert field["path"] == ("fields[2]" if "," in fields else "fields")
    assert ("Did you mean" in field["message"]) is (meant is not None)
    assert meant is None or f"`{meant}`" in field["message"]


async def test_the_number_of_fields_is_bounded(acme: Firm) -> None:
    for fields in (",", ",".join(f"meta.a{number}" for number in range(21))):
        answer = await acme.api.get("/v1/orders", params={"fields": fields})
        refused(answer, 422, "validation_failed")
        assert [field["path"] for field in answer.json()["fields"]] == ["fields"]
    most = ",".join(f"meta.a{number}" for number in range(20))
    assert (await acme.api.get("/v1/orders", params={"fields": most})).json() == []


async def test_records_are_inlined(shop: Shop, acme: Firm) -> None:
    van = await shop.vehicle()
    driver = await shop.driver(vehicle=van["id"])
    ada = {"name": "Ada", "phone": "+6591234567"}
    swift = await shop.post("vendors", name="Swift Couriers")
    plain = await shop.order(driver=driver["id"], customer=ada, facilitator=swift["id"])
    records = {
        "driver": await shop.get(f"drivers/{driver['id']}"),
        "vehicle": await shop.get(f"vehicles/{van['id']}"),
        "customer": await shop.get(f"contacts/{plain['customer']['id']}"),
        "facilitator": await shop.get(f"vendors/{swift['id']}"),
    }
    expected = plain | {name: record | plain[name] for name, record in records.items()}
    expected["order_config"] = await shop.get(f"order-configs/{plain['order_config']}")
    expected["driver_assigned"] = expected["driver"]
    expected["vehicle_assigned"] = expected["vehicle"]
    query = "expand=driver,customer&expand=vehicle,order_config,facilitator,transaction,payload"
    assert (await acme.api.get(f"/v1/orders/{plain['id']}?{query}")).json() == expected
    assert (await acme.api.get(f"/v1/orders?{query}")).json() == [expected]
    chosen = "expand=driver_assigned&fields=driver_assigned.status,driver.email,vehicle.id"
    answer = await acme.api.get(f"/v1/orders?{chosen}")
    assert answer.json() == [
        {
            "driver_assigned": {"status": records["driver"]["status"]},
            "driver": {"email": records["driver"]["email"]},
            "vehicle": {"id": van["id"]},
        }
    ]
    assert answer.headers["deprecation"].startswith("@")


async def test_a_deleted_record_stays_in_its_short_form(shop: Shop, acme: Firm) -> None:
    van = await shop.vehicle()
    driver = await shop.driver(vehicle=van["id"])
    order = await shop.order(driver=driver["id"])
    assert (await acme.api.delete(f"/v1/vehicles/{van['id']}")).status_code == 200
    shown = await shop.get(f"orders/{order['id']}?expand=vehicle")
    assert shown["vehicle"] == order["vehicle"]


async def test_a_price_is_inlined(shop: Shop, acme: Firm) -> None:
    rate = {
        "service_name": "Express", "service_type": "delivery", "currency": "SGD",
        "base_fee": 500, "rate_calculation_method": "fixed_rate",
    }  # fmt: skip
    await shop.post("service-rates", **rate)
    order = await shop.order()
    [quote] = await shop.get(f"orders/{order['id']}/service-quotes")
    accepted = await acme.api.post(f"/v1/service-quotes/{quote['id']}/accept", json={})
    assert accepted.status_code == 201, accepted.text
    transaction = accepted.json()
    query = "expand=transaction,service_quote&fields=transaction,service_quote.amount"
    assert await shop.get(f"orders/{order['id']}?{query}") == {
        "transaction": await shop.get(f"transactions/{transaction['id']}"),
        "service_quote": {"amount": quote["amount"]},
    }
    names = "transaction.service_quote,transaction.customer,service_quote.service_rate"
    shown = await shop.get(f"orders/{order['id']}?expand={names},service_quote.transaction")
    assert shown["transaction"]["service_quote"]["id"] == quote["id"]
    assert shown["transaction"]["customer"] is None
    assert shown["service_quote"]["service_rate"]["service_name"] == "Express"
    assert shown["service_quote"]["transaction"]["id"] == transaction["id"]


async def test_records_within_records_are_inlined(shop: Shop, acme: Firm) -> None:
    van = await shop.vehicle(plate_number="SG 1")
    depot, home = [await shop.post("places", name=name, street1="1 Road") for name in "AB"]
    driver = await shop.driver(vehicle=van["id"], start_place=depot["id"])
    ada = await shop.post("contacts", name="Ada", type="customer", place=home["id"])
    order = await shop.order(driver=driver["id"], customer=ada["id"])
    names = "driver.vehicle,driver.start_place,driver.end_place,customer.place,vehicle.driver"
    shown = await shop.get(f"orders/{order['id']}?expand={names}")
    assert shown == (await shop.get(f"orders?expand={names}"))[0]
    assert shown["driver"]["vehicle"] == await shop.get(f"vehicles/{van['id']}")
    assert shown["driver"]["start_place"] == await shop.get(f"places/{depot['id']}")
    assert shown["driver"]["end_place"] is None
    assert shown["customer"]["place"] == await shop.get(f"places/{home['id']}")
    assert shown["vehicle"]["driver"] == await shop.get(f"drivers/{driver['id']}")
    assert shown["driver_assigned"] == shown["driver"]
    chosen = (
        "expand=driver_assigned.vehicle&fields=driver_assigned.vehicle.plate_number,driver.name"
    )
    answer = await acme.api.get(f"/v1/orders?{chosen}")
    assert answer.json() == [
        {"driver_assigned": {"vehicle": {"plate_number": "SG 1"}}, "driver": {"name": "Ada"}}
    ]
    assert answer.headers["deprecation"].startswith("@")
    # A deleted record stays an identifier.
    assert (await acme.api.delete(f"/v1/places/{depot['id']}")).status_code == 200
    shown = await shop.get(f"orders/{order['id']}?expand={names}")
    assert shown["driver"]["start_place"] == depot["id"]


async def test_a_longer_page_takes_no_more_statements(shop: Shop, house: House) -> None:
    async def place(number: int) -> None:
        van = await shop.vehicle(plate_number=f"SG{number}")
        place = await shop.post("places", name=f"Depot {number}", street1=f"{number} Road")
        driver = await shop.driver(vehicle=van["id"], start_place=place["id"])
        ada = await shop.post("contacts", name=f"Ada {number}", place=place["id"])
        await shop.order(driver=driver["id"], customer=ada["id"])

    names = "driver.vehicle,driver.start_place,vehicle.driver,customer.place,order_config"
    path = f"orders?expand={names},transaction.customer"
    await place(1)
    await shop.get(path)
    async with statements(house) as few:
        await shop.get(path)
    for number in (2, 3):
        await place(number)
    async with statements(house) as many:
        assert len(await shop.get(path)) == 3
    assert len(many) == len(few) > 0


@pytest.mark.parametrize(
    ("expand", "meant"),
    [
        ("drivr", "driver"),
        ("driver.vehicles", "driver.vehicle"),
        ("status", None),
        ("driver.vehicle.driver", None),
    ],
)
async def test_unknown_expansions_are_refused(acme: Firm, expand: str, meant: str | None) -> None:
    answer = await acme.api.get("/v1/orders", params={"expand": expand})
    refused(answer, 422, "unknown_value")
    [field] = answer.json()["fields"]
    assert field["path"] == "expand"
    assert "must be one of: customer, customer.default_service, customer.place" in field["message"]
    assert "driver, driver.end_place, driver.start_place, driver.vehicle" in field["message"]
    assert meant is None or f"Did you mean `{meant}`" in field["message"]


async def test_a_key_expands_only_what_it_may_read(shop: Shop, house: House, acme: Firm) -> None:
    order = await shop.order()
    made = {"kind": "api", "name": "Reader", "scopes": ["orders:read", "vehicles:read"]}
    key = (await acme.admin.post("/int/v1/keys", json=made)).json()["key"]
    client = house.client(key)
    for path in ("/v1/orders", f"/v1/orders/{order['id']}"):
        assert (await client.get(f"{path}?expand=vehicle,payload")).status_code == 200
        for name, scope in (
            ("driver", "drivers"), ("customer", "contacts"), ("vehicle.driver", "drivers"),
        ):  # fmt: skip
            answer = await client.get(f"{path}?expand=vehicle,{name}")
            refused(answer, 403, "forbidden")
            assert f"`{scope}:read`" in answer.json()["detail"]


async def test_an_etag_changes_with_an_inlined_record(shop: Shop, acme: Firm) -> None:
    driver = await shop.driver()
    path = f"/v1/orders/{(await shop.order(driver=driver['id']))['id']}?expand=driver"
    first = (await acme.api.get(path)).headers["etag"]
    assert (await acme.api.get(path)).headers["etag"] == first
    changed = await acme.api.patch(f"/v1/drivers/{driver['id']}", json={"city": "Bedok"})
    assert changed.status_code == 200, changed.text
    assert (await acme.api.get(path)).headers["etag"] != first
