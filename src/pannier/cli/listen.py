"""`pannier listen`: receive, verify and print webhook deliveries on this machine."""

import asyncio
import json
import signal
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from typing import Any, Final

import click
import msgspec
from aiohttp import web

from pannier.accounts import queries as accounts
from pannier.accounts.models import Company
from pannier.cli import access
from pannier.cli.tables import style
from pannier.cli.validation import parse_as
from pannier.db import Database, Db
from pannier.installation import InstallationError
from pannier.settings import Settings
from pannier.webhooks import InvalidSignature, local_listener, queries, sealed, service, verify
from pannier.webhooks.guard import LISTENER_HOST
from pannier.webhooks.local_listener import DEFAULT_PORT, ListenerError
from pannier.webhooks.models import Webhook
from pannier.webhooks.schemas import WebhookFilters, WebhookIn
from pannier.webhooks.switch import WEBHOOKS

MAX_BODY_BYTES: Final = 16 * 1024 * 1024
TEST_COMPANIES_ONLY: Final = (
    "Only test companies' deliveries are shown. "
    "Create one with `pannier bootstrap --another NAME --mode test`."
)


@click.command()
@access.data_option
@access.company_option
@click.option(
    "--port",
    type=click.IntRange(1024, 65535),
    help=f"Port to listen on. Defaults to {DEFAULT_PORT}, or a free port if it is in use.",
)
@click.option("--register", is_flag=True, help="Register a webhook while listening.")
@click.option(
    "--event",
    "events",
    multiple=True,
    metavar="NAME",
    help="With --register: only this event. Repeatable.",
)
@access.number_option(
    "--answer", 200, 599, 200, "Response status; deliveries that fail are retried."
)
@click.option("--count", type=click.IntRange(1), help="Stop after this many deliveries.")
@access.json_option
def listen(
    data: str | None,
    company: str | None,
    port: int | None,
    register: bool,
    events: tuple[str, ...],
    answer: int,
    count: int | None,
    as_json: bool,
) -> None:
    """Receive a test company's webhook deliveries on this machine.

    Webhooks reach it at https://listen.localhost:PORT and nowhere else on this machine.
    """

    async def receive(database: Database, settings: Settings) -> None:
        async with database.reading() as db:
            owner = await _get_test_company(db, company)
        listener = _bind_port(port)
        url = f"https://{LISTENER_HOST}:{listener.getsockname()[1]}/"
        receiver = WebhookListener(
            database, owner, url, status=answer, count=count, as_json=as_json
        )
        async with receiver.serve(settings, listener):
            if register:
                await receiver.register(events)
            try:
                await receiver.wait()
            finally:
                if register:
                    await receiver.unregister()

    try:
        access.run(data, receive)
    except ListenerError as error:
        raise InstallationError(str(error)) from None


async def _get_test_company(db: Db, identifier: str | None) -> Company:
    """Get the company to listen for: the specified one, or the only one in test mode."""
    company_ids = await accounts.list_company_ids(db, "test")
    company = await access.get_company(
        db, identifier or (company_ids[0] if len(company_ids) == 1 else None)
    )
    if company.mode != "test":
        raise InstallationError(TEST_COMPANIES_ONLY)
    return company


def _bind_port(port: int | None) -> socket.socket:
    """Bind a port of this machine: the specified one, or the default one, or any free one."""
    for candidate in (DEFAULT_PORT, 0) if port is None else (port,):
        with suppress(OSError):
            return socket.create_server((local_listener.LOOPBACK, candidate))
    raise InstallationError(f"Port {port} is in use. Choose another with --port.")


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
    ) -> None:
        self._database, self._company, self._url = database, company, url
        self._status, self._remaining, self._as_json = status, count, as_json
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
                yield
        finally:
            await runner.cleanup()
            listener.close()

    async def register(self, events: tuple[str, ...]) -> None:
        """Register a webhook for our URL, replacing one of an earlier run."""
        webhook_data = parse_as(WebhookIn, {"url": self._url, "events": list(events) or ["*"]})
        await self.unregister()
        async with self._database.transaction() as db:
            new_webhook = await service.register_webhook(db, self._company.uuid, webhook_data)
        webhook = new_webhook.webhook
        self._print_notice(f"Registered {webhook.public_id} for {', '.join(webhook.events)}.")

    async def unregister(self) -> None:
        """Delete the webhooks that have exactly our URL."""
        async with self._database.transaction() as db:
            for row in await self._list_webhooks(db):
                if row.url == self._url:
                    await service.delete_webhook(
                        db, await WEBHOOKS.lock(db, row.company, row.public_id)
                    )

    async def handle(self, request: web.Request) -> web.Response:
        """Receive, verify and print a delivery."""
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
        click.echo(msgspec.json.encode(delivery) if self._as_json else delivery.to_text())
        self._count_delivery()
        return web.Response(status=self._status if error is None else 401)

    def _count_delivery(self) -> None:
        if self._remaining is not None:
            self._remaining -= 1
            if self._remaining <= 0:
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


def to_printable(value: object) -> str:
    """Format a value for a terminal, with control characters escaped."""
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    return "".join(
        letter if letter.isprintable() or letter == "\n" else ascii(letter)[1:-1] for letter in text
    )
