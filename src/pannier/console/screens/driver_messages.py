"""Forms that answer the messages of drivers."""

from typing import Final

from litestar import Response

from pannier.console import conversations
from pannier.console.screens.drivers import DRIVERS
from pannier.console.screens.order import ORDER
from pannier.web.exchange import Exchange
from pannier.web.routes import post


@post("/drivers/{identifier:str}/messages", status_code=200)
async def answer_driver(exchange: Exchange, identifier: str) -> Response[bytes]:
    url = DRIVERS.record_url(identifier)
    return await conversations.answer_thread(exchange, "driver", identifier, url)


@post("/orders/{identifier:str}/messages", status_code=200)
async def answer_order(exchange: Exchange, identifier: str) -> Response[bytes]:
    url = ORDER.record_url(identifier)
    return await conversations.answer_thread(exchange, "order", identifier, url)


handlers: Final = [answer_driver, answer_order]
