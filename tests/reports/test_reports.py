"""Reports by the company's days: live today, stored afterwards, and right after late changes."""

from datetime import date, timedelta
from typing import Any

import pytest

from console.seat import Seat
from orders.shop import Shop
from pannier.events import relay
from pannier.reports import days, refresh, subscriber
from pannier.reports.refresh import ReportRefresher
from pannier.subscribers import SUBSCRIBERS
from payments.purse import Purse
from probe import paths, refused
from reports.test_home import completed
from stage import NOON, Firm, House

TODAY = "2026-01-15"
Figures = dict[str, Any]


async def read(firm: Firm, name: str, query: str = "") -> dict[str, Any]:
    answer = await firm.api.get(f"/v1/reports/{name}?{query}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def by_day(firm: Firm, name: str, *figures: str, query: str = "") -> dict[str, list[Any]]:
    """The figures of the days that have any."""
    rows = (await read(firm, name, query))["rows"]
    picked = {row["day"]: [row["figures"][figure] for figure in figures] for row in rows}
    return {day: values for day, values in picked.items() if any(values)}


async def work(house: House) -> None:
    """Let the worker do what is due."""
    relaying, refresher = relay.Relay(house.database, SUBSCRIBERS), ReportRefresher(house.database)
    while await relaying.step():
        pass
    while await refresher.step():
        pass


async def next_day(house: House) -> None:
    """Go to the next day at the same time, with a worker that has nothing left to do."""
    await work(house)
    house.clock.advance(days=1)
    await work(house)


@pytest.mark.parametrize("stored", [False, True])
async def test_each_report_counts_by_day(shop: Shop, stored: bool) -> None:  # noqa: FBT001 - one of two cases
    late = (NOON - timedelta(hours=1)).isoformat()
    later = (NOON + timedelta(hours=1)).isoformat()
    for window in (later, later, late, None):
        await completed(shop, time_window_end=window)
    failed = await shop.started()
    await shop.act(failed, "fail-attempt", reason="nobody_home")
    await shop.fire(failed, "enroute")
    await shop.act(failed, "capture-qr", code="A-1")
    await shop.act(failed, "complete")
    await shop.act(await shop.order(), "cancel")
    if stored:
        await next_day(shop.firm.house)
        assert await shop.firm.house.value("select count(*) from report_days where created > 0")
    assert await by_day(
        shop.firm, "volume", "created", "completed", "canceled", "failed_attempts"
    ) == {TODAY: [6, 5, 1, 1]}
    on_time = ("with_window", "on_time", "on_time_share")
    assert await by_day(shop.firm, "on-time", *on_time) == {TODAY: [3, 2, 66.7]}
    first = ("attempted", "first_attempt", "first_attempt_share")
    assert await by_day(shop.firm, "first-attempt", *first) == {TODAY: [5, 4, 80.0]}
    assert await by_day(shop.firm, "proofs", "proofs_scan", "proofs_photo") == {TODAY: [1, 0]}
    assert (await read(shop.firm, "volume"))["complete"] is stored


async def test_a_day_is_one_of_the_company_even_when_the_clocks_change(shop: Shop) -> None:
    house = shop.firm.house
    await shop.firm.admin.patch("/int/v1/settings", json={"time_zone": "Europe/Berlin"})
    house.clock.advance(days=72, hours=10, minutes=30)  # 28 March 2026, 23:30 in Berlin.
    await shop.order()
    house.clock.advance(hours=1)
    await shop.order()
    house.clock.advance(hours=21)  # 29 March has 23 hours: it is 22:30 in Berlin.
    await shop.order()
    house.clock.advance(hours=2)
    await shop.order()
    expected = {"2026-03-28": [1], "2026-03-29": [2], "2026-03-30": [1]}
    assert await by_day(shop.firm, "volume", "created") == {"2026-03-30": [1]}
    await work(house)
    assert await by_day(shop.firm, "volume", "created") == expected
    await next_day(house)
    assert await by_day(shop.firm, "volume", "created") == expected


async def test_a_refund_on_the_next_day_reduces_the_revenue_of_the_day_before(shop: Shop) -> None:
    house, purse = shop.firm.house, Purse(shop.firm)
    paid = await purse.owe()
    await purse.owe(currency="JPY")
    await next_day(house)
    await purse.owe()
    found = await read(shop.firm, "revenue")
    assert [(row["day"], row["currency"], row["figures"]["revenue"]) for row in found["rows"]] == [
        (TODAY, "JPY", 1200), (TODAY, "SGD", 1200), ("2026-01-16", "SGD", 1200),
    ]  # fmt: skip
    assert [(row["currency"], row["figures"]["revenue"]) for row in found["totals"]] == [
        ("JPY", 1200), ("SGD", 2400),
    ]  # fmt: skip
    transaction = f"/v1/transactions/{paid.public_id}"
    await shop.firm.api.post(f"{transaction}/payments", json={"method": "cash"})
    answer = await shop.firm.api.post(f"{transaction}/refund", json={"amount": 500})
    assert answer.status_code == 200, answer.text
    await relay.Relay(house.database, SUBSCRIBERS).step()
    # A worker has not computed the day yet, so it is computed for the reader.
    figures = await by_day(shop.firm, "revenue", "revenue", "refunded", query=f"to={TODAY}")
    assert figures == {TODAY: [700, 500]}
    house.clock.advance(minutes=1)
    await work(house)
    stored = await house.value("select revenue from report_money where currency = 'SGD'")
    assert stored == 700


async def test_a_deleted_order_no_longer_counts(shop: Shop) -> None:
    order = await completed(shop)
    await next_day(shop.firm.house)
    assert await by_day(shop.firm, "volume", "completed") == {TODAY: [1]}
    await shop.firm.api.delete(f"/v1/orders/{order['id']}")
    assert await by_day(shop.firm, "volume", "completed") == {}
    shop.firm.house.clock.advance(minutes=1)
    await work(shop.firm.house)
    assert await shop.firm.house.value("select sum(completed) from report_days") == 0


async def test_orders_of_one_day_are_deleted_at_the_same_time(shop: Shop) -> None:
    one, two = await completed(shop), await completed(shop)
    await next_day(shop.firm.house)
    async with shop.firm.house.database.transaction() as db:
        await subscriber.queue_deleted_order(db, one["id"])
        answer = await shop.firm.api.delete(f"/v1/orders/{two['id']}")
        assert answer.status_code == 200, answer.text
    touched = "select count(*) from report_touches where day = '2026-01-15'"
    assert await shop.firm.house.value(touched) >= 2


async def test_days_of_a_later_release_are_left_to_it(shop: Shop) -> None:
    house = shop.firm.house
    await work(house)
    async with house.database.transaction() as db:
        await db.execute("update report_companies set figures = figures + 1")
    before = await house.value("select count(*) from report_queue")
    await work(house)
    assert await house.value("select count(*) from report_queue") == before
    assert (await read(shop.firm, "volume"))["complete"] is True


async def test_all_days_are_computed_again_in_another_time_zone(shop: Shop) -> None:
    house = shop.firm.house
    await completed(shop)
    await next_day(house)
    assert await by_day(shop.firm, "volume", "completed") == {TODAY: [1]}
    await shop.firm.admin.patch("/int/v1/settings", json={"time_zone": "Pacific/Auckland"})
    assert (await read(shop.firm, "volume"))["complete"] is False
    await work(house)
    assert (await read(shop.firm, "volume"))["complete"] is True
    assert await by_day(shop.firm, "volume", "completed") == {"2026-01-16": [1]}


async def test_days_before_the_reports_existed_are_computed(shop: Shop) -> None:
    house = shop.firm.house
    await completed(shop)
    async with house.database.transaction() as db:
        await db.execute("delete from event_queue")
    house.clock.advance(days=40)
    await work(house)
    found = await by_day(shop.firm, "volume", "completed", query=f"from={TODAY}")
    assert found == {TODAY: [1]}


async def test_a_day_that_changes_while_it_is_computed_stays_queued(shop: Shop) -> None:
    house = shop.firm.house
    await shop.order()
    await work(house)
    house.clock.advance(days=1)
    refresher = ReportRefresher(house.database)
    leased = [day for day in await refresher._lease_next() if day.day == date(2026, 1, 15)]  # noqa: SLF001 - a worker that stops here
    async with house.database.transaction() as db:
        await days.queue_days(db, [(shop.firm.uuid, date(2026, 1, 15), db.now)])
    await refresh._compute_day(house.database, leased[0])  # noqa: SLF001 - and goes on
    queued = "select count(*) from report_queue where day = '2026-01-15'"
    assert await house.value(queued) == 1
    house.clock.advance(minutes=5)
    await work(house)
    assert await house.value(queued) == 0


async def test_a_worker_that_lost_its_lease_stores_nothing(shop: Shop) -> None:
    house = shop.firm.house
    await work(house)
    async with house.database.transaction() as db:
        await days.queue_days(db, [(shop.firm.uuid, date(2026, 1, 14), db.now)])
    house.clock.advance(minutes=1)
    (first,) = await ReportRefresher(house.database)._lease_next()  # noqa: SLF001 - a worker that stops here
    house.clock.advance(minutes=5)
    await work(house)
    computed = "select computed_at from report_days where day = '2026-01-14'"
    before = await house.value(computed)
    house.clock.advance(minutes=5)
    await refresh._compute_day(house.database, first)  # noqa: SLF001 - and goes on
    assert await house.value(computed) == before


async def test_a_report_has_at_most_a_year(shop: Shop) -> None:
    answer = await shop.firm.api.get("/v1/reports/volume?from=2025-01-01&to=2026-01-01")
    assert answer.status_code == 200, answer.text
    assert len(answer.json()["rows"]) == 366
    answer = await shop.firm.api.get("/v1/reports/volume?from=2024-12-31&to=2026-01-01")
    assert (answer.status_code, paths(answer)) == (422, ["from"])
    answer = await shop.firm.api.get("/v1/reports/volume?from=2026-01-02&to=2026-01-01")
    assert (answer.status_code, paths(answer)) == (422, ["from"])
    refused(await shop.firm.api.get("/v1/reports/weather"), 404, "not_found")
    future = await read(shop.firm, "volume", "from=2026-02-01&to=2026-02-28")
    assert (future["rows"], future["totals"]) == ([], [])


async def test_each_driver_has_a_scorecard(shop: Shop) -> None:
    house, later = shop.firm.house, (NOON + timedelta(hours=1)).isoformat()
    done = await completed(shop, time_window_end=later)
    failed = await shop.started()
    await shop.act(failed, "fail-attempt", reason="nobody_home")
    await next_day(house)
    second = await shop.order(driver=done["driver_assigned"]["id"], time_window_end=later)
    await shop.act(second, "start", skip_dispatch=True)
    await shop.fire(second, "enroute")
    await shop.act(second, "complete")

    async def cards() -> list[tuple[str, list[Any]]]:
        rows = (await read(shop.firm, "drivers"))["rows"]
        return [(row["driver"]["id"], list(row["figures"].values())) for row in rows]

    expected = [
        (done["driver_assigned"]["id"], [2, 0, 50.0, 100.0, 0, 0]),
        (failed["driver_assigned"]["id"], [0, 1, None, None, 0, 0]),
    ]
    assert await cards() == expected
    await next_day(house)
    assert await cards() == expected
    text = (await shop.firm.admin.get("/int/v1/reports/drivers/csv")).text
    assert text.splitlines()[1].endswith(",2,0,50.0,100.0,0.000,0.0000")
    page = await (await Seat.of(shop.firm)).open("/console/reports/drivers")
    assert f"/console/drivers/{expected[0][0]}" in page.links()


async def test_days_are_added_up_by_week_and_month(shop: Shop) -> None:
    later = (NOON + timedelta(hours=1)).isoformat()
    await completed(shop, time_window_end=later)
    for _ in range(2):
        await next_day(shop.firm.house)
        await completed(shop, time_window_end=later)

    async def periods(query: str) -> list[tuple[Any, ...]]:
        rows = (await read(shop.firm, "on-time", query))["rows"]
        return [(row["day"], row["until"], row["figures"]["on_time_share"]) for row in rows]

    assert await periods("from=2026-01-08&to=2026-01-31&by=week") == [
        ("2026-01-08", "2026-01-11", None), ("2026-01-12", "2026-01-17", 33.3),
    ]  # fmt: skip
    assert await periods("from=2025-12-31&by=month") == [
        ("2025-12-31", "2025-12-31", None), ("2026-01-01", "2026-01-17", 33.3),
    ]  # fmt: skip


async def test_a_key_needs_the_scope_of_what_it_reads(acme: Firm, house: House) -> None:
    body = {"kind": "api", "name": "Figures", "scopes": ["reports:read"]}
    key = (await acme.admin.post("/int/v1/keys", json=body)).json()["key"]
    client = house.client(key)
    assert (await client.get("/v1/reports/volume")).status_code == 200
    refused(await client.get("/v1/reports/revenue"), 403, "forbidden")
    refused(await client.get("/v1/reports/revenue/csv"), 403, "forbidden")
    viewer = await acme.operator("viewer")
    assert (await viewer.get("/int/v1/reports/revenue")).status_code == 200


async def test_a_report_is_downloaded_as_csv(shop: Shop) -> None:
    purse = Purse(shop.firm)
    await purse.owe()
    await purse.owe(currency="JPY")
    answer = await shop.firm.admin.get(f"/int/v1/reports/revenue/csv?from={TODAY}")
    assert answer.headers["content-disposition"] == (
        f'attachment; filename="revenue-{TODAY}-{TODAY}.csv"'
    )
    assert answer.text.splitlines() == [
        "day,until,currency,transactions,revenue,refunded",
        f"{TODAY},{TODAY},JPY,1,1200,0",
        f"{TODAY},{TODAY},SGD,1,12.00,0.00",
    ]


async def test_another_company_has_figures_of_its_own(shop: Shop, rival: Firm) -> None:
    await completed(shop)
    await next_day(shop.firm.house)
    assert await by_day(rival, "volume", "created") == {}
