"""Whoever closes their account is forgotten everywhere, and nobody else is."""

import asyncio
from collections import Counter
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import httpx
import pytest

from customers.mall import Mall
from db.ending import end_unheard
from db.test_plans import (
    COPIES,
    COPY,
    CUSTOMERS,
    FEW,
    MANY,
    NUMBERS,
    ORDERS,
    passed_over,
    taken,
)
from news.waiting import all_told
from orders.shop import CHANGI, MANDAI
from pannier.customers.models import Customer
from pannier.db import Db
from pannier.db.database import OutcomeUnknown, is_transient
from pannier.db.row import RowReference
from pannier.files import sweep
from pannier.kit.clock import ManualClock
from pannier.news import opt_outs, processor
from pannier.notifications import service as notifications
from pannier.orders import erasure as orders
from pannier.orders import queries as order_queries
from pannier.orders.tracking import queries as tracking
from pannier.parked import service as parking
from pannier.parked.models import WorkKey
from pannier.partners import erasure as partners
from pannier.partners.queries import contacts
from pannier.payments import billing_identities
from pannier.payments import sweep as payments
from pannier.privacy import departures, erasure
from pannier.privacy.people import DataSubject
from payments.purse import Purse
from privacy import traces
from privacy.traces import EMAIL, HERE, MARK, OLD_PHONE, OTHER, PHONE, TRACES
from probe import refused, refusing_writes
from proofs import checker, drawn
from proofs.evidence import Courier
from stage import House
from tracking.asking import link_of, link_to

pytestmark = pytest.mark.slow


async def leave(mall: Mall, client: httpx.AsyncClient) -> None:
    """Close one's account, and say why."""
    await client.post(f"{HERE}/account-closure")
    body = {"code": await mall.texted(), "reason": f"{MARK} moved."}
    answer = await client.post(f"{HERE}/confirm-account-closure", json=body)
    assert answer.status_code == 200, answer.text


async def rename(mall: Mall, client: httpx.AsyncClient, phone: str = PHONE) -> None:
    """Move to another phone."""
    await client.post(f"{HERE}/request-phone-verification", json={"phone": phone})
    answer = await client.post(f"{HERE}/verify-phone-number", json={"code": await mall.texted()})
    assert answer.status_code == 200, answer.text


async def swept(house: House) -> None:
    """Let every step of the worker that forgets somebody do its work."""
    services = house.edge.services
    while await erasure.step(house.database):
        pass
    while await departures.step(house.database, services["gateway"], services["providers"]):
        pass
    while await sweep.step(house.database, services["storage"]):
        pass


async def forgotten(mall: Mall, customer: str) -> None:
    """Have a customer forgotten at once."""
    path = f"/int/v1/customers/{customer}/erase"
    assert (await mall.firm.admin.post(path, json={"reason": "Asked."})).status_code == 200
    await swept(mall.firm.house)


def mentions(rows: dict[str, str], trace: str) -> Counter[str]:
    """Count how often each table mentions something."""
    hexed = trace.encode().hex()
    return Counter({name: text.count(trace) + text.count(hexed) for name, text in rows.items()})


async def test_nothing_of_somebody_who_left_is_found_in_any_table_or_file(
    mall: Mall, courier: Courier, house: House, clock: ManualClock
) -> None:
    made, client = await traces.ada(mall)
    await rename(mall, client)
    assert (await client.post(f"{HERE}/payment-setup-intent")).status_code == 200
    order = await traces.history(courier, {**made, "phone": PHONE})
    await traces.owed(mall, made, order)
    # A receiver that says back what it was told, and an operator who changed the order.
    await house.value(
        """with d as (
            insert into webhook_deliveries (uuid, company, webhook, event, name, subject, thread,
                sequence, created_at)
            select gen_random_uuid(), company, gen_random_uuid(), uuid, name, subject, thread, 1,
                created_at from events where subject = :order limit 1
            returning uuid, company, created_at),
        a as (
            insert into webhook_attempts (company, delivery, number, round, retries, trigger,
                outcome, started_at, finished_at, response_body)
            select company, uuid, 1, 0, 0, 'event', 'refused', created_at,
                created_at, :said from d)
        insert into audit_entries select gen_random_uuid(), 'audit_1', company, created_at,
            'operator', 'operator_1', 'Grace', 'order.changed', :order, '{}',
            jsonb_build_object('notes', :mark::text), '{}', '', '' from events
        where subject = :order limit 1""",
        order=order["id"], said=MARK.encode(), mark=MARK,
    )  # fmt: skip
    filled = await traces.where(house, *TRACES)
    assert set(filled) >= {
        "customers", "contacts", "places", "orders", "payloads", "waypoints", "entities", "proofs",
        "tracking_statuses", "events", "messages", "audit_entries", "webhook_attempts",
        "customer_devices", "issues", "transactions", "refunds", "checkouts",
    }  # fmt: skip
    others = mentions(await traces.kept(house), OTHER)
    pictures = len(traces.objects(house))
    await leave(mall, client)
    await swept(house)
    assert MARK in (await traces.kept(house))["customers"], "erased before the grace is over"
    clock.advance(days=30)
    await swept(house)
    assert await traces.where(house, *TRACES) == {"billing_identities": [MARK]}
    await settled(mall, made)
    assert await traces.where(house, *TRACES) == {}
    # Objects that nobody names outlive the last who did by a day.
    clock.advance(days=1)
    await swept(house)
    assert len(traces.objects(house)) == pictures - 4
    assert await house.value("select count(*) from departures") == 0
    assert await house.value("select count(*) from payment_customers") == 0
    left = mentions(await traces.kept(house), OTHER)
    del others["events"], left["events"]
    assert left == others, "somebody else was forgotten too"


