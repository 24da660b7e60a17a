"""Surcharges of rates: fuel, holidays, remote areas, large items and insured values."""

from typing import Any

import pytest

from contract.test_tax import POINTS, settle
from probe import paths
from rates.counter import EAST, area, ask, make, rate, square, zone
from stage import Firm

FUEL = {"kind": "fuel", "name": "Fuel surcharge", "percent": 8.5}
HOLIDAY = {"kind": "holiday", "name": "Holiday", "flat_fee": 300, "dates": ["2026-12-25"]}


def surcharges(quote: dict[str, Any]) -> list[tuple[str, int]]:
    return [
        (item["details"], item["amount"]) for item in quote["items"] if item["code"] == "SURCHARGE"
    ]


async def test_a_percentage_is_of_the_price_within_its_limits(acme: Firm) -> None:
    made = await rate(acme, minimum_fee=1000, surcharges=[FUEL])
    assert made["surcharges"][0] == {
        "kind": "fuel", "name": "Fuel surcharge", "percent": 8.5, "flat_fee": None, "dates": [],
        "zone": None, "service_area": None, "over_length": None, "over_weight": None,
    }  # fmt: skip
    (quote,) = await ask(acme.api)
    assert surcharges(quote) == [("Fuel surcharge, 8.5% of 10.00 SGD", 85)]
    assert quote["amount"] == 1085


async def test_a_holiday_is_a_day_in_the_rates_time_zone(acme: Firm) -> None:
    await rate(acme, surcharges=[HOLIDAY], timezone="Asia/Singapore")
    for moment, expected in {
        "2026-12-24T15:59:00Z": [],
        "2026-12-24T16:00:00Z": [("Holiday", 300)],
        "2026-12-25T15:59:00Z": [("Holiday", 300)],
        "2026-12-25T16:00:00Z": [],
    }.items():
        (quote,) = await ask(acme.api, scheduled_at=moment)
        assert surcharges(quote) == expected


@pytest.mark.parametrize("kind", ["zone", "service_area"])
async def test_a_remote_area_has_any_of_the_stops(acme: Firm, kind: str) -> None:
    border = square(100.05, -0.1, 0.2)
    place = await (zone if kind == "zone" else area)(acme, border)
    remote = {"kind": "remote_area", "name": "Island", "flat_fee": 700, kind: place["id"]}
    made = await rate(acme, surcharges=[remote])
    assert made["surcharges"][0][kind] == place["id"]
    assert surcharges((await ask(acme.api, dropoff=EAST))[0]) == [("Island", 700)]
    assert surcharges((await ask(acme.api, dropoff="0.0,99.9"))[0]) == []


async def test_each_item_that_is_too_large_costs_its_fee(acme: Firm) -> None:
    oversize = {
        "kind": "oversize", "name": "Oversize", "flat_fee": 450, "over_length": 120,
        "over_weight": 30,
    }  # fmt: skip
    await rate(acme, surcharges=[oversize])
    items = [
        {"name": "Box", "length": 120, "width": 10, "height": 10, "weight": 30},
        {"name": "Pole", "length": 1.3, "width": 0.1, "height": 0.1, "dimensions_unit": "m"},
        {"name": "Safe", "weight": 30.5},
    ]
    answer = await acme.api.post("/v1/orders", json={**POINTS, "entities": items})
    path = f"/v1/orders/{answer.json()['id']}/service-quotes"
    assert surcharges((await acme.api.get(path)).json()[0]) == [("Oversize, 2 items", 900)]
    assert surcharges((await ask(acme.api))[0]) == []


async def test_an_insured_value_counts_in_the_currency_of_the_rate(acme: Firm) -> None:
    insurance = {"kind": "insured_value", "name": "Insurance", "percent": 1.5}
    await rate(acme, surcharges=[insurance])
    items = [
        {"name": "Watch", "declared_value": 25_000, "currency": "SGD"},
        {"name": "Ring", "declared_value": 10_000, "currency": "SGD"},
        {"name": "Coin", "declared_value": 90_000, "currency": "EUR"},
    ]
    order = await make(acme, "orders", {**POINTS, "entities": items})
    path = f"/v1/orders/{order['id']}/service-quotes"
    line = ("Insurance, 1.5% of 350.00 SGD", 525)
    assert surcharges((await acme.api.get(path)).json()[0]) == [line]
    entity = order["payload"]["entities"][0]["id"]
    await acme.api.patch(f"/v1/entities/{entity}", json={"declared_value": 5000})
    newest = (await acme.api.get(path)).json()[0]
    assert surcharges(newest) == [("Insurance, 1.5% of 150.00 SGD", 225)]


async def test_surcharges_are_taxed_accepted_and_follow_the_order(acme: Firm) -> None:
    await settle(acme, tax_rate=25.5, prices_include_tax=False)
    made = await rate(
        acme, rate_calculation_method="per_meter", per_meter_flat_rate_fee=100, surcharges=[FUEL]
    )
    (quote,) = await ask(acme.api)
    order = await make(acme, "orders", {**POINTS, "service_quote": quote["id"]})
    await acme.api.patch(f"/v1/service-rates/{made['id']}", json={"surcharges": []})
    moved = await acme.api.patch(f"/v1/orders/{order['id']}", json={"dropoff": "0.0,100.2"})
    assert moved.is_success, moved.text
    account = (await acme.api.get(f"/v1/orders/{order['id']}/charges")).json()
    assert account["total"] > quote["amount"]
    # The accepted version of the rate still has the surcharge.
    (plain,) = await ask(acme.api, dropoff="0.0,100.2")
    assert account["total"] == pytest.approx(plain["amount"] * 1.085, abs=2)
    assert {line["tax_rate"] for line in account["lines"]} == {25.5}


@pytest.mark.parametrize(
    ("surcharge", "path"),
    [
        (FUEL | {"flat_fee": 1}, "percent"),
        ({"kind": "fuel", "name": "Fuel"}, "percent"),
        (FUEL | {"percent": 1001}, "percent"),
        (FUEL | {"name": " "}, "name"),
        (HOLIDAY | {"dates": []}, "dates"),
        ({"kind": "remote_area", "name": "Island", "flat_fee": 1}, "zone"),
        ({"kind": "oversize", "name": "Large", "flat_fee": 1}, "over_length"),
        ({"kind": "insured_value", "name": "Insurance", "flat_fee": 1}, "percent"),
    ],
)
async def test_a_surcharge_without_its_condition_or_amount_is_refused(
    acme: Firm, surcharge: dict[str, Any], path: str
) -> None:
    body = {
        "service_name": "Flat", "service_type": "standard", "currency": "SGD",
        "rate_calculation_method": "fixed_rate", "surcharges": [surcharge],
    }  # fmt: skip
    refused = await acme.api.post("/v1/service-rates", json=body)
    assert f"surcharges[0].{path}" in paths(refused)


async def test_a_declared_value_without_a_currency_is_quoted_in_that_of_the_rate(
    acme: Firm,
) -> None:
    await rate(acme, surcharges=[{"kind": "insured_value", "name": "Insurance", "percent": 1}])
    (quote,) = await ask(acme.api, **{"entities[0][declared_value]": 25_000})
    assert surcharges(quote) == [("Insurance, 1% of 250.00 SGD", 250)]
    watch = {"name": "Watch", "declared_value": 25_000, "currency": "SGD"}
    body = {**POINTS, "entities": [watch], "service_quote": quote["id"]}
    order = await make(acme, "orders", body)
    assert order["price_status"] == "accepted"
