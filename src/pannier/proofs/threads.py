"""The queue in front of the sandbox: a few threads, a bounded backlog and a time limit.

Each thread waits for one sandbox process. There are as many as the cores that the API leaves free.
A process has a time limit, so its thread ends too. Companies take turns, and none may occupy much
more than half of the queue: a hundred pictures from one company do not delay another's single one.
"""

import asyncio
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from pannier.errors import Unavailable

Result = TypeVar("Result")
Queue = dict[Future[Any], Callable[[], Any]]


class ImageThreads:
    """Runs work off the event loop; TimeoutError when it takes too long."""

    def __init__(self, *, threads: int = 2, waiting: int = 64, seconds: float = 90) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="pictures")
        self._most, self._seconds = threads + waiting, seconds
        self._lock = threading.Lock()
        self._places: dict[Hashable, int] = {}
        self._queues: dict[Hashable, Queue] = {}

    async def do(self, whose: Hashable, work: Callable[[], Result]) -> Result:
        """Wait for a turn, then for the result.

        Work that is still running after the timeout counts until it ends, so abandoned requests
        never raise the amount of work above the limit.
        """
        future: Future[Result] = Future()
        with self._lock:
            self._take_place(whose)
            self._queues.setdefault(whose, {})[future] = work
        future.add_done_callback(lambda _: self._leave(whose, future))
        self._threads.submit(self._next)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._seconds)
        except TimeoutError:
            if future.cancelled():
                raise Unavailable("Too many pictures at once. Try again soon.") from None
            raise

    def _take_place(self, whose: Hashable) -> None:
        mine, others = self._places.get(whose, 0), sum(self._places.values())
        if others == self._most or mine > self._most // 2:
            raise Unavailable("Too many pictures at once. Try again soon.")
        self._places[whose] = mine + 1

    def _leave(self, whose: Hashable, future: Future[Any]) -> None:
        with self._lock:
            self._places[whose] -= 1
            if not self._places[whose]:
                del self._places[whose]
            queue = self._queues.get(whose, {})
            if queue.pop(future, None) and not queue:  # cancelled before its turn
                del self._queues[whose]

    def _next(self) -> None:
        """Run the next job that was not cancelled; its company goes to the end of the line."""
        with self._lock:
            if not self._queues:
                return
            whose, queue = next(iter(self._queues.items()))
            future, work = next(iter(queue.items()))
            del queue[future], self._queues[whose]
            if queue:
                self._queues[whose] = queue
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - re-raised in the waiting coroutine
            future.set_exception(error)

    def close(self) -> None:
        self._threads.shutdown()
