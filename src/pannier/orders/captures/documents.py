"""Documents of an order's proofs: a PDF sheet, a ZIP archive and a CSV table."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final, TypeVar
from uuid import UUID

from litestar import Response

from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound, Unavailable
from pannier.files.downloads import Download
from pannier.files.models import File
from pannier.files.storage import Storage, StorageUnavailable
from pannier.orders.access import OrderCaller, get_order_for_proofs
from pannier.orders.captures import checks, sheets
from pannier.orders.captures.sheets import OrderProofs
from pannier.orders.queries import ORDERS
from pannier.proofs import archive, queries
from pannier.proofs.archive import ProofAttachment
from pannier.proofs.models import Proof
from pannier.proofs.schemas import ChosenProofs
from pannier.proofs.sheet import MAX_PHOTOS_PER_STOP, Sheet
from pannier.settings import Settings
from pannier.web.exchange import Exchange
from pannier.web.routes import get

MAX_PICTURES: Final = 50
MAX_PICTURE_BYTES: Final = 64 * 1024 * 1024
MAX_LOGO_BYTES: Final = 2 * 1024 * 1024
TOO_MANY: Final = "Left out: the order has too many images."
OTHERS: Final = ProofAttachment("", missing="Left out: the archive is for other proofs.")
GONE: Final = "The image is no longer stored."
CHANGED: Final = "The stored image is not the captured one."

Result = TypeVar("Result")

CHUNK_BYTES: Final = 256 * 1024
MAX_WAITING: Final = 8


class DocumentsBusy(Unavailable):
    """The number of documents that are rendered at the same time is limited."""

    code = "documents_busy"
    title = "Too many documents are being created."
    remedy = "Try again soon."


class DocumentQueue:
    """Renders one document at a time, because rendering keeps Python busy throughout.

    The queue is bounded. Waiting requests hold neither a connection nor a picture.
    """

    def __init__(self, *, max_waiting: int = MAX_WAITING) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sheets")
        self._turn = asyncio.Lock()
        self._free_places = 1 + max_waiting

    @asynccontextmanager
    async def join(self, exchange: Exchange) -> AsyncIterator[asyncio.Lock]:
        """Release the connection and join the queue; raise DocumentsBusy if it is full."""
        if not self._free_places:
            raise DocumentsBusy
        self._free_places -= 1
        try:
            async with exchange.edge.suspend_transaction(exchange):
                yield self._turn
        finally:
            self._free_places += 1

    @asynccontextmanager
    async def wait_turn(self, exchange: Exchange) -> AsyncIterator[None]:
        """Join the queue and wait for one turn."""
        async with self.join(exchange) as turn, turn:
            yield

    @property
    def is_busy(self) -> bool:
        """Whether a document is being rendered."""
        return self._turn.locked()

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run work in the queue's thread, outside the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


document_queue: Final = DocumentQueue()


async def proof_sheet(
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
        row for part in sheets.group_pictures(order_proofs) for row in _choose_pictures(part)
    ]
    document = await _render(
        exchange, storage, settings, order_proofs, picture_rows, archive.render_sheet
    )
    return _to_download(
        "application/pdf", f"proof-sheet-{order_proofs.row.public_id}.pdf", document
    )


async def proof_archive(
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
    document = await _render(
        exchange, storage, settings, order_proofs, picture_rows, archive.pack_order
    )
    return _to_download("application/zip", f"proofs-{order_proofs.row.public_id}.zip", document)


async def pack_proofs(
    key: FleetKey,
    filters: ChosenProofs,
    exchange: Exchange,
    db: Db,
    storage: Storage,
    settings: Settings,
) -> Download:
    """Download proofs and images of several orders as a ZIP file.

    Each order has a folder. Its manifest has all proofs of the order, so that the chosen ones can
    be verified.
    """
    # Each folder takes its own turn, so that a single sheet does not wait for all of them.
    rows = [await queries.get(db, key.company, name) for name in dict.fromkeys(filters.id)]
    orders = await ORDERS.load_many(db, key.company, list({row.order_uuid for row in rows}))
    loaded_orders = [await sheets.load_order_proofs(db, order) for order in orders.values()]
    files = {
        uuid: file for order_proofs in loaded_orders for uuid, file in order_proofs.files.items()
    }
    within = set(select_within_limits(files, rows))
    left_out = ProofAttachment("", missing=TOO_MANY)
    folders: dict[str, Mapping[str, bytes]] = {}
    async with document_queue.join(exchange) as turn:
        for one in loaded_orders:
            order_rows = [row for row in rows if row.order_uuid == one.row.uuid]
            async with turn:
                read = await load_attachments(
                    storage, files, [row for row in order_rows if row.file in within]
                )
                attachments = {
                    row.public_id: read.get(row.public_id, left_out) for row in order_rows
                }
                make = partial(_make_folder, one, attachments, settings)
                folders[one.row.public_id] = await document_queue.run(make)
        async with turn:
            document = await document_queue.run(lambda: archive.pack_orders(folders, db.now))
    return _to_download("application/zip", "proofs.zip", document)


def _make_folder(
    order_proofs: OrderProofs, loaded: Mapping[str, ProofAttachment], settings: Settings
) -> Mapping[str, bytes]:
    """Make the folder of an order, with the chosen pictures."""
    picture_ids = [row.public_id for row in order_proofs.proofs if row.file is not None]
    attachments = {name: loaded.get(name, OTHERS) for name in picture_ids}
    link = checks.sheet_link(settings.base_url, order_proofs.chain)
    sheet = sheets.build_sheet(order_proofs, attachments, None, link)
    return archive.build_parts(sheet, order_proofs.proofs, attachments)


async def _render(
    exchange: Exchange,
    storage: Storage,
    settings: Settings,
    order_proofs: OrderProofs,
    picture_rows: Sequence[Proof],
    make: Callable[[Sheet, Sequence[Proof], Mapping[str, ProofAttachment]], bytes],
) -> bytes:
    """Wait for a turn, read the pictures, and render the document."""
    link = checks.sheet_link(settings.base_url, order_proofs.chain)
    async with document_queue.wait_turn(exchange):
        attachments = await load_attachments(storage, order_proofs.files, picture_rows)
        logo = await _load_logo(storage, order_proofs)

        def work() -> bytes:
            sheet = sheets.build_sheet(order_proofs, attachments, logo, link)
            return make(sheet, order_proofs.proofs, attachments)

        return await document_queue.run(work)


async def proof_table(caller: OrderCaller, order_id: str, db: Db) -> Response[bytes]:
    """List the proofs of an order as CSV."""
    order = await get_order_for_proofs(db, caller, order_id)
    rows = await queries.list_by_order(db, order.company, order.uuid)
    headers = _disposition_header(f"proofs-{order.public_id}.csv")
    text = archive.render_csv(order.public_id, rows)
    return Response(text.encode(), media_type="text/csv", headers=headers)


def _choose_pictures(part: Sequence[Proof]) -> list[Proof]:
    """Choose the pictures that a part of the sheet shows."""
    signatures = [row for row in part if row.method == "signature"]
    other_pictures = [row for row in part if row.method != "signature"]
    return [*signatures[:MAX_PHOTOS_PER_STOP], *other_pictures[:MAX_PHOTOS_PER_STOP]]


async def load_attachments(
    storage: Storage, files: Mapping[UUID, File], rows: Sequence[Proof]
) -> Mapping[str, ProofAttachment]:
    """Read the pictures of proofs, up to the limits."""
    file_uuids = select_within_limits(files, rows)
    read = await asyncio.gather(*(_load_picture(storage, files.get(uuid)) for uuid in file_uuids))
    attachments = dict(zip(file_uuids, read, strict=True))
    left_out = ProofAttachment("", missing=TOO_MANY)
    return {
        row.public_id: attachments.get(row.file, left_out) for row in rows if row.file is not None
    }


async def _load_logo(storage: Storage, order_proofs: OrderProofs) -> bytes | None:
    """Read the company's logo, if it is small enough to print."""
    if order_proofs.logo is None or order_proofs.logo.size > MAX_LOGO_BYTES:
        return None
    return (await _load_picture(storage, order_proofs.logo)).data


