"""Bounds of quotes: how many, how long, and in which order."""

from typing import Any

import pytest

from pannier.kit.clock import ManualClock
from probe import paths, refused
from rates.counter import CENTRE, EAST, ask, make, names, rate
from stage import Firm

POINTS = {"pickup": CENTRE, "dropoff": EAST}
BANDS = [{"min": 0, "max": None, "fee": 1}]
SHOP_QUOTES = "/storefront/v1/service-quotes"


async def test_a_shop_lists_50_quotes_unless_asked_for_up_to_100(acme: Firm) -> None:
    for fee in range(60):
        await rate(acme, base_fee=fee + 1, public=True)
    quotes = await ask(acme.storefront, SHOP_QUOTES)
    assert [quote["amount"] for quote in quotes] == list(range(1, 51))
    assert len(await ask(acme.storefront, SHOP_QUOTES, limit=100)) == 60
    (cheapest,) = await ask(acme.storefront, SHOP_QUOTES, limit=1)
    assert cheapest["amount"] == 1
    assert len(await ask(acme.api)) == 60
    assert len(await ask(acme.api, limit=7)) == 7


@pytest.mark.parametrize(("path", "most"), [(SHOP_QUOTES, 100), ("/v1/service-quotes", 500)])
async def test_no_list_of_quotes_is_longer(acme: Firm, path: str, most: int) -> None:
    client = acme.storefront if path == SHOP_QUOTES else acme.api
    for limit in (0, most + 1):
        answer = await client.get(path, params={**POINTS, "limit": limit})
        assert paths(answer) == ["limit"]


async def test_a_quote_expires_with_its_rate(acme: Firm) -> None:
    await rate(acme, valid_until="2026-01-15T12:10:00Z")
    for sent in ({}, {"scheduled_at": "2026-01-15T12:05:00Z"}):
        (quote,) = await ask(acme.api, **sent)
        assert quote["expired_at"] == "2026-01-15T12:10:00.000Z"


async def test_a_shipment_scheduled_before_the_end_of_a_rate_can_be_quoted_afterwards(
    acme: Firm, clock: ManualClock
) -> None:
    await rate(acme, valid_until="2026-01-15T12:10:00Z")
    clock.advance(seconds=3600)
    assert await ask(acme.api) == []
    (quote,) = await ask(acme.api, scheduled_at="2026-01-15T12:05:00Z")
    assert quote["expired_at"] == "2026-01-15T13:30:00.000Z"


async def test_deleting_a_rate_ends_its_quotes(acme: Firm) -> None:
    made = await rate(acme)
    (quote,) = await ask(acme.api)
    assert (await acme.api.delete(f"/v1/service-rates/{made['id']}")).is_success
    body = {**POINTS, "service_quote": quote["id"]}
    refused(await acme.api.post("/v1/orders", json=body), 410, "quote_expired")


async def test_quotes_are_sorted_by_currency_then_by_amount(acme: Firm) -> None:
    for currency, fee in (("JPY", 90), ("SGD", 800), ("EUR", 500), ("SGD", 700), ("EUR", 100)):
        await rate(acme, currency=currency, base_fee=fee)
    expected = [("EUR", 100), ("EUR", 500), ("JPY", 90), ("SGD", 700), ("SGD", 800)]
    await acme.admin.patch("/int/v1/settings", json={"currency": None})
    assert await prices(acme) == expected
    await acme.admin.patch("/int/v1/settings", json={"currency": "SGD"})
    assert await prices(acme) == [*expected[3:], *expected[:3]]
    order = await make(acme, "orders", POINTS)
    renewed = await acme.api.post(f"/v1/orders/{order['id']}/service-quotes", json={})
    assert [(row["currency"], row["amount"]) for row in renewed.json()] == expected


async def prices(firm: Firm) -> list[tuple[str, int]]:
    return [(quote["currency"], quote["amount"]) for quote in await ask(firm.api)]


@pytest.mark.parametrize(
    ("pricing", "code"),
    [
        ({"rate_calculation_method": "weight", "weight_fees": BANDS}, "weight"),
        ({"rate_calculation_method": "volume", "volume_fees": BANDS}, "volume"),
        ({"rate_calculation_method": "algorithm", "algorithm": "weight_kg * 2"}, "weight"),
        ({"rate_calculation_method": "algorithm", "algorithm": "volume_m3 * 2"}, "volume"),
    ],
)
async def test_without_items_the_weight_and_the_volume_are_unknown(
    acme: Firm, pricing: dict[str, Any], code: str
) -> None:
    await rate(acme, **pricing)
    explained = await ask(acme.api, explain=1)
    assert [reason["code"] for reason in explained["rejected"][0]["reasons"]] == [f"{code}_unknown"]
    items = '[{"weight": 2, "length": 10, "width": 10, "height": 10}]'
    assert await names(acme, entities=items) == ["Flat"]
