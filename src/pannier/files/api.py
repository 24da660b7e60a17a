"""HTTP API of files: upload, list and delete with a key; download with a signed link."""

from typing import Final

from litestar import Response

from pannier.accounts import api_routers, auth
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import TooLarge, UnsupportedMedia
from pannier.files import downloads, links, queries, service, uploads
from pannier.files.downloads import Download
from pannier.files.models import Content, File
from pannier.files.queries import HeldFiles
from pannier.files.schemas import (
    CONTENT_SCHEMA,
    FILE_FORM_SCHEMA,
    FileFilters,
    FileIn,
    FileOut,
    LinkIn,
)
from pannier.files.storage import Storage, StorageUnavailable
from pannier.settings import Settings
from pannier.web.deletions import RecordDeleted
from pannier.web.exchange import Exchange
from pannier.web.lists import to_array_response
from pannier.web.routes import delete, get, post
from pannier.web.versions import IfMatch, PreconditionFailed

# Resources whose pictures are held files.
RESOURCES_WITH_HELD_PICTURES: Final = ("proofs", "orders")


def to_out(db: Db, settings: Settings, file: File) -> FileOut:
    """Convert a file to JSON fields, with a new link."""
    keys = db.database.keys
    return FileOut.from_row(
        file, links.make_link(keys, settings.base_url, file.public_id, db.now + links.LINK_LIFETIME)
    )


def _select_held_files(exchange: Exchange) -> HeldFiles:
    """Select the held files that a caller may read. The scope for files alone is not enough."""
    may_read = any(auth.can_read(exchange, name) for name in RESOURCES_WITH_HELD_PICTURES)
    return "pictures" if may_read else "none"


@post(
    "/files",
    opt={"request_bodies": {"application/json": FileIn, "multipart/form-data": FILE_FORM_SCHEMA}},
    problems=[
        TooLarge,
        UnsupportedMedia,
        service.FileEmpty,
        service.FileTooLarge,
        StorageUnavailable,
    ],
)
async def upload_file(
    key: FleetKey, exchange: Exchange, db: Db, storage: Storage, settings: Settings
) -> FileOut:
    """Upload a file, as a form or as JSON."""
    upload = await uploads.read(exchange)
    async with exchange.edge.suspend_transaction(exchange):
        content = Content(upload.data, upload.content_type)
        [stored_object] = await service.store_contents(exchange.edge.database, storage, content)
    return to_out(
        db, settings, await service.create(db, key.company, stored_object, name=upload.name)
    )


@get("/files/{file_id:str}")
async def get_file(
    key: FleetKey, file_id: str, exchange: Exchange, db: Db, settings: Settings
) -> FileOut:
    """Retrieve a file's metadata, with a new link to its content."""
    file = await queries.get(db, key.company, file_id, held_files=_select_held_files(exchange))
    return to_out(db, settings, file)


@get("/files")
async def list_files(
    key: FleetKey, filters: FileFilters, exchange: Exchange, db: Db, settings: Settings
) -> Response[list[FileOut]]:
    """List the company's files."""
    held_files = _select_held_files(exchange)
    page = await queries.list_page(db, key.company, filters, held_files=held_files)
    return to_array_response(exchange, page, lambda file: to_out(db, settings, file))


@delete("/files/{file_id:str}", status_code=200, problems=[service.FileHeld, PreconditionFailed])
async def delete_file(key: FleetKey, file_id: str, match: IfMatch, db: Db) -> RecordDeleted:
    """Delete a file; its links stop working immediately."""
    file = await queries.lock(db, key.company, file_id)
    match(file.version)
    await service.delete(db, file)
    return RecordDeleted.from_id(db, "file", file.public_id)


@get(
    "/{file_id:str}",
    opt={"responses": {200: CONTENT_SCHEMA, 206: CONTENT_SCHEMA, 304: {}}},
    problems=[
        links.LinkInvalid,
        links.LinkExpired,
        downloads.RangeNotSatisfiable,
        StorageUnavailable,
    ],
)
async def download(
    file_id: str, filters: LinkIn, exchange: Exchange, db: Db, storage: Storage
) -> Download:
    """Download a file's content; the link is the credential."""
    links.check(db.database.keys, file_id, filters.expires, filters.signature, db.now)
    file = await queries.get_by_public_id(db, file_id)
    async with exchange.edge.suspend_transaction(exchange):
        return await downloads.serve(storage, file, exchange.method, exchange.headers)


# Our decorators register one method each; HEAD shares the handler of GET.
download.http_methods.add("HEAD")

fleet_routes = api_routers.api_router(
    "Files", "files", [upload_file, get_file, list_files, delete_file]
)
public_routes = api_routers.guarded_router("/files", auth.allow_anonymous, "Files", [download], {})
routers = (fleet_routes, public_routes)
