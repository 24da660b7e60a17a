"""Items of several pieces: in prices, loads, offers, copies and the customer's view."""

import pytest

from orders.shop import Phone, Shop
from pannier.payloads.schemas import MAX_QUANTITY
from probe import refused
from rates.counter import rate
from stage import Firm

BOX = {"name": "Box", "weight": 4, "weight_unit": "kg", "quantity": 3}


async def test_a_changed_quantity_changes_the_price_and_the_load(acme: Firm, shop: Shop) -> None:
    by_piece = {"rate_calculation_method": "algorithm", "algorithm": "items * 100 + weight_kg"}
    await rate(acme, **by_piece, base_fee=0)
    van = await shop.vehicle(plate_number="VAN 1", capacity={"weight": 20, "items": 4})
    driver = await shop.driver(vehicle=van["id"])
    order = await shop.order(entities=[BOX], driver=driver["id"])
    [item] = order["payload"]["entities"]
    assert item["quantity"] == 3
    quotes = f"orders/{order['id']}/service-quotes"
    assert [quote["amount"] for quote in await shop.get(quotes)] == [312]
    warnings = f"orders/{order['id']}/assignment-warnings"
    assert await shop.get(warnings) == []
    await shop.patch(f"entities/{item['id']}", quantity=6)
    amounts = [q["amount"] for q in await shop.get(quotes) if q["status"] == "open"]
    assert amounts == [624]
    [warning] = await shop.get(warnings)
    assert "24 of 20 kg, 6 of 4 items" in warning["message"]
    copy = await shop.post(f"orders/{order['id']}/duplicate")
    assert copy["payload"]["entities"][0]["quantity"] == 6


async def test_an_offer_counts_the_pieces(shop: Shop, phone: Phone) -> None:
    ada = await shop.driver(location="1.2843,103.8511", online=True)
    await shop.order(entities=[BOX, {"name": "Bag"}], adhoc=True, dispatch=True)
    [offer] = (await (await phone(ada)).get("/v1/orders/nearby")).json()
    assert offer["items"] == 4


@pytest.mark.parametrize("quantity", [0, -1, 1.5, None, "two", MAX_QUANTITY + 1])
async def test_a_quantity_is_a_positive_whole_number(shop: Shop, quantity: object) -> None:
    answer = await shop.firm.api.post("/v1/entities", json={"name": "Box", "quantity": quantity})
    refused(answer, 422, "validation_failed")
    assert [field["path"] for field in answer.json()["fields"]] == ["quantity"]
