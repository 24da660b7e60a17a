"""Operations on payments: load what is known, call the gateway, save its answer.

They take the database instead of a transaction: a gateway may be slow, and no connection is held
while waiting for it.
"""

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import msgspec

from pannier.customers import departures, fresh
from pannier.customers.auth import CustomerTokenInvalid, Shopper
from pannier.customers.queries import CUSTOMERS
from pannier.db import Database
from pannier.payments import queries
from pannier.payments.gateway import (
    AccountGone,
    EphemeralKey,
    Gateway,
    SetupIntent,
    check_mode,
)
from pannier.payments.models import PaymentCustomer

Made = TypeVar("Made")


class Granted(msgspec.Struct, Generic[Made], frozen=True):
    """A gateway's object for a customer, with the customer's account."""

    account: str
    publishable_key: str
    made: Made


async def ephemeral_key(
    database: Database, gateway: Gateway, shopper: Shopper, api_version: str | None
) -> Granted[EphemeralKey]:
    """Create a key with which a customer's app can access their account."""

    async def ask(account: str) -> EphemeralKey:
        return await gateway.ephemeral_key(account, api_version)

    return await _granted(database, gateway, shopper, ask)


async def setup_intent(
    database: Database, gateway: Gateway, shopper: Shopper, operation_id: str
) -> Granted[SetupIntent]:
    """Prepare to save a card. The same operation creates the same intent."""

    async def ask(account: str) -> SetupIntent:
        return await gateway.setup_intent(account, f"setup-{operation_id}-{account}")

    return await _granted(database, gateway, shopper, ask)


async def _granted(
    database: Database,
    gateway: Gateway,
    shopper: Shopper,
    ask: Callable[[str], Awaitable[Made]],
) -> Granted[Made]:
    """Call the gateway for a customer's account. Replace one that was deleted there, once."""
    account = await _account(database, gateway, shopper)
    try:
        made = await ask(account)
    except AccountGone:
        account = await _open(database, gateway, shopper, gone=account)
        made = await ask(account)
    return Granted(account, gateway.publishable_key, made)


async def _account(database: Database, gateway: Gateway, shopper: Shopper) -> str:
    fresh.require_proof(shopper)
    async with database.reading() as db:
        known = await queries.standing(db, shopper.company, shopper.customer, gateway.name)
    check_mode(gateway, known.mode)
    return known.account or await _open(database, gateway, shopper, gone=None)


async def _open(database: Database, gateway: Gateway, shopper: Shopper, *, gone: str | None) -> str:
    """Create an account. Concurrent calls create the same one, because their key is the same.

    If the customer was erased meanwhile, queue the deletion of the new account.
    """
    key = f"customer-{shopper.customer}" + (f"-after-{gone}" if gone else "")
    account = await gateway.create_customer(shopper.public_id, key)
    async with database.transaction() as db:
        customer = await CUSTOMERS.take(db, shopper.company, shopper.customer)
        if customer.erased_at is None:
            row = PaymentCustomer(
                company=shopper.company,
                customer=shopper.customer,
                gateway=gateway.name,
                account=account,
                created_at=db.now,
            )
            return await queries.keep(db, shopper.company, row, gone=gone)
        await departures.leave_gateway(db, customer, gateway.name, account)
    raise CustomerTokenInvalid
