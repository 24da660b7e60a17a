"""Recurring orders: rules of days, and what a person does about single days."""

from typing import Any

import pytest

from orders.shop import Shop
from pannier.orders.recurring import sweep
from probe import refused
from stage import Firm

# Noon on Thursday, 15 January 2026.
RECURRING = "/v1/recurring-orders"


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def begin(shop: Shop, rule: str = "FREQ=DAILY", **more: Any) -> dict[str, Any]:
    order = await shop.order(scheduled_at="2026-01-16T07:30:00Z", notes="Ring.")
    body = {"name": "Bakery", "order": order["id"], "rule": rule, **more}
    return await shop.post("recurring-orders", **body)


async def act(shop: Shop, row: dict[str, Any], action: str, **body: Any) -> Any:
    return await shop.firm.api.post(f"{RECURRING}/{row['id']}/{action}", json=body)


async def days(shop: Shop, row: dict[str, Any]) -> list[tuple[str, str]]:
    found = await shop.get(f"recurring-orders/{row['id']}/days")
    return [(one["day"], one["state"]) for one in found]


async def next_days(shop: Shop, row: dict[str, Any]) -> list[str]:
    found: list[str] = (await shop.get(f"recurring-orders/{row['id']}/next-days"))["days"]
    return found


async def work(shop: Shop) -> None:
    while await sweep.step(shop.firm.house.database):
        pass


async def test_a_rule_is_shown_in_words_with_its_days_before_it_is_saved(acme: Firm) -> None:
    path = f"{RECURRING}/preview"
    answer = await acme.api.post(path, json={"rule": "rrule:freq=weekly;byday=th,mo"})
    assert answer.json()["description"] == "Every week on Monday, Thursday"
    assert answer.json()["rule"] == "FREQ=WEEKLY;BYDAY=MO,TH"
    assert answer.json()["days"][:3] == ["2026-01-15", "2026-01-19", "2026-01-22"]
    assert len(answer.json()["days"]) == 10
    for rule, sentence in (
        ("FREQ=YEARLY", "must have a FREQ: DAILY, WEEKLY or MONTHLY."),
        ("FREQ=DAILY;BYHOUR=3", "has the part BYHOUR."),
        ("FREQ=DAILY;COUNT=5;UNTIL=20260201", "must have COUNT or UNTIL, not both."),
        ("FREQ=DAILY;COUNT=1001", "must have numbers from 1 to 1000 in COUNT."),
        ("FREQ=WEEKLY;INTERVAL=53", "must have an INTERVAL of at most 52 with WEEKLY."),
        ("FREQ=WEEKLY;BYDAY=1MO", "must have BYDAY without numbers, except with MONTHLY."),
        ("FREQ=DAILY;UNTIL=20260101", "has no days from today on."),
        ("FREQ=MONTHLY;BYDAY=MO;BYMONTHDAY=0", "must have days from 1 to 31"),
        ("FREQ=MONTHLY;BYDAY=MO,1TU", "must have BYDAY with numbers for all weekdays"),
        ("every day", "must be a rule such as FREQ=WEEKLY;BYDAY=MO,TH."),
    ):
        problem = refused(await acme.api.post(path, json={"rule": rule}), 422, "validation_failed")
        (field,) = problem["fields"]
        assert field["path"] == "rule"
        assert field["message"].startswith(sentence), field


async def test_orders_are_created_before_their_day(shop: Shop, acme: Firm) -> None:
    row = await begin(shop, "FREQ=WEEKLY;BYDAY=FR,SA;COUNT=3", lead_days=1)
    assert (row["status"], row["next_day"]) == ("active", "2026-01-16")
    assert row["next_creation_at"] == "2026-01-15T00:00:00.000Z"
    await work(shop)
    assert await days(shop, row) == [("2026-01-16", "created")]
    (made,) = [one for one in await shop.get("orders") if one["notes"] == "Ring."][:1]
    assert made["scheduled_at"] == "2026-01-16T07:30:00.000Z"
    (day,) = await shop.get(f"recurring-orders/{row['id']}/days")
    assert day["order"] == made["id"]
    events = (await acme.admin.get("/int/v1/events", params={"subject": made["id"]})).json()
    assert "order.created" in {event["event"] for event in events["data"]}
    acme.house.clock.advance(days=7)
    await work(shop)
    found = await shop.get(f"recurring-orders/{row['id']}")
    # The second day had passed before the worker came back.
    assert await days(shop, row) == [
        ("2026-01-23", "created"), ("2026-01-17", "missed"), ("2026-01-16", "created"),
    ]  # fmt: skip
    assert (found["status"], found["next_day"]) == ("finished", None)


