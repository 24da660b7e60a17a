"""Recipients hear what happens to their deliveries, once."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from news.waiting import OTHER, PHONE, Waiting, relayed
from orders.shop import MANDAI, RAFFLES, statements
from pannier.kit.clock import ManualClock
from pannier.news import event_handler, opt_outs, sending
from pannier.news.processor import NewsProcessor
from pannier.news.sweep import NEWS
from pannier.notifications import service as notifications
from pannier.orders.tracking import queries as tracking
from pannier.parked import service as parking
from pannier.parked import sweep as parked_sweep
from pannier.subscribers import RETRIES
from stage import Firm


async def test_a_recipient_hears_by_sms_that_the_delivery_is_on_its_way(waiting: Waiting) -> None:
    ada = await waiting.person()
    order = await waiting.ready(customer=ada["id"], dispatch=True)
    number = order["tracking_number"]["tracking_number"]
    [told] = await waiting.heard()
    assert (told.channel, told.to) == ("sms", PHONE)
    said, link = told.text.rsplit(" ", 1)
    assert said == "Acme: Your delivery is on its way. Track it or stop messages:"
    assert link.startswith(f"http://127.0.0.1:8000/t/{number}?k=")


async def test_a_message_names_the_order_as_the_company_does(waiting: Waiting) -> None:
    ada = await waiting.person(phone=None, email="ada@example.com")
    for internal_id in ("SO-2041", None):
        order = await waiting.ready(customer=ada["id"], dispatch=True, internal_id=internal_id)
        told = (await waiting.heard())[-1]
        assert f"Your delivery {internal_id or waiting.number(order)} is on its way" in told.text


async def test_nobody_is_told_anything_twice(waiting: Waiting) -> None:
    ada = await waiting.person()
    await waiting.ready(customer=ada["id"], dispatch=True)
    assert len(await waiting.heard()) == 1
    await waiting.tell_again()
    assert len(await waiting.heard()) == 1


async def test_each_stop_is_told_when_it_is_the_next(waiting: Waiting) -> None:
    order = await waiting.for_two()
    await waiting.act(order, "start", skip_dispatch=True)
    assert {told.to for told in await waiting.heard()} == {PHONE, OTHER}
    assert all("on its way" in told.text for told in await waiting.heard())
    for code in ("enroute", "completed"):
        await waiting.fire(order, code)
    [_, told] = await waiting.heard(PHONE)
    assert "You are the next stop" in told.text
    assert len(await waiting.heard(OTHER)) == 1
    for code in ("enroute", "completed"):
        await waiting.fire(order, code)
    assert "arrived" in (await waiting.heard(PHONE))[-1].text
    assert "You are the next stop" in (await waiting.heard(OTHER))[-1].text


async def test_a_journey_that_begins_at_once_is_told_once(waiting: Waiting) -> None:
    ada = await waiting.person()
    await waiting.started(customer=ada["id"])
    [told] = await waiting.heard()
    assert "You are the next stop" in told.text


async def test_who_cannot_hear_that_they_are_next_hears_once_that_it_is_on_its_way(
    waiting: Waiting,
) -> None:
    ada = await waiting.person(phone=None, email="ada@example.com")
    order = await waiting.started(customer=ada["id"])
    [told] = await waiting.heard()
    assert (told.channel, told.subject) == ("email", "Your delivery is on its way")
    assert f"/t/{waiting.number(order)}?k=" in told.text
    await waiting.tell_again()
    assert await waiting.heard() == [told]


async def test_who_heard_that_it_is_on_its_way_does_not_hear_it_in_place_of_being_next(
    waiting: Waiting,
) -> None:
    ada = await waiting.person(phone=None, email="ada@example.com")
    order = await waiting.ready(customer=ada["id"], dispatch=True)
    told = await waiting.heard()
    assert len(told) == 1
    await waiting.act(order, "start")
    assert await waiting.heard() == told


async def test_of_several_orders_at_once_nobody_is_next_until_one_is_left(
    waiting: Waiting,
) -> None:
    people = [await waiting.person(), await waiting.person(name="Eve", phone=OTHER)]
    driver = await waiting.driver()
    orders = [
        await waiting.order(customer=person["id"], driver=driver["id"], dispatch=True)
        for person in people
    ]
    for order in orders:
        await waiting.act(order, "start")
    assert all("on its way" in told.text for told in await waiting.heard())
    for code in ("enroute", "completed"):
        await waiting.fire(orders[0], code)
    assert "arrived" in (await waiting.heard(PHONE))[-1].text
    [_, told] = await waiting.heard(OTHER)
    assert "You are the next stop" in told.text


async def test_a_person_with_two_stops_hears_once_that_they_are_on_their_way(
    waiting: Waiting,
) -> None:
    ada = await waiting.person()
    stops = [{"place": place, "contact": ada["id"]} for place in (RAFFLES, MANDAI)]
    await waiting.ready(waypoints=stops, dispatch=True)
    assert len(await waiting.heard()) == 1


async def test_those_who_wait_are_looked_up_once_however_many_stops_there_are(
    waiting: Waiting,
) -> None:
    await waiting.for_two(dispatch=True)
    async with statements(waiting.house) as asked:
        assert len(await waiting.heard()) == 2
    assert len([sql for sql in asked if "from news_quiet" in sql]) == 1


async def test_an_order_that_nobody_carries_is_not_on_its_way(waiting: Waiting) -> None:
    ada = await waiting.person()
    order = await waiting.order(customer=ada["id"], adhoc=True, dispatch=True)
    assert await waiting.heard() == []
    driver = await waiting.driver()
    await waiting.act(order, "assign-driver", driver=driver["id"])
    await waiting.act(order, "start")
    assert len(await waiting.heard()) == 1


async def test_who_never_heard_of_an_order_does_not_hear_that_it_was_cancelled(
    waiting: Waiting,
) -> None:
    ada = await waiting.person(email="ada@example.com")
    await waiting.act(await waiting.order(customer=ada["id"]), "cancel")
    assert await waiting.heard() == []
    order = await waiting.ready(customer=ada["id"], dispatch=True)
    await waiting.act(order, "cancel")
    assert (await waiting.heard())[-1].subject == "Your delivery was canceled"


async def test_what_comes_late_is_told_to_nobody(waiting: Waiting, clock: ManualClock) -> None:
    ada = await waiting.person()
    await waiting.started(customer=ada["id"])
    clock.advance(minutes=61)
    assert await waiting.heard() == []


async def test_what_a_phone_without_reception_tells_late_is_no_news_either(
    waiting: Waiting, clock: ManualClock
) -> None:
    ada = await waiting.person(email="ada@example.com")
    order = await waiting.ready(customer=ada["id"])
    begun = "2026-01-15T12:01:00Z"
    clock.advance(hours=3)
    await waiting.act(order, "start", skip_dispatch=True, occurred_at=begun)
    await waiting.heard()
    for code in ("enroute", "completed"):
        await waiting.fire(order, code, occurred_at="2026-01-15T12:20:00Z")
    told = await waiting.heard()
    assert [each.subject for each in told] == ["Your delivery has arrived"]
    assert "arrived at 12:20" in told[0].text


async def test_what_happens_after_something_late_is_news(
    waiting: Waiting, clock: ManualClock
) -> None:
    order = await waiting.for_two()
    clock.advance(hours=3)
    await waiting.act(order, "start", skip_dispatch=True, occurred_at="2026-01-15T12:01:00Z")
    assert await waiting.heard() == []
    clock.advance(minutes=10)
    ada = order["payload"]["waypoints"][1]["id"]
    await waiting.act(order, f"set-destination/{ada}")
    [told] = await waiting.heard()
    assert (told.to, "You are the next stop" in told.text) == (PHONE, True)


async def test_news_are_told_in_the_persons_language_and_the_companys_time(
    waiting: Waiting,
) -> None:
    settings = {"time_zone": "Europe/Berlin", "locale": "fr", "branding": {"name": "Flèche"}}
    assert (await waiting.firm.admin.patch("/int/v1/settings", json=settings)).is_success
    window = {
        "time_window_start": "2026-01-15T13:00:00Z",
        "time_window_end": "2026-01-15T15:00:00Z",
    }
    ada = await waiting.person(locale="de_at")
    assert ada["locale"] == "de-AT"
    await waiting.ready(customer=ada["id"], dispatch=True, **window)
    [german] = await waiting.heard(PHONE)
    assert german.text.startswith(
        "Flèche: Ihre Sendung ist unterwegs, Ankunft voraussichtlich heute, 14:00-16:00. "
    )
    eve = await waiting.person(name="Eve", phone=OTHER)
    await waiting.ready(customer=eve["id"], dispatch=True, **window)
    [french] = await waiting.heard(OTHER)
    assert "en route, prévue aujourd'hui, 14:00-16:00" in french.text


async def test_the_first_way_that_reaches_somebody_is_taken(waiting: Waiting) -> None:
    ada = await waiting.person(phone=None, email="ada@example.com")
    await waiting.ready(customer=ada["id"], dispatch=True)
    [told] = await waiting.heard()
    assert (told.channel, told.subject) == ("email", "Your delivery is on its way")
    assert "/news" in told.text


async def test_a_way_without_a_provider_reaches_nobody(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting.house.database, "channels", frozenset({"email"}))
    ada = await waiting.person(email="ada@example.com")
    await waiting.ready(customer=ada["id"], dispatch=True)
    await waiting.started(customer=ada["id"])
    told = await waiting.heard()
    assert [(each.channel, each.subject) for each in told] == [
        ("email", "Your delivery is on its way")
    ] * 2
    assert await waiting.spent() == 0


async def test_what_a_company_does_not_want_told_is_not(waiting: Waiting) -> None:
    await waiting.set(on_its_way=[], next_stop=["email"])
    ada = await waiting.person(email="ada@example.com")
    order = await waiting.ready(customer=ada["id"], dispatch=True)
    assert await waiting.heard() == []
    await waiting.act(order, "start")
    [told] = await waiting.heard()
    assert (told.channel, told.to) == ("email", "ada@example.com")


async def test_numbers_that_cost_a_fortune_are_left_alone(waiting: Waiting) -> None:
    ada = await waiting.person(phone="+979123456789")
    await waiting.ready(customer=ada["id"], dispatch=True)
    assert await waiting.heard() == []


async def test_beyond_the_budget_news_go_by_other_ways_and_admins_hear_of_it_once(
    waiting: Waiting, clock: ManualClock
) -> None:
    await waiting.set(sms_per_day=1)
    ada = await waiting.person(email="ada@example.com")
    eve = await waiting.person(name="Eve", phone=OTHER)
    for person in (ada, ada, eve, eve):
        await waiting.ready(customer=person["id"], dispatch=True)
    told = await waiting.heard()
    assert [each.channel for each in told if each.to in {PHONE, OTHER}] == ["sms"]
    assert len([each for each in told if each.to == "ada@example.com"]) == 1
    [warning] = [each for each in told if each.subject == "Daily SMS limit reached"]
    assert "1 delivery notifications" in warning.text
    clock.advance(days=1, minutes=30)
    await waiting.ready(customer=eve["id"], dispatch=True)
    assert (await waiting.heard(OTHER))[-1].channel == "sms"


async def test_one_phone_gets_only_so_many_news_in_a_day(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "MAX_DAILY_SMS_PER_NUMBER", 2)
    ada = await waiting.person()
    eve = await waiting.person(name="Eve", phone=OTHER)
    for person in (ada, ada, ada, eve):
        await waiting.ready(customer=person["id"], dispatch=True)
    assert [told.to for told in await waiting.heard()] == [PHONE, PHONE, OTHER]


async def test_whoever_wants_to_hear_nothing_is_told_nothing_until_they_do(
    waiting: Waiting,
) -> None:
    ada = await waiting.person(email="Ada@Example.com")
    order = await waiting.ready(customer=ada["id"], dispatch=True)
    assert len(await waiting.heard()) == 1
    async with waiting.house.database.transaction() as db:
        number = await tracking.get_number(db, waiting.firm.company.uuid, waiting.number(order))
        assert await opt_outs.load_news_state(db, number) == "on"
        await opt_outs.opt_out(db, number)
        await opt_outs.opt_out(db, number)
        assert await opt_outs.load_news_state(db, number) == "all_off"
    await waiting.act(order, "start")
    again = await waiting.person(name="Ada", phone=OTHER, email="ada@example.com")
    await waiting.ready(customer=again["id"], dispatch=True)
    assert len(await waiting.heard()) == 1
    async with waiting.house.database.transaction() as db:
        await opt_outs.resume_news(db, number)
        assert await opt_outs.load_news_state(db, number) == "on"
    await waiting.ready(customer=ada["id"], dispatch=True)
    assert len(await waiting.heard()) == 2


async def test_one_recipient_does_not_silence_the_others_of_an_order(waiting: Waiting) -> None:
    order = await waiting.for_two()
    async with waiting.house.database.transaction() as db:
        company, stops = waiting.firm.company.uuid, order["payload"]["waypoints"]
        number = await tracking.get_number(db, company, stops[1]["tracking_number"])
        await opt_outs.opt_out(db, number)
        whole = await tracking.get_number(db, company, waiting.number(order))
        assert await opt_outs.load_news_state(db, whole) == "nobody", (
            "the order is for nobody by itself"
        )
        await opt_outs.opt_out(db, whole)
    await waiting.act(order, "dispatch")
    assert [told.to for told in await waiting.heard()] == [OTHER]


async def test_one_recipient_does_not_silence_the_others_at_the_same_stop(
    waiting: Waiting,
) -> None:
    mails = ("ada@example.com", "eve@example.com")
    people = [await waiting.person(phone=None, email=email) for email in mails]
    items = [{"name": "Box", "customer": one["id"], "destination": 1} for one in people]
    stops = [{"place": RAFFLES, "type": "pickup"}, {"place": MANDAI}]
    order = await waiting.ready(waypoints=stops, entities=items, dispatch=True)
    assert [told.to for told in await waiting.heard()] == [*mails]
    way_out = "select way_out from messages where recipient = :to"
    ada, eve = [await waiting.house.value(way_out, to=to) for to in mails]
    client = waiting.house.client()
    assert (await client.post(ada, data={"List-Unsubscribe": "One-Click"})).status_code == 200
    silent = "select array_agg(recipient) from news_quiet"
    assert await waiting.house.value(silent) == [mails[0]]
    await client.post(eve, data={"news": "start"})
    assert await waiting.house.value(silent) == [mails[0]]
    # Without the name in the link nobody is meant.
    nobody = eve.replace(re.findall(r"&?person=[^&]+", eve)[0], "")
    for wish in ("stop", "stop_delivery", "start"):
        await client.post(nobody, data={"news": wish})
        assert await waiting.house.value(silent) == [mails[0]], wish
    assert (await client.post(nobody, data={"List-Unsubscribe": "One-Click"})).status_code == 200
    assert await waiting.house.value(silent) == [mails[0]]
    assert await waiting.house.value("select count(*) from news_muted") == 0
    await waiting.act(order, "cancel")
    assert [told.to for told in await waiting.heard()] == [*mails, mails[1]]
    assert "several recipients" in (await client.get(nobody)).text
    assert "Resume messages" in (await client.get(ada)).text
    assert "Stop messages about this delivery" in (await client.get(eve)).text


async def test_whoever_stops_news_about_a_delivery_hears_of_the_next_one(waiting: Waiting) -> None:
    ada = await waiting.person(phone=None, email="ada@example.com")
    order = await waiting.ready(customer=ada["id"], dispatch=True)
    (first,) = await waiting.heard()
    way_out = await waiting.house.value("select way_out from messages")
    client = waiting.house.client()
    await client.post(way_out, data={"news": "stop_delivery"})
    page = (await client.get(way_out)).text
    await waiting.act(order, "start")
    for code in ("enroute", "completed"):
        await waiting.fire(order, code)
    assert await waiting.heard() == [first]
    await waiting.ready(customer=ada["id"], dispatch=True)
    assert len(await waiting.heard()) == 2
    assert "no longer receive messages about this delivery" in page
    assert "Stop all messages from Acme" in page
    await client.post(way_out, data={"news": "start"})
    assert "Stop messages about this delivery" in (await client.get(way_out)).text


async def test_news_about_a_muted_delivery_that_still_wait_are_not_sent(waiting: Waiting) -> None:
    ada = await waiting.person()
    orders = [await waiting.ready(customer=ada["id"], dispatch=True) for _ in range(2)]
    await waiting.heard()
    async with waiting.house.database.transaction() as db:
        number = await tracking.get_number(db, waiting.firm.company.uuid, waiting.number(orders[0]))
        await opt_outs.mute_delivery(db, number)
    due = "select array_agg(order_id) from messages where state = 'due'"
    assert await waiting.house.value(due) == [orders[1]["id"]]


async def test_who_wants_no_more_news_is_not_sent_those_that_still_wait_for_a_provider(
    waiting: Waiting,
) -> None:
    ada, eve = await waiting.person(), await waiting.person(name="Eve", phone=OTHER)
    order = await waiting.ready(customer=ada["id"], dispatch=True)
    await waiting.ready(customer=eve["id"], dispatch=True)
    await waiting.heard()
    async with waiting.house.database.transaction() as db:
        await notifications.queue_message(db, waiting.firm.uuid, "sms", PHONE, "Your code is 4711.")
        number = await tracking.get_number(db, waiting.firm.company.uuid, waiting.number(order))
        await opt_outs.opt_out(db, number)
    due = "select array_agg(body like '%code%' order by recipient) from messages where state='due'"
    assert await waiting.house.value(due) == [True, False], "a code, and news for somebody else"


async def test_another_company_may_still_tell_whoever_left_this_one(
    waiting: Waiting, rival: Firm
) -> None:
    ada = await waiting.person()
    order = await waiting.ready(customer=ada["id"])
    async with waiting.house.database.transaction() as db:
        number = await tracking.get_number(db, waiting.firm.company.uuid, waiting.number(order))
        await opt_outs.opt_out(db, number)
    other = Waiting(rival, waiting.house)
    eve = await other.person()
    await other.ready(customer=eve["id"], dispatch=True)
    assert len(await other.heard()) == 1


async def test_the_links_open_the_page_its_proof_and_the_way_out(waiting: Waiting) -> None:
    ada = await waiting.person(phone=None, email="ada@example.com")
    order = await waiting.started(customer=ada["id"])
    for code in ("enroute", "completed"):
        await waiting.fire(order, code)
    told = (await waiting.heard())[-1]
    page, way_out = re.findall(r"http://127.0.0.1:8000(\S+)", told.text)
    assert "?proof=" in page
    stranger = waiting.house.client()
    shown = await stranger.get(page)
    assert (shown.status_code, waiting.number(order) in shown.text) == (200, True)
    offered = await stranger.get(way_out)
    assert "Stop messages about this delivery" in offered.text
    assert (await stranger.post(way_out, data={"news": "stop"})).status_code == 303
    assert await waiting.house.value("select array_agg(recipient) from news_quiet") == [
        "ada@example.com"
    ]


async def test_an_attempt_that_failed_is_told_with_its_reason_and_each_attempt_once(
    waiting: Waiting,
) -> None:
    order = await waiting.for_two()
    await waiting.act(order, "start", skip_dispatch=True)
    for code in ("enroute", "completed"):
        await waiting.fire(order, code)
    await waiting.heard()
    ada = order["payload"]["waypoints"][1]["id"]
    for attempt in (1, 2):
        await waiting.act(order, "fail-attempt", reason="nobody_home", waypoint=ada)
        told = [each.text for each in await waiting.heard(PHONE) if "could not" in each.text]
        assert len(told) == attempt
        assert "could not deliver your order. Reason: Recipient not available." in told[-1]
    await waiting.tell_again()
    assert len([each for each in await waiting.heard(PHONE) if "could not" in each.text]) == 2
    assert "You are the next stop" in (await waiting.heard(OTHER))[-1].text


async def test_attempts_that_are_heard_of_together_are_each_told_with_their_reason(
    waiting: Waiting,
) -> None:
    ada = await waiting.person()
    order = await waiting.started(customer=ada["id"])
    for reason in ("nobody_home", "closed"):
        await waiting.act(order, "fail-attempt", reason=reason)
    told = [each.text for each in await waiting.heard() if "could not" in each.text]
    assert ["Recipient not available" in text for text in told] == [True, False]
    assert "Location closed" in told[-1]


@pytest.mark.parametrize("stops", [0, 2])
async def test_another_attempt_is_announced_when_the_driver_sets_out_once_more(
    waiting: Waiting, stops: int
) -> None:
    ada = await waiting.person()
    ways = [{"place": RAFFLES, "type": "pickup"}, {"place": MANDAI}][:stops]
    order = await waiting.started(customer=ada["id"], **({"waypoints": ways} if ways else {}))
    for code in ("enroute", "completed") if ways else ():
        await waiting.fire(order, code)
    await waiting.fire(order, "enroute")
    assert "You are the next stop" in (await waiting.heard())[-1].text
    await waiting.act(order, "fail-attempt", reason="nobody_home")
    before = [told.text for told in await waiting.heard()]
    assert "could not deliver your order" in before[-1]
    await waiting.fire(order, "enroute")
    [*kept, told] = [told.text for told in await waiting.heard()]
    assert (kept, "You are the next stop" in told) == (before, True)


async def test_what_goes_back_is_not_said_to_be_next_or_cancelled(waiting: Waiting) -> None:
    ada = await waiting.person(locale="de")
    order = await waiting.started(customer=ada["id"])
    await waiting.heard()
    await waiting.act(order, "fail-attempt", reason="refused")
    told = await waiting.heard()
    assert "nicht zugestellt werden. Grund: Annahme verweigert." in told[-1].text
    await waiting.act(order, "cancel")
    assert await waiting.heard() == told


async def test_what_waits_for_a_decision_is_said_to_be_cancelled(waiting: Waiting) -> None:
    ada = await waiting.person(email="ada@example.com")
    order = await waiting.started(customer=ada["id"])
    await waiting.act(order, "fail-attempt", reason="wrong_address")
    assert "could not deliver your order" in (await waiting.heard())[-1].text
    await waiting.act(order, "cancel")
    assert (await waiting.heard())[-1].subject == "Your delivery was canceled"


async def test_what_was_told_is_forgotten_as_messages_are(
    waiting: Waiting, clock: ManualClock
) -> None:
    ada = await waiting.person()
    await waiting.ready(customer=ada["id"], dispatch=True)
    await waiting.heard()
    keep = {"retention": {"messages": 5}}
    assert (await waiting.firm.admin.patch("/int/v1/settings", json=keep)).is_success
    database, count = waiting.house.database, "select count(*) from news"
    clock.advance(days=4)
    assert not await NEWS.delete_batch(database, timedelta(days=90))
    assert await waiting.house.value(count) == 1
    clock.advance(days=2)
    assert await NEWS.delete_batch(database, timedelta(days=90))
    assert await waiting.house.value(count) == 0


async def test_what_is_undone_was_not_told(waiting: Waiting) -> None:
    class Crash(BaseException):
        """The machine stops."""

    ada = await waiting.person()
    await waiting.ready(customer=ada["id"], dispatch=True)
    await relayed(waiting.house)
    database = waiting.house.database
    [event] = await waiting.queued()

    async def tell_and_crash() -> None:
        async with database.transaction() as db:
            await event_handler.notify_recipients(db, event)
            raise Crash

    with pytest.raises(Crash):
        await tell_and_crash()
    assert await waiting.house.value("select count(*) from news") == 0
    assert await waiting.spent() == 0
    assert len(await waiting.heard()) == 1
    assert await waiting.spent() == 1


async def test_the_relay_writes_down_what_is_news_by_one_statement_however_many_wait_for_it(
    waiting: Waiting,
) -> None:
    asked: list[list[str]] = []
    for orders in (1, 5):
        for _ in range(orders):
            await waiting.for_two(dispatch=True)
        async with statements(waiting.house) as heard:
            await relayed(waiting.house)
        asked.append([sql for sql in heard if "news" in sql])
    assert [len(statements) for statements in asked] == [1, 1]
    assert len(await waiting.heard()) == 2 * (1 + 5)


async def test_an_order_of_many_people_is_told_in_parts_to_each_of_them_once(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_handler, "MAX_RECIPIENTS_PER_TRANSACTION", 2)
    people = [await waiting.person(phone=f"+659123456{number}") for number in range(5)]
    stops = [{"place": MANDAI, "contact": person["id"]} for person in people]
    await waiting.ready(waypoints=stops, dispatch=True)
    await relayed(waiting.house)
    teller, sizes = NewsProcessor(waiting.house.database), []
    while await teller.step():
        sizes.append(await waiting.house.value("select count(*) from messages"))
    assert sizes[:3] == [2, 4, 5]
    assert sizes[-1] == 5
    assert {told.to for told in await waiting.heard()} == {person["phone"] for person in people}


async def test_two_workers_tell_everything_once_in_its_order_and_within_the_budget(
    waiting: Waiting, rival: Firm
) -> None:
    await waiting.set(sms_per_day=3)
    ada, other = await waiting.person(email="ada@example.com"), Waiting(rival, waiting.house)
    eve = await other.person(phone=OTHER)
    for _ in range(4):
        order = await waiting.ready(customer=ada["id"], dispatch=True)
        await waiting.act(order, "start")
        await other.ready(customer=eve["id"], dispatch=True)
    await relayed(waiting.house)

    async def work() -> None:
        teller = NewsProcessor(waiting.house.database)
        while await waiting.queued() or await other.queued():
            await teller.step()

    await asyncio.gather(work(), work())
    told = await waiting.heard()
    assert await waiting.spent() == 3
    assert Counter(each.channel for each in told if each.to in {PHONE, "ada@example.com"}) == {
        "sms": 3,
        "email": 1,
    }
    assert len(await other.heard()) == 4


async def test_companies_are_told_in_turn(waiting: Waiting, rival: Firm) -> None:
    other = Waiting(rival, waiting.house)
    for each in (waiting, other):
        person = await each.person()
        for _ in range(3):
            await each.ready(customer=person["id"], dispatch=True)
    await relayed(waiting.house)
    teller, left = NewsProcessor(waiting.house.database), []
    for _ in range(4):
        assert await teller.step()
        left.append((len(await waiting.queued()), len(await other.queued())))
    assert (left[1], left[3]) == ((2, 2), (1, 1))


@asynccontextmanager
async def stuck(firm: Firm) -> AsyncIterator[None]:
    """Have the database give up whatever is written to people of a company."""
    async with firm.house.database.transaction() as db:
        await db.execute(
            f"""create function give_up() returns trigger language plpgsql as 'begin
                    if new.company = ''{firm.uuid}'' then
                        raise exception using errcode = ''query_canceled'';
                    end if;
                    return new;
                end'"""
        )
        await db.execute(
            """create trigger give_up before insert on messages
               for each row execute function give_up()"""
        )
    try:
        yield
    finally:
        async with firm.house.database.transaction() as db:
            await db.execute("drop function give_up cascade")


