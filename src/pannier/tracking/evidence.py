"""The proofs of a delivery, as its recipient sees them, with links that expire."""

from collections.abc import Collection, Sequence
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.files import links
from pannier.files import queries as files
from pannier.orders.captures.views import LINK_LIFETIME
from pannier.orders.tracking.links import TicketState
from pannier.proofs import queries as proofs
from pannier.proofs.models import Proof
from pannier.tracking.parcel import TrackedParcel, list_statuses

PICTURE_METHODS = frozenset({"photo", "signature"})
SHOWN_METHODS = PICTURE_METHODS | {"scan"}


class DeliveryPicture(msgspec.Struct, frozen=True):
    """A picture that proves a delivery, and the signer's name."""

    method: str
    url: str
    signer: str


class MismatchedScan(msgspec.Struct, frozen=True):
    """A code that does not match the delivery, and the photo of the item."""

    entry: str
    url: str


class DeliveryEvidence(msgspec.Struct, frozen=True):
    """The proofs of a delivery that its recipient sees."""

    pictures: Sequence[DeliveryPicture] = ()
    mismatches: Sequence[MismatchedScan] = ()


async def load_evidence(db: Db, parcel: TrackedParcel, ticket: TicketState) -> DeliveryEvidence:
    """Load the pictures that prove a delivery, and the scans that do not match it.

    Only a visitor with a valid ticket sees them.
    """
    if ticket != "good":
        return DeliveryEvidence()
    company, delivery_proofs = parcel.order.company, await _list_delivery_proofs(db, parcel)
    files_by_uuid = await files.load_by_uuids(
        db, company, [row.file for row in delivery_proofs if row.file]
    )

    def make_url(row: Proof) -> str:
        file = files_by_uuid.get(row.file) if row.file else None
        if file is None:
            return ""
        query = links.sign_query(db.database.keys, file.public_id, db.now + LINK_LIFETIME)
        return f"/files/{file.public_id}?{query}"

    return DeliveryEvidence(
        pictures=[
            DeliveryPicture(row.method, url, _get_signer_name(row))
            for row in delivery_proofs
            if row.method in PICTURE_METHODS and (url := make_url(row))
        ],
        mismatches=[
            MismatchedScan(
                "typed" if row.scan.get("entry") == "typed" else "scanned", make_url(row)
            )
            for row in delivery_proofs
            if row.scan.get("match") is False
        ],
    )


async def has_evidence(db: Db, parcel: TrackedParcel) -> bool:
    """Return whether a ticket would show anything."""
    return any(
        row.method in PICTURE_METHODS or row.scan.get("match") is False
        for row in await _list_delivery_proofs(db, parcel)
    )


async def _list_delivery_proofs(db: Db, parcel: TrackedParcel) -> list[Proof]:
    completing_statuses = {
        status.uuid for status in await list_statuses(db, parcel) if status.complete
    }
    if not completing_statuses:
        return []
    rows = await proofs.list_subject_proofs(
        db, parcel.order.company, parcel.order.uuid, list(parcel.subjects)
    )
    return [row for row in rows if is_delivery_proof(row, completing_statuses)]


def is_delivery_proof(row: Proof, completing_statuses: Collection[UUID]) -> bool:
    """Return whether a proof belongs to a completing status, or to no status at all."""
    return (
        row.method in SHOWN_METHODS
        and bool(completing_statuses)
        and (row.used_by is None or row.used_by in completing_statuses)
    )


def _get_signer_name(row: Proof) -> str:
    signer = row.data.get("signer")
    return str(signer.get("name") or "") if isinstance(signer, dict) else ""
