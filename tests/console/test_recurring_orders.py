"""A dispatcher repeats an order."""

import pytest
from playwright.async_api import expect

from console.browser import Tabs
from console.seat import Seat
from orders.shop import Shop
from pannier.orders.recurring import sweep
from stage import Firm

HOME = "/console/recurring-orders"


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def test_a_dispatcher_makes_a_weekly_order_skips_one_and_pauses_it(
    browse: Tabs, shop: Shop, acme: Firm
) -> None:
    order = await shop.order(internal_id="SO-1", scheduled_at="2026-01-16T07:30:00Z")
    page = await browse(role="dispatcher", maps=False)
    await page.goto(f"/console/orders/{order['id']}")
    await page.get_by_label("More", exact=True).click()
    await page.get_by_role("link", name="Repeat…").click()
    # Today is Thursday; the form suggests Fridays.
    await page.get_by_label("Name").fill("Bakery")
    await page.get_by_label("Monday").check()
    days = page.get_by_label("Next days").or_(page.locator("#preview"))
    await expect(days).to_contain_text("Every week on Monday, Friday")
    await expect(days).to_contain_text("Monday, 19 January 2026")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Bakery")
    await page.get_by_role("button", name="Skip: Monday, 19 January 2026").click()
    await expect(page.get_by_role("status").filter(has_text="Day skipped.")).to_be_visible()
    while await sweep.step(acme.house.database):
        pass
    await page.reload()
    await expect(page.get_by_role("row", name="Monday, 19 January 2026")).to_contain_text("Skipped")
    made = page.get_by_role("row", name="Friday, 16 January 2026")
    await expect(made).to_contain_text("Created")
    await page.get_by_role("button", name="Pause").click()
    await expect(page.get_by_text("Paused. No orders are created.")).to_be_visible()
    (row,) = await shop.get("recurring-orders")
    assert (row["rule"], row["status"]) == ("FREQ=WEEKLY;BYDAY=MO,FR", "paused")
    await page.get_by_role("button", name="Resume").click()
    await expect(page.get_by_role("button", name="Skip: Friday, 23 January 2026")).to_be_visible()


async def test_every_choice_becomes_a_rule_and_is_filled_in_again(seat: Seat, shop: Shop) -> None:
    order = await shop.order()
    template = await shop.post("order-templates", name="Zoo", order=order["id"])
    form = (await seat.open(f"{HOME}/new?template={template['id']}")).main.one("form")
    assert form["action"] == f"{HOME}/new"
    choices = (
        ({"pattern": "daily"}, "FREQ=DAILY"),
        ({"pattern": "weekdays"}, "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ({"pattern": "weekly", "weekdays": ["TU", "SU"]}, "FREQ=WEEKLY;BYDAY=TU,SU"),
        ({"pattern": "monthly", "month_day": "-1"}, "FREQ=MONTHLY;BYMONTHDAY=-1"),
        ({"pattern": "custom", "rule": "FREQ=DAILY;COUNT=9"}, "FREQ=DAILY;COUNT=9"),
        ({"pattern": "daily", "until": "2026-12-31"}, "FREQ=DAILY;UNTIL=20261231"),
    )
    for fields, rule in choices:
        body = {"name": "Zoo", "template": template["id"], "starts_on": "2026-01-16",
                "lead_days": "2", **fields}  # fmt: skip
        page = await seat.sent(f"{HOME}/new", body)
        assert "Recurring order saved." in page.text
        row = (await shop.get("recurring-orders"))[0]
        assert (row["rule"], row["lead_days"]) == (rule, 2)
        form = (await seat.open(f"{HOME}/{row['id']}/edit")).form(f"{HOME}/{row['id']}/edit")
        for name, value in fields.items():
            assert form[name] == value
    answer = await seat.send(f"{HOME}/new", {**body, "pattern": "custom", "rule": "FREQ=HOURLY"})
    assert answer.status_code == 422
    assert "must have a FREQ" in answer.text
    page = await seat.sent(f"{HOME}/{row['id']}/edit", {**form, "name": "Zoo, daily"})
    assert "Zoo, daily" in page.text
    assert "Zoo, daily" in (await seat.open(HOME)).text
    viewer = await Seat.of(shop.firm, "viewer")
    assert not (await viewer.open(f"{HOME}/{row['id']}")).main.all("form")
    await viewer.open(f"{HOME}/new?template={template['id']}", status=403)
