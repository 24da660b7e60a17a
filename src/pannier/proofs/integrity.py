"""Tamper evidence: the hashes and signatures of proofs, and the detection of changes.

A proof's *facts* are its contents as canonical JSON. Its hash covers the facts and the hash of the
previous proof in the order's chain; the installation's Ed25519 key signs the hash. The signed
*head* of the chain states how many proofs there are and which is the last. Changing a column, a
file, a fact, a hash or the chain, or truncating the chain, therefore fails a check. When a proof's
personal data is erased, the remaining facts are signed together with its hash, so nobody else can
forge an erasure.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from pannier.proofs.models import ChainHead, Proof
from pannier.proofs.signing import PublicKey
from pannier.web.times import to_rfc3339

_DOMAIN: Final = b"pannier proof 1\n"
_HEAD_DOMAIN: Final = b"pannier head 1\n"
_ERASURE_DOMAIN: Final = b"pannier erasure 1\n"
_NO_PREVIOUS_HASH: Final = bytes(32)
# The columns that are evidence. The others say where files are stored, or what happened later.
EVIDENCE_COLUMNS: Final = (
    "uuid", "public_id", "company", "order_uuid", "subject_type", "subject_uuid", "subject_id",
    "method", "file", "thumbnail", "raw_data", "data", "remarks", "activity", "driver",
    "client_uuid", "created_at", "received_at", "sequence",
)  # fmt: skip
# The values of columns with personal data once they are erased.
ERASED_VALUES: Final[Mapping[str, Any]] = {
    "file": None, "thumbnail": None, "raw_data": None, "remarks": None, "data": {},
}  # fmt: skip


def encode_facts(evidence: Mapping[str, Any], extra: Mapping[str, Any]) -> bytes:
    """Encode the evidence columns and extra values as canonical JSON, which is hashed."""
    facts = {name: evidence[name] for name in EVIDENCE_COLUMNS}
    return msgspec.json.encode({**facts, **extra}, order="sorted")


def hash_proof(previous: bytes | None, facts: bytes) -> bytes:
    """Hash a proof's facts together with the previous proof's hash."""
    return hashlib.sha256(_DOMAIN + (previous or _NO_PREVIOUS_HASH) + facts).digest()


def encode_head(
    order_id: str, number: int, count: int, last_hash: bytes, signed_at: datetime
) -> bytes:
    """Encode a chain's signed statement: its order, length and last hash.

    `number` is the order's position among the company's orders with proofs.
    """
    statement = {
        "order": order_id,
        "number": number,
        "count": count,
        "last": last_hash.hex(),
        "at": to_rfc3339(signed_at),
    }
    return msgspec.json.encode(statement, order="sorted")


def encode_erased_facts(proof: Proof, erased_at: datetime) -> bytes:
    """Encode the facts that remain after a proof was erased."""
    row = {name: getattr(proof, name) for name in EVIDENCE_COLUMNS}
    erased_columns = {"file_sha256": None, "thumbnail_sha256": None, "erased_at": erased_at}
    return encode_facts({**row, **ERASED_VALUES}, erased_columns)


def build_erasure_message(proof_hash: bytes, facts: bytes) -> bytes:
    """Build the message that is signed when a proof is erased."""
    return _ERASURE_DOMAIN + proof_hash + facts


def build_head_message(statement: bytes) -> bytes:
    """Build the message that is signed for a head. Its prefix cannot match a proof's hash."""
    return _HEAD_DOMAIN + statement


