"""What a driver has to do today, in one call."""

from datetime import timedelta

import httpx
import pytest

from db.test_plans import FEW, passed_over, plans
from orders.shop import CHANGI, MANDAI, Phone, Shop
from orders.test_plans import DELIVERED, HISTORY
from pannier.kit.clock import ManualClock
from pannier.web.times import to_rfc3339
from stage import Firm, House


async def today(client: httpx.AsyncClient, *, wanted: str = "true") -> set[str]:
    answer = await client.get(f"/v1/orders?today={wanted}&limit=100")
    assert answer.status_code == 200, answer.text
    return {order["id"] for order in answer.json()}


@pytest.mark.slow
async def test_a_driver_sees_what_is_left_for_today(
    shop: Shop, phone: Phone, clock: ManualClock, acme: Firm
) -> None:
    set_up = await acme.admin.patch("/int/v1/settings", json={"time_zone": "Asia/Singapore"})
    assert set_up.status_code == 200, set_up.text
    ada = await shop.driver()
    tonight, tomorrow = clock.now().replace(hour=15), clock.now().replace(hour=16)
    own = {"driver": ada["id"]}
    due = [
        await shop.order(**own),
        await shop.order(**own, scheduled_at=to_rfc3339(tonight)),
        await shop.order(**own, time_window_start=to_rfc3339(tonight)),
    ]
    begun = await shop.order(**own, time_window_start=to_rfc3339(tomorrow))
    await shop.act(begun, "start", skip_dispatch=True)
    later = [
        await shop.order(**own, scheduled_at=to_rfc3339(tomorrow)),
        await shop.order(**own, time_window_start=to_rfc3339(tomorrow)),
    ]
    done, off = await shop.order(**own), await shop.order(**own)
    await shop.act(done, "start", skip_dispatch=True)
    await shop.fire(done, "enroute")
    await shop.act(done, "complete")
    await shop.act(off, "cancel")
    await shop.ready()
    client = await phone(ada)
    wanted = {order["id"] for order in (*due, begun)}
    assert await today(client) == wanted
    assert await today(client, wanted="false") == {each["id"] for each in (*later, done, off)}
    clock.advance(days=1)
    assert await today(client) == wanted | {order["id"] for order in later}


async def test_a_stop_tells_whom_to_call_when_and_what_to_hand_over(
    shop: Shop, phone: Phone, clock: ManualClock
) -> None:
    ada = await shop.driver()
    grace = await shop.post("contacts", name="Grace", phone="+6591239999", email="g@example.com")
    until = to_rfc3339(clock.now() + timedelta(hours=2))
    stops = [
        {"place": MANDAI, "contact": grace["id"], "time_window_end": until, "notes": "Ring."},
        {"place": CHANGI},
    ]
    items = [{"name": "Lamp", "destination": 0, "sku": "L-1"}]
    await shop.order(driver=ada["id"], waypoints=stops, entities=items, dispatch=True)
    [order] = (await (await phone(ada)).get("/v1/orders?today=true")).json()
    first, second = order["payload"]["waypoints"]
    assert first["recipient"] == {"name": "Grace", "phone": "+6591239999"}
    assert (first["time_window_end"], first["notes"]) == (until, "Ring.")
    assert first["location"]["coordinates"] == [MANDAI["longitude"], MANDAI["latitude"]]
    assert second["recipient"] is None
    [lamp] = order["payload"]["entities"]
    assert (lamp["destination"], lamp["sku"]) == (first["id"], "L-1")


@pytest.mark.slow
async def test_what_a_driver_has_delivered_costs_today_nothing(
    shop: Shop, acme: Firm, house: House
) -> None:
    ada = await shop.driver()
    await shop.order(driver=ada["id"])
    async with house.database.transaction() as db:
        await db.execute(DELIVERED, many=HISTORY)
    await house.value("analyze")
    for sql, plan in await plans(house, acme, f"/v1/orders?driver={ada['id']}&today=true"):
        assert passed_over(plan) < FEW, f"{sql}\n{plan}"
