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

from pannier.backups import records as backups
from pannier.cli import access, checks
from pannier.cli.engines import NO_CITY
from pannier.cli.tables import style
from pannier.db import embedded, heartbeats, migrate, sweep_guard
from pannier.db.clock import REPORTED_SKEW, DatabaseClock
from pannier.db.connection_pool import DRIVER_ERRORS, Connection, ConnectionPool, Overloaded
from pannier.db.monitored_connection import TransactionPoolingError, refuse_transaction_pooling
from pannier.db.sweep_guard import StoppedSweep
from pannier.devices.brokers import addresses
from pannier.devices.brokers.claimed_tasks import BrokerUnreachableError
from pannier.devices.events.horizon import BLOCKER
from pannier.devices.metrics import DEFERRED
from pannier.devices.partitions import UNPARTITIONED
from pannier.errors import SetupError
from pannier.installation import (
    SELECT_FINGERPRINT,
    TRANSIENT_ERRORS,
    describe_unreachable,
    make_keyring,
)
from pannier.jobs import silence
from pannier.kit.clock import SystemClock
from pannier.kit.durations import to_text
from pannier.maps.folder import MapFolder
from pannier.maps.programs import find_program
from pannier.news import metrics as news
from pannier.payments.configuration import is_test_gateway
from pannier.settings import Settings, SettingsError, load, load_secret

MIN_POSTGRES_VERSION: Final = 150_000
MIN_FREE_BYTES: Final = 1 << 30
MAX_HEARTBEAT_AGE: Final = timedelta(seconds=30)
MAX_NOTIFICATION_DELAY: Final = timedelta(minutes=5)
MAX_PROCESSING_DELAY: Final = timedelta(minutes=1)
# Longer than our own long transactions, such as a batch of a sweep.
MAX_HORIZON_AGE: Final = timedelta(minutes=1)

# These sentences never contain keys of the payment gateway.
PAYMENT_SENTENCES: Final = {
    "none": "",
    "fake": " Payments are fake.",
    "stripe": " Payments go through Stripe.",
}

STRIPE_NOTICES_OFF: Final = (
    "PANNIER_STRIPE_WEBHOOK_SECRET is not set. Payments are confirmed up to a day late."
)

TEST_ONLY: Final = "The payment gateway is a test gateway. Live companies cannot use it."
TEST_ON_LIVE: Final = (
    "The test payment gateway is enabled for live companies: orders count as paid "
    "without any payment. Unset PANNIER_TEST_PAYMENTS_ON_LIVE."
)

VERDICT_LABELS: Final = {"ok": "ok", "note": "note", "wrong": "WRONG"}
VERDICT_COLOURS: Final = {"ok": "green", "note": "yellow", "wrong": "red"}

Verdict = Literal["ok", "note", "wrong"]


class CheckResult(NamedTuple):
    """The result of one check."""

    words: str
    verdict: Verdict = "ok"


def make_problem(text: str) -> CheckResult:
    """Return the result for a problem that must be fixed."""
    return CheckResult(text, "wrong")


Check = Callable[[Settings, Connection], Awaitable[CheckResult]]


def require_table(table: str, sentence: str) -> Callable[[Check], Check]:
    """Skip a check while its table does not exist, and return a sentence instead."""

    def decorate(check: Check) -> Check:
        async def run_check(settings: Settings, connection: Connection) -> CheckResult:
            if await connection.fetchval("select to_regclass($1) is null", table):
                return CheckResult(sentence)
            return await check(settings, connection)

        return run_check

    return decorate


async def _check_version(_: Settings, connection: Connection) -> CheckResult:
    number = int(await connection.fetchval("show server_version_num"))
    name = f"PostgreSQL {number // 10000}.{number % 10000}"
    if number < MIN_POSTGRES_VERSION:
        return make_problem(f"{name} is too old. Pannier needs version 15 or later.")
    if problem := migrate.describe_encoding(await connection.fetchval(migrate.SELECT_ENCODING)):
        return make_problem(problem)
    if await connection.fetchval("select current_setting('transaction_read_only')::boolean"):
        return make_problem(f"{name} is read-only or a standby.")
    return CheckResult(f"{name} is running.")


