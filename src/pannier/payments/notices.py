"""The webhook of the gateway. A notice is trusted only because of its signature."""

from typing import Final

import msgspec

from pannier.accounts import api_routers, auth
from pannier.db import Db
from pannier.payments import facts
from pannier.payments.gateway import Gateway, GatewayNotConfigured, NoticeRefused
from pannier.web.exchange import Exchange
from pannier.web.routes import post


class NoticeTaken(msgspec.Struct):
    """The response to a notice. Gateways only check its status."""

    received: bool = True


@post("/stripe/notices", status_code=200, problems=[NoticeRefused, GatewayNotConfigured])
async def take_notice(exchange: Exchange, db: Db, gateway: Gateway) -> NoticeTaken:
    """Receive a Stripe webhook. Repeated, late or unordered webhooks have the same result."""
    gateway_facts = gateway.parse_notice(exchange.headers, exchange.body, db.now)
    await facts.record_facts(db, gateway, *gateway_facts)
    return NoticeTaken()


routers: Final = (
    api_routers.guarded_router("/payments", auth.allow_anonymous, "Payments", [take_notice], {}),
)
