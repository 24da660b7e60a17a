"""The webhook of the gateway. Its notices are trusted only for their signature."""

from typing import Final

import msgspec

from pannier.accounts import auth, doors
from pannier.db import Db
from pannier.payments import facts
from pannier.payments.gateway import Gateway, NotConfigured, NoticeRefused
from pannier.web.exchange import Exchange
from pannier.web.routes import post


class NoticeTaken(msgspec.Struct):
    """The answer to a notice. Gateways only look at the status."""

    received: bool = True


@post("/stripe/notices", status_code=200, problems=[NoticeRefused, NotConfigured])
async def take_notice(exchange: Exchange, db: Db, gateway: Gateway) -> NoticeTaken:
    """Take a notice from Stripe. Repeated, late or unordered notices have the same result."""
    told = gateway.read_notice(exchange.headers, exchange.body, db.now)
    await facts.take(db, gateway, *told)
    return NoticeTaken()


routers: Final = (doors.router("/payments", auth.anonymous, "Payments", [take_notice], {}),)