async def test_a_company_whose_telling_does_not_end_keeps_no_other_waiting(
    waiting: Waiting, rival: Firm
) -> None:
    both = [waiting, Waiting(rival, waiting.house)]
    for each in both:
        person = await each.person()
        await each.ready(customer=person["id"], dispatch=True)
    await relayed(waiting.house)
    first, second = sorted(both, key=lambda each: each.firm.uuid)
    teller = NewsProcessor(waiting.house.database)
    async with stuck(first.firm):
        with pytest.raises(asyncpg.QueryCanceledError):
            await teller.step()
        assert await teller.step()
        assert (len(await first.queued()), len(await second.queued())) == (1, 0)
    assert len(await first.heard()) == 1


async def test_what_waits_is_found_by_index_however_the_queue_was_when_it_was_planned(
    waiting: Waiting,
) -> None:
    async with statements(waiting.house) as asked:
        assert not await NewsProcessor(waiting.house.database).step()
    looks = ["enable_seqscan" in sql for sql in asked if "seqscan" in sql or "news_queue" in sql]
    assert looks == [True, False]


async def test_how_much_is_still_to_be_told_and_since_when_is_measured(
    waiting: Waiting, rival: Firm, clock: ManualClock
) -> None:
    for each in (waiting, waiting, Waiting(rival, waiting.house)):
        person = await each.person()
        await each.ready(customer=person["id"], dispatch=True)
        clock.advance(seconds=30)
    await relayed(waiting.house)
    metrics = await waiting.house.metrics()
    assert "pannier_news_waiting 3.0" in metrics
    assert "pannier_news_oldest_seconds 90.0" in metrics
    await waiting.heard()
    metrics = await waiting.house.metrics()
    assert "pannier_news_waiting 0.0" in metrics
    assert "pannier_news_oldest_seconds 0.0" in metrics


