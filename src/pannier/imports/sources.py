"""The file of a new import: uploaded before, or sent with the request."""

import asyncio
from uuid import UUID

from pannier.db import Db
from pannier.errors import FieldError, Invalid, NotFound, parse_field
from pannier.files import queries as files
from pannier.files import service as file_service
from pannier.files.models import Content, File, StoredObject
from pannier.files.storage import Storage
from pannier.files.uploads import decode_base64
from pannier.imports.schemas import ImportIn
from pannier.web.exchange import Exchange


async def find_file(db: Db, company: UUID, identifier: str, *, lock: bool = False) -> File:
    """Find an uploaded file that no other record uses."""
    try:
        file = await (files.lock if lock else files.get)(db, company, identifier)
    except NotFound:
        raise NotFound(fields=[FieldError("file", "There is no such file.")]) from None
    if file.held:
        raise Invalid(fields=[FieldError("file", "The file is in use already. Upload it again.")])
    return file


async def find_uploaded_file(db: Db, exchange: Exchange, data: ImportIn) -> File | None:
    """Find the uploaded file, or return None if the request has the content instead."""
    has_content = data.data is not None or exchange.upload is not None
    if (data.file is None) != has_content:
        raise Invalid(fields=[FieldError("file", "Send either `file` or `data`.")])
    return None if data.file is None else await find_file(db, exchange.caller.company, data.file)


async def store_content(exchange: Exchange, storage: Storage, data: ImportIn) -> StoredObject:
    """Store the content of a request. Call it outside a transaction."""
    if exchange.upload is not None:
        content: bytes = exchange.upload.data
    else:
        content = await asyncio.to_thread(parse_field, "data", decode_base64, data.data or "")
    database = exchange.edge.database
    [stored_object] = await file_service.store_contents(database, storage, Content(content))
    return stored_object


async def hold_file(
    db: Db, company: UUID, data: ImportIn, stored_object: StoredObject | None
) -> File:
    """Create or lock the file of an import. Nobody else may use or delete it from then on."""
    if stored_object is not None:
        return await file_service.create(db, company, stored_object, name=data.name, held=True)
    file = await find_file(db, company, data.file or "", lock=True)
    await file_service.hold(db, file)
    return file
