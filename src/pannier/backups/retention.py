"""Retention of backups: one per day for some days, then one per week for some weeks."""

import re
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from pannier.backups import manifest as manifests
from pannier.backups.destination import Destination
from pannier.backups.encryption import BackupKey
from pannier.backups.errors import BackupError
from pannier.backups.streams import SUFFIX
from pannier.backups.verification import Backup, open_backup
from pannier.web.logs import log

NAME: Final = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{6}Z)-\d{6}")
NAME_TIME: Final = "%Y-%m-%dT%H%M%SZ"
# Folders without a manifest are deleted after this time.
MAX_UNFINISHED_AGE: Final = timedelta(days=1)


def parse_name_time(name: str) -> datetime | None:
    """Return a backup's time from its name, or None for any other folder."""
    match = NAME.fullmatch(name)
    return None if match is None else datetime.strptime(match[1], NAME_TIME).replace(tzinfo=UTC)


def choose_expired(names: Sequence[str], days: int, weeks: int) -> list[str]:
    """Choose the backups to delete. Kept are the newest of each of the last days and weeks.

    Only days and weeks with a backup count, so nothing expires while no backup is taken.
    """
    newest_by_day: dict[str, str] = {}
    newest_by_week: dict[str, str] = {}
    for name in sorted(names):
        moment = parse_name_time(name)
        if moment is not None:
            newest_by_day[f"{moment:%Y-%m-%d}"] = name
            newest_by_week[f"{moment:%G-%V}"] = name
    kept_names = {
        *[newest_by_day[day] for day in sorted(newest_by_day)[-days:]],
        *[newest_by_week[week] for week in sorted(newest_by_week)[-weeks:]],
    }
    return [name for name in names if parse_name_time(name) is not None and name not in kept_names]


async def prune(
    destination: Destination, key: BackupKey | None, now: datetime, *, days: int, weeks: int
) -> int:
    """Delete expired backups, old unfinished ones, and the files that no backup needs.

    The caller holds the lock of backups. Return how many backups were deleted.
    """
    complete_names = await manifests.find_backups(destination)
    expired_names = choose_expired(complete_names, days, weeks)
    for name in expired_names:
        # Without its manifest, a backup that is deleted in part does not count.
        await destination.delete(
            [f"{name}/{manifests.MANIFEST_FILE}", f"{name}/{manifests.MANIFEST_FILE}{SUFFIX}"]
        )
        await destination.delete_folder(name)
    for name in set(await manifests.list_folders(destination)) - set(complete_names):
        moment = parse_name_time(name)
        if moment is not None and moment < now - MAX_UNFINISHED_AGE:
            await destination.delete_folder(name)
    if expired_names:
        kept_names = [name for name in complete_names if name not in expired_names]
        await _delete_unneeded_files(destination, key, kept_names)
    return len(expired_names)


async def _delete_unneeded_files(
    destination: Destination, key: BackupKey | None, names: Sequence[str]
) -> None:
    """Delete the files that none of the backups lists."""
    try:
        backups = [await open_backup(destination, name, key) for name in names]
    except BackupError as error:
        # A backup with an older key, or a damaged one. Which files it needs is unknown.
        log.warning("files of backups are kept", reason=str(error))
        return
    lists = [_FileList(backup) for backup in backups]
    for number in range(256):
        needed_paths = {path for each in lists async for path in each.read_group(number)}
        entries = await destination.list_objects(f"{manifests.FILES_FOLDER}/{number:02x}")
        await destination.delete(
            [entry.path for entry in entries if entry.path not in needed_paths]
        )


class _FileList:
    """The files of one backup, read group by group. The list is sorted by hash."""

    def __init__(self, backup: Backup) -> None:
        self._backup, self._hashes = backup, backup.list_files()
        self._next: bytes | None = None

    async def read_group(self, first_byte: int) -> AsyncIterator[str]:
        """Yield the paths of the files whose hash begins with a byte."""
        while True:
            if self._next is None:
                self._next = await anext(self._hashes, None)
            if self._next is None or self._next[0] != first_byte:
                return
            key = self._backup.key
            yield manifests.file_path(self._next, key) + (SUFFIX if key is not None else "")
            self._next = None
