"""Take a backup: the database first, then the files that it refers to, the manifest last."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from typing import Final, NamedTuple

from pannier.backups import manifest as manifests
from pannier.backups.destination import Destination
from pannier.backups.encryption import BackupKey, measure_encrypted
from pannier.backups.errors import BackupError
from pannier.backups.manifest import FilesBackup, Manifest, TableBackup
from pannier.backups.snapshot import Snapshot, SnapshotTable, count_copied, open_snapshot, quote
from pannier.backups.streams import SUFFIX, BackupWriter
from pannier.files.storage import Storage, StorageUnavailable

# Files are copied in groups by the first byte of their hash, so that each list stays small.
SELECT_FILES: Final = """
    select sha256, max(size) from files
    where deleted_at is null and sha256 >= $1 and sha256 < $2
    group by sha256 order by sha256"""
AFTER_ALL_HASHES: Final = b"\xff" * 33
CONCURRENT_FILES: Final = 8
LAST_BYTE: Final = 255
STOPPED: Final = "The backup was stopped before its end."

Reporter = Callable[[str], None]
ShouldStop = Callable[[], bool]
IsWanted = Callable[[Snapshot], Awaitable[bool]]
Finish = Callable[[Manifest], Awaitable[None]]


class BackupSource(NamedTuple):
    """What is backed up: a database, the files and the secrets."""

    url: str
    storage: Storage
    secrets: Sequence[str]


async def want_always(_: Snapshot) -> bool:
    """Take the backup in any case."""
    return True


async def _do_nothing(_: Manifest) -> None:
    """Do nothing after the backup."""


def make_name(moment: datetime) -> str:
    """Return a backup's name, which sorts by time and ends with the microseconds."""
    return f"{moment:%Y-%m-%dT%H%M%SZ-%f}"


async def take_backup(
    source: BackupSource,
    destination: Destination,
    key: BackupKey | None,
    *,
    report: Reporter = lambda _: None,
    should_stop: ShouldStop = lambda: False,
    is_wanted: IsWanted = want_always,
    finish: Finish = _do_nothing,
) -> Manifest | None:
    """Take a backup and return its manifest. A backup without a manifest does not count.

    `is_wanted` and `finish` run while no other backup of this database can run. Return None if the
    backup is not wanted.
    """
    async with open_snapshot(source.url) as snapshot:
        if not await is_wanted(snapshot):
            return None
        await destination.create()
        name = make_name(snapshot.state.now)
        try:
            taker = _BackupTaker(source, destination, key, snapshot, name, report, should_stop)
            manifest = await taker.run()
        except Exception:
            await destination.delete_folder(name)
            raise
        await finish(manifest)
        return manifest


