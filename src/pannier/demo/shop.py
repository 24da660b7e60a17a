"""Store order system: it hears of deliveries for a moment, not always well, and then is away.

It stands in for `pannier listen` and gives way to it at once, so whoever runs that hears the rest,
and what is tried again.
"""

import socket
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path
from typing import Final
from uuid import UUID

from aiohttp import web

from pannier.db import Db, PageIn
from pannier.webhooks import listening, service
from pannier.webhooks.guard import LISTENER
from pannier.webhooks.listening import STAND_INS, USUAL_PORT, ListeningError
from pannier.webhooks.schemas import WebhookChange, WebhookIn
from pannier.webhooks.switch import WEBHOOKS

CALLED: Final = "Store order system"
# What it hears of at first; and once it is away, what happens so seldom that nobody minds.
OFTEN: Final = ["order.completed", "order.cancelled", "issue.created", "issue.resolved"]
SELDOM: Final = ["issue.created", "issue.resolved"]
# Of so many deliveries it fails at one.
FAILS_AT: Final = 6


class Shop:
    """Answers deliveries on this machine, as long as it is open."""

    def __init__(self, data: Path) -> None:
        self._data, self._heard = data, 0
        self._runner: web.AppRunner | None = None
        self._held = ExitStack()

    async def open(self, now: datetime) -> str:
        """Open, unless another one is; and tell at which address."""
        address = f"https://{LISTENER}:{USUAL_PORT}/shop"
        with suppress(ListeningError, OSError):
            listener = self._held.enter_context(socket.create_server((listening.LOOPBACK, 0)))
            context = listening.server_context(self._data, now)
            port = listener.getsockname()[1]
            self._held.enter_context(listening.opened(self._data, port, STAND_INS))
            app = web.Application()
            app.router.add_post("/shop", self._hear)
            self._runner = web.AppRunner(app, access_log=None)
            await self._runner.setup()
            await web.SockSite(self._runner, listener, ssl_context=context).start()
        return address

    async def close(self) -> None:
        """Close; what comes later finds nobody."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        self._held.close()

    async def _hear(self, _: web.Request) -> web.Response:
        self._heard += 1
        answer = web.json_response({"received": True})
        if self._heard % FAILS_AT == 0:
            answer = web.Response(status=503, text="Temporarily unavailable.")
        # Each delivery looks anew who is here: a listener may have come.
        answer.force_close()
        return answer


async def register(db: Db, company: UUID, address: str) -> None:
    """Register the shop's system for what happens with orders."""
    given = WebhookIn(url=address, events=OFTEN, description=CALLED)
    await service.register(db, company, given)


async def hear_less(db: Db, company: UUID) -> None:
    """Have a shop that is away hear of little, so that little is tried in vain."""
    where = WEBHOOKS.where(company).that("description = :called", called=CALLED)
    for webhook in (await WEBHOOKS.page(db, where, PageIn())).rows:
        if sorted(webhook.events) == sorted(OFTEN):
            await service.change(db, webhook, WebhookChange(events=SELDOM))
