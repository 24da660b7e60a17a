"""The installation: open its database and check its state."""

from typing import Final

import asyncpg

from pannier.db import Actor, Database, Db, connect, migrate
from pannier.db.actor import WORKER
from pannier.db.clock import DatabaseClock
from pannier.db.connection_pool import DRIVER_ERRORS, Unreachable
from pannier.errors import SetupError
from pannier.kit.clock import SystemClock
from pannier.kit.crypto import Keyring
from pannier.notifications import channels
from pannier.routing import configuration as routing
from pannier.settings import Settings
from pannier.web.clock_skew import SkewReport

# Errors that may pass, for example once the database has started.
TRANSIENT_ERRORS: Final = (
    OSError,
    Unreachable,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.ObjectNotInPrerequisiteStateError,  # the database accepts no connections now
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.DiskFullError,
)
WRONG_SECRET: Final = (
    "PANNIER_SECRET (or the file `secret` in the data directory) does not match this "  # noqa: S105 - a message, not a secret
    "database. Use the same secret on every machine, and put a replaced one into "
    "PANNIER_OLD_SECRETS."
)

# The fingerprint of the secret that the database uses.
SELECT_FINGERPRINT: Final = "select secret_fingerprint from installation"


class InstallationError(SetupError):
    """The installation cannot be opened. The message says why, for the operator."""


class DatabaseUnavailableError(InstallationError):
    """The database does not respond now."""


def to_installation_error(error: BaseException) -> InstallationError:
    """Convert a database error to a message for the operator."""
    if isinstance(error, asyncpg.InsufficientPrivilegeError):
        return InstallationError(
            f"The database's user cannot create tables: {error}. "
            "Make it the owner of the database, or grant it CREATE on the schema public."
        )
    if isinstance(error, asyncpg.ReadOnlySQLTransactionError):
        return DatabaseUnavailableError("The database is read-only. Connect to the primary server.")
    kind = DatabaseUnavailableError if isinstance(error, TRANSIENT_ERRORS) else InstallationError
    return kind(describe_unreachable(error))


def describe_unreachable(error: BaseException) -> str:
    """Describe why a database cannot be reached."""
    reason = str(error).strip().rstrip(".") or type(error).__name__
    return f"The database cannot be reached: {reason}. Check PANNIER_DATABASE_URL."


async def run_migrations(url: str) -> list[str]:
    """Run the pending migrations and return their names, or raise InstallationError."""
    try:
        return await migrate.migrate(url)
    except (*TRANSIENT_ERRORS, *DRIVER_ERRORS, ValueError) as error:
        raise to_installation_error(error) from error
    except (
        asyncpg.InvalidAuthorizationSpecificationError,
        asyncpg.InvalidCatalogNameError,
        asyncpg.InsufficientPrivilegeError,
    ) as error:
        raise to_installation_error(error) from error


def make_keyring(settings: Settings) -> Keyring:
    """Return the keys of the installation's current secret and of its older secrets."""
    return Keyring(settings.secret or "", settings.older_secrets)


async def open_database(settings: Settings, url: str, *, actor: Actor = WORKER) -> Database:
    """Connect to the database, or raise InstallationError."""
    keys = make_keyring(settings)
    try:
        return await connect(
            url,
            clock=DatabaseClock(SystemClock(), SkewReport()),
            keys=keys,
            size=settings.pool_size,
            actor=actor,
            engines=routing.ConfiguredServices(settings),
            base_url=settings.base_url,
            channels=channels.list_configured_channels(settings),
        )
    except (*TRANSIENT_ERRORS, asyncpg.PostgresError, *DRIVER_ERRORS, ValueError) as error:
        raise to_installation_error(error) from error


async def check_migrations(database: Database) -> None:
    """Raise InstallationError if migrations are pending. Change nothing."""
    connection = await database.connections.acquire()
    try:
        pending_steps = migrate.list_pending_steps(
            await migrate.load_applied_steps(connection), migrate.list_migrations()
        )
    finally:
        database.connections.release(connection)
    if pending_steps:
        raise InstallationError(
            "The database is not up to date. Run `pannier migrate` first, or "
            "`pannier bootstrap` for a new installation."
        )


async def check_secret(database: Database, *, store_missing: bool = True) -> None:
    """Raise InstallationError if the database was set up with a secret that is not configured.

    If the database has no secret yet and `store_missing` is set, store the current one.
    """
    if store_missing:
        async with database.transaction() as db:
            await db.execute(
                """insert into installation (secret_fingerprint) values (:ours)
                   on conflict do nothing""",
                ours=database.keys.fingerprint(),
            )
    async with database.reading() as db:
        fingerprint = await db.fetch_value(SELECT_FINGERPRINT)
    if fingerprint not in {None, *database.keys.fingerprints()}:
        raise InstallationError(WRONG_SECRET)


async def adopt_secret(db: Db) -> None:
    """Record the current secret as the one that the database uses."""
    await db.execute(
        "update installation set secret_fingerprint = :ours", ours=db.database.keys.fingerprint()
    )


async def has_company(database: Database) -> bool:
    """Return whether a company exists."""
    async with database.reading() as db:
        return bool(await db.fetch_value("select exists (select from companies)"))