async def test_what_cannot_be_told_is_parked_and_holds_nobody_up(waiting: Waiting) -> None:
    ada = await waiting.person()
    await waiting.ready(customer=ada["id"], dispatch=True)
    await relayed(waiting.house)
    [event] = await waiting.queued()
    await waiting.ready(customer=ada["id"], dispatch=True)
    database = waiting.house.database
    async with database.transaction() as db:
        await db.execute("update events set body = '!' || body where uuid = :uuid", uuid=event.uuid)
    assert len(await waiting.heard()) == 1
    assert await waiting.house.value("select step from parked") == "news"
    async with database.transaction() as db:
        await db.update("events", event.uuid, body=event.body)
        await parking.schedule_all_retries(db)
    assert await parked_sweep.step(database, RETRIES)
    assert len(await waiting.heard()) == 2


async def test_who_was_next_a_while_ago_hears_that_it_is_on_its_way(
    waiting: Waiting, clock: ManualClock
) -> None:
    ada = await waiting.person()
    await waiting.started(customer=ada["id"])
    clock.advance(minutes=30)
    [told] = await waiting.heard()
    assert "Your delivery is on its way" in told.text


async def test_a_start_that_is_heard_after_its_attempt_failed_announces_no_other_attempt(
    waiting: Waiting,
) -> None:
    ada = await waiting.person()
    order = await waiting.started(customer=ada["id"])
    await waiting.fire(order, "enroute")
    await waiting.act(order, "fail-attempt", reason="nobody_home")
    assert ["could not" in told.text for told in await waiting.heard()] == [True]
    await waiting.fire(order, "enroute")
    assert "You are the next stop" in (await waiting.heard())[-1].text


