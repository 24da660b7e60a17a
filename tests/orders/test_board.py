"""The board: each order in one column, counted as far as anybody wants to know."""

from datetime import timedelta
from typing import Any

import pytest

from db.test_plans import explained, passed_over
from orders.shop import Shop
from pannier.kit.clock import ManualClock
from pannier.orders.board import queries
from pannier.web.times import to_rfc3339
from stage import NOON, Firm, House


async def board(firm: Firm, query: str = "") -> dict[str, dict[str, Any]]:
    answer = await firm.admin.get(f"/int/v1/orders/board?{query}")
    assert answer.status_code == 200, answer.text
    return {column["stage"]: column for column in answer.json()["columns"]}


def ids(column: dict[str, Any]) -> list[str]:
    return [card["order"]["id"] for card in column["cards"]]


async def placed(shop: Shop) -> dict[str, str]:
    """Have an order in each column."""
    driver = (await shop.driver())["id"]
    made = {
        "unassigned": await shop.order(),
        "assigned": await shop.order(driver=driver),
        "dispatched": await shop.order(driver=driver, dispatch=True),
        "in_progress": await shop.order(driver=driver, dispatch=True),
        "attention": await shop.order(time_window_end=to_rfc3339(NOON - timedelta(minutes=1))),
        "completed": await shop.order(driver=driver, dispatch=True),
    }
    for stage in ("in_progress", "completed"):
        await shop.act(made[stage], "start")
    await shop.fire(made["completed"], "enroute")
    await shop.act(made["completed"], "complete")
    return {stage: order["id"] for stage, order in made.items()}


async def test_each_order_stands_in_one_column(acme: Firm, shop: Shop) -> None:
    made = await placed(shop)
    canceled = await shop.order()
    await shop.act(canceled, "cancel")
    shown = await board(acme)
    assert {stage: ids(column) for stage, column in shown.items()} == {
        stage: [order] for stage, order in made.items()
    }
    assert {(column["count"], column["more"]) for column in shown.values()} == {(1, False)}
    assert shown["attention"]["cards"][0]["late"] is True
    assert shown["in_progress"]["cards"][0]["progress"] == 50
    assert shown["completed"]["cards"][0]["progress"] == 100


async def test_what_has_an_issue_needs_attention_until_it_is_resolved(
    acme: Firm, shop: Shop
) -> None:
    order = await shop.order()
    issue = await shop.post("issues", report="The door is locked.", order=order["id"])
    shown = await board(acme)
    assert ids(shown["unassigned"]) == []
    (card,) = shown["attention"]["cards"]
    assert (card["issues"], card["late"]) == (1, False)
    assert [row["id"] for row in await shop.get("orders?attention=true")] == [order["id"]]
    await shop.patch(f"issues/{issue['id']}", status="resolved")
    assert ids((await board(acme))["unassigned"]) == [order["id"]]
    assert [row["id"] for row in await shop.get("orders?attention=false")] == [order["id"]]


async def test_a_scheduled_order_that_nobody_handed_out_is_late(
    acme: Firm, shop: Shop, clock: ManualClock
) -> None:
    order = await shop.order(scheduled_at=to_rfc3339(NOON + timedelta(hours=1)))
    assert ids((await board(acme))["unassigned"]) == [order["id"]]
    clock.advance(hours=2)
    assert ids((await board(acme))["attention"]) == [order["id"]]


async def test_what_was_completed_yesterday_stands_on_yesterdays_board(
    acme: Firm, shop: Shop, clock: ManualClock
) -> None:
    made = await placed(shop)
    clock.advance(days=1)
    assert ids((await board(acme))["completed"]) == []
    yesterday = f"on={NOON.date()}"
    assert ids((await board(acme, yesterday))["completed"]) == [made["completed"]]


async def test_the_board_is_narrowed_as_lists_are(acme: Firm, shop: Shop) -> None:
    made = await placed(shop)
    other = await shop.driver()
    mine = await shop.order(driver=other["id"])
    shown = await board(acme, f"driver={other['id']}")
    assert [one for column in shown.values() for one in ids(column)] == [mine["id"]]
    assert ids((await board(acme, f"id={made['assigned']}"))["assigned"]) == [made["assigned"]]


async def test_orders_are_found_by_any_of_their_names(shop: Shop) -> None:
    first, second, third = [await shop.order(internal_id=f"SO-{number}") for number in range(3)]
    await shop.order()
    names = f"id={first['id']}&id=SO-1&id={third['tracking_number']['tracking_number']}"
    found = {row["id"] for row in await shop.get(f"orders?{names}")}
    assert found == {first["id"], second["id"], third["id"]}


