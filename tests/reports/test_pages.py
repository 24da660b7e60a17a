"""The pages of reports: a chart with its table, a file, and a link that keeps the filters."""

import pytest

from console.seat import Seat
from orders.shop import Shop
from payments.purse import Purse
from reports.test_home import completed
from reports.test_reports import TODAY


async def test_a_report_is_a_chart_with_its_table(shop: Shop) -> None:
    await completed(shop)
    seat = await Seat.of(shop.firm, "viewer")
    page = await seat.open("/console/reports")
    assert (page.heading, page.main.one("h2").text) == ("Reports", "Volume")
    assert page.rows()[-1] == ["1", "1", "0", "0"]
    chart = page.main.one("svg", role="img")
    assert chart["aria-label"] == (
        "Volume from 2025-12-17 to 2026-01-15. Total: Created 1, Completed 1."
    )
    assert [bar.one("title").text for bar in chart.all("rect")] == [
        "15 Jan 2026, Created: 1", "15 Jan 2026, Completed: 1",
    ]  # fmt: skip


async def test_a_link_keeps_the_filters_of_the_report(shop: Shop) -> None:
    seat = await Seat.of(shop.firm)
    query = "from=2026-01-01&to=2026-01-14&by=week"
    page = await seat.open(f"/console/reports/volume?{query}")
    assert [row.one("th").text for row in page.main.one("tbody").all("tr")] == [
        "1 January 2026 to 4 January 2026", "5 January 2026 to 11 January 2026",
        "12 January 2026 to 14 January 2026",
    ]  # fmt: skip
    links = page.links()
    assert f"/console/reports/on-time?{query}" in links
    answer = await seat.client.get(f"/console/reports/volume/export?{query}")
    assert answer.text.splitlines()[1] == "2026-01-01,2026-01-04,0,0,0,0"
    assert f"/console/reports/volume/export?{query}" in links


async def test_amounts_of_two_currencies_are_two_charts(shop: Shop) -> None:
    purse = Purse(shop.firm)
    await purse.owe()
    await purse.owe(currency="JPY")
    page = await (await Seat.of(shop.firm)).open(f"/console/reports/revenue?from={TODAY}")
    captions = [each.one("b").text for each in page.main.all("figcaption")]
    assert captions == ["JPY", "SGD"]
    assert page.rows() == [
        ["JPY", "1", "1200 JPY", "0 JPY"],
        ["SGD", "1", "12.00 SGD", "0.00 SGD"],
    ]


async def test_a_year_is_added_up_by_week(shop: Shop) -> None:
    page = await (await Seat.of(shop.firm)).open("/console/reports/proofs?from=2025-01-16")
    assert len(page.rows()) == 53
    assert len(page.text) < 100_000


@pytest.mark.parametrize("query", ["from=2026-02-01&to=2026-01-01", "from=yesterday", "by=hour"])
async def test_wrong_filters_are_explained(shop: Shop, query: str) -> None:
    page = await (await Seat.of(shop.firm)).open(f"/console/reports/volume?{query}")
    assert page.main.all("p", role="alert")


async def test_an_unknown_report_is_not_found(shop: Shop) -> None:
    await (await Seat.of(shop.firm)).open("/console/reports/weather", 404)
