"""Where pictures wait for the box: a few threads, a bounded queue before them, a limit on the time.

A thread each that waits for a process. There are as many as fill the cores that the API leaves; a
process is stopped in time, so its thread ends.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pannier.errors import Unavailable

Result = TypeVar("Result")


class ImageThreads:
    """Runs work off the event loop; TimeoutError when it takes too long."""

    def __init__(self, *, threads: int = 2, waiting: int = 64, seconds: float = 90) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="pictures")
        self._places = threading.Semaphore(threads + waiting)
        self._seconds = seconds

    async def do(self, work: Callable[[], Result]) -> Result:
        """Wait for a turn and for the result.

        What is still running when its time is over keeps its place until it ends, so however
        many give up waiting, there is never more work than places.
        """
        if not self._places.acquire(blocking=False):
            raise Unavailable("Too many pictures at once; try again soon.")
        future = self._threads.submit(work)
        future.add_done_callback(lambda _: self._places.release())
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._seconds)
        except TimeoutError:
            if future.cancelled():
                raise Unavailable("Too many pictures at once; try again soon.") from None
            raise

    def close(self) -> None:
        """End the threads once their work is done."""
        self._threads.shutdown()
