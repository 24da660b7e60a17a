"""Payment work left over from a crash, an unavailable gateway or a lost notice.

Work is leased, then sent to the gateway outside a transaction, then recorded. Each request is
recorded before it is sent and has an idempotency key, so repeating it is safe.
"""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Final, TypeVar
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Database, Db
from pannier.errors import Problem
from pannier.jobs.leases import Lease, Leases
from pannier.payments import checkouts, facts
from pannier.payments.checkouts import TRANSIENT_PROBLEMS
from pannier.payments.gateway import Gateway, RefundRequest, check_mode
from pannier.payments.settlement import GatewayFact
from pannier.payments.transactions.models import Checkout, Refund
from pannier.payments.transactions.queries import TRANSACTIONS
from pannier.web.logs import log

BATCH_SIZE: Final = 8
# A minute, two, four … up to a day.
LEASE_DURATION: Final = timedelta(minutes=1)
MAX_RETRY_DELAY: Final = timedelta(days=1)
LEASES: Final = {
    table: Leases(table, doubles_to=MAX_RETRY_DELAY) for table in ("checkouts", "refunds")
}

Leased = TypeVar("Leased", Checkout, Refund)


async def step(database: Database, gateway: Gateway) -> bool:
    """Process pages and refunds that are due. Return False if there are none."""
    async with database.transaction() as db:
        pages = await _lease_rows(db, "checkouts", Checkout, gateway)
        refunds = await _lease_rows(db, "refunds", Refund, gateway)
    results = await asyncio.gather(
        *(_process_page(database, gateway, page) for page in pages),
        *(_process_refund(database, gateway, refund) for refund in refunds),
        return_exceptions=True,
    )
    # A failed row is due again later, and has not delayed the others.
    for failure in filter(None, results):
        raise failure
    return bool(pages or refunds)


async def _lease_rows(db: Db, table: str, row: type[Leased], gateway: Gateway) -> Sequence[Leased]:
    """Lease due rows. After a crash, they become due again."""
    return await LEASES[table].lease(
        db,
        row,
        lease=LEASE_DURATION,
        limit=BATCH_SIZE,
        condition="gateway = :gateway",
        gateway=gateway.name,
    )


async def _process_page(database: Database, gateway: Gateway, page: Checkout) -> None:
    """Open, close or check a page, according to its state."""
    if page.state == "wanted":
        await checkouts.open_page(database, gateway, page)
    elif page.state == "processing":
        await checkouts.check_page(database, gateway, page)
    else:
        await checkouts.close_page(database, gateway, page)


async def _process_refund(database: Database, gateway: Gateway, refund: Refund) -> None:
    """Request a refund, or find out its outcome."""
    try:
        gateway_facts = await _ask_gateway(database, gateway, refund)
    except TRANSIENT_PROBLEMS:
        return
    except Problem as problem:
        log.error("refund refused", refund=refund.public_id, refusal=problem.code)
        async with database.transaction() as db:
            await facts.mark_refund_failed(db, refund.company, refund.uuid, problem.code)
        return
    async with database.transaction() as db:
        await facts.record_facts(db, gateway, *gateway_facts)


async def _ask_gateway(
    database: Database, gateway: Gateway, refund: Refund
) -> Sequence[GatewayFact]:
    """Ask the gateway for the refund, after looking for one that it already made.

    It remembers an idempotency key for about a day, and a refund may be older.
    """
    if refund.attempts > 1 or refund.state == "pending":
        gateway_facts = await gateway.fetch_refunds(refund.payment)
        if refund.state == "pending" or any(
            fact.own_refund == refund.uuid for fact in gateway_facts
        ):
            return gateway_facts
    async with database.reading() as db:
        currency = await _load_currency(db, refund.company, refund.transaction)
        check_mode(gateway, (await company_settings.load(db, refund.company)).mode)
    request = RefundRequest(
        own_refund=refund.uuid, payment=refund.payment, amount=refund.amount, currency=currency
    )
    # The gateway may have been slow, or this machine suspended. Meanwhile another worker may have
    # made the refund, under a key that the gateway no longer remembers.
    if not await _renew_lease(database, refund):
        return []
    return [await gateway.refund(request)]


async def _renew_lease(database: Database, refund: Refund) -> bool:
    """Renew the lease of a refund. Return False if it was lost."""
    lease = Lease(refund.uuid, refund.attempts)
    async with database.transaction() as db:
        return await LEASES["refunds"].extend(db, lease, LEASE_DURATION)


async def _load_currency(db: Db, company: UUID, transaction: UUID) -> str:
    return (await TRANSACTIONS.get(db, company, transaction)).currency


async def purge_unmatched_refunds(database: Database) -> bool:
    """Delete a batch of refunds whose payments never arrived."""
    async with database.transaction() as db:
        return await facts.purge_unmatched_refunds(db) > 0
