"""Documents of an order's proofs: a PDF sheet, a ZIP archive and a CSV table."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final
from uuid import UUID

from litestar import Response

from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.files.downloads import Download
from pannier.files.models import File
from pannier.files.storage import Storage, StorageUnavailable
from pannier.orders.access import OrderCaller, get_order_for_proofs
from pannier.orders.captures import checks, sheets
from pannier.orders.captures.sheets import OrderProofs
from pannier.orders.queries import ORDERS
from pannier.proofs import archive, queries
from pannier.proofs.archive import ProofAttachment
from pannier.proofs.documents import (
    PDF,
    DocumentsBusy,
    binary_response,
    document_queue,
    make_disposition,
    to_download,
)
from pannier.proofs.models import Proof
from pannier.proofs.schemas import ChosenProofs
from pannier.proofs.sheet import MAX_PHOTOS_PER_STOP, Sheet
from pannier.proofs.stored_pictures import load_logo, load_picture
from pannier.settings import Settings
from pannier.web.exchange import Exchange
from pannier.web.routes import get

MAX_PICTURES: Final = 50
MAX_PICTURE_BYTES: Final = 64 * 1024 * 1024
TOO_MANY_IMAGES: Final = "Left out: the order has too many images."
NOT_SELECTED: Final = ProofAttachment("", missing="Left out: this proof was not selected.")


async def download_proof_sheet(
    caller: OrderCaller,
    order_id: str,
    exchange: Exchange,
    db: Db,
    storage: Storage,
    settings: Settings,
) -> Download:
    """Render the proofs of an order as PDF, with at least one page for each stop."""
    order_proofs = await sheets.load_order_proofs(
        db, await get_order_for_proofs(db, caller, order_id)
    )
    picture_rows = [
        row for group in sheets.group_pictures(order_proofs) for row in _choose_pictures(group)
    ]
    document = await _render_document(
        exchange, storage, settings, order_proofs, picture_rows, archive.render_sheet
    )
    return to_download(PDF, f"proof-sheet-{order_proofs.row.public_id}.pdf", document)


async def download_proof_archive(
    caller: OrderCaller,
    order_id: str,
    exchange: Exchange,
    db: Db,
    storage: Storage,
    settings: Settings,
) -> Download:
    """Download an order's proofs and images as a ZIP file, for independent verification."""
    order_proofs = await sheets.load_order_proofs(
        db, await get_order_for_proofs(db, caller, order_id)
    )
    picture_rows = [row for row in order_proofs.proofs if row.file is not None]
    document = await _render_document(
        exchange, storage, settings, order_proofs, picture_rows, archive.pack_order
    )
    return to_download("application/zip", f"proofs-{order_proofs.row.public_id}.zip", document)


async def pack_proofs(
    key: FleetKey,
    filters: ChosenProofs,
    exchange: Exchange,
    db: Db,
    storage: Storage,
    settings: Settings,
) -> Download:
    """Download proofs and images of several orders as a ZIP file.

    Each order has a folder. Its manifest lists all proofs of the order, so that the selected
    ones can be verified.
    """
    # Each folder takes its own turn, so that a single sheet does not wait for all of them.
    rows = [await queries.get_proof(db, key.company, name) for name in dict.fromkeys(filters.id)]
    orders = await ORDERS.load_many(db, key.company, list({row.order_uuid for row in rows}))
    loaded_orders = [await sheets.load_order_proofs(db, order) for order in orders.values()]
    files = {
        uuid: file for order_proofs in loaded_orders for uuid, file in order_proofs.files.items()
    }
    selected_files = set(select_files_within_limits(files, rows))
    omitted_attachment = ProofAttachment("", missing=TOO_MANY_IMAGES)
    folders: dict[str, Mapping[str, bytes]] = {}
    async with document_queue.join(exchange, key.company) as take_turn:
        for order_proofs in loaded_orders:
            order_rows = [row for row in rows if row.order_uuid == order_proofs.row.uuid]
            async with take_turn():
                loaded_attachments = await load_attachments(
                    storage, files, [row for row in order_rows if row.file in selected_files]
                )
                attachments = {
                    row.public_id: loaded_attachments.get(row.public_id, omitted_attachment)
                    for row in order_rows
                }
                build_folder = partial(_build_folder, order_proofs, attachments, settings)
                folders[order_proofs.row.public_id] = await document_queue.run(build_folder)
        async with take_turn():
            document = await document_queue.run(lambda: archive.pack_orders(folders, db.now))
    return to_download("application/zip", "proofs.zip", document)