class Verdict(msgspec.Struct, kw_only=True):
    """The results of a proof's checks, with a message for each failed check.

    The contents and files of an `erased` proof are gone. Its erasure, its place in the chain and
    its signature are still checked.
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
    """An order's proofs, their signed head, and the trusted keys."""

    order_id: str
    proofs: Sequence[Proof]
    head: ChainHead | None
    keys: Mapping[str, PublicKey]

    @property
    def is_unbroken(self) -> bool:
        """Whether the numbers have no gap and each hash follows from the previous one."""
        previous_hash = None
        for number, proof in enumerate(self.proofs, start=1):
            if proof.sequence != number or proof.previous != previous_hash:
                return False
            if not self.has_valid_hash(proof):
                return False
            previous_hash = proof.hash
        return True

    @property
    def is_complete(self) -> bool:
        """Whether the chain has the length and the last hash that its head states."""
        statement = self.head_statement
        if self.head is None or statement is None:
            return self.head is None and not self.proofs
        last = self.proofs[-1].hash.hex() if self.proofs else None
        stated_values = tuple(statement.get(name) for name in ("order", "number", "count", "last"))
        return stated_values == (self.order_id, self.head.number, len(self.proofs), last)

    @property
    def head_statement(self) -> Mapping[str, Any] | None:
        """The head's statement, or None unless a trusted key signed it while in use."""
        head = self.head
        key = None if head is None else self.keys.get(head.key_id)
        if head is None or key is None:
            return None
        if not key.has_signed(build_head_message(head.statement), head.signature):
            return None
        statement = _decode_object(head.statement)
        return statement if key.was_in_use(datetime.fromisoformat(statement["at"])) else None

    def has_valid_hash(self, proof: Proof) -> bool:
        """Return whether the hash follows from the facts, or the erasure was signed."""
        if proof.erased_at is None:
            return hash_proof(proof.previous, proof.facts) == proof.hash
        key = self.keys.get(proof.erasure_key or "")
        if key is None or not key.was_in_use(proof.erased_at):
            return False
        return key.has_signed(build_erasure_message(proof.hash, proof.facts), proof.erasure or b"")

    def has_valid_signature(self, proof: Proof) -> bool:
        """Return whether a trusted key signed the proof while that key was in use."""
        key = self.keys.get(proof.key_id)
        if key is None or not key.was_in_use(proof.received_at):
            return False
        return key.has_signed(proof.hash, proof.signature)


ALTERED: Final = "A field differs from the signed facts."
WRONG_HASH: Final = "The hash does not match the facts."
BROKEN: Final = "A proof of the order was changed, added or removed."
CUT_SHORT: Final = "The order's last proof does not match the signed head."
FORGED: Final = "The signature is not this installation's."
REPLACED: Final = "The stored file is missing, or differs from the captured one."


def verify_proof(proof: Proof, chain: Chain, files: Mapping[str, str | None]) -> Verdict:
    """Verify a proof of a chain. `files` contains the SHA-256 of its files as stored now."""
    facts = _decode_object(proof.facts)
    checks = {
        "facts_valid": (_matches_facts(proof, facts), ALTERED),
        "hash_valid": (chain.has_valid_hash(proof), WRONG_HASH),
        "chain_valid": (chain.is_unbroken, BROKEN),
        "head_valid": (chain.is_complete, CUT_SHORT),
        "signature_valid": (chain.has_valid_signature(proof), FORGED),
        "file_valid": (
            all(facts.get(name) == sha256 for name, sha256 in files.items()),
            REPLACED,
        ),
    }
    messages = [message for is_valid, message in checks.values() if not is_valid]
    outcome = {name: is_valid for name, (is_valid, _) in checks.items()}
    is_erased = proof.erased_at is not None
    return Verdict(valid=not messages, erased=is_erased, faults=messages, **outcome)


def find_faults(chain: Chain) -> list[str]:
    """Verify a whole chain except its files, and return a message per fault."""
    checks = {
        ALTERED: all(_matches_facts(proof, _decode_object(proof.facts)) for proof in chain.proofs),
        FORGED: all(chain.has_valid_signature(proof) for proof in chain.proofs),
    }
    return [
        *find_chain_faults(chain),
        *(message for message, is_valid in checks.items() if not is_valid),
    ]


def find_chain_faults(chain: Chain) -> list[str]:
    """Verify only the hashes and the head, which vouches for every earlier proof."""
    checks = {BROKEN: chain.is_unbroken, CUT_SHORT: chain.is_complete}
    return [message for message, is_valid in checks.items() if not is_valid]


def _decode_object(statement: bytes) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(statement)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return value if isinstance(value, dict) else {}


def _matches_facts(proof: Proof, facts: Mapping[str, Any]) -> bool:
    """Compare row and facts as decoded values: the database may format numbers differently."""
    names = EVIDENCE_COLUMNS if proof.erased_at is None else (*EVIDENCE_COLUMNS, "erased_at")
    row = {name: getattr(proof, name) for name in names}
    json_values = msgspec.json.decode(msgspec.json.encode(row))
    return all(name in facts and facts[name] == value for name, value in json_values.items())
