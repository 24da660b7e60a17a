"""Export of a person's data, written part by part to a file.

No part holds a connection while another is written, and at most one order and one picture is in
memory at a time.
"""

import asyncio
import shutil
import zipfile
from collections.abc import AsyncIterator
from tempfile import SpooledTemporaryFile, TemporaryFile
from typing import IO, Final, Literal
from uuid import UUID

import msgspec

from pannier.customers.models import Customer
from pannier.db import Database
from pannier.files import queries as files
from pannier.files.storage import Storage, StorageUnavailable
from pannier.privacy import dossier
from pannier.privacy.belongings import list_next_orders
from pannier.privacy.people import DataSubject, load_person
from pannier.privacy.schemas import OrderExport

DOCUMENT_NAME: Final = "customer.json"
MAX_MEMORY_BYTES: Final = 1024 * 1024
CHUNK_BYTES: Final = 256 * 1024
ORDER_BATCH_SIZE: Final = 100

_encode: Final = msgspec.json.Encoder().encode


async def write_export(
    database: Database, storage: Storage, customer: Customer, file_format: Literal["json", "zip"]
) -> IO[bytes]:
    """Write a person's data as JSON, or as a ZIP with pictures; the caller closes the file."""
    document, pictures = await _write_document(database, customer)
    if file_format == "json":
        return document
    archive: IO[bytes] = TemporaryFile()  # noqa: SIM115 - the caller closes it
    with document, zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zip_file:
        await asyncio.to_thread(_add_document, zip_file, document)
        for name, file in pictures.items():
            data = await _load_picture(database, storage, customer.company, file)
            if data is not None:
                await asyncio.to_thread(zip_file.writestr, name, data)
    archive.seek(0)
    return archive


async def stream_file(file: IO[bytes]) -> AsyncIterator[bytes]:
    """Stream a file, and close it."""
    with file:
        while chunk := await asyncio.to_thread(file.read, CHUNK_BYTES):
            yield chunk


def _add_document(archive: zipfile.ZipFile, document: IO[bytes]) -> None:
    with archive.open(DOCUMENT_NAME, "w") as entry:
        shutil.copyfileobj(document, entry)


async def _write_document(
    database: Database, customer: Customer
) -> tuple[IO[bytes], dict[str, UUID]]:
    """Write the document, and return it with the pictures that belong to it."""
    document: IO[bytes] = SpooledTemporaryFile(MAX_MEMORY_BYTES)  # noqa: SIM115 - the caller closes it
    async with database.reading() as db:
        person = await load_person(db, customer)
        account = await dossier.load_account(db, person)
    pictures: dict[str, UUID] = {}
    # Append the lists that may be long one entry at a time.
    await asyncio.to_thread(document.write, _encode(account)[:-1] + b',"messages":[')
    comma = b""
    async for message in dossier.stream_messages(database, person):
        await asyncio.to_thread(document.write, comma + _encode(message))
        comma = b","
    await asyncio.to_thread(document.write, b'],"orders":[')
    comma = b""
    async for order, order_pictures in _stream_orders(database, person):
        await asyncio.to_thread(document.write, comma + _encode(order))
        pictures |= order_pictures
        comma = b","
    await asyncio.to_thread(document.write, b"]}\n")
    document.seek(0)
    return document, pictures


async def _stream_orders(
    database: Database, person: DataSubject
) -> AsyncIterator[tuple[OrderExport, dict[str, UUID]]]:
    last_uuid: UUID | None = None
    while True:
        async with database.reading() as db:
            next_orders = await list_next_orders(db, person, last_uuid, ORDER_BATCH_SIZE)
        if not next_orders:
            return
        for order in next_orders:
            async with database.reading() as db:
                order_export = await dossier.load_order(db, person, order)
            yield order_export
        last_uuid = next_orders[-1].uuid


async def _load_picture(
    database: Database, storage: Storage, company: UUID, file: UUID
) -> bytes | None:
    """Load a picture; return None if it is no longer stored."""
    async with database.reading() as db:
        picture = (await files.load_by_uuids(db, company, [file])).get(file)
    if picture is None:
        return None
    try:
        return await storage.get(picture.sha256)
    except StorageUnavailable as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise
