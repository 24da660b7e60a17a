"""Keys derived from the installation's one secret: signing, sealing, comparing."""

import base64
import hashlib
import hmac
import secrets
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE: Final = 12
SIGNATURE_LENGTH: Final = 16  # 128 bits: enough against forgery, short enough for a URL


class Keyring:
    """Signs and seals for one purpose at a time, so that no signature serves two masters."""

    def __init__(self, secret: str) -> None:
        self._master = secret.encode()
        self._derived: dict[str, bytes] = {}

    def key(self, purpose: str) -> bytes:
        """Derive the 32-byte key of a purpose."""
        if purpose not in self._derived:
            self._derived[purpose] = hmac.digest(self._master, purpose.encode(), "sha256")
        return self._derived[purpose]

    def sign(self, purpose: str, message: bytes) -> bytes:
        """Answer a short signature of the message."""
        return hmac.digest(self.key(purpose), message, "sha256")[:SIGNATURE_LENGTH]

    def verified(self, purpose: str, message: bytes, signature: bytes) -> bool:
        """Tell whether the signature is ours, in constant time."""
        return hmac.compare_digest(self.sign(purpose, message), signature)

    def seal(self, purpose: str, message: bytes, *, context: bytes = b"") -> bytes:
        """Encrypt the message; it opens only with the same purpose and context."""
        nonce = secrets.token_bytes(_NONCE)
        return nonce + AESGCM(self.key(purpose)).encrypt(nonce, message, context)

    def unseal(self, purpose: str, sealed: bytes, *, context: bytes = b"") -> bytes | None:
        """Decrypt what `seal` made; None when it was not made so."""
        try:
            return AESGCM(self.key(purpose)).decrypt(sealed[:_NONCE], sealed[_NONCE:], context)
        except InvalidTag:
            return None

    def fingerprint(self) -> str:
        """Name this secret without telling it, so that two machines can compare."""
        return self.sign("fingerprint", b"pannier").hex()


def digest(text: str) -> bytes:
    """Hash a long random secret for keeping; too fast for passwords, right for tokens."""
    return hashlib.sha256(text.encode()).digest()


def same(left: bytes, right: bytes) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(left, right)


def to_text(data: bytes) -> str:
    """Spell bytes for a URL."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_text(text: str) -> bytes | None:
    """Read what `to_text` spelled; None when it is something else."""
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None