class _BackupTaker:
    """The steps of one backup."""

    def __init__(
        self,
        source: BackupSource,
        destination: Destination,
        key: BackupKey | None,
        snapshot: Snapshot,
        name: str,
        report: Reporter,
        should_stop: ShouldStop,
    ) -> None:
        self._source, self._destination, self._key = source, destination, key
        self._snapshot, self._name = snapshot, name
        self._report, self._should_stop = report, should_stop
        self._copied_count = self._file_count = self._file_size = self._missing_count = 0
        self._missing_examples: list[str] = []

    async def run(self) -> Manifest:
        snapshot, state = self._snapshot, self._snapshot.state
        tables = await snapshot.list_tables()
        migrations, sequences = await snapshot.load_migrations(), await snapshot.load_sequences()
        table_backups = [await self._copy_table(table) for table in tables]
        rows = sum(table.rows for table in table_backups)
        self._report(f"Tables: {len(table_backups)}, rows: {rows}.")
        files = await self._copy_files()
        manifest = Manifest(
            format=manifests.FORMAT,
            name=self._name,
            taken_at=state.now,
            # If the connection was lost, this fails, and another backup may have begun.
            finished_at=await snapshot.read_time(),
            pannier_version=version("pannier"),
            postgres_version=state.version,
            migrations=migrations,
            tables=table_backups,
            sequences=sequences,
            files=files,
            secret_fingerprint=state.fingerprint,
            secrets=list(self._source.secrets) if self._key is not None else [],
        )
        await manifests.write_manifest(self._destination, manifest, self._key)
        return manifest

    async def _copy_table(self, table: SnapshotTable) -> TableBackup:
        writer = BackupWriter(
            self._destination,
            manifests.table_path(self._name, table.name),
            key=self._key,
            purpose=manifests.table_purpose(table.name),
        )

        async def write(data: bytes) -> None:
            self._check_stop()
            await writer.write(data)

        columns = ", ".join(map(quote, table.columns))
        status = await self._snapshot.connection.copy_from_query(
            f"select {columns} from only {quote(table.name)}", output=write
        )
        await writer.close()
        return TableBackup(
            name=table.name,
            columns=table.columns,
            rows=count_copied(status),
            size=writer.size,
            sha256=writer.sha256.hex(),
            parent=table.parent,
            bounds=table.bounds,
        )

    async def _copy_files(self) -> FilesBackup:
        file_list = BackupWriter(
            self._destination,
            manifests.list_path(self._name),
            key=self._key,
            purpose=manifests.LIST_PURPOSE,
        )
        for number in range(256):
            for line in await self._copy_group(number):
                await file_list.write(line)
        await file_list.close()
        self._report(f"Files: {self._file_count}, of which new: {self._copied_count}.")
        return FilesBackup(
            count=self._file_count,
            size=self._file_size,
            list_sha256=file_list.sha256.hex(),
            missing=self._missing_count,
            missing_examples=self._missing_examples,
        )

    async def _copy_group(self, first_byte: int) -> list[bytes]:
        """Copy the new files of a group, and return a line for each file."""
        until = bytes([first_byte + 1]) if first_byte < LAST_BYTE else AFTER_ALL_HASHES
        rows = await self._snapshot.connection.fetch(SELECT_FILES, bytes([first_byte]), until)
        if not rows:
            return []
        prefix = f"{manifests.FILES_FOLDER}/{first_byte:02x}"
        existing_sizes = dict(await self._destination.list_objects(prefix))
        new_rows = [row for row in rows if not self._is_present(existing_sizes, row[0], row[1])]
        missing_hashes: set[bytes] = set()
        for start in range(0, len(new_rows), CONCURRENT_FILES):
            self._check_stop()
            batch = new_rows[start : start + CONCURRENT_FILES]
            results = await asyncio.gather(*(self._copy_file(row[0], row[1]) for row in batch))
            missing_hashes |= {
                row[0] for row, copied in zip(batch, results, strict=True) if not copied
            }
        self._copied_count += len(new_rows) - len(missing_hashes)
        self._count_missing(missing_hashes)
        present_rows = [row for row in rows if row[0] not in missing_hashes]
        self._file_count += len(present_rows)
        self._file_size += sum(row[1] for row in present_rows)
        return [f"{row[0].hex()} {row[1]}\n".encode() for row in present_rows]

    def _is_present(self, existing_sizes: Mapping[str, int], sha256: bytes, size: int) -> bool:
        path = manifests.file_path(sha256, self._key)
        if self._key is None:
            return existing_sizes.get(path) == size
        return existing_sizes.get(path + SUFFIX) == measure_encrypted(size)

    def _count_missing(self, hashes: set[bytes]) -> None:
        self._missing_count += len(hashes)
        free_places = manifests.MAX_MISSING_LISTED - len(self._missing_examples)
        self._missing_examples += [sha256.hex() for sha256 in sorted(hashes)[:free_places]]

    async def _copy_file(self, sha256: bytes, size: int) -> bool:
        """Copy a file. Return False if the storage does not have it or has other bytes."""
        writer = BackupWriter(
            self._destination,
            manifests.file_path(sha256, self._key),
            key=self._key,
            purpose=manifests.file_purpose(sha256),
            compress=False,
        )
        try:
            async for part in await self._source.storage.stream(sha256, 0, size):
                await writer.write(part)
        except StorageUnavailable as error:
            if isinstance(error.__cause__, FileNotFoundError):
                return False
            raise
        return await writer.close(expected_sha256=sha256)

    def _check_stop(self) -> None:
        if self._should_stop():
            raise BackupError(STOPPED)
