"""The demo company shows what deliveries cost."""

import pytest

from pannier.demo.seeding import seed
from stage import Firm, House

WAY = {"pickup": "60.1724,24.9479", "dropoff": "60.1643,24.9455"}


@pytest.mark.slow
async def test_the_demo_company_quotes_its_orders_and_shoppers(acme: Firm, house: House) -> None:
    async with house.database.transaction() as db:
        await seed(db, acme.uuid)
    for order in (await acme.api.get("/v1/orders")).json():
        path = f"/v1/orders/{order['id']}/service-quotes"
        quotes = (await acme.api.get(path)).json()
        names = {quote["service_name"] for quote in quotes}
        assert names == {"Express", "Same day", "Economy"}
        assert (order["transaction"] is not None) is order["dispatched"]
    asked = {**WAY, "scheduled_at": "2026-01-16T17:00:00+02:00"}
    found = (await acme.storefront.get("/storefront/v1/service-quotes", params=asked)).json()
    lines = {quote["service_name"]: [item["code"] for item in quote["items"]] for quote in found}
    assert lines == {
        "Economy": ["BASE_FEE", "DISTANCE_FEE"],
        "Same day": ["DISTANCE_FEE"],
        "Express": ["BASE_FEE", "DISTANCE_FEE", "PEAK_HOUR_FEE"],
    }