async def test_a_failure_that_was_written_by_hand_takes_no_attempts_place(
    waiting: Waiting,
) -> None:
    ada = await waiting.person()
    order = await waiting.started(customer=ada["id"])
    for words in ("The lift was broken", "The bell was broken"):
        written = {"order": order["id"], "code": "failed", "status": words}
        await waiting.post("tracking-statuses", **written)
    await waiting.act(order, "fail-attempt", reason="nobody_home")
    told = [each.text for each in await waiting.heard() if "could not" in each.text]
    for text, words in zip(told, ("The lift", "The bell", "Recipient not available"), strict=True):
        assert words in text
    await waiting.tell_again()
    assert len([each for each in await waiting.heard() if "could not" in each.text]) == 3


async def test_what_recipients_of_an_order_were_told_is_found_by_the_order(
    waiting: Waiting, rival: Firm
) -> None:
    ada = await waiting.person(email="ada@example.com")
    order = await waiting.ready(customer=ada["id"], dispatch=True)
    await waiting.ready(customer=ada["id"], dispatch=True)
    await waiting.heard()
    await waiting.act(order, "cancel")
    await waiting.heard()
    path = f"/int/v1/messages?order={order['id']}"
    rows = (await waiting.firm.admin.get(path)).json()["data"]
    assert [(row["kind"], row["channel"], row["order"], row["state"]) for row in rows] == [
        ("cancelled", "email", order["id"], "due"),
        ("on_its_way", "sms", order["id"], "due"),
    ]
    assert (await rival.admin.get(path)).json()["data"] == []
    viewer = await waiting.firm.operator("viewer")
    shown = await viewer.get(f"/int/v1/messages/{rows[0]['id']}")
    assert shown.json()["kind"] == "cancelled"


