"""A driver's day: the stops of all orders in sequence, with ETAs, and who will be late."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.test_plans import FEW, passed_over, plans, taken
from orders.shop import CHANGI, MANDAI, RAFFLES, Phone, Shop
from orders.test_board import board, ids
from orders.test_plans import DELIVERED, HISTORY
from pannier.events import relay
from pannier.kit.clock import ManualClock
from pannier.orders.driver_days import refresh
from pannier.orders.driver_days.sequence import arrange_stops
from pannier.orders.driver_days.stops import (
    RISK_MARGIN,
    DayStop,
    StopEta,
    compute_etas,
    find_worst_eta,
    list_orders_by_state,
)
from pannier.routing.configuration import create_router
from pannier.routing.route import RouteLeg
from pannier.subscribers import SUBSCRIBERS
from pannier.web.times import to_rfc3339
from stage import NOON, Firm, House

AT_RAFFLES = {"latitude": 1.284, "longitude": 103.851}


async def refreshed(house: House) -> int:
    """Let the worker relay events and refresh the ETAs that are due; count its steps."""
    while await relay.Relay(house.database, SUBSCRIBERS).step():
        pass
    refresher, steps = (
        refresh.EtaRefresher(house.database, create_router(house.settings, house.clock)),
        0,
    )
    while await refresher.step():
        steps += 1
    return steps


async def out(shop: Shop, driver: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Place an order that is dispatched to a driver."""
    return await shop.order(driver=driver["id"], dispatch=True, **more)


async def carried(shop: Shop, driver: dict[str, Any], to: Any, **more: Any) -> dict[str, Any]:
    """Place an order whose goods the driver has."""
    order = await out(
        shop, driver, type=await shop.plain_type(), pickup=RAFFLES, dropoff=to, **more
    )
    return await shop.act(order, "start")


async def seen(shop: Shop, driver: dict[str, Any]) -> None:
    await shop.post(f"drivers/{driver['id']}/track", **AT_RAFFLES)


async def day(shop: Shop, driver: dict[str, Any]) -> list[dict[str, Any]]:
    stops: list[dict[str, Any]] = (await shop.get(f"drivers/{driver['id']}/stops"))["stops"]
    return stops


