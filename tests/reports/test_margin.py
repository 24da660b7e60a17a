"""The margin: revenue less what the trips of the day cost, in each currency."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.seat import Seat
from devices.gear import device
from devices.test_deriving import derive, send
from devices.test_trips import attach
from orders.shop import Shop
from pannier.console.report_chart import HEIGHT, TOP, make_charts
from payments.purse import Purse
from reports.test_reports import TODAY, next_day, read
from reports.test_trip_reports import ride

FIGURES = ("revenue", "distance_cost", "time_cost", "margin", "margin_share")


async def margins(shop: Shop) -> dict[str, list[float | None]]:
    found = await read(shop.firm, "margin", f"from={TODAY}")
    rows = [row for row in found["rows"] if row["day"] == TODAY]
    return {row["currency"]: [row["figures"][name] for name in FIGURES] for row in rows}


async def costly(shop: Shop, **cost: int) -> None:
    """A driver at 24.00 an hour, or as given, drives twelve kilometres in an hour."""
    vehicle = await shop.vehicle(cost_per_km=50, currency="SGD")
    driver = await shop.driver(cost_per_hour=cost.get("cost_per_hour", 2400), currency="SGD")
    await shop.patch(f"drivers/{driver['id']}", vehicle=vehicle["id"])
    gear = await device(shop.firm)
    await attach(gear, vehicle)
    shop.firm.house.clock.advance(hours=6)
    for number, start in enumerate((3600, 3600 + 3000)):
        await send(shop.firm.house, gear, *ride(start, number))
    await derive(shop.firm.house.database)


async def test_the_margin_is_revenue_less_the_cost_of_kilometres_and_hours(shop: Shop) -> None:
    purse = Purse(shop.firm)
    await purse.owe()
    await purse.owe(currency="JPY")
    await costly(shop)
    # Twelve kilometres at 0.50, and an hour at 24.00.
    expected = {
        "JPY": [1200, 0, 0, 1200, 100.0],
        "SGD": [1200, pytest.approx(600, rel=0.01), pytest.approx(2400, rel=0.01),
                pytest.approx(-1800, rel=0.02), pytest.approx(-150, rel=0.02)],
    }  # fmt: skip
    found = await margins(shop)
    assert found == expected
    await next_day(shop.firm.house)
    assert await margins(shop) == found
    page = await (await Seat.of(shop.firm)).open(f"/console/reports/margin?from={TODAY}")
    assert any("-" in cell for cell in page.rows()[-1])
    assert len(page.main.all("svg", role="img")) == 2


async def test_costs_that_are_not_set_are_not_deducted(shop: Shop) -> None:
    await Purse(shop.firm).owe()
    await costly(shop, cost_per_hour=0)
    revenue, kilometres, hours, margin, _ = (await margins(shop))["SGD"]
    assert (revenue, hours) == (1200, 0)
    assert margin == 1200 - kilometres


@given(st.lists(st.integers(-10_000, 10_000), min_size=1, max_size=20))
def test_bars_are_inside_the_chart_and_start_at_zero(values: list[int]) -> None:
    figure = {"name": "margin", "label": "Margin", "unit": "money", "main": True}
    rows = [
        {"day": f"2026-01-{day:02}", "until": f"2026-01-{day:02}", "driver": None,
         "currency": "SGD", "figures": {"margin": value}}
        for day, value in enumerate(values, 1)
    ]  # fmt: skip
    report = {
        "title": "Margin", "from": "2026-01-01", "to": "2026-01-31", "figures": [figure],
        "rows": rows, "totals": [{"currency": "SGD", "figures": {"margin": sum(values)}}],
    }  # fmt: skip
    for chart in make_charts(report):
        lines = dict(chart.scale)
        (zero,) = [y for y, label in lines.items() if label == "0.00 SGD"]
        assert len(chart.bars) == len([value for value in values if value])
        for bar, value in zip(chart.bars, [value for value in values if value], strict=True):
            assert bar.height >= 0
            edge = bar.y + bar.height if value > 0 else bar.y
            assert edge == pytest.approx(zero, abs=0.2)
            assert bar.y >= TOP - 0.2
            assert bar.y + bar.height <= TOP + HEIGHT + 0.2
