"""A store's order system: it receives webhooks for a short time, with some failures, then stops.

It stands in for `pannier listen`, which replaces it at once and receives all later deliveries and
retries.
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
# Its events at first, and the rare ones that remain once it has stopped.
OFTEN: Final = ["order.completed", "order.cancelled", "issue.created", "issue.resolved"]
SELDOM: Final = ["issue.created", "issue.resolved"]
# One of this many deliveries fails.
FAILS_AT: Final = 6


class Shop:
    """Receives deliveries on this machine while it is open."""

    def __init__(self, data: Path) -> None:
        self._data, self._heard = data, 0
        self._runner: web.AppRunner | None = None
        self._held = ExitStack()

    async def open(self, now: datetime) -> str:
        """Open the port unless another receiver has it; return the URL."""
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
        """Close the port; later deliveries fail."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        self._held.close()

    async def _hear(self, _: web.Request) -> web.Response:
        self._heard += 1
        answer = web.json_response({"received": True})
        if self._heard % FAILS_AT == 0:
            answer = web.Response(status=503, text="Temporarily unavailable.")
        # Each delivery makes a new connection, because `pannier listen` may have started.
        answer.force_close()
        return answer


async def register(db: Db, company: UUID, address: str) -> None:
    """Register the receiver's webhook for order events."""
    given = WebhookIn(url=address, events=OFTEN, description=CALLED)
    await service.register(db, company, given)


async def hear_less(db: Db, company: UUID) -> None:
    """Reduce the closed receiver's webhook to rare events, to limit failed deliveries."""
    where = WEBHOOKS.where(company).that("description = :called", called=CALLED)
    for webhook in (await WEBHOOKS.page(db, where, PageIn())).rows:
        if sorted(webhook.events) == sorted(OFTEN):
            await service.change(db, webhook, WebhookChange(events=SELDOM))
