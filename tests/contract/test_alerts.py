"""Alerts open with their cause, once however often it recurs, and close when it ends."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx

from devices.gear import device, flush, position
from orders.conftest import shop
from orders.shop import Shop
from orders.test_attempts import fail
from pannier.alerts import service
from pannier.alerts.models import AlertCause
from pannier.alerts.sweep import ALERTS
from pannier.devices import status_events
from pannier.devices.outcomes import Submission
from probe import refused
from stage import Firm, House

__all__ = ["shop"]
PATH = "/int/v1/alerts"
SUBJECT = UUID(int=7)


async def alerts(client: httpx.AsyncClient, query: str = "") -> list[dict[str, Any]]:
    answer = await client.get(f"{PATH}{query}")
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()["data"]
    return rows


async def unread(client: httpx.AsyncClient) -> int:
    count: int = (await client.get(f"{PATH}/unread")).json()["count"]
    return count


async def raised(firm: Firm, kind: Any = "sos", cause: str = "1", subject: UUID = SUBJECT) -> None:
    async with firm.house.database.transaction() as db:
        given = AlertCause(kind=kind, subject="driver_x", subject_uuid=subject, id=cause)
        await service.raise_alert(db, firm.uuid, given)


async def ended(firm: Firm, kind: Any = "sos", subject: UUID = SUBJECT) -> None:
    async with firm.house.database.transaction() as db:
        await service.close_alerts(db, firm.uuid, kind, [subject])


async def test_a_failed_delivery_alerts_until_somebody_decides(shop: Shop) -> None:
    order = await shop.started()
    await fail(shop, order, reason="wrong_address")
    [alert] = await alerts(shop.firm.admin, "?open=true")
    assert (alert["kind"], alert["subject"]) == ("delivery_failed", order["id"])
    assert (alert["details"]["then"], alert["occurrences"]) == ("hold", 1)
    assert await unread(shop.firm.admin) == 1
    await shop.act(order, "resume-attempt", then="retry")
    assert await alerts(shop.firm.admin, "?open=true") == []
    [closed] = await alerts(shop.firm.admin, f"?subject={order['id']}&open=false")
    assert (closed["id"], closed["closed_at"] is None) == (alert["id"], False)
    await fail(shop, order)
    [again] = await alerts(shop.firm.admin, "?open=true")
    assert again["id"] != alert["id"]
    await shop.fire(order, "enroute")
    await shop.fire(order, "completed")
    assert await alerts(shop.firm.admin, "?open=true") == []


async def test_a_canceled_order_has_no_open_alert(shop: Shop) -> None:
    order = await shop.started()
    await fail(shop, order)
    await shop.act(order, "cancel")
    assert await alerts(shop.firm.admin, "?open=true") == []


async def test_a_second_failure_is_unread_again(shop: Shop) -> None:
    order = await shop.started()
    await fail(shop, order)
    await shop.firm.admin.post(f"{PATH}/read", json={})
    assert await unread(shop.firm.admin) == 0
    await shop.fire(order, "enroute")
    await fail(shop, order)
    [alert] = await alerts(shop.firm.admin, "?unread=true")
    assert (alert["occurrences"], alert["details"]["number"]) == (2, 2)


async def test_the_same_cause_sent_twice_counts_once(shop: Shop) -> None:
    order = await shop.started()
    for _ in range(2):
        answer = await shop.firm.api.post(
            f"/v1/orders/{order['id']}/fail-attempt",
            json={"reason": "nobody_home"},
            headers={"Idempotency-Key": "once"},
        )
        assert answer.status_code == 200
    [alert] = await alerts(shop.firm.admin)
    assert alert["occurrences"] == 1
    for _ in range(2):
        await raised(shop.firm, cause="the same")
    [alert] = await alerts(shop.firm.admin, "?kind=sos")
    assert alert["occurrences"] == 1


async def test_two_causes_at_once_make_one_alert(acme: Firm) -> None:
    await asyncio.gather(*(raised(acme, cause=str(number % 2)) for number in range(8)))
    [alert] = await alerts(acme.admin)
    assert alert["occurrences"] >= 2
    await asyncio.gather(*(raised(acme, "device_silent", "") for _ in range(8)))
    [alert] = await alerts(acme.admin, "?kind=device_silent")
    assert alert["occurrences"] == 1


async def test_a_state_that_flaps_continues_its_alert_and_stays_read(
    acme: Firm, house: House
) -> None:
    await raised(acme, "device_silent", "")
    await acme.admin.post(f"{PATH}/read", json={})
    for _ in range(3):
        await ended(acme, "device_silent")
        house.clock.advance(minutes=14)
        await raised(acme, "device_silent", "")
    [alert] = await alerts(acme.admin)
    assert (alert["occurrences"], alert["closed_at"]) == (4, None)
    assert await unread(acme.admin) == 0
    await ended(acme, "device_silent")
    house.clock.advance(minutes=16)
    await raised(acme, "device_silent", "")
    assert await unread(acme.admin) == 1
    assert len(await alerts(acme.admin)) == 2


async def test_an_sos_never_continues_an_older_one(acme: Firm) -> None:
    await raised(acme)
    await ended(acme)
    await raised(acme, cause="2")
    assert len(await alerts(acme.admin)) == 2


async def test_an_sos_during_the_acknowledgement_of_the_last_one_is_unread(
    acme: Firm, house: House
) -> None:
    await raised(acme)
    [alert] = await alerts(acme.admin)
    async with house.database.transaction() as db:
        assert db.now == house.clock.now()
        house.clock.advance(seconds=1)
        await acme.admin.post(f"{PATH}/{alert['id']}/acknowledge")
        again = AlertCause(kind="sos", subject="driver_x", subject_uuid=SUBJECT, id="2")
        await service.raise_alert(db, acme.uuid, again)
    assert await unread(acme.admin) == 1


async def test_operators_read_alone_and_acknowledge_for_all(acme: Firm) -> None:
    await raised(acme)
    dispatcher, viewer = await acme.operator("dispatcher"), await acme.operator("viewer")
    [alert] = await alerts(viewer)
    one = f"{PATH}/{alert['id']}"
    assert (await viewer.post(f"{one}/read")).status_code == 200
    assert (await viewer.post(f"{one}/read")).status_code == 200
    assert (await unread(viewer), await unread(dispatcher)) == (0, 1)
    assert (await alerts(viewer, "?unread=false"))[0]["id"] == alert["id"]
    refused(await viewer.post(f"{one}/acknowledge"), 403, "forbidden")
    done = (await dispatcher.post(f"{one}/acknowledge")).json()
    assert (done["acknowledged_by"], done["closed_at"] is None) == ("Dispatcher", False)
    again = (await acme.admin.post(f"{one}/acknowledge")).json()
    assert again["acknowledged_by"] == "Dispatcher"
    assert (await unread(dispatcher), await unread(acme.admin)) == (0, 0)
    audit = (await acme.admin.get("/int/v1/audit")).json()["data"]
    assert "alert.acknowledged" in [entry["action"] for entry in audit]


async def test_an_acknowledged_failure_stays_open_until_it_ends(shop: Shop) -> None:
    order = await shop.started()
    await fail(shop, order, reason="wrong_address")
    [alert] = await alerts(shop.firm.admin)
    done = (await shop.firm.admin.post(f"{PATH}/{alert['id']}/acknowledge")).json()
    assert done["closed_at"] is None
    assert await unread(shop.firm.admin) == 0
    await shop.act(order, "resume-attempt", then="return")
    assert (await alerts(shop.firm.admin))[0]["closed_at"] is not None


async def test_alerts_belong_to_one_company(acme: Firm, rival: Firm) -> None:
    await raised(acme)
    [alert] = await alerts(acme.admin)
    assert await alerts(rival.admin) == []
    assert await unread(rival.admin) == 0
    refused(await rival.admin.get(f"{PATH}/{alert['id']}"), 404, "not_found")
    for action in ("read", "acknowledge"):
        refused(await rival.admin.post(f"{PATH}/{alert['id']}/{action}"), 404, "not_found")
    await rival.admin.post(f"{PATH}/read", json={})
    await raised(rival)
    assert await unread(acme.admin) == 1


async def test_kinds_that_an_operator_leaves_out_are_not_counted(acme: Firm) -> None:
    await raised(acme)
    rules = (await acme.admin.get("/int/v1/me/alert-rules")).json()
    assert rules["sos"] == {"list": True, "desktop": False, "sound": False}
    off = {"list": False}
    changed = await acme.admin.patch("/int/v1/me/alert-rules", json={"sos": off})
    assert changed.json() == rules | {"sos": rules["sos"] | off}
    assert await unread(acme.admin) == 0
    assert await alerts(acme.admin, "?unread=true") == []
    assert len(await alerts(acme.admin)) == 1
    assert await unread(await acme.operator("viewer")) == 1
    for body in ({"fire": off}, {"sos": {"list": "loud"}}):
        answer = await acme.admin.patch("/int/v1/me/alert-rules", json=body)
        assert answer.status_code == 422


async def test_more_than_a_page_of_unread_alerts_is_counted_to_a_limit(acme: Firm) -> None:
    for number in range(101):
        await raised(acme, subject=UUID(int=number + 1))
    answer = (await acme.admin.get(f"{PATH}/unread")).json()
    assert answer == {"count": 99, "more": True, "announced": False}
    read = (await acme.admin.post(f"{PATH}/read", json={})).json()
    assert read == {"count": 0, "more": False, "announced": False}


async def test_a_call_for_help_counts_below_a_thousand_alerts_of_other_kinds(acme: Firm) -> None:
    await raised(acme)
    async with acme.house.database.transaction() as db:
        await db.execute(
            """insert into alerts (uuid, public_id, company, kind, subject, subject_uuid, cause,
                                   occurrences, details, raised_at, created_at, updated_at)
               select gen_random_uuid(), 'alert_' || n, a.company, 'device_silent', 'device_' || n,
                   gen_random_uuid(), '', 1, '{}', a.raised_at + interval '1 second',
                   a.raised_at, a.raised_at
               from alerts a, generate_series(1, 1500) n"""
        )
    assert await unread(acme.admin) == 99
    silent = {"device_silent": {"list": False}}
    await acme.admin.patch("/int/v1/me/alert-rules", json=silent)
    assert await unread(acme.admin) == 1
    await acme.admin.patch("/int/v1/me/alert-rules", json={"device_silent": {"list": True}})
    acme.house.clock.advance(seconds=2)
    await acme.admin.post(f"{PATH}/read", json={})
    assert await alerts(acme.admin, "?unread=true") == []


async def test_old_alerts_are_deleted_with_what_was_read(acme: Firm, house: House) -> None:
    await raised(acme)
    await acme.admin.post(f"{PATH}/read", json={})
    keep = timedelta(days=30)
    assert not await ALERTS.delete_batch(house.database, keep)
    house.clock.advance(days=31)
    assert await ALERTS.delete_batch(house.database, keep)
    assert await alerts(acme.admin) == []
    assert await house.value("select count(*) from alert_reads") == 0


async def test_what_came_after_the_page_was_opened_stays_unread(acme: Firm, house: House) -> None:
    await raised(acme)
    seen_at = house.clock.now().isoformat()
    house.clock.advance(seconds=1)
    await raised(acme, subject=UUID(int=8))
    await acme.admin.post(f"{PATH}/read", json={"until": seen_at})
    assert await unread(acme.admin) == 1


async def test_each_call_for_help_counts_and_acknowledging_ends_it(shop: Shop) -> None:
    driver = await shop.driver()
    for _ in range(2):
        answer = await shop.firm.api.post(
            f"/v1/drivers/{driver['id']}/sos",
            json={"occurred_at": "2026-01-15T11:00:00Z"},
            headers={"Idempotency-Key": "sos-1"},
        )
        assert answer.status_code == 200
    [alert] = await alerts(shop.firm.admin)
    assert (alert["kind"], alert["subject"], alert["occurrences"]) == ("sos", driver["id"], 1)
    assert alert["details"]["occurred_at"] == "2026-01-15T11:00:00.000Z"
    await shop.firm.api.post(f"/v1/drivers/{driver['id']}/sos", json={})
    assert (await alerts(shop.firm.admin))[0]["occurrences"] == 2
    await shop.firm.admin.post(f"{PATH}/{alert['id']}/acknowledge")
    assert await alerts(shop.firm.admin, "?open=true") == []
    await shop.firm.api.post(f"/v1/drivers/{driver['id']}/sos", json={})
    assert await unread(shop.firm.admin) == 1


async def test_a_silent_device_alerts_until_it_reports_again(acme: Firm, house: House) -> None:
    gear = await device(acme)
    for one in (gear, await device(acme, kind="phone")):
        await flush(house, Submission(one.own, [position(1)]))
    house.clock.advance(seconds=1800)
    await status_events.step(house.database)
    [alert] = await alerts(acme.admin, "?open=true")
    assert (alert["kind"], alert["subject"]) == ("device_silent", gear.public_id)
    await flush(house, Submission(gear.own, [position(2, house.clock.now())]))
    while await status_events.step(house.database):
        pass
    assert await alerts(acme.admin, "?open=true") == []
    house.clock.advance(seconds=1800)
    await status_events.step(house.database)
    assert len(await alerts(acme.admin, "?open=true")) == 1
    assert (await acme.admin.delete(f"/int/v1/devices/{gear.public_id}")).status_code == 200
    assert await alerts(acme.admin, "?open=true") == []


async def test_a_devices_alarm_calls_for_help_once_however_often_it_is_sent(
    acme: Firm, house: House
) -> None:
    gear, now = await device(acme), house.clock.now()
    alarm = position(1, now, data={"alarm": "sos"})
    old = position(2, now - timedelta(days=2), data={"alarm": "sos"})
    for reading in (alarm, alarm, old, position(3, now, data={"alarm": "powerCut"})):
        await flush(house, Submission(gear.own, [reading]))
    [alert] = await alerts(acme.admin)
    assert (alert["kind"], alert["subject"], alert["occurrences"]) == ("sos", gear.public_id, 1)
    later = position(4, now + timedelta(seconds=5), data={"alarm": "sos"})
    await flush(house, Submission(gear.own, [later]))
    assert (await alerts(acme.admin))[0]["occurrences"] == 2


async def test_an_operator_chooses_how_to_hear_of_each_kind(acme: Firm) -> None:
    rules = "/int/v1/me/alert-rules"
    await acme.admin.patch(rules, json={"late": {"desktop": True}})
    changed = (await acme.admin.patch(rules, json={"late": {"sound": True}})).json()
    assert changed["late"] == {"list": True, "desktop": True, "sound": True}
    assert (await acme.admin.get(f"{PATH}/unread")).json()["announced"]
    other = await acme.operator("viewer")
    assert not (await other.get(f"{PATH}/unread")).json()["announced"]
    await acme.admin.patch(rules, json={"late": {"list": False}})
    assert not (await acme.admin.get(f"{PATH}/unread")).json()["announced"]
