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
from pannier.files.storage import Storage, StorageAway
from pannier.privacy import dossier
from pannier.privacy.belongings import next_orders
from pannier.privacy.people import Person, find_person
from pannier.privacy.schemas import OrderExport

DOCUMENT: Final = "customer.json"
IN_MEMORY: Final = 1024 * 1024
CHUNK: Final = 256 * 1024
BATCH: Final = 100

_encode: Final = msgspec.json.Encoder().encode


async def made(
    database: Database, storage: Storage, customer: Customer, form: Literal["json", "zip"]
) -> IO[bytes]:
    """Write a person's data as JSON, or as a ZIP with pictures; the caller closes the file."""
    told, pictures = await _written(database, customer)
    if form == "json":
        return told
    out: IO[bytes] = TemporaryFile()  # noqa: SIM115 - handed on open
    with told, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packing:
        await asyncio.to_thread(_packed, packing, told)
        for name, file in pictures.items():
            data = await _picture(database, storage, customer.company, file)
            if data is not None:
                await asyncio.to_thread(packing.writestr, name, data)
    out.seek(0)
    return out


async def parts(out: IO[bytes]) -> AsyncIterator[bytes]:
    """Stream a file, and close it."""
    with out:
        while chunk := await asyncio.to_thread(out.read, CHUNK):
            yield chunk


def _packed(packing: zipfile.ZipFile, told: IO[bytes]) -> None:
    with packing.open(DOCUMENT, "w") as entry:
        shutil.copyfileobj(told, entry)


async def _written(database: Database, customer: Customer) -> tuple[IO[bytes], dict[str, UUID]]:
    """Write the document, and return it with the pictures that belong to it."""
    out: IO[bytes] = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - handed on open
    async with database.reading() as db:
        who = await find_person(db, customer)
        told = await dossier.account(db, who)
    pictures: dict[str, UUID] = {}
    # Append the lists that may be long one entry at a time.
    await asyncio.to_thread(out.write, _encode(told)[:-1] + b',"messages":[')
    comma = b""
    async for message in dossier.messages(database, who):
        await asyncio.to_thread(out.write, comma + _encode(message))
        comma = b","
    await asyncio.to_thread(out.write, b'],"orders":[')
    comma = b""
    async for order, shown in _orders(database, who):
        await asyncio.to_thread(out.write, comma + _encode(order))
        pictures |= shown
        comma = b","
    await asyncio.to_thread(out.write, b"]}\n")
    out.seek(0)
    return out, pictures


async def _orders(
    database: Database, who: Person
) -> AsyncIterator[tuple[OrderExport, dict[str, UUID]]]:
    after: UUID | None = None
    while True:
        async with database.reading() as db:
            upcoming = await next_orders(db, who, after, BATCH)
        if not upcoming:
            return
        for order in upcoming:
            async with database.reading() as db:
                told = await dossier.order(db, who, order)
            yield told
        after = upcoming[-1].uuid


async def _picture(database: Database, storage: Storage, company: UUID, file: UUID) -> bytes | None:
    """Return a picture's bytes; None when it is no longer stored."""
    async with database.reading() as db:
        found = (await files.among(db, company, [file])).get(file)
    if found is None:
        return None
    try:
        return await storage.get(found.sha256)
    except StorageAway as away:
        if isinstance(away.__cause__, FileNotFoundError):
            return None
        raise