async def _check_migrations(_: Settings, connection: Connection) -> CheckResult:
    try:
        applied_steps = await migrate.load_applied_steps(connection)
        pending_steps = migrate.list_pending_steps(applied_steps, migrate.list_migrations())
    except migrate.MigrationError as error:
        return make_problem(str(error))
    if pending_steps:
        return make_problem(f"Pending migrations: {len(pending_steps)}. Run `pannier migrate`.")
    if set(applied_steps) - {step.number for step in migrate.list_migrations()}:
        text = "A newer Pannier has migrated the database. This version may go on beside it."
        return CheckResult(text, "note")
    return CheckResult("Up to date.")


@require_table("installation", "No secret yet.")
async def _check_secret(settings: Settings, connection: Connection) -> CheckResult:
    fingerprint = await connection.fetchval(SELECT_FINGERPRINT)
    if settings.secret is None:
        return make_problem(f"No secret in {settings.folder}. Restore it or set PANNIER_SECRET.")
    keys = make_keyring(settings)
    if fingerprint not in {None, *keys.fingerprints()}:
        return make_problem("The secret does not match this database. Restore the right one.")
    if fingerprint not in {None, keys.fingerprint()}:
        text = "The secret is new. Once all processes use it, run `pannier secret rotate`."
        return CheckResult(text, "note")
    return CheckResult("The secret matches this database.")


@require_table("heartbeats", "No schema yet.")
async def _check_clock(_: Settings, connection: Connection) -> CheckResult:
    clock = DatabaseClock(SystemClock())
    await clock.measure(connection)
    skew = abs(clock.skew)
    text = f"The clock differs from the database's by {to_text(skew)}. Correct it."
    if not clock.is_safe():
        return make_problem(f"{text} Until then, no worker runs on this machine.")
    if skew > REPORTED_SKEW:
        return make_problem(text)
    return CheckResult("The clock matches the database's.")


async def _measure_age(connection: Connection, since: datetime | None) -> timedelta:
    """Return a moment's age by the database's clock, or zero for a moment in the future."""
    now: datetime = await connection.fetchval("select pannier_now()")
    return timedelta() if since is None else max(now - since, timedelta())


@require_table("silence", "No schema yet.")
async def _check_silence(_: Settings, connection: Connection) -> CheckResult:
    since = await connection.fetchval(silence.SELECT)
    if since is None:
        return CheckResult("The installation works and sends.")
    age = to_text(await _measure_age(connection, since))
    text = f"Restored {age} ago: nothing is sent until `pannier resume`."
    return CheckResult(text, "note")


@require_table("backups", "No schema yet.")
async def _check_backups(settings: Settings, connection: Connection) -> CheckResult:
    row = await connection.fetchrow(backups.SELECT_STATE)
    state = backups.BackupState(**dict(row or {}))
    now = await connection.fetchval("select pannier_now()")
    problem = backups.describe_age(state, now, timedelta(hours=settings.backup_hours))
    if settings.backup_url is None:
        return CheckResult(problem or "The last backup is recent.")
    return CheckResult("The last backup is recent.") if problem is None else make_problem(problem)


@require_table("heartbeats", "No worker has run yet.")
async def _check_worker(_: Settings, connection: Connection) -> CheckResult:
    beat = await connection.fetchval(heartbeats.LAST_BEAT)
    if beat is None:
        return CheckResult("No worker has run yet.")
    age = await _measure_age(connection, beat)
    if age > MAX_HEARTBEAT_AGE:
        return CheckResult(f"No worker is running. Last seen {to_text(age)} ago.")
    return CheckResult("A worker is running.")


@require_table("news_queue", "No notifications yet.")
async def _check_news(_: Settings, connection: Connection) -> CheckResult:
    event_count, since = await connection.fetchrow(news.BACKLOG) or (0, None)
    if not event_count:
        return CheckResult("All recipients are notified.")
    age = await _measure_age(connection, since)
    text = f"Events waiting for notification: {event_count}. The oldest is {to_text(age)} old."
    return CheckResult(text, "ok" if age <= MAX_NOTIFICATION_DELAY else "note")


