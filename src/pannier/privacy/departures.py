"""Deletion of closed customers' accounts and grants at gateways and providers.

Each is leased, deleted with no transaction open, and then recorded. A repeat is harmless, and an
unavailable gateway does not delay the others.
"""

from datetime import timedelta
from typing import Final

from pannier.accounts import queries as accounts
from pannier.customers import departures
from pannier.customers.departures import Departure
from pannier.customers.providers import apple
from pannier.customers.providers.registry import ProviderRegistry, SignInStore
from pannier.db import Database
from pannier.errors import Problem
from pannier.jobs.leases import Lease
from pannier.payments.gateway import Gateway
from pannier.web.logs import log

# About a month in total; then our record of it is deleted.
FIRST_WAIT: Final = timedelta(hours=1)
MAX_ATTEMPTS: Final = 32


async def step(database: Database, gateway: Gateway, providers: ProviderRegistry) -> bool:
    """Process one due deletion; False when there is none."""
    async with database.transaction() as db:
        leased = await departures.LEASES.lease(db, Departure, lease=FIRST_WAIT)
    if not leased:
        return False
    due = leased[0]
    deleted = await _delete_external(database, gateway, providers, due)
    is_given_up = due.attempts >= MAX_ATTEMPTS
    if not deleted:
        log.error(
            "external deletion failed", kind=due.kind, party=due.party, attempts=due.attempts,
            given_up=is_given_up,
        )  # fmt: skip
    if deleted or is_given_up:
        async with database.transaction() as db:
            await departures.LEASES.delete(db, Lease(due.uuid, due.attempts))
    return True


async def _delete_external(
    database: Database, gateway: Gateway, providers: ProviderRegistry, due: Departure
) -> bool:
    """Request a deletion, and return whether it succeeded."""
    identifier = departures.unseal(database.keys, due.store, due.sealed)
    if identifier is None:
        return False
    try:
        if due.kind == "payment_account":
            return await _delete_payment_account(gateway, due, identifier)
        return await _revoke_grant(database, providers, due, identifier)
    except Problem:
        return False


async def _delete_payment_account(gateway: Gateway, due: Departure, account: str) -> bool:
    """Delete an account at the configured gateway, if it is the right one."""
    if gateway.name != due.party:
        return False
    await gateway.delete_customer(account)
    return True


async def _revoke_grant(
    database: Database, providers: ProviderRegistry, due: Departure, grant: str
) -> bool:
    async with database.reading() as db:
        row = await accounts.get_store(db, due.company, str(due.store))
        mode = (await accounts.get_company(db, due.company)).mode
    return await apple.revoke(
        providers, SignInStore(database, row, mode), grant, database.clock.now()
    )