async def test_days_are_skipped_and_their_orders_created_after_all(shop: Shop) -> None:
    row = await begin(shop, lead_days=0, starts_on="2026-01-16")
    assert (await act(shop, row, "skip", day="2026-01-16")).json()["next_day"] == "2026-01-17"
    again = await act(shop, row, "skip", day="2026-01-16")
    assert again.status_code == 200
    assert (await next_days(shop, row))[0] == "2026-01-17"
    assert (await act(shop, row, "create-order", day="2026-01-16")).status_code == 200
    assert await days(shop, row) == [("2026-01-16", "created")]
    for action in ("skip", "create-order"):
        answer = await act(shop, row, action, day="2026-01-16")
        refused(answer, 409, "recurring_day_decided")
        answer = await act(shop, row, action, day="2029-01-16")
        refused(answer, 409, "not_a_recurring_day")
    refused(await act(shop, row, "create-order", day="2026-01-14"), 409, "recurring_day_passed")
    refused(await act(shop, row, "skip", day="2026-01-14"), 409, "not_a_recurring_day")


async def test_a_refused_order_is_shown_with_its_reason_and_tried_again(
    shop: Shop, acme: Firm
) -> None:
    ada = await shop.post("contacts", name="Ada", phone="+6591234567")
    order = await shop.order(customer=ada["id"])
    row = await shop.post("recurring-orders", name="Zoo", order=order["id"], rule="FREQ=DAILY")
    assert (await acme.api.delete(f"/v1/contacts/{ada['id']}")).status_code == 200
    await work(shop)
    last, first = await shop.get(f"recurring-orders/{row['id']}/days")
    assert (first["day"], first["state"], first["order"]) == ("2026-01-15", "refused", None)
    assert "customer" in first["reason"]
    assert len(await shop.get("orders")) == 1
    answer = await act(shop, row, "create-order", day=first["day"])
    refused(answer, 404, "not_found")
    other = await shop.order()
    template = {"order": other["id"]}
    await acme.api.patch(f"/v1/order-templates/{row['template']}", json=template)
    assert (await act(shop, row, "create-order", day=first["day"])).status_code == 200
    assert (await act(shop, row, "skip", day=last["day"])).status_code == 200
    assert await days(shop, row) == [("2026-01-16", "skipped"), ("2026-01-15", "created")]
    # A refused day does not hold up the ones after it.
    acme.house.clock.advance(days=1)
    await work(shop)
    assert (await days(shop, row))[0] == ("2026-01-17", "created")


async def test_a_pause_creates_nothing_and_the_end_is_for_good(shop: Shop, acme: Firm) -> None:
    row = await begin(shop)
    paused = (await act(shop, row, "pause")).json()
    assert (paused["status"], paused["next_day"]) == ("paused", None)
    assert await next_days(shop, row) == []
    acme.house.clock.advance(days=3)
    await work(shop)
    resumed = (await act(shop, row, "resume")).json()
    assert (resumed["status"], resumed["next_day"]) == ("active", "2026-01-18")
    assert await days(shop, row) == []
    in_use = await acme.api.delete(f"/v1/order-templates/{row['template']}")
    refused(in_use, 409, "template_in_use")
    ended = (await act(shop, row, "end")).json()
    assert (ended["status"], ended["next_day"]) == ("ended", None)
    assert (await act(shop, row, "end")).status_code == 200
    for action, body in (("pause", {}), ("resume", {}), ("skip", {"day": "2026-01-20"})):
        refused(await act(shop, row, action, **body), 409, "recurring_order_ended")
    await work(shop)
    assert await days(shop, row) == []
    gone = await acme.api.delete(f"/v1/order-templates/{row['template']}")
    assert gone.status_code == 200
    assert (await shop.get(f"recurring-orders/{row['id']}"))["template"] is None
    assert (await acme.api.delete(f"{RECURRING}/{row['id']}")).status_code == 200


