"""The receiver of `pannier listen`: a server on this machine for an installation's deliveries."""

import asyncio
import json
import signal
import socket
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from typing import Any, Final

import click
import msgspec
from aiohttp import web

from pannier.accounts.models import Company
from pannier.cli import access
from pannier.cli.forwarding import Forwarder, print_attempt
from pannier.cli.printable import to_printable
from pannier.cli.tables import style
from pannier.cli.validation import parse_as
from pannier.db import Database, Db
from pannier.settings import Settings
from pannier.webhooks import InvalidSignature, local_listener, queries, sealed, service, verify
from pannier.webhooks.models import Webhook
from pannier.webhooks.schemas import WebhookFilters, WebhookIn
from pannier.webhooks.switch import WEBHOOKS

MAX_BODY_BYTES: Final = 16 * 1024 * 1024
# Deliveries that wait to be forwarded, and their bytes. Pannier sends further ones again later.
MAX_QUEUED: Final = 1000
MAX_QUEUED_BYTES: Final = 64 * 1024 * 1024
# Seconds for which waiting deliveries are still forwarded after Ctrl-C.
DRAIN_SECONDS: Final = 5.0
# Ids of deliveries that are printed in one notice.
MAX_NAMED: Final = 10


class WebhookListener:
    """Receives and prints the deliveries to one URL of this machine."""

    def __init__(
        self,
        database: Database,
        company: Company,
        url: str,
        *,
        status: int = 200,
        count: int | None = None,
        as_json: bool = False,
        forwarder: Forwarder | None = None,
    ) -> None:
        self._database, self._company, self._url = database, company, url
        self._status, self._remaining, self._as_json = status, count, as_json
        self._forwarder = forwarder
        # The first one is being forwarded.
        self._waiting: deque[tuple[Mapping[str, str], bytes]] = deque()
        self._waiting_bytes = 0
        self._arrived, self._drained = asyncio.Event(), asyncio.Event()
        self._stopped = asyncio.Event()

    async def wait(self) -> None:
        """Wait for Ctrl-C, or until the requested number of deliveries was received."""
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, self._stopped.set)
        await self._stopped.wait()

    @asynccontextmanager
    async def serve(self, settings: Settings, listener: socket.socket) -> AsyncIterator[None]:
        """Serve the port, and let this installation's webhooks reach it."""
        port = listener.getsockname()[1]
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_route("*", "/{path:.*}", self.handle)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            now = self._database.clock.now()
            context = local_listener.make_server_context(settings.folder, now)
            with local_listener.announce_port(settings.folder, port):
                await web.SockSite(runner, listener, ssl_context=context).start()
                self._print_notice(
                    f"Listening at {self._url} for {self._company.name}. Press Ctrl-C to stop."
                )
                async with self._run_forwarder():
                    yield
        finally:
            await runner.cleanup()
            listener.close()

    @asynccontextmanager
    async def _run_forwarder(self) -> AsyncIterator[None]:
        """Forward queued deliveries within the context, if there is a receiver for them."""
        if self._forwarder is None:
            yield
            return
        async with self._forwarder.open():
            task = asyncio.create_task(self._forward_queue(self._forwarder))
            try:
                yield
                await self._drain_queue()
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                self._report_unforwarded()

    async def _forward_queue(self, forwarder: Forwarder) -> None:
        """Forward deliveries in the order in which they arrived, up to the requested number."""
        while not self._is_complete:
            while not self._waiting:
                self._drained.set()
                self._arrived.clear()
                await self._arrived.wait()
            headers, body = self._waiting[0]
            async for attempt in forwarder.forward(headers, body):
                print_attempt(attempt, as_json=self._as_json)
            self._waiting.popleft()
            self._waiting_bytes -= len(body)
            self._count_delivery()
        self._drained.set()

    def _enqueue(self, headers: Mapping[str, str], body: bytes) -> bool:
        """Queue a delivery to be forwarded. Return False if the queue is full or was closed."""
        is_full = (
            len(self._waiting) >= MAX_QUEUED or self._waiting_bytes + len(body) > MAX_QUEUED_BYTES
        )
        if is_full or self._stopped.is_set():
            return False
        self._waiting.append((headers, body))
        self._waiting_bytes += len(body)
        self._drained.clear()
        self._arrived.set()
        return True

    async def _drain_queue(self) -> None:
        """Give waiting deliveries some time to be forwarded, because they were accepted."""
        if self._waiting and not self._is_complete:
            self._print_notice(
                f"Forwarding {len(self._waiting)} more, for up to {DRAIN_SECONDS:.0f} s."
            )
            with suppress(TimeoutError):
                await asyncio.wait_for(self._drained.wait(), DRAIN_SECONDS)

    def _report_unforwarded(self) -> None:
        """Say which accepted deliveries were not forwarded."""
        if self._waiting:
            names = [headers.get("webhook-id", "") for headers, _ in self._waiting]
            rest = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
            self._print_notice(
                f"Not forwarded: {to_printable(', '.join(names[:MAX_NAMED]))}{rest}."
            )

    @property
    def _is_complete(self) -> bool:
        """Whether the requested number of deliveries was received."""
        return self._remaining is not None and self._remaining <= 0

    async def register(self, events: Sequence[str]) -> None:
        """Register a webhook for our URL, replacing one of an earlier run."""
        webhook_data = parse_as(WebhookIn, {"url": self._url, "events": list(events) or ["*"]})
        await self.unregister()
        async with self._database.transaction() as db:
            new_webhook = await service.register_webhook(db, self._company.uuid, webhook_data)
        webhook = new_webhook.webhook
        self._print_notice(f"Registered {webhook.public_id} for {', '.join(webhook.events)}.")
        if self._forwarder is not None:
            self._print_notice(f"Signing secret: {new_webhook.secret}")

    async def unregister(self) -> None:
        """Delete the webhooks that have exactly our URL."""
        async with self._database.transaction() as db:
            for row in await self._list_webhooks(db):
                if row.url == self._url:
                    await service.delete_webhook(
                        db, await WEBHOOKS.lock(db, row.company, row.public_id)
                    )

    async def handle(self, request: web.Request) -> web.Response:
        """Receive and verify a delivery. Forward it, or print it."""
        body = await request.read()
        async with self._database.reading() as db:
            webhooks = await self._list_webhooks(db)
        keys, now = self._database.keys, self._database.clock.now()
        secrets = [
            secret for row in webhooks for secret in sealed.open_active_secrets(keys, row, now)
        ]
        error = find_verification_error(body, request.headers, secrets, now)
        delivery = ReceivedDelivery(
            at=now,
            path=request.path,
            event=request.headers.get("X-Service-Event", ""),
            id=request.headers.get("webhook-id", ""),
            attempt=request.headers.get("X-Service-Attempt", ""),
            verified=error is None,
            verdict=error or "verified",
            answer=self._status,
            body=decode_body(body),
        )
        if self._forwarder is not None and error is None:
            # Pannier's own retries would repeat what the receiver refused, minutes later.
            if not self._enqueue(request.headers, body):
                return web.Response(status=503, headers={"Retry-After": "5"})
        else:
            click.echo(msgspec.json.encode(delivery) if self._as_json else delivery.to_text())
            self._count_delivery()
        return web.Response(status=self._status if error is None else 401)

    def _count_delivery(self) -> None:
        if self._remaining is not None:
            self._remaining -= 1
            if self._is_complete:
                self._stopped.set()

    async def _list_webhooks(self, db: Db) -> list[Webhook]:
        """List the company's webhooks for our URL, including those that others registered."""
        owner = self._company.uuid
        webhooks = await access.load_all_pages(
            lambda cursor: queries.list_webhooks(
                db, owner, WebhookFilters(limit=100, cursor=cursor)
            )
        )
        return [row for row in webhooks if row.url.startswith(self._url)]

    def _print_notice(self, sentence: str) -> None:
        """Print a notice. With JSON, print it to stderr, because stdout has only deliveries."""
        click.echo(sentence, err=self._as_json)


class ReceivedDelivery(msgspec.Struct):
    """One delivery as it is printed."""

    at: datetime
    path: str
    event: str
    id: str
    attempt: str
    verified: bool
    verdict: str
    answer: int
    body: Any

    def to_text(self) -> str:
        verdict = style(self.verdict, colour="green" if self.verified else "red")
        summary = to_printable(f"{self.path}  {self.id}  attempt {self.attempt}")
        lines = [
            f"{self.at.astimezone():%H:%M:%S}  {to_printable(self.event)}  {verdict}  {summary}"
        ]
        return "\n".join([*lines, *(f"    {line}" for line in to_printable(self.body).split("\n"))])


def find_verification_error(
    body: bytes, headers: Mapping[str, str], secrets: Sequence[str], now: datetime
) -> str | None:
    """Return why a request cannot be verified, or None if it is genuine."""
    if not secrets:
        return "NOT VERIFIED: no webhook of this company has this URL"
    try:
        verify(body, headers, secrets, now=now.timestamp())
    except InvalidSignature as error:
        return f"NOT VERIFIED: {error}"
    return None


def decode_body(body: bytes) -> object:
    """Parse a body as JSON; return it as text if it is not JSON."""
    try:
        return json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")