async def test_the_names_that_orders_were_placed_with_are_forgotten_too(
    mall: Mall, courier: Courier, house: House
) -> None:
    made, _ = await mall.visitor(name=f"Ada {MARK}")
    person = {"name": f"ADA {MARK}", "phone": made["phone"]}
    order = await courier.order(
        customer=person, payload={"waypoints": [CHANGI, {**MANDAI, "contact": person}]}
    )
    assert order["customer"]["uuid"] == made["contact"]
    path = f"/int/v1/customers/{made['id']}/export"
    (told,) = (await mall.firm.admin.get(path)).json()["orders"]
    assert told["customer_name"] == f"ADA {MARK}"
    await courier.act(order, "cancel")
    await forgotten(mall, made["id"])
    assert await traces.where(house, MARK) == {}


async def test_order_templates_are_exported_and_forgotten_too(
    mall: Mall, courier: Courier, house: House
) -> None:
    made, _ = await mall.visitor(name=f"Ada {MARK}")
    person = {"name": f"Ada {MARK}", "phone": made["phone"]}
    street = {**CHANGI, "street1": f"{MARK} street"}
    own = await courier.order(customer=person, pickup=street, notes=MARK)
    stops = [MANDAI, {"place": street, "contact": person}, CHANGI]
    # Names of goods stay.
    items = [
        {"name": "Box", "description": MARK, "destination": 1}, {"name": "Bag", "destination": 2}
    ]  # fmt: skip
    tour = await courier.order(
        payload={"waypoints": stops, "entities": items}, notes=f"{OTHER} gate"
    )
    for order in (own, tour):
        body = {"name": "Weekly", "order": order["id"]}
        assert (await courier.firm.api.post("/v1/order-templates", json=body)).status_code == 201
    for template in (await courier.firm.api.get("/v1/order-templates")).json():
        body = {"name": "Weekly", "template": template["id"], "rule": "FREQ=DAILY"}
        answer = await courier.firm.api.post("/v1/recurring-orders", json=body)
        assert answer.status_code == 201, answer.text
    exported = (await mall.firm.admin.get(f"/int/v1/customers/{made['id']}/export")).json()
    whole, part = exported["order_templates"]
    assert whole["body"]["notes"] == MARK
    assert [item["name"] for item in part["body"]["payload"]["entities"]] == ["Box"]
    assert OTHER not in str(exported["order_templates"])
    for order in (own, tour):
        await courier.act(order, "cancel")
    await forgotten(mall, made["id"])
    assert await traces.where(house, MARK) == {}
    (left,) = (await courier.firm.api.get("/v1/order-templates")).json()
    (running,) = (await courier.firm.api.get("/v1/recurring-orders")).json()
    assert running["template"] == left["id"]
    assert len(left["body"]["payload"]["waypoints"]) == 2
    assert [item["name"] for item in left["body"]["payload"]["entities"]] == ["Bag"]
    assert (
        await courier.firm.api.post(f"/v1/order-templates/{left['id']}/orders", json={})
    ).status_code == 201


async def test_what_recipients_wrote_on_the_tracking_page_is_exported_and_forgotten_too(
    mall: Mall, courier: Courier, house: House
) -> None:
    made, _ = await mall.visitor(name=f"Ada {MARK}", phone=PHONE)
    other = await courier.post("contacts", name="Eve", phone="+6594440004")
    home = {**MANDAI, "postal_code": "729826"}
    stops = [{**home, "contact": other["id"]}, {**home, "contact": made["contact"]}]
    tour = await courier.started(payload={"waypoints": stops})
    own = await courier.started(customer=made["contact"], dropoff=home)

    async def write(order: dict[str, Any], link: str, mark: str) -> None:
        """Give instructions, have the delivery made, and rate it."""
        client = house.client(address="203.0.113.9")
        await client.post(link, data={"secret": "729826"})
        given = {"handover": "neighbor", "location": f"{mark} at 2", "access_code": f"{mark}#"}
        path = link.replace("?", "/instructions?")
        assert (await client.post(path, data={**given, "note": mark})).is_redirect
        for activity in ("enroute", "completed"):
            await courier.fire(order, activity)
        path = link.replace("?", "/rating?")
        assert (await client.post(path, data={"score": "3", "comment": mark})).is_redirect

    numbers = [stop["tracking_number"] for stop in tour["payload"]["waypoints"]]
    for number, mark in zip(numbers, (OTHER, MARK), strict=True):
        await write(tour, await link_to(courier, number), mark)
    await write(own, await link_of(courier, own), MARK)
    path = f"/int/v1/customers/{made['id']}/export"
    exported = (await mall.firm.admin.get(path)).json()["orders"]
    assert OTHER not in str(exported)
    wrote = [
        (each["delivery_instructions"]["access_code"], each["rating"]["comment"])
        for order in exported
        for each in [order, *order["waypoints"]]
        if each["rating"]
    ]
    assert wrote == [(f"{MARK}#", MARK)] * 2
    await forgotten(mall, made["id"])
    assert await traces.where(house, MARK) == {}
    read = await courier.get(f"orders/{tour['id']}")
    assert read["payload"]["waypoints"][0]["rating"]["comment"] == OTHER


async def settled(mall: Mall, customer: dict[str, Any]) -> None:
    """Call off what a customer still owes, and let refunds arrive."""
    found = await mall.firm.api.get(f"/v1/transactions?customer={customer['contact']}")
    for each in found.json():
        if each["status"] == "unpaid":
            await mall.firm.admin.post(f"/int/v1/transactions/{each['id']}/void", json={})
    await billed(mall.firm.house)


async def billed(house: House) -> None:
    """Let the worker settle refunds and forget the identities that nobody needs any more."""
    while await payments.step(house.database, house.edge.services["gateway"]):
        pass
    while await billing_identities.step(house.database, timedelta(days=3650)):
        pass


async def identity_of(mall: Mall, transaction: str) -> dict[str, Any] | None:
    path = f"/int/v1/transactions/{transaction}/billing-identity"
    answer = await mall.firm.admin.get(path)
    return answer.json() if answer.status_code == 200 else None


