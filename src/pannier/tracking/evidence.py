"""Pictures that prove a delivery, as its recipient sees them, with links that expire."""

from collections.abc import Collection
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.files import links
from pannier.files import queries as files
from pannier.orders.captures.views import LINK_LIFETIME
from pannier.proofs import queries as proofs
from pannier.proofs.models import Proof
from pannier.tracking.parcel import TrackedParcel, list_statuses

PICTURE_METHODS = frozenset({"photo", "signature"})


class DeliveryPicture(msgspec.Struct, frozen=True):
    """A picture that proves a delivery, and the signer's name."""

    method: str
    url: str
    signer: str


async def list_pictures(db: Db, parcel: TrackedParcel) -> list[DeliveryPicture]:
    completing_statuses = {
        status.uuid for status in await list_statuses(db, parcel) if status.complete
    }
    company, subjects = parcel.order.company, list(parcel.subjects)
    rows = await proofs.list_subject_proofs(db, company, parcel.order.uuid, subjects)
    delivery_proofs = [row for row in rows if is_delivery_proof(row, completing_statuses)]
    files_by_uuid = await files.load_by_uuids(
        db, company, [row.file for row in delivery_proofs if row.file]
    )

    def make_url(name: str) -> str:
        return f"/files/{name}?{links.sign_query(db.database.keys, name, db.now + LINK_LIFETIME)}"

    return [
        DeliveryPicture(
            row.method, make_url(files_by_uuid[row.file].public_id), _get_signer_name(row)
        )
        for row in delivery_proofs
        if row.file in files_by_uuid
    ]


def is_delivery_proof(row: Proof, completing_statuses: Collection[UUID]) -> bool:
    """Return whether a proof belongs to a completing status, or to no status at all."""
    return (
        row.method in PICTURE_METHODS
        and bool(completing_statuses)
        and (row.used_by is None or row.used_by in completing_statuses)
    )


def _get_signer_name(row: Proof) -> str:
    signer = row.data.get("signer")
    return str(signer.get("name") or "") if isinstance(signer, dict) else ""
