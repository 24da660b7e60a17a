"""Signing, encryption and comparison with keys derived from the installation's secret."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable, Sequence
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE_BYTES: Final = 12
SIGNATURE_LENGTH: Final = 16  # 128 bits: enough against forgery, short enough for a URL


class Keyring:
    """Signs and encrypts with a separate key for each purpose.

    The current secret signs and encrypts. Signatures and data of older secrets stay valid.
    """

    def __init__(self, secret: str, older_secrets: Iterable[str] = ()) -> None:
        self._secrets = [text.encode() for text in (secret, *older_secrets)]
        self._derived: dict[str, list[bytes]] = {}

    def keys(self, purpose: str) -> Sequence[bytes]:
        """Derive the 32-byte keys of a purpose, the current one first."""
        if purpose not in self._derived:
            self._derived[purpose] = [
                hmac.digest(master, purpose.encode(), "sha256") for master in self._secrets
            ]
        return self._derived[purpose]

    def key(self, purpose: str) -> bytes:
        """Derive the current key of a purpose."""
        return self.keys(purpose)[0]

    def sign(self, purpose: str, message: bytes) -> bytes:
        """Return a short signature of the message."""
        return _compute_signature(self.key(purpose), message)

    def signatures(self, purpose: str, message: bytes) -> list[bytes]:
        """Return every valid signature of the message, that of the current secret first."""
        return [_compute_signature(key, message) for key in self.keys(purpose)]

    def is_valid(self, purpose: str, message: bytes, signature: bytes) -> bool:
        """Return whether a signature is valid, in constant time."""
        return contains(self.signatures(purpose, message), signature)

    def seal(self, purpose: str, message: bytes, *, context: bytes = b"") -> bytes:
        """Encrypt the message. Decryption requires the same purpose and context."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + AESGCM(self.key(purpose)).encrypt(nonce, message, context)

    def seal_repeatably(self, purpose: str, message: bytes, *, context: bytes = b"") -> bytes:
        """Encrypt the message like `seal`, but equal messages in equal contexts equally.

        The nonce is derived from both, so it repeats only with them.
        """
        parts = len(context).to_bytes(8, "big") + context + message
        nonce = derive_key(self.key(f"{purpose} nonce"), parts)[:_NONCE_BYTES]
        return nonce + AESGCM(self.key(purpose)).encrypt(nonce, message, context)

    def unseal(self, purpose: str, ciphertext: bytes, *, context: bytes = b"") -> bytes | None:
        """Decrypt the result of `seal`; return None if it is not one."""
        plaintexts = (_decrypt_message(key, ciphertext, context) for key in self.keys(purpose))
        return next((message for message in plaintexts if message is not None), None)

    def reseal(self, purpose: str, ciphertext: bytes, *, context: bytes = b"") -> bytes:
        """Encrypt data of an older secret with the current one; return other data unchanged."""
        if _decrypt_message(self.key(purpose), ciphertext, context) is not None:
            return ciphertext
        message = self.unseal(purpose, ciphertext, context=context)
        return ciphertext if message is None else self.seal(purpose, message, context=context)

    def fingerprint(self) -> str:
        """Return a fingerprint of the current secret, which does not reveal the secret."""
        return self.fingerprints()[0]

    def fingerprints(self) -> list[str]:
        """Return the fingerprints of all secrets, the current one first."""
        return [signature.hex() for signature in self.signatures("fingerprint", b"pannier")]


def _compute_signature(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")[:SIGNATURE_LENGTH]


def _decrypt_message(key: bytes, ciphertext: bytes, context: bytes) -> bytes | None:
    try:
        return AESGCM(key).decrypt(ciphertext[:_NONCE_BYTES], ciphertext[_NONCE_BYTES:], context)
    except (InvalidTag, ValueError):  # too short to have a nonce and a tag
        return None


def derive_key(key: bytes, name: bytes) -> bytes:
    """Derive another 32-byte key from a key and a name."""
    return hmac.digest(key, name, "sha256")


def digest(text: str) -> bytes:
    """Hash a long random token for storage. This is too fast for passwords."""
    return hashlib.sha256(text.encode()).digest()


def is_equal(left: bytes, right: bytes) -> bool:
    """Return whether two values are equal, in constant time."""
    return hmac.compare_digest(left, right)


def contains(candidates: Iterable[bytes], value: bytes) -> bool:
    """Return whether the candidates contain a value, in constant time."""
    return sum(is_equal(candidate, value) for candidate in candidates) > 0


def to_text(data: bytes) -> str:
    """Encode bytes for a URL (base64url without padding)."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_text(text: str) -> bytes | None:
    """Decode the result of `to_text`; return None if it is not one."""
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None
