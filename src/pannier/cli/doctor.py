"""`pannier doctor`: check everything that a running installation needs.

It changes nothing. If there is no installation, it says so and creates none.
"""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple

import asyncpg
import click
import msgspec

from pannier.cli import attach, checks
from pannier.cli.tables import dyed
from pannier.db import embedded, heartbeats, migrate
from pannier.db.clock import REPORTED_SKEW, DatabaseClock
from pannier.db.connections import CONFUSED, Connection, Connections, Overloaded
from pannier.db.link import TransactionPoolingError, refuse_transaction_pooling
from pannier.devices.metrics import PUT_OFF
from pannier.devices.partitions import STRAYS
from pannier.devices.streams import addresses
from pannier.devices.streams.shares import AwayError
from pannier.installation import FINGERPRINT, PASSING, keyring, unreachable
from pannier.kit.clock import SystemClock
from pannier.kit.durations import spoken
from pannier.news import metrics as news
from pannier.payments.configuration import is_test_gateway
from pannier.settings import Settings, SettingsError, kept_secret, load

OLDEST_POSTGRES: Final = 150_000
LEAST_FREE: Final = 1 << 30
BEAT_WITHIN: Final = timedelta(seconds=30)
TOLD_WITHIN: Final = timedelta(minutes=5)
NOTED_WITHIN: Final = timedelta(minutes=1)

# These sentences never contain keys of the payment gateway.
PAYMENTS: Final = {
    "none": "",
    "fake": " Payments are fake.",
    "stripe": " Payments go through Stripe.",
}

UNHEARD: Final = (
    "PANNIER_STRIPE_WEBHOOK_SECRET is not set. Payments are confirmed up to a day late."
)

TEST_ONLY: Final = "The payment gateway is a test gateway. Live companies cannot use it."
TEST_ON_LIVE: Final = (
    "The test payment gateway is enabled for live companies: orders count as paid "
    "without any payment. Unset PANNIER_TEST_PAYMENTS_ON_LIVE."
)

SHOWN: Final = {"ok": "ok", "note": "note", "wrong": "WRONG"}
COLOURS: Final = {"ok": "green", "note": "yellow", "wrong": "red"}

Verdict = Literal["ok", "note", "wrong"]


class Finding(NamedTuple):
    """The result of one check."""

    words: str
    verdict: Verdict = "ok"


def amiss(words: str) -> Finding:
    """Return the result for a problem that must be fixed."""
    return Finding(words, "wrong")


Check = Callable[[Settings, Connection], Awaitable[Finding]]


def once_there(table: str, otherwise: str) -> Callable[[Check], Check]:
    """Skip a check while its table does not exist, and return a sentence instead."""

    def guarded(check: Check) -> Check:
        async def look(settings: Settings, connection: Connection) -> Finding:
            if await connection.fetchval("select to_regclass($1) is null", table):
                return Finding(otherwise)
            return await check(settings, connection)

        return look

    return guarded


async def _version(_: Settings, connection: Connection) -> Finding:
    number = int(await connection.fetchval("show server_version_num"))
    name = f"PostgreSQL {number // 10000}.{number % 10000}"
    if number < OLDEST_POSTGRES:
        return amiss(f"{name} is too old. Pannier needs version 15 or later.")
    if await connection.fetchval("select current_setting('transaction_read_only')::boolean"):
        return amiss(f"{name} is read-only or a standby.")
    return Finding(f"{name} is running.")


async def _migrations(_: Settings, connection: Connection) -> Finding:
    try:
        pending = migrate.check(await migrate.applied(connection), migrate.known())
    except migrate.MigrationError as wrong:
        return amiss(str(wrong))
    if pending:
        return amiss(f"Pending migrations: {len(pending)}. Run `pannier migrate`.")
    return Finding("Up to date.")


@once_there("installation", "No secret yet.")
async def _secret(settings: Settings, connection: Connection) -> Finding:
    theirs = await connection.fetchval(FINGERPRINT)
    if settings.secret is None:
        return amiss(f"No secret in {settings.folder}. Restore it or set PANNIER_SECRET.")
    keys = keyring(settings)
    if theirs not in {None, *keys.fingerprints()}:
        return amiss("The secret does not match this database. Restore the right one.")
    if theirs not in {None, keys.fingerprint()}:
        words = "The secret is new. Once all processes use it, run `pannier secret rotate`."
        return Finding(words, "note")
    return Finding("The secret matches this database.")


@once_there("heartbeats", "No schema yet.")
async def _clock(_: Settings, connection: Connection) -> Finding:
    clock = DatabaseClock(SystemClock())
    await clock.measure(connection)
    skew = abs(clock.skew)
    if not clock.is_safe():
        words = f"The clock is {spoken(skew)} off the database's. Correct it."
        return amiss(f"{words} No worker starts here until then.")
    if skew > REPORTED_SKEW:
        return amiss(f"The clock is {spoken(skew)} off the database's. Correct it.")
    return Finding("The clock matches the database's.")


async def _age(connection: Connection, since: datetime | None) -> timedelta:
    """Return a moment's age by the database's clock; zero for a moment in the future."""
    now: datetime = await connection.fetchval("select pannier_now()")
    return timedelta() if since is None else max(now - since, timedelta())


@once_there("heartbeats", "No worker has run yet.")
async def _worker(_: Settings, connection: Connection) -> Finding:
    beat = await connection.fetchval(heartbeats.LAST_BEAT)
    if beat is None:
        return Finding("No worker has run yet.")
    age = await _age(connection, beat)
    if age > BEAT_WITHIN:
        return Finding(f"No worker is running. Last seen {spoken(age)} ago.")
    return Finding("A worker is running.")


