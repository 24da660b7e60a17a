"""Documents that are rendered on request: their queue and their download."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from pannier.errors import Unavailable
from pannier.files.downloads import Download
from pannier.web.exchange import Exchange

PDF: Final = "application/pdf"
CHUNK_BYTES: Final = 256 * 1024
MAX_WAITING: Final = 8

Result = TypeVar("Result")


class DocumentsBusy(Unavailable):
    """The number of documents that are rendered at the same time is limited."""

    code = "documents_busy"
    title = "Too many documents are being created."
    remedy = "Try again soon."


class DocumentQueue:
    """Renders one document at a time, because rendering holds the GIL throughout.

    The queue is bounded. Waiting requests hold neither a connection nor a picture.
    """

    def __init__(self, *, max_waiting: int = MAX_WAITING) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sheets")
        self._turn = asyncio.Lock()
        self._free_slots = 1 + max_waiting

    @asynccontextmanager
    async def join(self, exchange: Exchange) -> AsyncIterator[asyncio.Lock]:
        """Release the connection and join the queue; raise DocumentsBusy if it is full."""
        if not self._free_slots:
            raise DocumentsBusy
        self._free_slots -= 1
        try:
            async with exchange.edge.suspend_transaction(exchange):
                yield self._turn
        finally:
            self._free_slots += 1

    @asynccontextmanager
    async def wait_turn(self, exchange: Exchange) -> AsyncIterator[None]:
        """Join the queue and wait for one turn."""
        async with self.join(exchange) as turn, turn:
            yield

    @property
    def is_busy(self) -> bool:
        """Whether a document is being rendered."""
        return self._turn.locked()

    async def run(self, render: Callable[[], Result]) -> Result:
        """Run a function in the queue's thread, outside the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, render)


document_queue: Final = DocumentQueue()


def to_download(media_type: str, name: str, document: bytes) -> Download:
    return Download(
        200, {"Content-Type": media_type, **make_disposition(name)}, _iterate_chunks(document)
    )


async def _iterate_chunks(document: bytes) -> AsyncIterator[bytes]:
    """Yield a document in chunks, at the caller's pace."""
    for start in range(0, len(document), CHUNK_BYTES):
        yield document[start : start + CHUNK_BYTES]


def make_disposition(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def binary_response(media_type: str) -> dict[str, Any]:
    return {"responses": {200: {media_type: {"type": "string", "format": "binary"}}}}
