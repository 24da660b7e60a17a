"""Tax on rates and quotes: whose rate applies, and what of an amount is tax."""

from typing import Any

import pytest

from probe import paths
from rates.counter import CENTRE, EAST, FLAT, ask, make, rate, square
from stage import Firm

POINTS = {"pickup": CENTRE, "dropoff": EAST}


def taxed(quote: dict[str, Any]) -> tuple[Any, int, int]:
    assert quote["net_amount"] + quote["tax_amount"] == quote["amount"]
    assert sum(item["amount"] for item in quote["items"]) == quote["amount"]
    return quote["tax_rate"], quote["tax_amount"], quote["net_amount"]


async def test_an_amount_contains_the_tax_of_its_rate(acme: Firm) -> None:
    made = await rate(acme, base_fee=1190, tax_rate="19.00")
    assert made["tax_rate"] == 19
    (quote,) = await ask(acme.api)
    assert (quote["amount"], taxed(quote)) == (1190, (19, 190, 1000))
    preview = await acme.api.post("/v1/service-rates/preview", json=POINTS)
    assert taxed(preview.json()["rates"][0]) == (19, 190, 1000)
    order = await make(acme, "orders", POINTS)
    (stored,) = (await acme.api.get(f"/v1/orders/{order['id']}/service-quotes")).json()
    assert taxed(stored) == (19, 190, 1000)


async def test_a_signed_quote_keeps_its_tax(acme: Firm) -> None:
    made = await rate(acme, base_fee=1190, tax_rate=19)
    (quote,) = await ask(acme.api)
    path = f"/v1/service-rates/{made['id']}"
    assert (await acme.api.patch(path, json={"tax_rate": 7})).json()["version"] == 2
    order = await make(acme, "orders", {**POINTS, "service_quote": quote["id"]})
    stored = await acme.api.get(f"/v1/service-quotes/{order['service_quote']}")
    assert taxed(stored.json()) == (19, 190, 1000)


async def test_a_rate_without_a_tax_rate_uses_its_service_areas(acme: Firm) -> None:
    border = square(99.9, -0.1, 0.5)
    area = await make(acme, "service-areas", {"name": "Area", "border": border, "tax_rate": 7})
    assert area["tax_rate"] == 7
    made = await rate(acme, base_fee=1070, service_area=area["id"])
    assert taxed((await ask(acme.api))[0]) == (7, 70, 1000)
    changed = await acme.api.patch(f"/v1/service-areas/{area['id']}", json={"tax_rate": 0})
    assert changed.json()["tax_rate"] == 0
    assert taxed((await ask(acme.api))[0]) == (0, 0, 1070)
    await acme.api.patch(f"/v1/service-rates/{made['id']}", json={"tax_rate": 25.5})
    assert taxed((await ask(acme.api))[0])[0] == 25.5
    await acme.api.patch(f"/v1/service-areas/{area['id']}", json={"tax_rate": None})
    await acme.api.patch(f"/v1/service-rates/{made['id']}", json={"tax_rate": None})
    assert taxed((await ask(acme.api))[0]) == (None, 0, 1070)


@pytest.mark.parametrize(
    ("currency", "amount", "tax"), [("JPY", 1100, 100), ("BHD", 11_000, 1000), ("EUR", 110, 10)]
)
async def test_currencies_have_tax_in_their_own_minor_units(
    acme: Firm, currency: str, amount: int, tax: int
) -> None:
    await rate(acme, base_fee=amount, currency=currency, tax_rate=10)
    assert taxed((await ask(acme.api))[0]) == (10, tax, amount - tax)


@pytest.mark.parametrize("tax_rate", [-1, 100.01, 0.00001, "NaN"])
async def test_impossible_tax_rates_are_refused(acme: Firm, tax_rate: object) -> None:
    body = {**FLAT, "tax_rate": tax_rate}
    assert paths(await acme.api.post("/v1/service-rates", json=body)) == ["tax_rate"]
    area = {"name": "Area", "border": square(99.9, -0.1, 0.5), "tax_rate": tax_rate}
    assert paths(await acme.api.post("/v1/service-areas", json=area)) == ["tax_rate"]


