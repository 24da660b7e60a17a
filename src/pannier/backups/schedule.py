"""The worker's step that takes backups, if the settings have a destination for them."""

import asyncio
from datetime import timedelta

from pannier.backups import records, retention
from pannier.backups.destination import Destination
from pannier.backups.encryption import BackupKey
from pannier.backups.errors import BackupError
from pannier.backups.service import create_backup
from pannier.backups.snapshot import AlreadyRunningError, Snapshot
from pannier.db import Database
from pannier.settings import Settings
from pannier.web.logs import log

STEP = "backups"


class BackupSchedule:
    """Takes a backup when the last good one is old enough, then deletes expired ones."""

    def __init__(
        self, database: Database, settings: Settings, stop: asyncio.Event | None = None
    ) -> None:
        self._database, self._settings, self._stop = database, settings, stop
        self._interval = timedelta(hours=settings.backup_hours)

    async def step(self) -> bool:
        """Take a backup if one is due. A failure is recorded, and tried again after an hour."""
        url = self._settings.backup_url
        if url is None or not await self._is_due(url):
            return False
        try:
            key_text = self._settings.backup_key
            await self._take(url, None if key_text is None else BackupKey(key_text))
        except AlreadyRunningError:
            return False
        except BackupError as error:
            if not self._is_stopping():
                log.error("backup failed", reason=str(error))
                await records.record_failure(self._database, url, str(error))
        return False

    def _is_stopping(self) -> bool:
        return self._stop is not None and self._stop.is_set()

    async def _is_due(self, url: str) -> bool:
        async with self._database.reading() as db:
            return bool(
                await db.fetch_value(records.IS_DUE, destination=url, interval=self._interval)
            )

    async def _take(self, url: str, key: BackupKey | None) -> None:
        async def is_wanted(snapshot: Snapshot) -> bool:
            # Another worker may have taken one since the first look. This one is under the lock.
            return not await snapshot.has_recent_backup(url, self._interval)

        async def prune() -> None:
            count = await retention.prune(
                Destination(url),
                key,
                self._database.clock.now(),
                days=self._settings.backup_keep_days,
                weeks=self._settings.backup_keep_weeks,
            )
            if count:
                log.info("expired backups deleted", count=count)

        manifest = await create_backup(
            self._database,
            self._settings,
            url,
            key,
            should_stop=self._is_stopping,
            is_wanted=is_wanted,
            finish=prune,
        )
        if manifest is not None:
            log.info("backup taken", backup=manifest.name, rows=manifest.rows)