async def test_whoever_owes_is_forgotten_but_for_the_billing_identity_until_they_have_paid(
    mall: Mall, courier: Courier, house: House
) -> None:
    purse = Purse(mall.firm)
    made, _ = await mall.visitor(name="Ada", email="ada@example.com")
    home = await courier.post("places", **MANDAI, owner_type="customer", owner=made["contact"])
    await courier.patch(f"contacts/{made['contact']}", tax_number="DE123456789")
    order = await courier.order(customer=made["id"], dropoff=home["id"], notes="Ring twice.")
    await courier.act(order, "cancel")
    async with house.database.reading() as db:
        payer = await contacts.get(db, mall.firm.uuid, made["contact"])
    reference = RowReference(UUID(order["uuid"]), order["id"])
    owed = await purse.offered(order=reference, customer=payer)
    free = await purse.offered(customer=payer)
    await purse.void(free["id"])
    assert await identity_of(mall, owed["id"]) is None
    await forgotten(mall, made["id"])
    await billed(house)
    contact = await courier.get(f"contacts/{made['contact']}")
    assert contact["name"].startswith("Former customer")
    assert (contact["tax_number"], contact["email"]) == (None, None)
    assert (await courier.get(f"places/{home['id']}"))["street1"] is None
    kept = {"name": "Ada", "address": home["address"], "tax_number": "DE123456789"}
    assert await identity_of(mall, owed["id"]) == kept
    path = f"/int/v1/customers/{made['id']}/export"
    (told,) = (await mall.firm.admin.get(path)).json()["billing_identities"]
    assert kept.items() <= told.items()
    await purse.pay(owed)
    await billed(house)
    assert await identity_of(mall, owed["id"]) is None
    assert (await traces.kept(house))["billing_identities"] == ""


async def test_the_emails_of_invoices_are_erased_with_their_customer(
    mall: Mall, courier: Courier, house: House
) -> None:
    made, _ = await mall.visitor(name="Ada", email="ada@example.com")
    await mall.firm.admin.patch("/int/v1/settings", json={"currency": "EUR"})
    order = await courier.order(customer=made["id"])
    await courier.post(
        f"orders/{order['id']}/charges", kind="other", description="Delivery", amount=1000
    )
    draft = await courier.post("invoices", customer=made["contact"])
    await courier.post(f"invoices/{draft['id']}/issue")
    await courier.act(order, "cancel")
    await courier.post(f"invoices/{draft['id']}/send", to="ada@example.com")
    emails = "select count(*) from messages where subject like 'Invoice INV-%'"
    assert await house.value(emails) == 2
    await forgotten(mall, made["id"])
    assert await house.value(emails) == 0


async def test_a_pending_refund_keeps_the_billing_identity(mall: Mall, house: House) -> None:
    purse = Purse(mall.firm)
    made, _ = await mall.visitor(name="Ada")
    async with house.database.reading() as db:
        payer = await contacts.get(db, mall.firm.uuid, made["contact"])
    paid = await purse.offered(customer=payer)
    await purse.pay(paid)
    assert (await purse.refund(paid["id"])).status_code == 200
    await forgotten(mall, made["id"])
    assert await identity_of(mall, paid["id"]) == {
        "name": "Ada", "address": None, "tax_number": None,
    }  # fmt: skip
    await billed(house)
    assert await identity_of(mall, paid["id"]) is None


@pytest.mark.parametrize(("paid", "refunded"), [(800, 100), (1300, None)])
async def test_a_part_that_is_owed_or_paid_too_much_keeps_the_billing_identity(
    mall: Mall, house: House, paid: int, refunded: int | None
) -> None:
    purse = Purse(mall.firm)
    made, _ = await mall.visitor(name="Ada")
    async with house.database.reading() as db:
        payer = await contacts.get(db, mall.firm.uuid, made["contact"])
    owed = await purse.offered(customer=payer)
    path = f"/v1/transactions/{owed['id']}/payments"
    answer = await mall.firm.api.post(path, json={"method": "cash", "amount": paid})
    assert answer.status_code == 201, answer.text
    if refunded is not None:
        assert (await purse.refund(owed["id"], amount=refunded)).status_code == 200
    await forgotten(mall, made["id"])
    await billed(house)
    found = await identity_of(mall, owed["id"])
    assert found is not None
    assert found["name"] == "Ada"


async def test_a_billing_identity_ends_with_its_retention(
    mall: Mall, house: House, clock: ManualClock
) -> None:
    answer = await mall.firm.admin.patch("/int/v1/settings", json={"retention": {"billing": 100}})
    assert answer.status_code == 200, answer.text
    made, _ = await mall.visitor(name="Ada")
    async with house.database.reading() as db:
        payer = await contacts.get(db, mall.firm.uuid, made["contact"])
    owed = await Purse(mall.firm).offered(customer=payer)
    await forgotten(mall, made["id"])
    clock.advance(days=99)
    await billed(house)
    assert await identity_of(mall, owed["id"]) is not None
    clock.advance(days=2)
    await billed(house)
    assert await identity_of(mall, owed["id"]) is None


async def test_orders_of_the_forgotten_stay_together_under_a_pseudonym(
    mall: Mall, courier: Courier, house: House, clock: ManualClock
) -> None:
    made, client = await traces.ada(mall)
    order = await traces.history(courier, made)
    await leave(mall, client)
    clock.advance(days=30)
    await swept(house)
    shown = await courier.get(f"orders?customer={made['contact']}")
    names = {row["customer"]["name"] for row in shown}
    assert len(shown) == 2
    assert [name.startswith("Former customer ") for name in names] == [True]
    own, theirs = reversed((await courier.get(f"orders/{order['id']}"))["payload"]["waypoints"])
    assert (own["place"]["city"], own["place"]["street1"], own["location"]) == (
        "Singapore", None, None,
    )  # fmt: skip
    assert theirs["place"]["street1"] == f"{OTHER} street"
    told = (await mall.firm.admin.get(f"/int/v1/events?subject={order['id']}")).json()["data"]
    assert {row["body"]["data"]["erased"] for row in told} == {True}
    audit = (await mall.firm.admin.get(f"/int/v1/audit?subject={made['id']}")).json()["data"]
    assert audit[0]["action"] == "customer.erased"


