"""`pannier doctor`: looks at everything a running installation needs, and says what is wrong."""

import asyncio
import shutil
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any, Final, NamedTuple

import asyncpg
import click

from pannier.cli import attach
from pannier.db import migrate
from pannier.installation import keyring, unreachable
from pannier.kit.clock import SystemClock
from pannier.payments import configuration
from pannier.settings import Settings, SettingsError

OLDEST_POSTGRES: Final = 150_000
LEAST_FREE: Final = 1 << 30
MOST_SKEW: Final = timedelta(seconds=2)
BEAT_WITHIN: Final = timedelta(seconds=30)

# What is said of the payment gateway; never a word of its keys.
PAYMENTS: Final = {
    "none": "",
    "fake": " Payments are fake.",
    "stripe": " Payments go through Stripe.",
}

Connection = Any  # asyncpg's connection, whose type takes a parameter only in its stubs


class Finding(NamedTuple):
    """What one look found."""

    fine: bool
    words: str


Check = Callable[[Settings, Connection], Awaitable[Finding]]


async def _version(_: Settings, connection: Connection) -> Finding:
    number = int(await connection.fetchval("show server_version_num"))
    name = f"PostgreSQL {number // 10000}.{number % 10000}"
    if number < OLDEST_POSTGRES:
        return Finding(fine=False, words=f"{name} is too old; Pannier needs 15 or newer.")
    return Finding(fine=True, words=f"{name} answers.")


async def _migrations(_: Settings, connection: Connection) -> Finding:
    try:
        pending = migrate.check(await migrate.applied(connection), migrate.known())
    except migrate.MigrationError as wrong:
        return Finding(fine=False, words=str(wrong))
    if pending:
        return Finding(
            fine=False, words=f"{len(pending)} steps are missing; run `pannier migrate`."
        )
    return Finding(fine=True, words="All steps have run.")


async def _secret(settings: Settings, connection: Connection) -> Finding:
    if not await connection.fetchval("select to_regclass('installation') is not null"):
        return Finding(fine=True, words="No secret is in use yet.")
    theirs = await connection.fetchval("select secret_fingerprint from installation")
    keys = keyring(settings)
    if theirs not in {None, *keys.fingerprints()}:
        return Finding(
            fine=False, words="The secret is not the one this database works with; restore it."
        )
    if theirs not in {None, keys.fingerprint()}:
        words = "The secret is new; once every process knows it, run `pannier secret rotate`."
        return Finding(fine=True, words=words)
    return Finding(fine=True, words="The secret belongs to this database.")


async def _clock(_: Settings, connection: Connection) -> Finding:
    skew = abs(SystemClock().now() - await connection.fetchval("select clock_timestamp()"))
    if skew > MOST_SKEW:
        words = (
            f"This machine and the database differ by {skew.total_seconds():.1f} s; set the clock."
        )
        return Finding(fine=False, words=words)
    return Finding(fine=True, words="This machine and the database agree on the time.")


async def _worker(_: Settings, connection: Connection) -> Finding:
    if not await connection.fetchval("select to_regclass('heartbeats') is not null"):
        return Finding(fine=True, words="No worker has run yet.")
    beat = await connection.fetchval("select max(beat_at) from heartbeats")
    if beat is None:
        return Finding(fine=True, words="No worker has run yet.")
    age = SystemClock().now() - beat
    if age > BEAT_WITHIN:
        return Finding(fine=True, words=f"No worker runs; the last one was seen {age} ago.")
    return Finding(fine=True, words="A worker is at work.")


# What needs the database, in the order in which a person would look.
CHECKS: Final[Sequence[tuple[str, Check]]] = (
    ("database", _version),
    ("migrations", _migrations),
    ("secret", _secret),
    ("clock", _clock),
    ("worker", _worker),
)


def _configuration(settings: Settings) -> Finding:
    drawers = [
        name
        for name, url in (("SMS", settings.sms_url), ("e-mail", settings.email_url))
        if url is None
    ]
    note = f" {' and '.join(drawers)} messages go to the drawer." if drawers else ""
    try:
        configuration.check(settings)
    except SettingsError as wrong:
        return Finding(fine=False, words=str(wrong))
    note += PAYMENTS[settings.payments]
    kind = "external" if settings.database_url else "embedded"
    return Finding(fine=True, words=f"Readable; the database is {kind}.{note}")


def _disk(settings: Settings) -> Finding:
    free = shutil.disk_usage(settings.folder).free
    words = f"{free / (1 << 30):.1f} GiB are free in {settings.folder}."
    return Finding(fine=free >= LEAST_FREE, words=words)


async def _look(settings: Settings, url: str) -> list[tuple[str, Finding]]:
    try:
        connection = await asyncpg.connect(url, timeout=5)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as wrong:
        return [("database", Finding(fine=False, words=unreachable(wrong)))]
    try:
        return [(name, await check(settings, connection)) for name, check in CHECKS]
    finally:
        await connection.close()


@click.command()
@attach.data_option
def doctor(data: str | None) -> None:
    """Check database, migrations, clock, disk and configuration."""
    settings = attach.settings_of(data)
    found = [("configuration", _configuration(settings)), ("disk", _disk(settings))]
    with attach.database_url(settings) as url:
        found += asyncio.run(_look(settings, url))
    for name, finding in found:
        click.echo(f"{'ok   ' if finding.fine else 'WRONG'}  {name:14} {finding.words}")
    if not all(finding.fine for _, finding in found):
        sys.exit(1)