def select_within_limits(files: Mapping[UUID, File], rows: Sequence[Proof]) -> list[UUID]:
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


async def _load_picture(storage: Storage, file: File | None) -> ProofAttachment:
    """Read a picture. A missing or altered one is reported in its place."""
    if file is None:
        return ProofAttachment("", missing=GONE)
    try:
        data = await storage.get(file.sha256)
    except StorageUnavailable as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return ProofAttachment(file.content_type, missing=GONE)
        raise
    if hashlib.sha256(data).digest() != file.sha256:
        return ProofAttachment(file.content_type, missing=CHANGED)
    return ProofAttachment(file.content_type, data)


def _to_download(media_type: str, name: str, document: bytes) -> Download:
    return Download(
        200, {"Content-Type": media_type, **_disposition_header(name)}, _iterate_chunks(document)
    )


async def _iterate_chunks(document: bytes) -> AsyncIterator[bytes]:
    """Yield a document in chunks, at the caller's pace."""
    for start in range(0, len(document), CHUNK_BYTES):
        yield document[start : start + CHUNK_BYTES]


def _disposition_header(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def _binary_response(media_type: str) -> dict[str, Any]:
    return {"responses": {200: {media_type: {"type": "string", "format": "binary"}}}}


_ONE: Final = "/orders/{order_id:str}"
_CSV: Final = {"responses": {200: {"text/csv": {"type": "string"}}}}
handlers: Final[tuple[Any, ...]] = (
    get(
        f"{_ONE}/proof-sheet.pdf",
        opt=_binary_response("application/pdf"),
        problems=[StorageUnavailable, DocumentsBusy],
    )(proof_sheet),
    get(
        f"{_ONE}/proofs.zip",
        opt=_binary_response("application/zip"),
        problems=[StorageUnavailable, DocumentsBusy],
    )(proof_archive),
    get(f"{_ONE}/proofs.csv", opt=_CSV)(proof_table),
)
pack_proofs_handler: Final[Any] = get(
    "/proofs.zip",
    opt=_binary_response("application/zip"),
    problems=[NotFound, StorageUnavailable, DocumentsBusy],
)(pack_proofs)