async def tracked(shop: Shop, order: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = await shop.get(f"orders/{order['id']}/tracker")
    return found


async def plan(
    house: House, visits: list[tuple[dict[str, Any], str | None]], begin: datetime
) -> None:
    """Store the sequence of an accepted plan: orders and their waypoints."""
    async with house.database.transaction() as db:
        for position, (order, stop) in enumerate(visits):
            await db.execute(
                """insert into planned_stops (uuid, company, plan, day, driver, order_uuid,
                       waypoint, type, position, arrives_at, begins_at, leaves_at, created_at)
                   select gen_random_uuid(), company, gen_random_uuid(), :day, driver, uuid,
                       :waypoint::uuid, 'dropoff', :position, :at, :at, :at, :at
                   from orders where uuid = :order""",
                day=begin.date(),
                waypoint=stop and UUID(stop),
                order=UUID(order["uuid"]),
                position=position,
                at=begin + timedelta(minutes=10 * position),
            )


def in_minutes(minutes: float) -> str:
    text = to_rfc3339(NOON + timedelta(minutes=minutes))
    assert text is not None
    return text


async def test_the_eta_of_an_order_counts_the_stops_for_other_orders_before_it(
    shop: Shop, house: House
) -> None:
    ada = await shop.driver()
    visit = {"place": CHANGI, "service_time": 600}
    far = await out(shop, ada, waypoints=[RAFFLES, visit], time_window_end=in_minutes(60))
    near = await carried(shop, ada, RAFFLES, time_window_end=in_minutes(90))
    await seen(shop, ada)
    first, second = (await tracked(shop, far))["eta"], await tracked(shop, near)
    assert in_minutes(10) < first < in_minutes(60)
    back = datetime.fromisoformat(first) - NOON
    expected = NOON + 2 * back + timedelta(minutes=10)
    assert abs(datetime.fromisoformat(second["eta"]) - expected) <= timedelta(seconds=2)
    await refreshed(house)
    shown = await day(shop, ada)
    assert [stop["order"] for stop in shown] == [far["id"], far["id"], near["id"]]
    assert [stop["eta"] for stop in shown[1:]] == [first, second["eta"]]


async def test_nobody_begins_before_the_time_window_opens(shop: Shop) -> None:
    ada = await shop.driver()
    order = await out(
        shop, ada, waypoints=[{"place": RAFFLES, "time_window_start": in_minutes(60)}, MANDAI]
    )
    await seen(shop, ada)
    first, second = (await tracked(shop, order))["stops"]
    assert first["eta"] == in_minutes(60)
    assert second["eta"] > in_minutes(75)
    await shop.act(order, "start")
    await shop.fire(order, "enroute")
    begun = (await tracked(shop, order))["stops"][0]
    assert begun["eta"] == in_minutes(0), "the driver is there already"


async def test_a_late_order_is_told_before_it_is_late(
    shop: Shop, acme: Firm, house: House, clock: ManualClock
) -> None:
    ada = await shop.driver()
    late = await carried(shop, ada, CHANGI, time_window_end=in_minutes(5))
    tight = await carried(shop, ada, CHANGI, time_window_end=in_minutes(35))
    calm = await carried(shop, ada, CHANGI, time_window_end=in_minutes(300))
    await seen(shop, ada)
    await refreshed(house)
    cards = {card["order"]["id"]: card for card in (await board(acme))["in_progress"]["cards"]}
    forecasts = {order: card["forecast"] for order, card in cards.items()}
    assert forecasts[late["id"]]["state"] == "late"
    assert forecasts[late["id"]]["late_seconds"] > 300
    assert not cards[late["id"]]["late"], "its time window has not ended yet"
    assert forecasts[tight["id"]]["state"] == "at_risk"
    assert forecasts[tight["id"]]["late_seconds"] == 0
    assert forecasts[calm["id"]]["state"] == "on_time"
    assert (await tracked(shop, late))["forecast"] == forecasts[late["id"]]
    assert [row["id"] for row in await shop.get("orders?forecast=late")] == [late["id"]]
    both = await shop.get("orders?forecast=late&forecast=at_risk&sort=created_at")
    assert [row["id"] for row in both] == [late["id"], tight["id"]]
    assert ids((await board(acme, "forecast=at_risk"))["in_progress"]) == [tight["id"]]
    counts = (await acme.admin.get("/int/v1/orders/forecasts")).json()
    assert counts == {"late": 1, "at_risk": 1}
    clock.advance(minutes=11)
    assert (await acme.admin.get("/int/v1/orders/forecasts")).json() == {"late": 0, "at_risk": 0}
    assert {stop["eta"] for stop in await day(shop, ada)} == {None}
    assert (await tracked(shop, late))["eta"] is None
    assert (await tracked(shop, late))["position"] is not None


async def test_an_order_with_another_driver_loses_its_forecast_at_once(
    shop: Shop, acme: Firm, house: House, clock: ManualClock
) -> None:
    ada, bob = await shop.driver(), await shop.driver()
    order = await carried(shop, ada, CHANGI, time_window_end=in_minutes(5))
    await seen(shop, ada)
    await refreshed(house)
    assert (await shop.get("orders?forecast=late"))[0]["id"] == order["id"]
    await shop.act(order, "assign-driver", driver=bob["id"])
    assert await shop.get("orders?forecast=late") == []
    [card] = (await board(acme))["in_progress"]["cards"]
    assert card["forecast"] is None
    assert [stop["eta"] for stop in await day(shop, bob)] == [None]
    assert await day(shop, ada) == []
    clock.advance(minutes=1)
    await refreshed(house)
    assert await house.value("select count(*) from driver_etas") == 0


async def test_an_order_that_moves_on_while_etas_are_computed_shows_none_of_them(
    shop: Shop, house: House
) -> None:
    ada, bob = await shop.driver(), await shop.driver()
    order = await carried(shop, ada, CHANGI, time_window_end=in_minutes(5))
    await seen(shop, ada)

    class Slow:
        """A router during whose work the order gets another driver."""

        async def measure(self, *given: Any) -> Any:
            await shop.act(order, "assign-driver", driver=bob["id"])
            return await create_router(house.settings, house.clock).measure(*given)

    while await relay.Relay(house.database, SUBSCRIBERS).step():
        pass
    assert await refresh.EtaRefresher(house.database, Slow()).step()  # type: ignore[arg-type]  # it only measures
    assert await shop.get("orders?forecast=late") == []
    assert [stop["eta"] for stop in await day(shop, bob)] == [None]


async def test_a_worker_that_lost_its_lease_saves_nothing(
    shop: Shop, house: House, clock: ManualClock
) -> None:
    ada = await shop.driver()
    await carried(shop, ada, CHANGI, time_window_end=in_minutes(5))
    await seen(shop, ada)

    class Asleep:
        """A router that takes so long that another worker takes over."""

        async def measure(self, *_: Any) -> None:
            clock.advance(minutes=2)
            await seen(shop, ada)
            assert await refreshed(house) == 1

    while await relay.Relay(house.database, SUBSCRIBERS).step():
        pass
    await refresh.EtaRefresher(house.database, Asleep()).step()  # type: ignore[arg-type]  # it only measures
    saved = await house.value("select computed_at from driver_etas")
    assert saved == NOON + timedelta(minutes=2)


async def test_etas_are_refreshed_while_the_driver_reports_and_after_changes(
    shop: Shop, house: House, clock: ManualClock
) -> None:
    ada = await shop.driver()
    order = await carried(shop, ada, CHANGI)
    assert await refreshed(house) == 1, "without a position there is nothing to compute"
    assert await house.value("select count(*) from driver_etas") == 0
    clock.advance(minutes=1)
    assert await refreshed(house) == 0, "it sleeps"
    await seen(shop, ada)
    assert await refreshed(house) == 1, "a report wakes it"
    assert await refreshed(house) == 0
    clock.advance(seconds=30)
    assert await refreshed(house) == 1
    second = await carried(shop, ada, MANDAI)
    clock.advance(seconds=6)
    assert await refreshed(house) == 0
    clock.advance(seconds=6)
    assert await refreshed(house) == 1
    for each in (order, second):
        await shop.act(each, "cancel")
        clock.advance(minutes=1)
        await refreshed(house)
    assert await house.value("select count(*) from driver_etas") == 0
    assert await house.value("select count(*) from eta_runs") == 0


async def test_drivers_who_were_missed_are_discovered(shop: Shop, house: House) -> None:
    order = await shop.ready()
    await shop.act(order, "dispatch")
    assert await refresh.add_missing_runs(house.database)
    assert not await refresh.add_missing_runs(house.database)
    assert await house.value("select count(*) from eta_runs") == 1


async def test_a_signed_in_driver_sees_only_their_own_stops(
    shop: Shop, market: Shop, phone: Phone
) -> None:
    ada, bob = await shop.driver(), await shop.driver()
    own = await shop.order(driver=ada["id"])
    await out(shop, bob)
    client = await phone(ada)
    shown = (await client.get("/v1/drivers/me/stops")).json()
    assert [(stop["order"], stop["type"], stop["dispatched"]) for stop in shown["stops"]] == [
        (own["id"], "pickup", False),
        (own["id"], "dropoff", False),
    ]
    assert (await client.get(f"/v1/drivers/{bob['id']}/stops")).status_code == 404
    stranger = await market.firm.api.get(f"/v1/drivers/{ada['id']}/stops")
    assert stranger.status_code == 404
    counts = (await market.firm.admin.get("/int/v1/orders/forecasts")).json()
    assert counts == {"late": 0, "at_risk": 0}


async def test_drivers_list_what_they_did_today(
    shop: Shop, market: Shop, phone: Phone, clock: ManualClock
) -> None:
    ada, bob = await shop.driver(), await shop.driver()
    client, other = await phone(ada), await phone(bob)
    order = await out(shop, ada, internal_id="ORD-7")
    started = await client.post(f"/v1/orders/{order['id']}/start")
    assert started.is_success, started.text
    [done] = (await client.get("/v1/drivers/me/history")).json()
    assert (done["order"], done["internal_id"], done["code"]) == (order["id"], "ORD-7", "started")
    assert done["tracking"] == order["tracking_number"]["tracking_number"]
    assert (await other.get("/v1/drivers/me/history")).json() == []
    assert (await other.get(f"/v1/drivers/{ada['id']}/history")).status_code == 404
    stranger = await market.firm.api.get(f"/v1/drivers/{ada['id']}/history")
    assert stranger.status_code == 404
    clock.advance(hours=24)
    assert (await client.get("/v1/drivers/me/history")).json() == []


async def test_companies_take_turns(shop: Shop, market: Shop, house: House) -> None:
    for each in (shop, market):
        driver = await each.driver()
        await carried(each, driver, CHANGI)
        await seen(each, driver)
    assert await refreshed(house) == 2
    rows = await house.value("select count(distinct company) from driver_etas")
    assert rows == 2


async def test_an_accepted_plan_gives_the_sequence(shop: Shop, house: House) -> None:
    ada = await shop.driver()
    first = await out(shop, ada, waypoints=[RAFFLES, CHANGI], time_window_end=in_minutes(10))
    second = await carried(shop, ada, MANDAI, time_window_end=in_minutes(20))
    later = await carried(shop, ada, MANDAI, scheduled_at=in_minutes(300))
    raffles, changi = (stop["uuid"] for stop in first["payload"]["waypoints"])
    planned = [(first, raffles), (second, None), (first, changi)]
    await plan(house, planned, NOON)
    shown = await day(shop, ada)
    assert [stop["order"] for stop in shown] == [
        first["id"], second["id"], first["id"], later["id"],
    ]  # fmt: skip
    assert [stop["planned_at"] is not None for stop in shown] == [True, True, True, False]


async def test_an_order_that_is_moved_to_a_later_time_loses_its_place_in_the_plan(
    shop: Shop, house: House
) -> None:
    ada = await shop.driver()
    first, second = [await carried(shop, ada, place) for place in (CHANGI, MANDAI)]
    await plan(house, [(first, None), (second, None)], NOON)
    window = {"time_window_start": in_minutes(600), "time_window_end": in_minutes(660)}
    await shop.patch(f"orders/{first['id']}", **window)
    shown = await day(shop, ada)
    assert [(stop["order"], stop["planned_at"] is not None) for stop in shown] == [
        (second["id"], True), (first["id"], False),
    ]  # fmt: skip


async def test_a_driver_with_two_hundred_stops_gets_etas_for_all(
    shop: Shop, house: House, clock: ManualClock
) -> None:
    ada = await shop.driver()
    await out(shop, ada, waypoints=[RAFFLES, CHANGI] * 50)
    clock.advance(seconds=1)
    last = await out(shop, ada, waypoints=[RAFFLES, CHANGI] * 50)
    await seen(shop, ada)
    assert (await tracked(shop, last))["eta"] is None, "a request does not measure so much"
    await refreshed(house)
    etas = [stop["eta"] for stop in await day(shop, ada)]
    assert len(etas) == 200
    assert None not in etas
    assert etas == sorted(etas)
    shown = await tracked(shop, last)
    assert [stop["eta"] for stop in shown["stops"]] == etas[100:]
    assert shown["eta"] == etas[-1]


# The rules, for any day.

MOMENTS = st.integers(-300, 600).map(lambda minutes: NOON + timedelta(minutes=minutes))
NAMESPACE = UUID(int=7)


@st.composite
def days(draw: st.DrawFn) -> list[DayStop]:
    stops: list[DayStop] = []
    for order in range(draw(st.integers(1, 5))):
        begins = draw(st.booleans())
        for position in range(draw(st.integers(1, 4))):
            planned_at, opens, closes = (draw(st.none() | MOMENTS) for _ in range(3))
            stops.append(
                DayStop(
                    driver=NAMESPACE,
                    order_uuid=uuid5(NAMESPACE, str(order)),
                    order_id=f"order_{order}",
                    created_at=NOON,
                    scheduled_at=None,
                    is_dispatched=True,
                    waypoint=uuid5(NAMESPACE, f"{order}/{position}"),
                    waypoint_id=f"waypoint_{order}_{position}",
                    type="dropoff",
                    position=position,
                    is_current=position == 0,
                    has_begun=begins and position == 0,
                    opens=opens,
                    closes=closes,
                    service_time=draw(st.integers(0, 3600)),
                    latitude=1.0,
                    longitude=103.0,
                    profile="car",
                    planned_at=planned_at,
                )
            )
    return draw(st.permutations(stops))


@given(days())
def test_the_sequence_has_each_stop_once_and_begins_with_those_begun(stops: list[DayStop]) -> None:
    arranged = arrange_stops(stops)
    assert sorted(stop.key for stop in arranged) == sorted(stop.key for stop in stops)
    begun = [stop.has_begun for stop in arranged]
    assert begun == sorted(begun, reverse=True)
    for order in {stop.order_uuid for stop in stops}:
        own = [stop for stop in arranged if stop.order_uuid == order]
        assert own[0].is_current
        unplanned = [stop.position for stop in own[1:] if stop.planned_at is None]
        assert unplanned == sorted(unplanned)


@given(days())
def test_a_plan_is_followed_where_nothing_else_has_happened(stops: list[DayStop]) -> None:
    plain = [stop for stop in stops if stop.planned_at is not None and stop.position > 0]
    for stop in plain:
        stop.position, stop.is_current, stop.has_begun = 0, False, False
    times = [stop.planned_at for stop in arrange_stops(plain)]
    assert times == sorted(times, key=lambda moment: moment or NOON)


@given(days(), st.lists(st.floats(0, 7200), max_size=20))
def test_etas_never_decrease_and_late_is_only_after_the_window(
    stops: list[DayStop], seconds: list[float]
) -> None:
    arranged = arrange_stops(stops)
    etas = compute_etas(NOON, arranged, [RouteLeg(0, second) for second in seconds])
    assert len(etas) == min(len(stops), len(seconds))
    moments = [eta.eta for eta in etas]
    assert moments == sorted(moments)
    for stop, eta in zip(arranged, etas, strict=False):
        assert eta.key == stop.key
        assert stop.has_begun or stop.opens is None or eta.eta >= stop.opens
        is_late = stop.closes is not None and eta.eta > stop.closes
        assert (eta.state == "late") == is_late
        if eta.state == "at_risk":
            assert stop.closes is not None
            assert stop.closes - RISK_MARGIN < eta.eta <= stop.closes
    late, at_risk = list_orders_by_state(etas, "late"), list_orders_by_state(etas, "at_risk")
    assert not set(late) & set(at_risk)
    assert set(late) == {eta.order for eta in etas if eta.state == "late"}
    worst = find_worst_eta(etas)
    assert (worst is None) == all(eta.closes is None for eta in etas)
    assert worst is None or worst.state != "on_time" or not late


def test_an_eta_at_the_end_of_the_window_is_not_late() -> None:
    eta = StopEta(order=NAMESPACE, waypoint=None, type="dropoff", eta=NOON, closes=NOON)
    assert (eta.state, eta.late_seconds) == ("at_risk", 0)


@pytest.mark.slow
async def test_what_drivers_have_delivered_costs_their_etas_nothing(
    shop: Shop, house: House, acme: Firm, clock: ManualClock
) -> None:
    ada = await shop.driver()
    order = await carried(shop, ada, CHANGI, time_window_end=in_minutes(5))
    await seen(shop, ada)
    async with house.database.transaction() as db:
        await db.execute(DELIVERED, many=HISTORY)
    await house.value("analyze")
    await refreshed(house)
    clock.advance(minutes=1)

    async def work() -> None:
        assert await refreshed(house) == 1

    statements = await taken(house, work, "select", "with")
    statements += await plans(house, acme, "/v1/orders?forecast=late")
    assert len(statements) > 5
    for sql, plan in statements:
        assert passed_over(plan) < FEW, f"{sql}\n{plan}"
    assert (await shop.get("orders?forecast=late"))[0]["id"] == order["id"]