async def test_letters_carry_the_way_out_and_other_messages_none(waiting: Waiting) -> None:
    ada = await waiting.person(phone=None, email="ada@example.com")
    order = await waiting.ready(customer=ada["id"], dispatch=True)
    [told] = await waiting.heard()
    way_out = await waiting.house.value("select way_out from messages")
    assert f"/t/{waiting.number(order)}/news?k=" in way_out
    assert way_out in told.text


@pytest.mark.parametrize("form", ["urlencoded", "multipart"])
async def test_a_mail_program_stops_the_news_by_one_click_without_a_cookie(
    waiting: Waiting, form: str
) -> None:
    ada = await waiting.person(phone=None, email="ada@example.com")
    await waiting.ready(customer=ada["id"], dispatch=True)
    await waiting.heard()
    way_out = await waiting.house.value("select way_out from messages")
    program, quiet = waiting.house.client(), "select count(*) from news_quiet"
    for method in ("GET", "HEAD"):
        assert (await program.request(method, way_out)).status_code == 200
    assert await waiting.house.value(quiet) == 0, "whoever only looks stops nothing"
    said = {"List-Unsubscribe": "One-Click"}
    sent: dict[str, Any] = {"data": said}
    if form == "multipart":
        sent = {"files": {name: (None, value) for name, value in said.items()}}
    guessed = await waiting.house.client().post(f"{way_out.partition('?')[0]}?k=guess", **sent)
    assert guessed.status_code == 404
    assert await waiting.house.value(quiet) == 0
    answer = await waiting.house.client().post(way_out, **sent)
    assert (answer.status_code, "set-cookie" in answer.headers) == (200, False)
    assert await waiting.house.value(quiet) == 1


@pytest.mark.parametrize(
    ("country", "window"),
    [("SG", "today, 21:00-23:00"), ("US", "today, 14:00-16:00 (Europe/Berlin)")],
)
async def test_times_are_told_by_the_clock_on_the_wall_where_something_is_handed_over(
    waiting: Waiting, country: str, window: str
) -> None:
    zone = {"time_zone": "Europe/Berlin"}
    assert (await waiting.firm.admin.patch("/int/v1/settings", json=zone)).is_success
    ada = await waiting.person()
    await waiting.ready(
        pickup=RAFFLES,
        dropoff={"street1": "1 Main Street", "city": "Springfield", "country": country},
        customer=ada["id"],
        dispatch=True,
        time_window_start="2026-01-15T13:00:00Z",
        time_window_end="2026-01-15T15:00:00Z",
    )
    [told] = await waiting.heard()
    assert f"Expected {window}." in told.text