async def test_the_proofs_of_others_go_on_verifying_and_what_was_erased_says_so(
    mall: Mall, courier: Courier, house: House, clock: ManualClock
) -> None:
    made, client = await traces.ada(mall)
    order = await traces.history(courier, made)
    await leave(mall, client)
    clock.advance(days=30)
    await swept(house)
    proofs = await courier.get(f"proofs?order={order['id']}")
    verdicts = [await courier.get(f"proofs/{proof['id']}/verify") for proof in reversed(proofs)]
    assert [row["valid"] for row in verdicts] == [True, True, True]
    assert [row["erased"] for row in verdicts] == [False, True, True]
    archive = await mall.firm.api.get(f"/v1/orders/{order['id']}/proofs.zip")
    assert checker.faults(archive.content) == []
    assert (await mall.firm.api.get(f"/v1/orders/{order['id']}/proof-sheet.pdf")).is_success


async def test_photos_of_issues_with_an_order_go_with_the_person_whose_order_it_was(
    mall: Mall, courier: Courier, house: House, clock: ManualClock
) -> None:
    made, client = await mall.visitor()
    theirs, another = await courier.order(customer=made["id"]), await courier.order()
    for turn, order in enumerate((theirs, another)):
        report = {"report": "Somebody stood at the door.", "order": order["id"]}
        await courier.post("issues/with-photos", **report, photos=[drawn.text(drawn.photo(turn))])
        await courier.act(order, "cancel")
    pictures = len(traces.objects(house))
    await leave(mall, client)
    clock.advance(days=30)
    await swept(house)
    left = {one["order"]: len(await photos(courier, one)) for one in await courier.get("issues")}
    assert left == {theirs["id"]: 0, another["id"]: 1}
    assert await house.value("select count(*) from issue_photos") == 1
    # The picture and the small one of it outlive the last who named them by a day.
    clock.advance(days=1)
    await swept(house)
    assert len(traces.objects(house)) == pictures - 2


async def photos(courier: Courier, issue: dict[str, Any]) -> list[dict[str, Any]]:
    """List the photos of an issue."""
    found: list[dict[str, Any]] = await courier.get(f"issues/{issue['id']}/photos")
    return found


async def test_that_somebody_wanted_no_messages_about_a_delivery_is_forgotten(
    mall: Mall, courier: Courier, house: House, clock: ManualClock
) -> None:
    made, client = await mall.visitor()
    eve = await courier.post("contacts", name="Eve", phone="+6594440004")
    orders = [await courier.order(customer=each["id"]) for each in (made, eve)]
    async with house.database.transaction() as db:
        for order in orders:
            name = order["tracking_number"]["tracking_number"]
            await opt_outs.mute_delivery(db, await tracking.get_number(db, mall.firm.uuid, name))
    muted = "select array_agg(order_uuid::text order by created_at) from news_muted"
    assert sorted(await house.value(muted)) == sorted(order["uuid"] for order in orders)
    await courier.act(orders[0], "cancel")
    await leave(mall, client)
    clock.advance(days=30)
    await swept(house)
    assert await house.value(muted) == [orders[1]["uuid"]]


async def test_a_place_that_others_use_too_stays(
    mall: Mall, courier: Courier, house: House, clock: ManualClock
) -> None:
    made, client = await mall.visitor()
    described = {**MANDAI, "street1": "1 Locker Road"}
    order = await courier.order(customer=made["id"], dropoff=described)
    shared = order["payload"]["dropoff"]
    await courier.act(order, "cancel")
    await courier.order(dropoff=shared["id"])
    await leave(mall, client)
    clock.advance(days=30)
    await swept(house)
    assert (await courier.get(f"places/{shared['id']}"))["street1"] == "1 Locker Road"


async def test_an_order_that_is_open_still_finds_its_way_before_anybody_is_erased(
    mall: Mall, courier: Courier, house: House, clock: ManualClock
) -> None:
    made, client = await mall.visitor()
    order = await courier.order(customer=made["id"])
    await leave(mall, client)
    clock.advance(days=31)
    await swept(house)
    assert (await courier.get(f"orders/{order['id']}"))["customer"]["name"] == made["name"]
    erase = f"/int/v1/customers/{made['id']}/erase"
    answer = await mall.firm.admin.post(erase, json={"reason": "Asked."})
    refused(answer, 409, "customer_has_open_orders")
    await courier.act(order, "cancel")
    await swept(house)
    shown = (await courier.get(f"orders/{order['id']}"))["customer"]
    assert shown["name"].startswith("Former customer")


async def test_what_calls_at_their_door_for_somebody_else_finds_its_way_too(
    mall: Mall, courier: Courier, house: House, clock: ManualClock
) -> None:
    made, client = await mall.visitor(name=f"Ada {MARK}", phone=PHONE)
    # The same person, as an integrator knows her, in a round that is for a shop.
    twin = await courier.post("contacts", name=f"ada {MARK}", phone=PHONE)
    stops = [{"place": traces.place(MANDAI, MARK), "contact": twin["id"]}, {"place": CHANGI}]
    order = await courier.started(payload={"waypoints": stops})
    erase = f"/int/v1/customers/{made['id']}/erase"
    answer = await mall.firm.admin.post(erase, json={"reason": "Asked."})
    refused(answer, 409, "customer_has_open_orders")
    await leave(mall, client)
    clock.advance(days=31)
    await swept(house)
    shown = (await courier.get(f"orders/{order['id']}"))["payload"]["waypoints"][0]["place"]
    assert shown["street1"] == f"{MARK} street", "erased while the driver was on the way there"
    await courier.act(order, "cancel")
    await swept(house)
    assert await traces.where(house, MARK, PHONE) == {}


