"""A store's order system: it receives webhooks for a short time, with some failures, then stops.

`pannier listen` replaces it at once, and receives all later deliveries and retries.
"""

import socket
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path
from typing import Final
from uuid import UUID

from aiohttp import web

from pannier.db import Db, PageIn
from pannier.webhooks import local_listener, service
from pannier.webhooks.guard import LISTENER_HOST
from pannier.webhooks.local_listener import DEFAULT_PORT, STAND_IN_FILE, ListenerError
from pannier.webhooks.schemas import WebhookChange, WebhookIn
from pannier.webhooks.switch import WEBHOOKS

DESCRIPTION: Final = "Store order system"
# The events of its webhook at first, and the rare ones after it has stopped.
FIRST_EVENTS: Final = ["order.completed", "order.cancelled", "issue.created", "issue.resolved"]
RARE_EVENTS: Final = ["issue.created", "issue.resolved"]
# One delivery in this number fails.
FAILURE_INTERVAL: Final = 6


class WebhookReceiver:
    """Receives deliveries on this machine while it is open."""

    def __init__(self, data: Path) -> None:
        self._data, self._count = data, 0
        self._runner: web.AppRunner | None = None
        self._resources = ExitStack()

    async def open(self, now: datetime) -> str:
        """Open the port unless another receiver has it. Return the URL."""
        address = f"https://{LISTENER_HOST}:{DEFAULT_PORT}/shop"
        with suppress(ListenerError, OSError):
            listener = self._resources.enter_context(
                socket.create_server((local_listener.LOOPBACK, 0))
            )
            context = local_listener.make_server_context(self._data, now)
            port = listener.getsockname()[1]
            self._resources.enter_context(
                local_listener.announce_port(self._data, port, STAND_IN_FILE)
            )
            app = web.Application()
            app.router.add_post("/shop", self._handle_delivery)
            self._runner = web.AppRunner(app, access_log=None)
            await self._runner.setup()
            await web.SockSite(self._runner, listener, ssl_context=context).start()
        return address

    async def close(self) -> None:
        """Close the port. Later deliveries fail."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        self._resources.close()

    async def _handle_delivery(self, _: web.Request) -> web.Response:
        self._count += 1
        response = web.json_response({"received": True})
        if self._count % FAILURE_INTERVAL == 0:
            response = web.Response(status=503, text="Temporarily unavailable.")
        # Each delivery makes a new connection, because `pannier listen` may have started.
        response.force_close()
        return response


async def register(db: Db, company: UUID, address: str) -> None:
    """Register the receiver's webhook for order events."""
    webhook_data = WebhookIn(url=address, events=FIRST_EVENTS, description=DESCRIPTION)
    await service.register_webhook(db, company, webhook_data)


async def reduce_events(db: Db, company: UUID) -> None:
    """Reduce the closed receiver's webhook to rare events, to limit failed deliveries."""
    where = WEBHOOKS.where(company).add("description = :description", description=DESCRIPTION)
    for webhook in (await WEBHOOKS.load_page(db, where, PageIn())).rows:
        if sorted(webhook.events) == sorted(FIRST_EVENTS):
            await service.change_webhook(db, webhook, WebhookChange(events=RARE_EVENTS))
