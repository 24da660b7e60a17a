"""Documents that are rendered on request: their queue and their download."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any, Final, TypeVar
from uuid import UUID

from pannier.errors import Unavailable
from pannier.files.downloads import Download
from pannier.web.exchange import Exchange
from pannier.web.fair_queue import FairQueue

PDF: Final = "application/pdf"
CHUNK_BYTES: Final = 256 * 1024
MAX_WAITING: Final = 8

Result = TypeVar("Result")
TakeTurn = Callable[[], AbstractAsyncContextManager[None]]


class DocumentsBusy(Unavailable):
    """The number of documents that are rendered at the same time is limited."""

    code = "documents_busy"
    title = "Too many documents are being created."
    remedy = "Try again soon."


class DocumentQueue:
    """Renders one document at a time, because rendering holds the GIL throughout.

    The queue is bounded, and no company may fill much more than half of it. Companies take turns.
    Waiting requests hold neither a connection nor a picture.
    """

    def __init__(self, *, max_waiting: int = MAX_WAITING) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sheets")
        places = 1 + max_waiting
        company_places = (places + 1) // 2
        self._requests = FairQueue(DocumentsBusy, places=places, company_places=company_places)
        self._turns = FairQueue(
            DocumentsBusy, places=1, company_places=1, company_waiting=company_places
        )
        self._working = 0

    @asynccontextmanager
    async def join(self, exchange: Exchange, company: UUID) -> AsyncIterator[TakeTurn]:
        """Release the connection and join the queue; raise DocumentsBusy if it is full.

        Enter the result for each document.
        """
        with self._requests.claim_place(company):
            async with exchange.edge.suspend_transaction(exchange):
                yield partial(self._take_turn, company)

    @asynccontextmanager
    async def wait_turn(self, exchange: Exchange, company: UUID) -> AsyncIterator[None]:
        """Join the queue and wait for one turn."""
        async with self.join(exchange, company) as take_turn, take_turn():
            yield

    @asynccontextmanager
    async def _take_turn(self, company: UUID) -> AsyncIterator[None]:
        async with self._turns.wait_turn(company):
            self._working += 1
            try:
                yield
            finally:
                self._working -= 1

    @property
    def is_busy(self) -> bool:
        """Whether a document is being rendered."""
        return self._working > 0

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