async def test_a_change_counts_from_today(shop: Shop, acme: Firm) -> None:
    row = await begin(shop)
    await work(shop)
    change = {"rule": "FREQ=WEEKLY;BYDAY=FR", "lead_days": 0, "name": "Fridays"}
    changed = (await acme.api.patch(f"{RECURRING}/{row['id']}", json=change)).json()
    # Friday the 16th has its order already.
    assert (changed["name"], changed["next_day"]) == ("Fridays", "2026-01-23")
    assert changed["next_creation_at"] == "2026-01-23T00:00:00.000Z"
    zone = {"time_zone": "America/New_York"}
    await acme.admin.patch("/int/v1/settings", json=zone)
    changed = (await acme.api.patch(f"{RECURRING}/{row['id']}", json={"lead_days": 1})).json()
    assert changed["next_creation_at"] == "2026-01-22T05:00:00.000Z"


async def test_refusals_name_what_is_wrong(shop: Shop, acme: Firm, rival: Firm) -> None:
    order = await shop.order()
    foreign = await Shop(rival).order()
    rule, name = {"rule": "FREQ=DAILY"}, {"name": "Zoo"}
    for body, status, path in (
        ({**rule, **name}, 422, "template"),
        ({**rule, **name, "order": foreign["id"]}, 404, "order"),
        ({**rule, **name, "template": "order_template_0000000000000000"}, 404, "template"),
        ({**rule, **name, "order": order["id"], "starts_on": "2030-01-01"}, 422, "starts_on"),
        ({**rule, **name, "order": order["id"], "lead_days": 31}, 422, "lead_days"),
        ({**name, "rule": "FREQ=HOURLY", "order": order["id"]}, 422, "rule"),
    ):
        code = "not_found" if status == 404 else "validation_failed"
        problem = refused(await acme.api.post(RECURRING, json=body), status, code)
        assert [field["path"] for field in problem["fields"]] == [path]
    # What was refused has left no template.
    assert await shop.get("order-templates") == []
    row = await begin(shop)
    for action in ("pause", "resume", "end"):
        answer = await rival.api.post(f"{RECURRING}/{row['id']}/{action}", json={})
        refused(answer, 404, "not_found")
    assert (await rival.api.get(RECURRING)).json() == []
    stale = await acme.api.post(
        f"{RECURRING}/{row['id']}/pause", json={}, headers={"If-Match": '"7"'}
    )
    refused(stale, 412, "precondition_failed")


@pytest.mark.parametrize(
    ("method", "end", "body"),
    [
        ("PATCH", "", {"rule": "FREQ=WEEKLY"}),
        ("PATCH", "", {"lead_days": 0}),
        ("PATCH", "", {"rule": "FREQ=DAILY;INTERVAL=2"}),
        ("POST", "/pause", {}),
        ("POST", "/end", {}),
    ],
)
async def test_days_before_a_change_are_missed_even_if_the_worker_was_down(
    shop: Shop, acme: Firm, method: str, end: str, body: dict[str, Any]
) -> None:
    row = await begin(shop, "FREQ=DAILY;INTERVAL=2")
    acme.house.clock.advance(days=5)
    path = f"{RECURRING}/{row['id']}{end}"
    assert (await acme.api.request(method, path, json=body)).status_code == 200
    missed = [("2026-01-19", "missed"), ("2026-01-17", "missed"), ("2026-01-15", "missed")]
    assert await days(shop, row) == missed
    await work(shop)
    assert (await days(shop, row))[-3:] == missed
