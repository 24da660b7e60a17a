"""HTTP handlers for imports."""

from functools import partial
from typing import Final

import msgspec
from litestar import Response

from pannier.accounts import api_routers, auth, permissions
from pannier.accounts.auth import Caller, FleetKey
from pannier.db import Db
from pannier.errors import Forbidden, NotFound, TooLarge
from pannier.files.storage import Storage, StorageUnavailable
from pannier.imports import faulty_rows, queries, service, sources
from pannier.imports.models import ImportResource, ImportRow, ImportTask
from pannier.imports.queries import IMPORTS
from pannier.imports.reader import ImportFileUnreadable, ReadersBusy
from pannier.imports.schemas import (
    ImportChange,
    ImportedRowOut,
    ImportFilters,
    ImportIn,
    ImportOut,
    ImportRowFilters,
)
from pannier.imports.service import ImportFileGone, ImportStateRefused, TooManyImports
from pannier.web.exchange import Exchange
from pannier.web.lists import to_array_response
from pannier.web.routes import change, get, post
from pannier.web.streams import StreamedResponse
from pannier.web.versions import IfMatch, PreconditionFailed

_IMPORT: Final = "/imports/{import_id:str}"
TASK_PROBLEMS: Final = [ImportStateRefused, ImportFileGone, TooManyImports, PreconditionFailed]
READING_PROBLEMS: Final = [ImportFileUnreadable, ReadersBusy, StorageUnavailable]
# Operators who may import these configure the company.
ADMIN_RESOURCES: Final = frozenset({"service-rates"})


def check_access(caller: FleetKey | Caller, resource: ImportResource) -> None:
    """Refuse callers who may not create such records themselves."""
    if isinstance(caller, Caller):
        if resource in ADMIN_RESOURCES and not permissions.has_role(caller.role, "admin"):
            raise Forbidden(f"Importing rates needs the role admin. Your role is {caller.role}.")
    else:
        _require_scope(caller, f"{resource}:write")


def _require_scope(caller: FleetKey | Caller, scope: str) -> None:
    """Refuse API keys without a scope. Operators have roles instead."""
    if isinstance(caller, FleetKey) and not permissions.has_scope(caller.scopes, *scope.split(":")):
        raise Forbidden(f"This API key lacks the scope `{scope}`.")


def _to_out(exchange: Exchange, row: ImportRow) -> ImportOut:
    """Convert an import. Only callers who may read such records see rows of the file."""
    has_sample = auth.can_read(exchange, row.resource)
    return ImportOut.from_row(row if has_sample else msgspec.structs.replace(row, sample=[]))


@post("/imports", problems=[NotFound, TooLarge, *READING_PROBLEMS])
async def create_import(
    key: FleetKey, data: ImportIn, exchange: Exchange, db: Db, storage: Storage
) -> ImportOut:
    """Create an import of a file. It suggests a mapping, and creates no records yet."""
    check_access(key, data.resource)
    if data.file is not None:
        # The answer shows the first rows of a file that somebody else may have uploaded.
        _require_scope(key, "files:read")
    uploaded_file = await sources.find_uploaded_file(db, exchange, data)
    stored_object = None
    async with exchange.edge.suspend_transaction(exchange):
        if uploaded_file is None:
            stored_object = await sources.store_content(exchange, storage, data)
        preview = await service.read_preview(storage, key.company, stored_object or uploaded_file)
    file = await sources.hold_file(db, key.company, data, stored_object)
    return ImportOut.from_row(await service.create(db, key.company, data, file, preview))


@get("/imports")
async def list_imports(
    key: FleetKey, filters: ImportFilters, exchange: Exchange, db: Db
) -> Response[list[ImportOut]]:
    """List imports, sorted by `created_at`."""
    page = await queries.list_imports(db, key.company, filters)
    return to_array_response(exchange, page, partial(_to_out, exchange))


@get(_IMPORT)
async def get_import(key: FleetKey, import_id: str, exchange: Exchange, db: Db) -> ImportOut:
    """Retrieve an import with its progress."""
    return _to_out(exchange, await IMPORTS.get(db, key.company, import_id))


@change(_IMPORT, problems=[ImportStateRefused, PreconditionFailed])
async def update_import(
    key: FleetKey,
    import_id: str,
    data: ImportChange,
    match: IfMatch,
    exchange: Exchange,
    db: Db,
) -> ImportOut:
    """Change the mapping of an import that has not started."""
    row = await IMPORTS.lock(db, key.company, import_id)
    check_access(key, row.resource)
    match(row.version)
    return _to_out(exchange, await service.change(db, row, data))


async def _request_task(
    exchange: Exchange, import_id: str, match: IfMatch, db: Db, task: ImportTask
) -> ImportOut:
    row = await IMPORTS.lock(db, exchange.caller.company, import_id)
    check_access(exchange.caller, row.resource)
    match(row.version)
    return _to_out(exchange, await service.request(db, row, task))


@post(f"{_IMPORT}/dry-run", status_code=200, problems=TASK_PROBLEMS)
async def check_import(exchange: Exchange, import_id: str, match: IfMatch, db: Db) -> ImportOut:
    """Check every row without creating anything. `GET` the import until it is `checked`."""
    return await _request_task(exchange, import_id, match, db, "check")


@post(f"{_IMPORT}/start", status_code=200, problems=TASK_PROBLEMS)
async def start_import(exchange: Exchange, import_id: str, match: IfMatch, db: Db) -> ImportOut:
    """Create the records of all rows without errors. `GET` the import until it is `done`."""
    return await _request_task(exchange, import_id, match, db, "import")


@post(f"{_IMPORT}/undo", status_code=200, problems=TASK_PROBLEMS)
async def undo_import(exchange: Exchange, import_id: str, match: IfMatch, db: Db) -> ImportOut:
    """Delete the records that an import created, except those in use or changed since."""
    return await _request_task(exchange, import_id, match, db, "undo")


async def _get_readable(key: FleetKey, import_id: str, db: Db) -> ImportRow:
    """Return an import whose rows the caller may see: they are such records."""
    row = await IMPORTS.get(db, key.company, import_id)
    _require_scope(key, f"{row.resource}:read")
    return row


@get(f"{_IMPORT}/rows")
async def list_import_rows(
    key: FleetKey, import_id: str, filters: ImportRowFilters, exchange: Exchange, db: Db
) -> Response[list[ImportedRowOut]]:
    """List the results of an import's rows, sorted by `number`.

    A dry run has results only for rows that would not create a record.
    """
    row = await _get_readable(key, import_id, db)
    page = await queries.list_rows(db, key.company, row.uuid, filters)
    return to_array_response(exchange, page, ImportedRowOut.from_row)


@get(
    f"{_IMPORT}/faulty-rows",
    opt={"responses": {200: faulty_rows.CONTENT_SCHEMA}},
    problems=[ImportFileGone, *READING_PROBLEMS],
)
async def export_faulty_rows(
    key: FleetKey, import_id: str, exchange: Exchange, db: Db, storage: Storage
) -> StreamedResponse:
    """Download the faulty rows as CSV, with a column for the errors. Correct and import it."""
    return await faulty_rows.start_export(
        exchange, storage, db, await _get_readable(key, import_id, db)
    )


routers: Final = (
    api_routers.api_router(
        "Imports",
        "imports",
        [
            create_import,
            list_imports,
            get_import,
            update_import,
            check_import,
            start_import,
            undo_import,
            list_import_rows,
            export_faulty_rows,
        ],
    ),
)
