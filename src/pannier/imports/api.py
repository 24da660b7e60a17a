"""HTTP handlers for imports."""

from typing import Final

from litestar import Response

from pannier.accounts import api_routers, permissions
from pannier.accounts.auth import Caller, FleetKey
from pannier.db import Db
from pannier.errors import Forbidden, NotFound, TooLarge
from pannier.files.storage import Storage, StorageUnavailable
from pannier.imports import faulty_rows, queries, service, sources
from pannier.imports.models import ImportResource, ImportTask
from pannier.imports.queries import IMPORTS
from pannier.imports.reader import ImportFileUnreadable
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
# Operators who may import these configure the company.
ADMIN_RESOURCES: Final = frozenset({"service-rates"})


def check_access(caller: FleetKey | Caller, resource: ImportResource) -> None:
    """Refuse callers who may not create such records themselves."""
    if isinstance(caller, Caller):
        if resource in ADMIN_RESOURCES and not permissions.has_role(caller.role, "admin"):
            raise Forbidden(f"Importing rates needs the role admin. Your role is {caller.role}.")
    elif not permissions.has_scope(caller.scopes, resource, "write"):
        raise Forbidden(f"This API key lacks the scope `{resource}:write`.")


@post("/imports", problems=[NotFound, TooLarge, ImportFileUnreadable, StorageUnavailable])
async def create_import(
    key: FleetKey, data: ImportIn, exchange: Exchange, db: Db, storage: Storage
) -> ImportOut:
    """Create an import of a file. It suggests a mapping, and creates no records yet."""
    check_access(key, data.resource)
    uploaded_file = await sources.find_uploaded_file(db, key.company, data)
    stored_object = None
    async with exchange.edge.suspend_transaction(exchange):
        if uploaded_file is None:
            stored_object = await sources.store_content(exchange.edge.database, storage, data)
        preview = await service.read_preview(storage, stored_object or uploaded_file)
    file = await sources.hold_file(db, key.company, data, stored_object)
    return ImportOut.from_row(await service.create(db, key.company, data, file, preview))


@get("/imports")
async def list_imports(
    key: FleetKey, filters: ImportFilters, exchange: Exchange, db: Db
) -> Response[list[ImportOut]]:
    """List imports, sorted by `created_at`."""
    page = await queries.list_imports(db, key.company, filters)
    return to_array_response(exchange, page, ImportOut.from_row)


@get(_IMPORT)
async def get_import(key: FleetKey, import_id: str, db: Db) -> ImportOut:
    """Retrieve an import with its progress."""
    return ImportOut.from_row(await IMPORTS.get(db, key.company, import_id))


@change(_IMPORT, problems=[ImportStateRefused, PreconditionFailed])
async def update_import(
    key: FleetKey, import_id: str, data: ImportChange, match: IfMatch, db: Db
) -> ImportOut:
    """Change the mapping of an import that has not started."""
    row = await IMPORTS.lock(db, key.company, import_id)
    check_access(key, row.resource)
    match(row.version)
    return ImportOut.from_row(await service.change(db, row, data))


async def _request_task(
    key: FleetKey, import_id: str, match: IfMatch, db: Db, task: ImportTask
) -> ImportOut:
    row = await IMPORTS.lock(db, key.company, import_id)
    check_access(key, row.resource)
    match(row.version)
    return ImportOut.from_row(await service.request(db, row, task))


@post(f"{_IMPORT}/dry-run", status_code=200, problems=TASK_PROBLEMS)
async def check_import(key: FleetKey, import_id: str, match: IfMatch, db: Db) -> ImportOut:
    """Check every row without creating anything. `GET` the import until it is `checked`."""
    return await _request_task(key, import_id, match, db, "check")


@post(f"{_IMPORT}/start", status_code=200, problems=TASK_PROBLEMS)
async def start_import(key: FleetKey, import_id: str, match: IfMatch, db: Db) -> ImportOut:
    """Create the records of all rows without errors. `GET` the import until it is `done`."""
    return await _request_task(key, import_id, match, db, "import")


@post(f"{_IMPORT}/undo", status_code=200, problems=TASK_PROBLEMS)
async def undo_import(key: FleetKey, import_id: str, match: IfMatch, db: Db) -> ImportOut:
    """Delete the records that an import created, except those that are in use."""
    return await _request_task(key, import_id, match, db, "undo")


@get(f"{_IMPORT}/rows")
async def list_import_rows(
    key: FleetKey, import_id: str, filters: ImportRowFilters, exchange: Exchange, db: Db
) -> Response[list[ImportedRowOut]]:
    """List the results of an import's rows, sorted by `number`.

    A dry run has results only for rows that would not create a record.
    """
    row = await IMPORTS.get(db, key.company, import_id)
    page = await queries.list_rows(db, key.company, row.uuid, filters)
    return to_array_response(exchange, page, ImportedRowOut.from_row)


@get(
    f"{_IMPORT}/faulty-rows",
    opt={"responses": {200: faulty_rows.CONTENT_SCHEMA}},
    problems=[ImportFileGone],
)
async def export_faulty_rows(
    key: FleetKey, import_id: str, exchange: Exchange, db: Db, storage: Storage
) -> StreamedResponse:
    """Download the faulty rows as CSV, with a column for the errors. Correct and import it."""
    return await faulty_rows.start_export(
        exchange, storage, db, await IMPORTS.get(db, key.company, import_id)
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
