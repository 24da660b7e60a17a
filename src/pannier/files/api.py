"""HTTP API of files: upload, list and delete with a key; download with a signed link."""

from typing import Final

from litestar import Response

from pannier.accounts import auth, doors, permissions
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import TooLarge, UnsupportedMedia
from pannier.files import downloads, links, queries, service, uploads
from pannier.files.downloads import Download
from pannier.files.models import Content, File
from pannier.files.schemas import CONTENT, FILE_FORM, FileFilters, FileIn, FileOut, LinkIn
from pannier.files.storage import Storage, StorageAway
from pannier.settings import Settings
from pannier.web.deletions import Deleted
from pannier.web.exchange import Exchange
from pannier.web.lists import linked
from pannier.web.routes import delete, get, post
from pannier.web.versions import Match, PreconditionFailed

# Resources whose pictures are held files.
KEEPING: Final = ("proofs", "orders")


def shown(db: Db, settings: Settings, file: File) -> FileOut:
    """Return a file with a new link."""
    keys = db.database.keys
    return FileOut.of(
        file, links.link(keys, settings.base_url, file.public_id, db.now + links.LIFE)
    )


def _sees_held(key: FleetKey) -> bool:
    """Return whether a key may read held files: that needs more than the scope of files."""
    return any(permissions.covers(key.scopes, resource, "read") for resource in KEEPING)


@post(
    "/files",
    opt={"request_bodies": {"application/json": FileIn, "multipart/form-data": FILE_FORM}},
    problems=[TooLarge, UnsupportedMedia, service.FileEmpty, service.FileTooLarge, StorageAway],
)
async def upload_file(
    key: FleetKey, exchange: Exchange, db: Db, storage: Storage, settings: Settings
) -> FileOut:
    """Upload a file, as a form or as JSON."""
    sent = await uploads.read(exchange)
    async with exchange.edge.outside(exchange):
        content = Content(sent.data, sent.content_type)
        [stored] = await service.store(exchange.edge.database, storage, content)
    return shown(db, settings, await service.keep(db, key.company, stored, name=sent.name))


@get("/files/{file_id:str}")
async def get_file(key: FleetKey, file_id: str, db: Db, settings: Settings) -> FileOut:
    """Get a file's metadata, with a new link to its content."""
    file = await queries.get(db, key.company, file_id, held=_sees_held(key))
    return shown(db, settings, file)


@get("/files")
async def list_files(
    key: FleetKey, filters: FileFilters, exchange: Exchange, db: Db, settings: Settings
) -> Response[list[FileOut]]:
    """List the company's files."""
    found = await queries.files(db, key.company, filters, held=_sees_held(key))
    return linked(exchange, found, lambda file: shown(db, settings, file))


@delete("/files/{file_id:str}", status_code=200, problems=[service.FileHeld, PreconditionFailed])
async def delete_file(key: FleetKey, file_id: str, match: Match, db: Db) -> Deleted:
    """Delete a file; its links stop working immediately."""
    file = await queries.take(db, key.company, file_id)
    match(file.version)
    await service.delete(db, file)
    return Deleted.of(db, "file", file.public_id)


@get(
    "/{file_id:str}",
    opt={"responses": {200: CONTENT, 206: CONTENT, 304: {}}},
    problems=[
        links.LinkInvalid,
        links.LinkExpired,
        downloads.RangeNotSatisfiable,
        StorageAway,
    ],
)
async def download(
    file_id: str, filters: LinkIn, exchange: Exchange, db: Db, storage: Storage
) -> Download:
    """Download a file's content; the link is the credential."""
    links.check(db.database.keys, file_id, filters.expires, filters.signature, db.now)
    file = await queries.linked(db, file_id)
    async with exchange.edge.outside(exchange):
        return await downloads.serve(storage, file, exchange.method, exchange.headers)


# Our decorators register one method each; HEAD shares the handler of GET.
download.http_methods.add("HEAD")

fleet_routes = doors.for_keys("Files", "files", [upload_file, get_file, list_files, delete_file])
public_routes = doors.router("/files", auth.anonymous, "Files", [download], {})
routers = (fleet_routes, public_routes)
