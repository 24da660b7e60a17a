"""Shares: what workers divide among each other by number, such as the sessions of a broker.

Each is held by one worker at a time, in a task of its own.
"""

import asyncio
from collections.abc import Callable, Collection, Coroutine
from typing import Any, Final

from pannier.db.claims import Claims

CANCEL_AGAIN: Final = 11.0  # seconds; longer than an orderly goodbye to a broker may take

Hold = Callable[[int], Coroutine[Any, Any, None]]
Close = Callable[[], Coroutine[Any, Any, None]]


class AwayError(ConnectionError):
    """One sentence for a person: which broker is away, and why."""


class Shares:
    """Holds the numbers that are ours; the worker calls `step` every second."""

    def __init__(self, name: str, claims: Claims, hold: Hold, close: Close | None = None) -> None:
        self.name, self._claims, self._hold, self._close = name, claims, hold, close
        self._held: dict[int, asyncio.Task[None]] = {}

    async def step(self) -> bool:
        """Begin to hold what has become ours, and let go of what is not any more.

        What failed is raised once the others are seen to: so the worker waits longer and longer
        before it is begun anew.
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
        """Let go of everything."""
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

    Once is not always enough. The MQTT client waits by `asyncio.wait_for`, and before Python 3.12
    that loses a cancellation which arrives together with the answer.
    """
    running = set(tasks)
    while running:
        for task in running:
            task.cancel()
        _, running = await asyncio.wait(running, timeout=CANCEL_AGAIN)
