"""Take a backup of an open installation, and record it."""

from collections.abc import Awaitable, Callable

from pannier.backups import records
from pannier.backups.destination import Destination
from pannier.backups.encryption import BackupKey
from pannier.backups.manifest import Manifest
from pannier.backups.taking import (
    BackupSource,
    IsWanted,
    Reporter,
    ShouldStop,
    take_backup,
    want_always,
)
from pannier.db import Database
from pannier.files.storage import make_storage
from pannier.settings import Settings


async def do_nothing() -> None:
    """Do nothing after the backup."""


async def create_backup(
    database: Database,
    settings: Settings,
    url: str,
    key: BackupKey | None,
    *,
    report: Reporter = lambda _: None,
    should_stop: ShouldStop = lambda: False,
    is_wanted: IsWanted = want_always,
    finish: Callable[[], Awaitable[None]] = do_nothing,
) -> Manifest | None:
    """Take a backup and record it. Return None if it is not wanted."""
    source = BackupSource(
        database.connections.url,
        make_storage(settings),
        [settings.secret or "", *settings.older_secrets],
    )

    async def record(manifest: Manifest) -> None:
        await records.record_success(database, manifest, url)
        await finish()

    return await take_backup(
        source,
        Destination(url),
        key,
        report=report,
        should_stop=should_stop,
        is_wanted=is_wanted,
        finish=record,
    )
