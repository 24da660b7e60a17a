"""Work that the workers divide by number, such as the sessions of a broker.

One worker at a time claims a number, and runs its task.
"""

import asyncio
from collections.abc import Callable, Collection, Coroutine
from typing import Any, Final

from pannier.db.claims import Claims

CANCEL_AGAIN: Final = 11.0  # seconds; longer than an orderly disconnect from a broker takes

Hold = Callable[[int], Coroutine[Any, Any, None]]
Close = Callable[[], Coroutine[Any, Any, None]]


class AwayError(ConnectionError):
    """A broker is unreachable; the message says which one and why."""


class Shares:
    """The tasks for the numbers that this worker has claimed. It calls `step` every second."""

    def __init__(self, name: str, claims: Claims, hold: Hold, close: Close | None = None) -> None:
        self.name, self._claims, self._hold, self._close = name, claims, hold, close
        self._held: dict[int, asyncio.Task[None]] = {}

    async def step(self) -> bool:
        """Start tasks for newly claimed numbers, and stop those of lost ones.

        A failure is raised after all others are handled, so that the worker backs off before it
        starts the task again.
        """
        await self._claims.tend()
        ours = set(self._claims.ours)
        ended = {number for number, task in self._held.items() if task.done()}
        failures = await self._let_go((set(self._held) - ours) | ended)
        for number in ours - set(self._held) - ended:
            task = asyncio.create_task(self._hold(number), name=f"{self.name} {number}")
            self._held[number] = task
        if failures:
            raise failures[0]
        return bool(ended)

    async def close(self) -> None:
        """Stop all tasks and release all numbers."""
        await self._let_go(set(self._held))
        if self._close is not None:
            await self._close()
        await self._claims.close()

    async def _let_go(self, numbers: set[int]) -> list[Exception]:
        tasks = [self._held.pop(number) for number in numbers]
        await _end(tasks)
        results = await asyncio.gather(*tasks, return_exceptions=True)
        return [result for result in results if isinstance(result, Exception)]


async def _end(tasks: Collection[asyncio.Task[None]]) -> None:
    """Cancel tasks until they have ended.

    One cancellation is not always enough. The MQTT client uses `asyncio.wait_for`, which before
    Python 3.12 loses a cancellation that arrives together with the result.
    """
    running = set(tasks)
    while running:
        for task in running:
            task.cancel()
        _, running = await asyncio.wait(running, timeout=CANCEL_AGAIN)
