"""Encrypted objects come back whole, or not at all."""

import pytest

from pannier.backups.encryption import (
    CHUNK_BYTES,
    HEADER_BYTES,
    TAG_BYTES,
    BackupKey,
    Decryptor,
    decrypt,
    encrypt,
    measure_encrypted,
)
from pannier.backups.errors import BackupError, DamagedBackupError

KEY = BackupKey("a key for backups that is long enough")
PURPOSE = b"table orders"
STEP = CHUNK_BYTES + TAG_BYTES


@pytest.mark.parametrize("size", [0, 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES])
def test_any_size_comes_back_in_pieces_of_any_size(size: int) -> None:
    data = bytes(range(256)) * (size // 256) + bytes(size % 256)
    sealed = encrypt(KEY, PURPOSE, data)
    assert len(sealed) == measure_encrypted(size)
    decryptor, parts = Decryptor(KEY, PURPOSE, "it"), []
    for start in range(0, len(sealed), 100_001):
        parts += decryptor.feed(sealed[start : start + 100_001])
    assert b"".join([*parts, *decryptor.finish()]) == data


def test_chunks_are_not_exchanged_repeated_cut_off_or_added_unseen() -> None:
    sealed = encrypt(KEY, PURPOSE, bytes(3 * CHUNK_BYTES))
    header, body = sealed[:HEADER_BYTES], sealed[HEADER_BYTES:]
    first, second, third = (body[start : start + STEP] for start in range(0, 3 * STEP, STEP))
    for forged in (
        first + second,
        second + first + third,
        first + first + second + third,
        first + second + third + third,
        first + third,
        first + second + third[:-1],
        b"",
    ):
        with pytest.raises(DamagedBackupError):
            decrypt(KEY, PURPOSE, header + forged, "it")
    with pytest.raises(DamagedBackupError):
        decrypt(KEY, PURPOSE, header[:-1], "it")


def test_an_object_cannot_take_the_place_of_another_or_be_read_with_another_key() -> None:
    sealed = encrypt(KEY, PURPOSE, b"rows")
    with pytest.raises(DamagedBackupError):
        decrypt(KEY, b"table drivers", sealed, "it")
    with pytest.raises(BackupError, match="another key"):
        decrypt(BackupKey("another key that is long enough too"), PURPOSE, sealed, "it")
    with pytest.raises(BackupError, match="too short"):
        BackupKey("short")
