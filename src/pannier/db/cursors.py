"""Cursors: encrypted positions in lists and feeds.

A position can contain numbers that count the rows of all companies, which a cursor must not show.
Equal positions have equal cursors, so that callers can compare them.
"""

from typing import Final

from pannier.errors import CursorInvalid
from pannier.kit import crypto
from pannier.kit.crypto import Keyring

PURPOSE: Final = "sealed cursor"
# Cursors from before version 0.1 are signed and not encrypted. They are accepted until 1.0.
SIGNED_PURPOSE: Final = "cursor"


def seal_cursor(keys: Keyring, scope: bytes, position: bytes) -> str:
    """Encrypt a position. Its cursor is valid for this scope only."""
    return crypto.to_text(keys.seal_repeatably(PURPOSE, position, context=scope))


def open_cursor(keys: Keyring, scope: bytes, cursor: str) -> bytes:
    """Return the position of a cursor, or raise CursorInvalid."""
    data = crypto.from_text(cursor) or b""
    position = keys.unseal(PURPOSE, data, context=scope)
    return _open_signed_cursor(keys, scope, data) if position is None else position


def _open_signed_cursor(keys: Keyring, scope: bytes, data: bytes) -> bytes:
    signature, position = data[: crypto.SIGNATURE_LENGTH], data[crypto.SIGNATURE_LENGTH :]
    if not keys.is_valid(SIGNED_PURPOSE, scope + position, signature):
        raise CursorInvalid
    return position
