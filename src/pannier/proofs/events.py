"""Events of proofs."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.events.catalog import Name
from pannier.payloads.models import SubjectType
from pannier.proofs.models import Method, Proof, Status
from pannier.proofs.schemas import Hash, ProofId, SubjectId
from pannier.web.identifiers import OrderId
from pannier.web.serialization import to_schema
from pannier.web.times import Time


class ProofCreated(msgspec.Struct, kw_only=True):
    """A proof of delivery was captured, and its file is stored. Codes are never included.

    Emitted by `POST /v1/orders/{order_id}/capture-signature/{subject_id}`,
    `POST /v1/orders/{order_id}/capture-photo/{subject_id}`,
    `POST /v1/orders/{order_id}/capture-qr/{subject_id}` and
    `POST /v1/orders/{order_id}/capture-sms/{subject_id}`, also without a subject, and by
    `POST /int/v1/orders/{order_id}/override-proof`.
    """

    id: Annotated[ProofId, Meta(description="The proof, by its public id.")]
    public_id: Annotated[ProofId, Meta(description="Same as `id`.")]
    uuid: Annotated[UUID, Meta(description="The proof, by its UUID.")]
    order: Annotated[OrderId, Meta(description="The order it belongs to.")]
    subject_type: Annotated[SubjectType, Meta(description="The kind of subject it attaches to.")]
    subject_id: Annotated[SubjectId, Meta(description="The subject, by its public id.")]
    subject_uuid: Annotated[UUID, Meta(description="The subject, by its UUID.")]
    method: Annotated[Method, Meta(description="The method of capture.")]
    status: Annotated[Status, Meta(description="The status of the proof.")]
    file_uuid: Annotated[UUID | None, Meta(description="The image file, by UUID.")]
    raw_data: Annotated[
        str | None, Meta(description="The scanned content.", examples=["4006381333931"])
    ]
    remarks: Annotated[
        str | None, Meta(description="The driver's notes.", examples=["Left with the concierge."])
    ]
    activity: Annotated[
        str | None,
        Meta(description="The activity that the proof is for.", examples=["handed_over"]),
    ]
    location: Annotated[
        dict[str, Any] | None,
        Meta(
            description="Place of capture: GeoJSON, longitude first.",
            examples=[{"type": "Point", "coordinates": [103.8198, 1.3521]}],
        ),
    ]
    sequence: Annotated[int, Meta(description="Position in the order's chain.", examples=[1])]
    hash: Annotated[Hash, Meta(description="SHA-256 hash in the order's chain.")]
    created_at: Annotated[Time, Meta(description="Time of capture.")]
    received_at: Annotated[Time, Meta(description="Time of arrival at the server.")]

    @classmethod
    def from_row(cls, proof: Proof, order: str) -> Self:
        return to_schema(
            proof,
            cls,
            order=order,
            file_uuid=proof.file,
            location=proof.data.get("location"),
            hash=proof.hash.hex(),
        )


SCHEMAS: Final[Mapping[Name, type[msgspec.Struct]]] = {
    Name.PROOF_OF_DELIVERY_CREATED: ProofCreated,
}