async def test_a_message_that_somebody_holds_is_waited_for(
    mall: Mall, house: House, clock: ManualClock
) -> None:
    _, client = await mall.visitor(phone=PHONE)
    await leave(mall, client)
    clock.advance(days=30)
    async with house.database.transaction() as sender:
        await sender.execute("select uuid from messages for update")
        erasing = asyncio.create_task(swept(house))
        await waited(house, erasing)
    await erasing
    assert await traces.where(house, PHONE) == {}


async def waited(house: House, task: asyncio.Task[Any]) -> None:
    """Wait until somebody waits for a lock, or the task is done without."""
    held = """select exists (select from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock')"""
    while not task.done() and not await house.value(held):
        pass


async def test_news_of_an_order_that_was_erased_meanwhile_are_told_to_nobody(
    mall: Mall, courier: Courier, house: House
) -> None:
    made, _ = await traces.ada(mall)
    await courier.act(await courier.order(customer=made["id"]), "cancel")
    await forgotten(mall, made["id"])
    await all_told(house)
    assert await house.value("select count(*) from parked") == 0


async def test_news_that_came_after_an_account_was_closed_are_forgotten_with_it(
    mall: Mall, courier: Courier, house: House, clock: ManualClock
) -> None:
    made, client = await mall.visitor(phone=PHONE)
    order = await courier.ready(customer=made["id"])
    await leave(mall, client)
    clock.advance(hours=1)
    await courier.act(order, "dispatch")
    await all_told(house)
    told = "select count(*) from messages where order_id = :order"
    assert await house.value(told, order=order["id"]) == 1
    await courier.act(order, "cancel")
    clock.advance(days=30)
    await swept(house)
    assert await traces.where(house, PHONE) == {}


async def test_what_failed_at_an_event_of_theirs_says_nothing_of_them_either(
    mall: Mall, courier: Courier, house: House, clock: ManualClock
) -> None:
    made, client = await mall.visitor(phone=PHONE)
    order = await courier.order(customer=made["id"])
    async with house.database.transaction() as db:
        [found] = await db.fetch_tuples(
            "select company, public_id, uuid from events where subject = :order limit 1",
            order=order["id"],
        )
        company, event, uuid = found
        failure = ValueError(f"Failing row contains ({MARK}).")
        await parking.park(db, WorkKey(company, processor.STEP, event, uuid), failure)
    await courier.act(order, "cancel")
    assert await traces.where(house, MARK) == {"parked": [MARK]}
    await leave(mall, client)
    clock.advance(days=30)
    await swept(house)
    assert await traces.where(house, MARK) == {}
    assert await house.value("select count(*) from parked") == 1


async def test_a_proof_that_comes_late_does_not_bring_anybody_back(
    mall: Mall, courier: Courier, house: House, clock: ManualClock
) -> None:
    made, client = await traces.ada(mall)
    order = await traces.history(courier, made)
    theirs, own = (stop["id"] for stop in order["payload"]["waypoints"])
    before = {"captured_at": order["created_at"], "remarks": MARK}
    await leave(mall, client)
    clock.advance(days=30)
    await swept(house)
    signature = {"signature": drawn.text(drawn.signature()), **before}
    door = f"/v1/orders/{order['id']}/capture-signature"
    for late in (door, f"{door}/{own}"):
        refused(await mall.firm.api.post(late, json=signature), 409, "order_closed")
    assert await traces.where(house, MARK) == {}
    # Whoever else got something of it is not forgotten.
    assert (await mall.firm.api.post(f"{door}/{theirs}", json=signature)).is_success


async def test_a_message_that_comes_late_does_not_bring_anybody_back(
    mall: Mall, courier: Courier, house: House, clock: ManualClock
) -> None:
    made, client = await mall.visitor()
    driver = (await courier.driver())["id"]
    order = await courier.order(customer=made["id"], driver=driver)
    await courier.act(order, "cancel")
    await leave(mall, client)
    clock.advance(days=30)
    late = {"order": order["id"], "text": f"{MARK} is not at home."}
    # A message that is sent during the erasure waits for its end.
    async with house.database.transaction() as db:
        row = await order_queries.ORDERS.get(db, mall.firm.uuid, order["id"])
        await orders.lock_order(db, row.company, row.uuid)
        sending = asyncio.create_task(mall.firm.api.post("/v1/driver-messages", json=late))
        await waited(house, sending)
        assert not sending.done()
        assert row.customer is not None
        await partners.begin_erasure(db, row.company, [row.customer])
    refused(await sending, 409, "order_closed")
    await swept(house)
    refused(await mall.firm.api.post("/v1/driver-messages", json=late), 409, "order_closed")
    assert await traces.where(house, MARK) == {}
    other = await courier.order(driver=driver)
    await courier.act(other, "cancel")
    said = await mall.firm.api.post("/v1/driver-messages", json={**late, "order": other["id"]})
    assert said.status_code == 201, said.text


async def test_cash_that_is_reported_late_does_not_bring_anybody_back(
    mall: Mall, courier: Courier, house: House, clock: ManualClock
) -> None:
    made, client = await mall.visitor()
    order = await courier.order(customer=made["id"], cod_amount=500, cod_currency="SGD")
    await courier.act(order, "cancel")
    await leave(mall, client)
    clock.advance(days=30)
    await swept(house)
    late = {"amount": 400, "reason": MARK, "driver": (await courier.driver())["id"]}
    collection = await courier.act(order, "collect-cash", **late)
    assert (collection["amount"], collection["reason"]) == (400, None)
    assert await traces.where(house, MARK) == {}


