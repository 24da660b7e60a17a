"""The manifest of a backup: what it contains, and the checksums that prove it."""

import hashlib
from datetime import datetime
from typing import Final

import msgspec

from pannier.backups.destination import Destination
from pannier.backups.encryption import BackupKey, decrypt, encrypt
from pannier.backups.errors import BackupError, DamagedBackupError
from pannier.backups.streams import SUFFIX

FORMAT: Final = 1
MANIFEST_FILE: Final = "manifest.json"
PURPOSE: Final = b"manifest"
LIST_PURPOSE: Final = "list of files"
FILES_FOLDER: Final = "files"
MAX_MISSING_LISTED: Final = 100
KEY_NEEDED: Final = "The backup is encrypted. Set PANNIER_BACKUP_KEY, or use --key-file."


class TableBackup(msgspec.Struct, frozen=True):
    """The rows of one table, as PostgreSQL's COPY text."""

    name: str
    columns: list[str]
    rows: int
    size: int
    sha256: str
    # The parent table and the bounds, for a partition.
    parent: str | None = None
    bounds: str | None = None


class MigrationEntry(msgspec.Struct, frozen=True):
    """A migration that had run."""

    number: int
    name: str
    checksum: str


class FilesBackup(msgspec.Struct, frozen=True):
    """The uploaded files. Their hashes are in an object of their own."""

    count: int
    size: int
    list_sha256: str
    # Files that the storage no longer had: deleted during the backup, or lost before it.
    missing: int
    missing_examples: list[str]


class Manifest(msgspec.Struct, frozen=True):
    """The contents of a backup."""

    format: int
    name: str
    # By the database's clock: the moment of the snapshot, and of the end.
    taken_at: datetime
    finished_at: datetime
    pannier_version: str
    postgres_version: str
    migrations: list[MigrationEntry]
    tables: list[TableBackup]
    sequences: dict[str, tuple[int, bool]]
    files: FilesBackup
    secret_fingerprint: str | None
    # The current secret and the older ones. Only an encrypted backup contains them.
    secrets: list[str]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)


class _Envelope(msgspec.Struct, frozen=True):
    sha256: str
    manifest: msgspec.Raw


def table_path(name: str, table: str) -> str:
    return f"{name}/tables/{table}.gz"


def list_path(name: str) -> str:
    return f"{name}/files.gz"


def file_path(sha256: bytes, key: BackupKey | None) -> str:
    """Return the path of a file, without the suffix of encrypted objects.

    In an encrypted backup, only the first byte of the hash is visible.
    """
    name = sha256 if key is None else key.hide_name(sha256)
    return f"{FILES_FOLDER}/{sha256[:1].hex()}/{name.hex()}"


def table_purpose(table: str) -> str:
    return f"table {table}"


def file_purpose(sha256: bytes) -> str:
    return f"file {sha256.hex()}"


async def write_manifest(
    destination: Destination, manifest: Manifest, key: BackupKey | None
) -> None:
    """Write the manifest. From then on, the backup exists."""
    body = msgspec.json.encode(manifest)
    checksum = hashlib.sha256(body).hexdigest()
    data = msgspec.json.encode(_Envelope(checksum, msgspec.Raw(body)))
    path = f"{manifest.name}/{MANIFEST_FILE}"
    if key is None:
        await destination.put(path, data)
    else:
        await destination.put(path + SUFFIX, encrypt(key, PURPOSE, data))


async def find_backups(destination: Destination) -> list[str]:
    """List the names of the complete backups, the oldest first."""
    return [
        name for name in await list_folders(destination) if await _has_manifest(destination, name)
    ]


async def list_folders(destination: Destination) -> list[str]:
    """List the names of all backups, also of interrupted ones."""
    return [name for name in await destination.list_folders() if name != FILES_FOLDER]


async def _has_manifest(destination: Destination, name: str) -> bool:
    paths = {entry.path for entry in await destination.list_objects(f"{name}")}
    return bool(paths & {f"{name}/{MANIFEST_FILE}", f"{name}/{MANIFEST_FILE}{SUFFIX}"})


async def is_encrypted(destination: Destination, name: str) -> bool:
    return await destination.get(f"{name}/{MANIFEST_FILE}") is None


async def read_manifest(destination: Destination, name: str, key: BackupKey | None) -> Manifest:
    """Read and check a backup's manifest."""
    path = f"{name}/{MANIFEST_FILE}"
    data = await destination.get(path)
    if data is None:
        path += SUFFIX
        data = await destination.get(path)
        if data is None:
            raise BackupError(f"There is no complete backup {name} in {destination.url}.")
        if key is None:
            raise BackupError(KEY_NEEDED)
        data = decrypt(key, PURPOSE, data, path)
    try:
        envelope = msgspec.json.decode(data, type=_Envelope)
        if hashlib.sha256(envelope.manifest).hexdigest() != envelope.sha256:
            raise DamagedBackupError(path, "does not match its checksum")
        manifest = msgspec.json.decode(envelope.manifest, type=Manifest)
    except msgspec.MsgspecError as error:
        raise DamagedBackupError(path, f"cannot be read ({error})") from None
    if manifest.format != FORMAT:
        raise BackupError(f"The backup {name} was made by another Pannier. Upgrade this one.")
    return manifest
