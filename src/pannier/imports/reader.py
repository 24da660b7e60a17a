"""Reading a stored file row by row, in a separate process."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext, suppress
from pathlib import Path
from typing import Final
from uuid import UUID

import msgspec

from pannier import child_process
from pannier.errors import Invalid, Unavailable
from pannier.files.models import File, StoredObject
from pannier.files.storage import Storage
from pannier.imports.models import FileLayout
from pannier.imports.program import FileHead, ReadFailure, ReadRequest, SheetEnd, SheetRow
from pannier.web.fair_queue import FairQueue

SOURCE_ROOT: Final = str(Path(__file__).resolve().parents[2])
PROGRAM: Final = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from pannier.imports import program; program.main()"
)
# Without secrets.
ENVIRONMENT: Final = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
MAX_LINE_BYTES: Final = 16 * 1024 * 1024
# Time to the first line, and between two lines.
LINE_TIMEOUT_SECONDS: Final = 120
# Files that a process of the server reads at once for requests: in total, and for each company.
MAX_OPEN_SHEETS: Final = 4
MAX_OPEN_SHEETS_PER_COMPANY: Final = 2
_line_decoder: Final = msgspec.json.Decoder(FileHead | SheetEnd | ReadFailure)
_row_decoder: Final = msgspec.json.Decoder(SheetRow)


class ImportFileUnreadable(Invalid):
    """The file of an import is not a spreadsheet that can be read."""

    code = "import_file_unreadable"
    title = "The file cannot be read."
    remedy = "Send CSV or XLSX with the names of the columns in the first row."


class ReadersBusy(Unavailable):
    """Reading a file can take much memory, so few are read at once, and fewer for a company."""

    code = "readers_busy"
    title = "Too many files are being read at once."
    remedy = "Retry after the time in `Retry-After`."


_queue: Final = FairQueue(
    ReadersBusy, company_places=MAX_OPEN_SHEETS_PER_COMPANY, places=MAX_OPEN_SHEETS
)


class SheetReader:
    """An open file: its head, and its rows."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        self._output = process.stdout
        self.head: FileHead
        # The number of the last row, known at the end.
        self.last_number = 0

    async def read_head(self) -> None:
        line = await self._read_line()
        head = _line_decoder.decode(line)
        if not isinstance(head, FileHead):
            raise ImportFileUnreadable(getattr(head, "message", None))
        self.head = head

    async def read_rows(self) -> AsyncIterator[SheetRow]:
        """Yield the requested rows."""
        while True:
            line = await self._read_line()
            if line.startswith(b"["):
                yield _row_decoder.decode(line)
                continue
            end = _line_decoder.decode(line)
            if isinstance(end, ReadFailure):
                raise ImportFileUnreadable(end.message)
            if isinstance(end, SheetEnd):
                self.last_number = end.last_number
            return

    async def _read_line(self) -> bytes:
        try:
            async with asyncio.timeout(LINE_TIMEOUT_SECONDS):
                line = await self._output.readline()
        except TimeoutError:
            raise ImportFileUnreadable("Reading the file took too long. Save it as CSV.") from None
        if not line:
            # The kernel ended the process, because of its time or memory.
            raise ImportFileUnreadable("The file is too large to be read. Save it as CSV.")
        return line

    @property
    def layout(self) -> FileLayout:
        """How the file is to be read."""
        return msgspec.convert(self.head, FileLayout, from_attributes=True)


@asynccontextmanager
async def open_sheet(
    storage: Storage,
    file: File | StoredObject,
    *,
    company: UUID | None = None,
    after: int = 0,
    limit: int | None = None,
) -> AsyncIterator[SheetReader]:
    """Open a stored file. Its process ends with the block.

    Requests give their company, and are refused while too many files are open. The worker reads
    one file after the other, so that no request delays it.
    """
    with nullcontext() if company is None else _queue.claim_place(company):
        async with _start_reader(storage, file, ReadRequest(after, limit)) as reader:
            yield reader


@asynccontextmanager
async def _start_reader(
    storage: Storage, file: File | StoredObject, request: ReadRequest
) -> AsyncIterator[SheetReader]:
    """Start a process that reads a file."""
    command = child_process.build_command(
        [sys.executable, "-I", "-c", PROGRAM, SOURCE_ROOT],
        parent_death_signal=signal.SIGKILL,
        directory=Path("/"),
    )
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=ENVIRONMENT,
            limit=MAX_LINE_BYTES,
        )
    except OSError:
        raise Unavailable from None
    try:
        await _send_file(process, storage, file, request)
        reader = SheetReader(process)
        await reader.read_head()
        yield reader
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await asyncio.shield(process.wait())


async def _send_file(
    process: asyncio.subprocess.Process,
    storage: Storage,
    file: File | StoredObject,
    request: ReadRequest,
) -> None:
    """Send the request and the file, part by part."""
    pipe = process.stdin
    assert pipe is not None  # noqa: S101 - it is a pipe
    with suppress(ConnectionError):  # it ended: its output says why
        pipe.write(msgspec.json.encode(request) + b"\n")
        async for part in await storage.stream(file.sha256, 0, file.size):
            pipe.write(part)
            await pipe.drain()
        pipe.close()
