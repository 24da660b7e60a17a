"""Routes of payments for customers' apps."""

from pannier.customers import doors
from pannier.customers.auth import Shopper
from pannier.customers.fresh import SignInUnproved
from pannier.payments import gateway as gateways
from pannier.payments import notices, pages, service
from pannier.payments.gateway import Gateway
from pannier.payments.schemas import EphemeralKeyIn, EphemeralKeyOut, SetupIntentOut
from pannier.payments.transactions import api as transactions
from pannier.web.exchange import Exchange
from pannier.web.routes import post

PROBLEMS = [
    gateways.NotConfigured, gateways.GatewayIsTest, gateways.Misconfigured, gateways.Refused,
    gateways.AccountGone, gateways.GatewayAway, gateways.CardRefused, SignInUnproved,
]  # fmt: skip


async def create_ephemeral_key(
    caller: Shopper, data: EphemeralKeyIn, exchange: Exchange, gateway: Gateway
) -> EphemeralKeyOut:
    """Create a key that lets the app show and save the customer's cards for an hour."""
    async with exchange.edge.outside(exchange):
        granted = await service.ephemeral_key(
            exchange.edge.database, gateway, caller, data.api_version
        )
    return EphemeralKeyOut.of(granted)


async def create_setup_intent(
    caller: Shopper, exchange: Exchange, gateway: Gateway
) -> SetupIntentOut:
    """Prepare to save a card without charging it."""
    async with exchange.edge.outside(exchange) as operation_id:
        granted = await service.setup_intent(exchange.edge.database, gateway, caller, operation_id)
    return SetupIntentOut.of(granted)


# Existing apps use the second name.
HANDLERS = [
    post(f"/customers/{name}", status_code=200, problems=PROBLEMS)(handler)
    for handler, names in (
        (create_ephemeral_key, ("payment-ephemeral-key", "stripe-ephemeral-key")),
        (create_setup_intent, ("payment-setup-intent", "stripe-setup-intent")),
    )
    for name in names
]
router = doors.for_customers("Payments", HANDLERS)
routers = (router, *notices.routers, pages.router, *transactions.routers)
