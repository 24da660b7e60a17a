"""Tamper evidence: what is hashed and signed of a proof, and how a change is found out.

Each proof's *facts* are its contents as canonical JSON. Its hash covers the facts and the hash of
the proof before it in the order's chain; the installation's Ed25519 key signs the hash. The
*head* of the chain, signed too, tells how many there are and which is the last. Whoever changes a
column, a file, a fact, a hash or the chain, or cuts it short, leaves something that does not add
up. Of a proof that was erased with the person whom it shows, what is left of its facts is signed
together with its hash; so erasing is nothing that anybody else can do either.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from pannier.proofs.models import Head, Proof
from pannier.proofs.signing import PublicKey
from pannier.web.times import stamp

_DOMAIN: Final = b"pannier proof 1\n"
_HEAD_DOMAIN: Final = b"pannier head 1\n"
_ERASURE_DOMAIN: Final = b"pannier erasure 1\n"
_FIRST: Final = bytes(32)
# The columns that are evidence. What else a row has says where it lies or what became of it.
EVIDENCE: Final = (
    "uuid", "public_id", "company", "order_uuid", "subject_type", "subject_uuid", "subject_id",
    "method", "file", "thumbnail", "raw_data", "data", "remarks", "activity", "driver",
    "client_uuid", "created_at", "received_at", "sequence",
)  # fmt: skip
# What the person is in, as it is when they were erased.
ERASED: Final[Mapping[str, Any]] = {
    "file": None, "thumbnail": None, "raw_data": None, "remarks": None, "data": {},
}  # fmt: skip


def facts(evidence: Mapping[str, Any], more: Mapping[str, Any]) -> bytes:
    """Spell what is evidence, with more than its columns, in the one way that is hashed."""
    told = {name: evidence[name] for name in EVIDENCE}
    return msgspec.json.encode({**told, **more}, order="sorted")


def chained(previous: bytes | None, told: bytes) -> bytes:
    """Hash a proof's facts together with the hash of the proof before it."""
    return hashlib.sha256(_DOMAIN + (previous or _FIRST) + told).digest()


def headed(order_id: str, number: int, count: int, last: bytes, at: datetime) -> bytes:
    """Spell what is signed of a whole chain: whose it is, how long, and where it ends.

    The number says which of the company's orders with proofs it is.
    """
    told = {
        "order": order_id, "number": number, "count": count, "last": last.hex(), "at": stamp(at),
    }  # fmt: skip
    return msgspec.json.encode(told, order="sorted")


def erased(proof: Proof, at: datetime) -> bytes:
    """Spell what is left of a proof whose person was erased."""
    row = {name: getattr(proof, name) for name in EVIDENCE}
    gone = {"file_sha256": None, "thumbnail_sha256": None, "erased_at": at}
    return facts({**row, **ERASED}, gone)


def erasure_message(hashed: bytes, left: bytes) -> bytes:
    """Answer what is signed of a proof that was erased."""
    return _ERASURE_DOMAIN + hashed + left


def head_message(statement: bytes) -> bytes:
    """Answer what is signed of a head, which can be taken for no proof's hash."""
    return _HEAD_DOMAIN + statement


class Verdict(msgspec.Struct, kw_only=True):
    """What holds of a proof, and a sentence for each thing that does not.

    Of one that was `erased` with the person whom it shows, what it said and its files are gone;
    that it was erased by us, its place in the chain and its signature are checked all the same.
    """

    valid: bool
    erased: bool
    facts_valid: bool
    hash_valid: bool
    chain_valid: bool
    head_valid: bool
    signature_valid: bool
    file_valid: bool
    faults: list[str]


