"""Object storage: a local folder or a bucket, keyed by the hash of the content."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit
from urllib.request import url2pathname

from pannier.errors import Unavailable
from pannier.settings import Settings, SettingsError
from pannier.web.logs import log

if TYPE_CHECKING:
    from obstore.store import ObjectStore, RetryConfig

CHUNK_BYTES: Final = 1024 * 1024
# Retries of bucket requests, shorter than a client's timeout.
RETRY_CONFIG: Final["RetryConfig"] = {"max_retries": 3, "retry_timeout": timedelta(seconds=20)}
_URL_PATTERN: Final = re.compile(r"(file:///|(s3|gs|az)://[^/])")

Result = TypeVar("Result")


class StorageUnavailable(Unavailable):
    """The file storage did not respond, or no longer has the file."""

    code = "storage_unavailable"
    title = "File storage is unavailable."
    remedy = "Try again soon."


class Storage:
    """A storage of objects by their SHA-256.

    It calls obstore's blocking functions in its own threads, for two reasons. The asynchronous ones
    respond from another thread that can outlive the interpreter and abort the process. Besides, a
    slow bucket must not occupy the threads of other work.
    """

    def __init__(self, url: str, upload_limit: int) -> None:
        self.url = url
        self.upload_limit = upload_limit
        self._threads = ThreadPoolExecutor(8, thread_name_prefix="files")

    @cached_property
    def folder(self) -> Path | None:
        """The local folder, or None when the objects are in a bucket."""
        parts = urlsplit(self.url)
        return Path(url2pathname(parts.path)) if parts.scheme == "file" else None

    @cached_property
    def _store(self) -> "ObjectStore":
        # Imported here: most processes and requests never touch a file.
        from obstore import store  # noqa: PLC0415

        if self.folder is None:
            return store.from_url(self.url, retry_config=RETRY_CONFIG)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return store.LocalStore(self.folder)

    async def put(self, sha256: bytes, data: bytes) -> None:
        """Store the bytes durably.

        Existing bytes are overwritten: that costs the same and repairs a damaged object.
        """
        await self._run(lambda: self._put(object_path(sha256), data))

    async def get(self, sha256: bytes) -> bytes:
        return await self._run(lambda: bytes(self._get(object_path(sha256)).bytes()))

    async def stream(self, sha256: bytes, start: int, end: int) -> AsyncIterator[bytes]:
        """Open an object and stream its bytes from `start` up to, but not including, `end`."""
        options = {"range": (start, end)}
        response = await self._run(lambda: self._get(object_path(sha256), options))
        return self._read_parts(iter(response.stream(min_chunk_size=CHUNK_BYTES)))

    async def delete(self, sha256: bytes) -> None:
        """Delete an object, if it exists."""
        await self._run(lambda: self._delete(object_path(sha256)))

    async def _read_parts(self, parts: Iterator[Any]) -> AsyncIterator[bytes]:
        while (part := await self._run(lambda: next(parts, None))) is not None:
            yield bytes(part)

    async def _run(self, call: Callable[[], Result]) -> Result:
        """Run a call off the event loop; raise StorageUnavailable for any failure of the store."""
        from obstore.exceptions import BaseError  # noqa: PLC0415 - as above

        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, call)
        except (OSError, BaseError) as error:
            log.error("storage failed", exc_info=error)
            raise StorageUnavailable from error

    def _put(self, path: str, data: bytes) -> None:
        import obstore  # noqa: PLC0415 - as above

        obstore.put(self._store, path, data)
        if self.folder is not None:
            _sync_to_disk(self.folder, self.folder / path)

    def _get(self, path: str, options: Any = None) -> Any:  # noqa: ANN401 - obstore's own types
        import obstore  # noqa: PLC0415 - as above

        return obstore.get(self._store, path, options=options)

    def _delete(self, path: str) -> None:
        import obstore  # noqa: PLC0415 - as above

        with suppress(FileNotFoundError):
            obstore.delete(self._store, path)


def object_path(sha256: bytes) -> str:
    """Return an object's path. Two levels of folders keep each folder small."""
    name = sha256.hex()
    return f"{name[:2]}/{name[2:4]}/{name}"


def _sync_to_disk(folder: Path, file: Path) -> None:
    """Wait until a new file and its folders are on disk.

    obstore renames complete files into place but does not sync them. The row that refers to a file
    must not become durable before the file.
    """
    for path in (file, *file.parents):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        if path == folder:
            return


def make_storage(settings: Settings) -> Storage:
    """Build the storage from the settings. Nothing is opened before the first file."""
    url = settings.files_url or (settings.folder / "files").as_uri()
    if not _URL_PATTERN.match(url):
        raise SettingsError(
            "PANNIER_FILES_URL is invalid: use s3://bucket/prefix, gs://…, az://… or file:///folder."
        )
    return Storage(url, settings.upload_limit)
