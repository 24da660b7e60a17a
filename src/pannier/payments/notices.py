"""Where a gateway tells by itself what came of payments: signed, and believed for that alone."""

from typing import Final

import msgspec

from pannier.accounts import auth, doors
from pannier.db import Db
from pannier.payments import facts
from pannier.payments.gateway import Gateway, NotConfigured, NoticeRefused
from pannier.web.exchange import Exchange
from pannier.web.routes import post


class NoticeTaken(msgspec.Struct):
    """What a gateway hears; it asks for no more than the status."""

    received: bool = True


@post("/stripe/notices", status_code=200, problems=[NoticeRefused, NotConfigured])
async def take_notice(exchange: Exchange, db: Db, gateway: Gateway) -> NoticeTaken:
    """Take a notice from Stripe; twice, late or in any order, it comes to the same."""
    told = gateway.read_notice(exchange.headers, exchange.body, db.now)
    await facts.take(db, gateway, *told)
    return NoticeTaken()


routers: Final = (doors.router("/payments", auth.anonymous, "Payments", [take_notice], {}),)
