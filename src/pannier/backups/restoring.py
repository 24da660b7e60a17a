"""Restore a backup: verify it, then fill an empty installation, which stays silent."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Final

from pannier import installation
from pannier.backups import loading
from pannier.backups import manifest as manifests
from pannier.backups.destination import Destination
from pannier.backups.encryption import BackupKey
from pannier.backups.errors import BackupError
from pannier.backups.verification import Backup, open_backup
from pannier.db import migrate
from pannier.devices.events import hourly_sums
from pannier.files.storage import Storage
from pannier.kit.crypto import Keyring
from pannier.settings import Settings, store_secrets

NO_BACKUP: Final = "There is no complete backup in {url}."
NO_EARLIER: Final = "There is no backup from {at} or before in {url}. The oldest is {oldest}."
SECRET_MISSING: Final = (
    "The backup does not contain the installation's secret, because it is not encrypted. Put the "  # noqa: S105 - a message
    "secret's file into {folder}, or set PANNIER_SECRET, then restore again. Nothing was changed."
)
SECRET_DIFFERS: Final = (
    "PANNIER_SECRET, or the file `secret` in {folder}, is not the secret of the backed-up "  # noqa: S105 - a message
    "installation. Use that one. Nothing was changed."
)

OpenDatabase = Callable[[], AbstractContextManager[str]]


async def find_backup(
    destination: Destination, key: BackupKey | None, *, name: str | None, at: datetime | None
) -> Backup:
    """Find a backup: the named one, the newest one, or the newest one at a time or before it."""
    if name is not None:
        return await open_backup(destination, name, key)
    names = await manifests.find_backups(destination)
    if not names:
        raise BackupError(NO_BACKUP.format(url=destination.url))
    for candidate in reversed(names):
        backup = await open_backup(destination, candidate, key)
        if at is None or backup.manifest.taken_at <= at:
            return backup
    raise BackupError(NO_EARLIER.format(at=at, url=destination.url, oldest=names[0]))


def check_migrations(backup: Backup) -> list[migrate.Migration]:
    """Return the migrations to run before loading. Raise BackupError if they are unknown here."""
    # Without the oldest version, an unknown step is refused. The rows may need it.
    entries = {
        entry.number: migrate.AppliedStep(entry.checksum, None)
        for entry in backup.manifest.migrations
    }
    steps = migrate.list_migrations()
    try:
        migrate.list_pending_steps(entries, steps)
    except migrate.MigrationError as error:
        raise BackupError(f"The backup cannot be restored by this Pannier. {error}") from error
    return [step for step in steps if step.number in entries]


def choose_secrets(settings: Settings, backup: Backup) -> list[str]:
    """Return the secrets of the restored installation, the current one first."""
    fingerprint = backup.manifest.secret_fingerprint
    if settings.secret is None:
        if not backup.manifest.secrets:
            raise BackupError(SECRET_MISSING.format(folder=settings.folder))
        return backup.manifest.secrets
    secrets = [settings.secret, *settings.older_secrets]
    if fingerprint not in {None, *Keyring(secrets[0], secrets[1:]).fingerprints()}:
        raise BackupError(SECRET_DIFFERS.format(folder=settings.folder))
    return secrets


def adopt_secrets(settings: Settings, backup: Backup) -> Settings:
    """Store the backup's secrets in the data directory, unless the settings have the secret."""
    secrets = choose_secrets(settings, backup)
    return settings if settings.secret is not None else store_secrets(settings, secrets)


async def check_target(url: str) -> None:
    """Raise BackupError if the database to restore into contains data."""
    async with loading.open_target(url) as connection:
        await loading.require_empty(connection)


async def restore(settings: Settings, url: str, backup: Backup, storage: Storage) -> None:
    """Fill an empty database and the storage. The database is filled last, in one transaction.

    A restore that is interrupted leaves an empty database, and can be repeated.
    """
    steps = check_migrations(backup)
    async with loading.open_target(url) as connection:
        await loading.require_empty(connection)
        await migrate.migrate(url, steps)
        await _restore_files(backup, storage)
        await loading.load_rows(connection, backup)
        await installation.run_migrations(url)
        await connection.execute("analyze")
    await _finish(settings, url)


async def _restore_files(backup: Backup, storage: Storage) -> None:
    async for sha256 in backup.list_files():
        data = b"".join([block async for block in backup.read_file(sha256)])
        await storage.put(sha256, data)


async def _finish(settings: Settings, url: str) -> None:
    """Adapt what belonged to the backed-up server."""
    database = await installation.open_database(settings, url)
    try:
        while await hourly_sums.renumber_restored_batches(database):
            pass
    finally:
        await database.close()
