"""Pictures that prove a delivery, as its recipient sees them, with links that expire."""

from collections.abc import Collection
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.files import links
from pannier.files import queries as files
from pannier.orders.captures.views import LIFE
from pannier.proofs import queries as proofs
from pannier.proofs.models import Proof
from pannier.tracking.parcel import Parcel, history

PICTURES = frozenset({"photo", "signature"})


class Evidence(msgspec.Struct, frozen=True):
    """A picture that proves a delivery, and the signer's name."""

    method: str
    address: str
    signer: str


async def of(db: Db, parcel: Parcel) -> list[Evidence]:
    done = {status.uuid for status in await history(db, parcel) if status.complete}
    company, subjects = parcel.order.company, list(parcel.subjects)
    rows = await proofs.of_subjects(db, company, parcel.order.uuid, subjects)
    shown = [row for row in rows if proves(row, done)]
    found = await files.among(db, company, [row.file for row in shown if row.file])

    def address(name: str) -> str:
        return f"/files/{name}?{links.sign(db.database.keys, name, db.now + LIFE)}"

    return [
        Evidence(row.method, address(found[row.file].public_id), _signer(row))
        for row in shown
        if row.file in found
    ]


def proves(row: Proof, done: Collection[UUID]) -> bool:
    """Return whether a proof belongs to a completing status, or to no status at all."""
    return row.method in PICTURES and bool(done) and (row.used_by is None or row.used_by in done)


def _signer(row: Proof) -> str:
    signer = row.data.get("signer")
    return str(signer.get("name") or "") if isinstance(signer, dict) else ""
