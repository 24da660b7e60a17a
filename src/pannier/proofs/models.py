"""Rows of proofs."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Literal
from uuid import UUID

import msgspec

from pannier.db.actor import Kind
from pannier.db.row import PublicRow
from pannier.payloads.models import SubjectType

Method = Literal["scan", "signature", "photo", "sms", "override"]
Status = Literal["valid"]


class ProofSubject(msgspec.Struct, frozen=True):
    """The subject of a proof: an order, a stop or an item, and its order."""

    type: SubjectType
    uuid: UUID
    public_id: str
    company: UUID
    order: UUID
    order_id: str


class Proof(PublicRow, kw_only=True):
    """A proof as captured; only `status` and `used_by` change before it is erased."""

    # A phone without reception sends proofs late.
    created_column: ClassVar = "received_at"
    order_uuid: UUID
    subject_type: SubjectType
    subject_uuid: UUID
    subject_id: str
    method: Method
    status: Status = "valid"
    file: UUID | None = None
    thumbnail: UUID | None = None
    raw_data: str | None = None
    data: dict[str, Any] = msgspec.field(default_factory=dict)
    remarks: str | None = None
    activity: str | None = None
    driver: UUID | None = None
    actor_kind: Kind
    actor_id: str
    actor_name: str
    client_uuid: UUID | None = None
    content_hash: bytes
    received_at: datetime
    sequence: int
    facts: bytes
    previous: bytes | None
    hash: bytes
    signature: bytes
    key_id: str
    used_by: UUID | None = None
    # Set on erasure: the contents are gone, the hash stays, and the remaining facts are signed.
    erased_at: datetime | None = None
    erasure: bytes | None = None
    erasure_key: str | None = None

    @property
    def scan(self) -> Mapping[str, Any]:
        """The details of a scan. Other proofs have none."""
        scan = self.data.get("scan")
        return scan if self.method == "scan" and isinstance(scan, dict) else {}


class SignedStatement(msgspec.Struct, kw_only=True):
    """A statement about a company, exactly as it was signed."""

    company: UUID
    statement: bytes
    signature: bytes
    key_id: str


class ChainHead(SignedStatement, kw_only=True):
    """The signed end of an order's chain: its number of proofs and the last one's hash."""

    order_uuid: UUID
    number: int


class Register(SignedStatement, kw_only=True):
    """The signed number of a company's orders that have proofs."""

    count: int
