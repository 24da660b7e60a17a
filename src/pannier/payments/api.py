"""Routes of payments for customers' apps."""

from typing import Any

from pannier.accounts import api_routers
from pannier.accounts.auth import Caller
from pannier.customers import storefront_routers
from pannier.customers.auth import Shopper
from pannier.customers.reauthentication import SignInUnproved
from pannier.db import Db
from pannier.errors import NotFound
from pannier.payments import billing_identities, notices, pages, service
from pannier.payments import gateway as gateways
from pannier.payments.gateway import Gateway
from pannier.payments.schemas import (
    BillingIdentityOut,
    EphemeralKeyIn,
    EphemeralKeyOut,
    SetupIntentOut,
)
from pannier.payments.transactions import api as transactions
from pannier.payments.transactions.queries import TRANSACTIONS
from pannier.web.exchange import Exchange
from pannier.web.former_names import Deprecation
from pannier.web.routes import get, post
from pannier.web.serialization import to_schema

PROBLEMS = [
    gateways.GatewayNotConfigured,
    gateways.GatewayIsTest,
    gateways.GatewayMisconfigured,
    gateways.GatewayRefused,
    gateways.AccountGone,
    gateways.GatewayUnavailable,
    gateways.CardRefused,
    SignInUnproved,
]


async def create_ephemeral_key(
    caller: Shopper, data: EphemeralKeyIn, exchange: Exchange, gateway: Gateway
) -> EphemeralKeyOut:
    """Create a key that lets the app show and save the customer's cards for an hour."""
    async with exchange.edge.suspend_transaction(exchange):
        grant = await service.create_ephemeral_key(
            exchange.edge.database, gateway, caller, data.api_version
        )
    return EphemeralKeyOut.from_grant(grant)


async def create_setup_intent(
    caller: Shopper, exchange: Exchange, gateway: Gateway
) -> SetupIntentOut:
    """Prepare to save a card without charging it."""
    async with exchange.edge.suspend_transaction(exchange) as operation_id:
        grant = await service.create_setup_intent(
            exchange.edge.database, gateway, caller, operation_id
        )
    return SetupIntentOut.from_grant(grant)


@get("/transactions/{transaction_id:str}/billing-identity", problems=[NotFound])
async def get_billing_identity(caller: Caller, transaction_id: str, db: Db) -> BillingIdentityOut:
    """Retrieve the name and address of an erased payer, kept until everything is settled."""
    transaction = await TRANSACTIONS.get(db, caller.company, transaction_id)
    contacts = [] if transaction.customer is None else [transaction.customer]
    identities = await billing_identities.list_identities(db, caller.company, contacts)
    if not identities:
        raise NotFound
    return to_schema(identities[0], BillingIdentityOut)


def _make_handlers(function: Any, name: str, former_name: str) -> list[Any]:  # noqa: ANN401 - a handler
    """Make the handlers of a path and of its former name, which existing apps use."""
    former_path = f"/customers/{former_name}"
    deprecation = Deprecation(f"/storefront/v1/customers/{name}")
    return [
        post(f"/customers/{name}", status_code=200, problems=PROBLEMS)(function),
        post(former_path, status_code=200, problems=PROBLEMS, deprecated=deprecation)(function),
    ]


HANDLERS = [
    *_make_handlers(create_ephemeral_key, "payment-ephemeral-key", "stripe-ephemeral-key"),
    *_make_handlers(create_setup_intent, "payment-setup-intent", "stripe-setup-intent"),
]
router = storefront_routers.customer_router("Payments", HANDLERS)
operator_router = api_routers.operator_router("Transactions", "viewer", [get_billing_identity])
routers = (router, operator_router, *notices.routers, pages.router, *transactions.routers)