async def test_a_step_that_was_cut_short_goes_on_where_it_ended(
    mall: Mall, courier: Courier, house: House, clock: ManualClock
) -> None:
    made, client = await mall.visitor(name=f"Ada {MARK}")
    for _ in range(3):
        await courier.act(await courier.order(customer=made["id"], notes=MARK), "cancel")
    await leave(mall, client)
    clock.advance(days=30)
    assert await erasure.step(house.database, 1) is True
    left = "select count(*) from orders where notes is not null"
    assert await house.value(left) == 2
    half = await mall.firm.admin.post(f"/int/v1/customers/{made['id']}/restore")
    refused(half, 409, "customer_not_closed")
    # Another worker finds the account held, and leaves it alone.
    async with house.database.transaction() as db:
        await db.execute("select uuid from customers for update")
        assert await erasure.step(house.database) is False
    await swept(house)
    assert await traces.where(house, MARK) == {}


async def test_an_operator_has_somebody_erased_at_once(mall: Mall, house: House) -> None:
    made, client = await traces.ada(mall)
    erase = f"/int/v1/customers/{made['id']}/erase"
    dispatcher = await mall.firm.operator("dispatcher")
    assert (await dispatcher.post(erase, json={"reason": "Asked."})).status_code == 403
    asked = await mall.firm.admin.post(erase, json={"reason": f"{MARK} asked by phone."})
    assert asked.json()["erase_at"] == "2026-01-15T12:00:00.000Z", asked.text
    refused(await client.get(f"{HERE}/me"), 401, "customer_token_invalid")
    await swept(house)
    assert await traces.where(house, MARK, EMAIL) == {}
    again = await mall.firm.admin.post(erase, json={"reason": "Asked again."})
    assert again.json()["erased_at"] == "2026-01-15T12:00:00.000Z"


async def test_a_failure_does_not_let_open_orders_hold_an_erasure_back_for_longer(
    mall: Mall, courier: Courier, house: House, clock: ManualClock
) -> None:
    made, client = await mall.visitor(name=f"Ada {MARK}")
    await courier.order(customer=made["id"])
    await leave(mall, client)
    clock.advance(days=60)
    async with house.database.transaction() as db:
        await db.execute("alter table orders add constraint out_of_order check (version < 2)")
    with pytest.raises(asyncpg.CheckViolationError):
        await erasure.step(house.database)
    async with house.database.transaction() as db:
        await db.execute("alter table orders drop constraint out_of_order")
    assert not await erasure.step(house.database), "others have their turn first"
    clock.advance(hours=6)
    await swept(house)
    assert await traces.where(house, MARK) == {}


@pytest.mark.parametrize("turns", range(4))
async def test_a_connection_that_ends_does_not_put_an_erasure_off(
    mall: Mall,
    house: House,
    clock: ManualClock,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    turns: int,
) -> None:
    _, client = await mall.visitor(name=f"Ada {MARK}")
    await leave(mall, client)
    clock.advance(days=30)
    find_person = erasure.load_person

    async def person_unheard(db: Db, customer: Customer) -> DataSubject:
        await find_person(db, customer)  # so that its statement is known
        end_unheard(database_url, await db.fetch_value("select pg_backend_pid()"))
        for _ in range(turns):
            await asyncio.sleep(0)
        return await find_person(db, customer)

    with monkeypatch.context() as patched:
        patched.setattr(erasure, "load_person", person_unheard)
        with pytest.raises(Exception) as told:  # noqa: PT011 - which of several, the next line says
            await erasure.step(house.database)
    assert is_transient(told.value), repr(told.value)
    await swept(house)
    assert await traces.where(house, MARK) == {}


@pytest.mark.parametrize("state", ["53100", "25006", "57P01"])
async def test_a_server_that_cannot_save_does_not_put_an_erasure_off(
    mall: Mall, house: House, clock: ManualClock, database_url: str, state: str
) -> None:
    _, client = await mall.visitor(name=f"Ada {MARK}")
    await leave(mall, client)
    clock.advance(days=30)
    async with refusing_writes(database_url, "customers", state, times=1):
        with pytest.raises((asyncpg.PostgresError, OutcomeUnknown)):
            await swept(house)
    await swept(house)
    assert await traces.where(house, MARK) == {}


async def test_codes_under_way_to_others_with_the_same_phone_still_work(
    mall: Mall, house: House, clock: ManualClock
) -> None:
    _, client = await mall.visitor(phone=PHONE)
    driver = {"name": "Ada", "phone": PHONE}
    assert (await mall.firm.api.post("/v1/drivers", json=driver)).status_code == 201
    await leave(mall, client)
    clock.advance(days=1)
    await mall.registered(phone=PHONE, name="Ada again")
    clock.advance(days=29)
    await mall.post("login-with-sms", phone=PHONE)
    anew = await mall.texted()
    asked = await mall.firm.api.post("/v1/drivers/login-with-sms", json={"phone": PHONE})
    assert asked.status_code == 200, asked.text
    driving = await mall.texted()
    await swept(house)
    assert (await mall.post("verify-code", identity=PHONE, code=anew)).status_code == 200
    body = {"phone": PHONE, "code": driving}
    entered = await mall.firm.api.post("/v1/drivers/verify-code", json=body)
    assert entered.status_code == 200, entered.text


async def test_what_a_new_account_with_the_same_phone_gets_is_not_the_old_ones(
    mall: Mall, house: House, clock: ManualClock
) -> None:
    _, client = await mall.visitor(phone=PHONE, name=f"Ada {MARK}")
    await leave(mall, client)
    clock.advance(days=1)
    new: dict[str, Any] = await mall.registered(phone=PHONE, name="Ada again")
    sent = "select count(*) from messages where recipient = :phone"
    before = await house.value(sent, phone=PHONE)
    clock.advance(days=29)
    await swept(house)
    assert await house.value(sent, phone=PHONE) == 1 < before
    assert (await mall.signed(new["token"]).get(f"{HERE}/me")).json()["phone"] == PHONE
    assert await traces.where(house, MARK) == {}


