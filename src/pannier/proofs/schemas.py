"""Proofs in JSON."""

from typing import Annotated, Any, Literal, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from pannier.db import PageIn
from pannier.payloads.models import SubjectType
from pannier.proofs.integrity import Verdict
from pannier.proofs.models import Method, Proof, Status
from pannier.web.actors import ActorOut
from pannier.web.identifiers import identifier
from pannier.web.spelling import spelled
from pannier.web.times import Moment, Time, stamp

ProofId = Annotated[str, identifier("proof_8tLw4YcN2qKs6HvB", most=100)]
OrderId = Annotated[str, identifier("order_5uJr2EwZ7bQx9KmT", most=100)]
SubjectId = Annotated[str, Meta(examples=["waypoint_1mBf6XvR8dNs3TgH"])]
Hash = Annotated[
    str, Meta(examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"])
]
Link = Annotated[
    str,
    Meta(
        description="Works for a quarter of an hour.",
        examples=["https://pannier.example.com/files/file_3kRz7MpX1vTd9WcJ?expires=…"],
    ),
]
Data = Annotated[
    dict[str, Any],
    Meta(
        description="What was captured beside it: who, where, with which device, the image's or "
        "the scan's details, and the caller's own data.",
        examples=[{"signer": {"name": "Ada Lovelace"}}],
    ),
]


class Integrity(msgspec.Struct, kw_only=True):
    """How the proof can be checked, also without us."""

    algorithm: Literal["sha256"] = "sha256"
    sequence: Annotated[int, Meta(description="Its place in the order's chain.", examples=[1])]
    hash: Hash
    previous: Hash | None
    signature: Annotated[str, Meta(description="Ed25519 of the hash.", examples=["ed25519:9f86…"])]
    key_id: Annotated[str, Meta(examples=["1f0c9a7be4d25368"])]

    @classmethod
    def of(cls, row: Proof) -> Self:
        """Spell what is kept for checking a proof."""
        return spelled(
            row,
            cls,
            hash=row.hash.hex(),
            previous=None if row.previous is None else row.previous.hex(),
            signature=f"ed25519:{row.signature.hex()}",
        )


class ProofOut(msgspec.Struct, kw_only=True):
    """A proof of delivery."""

    id: ProofId
    uuid: UUID
    public_id: str
    order_id: OrderId
    subject_uuid: UUID
    subject_type: SubjectType
    subject_id: SubjectId
    method: Method
    status: Status
    file_uuid: UUID | None
    url: Link | None
    thumbnail_url: Link | None
    raw_data: Annotated[
        str | None, Meta(description="What was scanned.", examples=["4006381333931"])
    ]
    raw: Annotated[str | None, Meta(description="The same, as existing clients read it.")]
    data: Data
    remarks: Annotated[str | None, Meta(examples=["Left with the concierge."])]
    activity: Annotated[str | None, Meta(examples=["handed_over"])]
    actor: Annotated[ActorOut, Meta(description="Who sent it.")]
    used: Annotated[bool, Meta(description="Whether an activity has happened because of it.")]
    integrity: Integrity
    created_at: Annotated[Time, Meta(description="When it was captured.")]
    received_at: Annotated[Time, Meta(description="When it came in.")]
    updated_at: Time

    @classmethod
    def of(cls, row: Proof, order_id: str, url: str | None, thumbnail: str | None) -> Self:
        """Spell a proof."""
        return spelled(
            row,
            cls,
            order_id=order_id,
            file_uuid=row.file,
            url=url,
            thumbnail_url=thumbnail,
            raw=row.raw_data,
            actor=ActorOut.of(row),
            used=row.used_by is not None,
            integrity=Integrity.of(row),
            updated_at=stamp(row.received_at),
        )


class CapturedOut(ProofOut, kw_only=True):
    """A new proof; of several that came together, the first."""

    proofs: Annotated[
        list[ProofOut] | UnsetType, Meta(description="All of them, when several came together.")
    ] = UNSET


class VerdictOut(Verdict, kw_only=True):
    """What holds of a proof."""

    proof: ProofId
    faults: Annotated[list[str], Meta(description="A sentence for each thing that is wrong.")]
    public_key: Annotated[
        str, Meta(description="The installation's Ed25519 key, in hex.", examples=["9f86d081…"])
    ]
    facts: Annotated[str, Meta(description="What was signed, as JSON text.", examples=["{…}"])]


class ProofFilters(PageIn, frozen=True, kw_only=True):
    """How proofs are listed."""

    order: OrderId | None = None
    method: Method | None = None
    subject_type: SubjectType | None = None
    since: Annotated[Moment | None, Meta(description="Came in at or after this moment.")] = None
    until: Annotated[Moment | None, Meta(description="Came in before this moment.")] = None
