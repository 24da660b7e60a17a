"""`pannier listen`: receive, verify, print and forward webhook deliveries on this machine."""

import asyncio
import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import click
from click.core import ParameterSource

from pannier.accounts import queries as accounts
from pannier.accounts.models import Company
from pannier.cli import access
from pannier.cli.forwarding import Forwarder, parse_target, print_attempt
from pannier.cli.local_webhooks import WebhookListener
from pannier.cli.printable import to_printable
from pannier.cli.remote_webhooks import WebhookStream
from pannier.db import Database, Db
from pannier.installation import InstallationError
from pannier.settings import Settings
from pannier.webhooks import local_listener
from pannier.webhooks.guard import LISTENER_HOST
from pannier.webhooks.local_listener import DEFAULT_PORT, ListenerError

# Options that only listening on this machine has.
LOCAL_OPTIONS: Final = ("data", "company", "port", "register")
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
    "--events",
    "events",
    multiple=True,
    metavar="NAME",
    help="Only this event, or names and groups such as order.* with commas. Repeatable.",
)
@click.option(
    "--forward-to",
    "target",
    metavar="URL",
    help="Forward each delivery to a receiver, with its headers and bytes. Implies --register.",
)
@click.option(
    "--url",
    "origin",
    metavar="ORIGIN",
    envvar="PANNIER_API_URL",
    help="With --forward-to: receive from this installation, through its API.",
)
@click.option(
    "--key",
    metavar="KEY",
    envvar="PANNIER_API_KEY",
    help="With --url: an API key of a test company (PANNIER_API_KEY).",
)
@access.number_option(
    "--retries", 0, 10, 0, "With --forward-to: retries if the receiver does not respond with 2xx."
)
@click.option(
    "--skip-verify",
    is_flag=True,
    help="With --forward-to: accept any certificate of the receiver.",
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
    target: str | None,
    origin: str | None,
    key: str | None,
    retries: int,
    skip_verify: bool,
    answer: int,
    count: int | None,
    as_json: bool,
) -> None:
    """Receive a test company's webhook deliveries on this machine.

    Webhooks reach it at https://listen.localhost:PORT and nowhere else on this machine. With --url
    and --key, they come from another machine's API, and this one needs no installation.
    """
    if _should_ignore_origin(target, key):
        origin = None
    should_register = register or target is not None
    names = [name for text in events for name in text.split(",") if name]
    forwarder = None
    if target is not None:
        forwarder = Forwarder(parse_target(target), retries=retries, verifies=not skip_verify)
    if origin is not None:
        if forwarder is None or key is None:
            raise InstallationError("--url needs --forward-to and --key.")
        asyncio.run(forward_remote(origin, key, names, forwarder, count=count, as_json=as_json))
        return

    async def receive(database: Database, settings: Settings) -> None:
        async with database.reading() as db:
            owner = await _get_test_company(db, company)
        listener = _bind_port(port)
        url = f"https://{LISTENER_HOST}:{listener.getsockname()[1]}/"
        receiver = WebhookListener(
            database, owner, url, status=answer, count=count, as_json=as_json, forwarder=forwarder
        )
        async with receiver.serve(settings, listener):
            if should_register:
                await receiver.register(names)
            try:
                await receiver.wait()
            finally:
                if should_register:
                    await receiver.unregister()

    try:
        access.run(data, receive)
    except ListenerError as error:
        raise InstallationError(str(error)) from None


def _should_ignore_origin(target: str | None, key: str | None) -> bool:
    """Tell whether to listen on this machine although the environment names another one.

    The variable also serves other programs. Here it counts only with a receiver and a key, and
    without options of this machine's installation.
    """
    get_source = click.get_current_context().get_parameter_source
    is_local = any(get_source(name) is ParameterSource.COMMANDLINE for name in LOCAL_OPTIONS)
    return get_source("origin") is ParameterSource.ENVIRONMENT and (
        is_local or target is None or key is None
    )


async def forward_remote(
    origin: str,
    key: str,
    names: Sequence[str],
    forwarder: Forwarder,
    *,
    count: int | None = None,
    as_json: bool = False,
) -> None:
    """Forward a remote installation's webhooks until Ctrl-C, or until `count` were forwarded."""

    def notify(sentence: str) -> None:
        # A part of it is what the server sent.
        click.echo(to_printable(sentence), err=as_json)

    stream, remaining = WebhookStream(origin, key, names, notify), count
    notify(f"Forwarding {stream.origin} to {forwarder.target}. Press Ctrl-C to stop.")
    async with forwarder.open():
        async for webhook in stream.follow():
            async for attempt in forwarder.forward(webhook.headers, webhook.body.encode()):
                print_attempt(attempt, as_json=as_json)
            if remaining is not None:
                remaining -= 1
                if remaining <= 0:
                    return


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
