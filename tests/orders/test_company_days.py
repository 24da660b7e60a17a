"""A day is the company's day, also where clocks are moved; orders begin with its own flow."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pannier.kit.clock import ManualClock
from probe import refused
from stage import Firm

ORDER: dict[str, Any] = {"pickup": "1 Main Street", "dropoff": "2 Main Street"}


async def set_up(firm: Firm, **settings: Any) -> None:
    answer = await firm.admin.patch("/int/v1/settings", json=settings)
    assert answer.status_code == 200, answer.text


async def scheduled(firm: Firm, moment: datetime) -> str:
    body = {**ORDER, "scheduled_at": moment.isoformat()}
    answer = await firm.api.post("/v1/orders", json=body)
    assert answer.status_code == 201, answer.text
    identifier: str = answer.json()["id"]
    return identifier


async def on(firm: Firm, day: str) -> set[str]:
    return {row["id"] for row in (await firm.api.get(f"/v1/orders?on={day}")).json()}


@pytest.mark.parametrize(
    ("zone", "day", "begin", "end"),
    [
        ("UTC", "2026-03-04", "2026-03-04T00:00Z", "2026-03-05T00:00Z"),
        ("Asia/Singapore", "2026-03-04", "2026-03-03T16:00Z", "2026-03-04T16:00Z"),
        ("America/New_York", "2026-03-04", "2026-03-04T05:00Z", "2026-03-05T05:00Z"),
        # 23 hours: clocks go forward in the night.
        ("America/New_York", "2026-03-08", "2026-03-08T05:00Z", "2026-03-09T04:00Z"),
        ("Europe/Berlin", "2026-03-29", "2026-03-28T23:00Z", "2026-03-29T22:00Z"),
        # 25 hours: they go back.
        ("Europe/Berlin", "2026-10-25", "2026-10-24T22:00Z", "2026-10-25T23:00Z"),
        # A day that begins at one o'clock, because there is no midnight.
        ("America/Santiago", "2026-09-06", "2026-09-06T04:00Z", "2026-09-07T03:00Z"),
    ],
)
async def test_a_day_begins_and_ends_where_the_company_is(
    acme: Firm, zone: str, day: str, begin: str, end: str
) -> None:
    await set_up(acme, time_zone=zone)
    first, last = datetime.fromisoformat(begin), datetime.fromisoformat(end)
    moment = timedelta(seconds=1)
    inside = {await scheduled(acme, first), await scheduled(acme, last - moment)}
    outside = {await scheduled(acme, first - moment), await scheduled(acme, last)}
    found = await on(acme, day)
    assert inside <= found
    assert not outside & found


async def test_an_order_that_is_not_scheduled_is_of_the_day_it_was_created_on(
    acme: Firm, rival: Firm, clock: ManualClock
) -> None:
    await set_up(acme, time_zone="Pacific/Auckland")
    clock.advance(hours=6)  # 18:00 in UTC on the 15th, the 16th in Auckland
    made = (await acme.api.post("/v1/orders", json=ORDER)).json()["id"]
    theirs = (await rival.api.post("/v1/orders", json=ORDER)).json()["id"]
    assert (await on(acme, "2026-01-15"), await on(acme, "2026-01-16")) == (set(), {made})
    assert (await on(rival, "2026-01-15"), await on(rival, "2026-01-16")) == ({theirs}, set())


@pytest.mark.parametrize(
    ("given", "due"),
    [
        ({"date": "2026-07-01", "time": "09:30"}, datetime(2026, 7, 1, 13, 30, tzinfo=UTC)),
        ({"date": "2026-12-01", "time": "09:30"}, datetime(2026, 12, 1, 14, 30, tzinfo=UTC)),
        ({"date": "2026-07-01"}, datetime(2026, 7, 1, 4, 0, tzinfo=UTC)),
        (
            {"date": "2026-07-01", "time": "09:30", "timezone": "Asia/Tokyo"},
            datetime(2026, 7, 1, 0, 30, tzinfo=UTC),
        ),
    ],
)
async def test_a_time_of_day_is_one_on_the_companys_clock(
    acme: Firm, given: dict[str, str], due: datetime
) -> None:
    await set_up(acme, time_zone="America/New_York")
    made = (await acme.api.post("/v1/orders", json=ORDER)).json()["id"]
    answer = await acme.api.post(f"/v1/orders/{made}/schedule", json=given)
    assert datetime.fromisoformat(answer.json()["scheduled_at"]) == due


async def test_an_order_that_names_no_configuration_begins_with_the_companys(acme: Firm) -> None:
    flow = [
        {"code": "created", "status": "Created", "next": ["dispatched"]},
        {"code": "dispatched", "status": "Dispatched", "next": ["started"]},
        {"code": "started", "status": "Started", "next": ["completed"]},
        {"code": "completed", "status": "Completed", "complete": True},
    ]
    body = {"name": "Parcels", "key": "parcels", "flow": flow}
    config = (await acme.api.post("/v1/order-configs", json=body)).json()
    await set_up(acme, order_config="parcels")
    made = (await acme.api.post("/v1/orders", json=ORDER)).json()
    assert made["order_config"] == config["id"]
    named = (await acme.api.post("/v1/orders", json={**ORDER, "type": "transport"})).json()
    assert named["order_config"] != config["id"]

    answer = await acme.api.delete(f"/v1/order-configs/{config['id']}")
    refused(answer, 409, "order_config_needed")
    await set_up(acme, order_config=None)
    assert (await acme.api.post("/v1/orders", json=ORDER)).json()["type"] == "transport"
    assert (await acme.api.delete(f"/v1/order-configs/{config['id']}")).status_code == 200


@pytest.mark.parametrize(
    ("zone", "day", "hour"),
    [
        ("Asia/Singapore", "0001-01-01", "00:00"),
        ("America/New_York", "9999-12-31", "23:00"),
    ],
)
async def test_a_day_beyond_the_calendar_is_refused_by_its_name(
    acme: Firm, zone: str, day: str, hour: str
) -> None:
    await set_up(acme, time_zone=zone)
    listed = await acme.api.get(f"/v1/orders?on={day}")
    refused(listed, 422, "validation_failed")
    assert listed.json()["fields"][0]["path"] == "on"
    made = (await acme.api.post("/v1/orders", json=ORDER)).json()["id"]
    body = {"date": day, "time": hour}
    scheduled = await acme.api.post(f"/v1/orders/{made}/schedule", json=body)
    refused(scheduled, 422, "validation_failed")
    assert scheduled.json()["fields"][0]["path"] == "date"
