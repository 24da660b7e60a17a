"""The weekly report by email, for operators who choose it."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pytest

from console.seat import Seat
from orders.shop import Shop
from pannier.reports import weekly
from payments.purse import Purse
from reports.test_home import completed
from reports.test_reports import work
from stage import Firm, House

PATH = "/int/v1/me/weekly-report"
BODIES = "select array_agg(body order by created_at) from messages where channel = 'email'"


async def send(house: House) -> None:
    while await weekly.step(house.database):
        pass


async def test_an_operator_who_chooses_it_gets_last_weeks_figures_once(shop: Shop) -> None:
    house = shop.firm.house
    await completed(shop)
    await Purse(shop.firm).owe()
    viewer = await shop.firm.operator("viewer")
    assert (await viewer.put(PATH, json={"enabled": True})).json() == {"enabled": True}
    assert (await viewer.get(PATH)).json() == {"enabled": True}
    assert (await shop.firm.admin.get(PATH)).json() == {"enabled": False}
    await send(house)
    assert await house.value(BODIES) is None
    house.clock.advance(days=3, hours=18, minutes=1)  # Monday, six in the morning.
    await work(house)
    await send(house)
    await send(house)
    (text,) = await house.value(BODIES)
    assert "2026-01-12 to 2026-01-18" in text
    assert "Orders completed: 1\n" in text
    assert "Delivered at the first attempt: 100.0%\n" in text
    assert "Revenue: 12.00 SGD\n" in text
    assert await house.value("select recipient from messages where channel = 'email'") == (
        shop.firm.email("viewer")
    )
    # After an outage of some weeks, only the last one is reported.
    house.clock.advance(days=21)
    await work(house)
    await send(house)
    assert len(await house.value(BODIES)) == 2
    assert (await viewer.put(PATH, json={"enabled": False})).json() == {"enabled": False}
    house.clock.advance(days=7)
    await send(house)
    assert len(await house.value(BODIES)) == 2


async def test_a_disabled_operator_gets_none(acme: Firm, house: House) -> None:
    viewer = await acme.operator("viewer")
    await viewer.put(PATH, json={"enabled": True})
    async with house.database.transaction() as db:
        await db.execute("update operators set disabled_at = now() where role = 'viewer'")
    house.clock.advance(days=7)
    await send(house)
    assert await house.value(BODIES) is None
    assert await house.value("select count(*) from report_emails") == 0


async def test_an_email_that_fails_delays_no_other(acme: Firm, rival: Firm, house: House) -> None:
    for firm in (rival, acme):
        await (await firm.operator("viewer")).put(PATH, json={"enabled": True})
    async with house.database.transaction() as db:
        await db.execute(
            """update report_emails set due_at = due_at - interval '1 minute'
               where company = :company""",
            company=rival.uuid,
        )
        await db.execute(
            """update companies set time_zone = 'Nowhere', version = version + 1
               where uuid = :company""",
            company=rival.uuid,
        )
    house.clock.advance(days=7)
    with pytest.raises(ZoneInfoNotFoundError):
        await weekly.step(house.database)
    await send(house)
    assert await house.value("select array_agg(company) from messages") == [acme.uuid]
    async with house.database.transaction() as db:
        await db.execute("update companies set time_zone = null, version = version + 1")
    house.clock.advance(hours=2)
    await send(house)
    assert len(await house.value(BODIES)) == 2


async def test_no_week_is_reported_twice_in_another_time_zone(acme: Firm, house: House) -> None:
    viewer = await acme.operator("viewer")
    await acme.admin.patch("/int/v1/settings", json={"time_zone": "Pacific/Auckland"})
    await viewer.put(PATH, json={"enabled": True})
    house.clock.advance(days=4)
    await send(house)
    await acme.admin.patch("/int/v1/settings", json={"time_zone": "America/Los_Angeles"})
    # In Los Angeles, it is Sunday when the next report is due.
    for _ in range(8):
        house.clock.advance(days=1)
        await send(house)
    weeks = [text.partition("from=")[2][:10] for text in await house.value(BODIES)]
    assert weeks == ["2026-01-12", "2026-01-19"]


async def test_it_is_turned_on_in_the_console(acme: Firm) -> None:
    seat = await Seat.of(acme, "viewer")
    page = await seat.open("/console/me")
    assert "enabled" not in page.form("/console/me/weekly-report")
    page = await seat.sent("/console/me/weekly-report", {"enabled": "on"})
    assert page.form("/console/me/weekly-report")["enabled"] == "on"
    page = await seat.sent("/console/me/weekly-report", {})
    assert "enabled" not in page.form("/console/me/weekly-report")


def test_the_next_time_is_a_monday_morning_of_the_company() -> None:
    zone = ZoneInfo("Europe/Berlin")
    for now, expected in (
        (datetime(2026, 3, 29, 12, tzinfo=UTC), datetime(2026, 3, 30, 4, tzinfo=UTC)),
        (datetime(2026, 3, 23, 4, tzinfo=UTC), datetime(2026, 3, 23, 5, tzinfo=UTC)),
        (datetime(2026, 3, 23, 5, tzinfo=UTC), datetime(2026, 3, 30, 4, tzinfo=UTC)),
    ):
        assert weekly.find_next_time(now, zone) == expected
