"""Another day or window: what the company offers, until the driver has started."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any, get_args
from zoneinfo import ZoneInfo

import httpx
import msgspec
from hypothesis import given
from hypothesis import strategies as st

from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from pannier.accounts.company_settings.recipients import Recipients, Weekday
from pannier.orders.recipient_changes.slots import WEEKDAYS, list_slots, move_dispatch
from stage import Firm, House
from tracking.asking import link_of, link_to, stranger

HOME = {**MANDAI, "postal_code": "729826", "country": "SG"}
OFFER = {"reschedule_days": 3, "reschedule_notice_hours": 2, "windows": ["08:00-12:00"]}
# The stage's clock begins on Thursday, 2026-01-15 at noon UTC, which is 20:00 in Singapore.
FRIDAY, SATURDAY, SUNDAY = (f"2026-01-{day}/08:00-12:00" for day in (16, 17, 18))
EVENTS = "select body from events where name = 'order.updated' order by created_at, uuid"
ZONES = [ZoneInfo(name) for name in ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu")]
MOMENTS = st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis adds the zone


async def offer(firm: Firm, **change: Any) -> None:
    """Let recipients choose."""
    answer = await firm.admin.patch("/int/v1/settings", json={"recipients": {**OFFER, **change}})
    assert answer.is_success, answer.text


async def choose(house: House, link: str, slot: str) -> httpx.Response:
    """Choose a slot, as the recipient."""
    client, form = stranger(house), link.replace("?", "/time?")
    led = await client.post(link, data={"secret": "729826", "to": "/time"})
    assert led.headers["location"] == form
    return await client.post(form, data={"slot": slot})


async def shown(house: House, link: str) -> str:
    """Read the form, as the recipient."""
    client, form = stranger(house), link.replace("?", "/time?")
    await client.post(link, data={"secret": "729826", "to": "/time"})
    return (await client.get(form)).text


async def test_the_recipient_moves_the_order_as_an_operator_would(
    acme: Firm, shop: Shop, house: House
) -> None:
    await offer(acme)
    order = await shop.order(
        pickup=RAFFLES, dropoff=HOME, scheduled_at="2026-01-16T00:30:00Z",
        time_window_start="2026-01-16T02:00:00Z", time_window_end="2026-01-16T06:00:00Z",
    )  # fmt: skip
    link = await link_of(shop, order)
    page = await shown(house, link)
    assert FRIDAY in page
    assert SATURDAY in page
    assert SUNDAY not in page
    assert "Choose another day or time" in (await stranger(house).get(link)).text
    moved = await choose(house, link, SATURDAY)
    assert (moved.status_code, moved.headers["location"]) == (303, link)
    read = await shop.get(f"orders/{order['id']}")
    assert (read["time_window_start"], read["time_window_end"]) == (
        "2026-01-17T00:00:00.000Z", "2026-01-17T04:00:00.000Z",
    )  # fmt: skip
    # A day later, and not after the window has begun.
    assert read["scheduled_at"] == "2026-01-17T00:00:00.000Z"
    bodies = await house.value(f"select array_agg(body) from ({EVENTS}) events")
    changed = [msgspec.json.decode(body)["data"]["changed"] for body in bodies]
    assert [sorted(names) for names in changed] == [
        ["scheduled_at", "time_window_end", "time_window_start"]
    ]
    audited = "select count(*) from audit_entries where action = 'order.rescheduled'"
    assert await house.value(audited) == 1
    await choose(house, link, SATURDAY)
    assert await house.value(audited) == 1


async def test_the_window_of_a_stop_moves_and_etas_are_computed_again(
    acme: Firm, shop: Shop, house: House
) -> None:
    await offer(acme)
    stops = [{**RAFFLES, "type": "pickup"}, {**HOME, "time_window_end": "2026-01-16T06:00:00Z"}]
    order = await shop.ready(payload={"waypoints": stops}, dispatch=True)
    link = await link_to(shop, order["payload"]["waypoints"][1]["tracking_number"])
    assert (await choose(house, link, FRIDAY)).status_code == 303
    read = await shop.get(f"orders/{order['id']}")
    pickup, dropoff = read["payload"]["waypoints"]
    assert dropoff["time_window_start"] == "2026-01-16T00:00:00.000Z"
    assert pickup["time_window_start"] is None
    assert read["time_window_end"] is None
    day = await shop.get(f"drivers/{order['driver_assigned']['id']}/stops")
    assert [stop["time_window_end"] for stop in day["stops"]] == [None, "2026-01-16T04:00:00.000Z"]


async def test_what_is_not_offered_is_refused(acme: Firm, shop: Shop, house: House) -> None:
    order = await shop.order(pickup=RAFFLES, dropoff=HOME)
    link = await link_of(shop, order)
    assert "Choose another day or time" not in (await stranger(house).get(link)).text
    assert (await choose(house, link, FRIDAY)).status_code == 409
    await offer(acme)
    for slot in (SUNDAY, "2026-01-15/08:00-12:00", "2026-01-16/09:00-12:00", "", "x" * 300):
        assert (await choose(house, link, slot)).status_code == 409
    house.clock.advance(hours=11)
    late = await choose(house, link, FRIDAY)
    assert late.status_code == 409
    assert "no longer available" in late.text
    read = await shop.get(f"orders/{order['id']}")
    assert read["time_window_start"] is None


async def test_after_the_start_it_is_too_late(acme: Firm, shop: Shop, house: House) -> None:
    await offer(acme)
    order = await shop.ready(pickup=RAFFLES, dropoff=HOME)
    link = await link_of(shop, order)
    await shop.act(order, "dispatch")
    assert (await choose(house, link, FRIDAY)).status_code == 303
    await shop.act(order, "start")
    late = await choose(house, link, SATURDAY)
    assert late.status_code == 409
    assert "too late" in late.text


async def test_the_start_and_the_choice_at_once_leave_one_consistent_order(
    acme: Firm, shop: Shop, house: House
) -> None:
    await offer(acme)
    order = await shop.ready(pickup=RAFFLES, dropoff=HOME)
    link = await link_of(shop, order)
    answer, _ = await asyncio.gather(
        choose(house, link, FRIDAY),
        shop.post(f"orders/{order['id']}/start", skip_dispatch=True),
    )
    read = await shop.get(f"orders/{order['id']}")
    assert read["started"]
    assert (read["time_window_start"] is not None) == (answer.status_code == 303)


async def test_a_round_with_other_recipients_stays_on_its_day(
    acme: Firm, shop: Shop, house: House
) -> None:
    await offer(acme)
    order = await shop.order(payload={"waypoints": [RAFFLES, HOME, CHANGI]})
    link = await link_to(shop, order["payload"]["waypoints"][1]["tracking_number"])
    assert "Choose another day or time" not in (await stranger(house).get(link)).text
    assert (await choose(house, link, FRIDAY)).status_code == 409


@st.composite
def recipients(draw: st.DrawFn) -> Recipients:
    """What a company may allow."""
    clocks = st.times().map(lambda moment: moment.strftime("%H:%M"))
    pairs = st.tuples(clocks, clocks).filter(lambda pair: pair[0] < pair[1])
    return Recipients(
        reschedule_days=draw(st.integers(0, 30)),
        reschedule_notice_hours=draw(st.integers(0, 168)),
        weekdays=draw(st.lists(st.sampled_from(get_args(Weekday)), min_size=1, unique=True)),
        windows=sorted(draw(st.sets(pairs.map("-".join), min_size=1, max_size=12))),
    )


@given(recipients(), st.sampled_from(ZONES), MOMENTS)
def test_every_slot_is_within_what_the_company_allows(
    allowed: Recipients, zone: ZoneInfo, now: datetime
) -> None:
    slots = list_slots(allowed, zone, now)
    assert len({slot.code for slot in slots}) == len(slots)
    for slot in slots:
        local = slot.start.astimezone(zone)
        assert now + timedelta(hours=allowed.reschedule_notice_hours) <= slot.start < slot.end
        assert local.date() - now.astimezone(zone).date() <= timedelta(allowed.reschedule_days)
        assert WEEKDAYS[local.weekday()] in allowed.weekdays


@given(MOMENTS, st.none() | MOMENTS, st.sampled_from(ZONES), MOMENTS)
def test_the_dispatch_is_never_in_the_past_nor_after_the_slot(
    scheduled_at: datetime, previous_start: datetime | None, zone: ZoneInfo, now: datetime
) -> None:
    for slot in list_slots(Recipients(reschedule_days=1), zone, now):
        moved = move_dispatch(scheduled_at, previous_start, slot, zone, now)
        assert now <= moved <= slot.start
