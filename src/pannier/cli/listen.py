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
from pannier.cli import attach
from pannier.cli.given import read_as
from pannier.cli.tables import dyed
from pannier.db import Database, Db
from pannier.installation import InstallationError
from pannier.settings import Settings
from pannier.webhooks import InvalidSignature, listening, queries, sealed, service, verify
from pannier.webhooks.guard import LISTENER
from pannier.webhooks.listening import USUAL_PORT, ListeningError
from pannier.webhooks.models import Webhook
from pannier.webhooks.schemas import WebhookFilters, WebhookIn
from pannier.webhooks.switch import WEBHOOKS

LARGEST: Final = 16 * 1024 * 1024
ONLY_TESTS: Final = (
    "Only test companies' deliveries are shown. "
    "Create one with `pannier bootstrap --another NAME --mode test`."
)


@click.command()
@attach.data_option
@attach.company_option
@click.option(
    "--port",
    type=click.IntRange(1024, 65535),
    help=f"The port to listen on; {USUAL_PORT} or, if that is taken, another, if not given.",
)
@click.option("--register", is_flag=True, help="Register a webhook while listening.")
@click.option(
    "--event",
    "events",
    multiple=True,
    metavar="NAME",
    help="With --register: only this event. Repeatable.",
)
@attach.number_option(
    "--answer", 200, 599, 200, "Response status; deliveries that fail are retried."
)
@click.option("--count", type=click.IntRange(1), help="Stop after this many deliveries.")
@attach.json_option
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

    async def job(database: Database, settings: Settings) -> None:
        async with database.reading() as db:
            owner = await _test_company(db, company)
        listener = _bound(port)
        url = f"https://{LISTENER}:{listener.getsockname()[1]}/"
        ear = Ear(database, owner, url, answer=answer, count=count, as_json=as_json)
        async with ear.opened(settings, listener):
            if register:
                await ear.register(events)
            try:
                await ear.over()
            finally:
                if register:
                    await ear.withdraw()

    try:
        attach.work(data, job)
    except ListeningError as wrong:
        raise InstallationError(str(wrong)) from None


async def _test_company(db: Db, wish: str | None) -> Company:
    """Get the company to listen for: the given one, or the only one in test mode."""
    tests = await accounts.company_names(db, "test")
    company = await attach.company_of(db, wish or (tests[0] if len(tests) == 1 else None))
    if company.mode != "test":
        raise InstallationError(ONLY_TESTS)
    return company


def _bound(port: int | None) -> socket.socket:
    """Bind a port of this machine. By default, the usual one or any free one."""
    for each in (USUAL_PORT, 0) if port is None else (port,):
        with suppress(OSError):
            return socket.create_server((listening.LOOPBACK, each))
    raise InstallationError(f"Port {port} is in use. Choose another with --port.")


class Ear:
    """Receives and prints the deliveries to one URL of this machine."""

    def __init__(
        self,
        database: Database,
        company: Company,
        url: str,
        *,
        answer: int = 200,
        count: int | None = None,
        as_json: bool = False,
    ) -> None:
        self._database, self._company, self._url = database, company, url
        self._answer, self._left, self._as_json = answer, count, as_json
        self._over = asyncio.Event()

    async def over(self) -> None:
        """Wait for Ctrl-C, or until the requested number of deliveries was received."""
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, self._over.set)
        await self._over.wait()

    @asynccontextmanager
    async def opened(self, settings: Settings, listener: socket.socket) -> AsyncIterator[None]:
        """Serve the port, and let this installation's webhooks reach it."""
        port = listener.getsockname()[1]
        app = web.Application(client_max_size=LARGEST)
        app.router.add_route("*", "/{path:.*}", self.hear)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            now = self._database.clock.now()
            context = listening.server_context(settings.folder, now)
            with listening.opened(settings.folder, port):
                await web.SockSite(runner, listener, ssl_context=context).start()
                self._say(
                    f"Listening at {self._url} for {self._company.name}. Press Ctrl-C to stop."
                )
                yield
        finally:
            await runner.cleanup()
            listener.close()

    async def register(self, events: tuple[str, ...]) -> None:
        """Register a webhook for our URL, replacing one of an earlier run."""
        given = read_as(WebhookIn, {"url": self._url, "events": list(events) or ["*"]})
        await self.withdraw()
        async with self._database.transaction() as db:
            made = await service.register(db, self._company.uuid, given)
        self._say(f"Registered {made.webhook.public_id} for {', '.join(made.webhook.events)}.")

    async def withdraw(self) -> None:
        """Delete the webhooks that have exactly our URL."""
        async with self._database.transaction() as db:
            for row in await self._ours(db):
                if row.url == self._url:
                    await service.withdraw(db, await WEBHOOKS.take(db, row.company, row.public_id))

    async def hear(self, request: web.Request) -> web.Response:
        """Receive, verify and print a delivery."""
        body = await request.read()
        async with self._database.reading() as db:
            ours = await self._ours(db)
        keys, now = self._database.keys, self._database.clock.now()
        secrets = [secret for row in ours for secret in sealed.active(keys, row, now)]
        verdict = verdict_on(body, request.headers, secrets, now)
        shown = DeliveryShown(
            at=now,
            path=request.path,
            event=request.headers.get("X-Service-Event", ""),
            id=request.headers.get("webhook-id", ""),
            attempt=request.headers.get("X-Service-Attempt", ""),
            verified=verdict is None,
            verdict=verdict or "verified",
            answer=self._answer,
            body=readable(body),
        )
        click.echo(msgspec.json.encode(shown) if self._as_json else shown.in_words())
        self._count()
        return web.Response(status=self._answer if verdict is None else 401)

    def _count(self) -> None:
        if self._left is not None:
            self._left -= 1
            if self._left <= 0:
                self._over.set()

    async def _ours(self, db: Db) -> list[Webhook]:
        """List the company's webhooks that lead here, including those others registered."""
        owner = self._company.uuid
        found = await attach.every(
            lambda cursor: queries.webhooks(db, owner, WebhookFilters(limit=100, cursor=cursor))
        )
        return [row for row in found if row.url.startswith(self._url)]

    def _say(self, sentence: str) -> None:
        """Print a notice. With JSON it goes to stderr, because stdout has only deliveries."""
        click.echo(sentence, err=self._as_json)


class DeliveryShown(msgspec.Struct):
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

    def in_words(self) -> str:
        verdict = dyed(self.verdict, colour="green" if self.verified else "red")
        about = spelled(f"{self.path}  {self.id}  attempt {self.attempt}")
        lines = [f"{self.at.astimezone():%H:%M:%S}  {spelled(self.event)}  {verdict}  {about}"]
        return "\n".join([*lines, *(f"    {line}" for line in spelled(self.body).split("\n"))])


def verdict_on(
    body: bytes, headers: Mapping[str, str], secrets: Sequence[str], now: datetime
) -> str | None:
    """Return why a request cannot be verified; None if it is genuine."""
    if not secrets:
        return "NOT VERIFIED: no webhook of this company has this URL"
    try:
        verify(body, headers, secrets, now=now.timestamp())
    except InvalidSignature as wrong:
        return f"NOT VERIFIED: {wrong}"
    return None


def readable(body: bytes) -> object:
    """Parse a body as JSON; return it as text if it is not JSON."""
    try:
        return json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")


def spelled(value: object) -> str:
    """Format a value for a terminal, with control characters escaped."""
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    return "".join(
        letter if letter.isprintable() or letter == "\n" else ascii(letter)[1:-1] for letter in text
    )