async def test_that_somebody_wanted_no_news_is_forgotten_too(
    mall: Mall, courier: Courier, house: House
) -> None:
    made, _ = await traces.ada(mall)
    order = await courier.order(customer=made["id"])
    await courier.act(order, "cancel")
    async with house.database.transaction() as db:
        named = order["tracking_number"]["tracking_number"]
        number = await tracking.get_number(db, mall.firm.company.uuid, named)
        await opt_outs.opt_out(db, number)
    await forgotten(mall, made["id"])
    assert await house.value("select count(*) from news_quiet") == 0


@pytest.mark.parametrize("stops", [2, 4])
async def test_who_placed_an_order_themself_is_forgotten_with_every_place_they_described(
    mall: Mall, courier: Courier, house: House, stops: int
) -> None:
    made, client = await mall.visitor(name=f"Ada {MARK}")
    order = await traces.bought(mall, client, *([MARK] * stops))
    await courier.act(order, "cancel")
    depot = await courier.post("places", **{**CHANGI, "street1": f"{OTHER} depot"})
    other = await courier.order(customer=made["id"], pickup=depot["id"])
    await courier.act(other, "cancel")
    filled = await traces.where(house, MARK)
    assert set(filled) >= {"places", "tracking_statuses"}
    await forgotten(mall, made["id"])
    assert await traces.where(house, MARK) == {}
    assert (await courier.get(f"places/{depot['id']}"))["street1"] == f"{OTHER} depot"


async def test_what_was_packed_for_somebody_and_never_ordered_says_nothing_of_them(
    mall: Mall, courier: Courier, house: House
) -> None:
    made, _ = await traces.ada(mall)
    owner = {"owner_type": "customer", "owner": made["contact"]}
    home = await courier.post("places", **traces.place(MANDAI, MARK), **owner)
    away = await courier.post("places", **traces.place(CHANGI, OTHER))
    stops = [
        {"place": away["id"], "notes": OTHER},
        {"place": home["id"], "contact": made["contact"], "notes": MARK, "meta": {"a": MARK}},
    ]
    bare = {"name": "Box", "description": MARK, "meta": {"a": MARK}}
    item = {**bare, "customer": made["contact"]}
    # For whom a stop or an item is may be said by the other alone.
    stops.append({"place": away["id"], "notes": MARK, "meta": {"a": MARK}})
    for packed in (
        [{**item, "destination": 1}, {**item, "destination": 2}],
        [{**bare, "destination": 1}, {**item, "destination": 2}],
    ):
        await courier.post("payloads", waypoints=stops, entities=packed)
    await courier.post("entities", **item)
    others = mentions(await traces.kept(house), OTHER)
    await forgotten(mall, made["id"])
    assert await traces.where(house, MARK) == {}
    assert mentions(await traces.kept(house), OTHER) == others


async def test_that_others_at_the_same_phone_want_no_news_is_not_forgotten(
    mall: Mall, courier: Courier, house: House, clock: ManualClock
) -> None:
    _, client = await mall.visitor(phone=PHONE)
    await leave(mall, client)
    clock.advance(days=1)
    heir = await courier.post("contacts", name="Eve", phone=PHONE)
    order = await courier.order(customer=heir["id"])
    async with house.database.transaction() as db:
        named = order["tracking_number"]["tracking_number"]
        await opt_outs.opt_out(db, await tracking.get_number(db, mall.firm.uuid, named))
    clock.advance(days=29)
    await swept(house)
    assert await house.value("select array_agg(recipient) from news_quiet") == [PHONE]


async def test_somebody_with_another_name_at_the_same_phone_is_neither_exported_nor_erased(
    mall: Mall, courier: Courier, house: House
) -> None:
    anna, _ = await mall.visitor(name=f"Anna {MARK}", phone=PHONE)
    bert = {"name": f"Bert {OTHER}", "phone": PHONE, "email": f"bert.{OTHER}@example.com"}
    stop = {"place": traces.place(MANDAI, OTHER), "contact": bert, "notes": OTHER}
    theirs = await courier.ready(customer=bert, notes=OTHER, payload={"waypoints": [CHANGI, stop]})
    own = await courier.ready(customer=anna["id"], notes=MARK)
    for order in (theirs, own):
        await courier.act(order, "dispatch")
        await all_told(house)
        await courier.act(order, "cancel")
        await all_told(house)
    sent = """select array_agg(distinct order_id) from messages
              where recipient = :phone and order_id is not null"""
    assert set(await house.value(sent, phone=PHONE)) == {theirs["id"], own["id"]}
    told = (await mall.firm.admin.get(f"/int/v1/customers/{anna['id']}/export")).json()
    assert OTHER not in str(told)
    assert [row["id"] for row in told["orders"]] == [own["id"]]
    others = mentions(await traces.kept(house), OTHER)
    await forgotten(mall, anna["id"])
    assert await traces.where(house, MARK) == {}
    assert mentions(await traces.kept(house), OTHER) == others
    kept = (await courier.get(f"orders/{theirs['id']}"))["customer"]
    assert (kept["name"], kept["phone"]) == (bert["name"], PHONE)
    assert await house.value(sent, phone=PHONE) == [theirs["id"]]


async def test_messages_to_a_phone_that_somebody_only_said_is_theirs_stay(
    mall: Mall, house: House
) -> None:
    await mall.registered(phone=PHONE)
    await mall.post("request-creation-code", email=EMAIL)
    said = {"email": EMAIL, "phone": PHONE, "code": await mall.texted()}
    eve = await mall.post("", name="Eve", **said)
    await forgotten(mall, eve.json()["id"])
    assert await house.value("select array_agg(recipient) from messages") == [PHONE]
    assert await traces.where(house, EMAIL) == {}