async def test_without_other_tax_rates_the_companys_applies(acme: Firm) -> None:
    await settle(acme, tax_rate=25.5)
    await rate(acme, base_fee=1255)
    assert taxed((await ask(acme.api))[0]) == (25.5, 255, 1000)


async def test_tax_is_added_to_prices_that_do_not_include_it(acme: Firm) -> None:
    await settle(acme, tax_rate=19, prices_include_tax=False)
    await rate(acme, base_fee=1000, minimum_fee=1366)
    (quote,) = await ask(acme.api)
    assert [(item["code"], item["amount"]) for item in quote["items"]] == [
        ("BASE_FEE", 1000), ("MINIMUM_ADJUSTMENT", 366), ("TAX", 260),
    ]  # fmt: skip
    assert quote["items"][-1]["details"] == "19% tax"
    assert taxed(quote) == (19, 260, 1366)
    order = await make(acme, "orders", {**POINTS, "service_quote": quote["id"]})
    account = (await acme.api.get(f"/v1/orders/{order['id']}/charges")).json()
    lines = [(line["amount"], line["tax_amount"], line["tax_rate"]) for line in account["lines"]]
    assert lines == [(1190, 190, 19), (436, 70, 19)]
    assert (account["total"], account["balance"]) == (1626, 1626)


async def test_the_tax_of_a_quote_is_rounded_once_if_the_company_says_so(acme: Firm) -> None:
    await settle(acme, tax_rate=10, prices_include_tax=False)
    await rate(acme, base_fee=14, minimum_fee=28)
    assert taxed((await ask(acme.api))[0]) == (10, 2, 28)
    await settle(acme, tax_rounding="document")
    assert taxed((await ask(acme.api))[0]) == (10, 3, 28)


async def test_an_adjustment_has_the_tax_of_the_accepted_quote(acme: Firm) -> None:
    await settle(acme, tax_rate=19, prices_include_tax=False)
    await rate(acme, rate_calculation_method="per_meter", per_meter_flat_rate_fee=100, base_fee=0)
    (quote,) = await ask(acme.api)
    (expected,) = await ask(acme.api, dropoff="0.0,100.2")
    order = await make(acme, "orders", {**POINTS, "service_quote": quote["id"]})
    await settle(acme, tax_rate=7)
    moved = await acme.api.patch(f"/v1/orders/{order['id']}", json={"dropoff": "0.0,100.2"})
    assert moved.is_success, moved.text
    account = (await acme.api.get(f"/v1/orders/{order['id']}/charges")).json()
    _, adjustment = account["lines"]
    assert (adjustment["kind"], adjustment["tax_rate"]) == ("adjustment", 19)
    assert (account["total"], account["tax"]) == (expected["amount"], expected["tax_amount"])


async def test_a_cancellation_fee_contains_the_tax_of_the_price(acme: Firm) -> None:
    await settle(acme, tax_rate=19, cancellation_fees={"created": "50%"})
    await rate(acme, base_fee=1190)
    (quote,) = await ask(acme.api)
    order = await make(acme, "orders", {**POINTS, "service_quote": quote["id"]})
    await make(
        acme,
        f"orders/{order['id']}/charges",
        {"kind": "other", "description": "Stamps", "amount": 200, "tax_rate": 0},
    )
    canceled = await acme.api.post(f"/v1/orders/{order['id']}/cancel")
    assert canceled.is_success, canceled.text
    account = (await acme.api.get(f"/v1/orders/{order['id']}/charges")).json()
    reductions = [line for line in account["lines"] if line["kind"] == "cancellation"]
    assert [(line["amount"], line["tax_amount"], line["tax_rate"]) for line in reductions] == [
        (-595, -95, 19),
        (-100, 0, 0),
    ]
    assert (account["total"], account["tax"]) == (695, 95)


async def settle(firm: Firm, **settings: Any) -> None:
    answer = await firm.admin.patch("/int/v1/settings", json=settings)
    assert answer.is_success, answer.text