@once_there("news_queue", "No notifications yet.")
async def _news(_: Settings, connection: Connection) -> Finding:
    waiting, since = await connection.fetchrow(news.WAITING) or (0, None)
    if not waiting:
        return Finding("All recipients are notified.")
    age = await _age(connection, since)
    words = f"{waiting} events waiting to be notified, the oldest {spoken(age)} old."
    return Finding(words, "ok" if age <= TOLD_WITHIN else "note")


@once_there("device_events", "No device events yet.")
async def _partitions(_: Settings, connection: Connection) -> Finding:
    strays = await connection.fetchval(STRAYS)
    if strays:
        words = (
            f"At least {strays} device events are in a default partition. The worker moves them."
        )
        return Finding(words, "note")
    return Finding("All device events are in their partitions.")


@once_there("device_put_off", "No device events yet.")
async def _devices(_: Settings, connection: Connection) -> Finding:
    waiting, since = await connection.fetchrow(PUT_OFF) or (0, None)
    if not waiting:
        return Finding("All device events are processed.")
    age = await _age(connection, since)
    words = f"{waiting} batches of device events waiting, the oldest {spoken(age)} old."
    if age <= NOTED_WITHIN:
        return Finding(words)
    return Finding(f"{words} Check that a worker is running, and its log.", "note")


# Checks that need the database, from the most basic one.
CHECKS: Final[Sequence[tuple[str, Check]]] = (
    ("database", _version),
    ("migrations", _migrations),
    ("secret", _secret),
    ("clock", _clock),
    ("worker", _worker),
    ("news", _news),
    ("partitions", _partitions),
    ("devices", _devices),
)


def _settings(settings: Settings) -> Iterator[Finding]:
    """Check the settings as `serve` does before it starts."""
    yield from map(amiss, checks.refusals(settings))
    for sentence in checks.unknown_names():
        yield Finding(f"{sentence} Ignored.", "note")
    drawers = [
        name
        for name, url in (("SMS", settings.sms_url), ("e-mail", settings.email_url))
        if url is None
    ]
    note = f" {' and '.join(drawers)} messages are not sent (no provider)." if drawers else ""
    kind = "external" if settings.database_url else "embedded"
    yield Finding(f"The database is {kind}.{note}{PAYMENTS[settings.payments]}")
    if settings.payments == "stripe" and settings.stripe_webhook_secret is None:
        yield Finding(UNHEARD, "note")
    if is_test_gateway(settings):
        yield Finding(TEST_ON_LIVE if settings.test_payments_on_live else TEST_ONLY, "note")


def _disk(settings: Settings) -> Finding:
    # If the folder does not exist yet, check the nearest existing parent.
    folder = next(place for place in (settings.folder, *settings.folder.parents) if place.exists())
    free = shutil.disk_usage(folder).free
    words = f"{free / (1 << 30):.1f} GiB free in {folder}."
    return Finding(words) if free >= LEAST_FREE else amiss(words)


def _database(settings: Settings) -> list[tuple[str, Finding]]:
    """Check the database. The embedded one is started for this, but never created."""
    if settings.database_url is None and not embedded.exists(settings.folder):
        return [("installation", amiss(attach.missing(settings)))]
    with attach.database_url(settings) as url:
        return asyncio.run(_look(settings, url))


async def _look(settings: Settings, url: str) -> list[tuple[str, Finding]]:
    """Connect as `serve` does, and run all checks."""
    pool = Connections(url, 1)
    try:
        connection = await pool.take()
        try:
            await refuse_transaction_pooling(connection, url)
            return [(name, await check(settings, connection)) for name, check in CHECKS]
        finally:
            pool.give(connection)
    except TransactionPoolingError as wrong:
        return [("database", amiss(str(wrong)))]
    except (*PASSING, Overloaded, asyncpg.PostgresError, *CONFUSED, ValueError) as wrong:
        return [("database", amiss(unreachable(wrong)))]
    finally:
        await pool.close()


async def _brokers(settings: Settings) -> list[tuple[str, Finding]]:
    """Check that the brokers of device events are reachable."""
    if settings.mqtt_url is None and settings.nats_url is None:
        return []
    from pannier.devices.streams import brokers  # noqa: PLC0415 - most installations have no broker

    looks: list[tuple[str, Awaitable[str]]] = []
    with suppress(SettingsError):  # reported by _check_settings
        if (broker := addresses.mqtt(settings)) is not None:
            looks.append(("mqtt", brokers.mqtt(settings, broker)))
        if addresses.nats(settings):
            looks.append(("nats", brokers.nats(settings)))
    return [(name, await _answer(look)) for name, look in looks]


async def _answer(look: Awaitable[str]) -> Finding:
    try:
        return Finding(await look)
    except (AwayError, SettingsError) as wrong:
        return amiss(str(wrong))


@click.command()
@attach.data_option
@attach.json_option
def doctor(data: str | None, as_json: bool) -> None:
    """Check the installation; changes nothing.

    It judges settings as `serve` does, and names variables that look like settings and are none.
    Ends with exit code 1 when something is wrong.
    """
    settings = kept_secret(load(data=data))
    found = [("configuration", finding) for finding in _settings(settings)]
    found += [("disk", _disk(settings)), *_database(settings)]
    found += asyncio.run(_brokers(settings))
    if as_json:
        rows = [{"name": name, **finding._asdict()} for name, finding in found]
        click.echo(msgspec.json.encode(rows))
    else:
        for name, finding in found:
            verdict = dyed(f"{SHOWN[finding.verdict]:5}", colour=COLOURS[finding.verdict])
            click.echo(f"{verdict}  {name:14} {finding.words}")
    if any(finding.verdict == "wrong" for _, finding in found):
        click.get_current_context().exit(1)
