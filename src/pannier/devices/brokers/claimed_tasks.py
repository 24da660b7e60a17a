"""Work that the workers divide by number, such as the sessions of a broker.

One worker at a time claims a number, and runs its task.
"""

import asyncio
from collections.abc import Callable, Collection, Coroutine
from typing import Any, Final

from pannier.db.claims import NumberClaims

CANCEL_AGAIN_SECONDS: Final = 11.0  # seconds; longer than an orderly disconnect from a broker takes

RunTask = Callable[[int], Coroutine[Any, Any, None]]
CloseTasks = Callable[[], Coroutine[Any, Any, None]]


class BrokerUnreachableError(ConnectionError):
    """A broker is unreachable; the message says which one and why."""


class ClaimedTasks:
    """The tasks for the numbers that this worker has claimed. It calls `step` every second."""

    def __init__(
        self, name: str, claims: NumberClaims, run: RunTask, close: CloseTasks | None = None
    ) -> None:
        self.name, self._claims, self._run, self._close = name, claims, run, close
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def step(self) -> bool:
        """Start tasks for newly claimed numbers, and stop those of lost ones.

        A failure is raised after all others are handled, so that the worker backs off before it
        starts the task again.
        """
        await self._claims.refresh()
        numbers = set(self._claims.owned)
        ended_tasks = {number for number, task in self._tasks.items() if task.done()}
        failures = await self._stop_tasks((set(self._tasks) - numbers) | ended_tasks)
        for number in numbers - set(self._tasks) - ended_tasks:
            task = asyncio.create_task(self._run(number), name=f"{self.name} {number}")
            self._tasks[number] = task
        if failures:
            raise failures[0]
        return bool(ended_tasks)

    async def close(self) -> None:
        """Stop all tasks and release all numbers."""
        await self._stop_tasks(set(self._tasks))
        if self._close is not None:
            await self._close()
        await self._claims.close()

    async def _stop_tasks(self, numbers: set[int]) -> list[Exception]:
        tasks = [self._tasks.pop(number) for number in numbers]
        await _cancel_tasks(tasks)
        results = await asyncio.gather(*tasks, return_exceptions=True)
        return [result for result in results if isinstance(result, Exception)]


async def _cancel_tasks(tasks: Collection[asyncio.Task[None]]) -> None:
    """Cancel tasks until they have ended.

    One cancellation is not always enough. The MQTT client uses `asyncio.wait_for`, which before
    Python 3.12 loses a cancellation that arrives together with the result.
    """
    running_tasks = set(tasks)
    while running_tasks:
        for task in running_tasks:
            task.cancel()
        _, running_tasks = await asyncio.wait(running_tasks, timeout=CANCEL_AGAIN_SECONDS)
