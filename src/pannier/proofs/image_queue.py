"""The queue in front of the sandbox: a few threads, a bounded backlog and a time limit.

Each thread waits for one sandbox process. There are as many as the cores that the API leaves free.
The time limit of a process also frees its thread. Companies take turns, and none may occupy much
more than half of the queue: a hundred pictures from one company do not delay another's single one.
"""

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pannier.errors import Unavailable
from pannier.web.fair_queue import FairQueue

Result = TypeVar("Result")


def _refuse() -> Unavailable:
    return Unavailable("Too many pictures at once. Try again soon.")


class ImageQueue:
    """A queue that runs work off the event loop, with a time limit."""

    def __init__(
        self, *, threads: int = 2, max_waiting: int = 64, timeout_seconds: float = 90
    ) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="pictures")
        self._timeout_seconds = timeout_seconds
        self._queue = FairQueue(
            _refuse,
            company_places=threads,
            places=threads,
            company_waiting=(max_waiting + 1) // 2,
            waiting=max_waiting,
        )

    async def run(self, tenant: Hashable, work: Callable[[], Result]) -> Result:
        """Run work when it is the tenant's turn, and return its result.

        Work that is still running after the timeout counts until it ends, so abandoned requests
        never raise the amount of work above the limit.
        """
        begun = asyncio.Event()
        task = asyncio.ensure_future(self._run_in_turn(tenant, work, begun))
        try:
            await asyncio.wait({task}, timeout=self._timeout_seconds)
            if task.done():
                return task.result()
            raise TimeoutError if begun.is_set() else _refuse()
        finally:
            if begun.is_set():
                task.add_done_callback(_ignore_outcome)
            else:
                task.cancel()

    async def _run_in_turn(
        self, tenant: Hashable, work: Callable[[], Result], begun: asyncio.Event
    ) -> Result:
        async with self._queue.wait_turn(tenant):
            begun.set()
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        self._threads.shutdown()


def _ignore_outcome(task: "asyncio.Future[Result]") -> None:
    """Retrieve the outcome of abandoned work, which nobody waits for."""
    if not task.cancelled():
        task.exception()
