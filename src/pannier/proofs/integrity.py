"""Tamper evidence: what is hashed and signed of a proof, and how a change is found out.

Each proof's *facts* are its contents as canonical JSON. Its hash covers the facts and the hash of
the proof before it in the order's chain; the installation's Ed25519 key signs the hash. Whoever
changes a column, a file, a fact, a hash or the chain leaves something that does not add up.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pannier.kit.crypto import Keyring
from pannier.proofs.models import Proof

PURPOSE: Final = "proof signature"
_DOMAIN: Final = b"pannier proof 1\n"
_FIRST: Final = bytes(32)
# The columns that are evidence. What else a row has says where it lies or what became of it.
EVIDENCE: Final = (
    "uuid", "public_id", "company", "order_uuid", "subject_type", "subject_uuid", "subject_id",
    "method", "file", "thumbnail", "raw_data", "data", "remarks", "activity", "driver",
    "client_uuid", "created_at", "received_at", "sequence",
)  # fmt: skip


class Signer:
    """Signs hashes with the installation's own key, which follows from its secret."""

    def __init__(self, seed: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self._public = self._private.public_key()
        raw = serialization.Encoding.Raw, serialization.PublicFormat.Raw
        self.public_key = self._public.public_bytes(*raw)
        self.key_id = hashlib.sha256(self.public_key).hexdigest()[:16]

    def sign(self, message: bytes) -> bytes:
        """Sign a hash."""
        return self._private.sign(message)

    def signed(self, message: bytes, signature: bytes) -> bool:
        """Tell whether a signature is ours."""
        try:
            self._public.verify(signature, message)
        except InvalidSignature:
            return False
        return True


@lru_cache(maxsize=8)
def _signer(seed: bytes) -> Signer:
    return Signer(seed)


def signer(keys: Keyring) -> Signer:
    """Answer the installation's signer."""
    return _signer(keys.key(PURPOSE))


def facts(evidence: Mapping[str, Any], file_hashes: Mapping[str, str | None]) -> bytes:
    """Spell what is evidence, in the one way that is hashed."""
    told = {name: evidence[name] for name in EVIDENCE}
    return msgspec.json.encode({**told, **file_hashes}, order="sorted")


def chained(previous: bytes | None, told: bytes) -> bytes:
    """Hash a proof's facts together with the hash of the proof before it."""
    return hashlib.sha256(_DOMAIN + (previous or _FIRST) + told).digest()


class Verdict(msgspec.Struct, kw_only=True):
    """What holds of a proof, and a sentence for each thing that does not."""

    valid: bool
    facts_valid: bool
    hash_valid: bool
    chain_valid: bool
    signature_valid: bool
    file_valid: bool
    faults: list[str]


def judged(
    proof: Proof, chain: Sequence[Proof], files: Mapping[str, str | None], keys: Signer
) -> Verdict:
    """Check a proof of a chain; `files` are the hashes of its files' bytes as they are now."""
    told = _told(proof)
    checks = {
        "facts_valid": (_agree(proof, told), "A field is not what was signed."),
        "hash_valid": (
            chained(proof.previous, proof.facts) == proof.hash,
            "The hash does not follow from the facts.",
        ),
        "chain_valid": (_unbroken(chain), "A proof of the order was changed, added or removed."),
        "signature_valid": (
            proof.key_id == keys.key_id and keys.signed(proof.hash, proof.signature),
            "The signature is not this installation's.",
        ),
        "file_valid": (
            all(told.get(name) == found for name, found in files.items()),
            "The stored file is missing or not the one that was captured.",
        ),
    }
    faults = [sentence for holds, sentence in checks.values() if not holds]
    outcome = {name: holds for name, (holds, _) in checks.items()}
    return Verdict(valid=not faults, faults=faults, **outcome)


def _told(proof: Proof) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(proof.facts)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return found if isinstance(found, dict) else {}


def _agree(proof: Proof, told: Mapping[str, Any]) -> bool:
    """Compare the row with its facts, as values: the database may spell a number otherwise."""
    row = {name: getattr(proof, name) for name in EVIDENCE}
    spelled = msgspec.json.decode(msgspec.json.encode(row))
    return all(name in told and told[name] == value for name, value in spelled.items())


def _unbroken(chain: Sequence[Proof]) -> bool:
    """Walk the whole chain: numbers without a gap, each hash following from the one before."""
    previous = None
    for number, proof in enumerate(chain, start=1):
        if proof.sequence != number or proof.previous != previous:
            return False
        if chained(previous, proof.facts) != proof.hash:
            return False
        previous = proof.hash
    return True
