"""Objects of a backup as streams: compressed, encrypted and hashed on the way."""

import asyncio
import hashlib
import zlib
from collections.abc import AsyncIterator, Iterator
from typing import Final

from pannier.backups.destination import Destination, ObjectWriter
from pannier.backups.encryption import BackupKey, Decryptor, Encryptor
from pannier.backups.errors import DamagedBackupError

# The fastest level: it writes about as fast as PostgreSQL reads.
COMPRESSION_LEVEL: Final = 1
GZIP_WBITS: Final = 31
BLOCK_BYTES: Final = 1024 * 1024
SUFFIX: Final = ".enc"


class BackupWriter:
    """Writes a stream as one object. Work on a block runs in a thread."""

    def __init__(
        self,
        destination: Destination,
        path: str,
        *,
        key: BackupKey | None,
        purpose: str,
        compress: bool = True,
    ) -> None:
        suffix = SUFFIX if key is not None else ""
        self._object = ObjectWriter(destination, path + suffix)
        self._destination = destination
        self._compressor = (
            zlib.compressobj(COMPRESSION_LEVEL, wbits=GZIP_WBITS) if compress else None
        )
        self._encryptor = None if key is None else Encryptor(key, purpose.encode())
        self._hash = hashlib.sha256()
        self._blocks: list[bytes] = []
        self._pending_bytes = 0
        self.size = 0
        self.stored_size = 0

    @property
    def sha256(self) -> bytes:
        """The hash of what was written, before compression and encryption."""
        return self._hash.digest()

    async def write(self, data: bytes) -> None:
        self._blocks.append(data)
        self._pending_bytes += len(data)
        if self._pending_bytes >= BLOCK_BYTES:
            await self._destination.run(self._flush)

    async def close(self, *, expected_sha256: bytes | None = None) -> bool:
        """Store the object. If this is not called, there is no object.

        Return False, and store nothing, if the bytes have another hash than the expected one.
        """
        await self._destination.run(self._flush)
        if expected_sha256 not in {None, self.sha256}:
            return False
        await self._destination.run(self._finish)
        return True

    def _flush(self) -> None:
        data, self._blocks, self._pending_bytes = b"".join(self._blocks), [], 0
        self._hash.update(data)
        self.size += len(data)
        if self._compressor is not None:
            data = self._compressor.compress(data)
        self._store(data if self._encryptor is None else self._encryptor.feed(data))

    def _finish(self) -> None:
        data = b"" if self._compressor is None else self._compressor.flush()
        if self._encryptor is not None:
            data = self._encryptor.feed(data) + self._encryptor.finish()
        self._store(data)
        self._object.close()

    def _store(self, data: bytes) -> None:
        self.stored_size += len(data)
        self._object.write(data)


class BackupReader:
    """Reads an object back. Raise DamagedBackupError for anything but what was written."""

    def __init__(
        self,
        destination: Destination,
        path: str,
        *,
        key: BackupKey | None,
        purpose: str,
        sha256: bytes,
        compressed: bool = True,
    ) -> None:
        self._destination, self._path = destination, path + (SUFFIX if key is not None else "")
        self._key, self._purpose = key, purpose.encode()
        self._sha256, self._compressed = sha256, compressed

    async def __aiter__(self) -> AsyncIterator[bytes]:
        hashed = hashlib.sha256()
        decoder = _Decoder(self._key, self._purpose, self._path, compressed=self._compressed)
        try:
            async for part in self._destination.stream(self._path):
                blocks = decoder.feed(part)
                while (block := await asyncio.to_thread(next, blocks, None)) is not None:
                    hashed.update(block)
                    yield block
        except FileNotFoundError:
            raise DamagedBackupError(self._path, "is missing") from None
        for block in decoder.finish():
            hashed.update(block)
            yield block
        if hashed.digest() != self._sha256:
            raise DamagedBackupError(self._path, "does not match its checksum")


class _Decoder:
    def __init__(
        self, key: BackupKey | None, purpose: bytes, name: str, *, compressed: bool
    ) -> None:
        self._decryptor = None if key is None else Decryptor(key, purpose, name)
        self._decompressor = zlib.decompressobj(wbits=GZIP_WBITS) if compressed else None
        self._name = name

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Decrypt and decompress, in blocks of bounded size."""
        for part in (data,) if self._decryptor is None else self._decryptor.feed(data):
            yield from self._decompress(part)

    def finish(self) -> Iterator[bytes]:
        for part in () if self._decryptor is None else self._decryptor.finish():
            yield from self._decompress(part)
        if self._decompressor is None:
            return
        if rest := self._decompressor.flush():
            yield rest
        if not self._decompressor.eof:
            raise DamagedBackupError(self._name, "is incomplete")

    def _decompress(self, data: bytes) -> Iterator[bytes]:
        if self._decompressor is None:
            yield data
            return
        try:
            while data and not self._decompressor.eof:
                if block := self._decompressor.decompress(data, BLOCK_BYTES):
                    yield block
                data = self._decompressor.unconsumed_tail
        except zlib.error:
            raise DamagedBackupError(self._name, "cannot be decompressed") from None