class Chain(msgspec.Struct, frozen=True):
    """An order's proofs, the head that was signed of them, and the keys that are ours."""

    order_id: str
    proofs: Sequence[Proof]
    head: Head | None
    keys: Mapping[str, PublicKey]

    @property
    def unbroken(self) -> bool:
        """Walk the whole chain: numbers without a gap, each hash following from the one before."""
        previous = None
        for number, proof in enumerate(self.proofs, start=1):
            if proof.sequence != number or proof.previous != previous:
                return False
            if not self.hashed(proof):
                return False
            previous = proof.hash
        return True

    @property
    def whole(self) -> bool:
        """Tell whether the chain is as long as its head says, and ends there."""
        told = self.told
        if self.head is None or told is None:
            return self.head is None and not self.proofs
        last = self.proofs[-1].hash.hex() if self.proofs else None
        agree = tuple(told.get(name) for name in ("order", "number", "count", "last"))
        return agree == (self.order_id, self.head.number, len(self.proofs), last)

    @property
    def told(self) -> Mapping[str, Any] | None:
        """What the head says; None when there is none that a key of ours signed in its time."""
        head = self.head
        key = None if head is None else self.keys.get(head.key_id)
        if head is None or key is None:
            return None
        if not key.signed(head_message(head.statement), head.signature):
            return None
        told = _read(head.statement)
        return told if key.covers(datetime.fromisoformat(told["at"])) else None

    def hashed(self, proof: Proof) -> bool:
        """Tell whether a hash follows from the facts, or what is left of them was signed."""
        if proof.erased_at is None:
            return chained(proof.previous, proof.facts) == proof.hash
        key = self.keys.get(proof.erasure_key or "")
        if key is None or not key.covers(proof.erased_at):
            return False
        return key.signed(erasure_message(proof.hash, proof.facts), proof.erasure or b"")

    def signed(self, proof: Proof) -> bool:
        """Tell whether a proof was signed with a key of ours, while it was in use."""
        key = self.keys.get(proof.key_id)
        if key is None or not key.covers(proof.received_at):
            return False
        return key.signed(proof.hash, proof.signature)


ALTERED: Final = "A field is not what was signed."
MISHASHED: Final = "The hash does not follow from the facts."
BROKEN: Final = "A proof of the order was changed, added or removed."
CUT_SHORT: Final = "The order's proofs do not end where the signed head says."
FORGED: Final = "The signature is not this installation's."
REPLACED: Final = "The stored file is missing or not the one that was captured."


def judged(proof: Proof, chain: Chain, files: Mapping[str, str | None]) -> Verdict:
    """Check a proof of a chain; `files` are the hashes of its files' bytes as they are now."""
    told = _read(proof.facts)
    checks = {
        "facts_valid": (_agree(proof, told), ALTERED),
        "hash_valid": (chain.hashed(proof), MISHASHED),
        "chain_valid": (chain.unbroken, BROKEN),
        "head_valid": (chain.whole, CUT_SHORT),
        "signature_valid": (chain.signed(proof), FORGED),
        "file_valid": (
            all(told.get(name) == found for name, found in files.items()),
            REPLACED,
        ),
    }
    faults = [sentence for holds, sentence in checks.values() if not holds]
    outcome = {name: holds for name, (holds, _) in checks.items()}
    erased = proof.erased_at is not None
    return Verdict(valid=not faults, erased=erased, faults=faults, **outcome)


def faults(chain: Chain) -> list[str]:
    """Check a whole chain but for its files, and say in a sentence each what does not hold."""
    checks = {
        ALTERED: all(_agree(proof, _read(proof.facts)) for proof in chain.proofs),
        FORGED: all(chain.signed(proof) for proof in chain.proofs),
    }
    return [*breaks(chain), *(sentence for sentence, holds in checks.items() if not holds)]


def breaks(chain: Chain) -> list[str]:
    """Check a chain by its head: what that signed, it signed of every link before it."""
    checks = {BROKEN: chain.unbroken, CUT_SHORT: chain.whole}
    return [sentence for sentence, holds in checks.items() if not holds]


def _read(statement: bytes) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(statement)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return found if isinstance(found, dict) else {}


def _agree(proof: Proof, told: Mapping[str, Any]) -> bool:
    """Compare the row with its facts, as values: the database may spell a number otherwise."""
    names = EVIDENCE if proof.erased_at is None else (*EVIDENCE, "erased_at")
    row = {name: getattr(proof, name) for name in names}
    spelled = msgspec.json.decode(msgspec.json.encode(row))
    return all(name in told and told[name] == value for name, value in spelled.items())
