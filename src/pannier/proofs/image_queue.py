"""The queue in front of the sandbox: a few threads, a bounded backlog and a time limit.

Each thread waits for one sandbox process. There are as many as the cores that the API leaves free.
The time limit of a process also frees its thread. Companies take turns, and none may occupy much
more than half of the queue: a hundred pictures from one company do not delay another's single one.
"""

import asyncio
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from pannier.errors import Unavailable

Result = TypeVar("Result")
TenantQueue = dict[Future[Any], Callable[[], Any]]


class ImageQueue:
    """A queue that runs work off the event loop, with a time limit."""

    def __init__(
        self, *, threads: int = 2, max_waiting: int = 64, timeout_seconds: float = 90
    ) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="pictures")
        self._max_jobs, self._timeout_seconds = threads + max_waiting, timeout_seconds
        self._lock = threading.Lock()
        self._job_counts: dict[Hashable, int] = {}
        self._queues: dict[Hashable, TenantQueue] = {}

    async def run(self, tenant: Hashable, work: Callable[[], Result]) -> Result:
        """Run work when it is the tenant's turn, and return its result.

        Work that is still running after the timeout counts until it ends, so abandoned requests
        never raise the amount of work above the limit.
        """
        future: Future[Result] = Future()
        with self._lock:
            self._reserve_slot(tenant)
            self._queues.setdefault(tenant, {})[future] = work
        future.add_done_callback(lambda _: self._release_slot(tenant, future))
        self._threads.submit(self._run_next_job)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._timeout_seconds)
        except TimeoutError:
            if future.cancelled():
                raise Unavailable("Too many pictures at once. Try again soon.") from None
            raise

    def _reserve_slot(self, tenant: Hashable) -> None:
        tenant_jobs, total_jobs = self._job_counts.get(tenant, 0), sum(self._job_counts.values())
        if total_jobs == self._max_jobs or tenant_jobs > self._max_jobs // 2:
            raise Unavailable("Too many pictures at once. Try again soon.")
        self._job_counts[tenant] = tenant_jobs + 1

    def _release_slot(self, tenant: Hashable, future: Future[Any]) -> None:
        with self._lock:
            self._job_counts[tenant] -= 1
            if not self._job_counts[tenant]:
                del self._job_counts[tenant]
            queue = self._queues.get(tenant, {})
            if queue.pop(future, None) and not queue:  # canceled before its turn
                del self._queues[tenant]

    def _run_next_job(self) -> None:
        """Run the next job unless it was canceled. Its company goes to the end of the queue."""
        with self._lock:
            if not self._queues:
                return
            company, queue = next(iter(self._queues.items()))
            future, work = next(iter(queue.items()))
            del queue[future], self._queues[company]
            if queue:
                self._queues[company] = queue
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - re-raised in the waiting coroutine
            future.set_exception(error)

    def close(self) -> None:
        self._threads.shutdown()
