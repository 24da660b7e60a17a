"""Output of proofs, with links to their pictures."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from litestar import Response
from msgspec import UNSET

from pannier.db import Db
from pannier.files import links
from pannier.files import queries as files
from pannier.files.models import File
from pannier.kit.structs import convert_struct
from pannier.orders.queries import ORDERS
from pannier.proofs.models import Proof
from pannier.proofs.schemas import CapturedOut, ProofOut
from pannier.proofs.service import CaptureResult
from pannier.settings import Settings

LINK_LIFETIME: Final = timedelta(minutes=15)


async def load_proof_outs(
    db: Db, settings: Settings, company: UUID, rows: Sequence[Proof]
) -> list[ProofOut]:
    """Build the output of proofs, with fresh links to their pictures."""
    uuids = [uuid for row in rows for uuid in (row.file, row.thumbnail) if uuid is not None]
    files_by_uuid = await files.load_by_uuids(db, company, uuids)
    orders = await ORDERS.load_many(db, company, list({row.order_uuid for row in rows}))

    def make_url(uuid: UUID | None) -> str | None:
        file: File | None = None if uuid is None else files_by_uuid.get(uuid)
        if file is None:
            return None
        expires_at = db.now + LINK_LIFETIME
        return links.make_link(db.database.keys, settings.base_url, file.public_id, expires_at).url

    return [
        ProofOut.from_row(
            row, orders[row.order_uuid].public_id, make_url(row.file), make_url(row.thumbnail)
        )
        for row in rows
    ]


async def to_response(
    db: Db, settings: Settings, company: UUID, result: CaptureResult
) -> Response[CapturedOut]:
    """Build the response to a capture: 201 for a new proof, 200 for a repeated one."""
    proof_outs = await load_proof_outs(db, settings, company, result.proofs)
    body = convert_struct(
        proof_outs[0], CapturedOut, proofs=proof_outs if len(proof_outs) > 1 else UNSET
    )
    headers = {"Idempotent-Replayed": "true"} if result.is_replay else {}
    return Response(body, status_code=200 if result.is_replay else 201, headers=headers)
