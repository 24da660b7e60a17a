"""Verify a backup: read everything that its manifest names, and compare the checksums."""

from collections.abc import AsyncIterator
from typing import Final

from pannier.backups import manifest as manifests
from pannier.backups.destination import Destination
from pannier.backups.encryption import BackupKey
from pannier.backups.errors import DamagedBackupError
from pannier.backups.manifest import Manifest, TableBackup
from pannier.backups.streams import BackupReader

MAX_LINE_BYTES: Final = 200


class Backup:
    """A complete backup, to be read."""

    def __init__(self, destination: Destination, manifest: Manifest, key: BackupKey | None) -> None:
        self.destination, self.manifest, self.key = destination, manifest, key

    def read_table(self, table: TableBackup) -> BackupReader:
        """Read a table's rows in COPY's text format."""
        return BackupReader(
            self.destination,
            manifests.table_path(self.manifest.name, table.name),
            key=self.key,
            purpose=manifests.table_purpose(table.name),
            sha256=bytes.fromhex(table.sha256),
        )

    def read_file(self, sha256: bytes) -> BackupReader:
        return BackupReader(
            self.destination,
            manifests.file_path(sha256, self.key),
            key=self.key,
            purpose=manifests.file_purpose(sha256),
            sha256=sha256,
            compressed=False,
        )

    async def list_files(self) -> AsyncIterator[bytes]:
        """Yield the hash of each file."""
        path = manifests.list_path(self.manifest.name)
        reader = BackupReader(
            self.destination,
            path,
            key=self.key,
            purpose=manifests.LIST_PURPOSE,
            sha256=bytes.fromhex(self.manifest.files.list_sha256),
        )
        rest, count = b"", 0
        async for block in reader:
            *lines, rest = (rest + block).split(b"\n")
            if len(rest) > MAX_LINE_BYTES:
                raise DamagedBackupError(path, "is not a list of files")
            for line in lines:
                count += 1
                yield bytes.fromhex(line.split()[0].decode())
        if count != self.manifest.files.count:
            raise DamagedBackupError(path, "does not list all files")


async def open_backup(destination: Destination, name: str, key: BackupKey | None) -> Backup:
    """Open a backup by its name. Read and check only its manifest."""
    is_encrypted = await manifests.is_encrypted(destination, name)
    manifest = await manifests.read_manifest(destination, name, key)
    return Backup(destination, manifest, key if is_encrypted else None)


async def verify(backup: Backup) -> None:
    """Read the whole backup. Raise BackupError if anything is missing or was changed."""
    for table in backup.manifest.tables:
        rows = 0
        async for block in backup.read_table(table):
            # COPY writes one line per row, and escapes line breaks in values.
            rows += block.count(b"\n")
        if rows != table.rows:
            path = manifests.table_path(backup.manifest.name, table.name)
            raise DamagedBackupError(path, f"has {rows} rows instead of {table.rows}")
    async for sha256 in backup.list_files():
        async for _ in backup.read_file(sha256):
            pass
