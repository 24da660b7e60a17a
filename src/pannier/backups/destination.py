"""The place of backups: a folder or a bucket, with one subfolder per backup.

2026-01-15T120000Z-3f9a/manifest.json      written last: without it there is no backup
2026-01-15T120000Z-3f9a/files.gz           the hashes of the files that belong to the backup
2026-01-15T120000Z-3f9a/tables/orders.gz   one object per table
files/ab/abcd…                             the files of all backups, each stored once
"""

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar
from urllib.parse import urlsplit
from urllib.request import url2pathname

from pannier.backups.errors import BackupError
from pannier.files.storage import RETRY_CONFIG
from pannier.settings.folder import sync_folder

if TYPE_CHECKING:
    from obstore.store import ObjectStore

READ_BYTES: Final = 1024 * 1024
# Bytes of an object that are collected before they are sent to a bucket as one part.
PART_BYTES: Final = 8 * 1024 * 1024
CONCURRENT_PARTS: Final = 4
_URL_PATTERN: Final = re.compile(r"(s3|gs|az)://[^/]")
Result = TypeVar("Result")


class DestinationEntry(NamedTuple):
    """An object's path and size."""

    path: str
    size: int


class ObjectWriter:
    """Writes one object. It exists once the writer is closed, and not before."""

    def __init__(self, destination: "Destination", path: str) -> None:
        self._destination, self._path = destination, path
        self._writer: Any = None

    def write(self, data: bytes) -> None:
        import obstore  # noqa: PLC0415 - slow to import

        if self._writer is None:
            self._writer = obstore.open_writer(
                self._destination.store,
                self._path,
                buffer_size=PART_BYTES,
                max_concurrency=CONCURRENT_PARTS,
            )
        self._writer.write(data)

    def close(self) -> None:
        """Store the object durably."""
        self._writer.close()
        self._destination.sync(self._path)


class Destination:
    """The objects of a folder or a bucket. All calls run off the event loop."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.folder: Path | None = None
        if not url.strip():
            raise BackupError("The place of the backups is empty. Use a folder or a bucket.")
        if url.startswith("file://"):
            self.folder = Path(url2pathname(urlsplit(url).path))
        elif "://" not in url:
            self.folder = Path(url).expanduser().absolute()
        elif not _URL_PATTERN.match(url):
            raise BackupError(
                f"Backups cannot be stored in {url}. Use a folder, s3://bucket/prefix, gs://… or "
                "az://…."
            )

    @cached_property
    def store(self) -> "ObjectStore":
        from obstore import store  # noqa: PLC0415 - slow to import

        if self.folder is None:
            return store.from_url(self.url, retry_config=RETRY_CONFIG)
        return store.LocalStore(self.folder)

    async def create(self) -> None:
        """Create the folder, which only its owner can enter."""
        if self.folder is not None:
            folder = self.folder
            await self.run(lambda: folder.mkdir(mode=0o700, parents=True, exist_ok=True))

    async def list_objects(self, prefix: str) -> list[DestinationEntry]:
        """List the objects below a prefix, with their paths."""
        import obstore  # noqa: PLC0415 - slow to import

        def list_entries() -> list[DestinationEntry]:
            if self.folder is not None and not (self.folder / prefix).is_dir():
                return []
            return [
                DestinationEntry(entry["path"], entry["size"])
                for batch in obstore.list(self.store, prefix)
                for entry in batch
            ]

        return await self.run(list_entries)

    async def list_folders(self) -> list[str]:
        """List the subfolders, in order of their names."""
        import obstore  # noqa: PLC0415 - slow to import

        def list_names() -> list[str]:
            if self.folder is not None and not self.folder.is_dir():
                return []
            return sorted(map(str, obstore.list_with_delimiter(self.store)["common_prefixes"]))

        return await self.run(list_names)

    async def put(self, path: str, data: bytes) -> None:
        """Store a small object atomically and durably."""
        import obstore  # noqa: PLC0415 - slow to import

        await self.run(lambda: obstore.put(self.store, path, data))
        await self.run(lambda: self.sync(path))

    async def get(self, path: str) -> bytes | None:
        """Return a small object, or None if there is none."""
        import obstore  # noqa: PLC0415 - slow to import

        def read() -> bytes | None:
            with suppress(FileNotFoundError):
                return bytes(obstore.get(self.store, path).bytes())
            return None

        return await self.run(read)

    async def stream(self, path: str) -> AsyncIterator[bytes]:
        """Stream an object. Raise FileNotFoundError if there is none."""
        import obstore  # noqa: PLC0415 - slow to import

        parts: Iterator[Any] = await self.run(
            lambda: iter(obstore.get(self.store, path).stream(min_chunk_size=READ_BYTES))
        )
        while (part := await self.run(lambda: next(parts, None))) is not None:
            yield bytes(part)

    async def delete(self, paths: list[str]) -> None:
        """Delete objects, if they exist."""
        import obstore  # noqa: PLC0415 - slow to import

        for path in paths:
            with suppress(FileNotFoundError):
                await self.run(partial(obstore.delete, self.store, path))

    async def delete_folder(self, name: str) -> None:
        """Delete a subfolder with its objects, those of an interrupted backup too."""
        if self.folder is not None:
            folder = self.folder / name
            await self.run(lambda: shutil.rmtree(folder, ignore_errors=True))
            return
        await self.delete([entry.path for entry in await self.list_objects(name)])

    async def run(self, call: Callable[[], Result]) -> Result:
        """Run a call in a thread. Raise BackupError if the destination fails."""
        from obstore.exceptions import BaseError  # noqa: PLC0415 - slow to import

        try:
            return await asyncio.to_thread(call)
        except FileNotFoundError:
            raise
        except (OSError, BaseError) as error:
            reason = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
            raise BackupError(f"The backup destination {self.url} failed: {reason}") from error

    def sync(self, path: str) -> None:
        """Wait until a new file and its folders are on disk. Buckets do that themselves."""
        if self.folder is None:
            return
        file = self.folder / path
        handle = os.open(file, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        for folder in file.parents:
            sync_folder(folder)
            if folder == self.folder:
                return
