"""What proofs tell."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.events.catalog import Name
from pannier.payloads.models import SubjectType
from pannier.proofs.models import Method, Proof, Status
from pannier.proofs.schemas import Hash, OrderId, ProofId, SubjectId
from pannier.web.times import Time, stamp


class ProofCreated(msgspec.Struct, kw_only=True):
    """A proof of delivery was captured, and its file is stored; codes are never told."""

    id: ProofId
    public_id: ProofId
    uuid: UUID
    order: OrderId
    subject_type: SubjectType
    subject_id: SubjectId
    subject_uuid: UUID
    method: Method
    status: Status
    file_uuid: UUID | None
    raw_data: Annotated[str | None, Meta(description="What was scanned.")]
    remarks: Annotated[str | None, Meta(examples=["Left with the concierge."])]
    activity: str | None
    location: Annotated[
        dict[str, Any] | None,
        Meta(
            description="GeoJSON, longitude first.",
            examples=[{"type": "Point", "coordinates": [103.8198, 1.3521]}],
        ),
    ]
    hash: Hash
    created_at: Annotated[Time, Meta(description="When it was captured.")]
    received_at: Time

    @classmethod
    def of(cls, proof: Proof, order: str) -> Self:
        """Spell a proof for its event."""
        return cls(
            id=proof.public_id,
            public_id=proof.public_id,
            uuid=proof.uuid,
            order=order,
            subject_type=proof.subject_type,
            subject_id=proof.subject_id,
            subject_uuid=proof.subject_uuid,
            method=proof.method,
            status=proof.status,
            file_uuid=proof.file,
            raw_data=proof.raw_data,
            remarks=proof.remarks,
            activity=proof.activity,
            location=proof.data.get("location"),
            hash=proof.hash.hex(),
            created_at=stamp(proof.created_at),
            received_at=stamp(proof.received_at),
        )


SCHEMAS: Final[Mapping[Name, type[msgspec.Struct]]] = {
    Name.PROOF_OF_DELIVERY_CREATED: ProofCreated,
}
