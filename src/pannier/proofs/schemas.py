"""JSON schemas of proofs."""

from typing import Annotated, Any, ClassVar, Final, Literal, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from pannier.db import CreatedPageIn
from pannier.fleet.schemas import DriverId
from pannier.kit.crypto import to_text
from pannier.kit.structs import convert_struct
from pannier.payloads.models import SubjectType
from pannier.proofs import integrity
from pannier.proofs.integrity import Chain, Verdict
from pannier.proofs.models import ChainHead, Method, Proof, Status
from pannier.proofs.signing import PublicKey
from pannier.web.actors import ActorOut
from pannier.web.former_names import former_name
from pannier.web.identifiers import OrderId, OrderReference, identifier
from pannier.web.resource_out import PublicId
from pannier.web.serialization import to_schema
from pannier.web.times import Moment, Time, to_rfc3339

ProofId = Annotated[str, identifier("proof_8tLw4YcN2qKs6HvB", max_length=100)]
SubjectId = Annotated[str, Meta(examples=["waypoint_1mBf6XvR8dNs3TgH"])]
Hash = Annotated[
    str, Meta(examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"])
]
KeyId = Annotated[str, Meta(examples=["1f0c9a7be4d25368"])]
FileUrl = Annotated[
    str,
    Meta(
        description="Valid for 15 minutes.",
        examples=["https://pannier.example.com/files/file_3kRz7MpX1vTd9WcJ?expires=…"],
    ),
]
ProofData = Annotated[
    dict[str, Any],
    Meta(
        description="Details of the capture: signer, location, device, image or scan, and the "
        "caller's own data.",
        examples=[{"signer": {"name": "Ada Lovelace"}}],
    ),
]


class Integrity(msgspec.Struct, kw_only=True):
    """The data that verifies the proof, even without Pannier."""

    algorithm: Literal["sha256"] = "sha256"
    sequence: Annotated[int, Meta(description="Position in the order's chain.", examples=[1])]
    hash: Hash
    previous: Hash | None
    signature: Annotated[str, Meta(description="Ed25519 of the hash.", examples=["ed25519:9f86…"])]
    key_id: KeyId

    @classmethod
    def from_row(cls, row: Proof) -> Self:
        return to_schema(
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
    public_id: PublicId
    order: OrderId
    order_id: Annotated[OrderId, former_name("order")]
    subject_uuid: UUID
    subject_type: SubjectType
    subject_id: SubjectId
    method: Method
    status: Status
    file_uuid: UUID | None
    url: FileUrl | None
    thumbnail_url: FileUrl | None
    raw_data: Annotated[
        str | None, Meta(description="The scanned content.", examples=["4006381333931"])
    ]
    raw: Annotated[str | None, former_name("raw_data")]
    data: ProofData
    scan_entry: Annotated[
        Literal["scanned", "typed"] | None,
        Meta(description="Whether the code was scanned or typed.", examples=["typed"]),
    ]
    scan_match: Annotated[
        bool | None,
        Meta(description="Whether the code is one of the subject's codes.", examples=[True]),
    ]
    remarks: Annotated[str | None, Meta(examples=["Left with the concierge."])]
    activity: Annotated[str | None, Meta(examples=["handed_over"])]
    actor: Annotated[ActorOut, Meta(description="The actor that sent the proof.")]
    used: Annotated[bool, Meta(description="Whether an activity has used the proof.")]
    integrity: Integrity
    created_at: Annotated[Time, Meta(description="Time of capture.")]
    received_at: Annotated[Time, Meta(description="Time of arrival at the server.")]
    updated_at: Time

    @classmethod
    def from_row(
        cls, row: Proof, order_id: str, url: str | None, thumbnail_url: str | None
    ) -> Self:
        return to_schema(
            row,
            cls,
            order=order_id,
            file_uuid=row.file,
            url=url,
            thumbnail_url=thumbnail_url,
            scan_entry=row.scan.get("entry"),
            scan_match=row.scan.get("match"),
            actor=ActorOut.from_row(row),
            used=row.used_by is not None,
            integrity=Integrity.from_row(row),
            updated_at=to_rfc3339(row.received_at),
        )


class CapturedOut(ProofOut, kw_only=True):
    """A new proof, or the first of several that were captured together."""

    proofs: Annotated[
        list[ProofOut] | UnsetType,
        Meta(description="All proofs, if several were captured together."),
    ] = UNSET


FaultList = Annotated[list[str], Meta(description="One message per fault.")]


class VerdictOut(Verdict, kw_only=True):
    """The result of a proof's verification."""

    proof: ProofId
    faults: FaultList
    public_key: Annotated[
        str | None,
        Meta(
            description="The signer's Ed25519 key in hex, or null if it is not trusted.",
            examples=["9f86d081…"],
        ),
    ]
    facts: Annotated[str, Meta(description="The signed facts, as JSON text.", examples=["{…}"])]

    @classmethod
    def from_verdict(cls, verdict: Verdict, proof: Proof, chain: Chain) -> Self:
        """Add the data for an independent check to a verdict."""
        key = chain.keys.get(proof.key_id)
        return convert_struct(
            verdict,
            cls,
            proof=proof.public_id,
            public_key=None if key is None else key.public_key.hex(),
            facts=proof.facts.decode(errors="replace"),
        )


class HeadOut(msgspec.Struct, kw_only=True):
    """The signed end of a chain."""

    statement: Annotated[
        str,
        Meta(
            description="The signed JSON text: the order, its number among the company's orders "
            "with proofs, its number of proofs, the hash of the last one, and the time.",
            examples=[
                '{"at":"2026-01-31T09:30:00.000Z","count":3,"last":"9f86…","order":"order_…"}'
            ],
        ),
    ]
    signature: Annotated[
        str,
        Meta(
            description="Ed25519 of `pannier head 1`, a line feed and the statement.",
            examples=["ed25519:9f86…"],
        ),
    ]
    key_id: KeyId

    @classmethod
    def from_row(cls, head: ChainHead) -> Self:
        return cls(
            statement=head.statement.decode(errors="replace"),
            signature=f"ed25519:{head.signature.hex()}",
            key_id=head.key_id,
        )


class ChainOut(msgspec.Struct, kw_only=True):
    """The result of verifying all proofs of an order, except the bytes of their pictures."""

    order: OrderId
    valid: bool
    faults: FaultList
    count: Annotated[int, Meta(description="The number of proofs.", examples=[3])]
    erased: Annotated[
        int, Meta(description="The number of proofs whose contents were erased.", examples=[0])
    ]
    head: Annotated[HeadOut | None, Meta(description="Null when the order never had a proof.")]

    @classmethod
    def from_chain(cls, chain: Chain) -> Self:
        messages = integrity.find_faults(chain)
        return cls(
            order=chain.order_id,
            valid=not messages,
            faults=messages,
            count=len(chain.proofs),
            erased=sum(proof.erased_at is not None for proof in chain.proofs),
            head=None if chain.head is None else HeadOut.from_row(chain.head),
        )


class ProofKeyOut(msgspec.Struct, kw_only=True):
    """A public key as a JSON Web Key (RFC 8037), with its dates."""

    kty: Literal["OKP"] = "OKP"
    crv: Literal["Ed25519"] = "Ed25519"
    alg: Literal["EdDSA"] = "EdDSA"
    use: Literal["sig"] = "sig"
    kid: KeyId
    x: Annotated[str, Meta(description="The key, in base64url.", examples=["11qYAYKxCrfVS_7T…"])]
    began_at: Annotated[Time, Meta(description="Time of first use.")]
    ended_at: Annotated[Time | None, Meta(description="Time of replacement.")]
    successor: Annotated[KeyId | None, Meta(description="The key that replaced it.")]
    voucher: Annotated[
        str | None,
        Meta(
            description="The successor's Ed25519 signature of this key and its dates.",
            examples=["ed25519:9f86…"],
        ),
    ]

    @classmethod
    def from_row(cls, key: PublicKey) -> Self:
        voucher = None if key.voucher is None else f"ed25519:{key.voucher.hex()}"
        return to_schema(key, cls, kid=key.key_id, x=to_text(key.public_key), voucher=voucher)


class ProofKeysOut(msgspec.Struct):
    """A JSON Web Key Set."""

    keys: list[ProofKeyOut]


class ProofFilters(CreatedPageIn, frozen=True, kw_only=True):
    """Filters of the list of proofs."""

    sortable: ClassVar[tuple[str, ...]] = ("received_at",)

    order: OrderReference | None = None
    driver: Annotated[
        DriverId | None, Meta(description="Filter by the driver who captured it.")
    ] = None
    method: Method | None = None
    subject_type: SubjectType | None = None
    since: Annotated[Moment | None, Meta(description="Received at or after this time.")] = None
    until: Annotated[Moment | None, Meta(description="Received before this time.")] = None


MAX_CHOSEN_PROOFS: Final = 50


class ChosenProofs(msgspec.Struct, frozen=True):
    """The proofs to pack."""

    id: Annotated[
        list[ProofId],
        Meta(
            min_length=1, max_length=MAX_CHOSEN_PROOFS, description="Ids of proofs, of any orders."
        ),
    ]
