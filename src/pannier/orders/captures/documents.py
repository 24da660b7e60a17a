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
from pannier.files.storage import Storage, StorageAway
from pannier.orders.captures import checks, sheets
from pannier.orders.captures.sheets import Gathered
from pannier.orders.doors import Coming, proved
from pannier.orders.queries import ORDERS
from pannier.proofs import archive, queries
from pannier.proofs.archive import Attachment
from pannier.proofs.models import Proof
from pannier.proofs.schemas import ChosenProofs
from pannier.proofs.sheet import MOST_PHOTOS, Sheet
from pannier.settings import Settings
from pannier.web.exchange import Exchange
from pannier.web.routes import get

MOST_PICTURES: Final = 50
MOST_BYTES: Final = 64 * 1024 * 1024
LARGEST_LOGO: Final = 2 * 1024 * 1024
TOO_MANY: Final = "Left out: the order has too many images."
OTHERS: Final = Attachment("", missing="Left out: the archive is for other proofs.")
GONE: Final = "The image is no longer stored."
CHANGED: Final = "The stored image is not the captured one."

Made = TypeVar("Made")

PART: Final = 256 * 1024
MOST_WAITING: Final = 8


class DocumentsBusy(Unavailable):
    """Too many documents are being rendered at once."""

    code = "documents_busy"
    title = "Too many documents are being created."
    remedy = "Try again soon."


class Press:
    """Renders one document at a time, because rendering keeps Python busy throughout.

    The queue is bounded. Waiting requests hold neither a connection nor a picture.
    """

    def __init__(self, *, waiting: int = MOST_WAITING) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sheets")
        self._turn = asyncio.Lock()
        self._places = 1 + waiting

    @asynccontextmanager
    async def place(self, exchange: Exchange) -> AsyncIterator[asyncio.Lock]:
        """Release the connection and join the queue; raise DocumentsBusy if it is full."""
        if not self._places:
            raise DocumentsBusy
        self._places -= 1
        try:
            async with exchange.edge.outside(exchange):
                yield self._turn
        finally:
            self._places += 1

    @asynccontextmanager
    async def turn(self, exchange: Exchange) -> AsyncIterator[None]:
        """Join the queue and wait for one turn."""
        async with self.place(exchange) as turn, turn:
            yield

    @property
    def busy(self) -> bool:
        """Whether a document is being rendered."""
        return self._turn.locked()

    async def make(self, work: Callable[[], Made]) -> Made:
        """Run work in the queue's thread, outside the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


press: Final = Press()


async def proof_sheet(
    caller: Coming, order_id: str, exchange: Exchange, db: Db, storage: Storage, settings: Settings
) -> Download:
    """Render the proofs of an order as PDF, with at least one page for each stop."""
    gathered = await sheets.gather(db, await proved(db, caller, order_id))
    shown = [row for part in sheets.pictures(gathered) for row in _shown(part)]
    made = await _made(exchange, storage, settings, gathered, shown, archive.printed)
    return _document("application/pdf", f"proof-sheet-{gathered.order.public_id}.pdf", made)


async def proof_archive(
    caller: Coming, order_id: str, exchange: Exchange, db: Db, storage: Storage, settings: Settings
) -> Download:
    """Pack the proofs of an order with their pictures, for independent verification."""
    gathered = await sheets.gather(db, await proved(db, caller, order_id))
    pictured = [row for row in gathered.proofs if row.file is not None]
    made = await _made(exchange, storage, settings, gathered, pictured, archive.zipped)
    return _document("application/zip", f"proofs-{gathered.order.public_id}.zip", made)


async def pack_proofs(
    key: FleetKey,
    filters: ChosenProofs,
    exchange: Exchange,
    db: Db,
    storage: Storage,
    settings: Settings,
) -> Download:
    """Pack proofs of several orders with their pictures, with a folder for each order.

    A folder's manifest has all proofs of its order, so that the chosen ones can be verified.
    """
    # Each folder takes its own turn, so that a single sheet does not wait for all of them.
    rows = [await queries.get(db, key.company, name) for name in dict.fromkeys(filters.id)]
    orders = await ORDERS.among(db, key.company, list({row.order_uuid for row in rows}))
    found = [await sheets.gather(db, order) for order in orders.values()]
    files = {uuid: file for gathered in found for uuid, file in gathered.files.items()}
    within = set(within_limits(files, rows))
    left_out = Attachment("", missing=TOO_MANY)
    folders: dict[str, Mapping[str, bytes]] = {}
    async with press.place(exchange) as turn:
        for one in found:
            own = [row for row in rows if row.order_uuid == one.order.uuid]
            async with turn:
                read = await attached(storage, files, [row for row in own if row.file in within])
                chosen = {row.public_id: read.get(row.public_id, left_out) for row in own}
                make = partial(_folder, one, chosen, settings)
                folders[one.order.public_id] = await press.make(make)
        async with turn:
            made = await press.make(lambda: archive.bundled(folders, db.now))
    return _document("application/zip", "proofs.zip", made)


def _folder(
    gathered: Gathered, chosen: Mapping[str, Attachment], settings: Settings
) -> Mapping[str, bytes]:
    """Make the folder of an order, with the chosen pictures."""
    pictured = [row.public_id for row in gathered.proofs if row.file is not None]
    attachments = {name: chosen.get(name, OTHERS) for name in pictured}
    link = checks.link(settings.base_url, gathered.chain)
    shown = sheets.sheet(gathered, attachments, None, link)
    return archive.parts_of(shown, gathered.proofs, attachments)


async def _made(
    exchange: Exchange,
    storage: Storage,
    settings: Settings,
    gathered: Gathered,
    pictured: Sequence[Proof],
    make: Callable[[Sheet, Sequence[Proof], Mapping[str, Attachment]], bytes],
) -> bytes:
    """Wait for a turn, read the pictures, and render the document."""
    link = checks.link(settings.base_url, gathered.chain)
    async with press.turn(exchange):
        attachments = await attached(storage, gathered.files, pictured)
        logo = await _logo(storage, gathered)

        def work() -> bytes:
            shown = sheets.sheet(gathered, attachments, logo, link)
            return make(shown, gathered.proofs, attachments)

        return await press.make(work)


async def proof_table(caller: Coming, order_id: str, db: Db) -> Response[bytes]:
    """List the proofs of an order as CSV."""
    order = await proved(db, caller, order_id)
    rows = await queries.of_order(db, order.company, order.uuid)
    headers = _attachment(f"proofs-{order.public_id}.csv")
    text = archive.table(order.public_id, rows)
    return Response(text.encode(), media_type="text/csv", headers=headers)


def _shown(part: Sequence[Proof]) -> list[Proof]:
    """Choose the pictures that a part of the sheet shows."""
    signed = [row for row in part if row.method == "signature"]
    others = [row for row in part if row.method != "signature"]
    return [*signed[:MOST_PHOTOS], *others[:MOST_PHOTOS]]


async def attached(
    storage: Storage, files: Mapping[UUID, File], rows: Sequence[Proof]
) -> Mapping[str, Attachment]:
    """Read the pictures of proofs, up to the limits."""
    taken = within_limits(files, rows)
    read = await asyncio.gather(*(_read(storage, files.get(uuid)) for uuid in taken))
    known = dict(zip(taken, read, strict=True))
    left_out = Attachment("", missing=TOO_MANY)
    return {row.public_id: known.get(row.file, left_out) for row in rows if row.file is not None}


async def _logo(storage: Storage, gathered: Gathered) -> bytes | None:
    """Read the company's logo, if it is small enough to print."""
    if gathered.logo is None or gathered.logo.size > LARGEST_LOGO:
        return None
    return (await _read(storage, gathered.logo)).data


