"""`fields` returns only the named fields of orders."""

import pytest

from orders.shop import Shop
from probe import refused
from stage import Firm

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