@pytest.mark.slow
async def test_columns_are_counted_as_far_as_anybody_wants_to_know(acme: Firm, shop: Shop) -> None:
    for _ in range(62):
        await shop.order()
    column = (await board(acme, "limit=2"))["unassigned"]
    assert (column["count"], column["more"], len(column["cards"])) == (60, True, 2)


async def test_anothers_orders_stand_on_no_board_of_ours(rival: Firm, shop: Shop) -> None:
    await placed(shop)
    assert not any(column["cards"] for column in (await board(rival)).values())


@pytest.mark.slow
async def test_a_board_among_many_orders_looks_at_few(acme: Firm, shop: Shop, house: House) -> None:
    await placed(shop)
    async with house.database.transaction() as db:
        await db.execute(
            """with moved as (
                insert into payloads
                select made.*
                from payloads p, generate_series(1, 500) number,
                    jsonb_populate_record(p, jsonb_build_object('uuid', gen_random_uuid(),
                        'public_id', 'payload_' || p.uuid || number, 'order_uuid', null)) made
                returning uuid)
            insert into orders
            select made.*
            from orders o, moved, jsonb_populate_record(o, jsonb_build_object(
                'uuid', gen_random_uuid(), 'public_id', 'order_' || moved.uuid,
                'payload', moved.uuid, 'status', 'completed',
                'completed_at', o.created_at - interval '40 days')) made
            where o.uuid = (select uuid from orders order by uuid limit 1)"""
        )
    await house.value("analyze")
    heard: list[tuple[str, tuple[Any, ...]]] = []
    connections = house.database.connections
    connection = await connections.acquire()
    with connection.query_logger(lambda said: heard.append((said.query, said.args or ()))):
        connections.release(connection)
        await board(acme)
    async with house.database.reading() as db:
        connection = await db._flush_and_get_connection()  # noqa: SLF001 - to have explained what it was asked
        asked = [one for one in heard if "as group_number" in one[0]]
        for sql, values in asked:
            plan = await explained(connection, sql, values)
            assert passed_over(plan) < queries.MAX_ORDERS_PER_GROUP
    assert asked


def touched(plan: dict[str, Any]) -> int:
    """Tell how many rows the busiest part of a plan handed on."""
    own = int(plan["Actual Rows"]) * int(plan["Actual Loops"])
    return max([own, *map(touched, plan.get("Plans", []))])


@pytest.mark.slow
async def test_a_board_among_many_that_are_late_looks_at_few(
    acme: Firm, shop: Shop, house: House
) -> None:
    made = await placed(shop)
    await shop.post("issues", report="The door is locked.", order=made["assigned"])
    many = 2000
    async with house.database.transaction() as db:
        await db.execute(
            """with moved as (
                insert into payloads
                select r.* from generate_series(1, :many) number, payloads p
                cross join lateral jsonb_populate_record(p, jsonb_build_object(
                    'uuid', lpad(number::text, 32, '0'), 'public_id', 'payload_' || number,
                    'order_uuid', null)) r
                where p.uuid = (select uuid from payloads order by uuid desc limit 1)
                returning uuid)
            insert into orders
            select r.* from moved, orders o
            cross join lateral jsonb_populate_record(o, jsonb_build_object(
                'uuid', moved.uuid, 'public_id', 'order_' || moved.uuid,
                'payload', moved.uuid, 'created_at', o.created_at - interval '2 days',
                'time_window_end', o.created_at - interval '1 day')) r
            where o.public_id = :late""",
            many=many,
            late=made["attention"],
        )
    await house.value("analyze")
    heard: list[tuple[str, tuple[Any, ...]]] = []
    connections = house.database.connections
    connection = await connections.acquire()
    with connection.query_logger(lambda said: heard.append((said.query, said.args or ()))):
        connections.release(connection)
        shown = await board(acme, "limit=1")
        needing = await board(acme, "limit=1&attention=true")
        calm = await acme.api.get("/v1/orders?attention=false&limit=1")
    assert (shown["attention"]["count"], shown["attention"]["more"]) == (60, True)
    assert [row["id"] for row in calm.json()] == [made["completed"]]
    assert needing["attention"] == shown["attention"]
    assert {stage for stage, column in needing.items() if column["cards"]} == {"attention"}
    async with house.database.reading() as db:
        connection = await db._flush_and_get_connection()  # noqa: SLF001 - to have explained what it was asked
        asked = [
            one for one in heard if "as group_number" in one[0] or "not (completed_at" in one[0]
        ]
        plans = [await explained(connection, sql, values) for sql, values in asked]
    assert plans
    assert [touched(plan) for plan in plans if touched(plan) >= many] == []