def within_limits(files: Mapping[UUID, File], rows: Sequence[Proof]) -> list[UUID]:
    """Choose the first files within the limits of number and size."""
    taken: dict[UUID, None] = {}
    octets = 0
    for row in rows:
        if row.file is None or len(taken) == MOST_PICTURES:
            continue
        octets += files[row.file].size if row.file in files else 0
        if octets <= MOST_BYTES:
            taken[row.file] = None
    return list(taken)


async def _read(storage: Storage, file: File | None) -> Attachment:
    """Read a picture. A missing or altered one is reported in its place."""
    if file is None:
        return Attachment("", missing=GONE)
    try:
        data = await storage.get(file.sha256)
    except StorageAway as away:
        if isinstance(away.__cause__, FileNotFoundError):
            return Attachment(file.content_type, missing=GONE)
        raise
    if hashlib.sha256(data).digest() != file.sha256:
        return Attachment(file.content_type, missing=CHANGED)
    return Attachment(file.content_type, data)


def _document(media_type: str, name: str, made: bytes) -> Download:
    return Download(200, {"Content-Type": media_type, **_attachment(name)}, _parts(made))


async def _parts(made: bytes) -> AsyncIterator[bytes]:
    """Yield a document in chunks, at the caller's pace."""
    for start in range(0, len(made), PART):
        yield made[start : start + PART]


def _attachment(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def _binary(media_type: str) -> dict[str, Any]:
    return {"responses": {200: {media_type: {"type": "string", "format": "binary"}}}}


_ONE: Final = "/orders/{order_id:str}"
_CSV: Final = {"responses": {200: {"text/csv": {"type": "string"}}}}
handlers: Final[tuple[Any, ...]] = (
    get(
        f"{_ONE}/proof-sheet.pdf",
        opt=_binary("application/pdf"),
        problems=[StorageAway, DocumentsBusy],
    )(proof_sheet),
    get(
        f"{_ONE}/proofs.zip", opt=_binary("application/zip"), problems=[StorageAway, DocumentsBusy]
    )(proof_archive),
    get(f"{_ONE}/proofs.csv", opt=_CSV)(proof_table),
)
chosen: Final[Any] = get(
    "/proofs.zip",
    opt=_binary("application/zip"),
    problems=[NotFound, StorageAway, DocumentsBusy],
)(pack_proofs)
