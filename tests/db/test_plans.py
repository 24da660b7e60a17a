"""What a list is asked for is found by an index, however much else there is."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any, Final
from uuid import UUID

import msgspec
import pytest

from customers.mall import Mall
from orders.shop import DELIVERED, MANDAI, RAFFLES, Shop
from pannier.customers.providers import replays
from pannier.db.migrate import list_migrations
from pannier.events import feed
from pannier.kit.clock import ManualClock
from pannier.orders import sweep
from pannier.verification import queries
from pannier.verification import sweep as old_codes
from pannier.verification.models import CodeScope
from pannier.web import budgets, idempotency
from rates.counter import rate
from stage import Firm, House

MANY: Final = 2000
FEW: Final = 60  # rows that a statement may read for nothing

# As many copies of each row there is, which differ from it in these columns. A row is made among
# the tables: a function's `.*` among the columns would make it once for each of them.
COPIES: Final = {
    "contacts": """'name', 'Somebody ' || number, 'phone', null, 'email', null, 'place', null,
        'type', 'contact'""",
    "vendors": "'name', 'Some company ' || number",
    "places": """'name', 'Somewhere ' || number, 'street1', number || ' Long Road', 'phone', null,
        'city', 'Elsewhere', 'postal_code', 'E' || number""",
    "payloads": "'order_uuid', null, 'pickup', null, 'dropoff', null",
    "waypoints": """'position', number + 10,
        'place', (select uuid from places where name = 'Somewhere ' || number)""",
    "entities": """'name', 'Thing ' || number, 'payload', null, 'destination', null,
        'sku', 'S' || number, 'internal_id', 'I' || number, 'type', 'parcel'""",
    "drivers": """'name', 'Somebody ' || number, 'phone', '+6580' || number, 'vehicle', null,
        'email', null""",
    "vehicles": "'plate_number', 'PX' || number",
    "audit_entries": "'subject', 'somebody_' || number",
    "events": "'name', 'driver.location_changed', 'subject', 'driver_' || number",
    "messages": """'recipient', '+6590' || number, 'order_id', 'order_' || number,
        'state', 'sent', 'channel', 'sms'""",
    "files": "'name', 'photo-' || number || '.jpg', 'content_type', 'image/jpeg'",
    "tracking_statuses": "'code', 'enroute'",
    "proofs": """'sequence', number + 10, 'client_uuid', null, 'method', 'photo',
        'subject_type', 'waypoint', 'driver', null""",
}
COPY: Final = """
    insert into {table}
    select made.*
    from {table} t, generate_series(1, {many}) number, jsonb_populate_record(t, jsonb_build_object(
        'uuid', gen_random_uuid(), 'public_id', '{table}_' || number, {changes})) made
    where t.uuid = (select uuid from {table} order by uuid limit 1)"""
ORDERS: Final = """
    insert into orders
    select made.*
    from orders o, payloads p, jsonb_populate_record(o, jsonb_build_object(
        'uuid', gen_random_uuid(), 'public_id', 'order_' || p.uuid, 'payload', p.uuid,
        'internal_id', 'N' || p.uuid, 'notes', 'Leave it at the door.', 'pod_required', false,
        'order_config', (select uuid from order_configs where key = 'transport'
            and company = o.company), 'type', 'transport',
        'customer', null, 'customer_type', null, 'facilitator', null, 'facilitator_type', null,
        'driver', null, 'vehicle', null, 'scheduled_at', {scheduled},
        'payment_status', 'paid', 'balance', 0,
        'created_at', o.created_at - interval '40 days')) made
    where o.uuid = (select uuid from orders order by uuid limit 1) and p.order_uuid is null
        and not exists (select from orders where payload = p.uuid)"""
CUSTOMERS: Final = """
    insert into customers
    select made.*
    from customers c, contacts k, jsonb_populate_record(c, jsonb_build_object(
        'uuid', gen_random_uuid(), 'public_id', 'customer_' || k.uuid, 'contact', k.uuid,
        'name', k.name, 'phone', null, 'phone_verified_at', null, 'closed_at', null)) made
    where c.uuid = (select uuid from customers order by uuid limit 1)
        and not exists (select from customers where contact = k.uuid)"""
NUMBERS: Final = """
    insert into tracking_numbers
    select made.*
    from tracking_numbers t, orders o, jsonb_populate_record(t, jsonb_build_object(
        'uuid', gen_random_uuid(), 'public_id', 'track_' || o.uuid, 'order_uuid', o.uuid,
        'number', 'ACM-ZZZZ-' || o.uuid, 'subject', o.uuid,
        'subject_type', (array['order', 'entity'])[1 + abs(hashtext(o.uuid::text)) % 2])) made
    where t.uuid = (select uuid from tracking_numbers order by uuid limit 1)
        and not exists (select from tracking_numbers where order_uuid = o.uuid)"""
DEVICES: Final = """
    insert into devices (uuid, public_id, company, name, kind, identifier, meta, created_at,
                         updated_at)
    select gen_random_uuid(), 'device_' || number, :company, 'Tracker ' || number, 'tracker',
        '3520' || number, '{{}}', :now, :now
    from generate_series(1, {many}) number"""
# All of them paid, but one that was given back; each by a quote and somebody of its own.
TRANSACTIONS: Final = """
    insert into transactions (uuid, public_id, company, amount, currency, status, amount_paid,
                              amount_refunded, created_at, updated_at, version, quote, quote_id,
                              customer, customer_type)
    select gen_random_uuid(), 'transaction_' || number, :company, 100, 'SGD',
        case number when 1 then 'refunded' else 'paid' end, 100, 0, :now, :now, 1,
        gen_random_uuid(), 'quote_' || number, gen_random_uuid(), 'contact'
    from generate_series(1, {many}) number"""
# What has its time still before it, of each kind that is forgotten when that is over.
LASTING: Final = (
    """insert into provider_replays (hash, expires_at)
       select sha256(number::text::bytea), :later from generate_series(1, :many) number""",
    """insert into customer_pending_links (company, store, email_key, provider, subject, name,
           created_at, expires_at)
       select s.company, s.uuid, 'somebody' || number, 'a', number, '', :now, :later
       from generate_series(1, :many) number, (select company, uuid from stores limit 1) s""",
    """insert into idempotency_answers (id, fingerprint, expires_at)
       select sha256(number::text::bytea), '', :later from generate_series(1, :many) number""",
    """insert into budget_parts (key, span, part, hits, ends_at)
       select 'some ' || number, interval '1 day', 1, 1, :later
       from generate_series(1, :many) number""",
    """insert into challenges (uuid, company, scope, purpose, identity, created_at, sends,
           last_sent_at)
       select gen_random_uuid(), :company, 'store', 'login', '+6590' || number, :now, 1, :now
       from generate_series(1, :many) number""",
)


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


def passed_over(plan: dict[str, Any]) -> int:
    """Add up the rows that a plan read for nothing."""
    own = sum(int(plan.get(name, 0)) for name in plan if name.startswith("Rows Removed"))
    return own * int(plan["Actual Loops"]) + sum(map(passed_over, plan.get("Plans", [])))


async def explained(connection: Any, sql: str, values: tuple[Any, ...]) -> dict[str, Any]:
    text = await connection.fetchval(f"explain (analyze, format json) {sql}", *values)
    (found,) = msgspec.json.decode(text) if isinstance(text, str) else text
    plan: dict[str, Any] = found["Plan"]
    return plan


async def found(firm: Firm, path: str) -> int:
    client = firm.admin if path.startswith("/int/") else firm.api
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    rows = answer.json()
    return len(rows["data"] if isinstance(rows, dict) else rows)


async def plans(house: House, firm: Firm, path: str) -> list[tuple[str, dict[str, Any]]]:
    """Ask at a door, and have every statement that this takes explained."""

    async def ask() -> None:
        assert await found(firm, path) == 1, path

    return await taken(house, ask, "select", "with")


async def taken(
    house: House, work: Callable[[], Awaitable[Any]], *verbs: str
) -> list[tuple[str, dict[str, Any]]]:
    """Do some work, and have its statements that begin with these words explained."""
    heard: list[tuple[str, tuple[Any, ...]]] = []
    connections = house.database.connections
    connection = await connections.acquire()
    with connection.query_logger(lambda record: heard.append((record.query, record.args or ()))):
        connections.release(connection)
        await work()
        await asyncio.sleep(0)
    connection = await connections.acquire()
    try:
        return [
            (sql, await explained(connection, sql, values))
            for sql, values in heard
            if sql.lstrip().lower().startswith(verbs)
        ]
    finally:
        connections.release(connection)


@pytest.mark.slow
async def test_few_among_many_are_found_by_an_index(shop: Shop, acme: Firm, house: House) -> None:
    chilled = await shop.config(*DELIVERED, key="chilled")
    here = await shop.post("places", name="Lighthouse", phone="+6591234567", **RAFFLES,
                           postal_code="048616")  # fmt: skip
    there = await shop.post("places", name="Harbour", **MANDAI | {"city": "Johor Bahru"})
    ada = await shop.post("contacts", name="Ada Lovelace", phone="+6591234567", place=here["id"],
                          type="customs", email="ada@example.com")  # fmt: skip
    swift = await shop.post("vendors", name="Swift")
    van = await shop.vehicle(plate_number="SGX4711B")
    driver = await shop.driver(vehicle=van["id"], name="Grace Hopper", email="grace@example.com")
    await rate(acme)
    order = await shop.order(
        waypoints=[{"place": here["id"]}, {"place": there["id"]}], driver=driver["id"],
        customer=ada["id"], facilitator=swift["id"], pod_required=True, pod_method="photo",
        notes="Beware of the basilisk.", internal_id="PO-4711", order_config=chilled["id"],
        entities=[{"name": "Mushrooms", "sku": "M-17", "internal_id": "B-9", "type": "pallet",
                   "destination": 1}],
    )  # fmt: skip
    await shop.post("tracking-statuses", order=order["id"], code="customs", status="Cleared")
    assert (await shop.attempt(order, "capture-qr", code="1")).status_code == 201
    await shop.post("devices", name="Eye", kind="camera", identifier="xx-8631", vehicle=van["id"])
    quote = (await shop.get(f"orders/{order['id']}/service-quotes"))[0]["id"]
    owed = await shop.post(f"service-quotes/{quote}/accept")
    key = (await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "Shop"})).json()
    mall = Mall(acme, count(1))
    await mall.registered(name="Rosalind")
    path = f"/int/v1/customers/{(await mall.registered(name='Marie'))['id']}/close"
    assert (await acme.admin.post(path, json={"reason": "Asked."})).status_code == 200
    note = {"data": "data:text/plain;base64,SGVsbG8=", "name": "note.txt"}
    assert (await acme.api.post("/v1/files", json=note)).status_code == 201
    async with house.database.transaction() as db:
        await db.execute("delete from messages")
        await db.execute(
            """insert into messages (uuid, public_id, company, channel, recipient, subject, body,
                                     secret, state, created_at, due_at, order_id)
               values (:uuid, 'message_1', :company, 'sms', '+6591234567', '', 'Hello.', false,
                       'sent', :now, :now, 'order_of_ada'),
                      (gen_random_uuid(), 'message_2', :company, 'push', 'device', '', 'Hello.',
                       false, 'failed', :now, :now, null),
                      (gen_random_uuid(), 'message_3', :company, 'sms', '+6591234568', '', 'Hello.',
                       false, 'drawer', :now, :now, null)""",
            uuid=db.new_uuid(), company=acme.uuid, now=db.now,
        )  # fmt: skip
        for table, changes in COPIES.items():
            await db.execute(COPY.format(table=table, changes=changes, many=MANY))
        await db.execute(CUSTOMERS)
        await db.execute(ORDERS.format(scheduled="o.created_at - interval '30 days'"))
        await db.execute("update orders set status = 'completed' where internal_id <> 'PO-4711'")
        await db.execute(NUMBERS)
        await db.execute(TRANSACTIONS.format(many=MANY), company=acme.uuid, now=db.now)
        await db.execute(DEVICES.format(many=MANY), company=acme.uuid, now=db.now)
    await house.value("analyze")
    for path in (
        f"/v1/orders?vehicle={van['id']}",
        f"/v1/orders?facilitator={swift['id']}",
        f"/v1/orders?customer={ada['id']}",
        f"/v1/orders?driver={driver['id']}",
        f"/v1/orders?pickup={here['id']}",
        f"/v1/orders?dropoff={there['id']}",
        "/v1/orders?type=chilled",
        f"/v1/orders?order_config={chilled['id']}",
        "/v1/orders?status=created&status=started",
        "/v1/orders?on=2026-01-15",
        "/v1/orders?pod_required=true",
        "/v1/orders?payment_status=unpaid",
        "/v1/orders?payment_status=overpaid&payment_status=unpaid",
        "/v1/orders?balance_min=1",
        f"/v1/orders?balance={owed['balance']}",
        "/v1/orders?internal_id=PO-4711",
        "/v1/orders?query=basilisk",
        "/v1/orders?query=PO-4711",
        "/v1/orders?query=po-47",
        "/v1/orders?query=lovelace",
        "/v1/orders?query=Lovelácè",
        "/v1/orders?query=O4711",
        "/v1/orders?query=9123 4567",
        "/v1/orders?query=mushroom",
        "/v1/orders?query=johor",
        f"/v1/orders?query={order['tracking_number']['tracking_number'][-9:]}",
        f"/v1/orders?query={order['payload']['entities'][0]['tracking_number'][-9:]}",
        f"/v1/orders?query={order['tracking_number']['tracking_number']}",
        f"/v1/orders?query={order['tracking_number']['tracking_number'][:8].lower()}",
        f"/v1/waypoints?place={there['id']}",
        "/v1/contacts?query=lovelace",
        "/v1/contacts?query=91234567",
        f"/v1/contacts?place={here['id']}",
        "/v1/contacts?type=customs",
        "/v1/contacts?email=Ada@example.com",
        "/v1/contacts?phone=%2B6591234567",
        "/v1/vendors?query=swift",
        "/v1/places?query=lighthouse",
        "/v1/places?query=9123",
        "/v1/places?city=Johor Bahru",
        "/v1/places?postal_code=048616",
        f"/v1/entities?destination={order['payload']['waypoints'][1]['id']}",
        "/v1/tracking-statuses?code=customs",
        "/v1/proofs?method=scan",
        "/v1/proofs?subject_type=order",
        "/v1/entities?sku=M-17",
        "/v1/entities?type=pallet",
        "/v1/entities?internal_id=B-9",
        "/v1/entities?query=mushroom",
        "/v1/entities?query=m-17",
        "/v1/drivers?query=opp",
        "/v1/drivers?query=race@ex",
        "/v1/vehicles?query=4711",
        "/v1/vehicles?query=gx4711B",
        "/v1/devices?query=x-86",
        "/v1/devices?identifier=xx-8631",
        "/v1/devices?kind=camera&kind=sensor",
        f"/v1/devices?vehicle={van['id']}",
        "/v1/transactions?status=refunded&status=partially_refunded",
        f"/v1/transactions?service_quote={quote}",
        f"/v1/transactions?order={order['id']}",
        f"/v1/transactions?customer={ada['id']}",
        "/int/v1/messages?to=%2B6591234567",
        "/int/v1/messages?order=order_of_ada",
        "/int/v1/messages?channel=push",
        "/int/v1/messages?state=failed",
        "/int/v1/messages?state=drawer",
        "/v1/files?content_type=text/plain",
        "/int/v1/customers?query=rosalind",
        "/int/v1/customers?closed=true",
        f"/int/v1/audit?subject={key['id']}",
        "/int/v1/events?event=proof_of_delivery.created",
        "/int/v1/events?event=proof_of_delivery.created&event=issue.resolved",
    ):
        for sql, plan in await plans(house, acme, path):
            assert passed_over(plan) < FEW, f"{path}\n{sql}\n{plan}"
    house.clock.advance(hours=1)
    since = house.clock.now().isoformat().replace("+00:00", "Z")
    stop, item = order["payload"]["waypoints"][1], order["payload"]["entities"][0]
    async with house.database.transaction() as db:
        for table, changed in (
            ("places", here), ("contacts", ada), ("vendors", swift), ("drivers", driver),
            ("vehicles", van), ("waypoints", stop), ("entities", item),
            ("payloads", order["payload"]), ("orders", order), ("transactions", owed),
        ):  # fmt: skip
            await db.update(table, UUID(changed["uuid"]), updated_at=db.now)
    await shop.post("tracking-statuses", order=order["id"], code="cleared", status="Cleared")
    await mall.registered(name="Emmy")
    for path in (
        "orders", "places", "vendors", "drivers", "vehicles", "waypoints", "entities", "payloads",
        "tracking-statuses", "transactions",
    ):  # fmt: skip
        sort = "created_at" if path == "tracking-statuses" else "updated_at"
        for query in (f"updated_since={since}", f"updated_since={since}&sort={sort}"):
            for sql, plan in await plans(house, acme, f"/v1/{path}?{query}"):
                assert passed_over(plan) < FEW, f"{path}?{query}\n{sql}\n{plan}"
    for path in (
        f"/int/v1/customers?updated_since={since}", f"/int/v1/customers?created_since={since}",
        f"/v1/contacts?updated_since={since}&query=ada",
        f"/v1/tracking-statuses?created_since={since}",
        f"/v1/orders?updated_since={since}&status=created",
    ):  # fmt: skip
        for sql, plan in await plans(house, acme, path):
            assert passed_over(plan) < FEW, f"{path}\n{sql}\n{plan}"


@pytest.mark.slow
async def test_the_feed_of_events_reads_no_events_of_other_records(
    acme: Firm, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "MAX_EXAMINED", FEW)
    async with house.database.transaction() as db:
        await db.execute(
            """insert into events (uuid, public_id, company, name, subject, thread, created_at,
                                   body)
               select gen_random_uuid(), 'event_' || number, :company, 'order.created', subject,
                      case number when 1 then 'order_0' else subject end,
                      :now::timestamptz + number * interval '1 hour', '{}'
               from generate_series(1, :many) number
               cross join lateral (
                   select case when number > :half then 'driver_1' else 'order_' || number end
                       as subject) records""",
            company=acme.uuid, now=db.now, many=4 * MANY, half=2 * MANY,
        )  # fmt: skip
        await db.execute(
            """insert into event_relays (event, company, relayed_at)
               select uuid, company, created_at from events order by created_at"""
        )
    for table in ("events", "event_relays"):
        await house.value(f"analyze {table}")
    last = (house.clock.now() + timedelta(hours=4 * MANY)).isoformat().replace("+00:00", "Z")
    for query in ("subject=order_7", "order=order_0", f"subject=driver_1&created_since={last}"):
        for sql, plan in await plans(house, acme, f"/v1/events?{query}"):
            assert passed_over(plan) < FEW, f"{query}\n{sql}\n{plan}"


async def test_the_status_costs_by_what_waits_and_not_by_what_is_done(
    acme: Firm, house: House
) -> None:
    async with house.database.transaction() as db:
        await db.execute(
            """insert into messages (uuid, public_id, company, channel, recipient, subject, body,
                                     secret, state, created_at, due_at)
               select gen_random_uuid(), 'message_' || number, :company, 'sms', '', '', '', false,
                   'due', :now, :now
               from generate_series(1, :many) number""",
            company=acme.uuid, now=db.now, many=MANY,
        )  # fmt: skip
    # What PostgreSQL knows of the table is of the moment before all of them were sent.
    await house.value("analyze")
    async with house.database.transaction() as db:
        await db.execute("update messages set state = 'sent' where public_id <> 'message_1'")

    async def ask() -> None:
        status = (await acme.admin.get("/status")).json()
        assert status["queues"]["messages"]["waiting"] == 1

    # The status reads the list of migrations, which has a row for each of them.
    most = FEW + len(list_migrations())
    for sql, plan in await taken(house, ask, "select", "with"):
        assert passed_over(plan) < most, f"{sql}\n{plan}"


@pytest.mark.slow
async def test_what_applies_to_a_company_is_found_among_many_companies(
    acme: Firm, house: House
) -> None:
    async with house.database.transaction() as db:
        await db.execute(
            f"""insert into companies
                select made.* from companies c, generate_series(1, {MANY}) number,
                     md5(number::text) drawn, jsonb_populate_record(c, jsonb_build_object(
                         'uuid', drawn, 'company', drawn, 'public_id', 'company_' || number)) made
                where c.uuid = :company""",
            company=acme.uuid,
        )
    await house.value("analyze companies")
    asking = partial(acme.api.get, "/v1/orders?on=2026-01-15")
    explained_all = await taken(house, asking, "select")
    assert any("rates_version" in sql for sql, _ in explained_all)
    for sql, plan in explained_all:
        assert passed_over(plan) < FEW, f"{sql}\n{plan}"


@pytest.mark.slow
async def test_somebodys_last_codes_are_found_among_everybodys(acme: Firm, house: House) -> None:
    async with house.database.transaction() as db:
        await db.execute(
            """insert into challenges (uuid, company, scope, purpose, identity, created_at, sends,
                                       last_sent_at, closed_at)
               select gen_random_uuid(), :company, 'store', 'sign-in', '+6590' || number, :now, 1,
                      :now, :now
               from generate_series(1, :many) number""",
            company=acme.uuid, now=db.now, many=MANY,
        )  # fmt: skip
    await house.value("analyze challenges")
    async with house.database.reading() as db:
        connection = await db._flush_and_get_connection()  # noqa: SLF001 - to hear what it is asked
        heard: list[tuple[str, tuple[Any, ...]]] = []
        with connection.query_logger(lambda said: heard.append((said.query, said.args or ()))):
            await queries.list_recent_challenges(
                db, CodeScope(acme.uuid, "store", "sign-in", "+65907")
            )
            await asyncio.sleep(0)
        for sql, values in heard:
            assert passed_over(await explained(connection, sql, values)) < FEW, sql


@pytest.mark.slow
async def test_overdue_orders_that_nobody_carries_cost_the_worker_nothing(
    shop: Shop, house: House, clock: ManualClock
) -> None:
    await shop.order(scheduled_at=(clock.now() + timedelta(hours=1)).isoformat())
    clock.advance(hours=2)
    async with house.database.transaction() as db:
        changes = COPIES["payloads"]
        await db.execute(COPY.format(table="payloads", changes=changes, many=MANY))
        await db.execute(ORDERS.format(scheduled="o.scheduled_at"))
    await house.value("analyze orders")
    plan = await house.value(
        f"""explain (analyze, format json) select o.uuid from orders o
            where {sweep.DUE} and {sweep.HAS_ELIGIBLE_DRIVER} {sweep.BY_DUE_TIME} limit 1""",
        now=clock.now(),
        barred=[],
    )
    (found,) = msgspec.json.decode(plan) if isinstance(plan, str) else plan
    assert passed_over(found["Plan"]) < FEW
    assert not await sweep.step(house.database)


@pytest.mark.slow
async def test_what_has_had_its_time_is_found_by_an_index(acme: Firm, house: House) -> None:
    database, now = house.database, house.clock.now()
    async with database.transaction() as db:
        given = {"company": acme.uuid, "many": MANY, "now": now, "later": now + timedelta(days=1)}
        for rows in LASTING:
            await db.execute(rows, **given)
    await house.value("analyze")
    for step in (replays.sweep, old_codes.step, idempotency.sweep, budgets.sweep):
        forgetting = await taken(house, partial(step, database), "delete")
        assert forgetting
        for sql, plan in forgetting:
            assert passed_over(plan) < FEW, sql
