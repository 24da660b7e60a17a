"""Keys derived from the installation's one secret: signing, sealing, comparing."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable, Sequence
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE: Final = 12
SIGNATURE_LENGTH: Final = 16  # 128 bits: enough against forgery, short enough for a URL


class Keyring:
    """Signs and seals for one purpose at a time, so that no signature serves two masters.

    The present secret signs and seals; what older ones signed and sealed goes on being ours.
    """

    def __init__(self, secret: str, older: Iterable[str] = ()) -> None:
        self._masters = [each.encode() for each in (secret, *older)]
        self._derived: dict[str, list[bytes]] = {}

    def keys(self, purpose: str) -> Sequence[bytes]:
        """Derive the 32-byte keys of a purpose, the present one first."""
        if purpose not in self._derived:
            self._derived[purpose] = [
                hmac.digest(master, purpose.encode(), "sha256") for master in self._masters
            ]
        return self._derived[purpose]

    def key(self, purpose: str) -> bytes:
        """Derive the present key of a purpose."""
        return self.keys(purpose)[0]

    def sign(self, purpose: str, message: bytes) -> bytes:
        """Answer a short signature of the message."""
        return _signature(self.key(purpose), message)

    def signatures(self, purpose: str, message: bytes) -> list[bytes]:
        """Answer every signature of the message that is ours, the present one first."""
        return [_signature(key, message) for key in self.keys(purpose)]

    def verified(self, purpose: str, message: bytes, signature: bytes) -> bool:
        """Tell whether the signature is ours, in constant time."""
        return among(self.signatures(purpose, message), signature)

    def seal(self, purpose: str, message: bytes, *, context: bytes = b"") -> bytes:
        """Encrypt the message; it opens only with the same purpose and context."""
        nonce = secrets.token_bytes(_NONCE)
        return nonce + AESGCM(self.key(purpose)).encrypt(nonce, message, context)

    def unseal(self, purpose: str, sealed: bytes, *, context: bytes = b"") -> bytes | None:
        """Decrypt what `seal` made; None when it was not made so."""
        opened = (_opened(key, sealed, context) for key in self.keys(purpose))
        return next((message for message in opened if message is not None), None)

    def resealed(self, purpose: str, sealed: bytes, *, context: bytes = b"") -> bytes:
        """Seal with the present key what an older one sealed; anything else stays as it is."""
        if _opened(self.key(purpose), sealed, context) is not None:
            return sealed
        message = self.unseal(purpose, sealed, context=context)
        return sealed if message is None else self.seal(purpose, message, context=context)

    def fingerprint(self) -> str:
        """Name the present secret without telling it, so that two machines can compare."""
        return self.fingerprints()[0]

    def fingerprints(self) -> list[str]:
        """Name all secrets, the present one first."""
        return [signed.hex() for signed in self.signatures("fingerprint", b"pannier")]


def _signature(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")[:SIGNATURE_LENGTH]


def _opened(key: bytes, sealed: bytes, context: bytes) -> bytes | None:
    try:
        return AESGCM(key).decrypt(sealed[:_NONCE], sealed[_NONCE:], context)
    except (InvalidTag, ValueError):  # too short to have a nonce and a tag
        return None


def digest(text: str) -> bytes:
    """Hash a long random secret for keeping; too fast for passwords, right for tokens."""
    return hashlib.sha256(text.encode()).digest()


def same(left: bytes, right: bytes) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(left, right)


def among(ours: Iterable[bytes], offered: bytes) -> bool:
    """Tell whether one of several is what was offered, whichever it is, in constant time."""
    return sum(same(each, offered) for each in ours) > 0


def to_text(data: bytes) -> str:
    """Spell bytes for a URL."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_text(text: str) -> bytes | None:
    """Read what `to_text` spelled; None when it is something else."""
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None