@require_table("device_events", "No device events yet.")
async def _check_partitions(_: Settings, connection: Connection) -> CheckResult:
    stray_count = await connection.fetchval(UNPARTITIONED)
    if stray_count:
        text = f"At least {stray_count} device events are in a default partition."
        text += " The worker moves them."
        return CheckResult(text, "note")
    return CheckResult("All device events are in their partitions.")


@require_table("device_put_off", "No device events yet.")
async def _check_devices(_: Settings, connection: Connection) -> CheckResult:
    batch_count, since = await connection.fetchrow(DEFERRED) or (0, None)
    if not batch_count:
        return CheckResult("All device events are processed.")
    age = await _measure_age(connection, since)
    text = f"Waiting batches of device events: {batch_count}. The oldest is {to_text(age)} old."
    if age <= MAX_PROCESSING_DELAY:
        return CheckResult(text)
    return CheckResult(f"{text} Check that a worker is running, and read its log.", "note")


@require_table("stopped_sweeps", "No schema yet.")
async def _check_sweeps(_: Settings, connection: Connection) -> CheckResult:
    rows = await connection.fetch(sweep_guard.LIST)
    stopped_sweeps = [msgspec.convert(dict(row), StoppedSweep) for row in rows]
    descriptions = [stopped.describe() for stopped in stopped_sweeps if not stopped.allowed]
    if not descriptions:
        return CheckResult("No deletion of expired data has stopped.")
    return make_problem(
        f"Deletions stopped: {', '.join(descriptions)}. Check the database's clock and the "
        "retention settings, then run `pannier sweep allow`."
    )


async def _check_feed(_: Settings, connection: Connection) -> CheckResult:
    """Name the transaction that holds up the feed of device events."""
    blocker = await connection.fetchrow(BLOCKER)
    if blocker is None or (blocker["age"] is not None and blocker["age"] <= MAX_HORIZON_AGE):
        return CheckResult("No transaction holds up the feed of device events.")
    session = f"process {blocker['pid']}, " if blocker["pid"] is not None else ""
    age = "for an unknown time" if blocker["age"] is None else f"for {to_text(blocker['age'])}"
    text = f"A transaction holds up the feed of device events {age}"
    return CheckResult(f"{text} ({session}{blocker['name'] or 'unnamed'}). End it.", "note")


# Checks that need the database, the most basic ones first.
CHECKS: Final[Sequence[tuple[str, Check]]] = (
    ("database", _check_version),
    ("migrations", _check_migrations),
    ("secret", _check_secret),
    ("clock", _check_clock),
    ("silence", _check_silence),
    ("backup", _check_backups),
    ("worker", _check_worker),
    ("news", _check_news),
    ("partitions", _check_partitions),
    ("devices", _check_devices),
    ("feed", _check_feed),
    ("sweeps", _check_sweeps),
)


def _check_settings(settings: Settings) -> Iterator[CheckResult]:
    """Check the settings as `serve` does before it starts."""
    yield from map(make_problem, checks.find_setting_errors(settings))
    for sentence in checks.find_unknown_variables():
        yield CheckResult(f"{sentence} Ignored.", "note")
    without_provider = [
        name
        for name, url in (("SMS", settings.sms_url), ("email", settings.email_url))
        if url is None
    ]
    note = (
        f" {' and '.join(without_provider)} messages are not sent (no provider)."
        if without_provider
        else ""
    )
    kind = "external" if settings.database_url else "embedded"
    yield CheckResult(f"The database is {kind}.{note}{PAYMENT_SENTENCES[settings.payments]}")
    if settings.payments == "stripe" and settings.stripe_webhook_secret is None:
        yield CheckResult(STRIPE_NOTICES_OFF, "note")
    if is_test_gateway(settings):
        yield CheckResult(TEST_ON_LIVE if settings.test_payments_on_live else TEST_ONLY, "note")


