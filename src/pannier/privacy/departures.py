"""Having gateways and providers give up what they have of customers who left.

Leased, then asked with no transaction open, then struck off: a repeat does no harm, and a gateway
that is away holds up nobody else.
"""

from datetime import timedelta
from typing import Final

from pannier.accounts import queries as accounts
from pannier.customers import departures
from pannier.customers.departures import Departure
from pannier.customers.providers import provider_a
from pannier.customers.providers.registry import Providers, Shop
from pannier.db import Database
from pannier.errors import Problem
from pannier.jobs.leases import Lease
from pannier.payments.gateway import Gateway
from pannier.web.logs import log

# About a month in all; then our record of it is deleted.
FIRST_WAIT: Final = timedelta(hours=1)
MOST_ATTEMPTS: Final = 32


async def step(database: Database, gateway: Gateway, providers: Providers) -> bool:
    """Ask about one thing whose turn it is; False when there is none."""
    async with database.transaction() as db:
        leased = await departures.LEASES.lease(db, Departure, lease=FIRST_WAIT)
    if not leased:
        return False
    due = leased[0]
    gone = await _given_up(database, gateway, providers, due)
    hopeless = due.attempts >= MOST_ATTEMPTS
    if not gone:
        log.error(
            "departure refused", kind=due.kind, party=due.party, attempts=due.attempts,
            given_up=hopeless,
        )  # fmt: skip
    if gone or hopeless:
        async with database.transaction() as db:
            await departures.LEASES.remove(db, Lease(due.uuid, due.attempts))
    return True


async def _given_up(
    database: Database, gateway: Gateway, providers: Providers, due: Departure
) -> bool:
    """Ask whoever has it to give it up, and tell whether they have."""
    known = departures.unseal(database.keys, due.store, due.sealed)
    if known is None:
        return False
    try:
        if due.kind == "payment_account":
            return await _deleted(gateway, due, known)
        return await _revoked(database, providers, due, known)
    except Problem:
        return False


async def _deleted(gateway: Gateway, due: Departure, account: str) -> bool:
    """Have a gateway delete an account; another gateway than its own is not asked."""
    if gateway.name != due.party:
        return False
    await gateway.delete_customer(account)
    return True


async def _revoked(database: Database, providers: Providers, due: Departure, grant: str) -> bool:
    async with database.reading() as db:
        row = await accounts.store(db, due.company, str(due.store))
        mode = (await accounts.company(db, due.company)).mode
    return await provider_a.revoke(
        providers, Shop(database, row, mode), grant, database.clock.now()
    )