def _build_folder(
    order_proofs: OrderProofs,
    selected_attachments: Mapping[str, ProofAttachment],
    settings: Settings,
) -> Mapping[str, bytes]:
    """Build the folder of an order, with the selected pictures."""
    picture_ids = [row.public_id for row in order_proofs.proofs if row.file is not None]
    attachments = {name: selected_attachments.get(name, NOT_SELECTED) for name in picture_ids}
    link = checks.sheet_link(settings.base_url, order_proofs.chain)
    sheet = sheets.build_sheet(order_proofs, attachments, None, link)
    return archive.build_parts(sheet, order_proofs.proofs, attachments)


async def _render_document(
    exchange: Exchange,
    storage: Storage,
    settings: Settings,
    order_proofs: OrderProofs,
    picture_rows: Sequence[Proof],
    render: Callable[[Sheet, Sequence[Proof], Mapping[str, ProofAttachment]], bytes],
) -> bytes:
    """Wait for a turn, read the pictures, and render the document."""
    link = checks.sheet_link(settings.base_url, order_proofs.chain)
    async with document_queue.wait_turn(exchange, order_proofs.row.company):
        attachments = await load_attachments(storage, order_proofs.files, picture_rows)
        logo = await load_logo(storage, order_proofs.logo)

        def build_document() -> bytes:
            sheet = sheets.build_sheet(order_proofs, attachments, logo, link)
            return render(sheet, order_proofs.proofs, attachments)

        return await document_queue.run(build_document)


async def download_proof_table(caller: OrderCaller, order_id: str, db: Db) -> Response[bytes]:
    """List the proofs of an order as CSV."""
    order = await get_order_for_proofs(db, caller, order_id)
    rows = await queries.list_order_proofs(db, order.company, order.uuid)
    headers = make_disposition(f"proofs-{order.public_id}.csv")
    text = archive.render_csv(order.public_id, rows)
    return Response(text.encode(), media_type="text/csv", headers=headers)


def _choose_pictures(rows: Sequence[Proof]) -> list[Proof]:
    """Choose the pictures that a section of the sheet shows."""
    signatures = [row for row in rows if row.method == "signature"]
    other_pictures = [row for row in rows if row.method != "signature"]
    return [*signatures[:MAX_PHOTOS_PER_STOP], *other_pictures[:MAX_PHOTOS_PER_STOP]]


async def load_attachments(
    storage: Storage, files: Mapping[UUID, File], rows: Sequence[Proof]
) -> Mapping[str, ProofAttachment]:
    """Read the pictures of proofs, up to the limits of number and size."""
    file_uuids = select_files_within_limits(files, rows)
    pictures = await asyncio.gather(
        *(load_picture(storage, files.get(uuid)) for uuid in file_uuids)
    )
    attachments = dict(zip(file_uuids, pictures, strict=True))
    omitted_attachment = ProofAttachment("", missing=TOO_MANY_IMAGES)
    return {
        row.public_id: attachments.get(row.file, omitted_attachment)
        for row in rows
        if row.file is not None
    }


def select_files_within_limits(files: Mapping[UUID, File], rows: Sequence[Proof]) -> list[UUID]:
    """Choose the first files within the limits of number and size."""
    uuids: dict[UUID, None] = {}
    total_bytes = 0
    for row in rows:
        if row.file is None or len(uuids) == MAX_PICTURES:
            continue
        total_bytes += files[row.file].size if row.file in files else 0
        if total_bytes <= MAX_PICTURE_BYTES:
            uuids[row.file] = None
    return list(uuids)


_ONE: Final = "/orders/{order_id:str}"
_CSV: Final = {"responses": {200: {"text/csv": {"type": "string"}}}}
handlers: Final[tuple[Any, ...]] = (
    get(
        f"{_ONE}/proof-sheet.pdf",
        opt=binary_response(PDF),
        problems=[StorageUnavailable, DocumentsBusy],
    )(download_proof_sheet),
    get(
        f"{_ONE}/proofs.zip",
        opt=binary_response("application/zip"),
        problems=[StorageUnavailable, DocumentsBusy],
    )(download_proof_archive),
    get(f"{_ONE}/proofs.csv", opt=_CSV)(download_proof_table),
)
pack_proofs_handler: Final[Any] = get(
    "/proofs.zip",
    opt=binary_response("application/zip"),
    problems=[NotFound, StorageUnavailable, DocumentsBusy],
)(pack_proofs)
