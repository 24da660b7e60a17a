"""The keys that sign proofs: the current one, earlier ones, and the reasons to trust them.

The installation's secret derives an Ed25519 key. Its public half is kept for ever with its dates.
When the secret is rotated, the new key signs a voucher for the old one. So old proofs can be
verified after their secret is gone, and a key inserted into the table by an attacker is not
trusted.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from pannier.db import Db, columns
from pannier.errors import Unavailable
from pannier.kit.crypto import Keyring
from pannier.web.times import to_rfc3339

KEY_PURPOSE: Final = "proof signature"
_VOUCHER_DOMAIN: Final = b"pannier key 1\n"
# How far two machines' clocks may differ.
MAX_CLOCK_SKEW: Final = timedelta(minutes=5)


class KeyReplaced(Unavailable):
    """The server's signing secret was rotated."""

    code = "key_replaced"
    title = "This server uses an outdated secret."
    remedy = "Restart the server with the current secret."


class PublicKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key's public half and its dates, and its successor's voucher if it was replaced."""

    key_id: str
    public_key: bytes
    began_at: datetime
    ended_at: datetime | None = None
    successor: str | None = None
    voucher: bytes | None = None

    def has_signed(self, message: bytes, signature: bytes) -> bool:
        """Return whether this key signed the message."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public_key).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True

    def was_in_use(self, moment: datetime) -> bool:
        """Return whether the key was in use at a moment."""
        start, end = self.began_at - MAX_CLOCK_SKEW, self.ended_at
        return start <= moment and (end is None or moment <= end + MAX_CLOCK_SKEW)

    def build_voucher_message(self) -> bytes:
        """Build the message that the key's successor signs."""
        voucher = {
            "key_id": self.key_id,
            "public_key": self.public_key.hex(),
            "began_at": to_rfc3339(self.began_at),
            "ended_at": to_rfc3339(self.ended_at),
        }
        return _VOUCHER_DOMAIN + msgspec.json.encode(voucher, order="sorted")


class Signer:
    """A signer whose key is derived from one of the installation's secrets."""

    def __init__(self, seed: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        raw = serialization.Encoding.Raw, serialization.PublicFormat.Raw
        self.public_key = self._private.public_key().public_bytes(*raw)
        self.key_id = derive_key_id(self.public_key)

    def sign(self, message: bytes) -> bytes:
        return self._private.sign(message)


def derive_key_id(public_key: bytes) -> str:
    """Derive the id of a public key."""
    return hashlib.sha256(public_key).hexdigest()[:16]


@lru_cache(maxsize=8)
def _make_signer(seed: bytes) -> Signer:
    return Signer(seed)


def list_signers(keys: Keyring) -> list[Signer]:
    """Return a signer for each of the installation's secrets, the current one first."""
    return [_make_signer(seed) for seed in keys.keys(KEY_PURPOSE)]


async def get_registered_signer(db: Db) -> Signer:
    """Register the current signer's public key on first use, and return the signer.

    Raise KeyReplaced if a newer secret has retired it.
    """
    signer = list_signers(db.database.keys)[0]
    retired_at = await db.fetch_value(
        """with existing as (select ended_at from proof_keys where key_id = :key_id),
           inserted as (insert into proof_keys (key_id, public_key, began_at)
                    select :key_id, :public_key, :now where not exists (select from existing)
                    on conflict do nothing)
           select ended_at from existing""",
        key_id=signer.key_id,
        public_key=signer.public_key,
        now=db.now,
    )
    if retired_at is not None:
        raise KeyReplaced
    return signer


async def list_keys(db: Db) -> list[PublicKey]:
    """List all keys, newest first."""
    sql = f"select {columns(PublicKey)} from proof_keys order by began_at desc, key_id"
    return await db.fetch_all(PublicKey, sql)


async def load_trusted_keys(db: Db) -> dict[str, PublicKey]:
    """Return the trusted keys by their ids."""
    return select_trusted_keys(await list_keys(db), list_signers(db.database.keys))


def select_trusted_keys(
    keys: Sequence[PublicKey], own_signers: Iterable[Signer]
) -> dict[str, PublicKey]:
    """Select the keys of the given signers, and those they vouch for, transitively."""
    own_public_keys = {signer.public_key for signer in own_signers}
    trusted_keys = {
        key.key_id: key
        for key in keys
        if key.public_key in own_public_keys and _has_matching_id(key)
    }
    untrusted_keys = [key for key in keys if key.key_id not in trusted_keys]
    while newly_trusted := {
        key.key_id: key for key in untrusted_keys if _is_vouched_for(key, trusted_keys)
    }:
        trusted_keys |= newly_trusted
        untrusted_keys = [key for key in untrusted_keys if key.key_id not in trusted_keys]
    return trusted_keys


def _has_matching_id(key: PublicKey) -> bool:
    return key.key_id == derive_key_id(key.public_key)


def _is_vouched_for(key: PublicKey, trusted: Mapping[str, PublicKey]) -> bool:
    successor = trusted.get(key.successor or "")
    if successor is None or key.voucher is None or not _has_matching_id(key):
        return False
    return successor.has_signed(key.build_voucher_message(), key.voucher)


async def retire_old_keys(db: Db) -> None:
    """Retire all earlier keys. The current key signs a voucher for each."""
    successor = await get_registered_signer(db)
    older_keys = {signer.public_key for signer in list_signers(db.database.keys)} - {
        successor.public_key
    }
    for key in await list_keys(db):
        if key.public_key not in older_keys or key.ended_at is not None:
            continue
        retired_key = msgspec.structs.replace(key, ended_at=db.now)
        await db.execute(
            """update proof_keys set ended_at = :ended_at, successor = :successor,
               voucher = :voucher where key_id = :key_id""",
            key_id=key.key_id,
            ended_at=retired_key.ended_at,
            successor=successor.key_id,
            voucher=successor.sign(retired_key.build_voucher_message()),
        )
