"""Encryption of objects in chunks, so that a large one needs little memory.

Each object has its own key, derived from the backup key and a random salt. The nonce of a chunk is
its number, with a mark on the last one. So chunks cannot be exchanged, repeated or cut off unseen.
The purpose of the object is authenticated too: no object can take the place of another.
"""

import secrets
from collections.abc import Iterator
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from pannier.backups.errors import BackupError, DamagedBackupError
from pannier.kit.crypto import derive_key

MAGIC: Final = b"PANNIERBACKUP1\n\0"
KEY_ID_BYTES: Final = 8
SALT_BYTES: Final = 32
HEADER_BYTES: Final = len(MAGIC) + KEY_ID_BYTES + SALT_BYTES
CHUNK_BYTES: Final = 256 * 1024
TAG_BYTES: Final = 16
MIN_KEY_LENGTH: Final = 32
WRONG_KEY: Final = "The backup is encrypted with another key than PANNIER_BACKUP_KEY."


class BackupKey:
    """A key that encrypts backups."""

    def __init__(self, text: str) -> None:
        if len(text) < MIN_KEY_LENGTH:
            raise BackupError("The backup key is too short. Use at least 32 random characters.")
        self._master = text.encode()
        self.key_id = derive_key(self._master, b"pannier backup id")[:KEY_ID_BYTES]

    def make_cipher(self, salt: bytes) -> AESGCM:
        """Return the cipher of one object."""
        return AESGCM(derive_key(self._master, b"pannier backup object" + salt))

    def hide_name(self, sha256: bytes) -> bytes:
        """Return a file's name in an encrypted backup. The hash would reveal known files."""
        return derive_key(self._master, b"pannier backup file" + sha256)


def _make_nonce(number: int, *, is_last: bool) -> bytes:
    return number.to_bytes(11) + bytes([is_last])


class Encryptor:
    """Encrypts one object."""

    def __init__(self, key: BackupKey, purpose: bytes) -> None:
        salt = secrets.token_bytes(SALT_BYTES)
        self._cipher, self._purpose = key.make_cipher(salt), purpose
        self._pending = b""
        self._header = MAGIC + key.key_id + salt
        self._number = 0

    def feed(self, data: bytes) -> bytes:
        """Encrypt the chunks that are complete."""
        self._pending += data
        parts = [self._take_header()]
        # The last chunk waits, because only the end shows that it is the last.
        while len(self._pending) > CHUNK_BYTES:
            chunk, self._pending = self._pending[:CHUNK_BYTES], self._pending[CHUNK_BYTES:]
            parts.append(self._encrypt(chunk, is_last=False))
        return b"".join(parts)

    def finish(self) -> bytes:
        """Encrypt the last chunk."""
        return self._take_header() + self._encrypt(self._pending, is_last=True)

    def _take_header(self) -> bytes:
        header, self._header = self._header, b""
        return header

    def _encrypt(self, chunk: bytes, *, is_last: bool) -> bytes:
        nonce = _make_nonce(self._number, is_last=is_last)
        self._number += 1
        return self._cipher.encrypt(nonce, chunk, self._purpose)


class Decryptor:
    """Decrypts one object. It returns only bytes that are authentic."""

    def __init__(self, key: BackupKey, purpose: bytes, name: str) -> None:
        self._key, self._purpose, self._name = key, purpose, name
        self._cipher: AESGCM | None = None
        self._pending = b""
        self._number = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Decrypt the chunks that are complete."""
        self._pending += data
        if self._cipher is None:
            if len(self._pending) < HEADER_BYTES:
                return
            self._open()
        while len(self._pending) > CHUNK_BYTES + TAG_BYTES:
            end = CHUNK_BYTES + TAG_BYTES
            chunk, self._pending = self._pending[:end], self._pending[end:]
            yield self._decrypt(chunk, is_last=False)

    def finish(self) -> Iterator[bytes]:
        """Decrypt the last chunk, which proves that nothing is missing."""
        yield self._decrypt(self._pending, is_last=True)

    def _open(self) -> None:
        header, self._pending = self._pending[:HEADER_BYTES], self._pending[HEADER_BYTES:]
        key_id = header[len(MAGIC) : len(MAGIC) + KEY_ID_BYTES]
        if not header.startswith(MAGIC):
            raise DamagedBackupError(self._name, "is not encrypted as it should be")
        if key_id != self._key.key_id:
            raise BackupError(WRONG_KEY)
        self._cipher = self._key.make_cipher(header[-SALT_BYTES:])

    def _decrypt(self, chunk: bytes, *, is_last: bool) -> bytes:
        nonce = _make_nonce(self._number, is_last=is_last)
        self._number += 1
        damage = DamagedBackupError(self._name, "was changed or is incomplete")
        if self._cipher is None:
            raise damage
        try:
            return self._cipher.decrypt(nonce, chunk, self._purpose)
        except InvalidTag:
            raise damage from None


def encrypt(key: BackupKey, purpose: bytes, data: bytes) -> bytes:
    """Encrypt a small object."""
    encryptor = Encryptor(key, purpose)
    return encryptor.feed(data) + encryptor.finish()


def decrypt(key: BackupKey, purpose: bytes, data: bytes, name: str) -> bytes:
    """Decrypt a small object."""
    decryptor = Decryptor(key, purpose, name)
    return b"".join([*decryptor.feed(data), *decryptor.finish()])


def measure_encrypted(size: int) -> int:
    """Return the size of an encrypted object."""
    chunks = max(1, -(-size // CHUNK_BYTES))
    return HEADER_BYTES + size + chunks * TAG_BYTES
