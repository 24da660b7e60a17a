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
    """Process one due deletion; return False if there is none."""
    async with database.transaction() as db:
        due_departures = await departures.LEASES.lease(db, Departure, lease=FIRST_WAIT)
    if not due_departures:
        return False
    departure = due_departures[0]
    is_deleted = await _delete_external(database, gateway, providers, departure)
    is_given_up = departure.attempts >= MAX_ATTEMPTS
    if not is_deleted:
        log.error(
            "external deletion failed",
            kind=departure.kind,
            party=departure.party,
            attempts=departure.attempts,
            given_up=is_given_up,
        )
    if is_deleted or is_given_up:
        async with database.transaction() as db:
            await departures.LEASES.delete(db, Lease(departure.uuid, departure.attempts))
    return True


async def _delete_external(
    database: Database, gateway: Gateway, providers: ProviderRegistry, departure: Departure
) -> bool:
    """Request a deletion; return whether it succeeded."""
    identifier = departures.unseal(database.keys, departure.store, departure.sealed)
    if identifier is None:
        return False
    try:
        if departure.kind == "payment_account":
            return await _delete_payment_account(gateway, departure, identifier)
        return await _revoke_grant(database, providers, departure, identifier)
    except Problem:
        return False


async def _delete_payment_account(gateway: Gateway, departure: Departure, account: str) -> bool:
    """Delete an account, if the configured gateway is the one that has it."""
    if gateway.name != departure.party:
        return False
    await gateway.delete_customer(account)
    return True


async def _revoke_grant(
    database: Database, providers: ProviderRegistry, departure: Departure, grant: str
) -> bool:
    async with database.reading() as db:
        row = await accounts.get_store(db, departure.company, str(departure.store))
        mode = (await accounts.get_company(db, departure.company)).mode
    return await apple.revoke_grant(
        providers, SignInStore(database, row, mode), grant, database.clock.now()
    )