async def test_a_code_that_went_to_the_phone_of_somebodys_contact_is_forgotten_too(
    mall: Mall, courier: Courier, house: House
) -> None:
    made, _ = await mall.visitor(email=EMAIL)
    noted = {"phone": OLD_PHONE}
    changed = await mall.firm.api.put(f"/v1/contacts/{made['contact']}", json=noted)
    assert changed.status_code == 200, changed.text
    order = await courier.order(customer=made["id"])
    sent = await mall.firm.api.post(f"/v1/orders/{order['id']}/send-sms-code")
    assert sent.status_code == 200, sent.text
    assert (await mall.message())["to"] == OLD_PHONE
    await courier.act(order, "cancel")
    await forgotten(mall, made["id"])
    assert await traces.where(house, OLD_PHONE) == {}


# What others have, among which somebody is forgotten, beside what lists are found among.
OTHERS_HAVE = {
    **COPIES,
    "places": f"{COPIES['places']}, 'owner_type', 'company', 'owner', null",
    "tracking_statuses": "'code', 'other'",
    "events": "'subject', 'somebody_' || number, 'thread', 'x'",
    "issues": "'order_id', 'order_' || number",
    "tokens": "'holder', gen_random_uuid()",
}
ELSEWHERE = """
    update tracking_statuses set tracking_number = n.uuid, order_uuid = n.order_uuid
    from (select *, row_number() over () as place from tracking_numbers
          where number like 'ACM-ZZZZ-%') n
    where tracking_statuses.public_id = 'tracking_statuses_' || n.place"""
FAILED = """
    insert into parked (uuid, public_id, company, created_at, updated_at, step, subject,
                        subject_uuid, error, attempts)
    select gen_random_uuid(), 'parked_' || number, :company, :now, :now, 'x', 'event_' || number,
        gen_random_uuid(), '', 1 from generate_series(1, :many) number"""
SILENT = """
    insert into news_quiet select :company, '+6590' || number, :now
    from generate_series(1, :many) number"""


async def test_somebody_is_found_among_many_others_by_an_index(
    mall: Mall, courier: Courier, house: House
) -> None:
    made, client = await traces.ada(mall)
    await rename(mall, client)
    await traces.history(courier, {**made, "phone": PHONE})
    async with house.database.transaction() as db:
        for table, changes in OTHERS_HAVE.items():
            await db.execute(COPY.format(table=table, changes=changes, many=MANY))
        for statement in (CUSTOMERS, ORDERS.format(scheduled="null"), NUMBERS, ELSEWHERE):
            await db.execute(statement)
        for statement in (FAILED, SILENT):
            await db.execute(statement, company=mall.firm.uuid, now=db.now, many=MANY)
    await house.value("analyze")
    erase = f"/int/v1/customers/{made['id']}/erase"
    assert (await mall.firm.admin.post(erase, json={"reason": "Asked."})).status_code == 200

    async def erased() -> None:
        while await erasure.step(house.database):
            pass

    done = await taken(house, erased, "select", "with", "update", "delete")
    assert len(done) > 100
    for sql, plan in done:
        assert passed_over(plan) < FEW, f"{sql}\n{plan}"
    gone = "select erased_at is not null from customers where public_id = :id"
    assert await house.value(gone, id=made["id"])


async def test_news_of_who_had_a_phone_between_stay_with_them(
    mall: Mall, courier: Courier, house: House, clock: ManualClock
) -> None:
    ada, client = await mall.visitor(phone=OLD_PHONE)
    await rename(mall, client)
    clock.advance(hours=1)
    eve, hers = await mall.visitor(name="Eve", phone=OLD_PHONE)
    await courier.act(await courier.ready(customer=eve["id"]), "dispatch")
    await all_told(house)
    told = "select count(*) from messages where recipient = :phone and customer is not null"
    sent = await house.value(told, phone=OLD_PHONE)
    assert sent > 0
    await rename(mall, hers, "+6595550005")
    clock.advance(hours=1)
    await forgotten(mall, ada["id"])
    assert await house.value(told, phone=OLD_PHONE) == sent


async def test_that_a_vendor_at_a_phone_wants_no_news_outlives_who_only_said_it_is_theirs(
    mall: Mall, courier: Courier, house: House
) -> None:
    vendor = await courier.post("vendors", name="Bakery", phone=PHONE)
    order = await courier.order(customer=vendor["id"])
    async with house.database.transaction() as db:
        named = order["tracking_number"]["tracking_number"]
        await opt_outs.opt_out(db, await tracking.get_number(db, mall.firm.uuid, named))
    await mall.post("request-creation-code", email=EMAIL)
    said = {"email": EMAIL, "phone": PHONE, "code": await mall.texted()}
    eve = await mall.post("", name="Eve", **said)
    await forgotten(mall, eve.json()["id"])
    assert await house.value("select array_agg(recipient) from news_quiet") == [PHONE]


async def test_messages_to_a_driver_or_an_operator_outlive_who_only_said_it_is_theirs(
    mall: Mall, courier: Courier, house: House
) -> None:
    await courier.post("drivers", name="Max", phone=PHONE)
    asked = await mall.firm.api.post("/v1/drivers/login-with-sms", json={"phone": PHONE})
    assert asked.status_code == 200, asked.text
    boss = mall.firm.email("admin")
    async with house.database.transaction() as db:
        await notifications.queue_message(
            db, mall.firm.uuid, "email", boss, "An endpoint fails.", "Alas"
        )
    for said in ({"phone": PHONE}, {"email": boss}):
        proved = {"email": EMAIL} if "phone" in said else {"phone": OLD_PHONE}
        await mall.post("request-creation-code", **proved)
        eve = await mall.post("", name="Eve", code=await mall.texted(), **proved, **said)
        assert eve.status_code == 201, eve.text
        erase = f"/int/v1/customers/{eve.json()['id']}/erase"
        assert (await mall.firm.admin.post(erase, json={"reason": "Asked."})).status_code == 200
    await swept(house)
    left = await house.value("select array_agg(recipient order by recipient) from messages")
    assert left == [PHONE, boss]