def _check_roads(settings: Settings) -> Iterator[CheckResult]:
    """Check the city in use, if Pannier runs the routing engine."""
    if settings.router not in {"auto", "embedded"}:
        return
    city = MapFolder(settings.folder).find_current_city()
    manifest = None if city is None else city.read_manifest()
    if manifest is None:
        if settings.router == "embedded":
            yield make_problem(NO_CITY)
        return
    try:
        find_program("osrm-routed", settings.folder)
    except SetupError as error:
        yield make_problem(f"The city {manifest.name} is in use. {error}")
        return
    yield CheckResult(f"The city {manifest.name} has roads for {', '.join(manifest.profiles)}.")


def _check_disk(settings: Settings) -> CheckResult:
    # If the folder does not exist yet, check the nearest existing parent.
    folder = next(path for path in (settings.folder, *settings.folder.parents) if path.exists())
    free_bytes = shutil.disk_usage(folder).free
    text = f"{free_bytes / (1 << 30):.1f} GiB free in {folder}."
    return CheckResult(text) if free_bytes >= MIN_FREE_BYTES else make_problem(text)


def _check_database(settings: Settings) -> list[tuple[str, CheckResult]]:
    """Check the database. The embedded one is started for this, but never created."""
    if settings.database_url is None and not embedded.has_database(settings.folder):
        return [("installation", make_problem(access.describe_missing_installation(settings)))]
    with access.serve_database(settings) as url:
        return asyncio.run(_run_checks(settings, url))


async def _run_checks(settings: Settings, url: str) -> list[tuple[str, CheckResult]]:
    """Connect as `serve` does, and run all checks."""
    pool = ConnectionPool(url, 1)
    try:
        connection = await pool.acquire()
        try:
            await refuse_transaction_pooling(connection, url)
            return [(name, await check(settings, connection)) for name, check in CHECKS]
        finally:
            pool.release(connection)
    except TransactionPoolingError as error:
        return [("database", make_problem(str(error)))]
    except (
        *TRANSIENT_ERRORS,
        Overloaded,
        asyncpg.PostgresError,
        *DRIVER_ERRORS,
        ValueError,
    ) as error:
        return [("database", make_problem(describe_unreachable(error)))]
    finally:
        await pool.close()


async def _check_brokers(settings: Settings) -> list[tuple[str, CheckResult]]:
    """Check that the brokers of device events are reachable."""
    if settings.mqtt_url is None and settings.nats_url is None:
        return []
    from pannier.devices.brokers import health  # noqa: PLC0415 - most installations have no broker

    broker_checks: list[tuple[str, Awaitable[str]]] = []
    with suppress(SettingsError):  # reported by _check_settings
        if (broker := addresses.parse_mqtt_address(settings)) is not None:
            broker_checks.append(("mqtt", health.check_mqtt(settings, broker)))
        if addresses.parse_nats_addresses(settings):
            broker_checks.append(("nats", health.check_nats(settings)))
    return [(name, await _check_broker(check)) for name, check in broker_checks]


async def _check_broker(check: Awaitable[str]) -> CheckResult:
    try:
        return CheckResult(await check)
    except (BrokerUnreachableError, SettingsError) as error:
        return make_problem(str(error))


@click.command()
@access.data_option
@access.json_option
def doctor(data: str | None, as_json: bool) -> None:
    """Check the installation; change nothing.

    Settings are checked as `serve` checks them. Unknown variables that look like settings are
    reported. The exit code is 1 if something is wrong.
    """
    settings = load_secret(load(data=data))
    findings = [("configuration", finding) for finding in _check_settings(settings)]
    findings += [("routing", finding) for finding in _check_roads(settings)]
    findings += [("disk", _check_disk(settings)), *_check_database(settings)]
    findings += asyncio.run(_check_brokers(settings))
    if as_json:
        rows = [{"name": name, **finding._asdict()} for name, finding in findings]
        click.echo(msgspec.json.encode(rows))
    else:
        for name, finding in findings:
            verdict = style(
                f"{VERDICT_LABELS[finding.verdict]:5}", colour=VERDICT_COLOURS[finding.verdict]
            )
            click.echo(f"{verdict}  {name:14} {finding.words}")
    if any(finding.verdict == "wrong" for _, finding in findings):
        click.get_current_context().exit(1)
