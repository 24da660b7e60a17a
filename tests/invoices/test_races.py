"""Documents written at once: numbers have no gaps, and no charge is on two documents."""

import asyncio
import os
from collections.abc import Coroutine
from random import Random
from typing import Any, Final

import httpx
import pytest

from invoices.desk import Desk
from invoices.ledger import COMPLETE, check_documents
from orders.test_races import DEADLOCKS

# Takes seconds, and what it watches changes seldom.
pytestmark = pytest.mark.slow

ROUNDS: Final = 4
# Each round is a storm of requests. `PANNIER_RACES=200` makes as many of them.
STORMS: Final = int(os.environ.get("PANNIER_RACES", "4"))


async def ask(desk: Desk, path: str, **body: Any) -> httpx.Response:
    return await desk.firm.api.post(f"/v1/{path}", json=body)


async def test_drafts_issued_at_once_get_consecutive_numbers(desk: Desk) -> None:
    drafts = []
    for number in range(12):
        customer = await desk.customer(f"Customer {number}")
        await desk.charged(customer)
        drafts.append(await desk.draft(customer))
    issued = await asyncio.gather(*(desk.issue(draft) for draft in drafts))
    numbers = sorted(invoice["number"] for invoice in issued)
    assert numbers == [f"INV-2026-{number:05}" for number in range(1, 13)]
    await check_documents(desk.firm.house)


async def test_a_number_whose_issue_fails_is_not_lost(desk: Desk) -> None:
    ada, bob = await desk.customer(), await desk.customer("Bob")
    order = await desk.charged(ada)
    await desk.charged(bob)
    stale, fresh = await desk.draft(ada), await desk.draft(bob)
    await desk.void(order)
    answers = await asyncio.gather(
        *(ask(desk, f"invoices/{draft['id']}/issue") for draft in (stale, fresh, stale))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409]
    await desk.charged(ada)
    assert (await desk.issued(ada))["number"] == "INV-2026-00002"


async def test_drafts_made_at_once_never_take_the_same_charge(desk: Desk) -> None:
    for _ in range(ROUNDS):
        ada = await desk.customer()
        for _ in range(3):
            await desk.charged(ada)
        answers = await asyncio.gather(*(ask(desk, "invoices", customer=ada) for _ in range(4)))
        assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]
        await check_documents(desk.firm.house)


async def test_an_invoice_credited_twice_at_once_is_credited_once(desk: Desk) -> None:
    for _ in range(ROUNDS):
        ada = await desk.customer()
        await desk.charged(ada)
        invoice = await desk.issued(ada)
        path = f"invoices/{invoice['id']}/credit-note"
        answers = await asyncio.gather(*(ask(desk, path, reason="Wrong.") for _ in range(3)))
        assert sorted(answer.status_code for answer in answers) == [201, 409, 409]
        await check_documents(desk.firm.house)


@pytest.mark.timeout(600)
async def test_a_storm_of_requests_leaves_every_cent_in_place(desk: Desk) -> None:
    locked = await desk.firm.house.value(DEADLOCKS)
    for number in range(STORMS):
        random = Random(number)
        ada = await desk.customer()
        orders = [await desk.charged(ada, amount=100 * random.randint(1, 20)) for _ in range(3)]
        names = [(await desk.transaction(order))["id"] for order in orders]
        first = await desk.issued(ada)
        await desk.charge(orders[0], amount=310)
        draft = await desk.draft(ada)
        line = random.choice(first["lines"])
        storm: list[Coroutine[Any, Any, httpx.Response]] = [
            ask(desk, f"invoices/{draft['id']}/issue"),
            ask(desk, f"invoices/{draft['id']}/refresh"),
            ask(desk, f"invoices/{draft['id']}/issue"),
            ask(desk, "invoices", customer=ada),
            ask(desk, f"invoices/{first['id']}/credit-note", reason="Wrong."),
            ask(
                desk,
                f"invoices/{first['id']}/credit-note",
                reason="!",
                lines=[{"line": line["id"]}],
            ),
            ask(desk, f"invoices/{first['id']}/payments", method="transfer", amount=150),
            ask(desk, f"invoices/{first['id']}/payments", method="cash"),
            ask(desk, f"transactions/{names[1]}/payments", method="transfer"),
            ask(desk, f"transactions/{names[0]}/refund", amount=50),
            ask(desk, f"orders/{orders[2]}/cancel"),
            ask(desk, f"orders/{orders[1]}/charges", kind="goodwill", description="-", amount=-40),
            ask(desk, f"orders/{orders[0]}/charges", kind="waiting", description="+", amount=70),
            desk.void(orders[2]),
        ]
        random.shuffle(storm)
        answers = await asyncio.gather(*storm)
        told = [answer.text for answer in answers if answer.status_code >= 500]
        assert told == []
        await check_documents(desk.firm.house)
        for left in await desk.get(f"invoices?customer={ada}&status=draft"):
            assert (await desk.firm.api.delete(f"/v1/invoices/{left['id']}")).is_success
        rest = await ask(desk, "invoices", customer=ada)
        if rest.status_code == 201:
            await desk.issue(rest.json())
        await check_documents(desk.firm.house, COMPLETE)
    await check_documents(desk.firm.house)
    assert await desk.firm.house.value(DEADLOCKS) == locked
