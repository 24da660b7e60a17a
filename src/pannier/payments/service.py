"""Operations on payments: load stored data, call the gateway, save its response.

They take the database instead of a transaction: a gateway may be slow, and no connection is held
meanwhile.
"""

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import msgspec

from pannier.customers import departures, reauthentication
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

GatewayObject = TypeVar("GatewayObject")


class GatewayGrant(msgspec.Struct, Generic[GatewayObject], frozen=True):
    """A gateway's object for a customer, with the customer's account."""

    account: str
    publishable_key: str
    gateway_object: GatewayObject


async def create_ephemeral_key(
    database: Database, gateway: Gateway, shopper: Shopper, api_version: str | None
) -> GatewayGrant[EphemeralKey]:
    """Create a key with which a customer's app can access their account."""

    async def call_gateway(account: str) -> EphemeralKey:
        return await gateway.create_ephemeral_key(account, api_version)

    return await _call_with_account(database, gateway, shopper, call_gateway)


async def create_setup_intent(
    database: Database, gateway: Gateway, shopper: Shopper, operation_id: str
) -> GatewayGrant[SetupIntent]:
    """Prepare to save a card. The same operation creates the same intent."""

    async def call_gateway(account: str) -> SetupIntent:
        return await gateway.create_setup_intent(account, f"setup-{operation_id}-{account}")

    return await _call_with_account(database, gateway, shopper, call_gateway)


async def _call_with_account(
    database: Database,
    gateway: Gateway,
    shopper: Shopper,
    call_gateway: Callable[[str], Awaitable[GatewayObject]],
) -> GatewayGrant[GatewayObject]:
    """Call the gateway for a customer's account. Replace one that was deleted there, once."""
    account = await _get_or_open_account(database, gateway, shopper)
    try:
        result = await call_gateway(account)
    except AccountGone:
        account = await _open_account(database, gateway, shopper, replaced=account)
        result = await call_gateway(account)
    return GatewayGrant(account, gateway.publishable_key, result)


async def _get_or_open_account(database: Database, gateway: Gateway, shopper: Shopper) -> str:
    """Return the shopper's gateway account, opening one if needed.

    Raise `SignInUnproved` if the sign-in was accepted without proof of identity.
    """
    reauthentication.require_proof(shopper)
    async with database.reading() as db:
        account_status = await queries.load_account_status(
            db, shopper.company, shopper.customer, gateway.name
        )
    check_mode(gateway, account_status.mode)
    return account_status.account or await _open_account(database, gateway, shopper, replaced=None)


async def _open_account(
    database: Database, gateway: Gateway, shopper: Shopper, *, replaced: str | None
) -> str:
    """Create an account. Concurrent calls create the same one, because their key is the same.

    If the customer was erased meanwhile, queue the deletion of the new account.
    """
    key = f"customer-{shopper.customer}" + (f"-after-{replaced}" if replaced else "")
    account = await gateway.create_customer(shopper.public_id, key)
    async with database.transaction() as db:
        customer = await CUSTOMERS.lock(db, shopper.company, shopper.customer)
        if customer.erased_at is None:
            row = PaymentCustomer(
                company=shopper.company,
                customer=shopper.customer,
                gateway=gateway.name,
                account=account,
                created_at=db.now,
            )
            return await queries.save_account(db, shopper.company, row, replaced=replaced)
        await departures.schedule_account_deletion(db, customer, gateway.name, account)
    raise CustomerTokenInvalid
