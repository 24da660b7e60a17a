"""Fair queues: companies share limited work in a process, and none delays the others for long."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Final, TypeAlias

from pannier.errors import Problem

# The end of a company's wait.
Turn: TypeAlias = "asyncio.Future[None]"

MAX_REST_SECONDS: Final = 0.5


class FairQueue:
    """Admits a limited amount of work at a time. Companies that wait take turns.

    `places` limits the work of all companies together, and `company_places` that of each. `waiting`
    and `company_waiting` limit the work that waits for a place. None means no limit. Work beyond
    the limits is refused with the problem that `refuse` makes.

    With a `rest`, a place stays taken for a while after each turn: the duration of the turn times
    `rest`, but at most `MAX_REST_SECONDS`. Meanwhile the others have the event loop.
    """

    def __init__(
        self,
        refuse: Callable[[], Problem],
        *,
        company_places: int,
        places: int | None = None,
        company_waiting: int = 0,
        waiting: int | None = None,
        rest: float = 0.0,
    ) -> None:
        self._refuse, self._rest = refuse, rest
        self._places, self._company_places = places, company_places
        self._max_waiting, self._company_waiting = waiting, company_waiting
        self._running: Counter[Hashable] = Counter()
        # The companies that wait, in the order of their turns.
        self._turns: dict[Hashable, deque[Turn]] = {}

    @contextmanager
    def claim_place(self, company: Hashable) -> Iterator[None]:
        """Take a place at once, or raise the problem."""
        if not self.has_place(company):
            raise self._refuse()
        self._running[company] += 1
        try:
            yield
        finally:
            self._release_place(company)

    @asynccontextmanager
    async def wait_turn(self, company: Hashable) -> AsyncIterator[None]:
        """Wait for a place. Raise the problem if too much work is waiting."""
        if self.has_place(company):
            self._running[company] += 1
        else:
            await self._wait_for_place(company)
        loop = asyncio.get_running_loop()
        started_at = loop.time()
        try:
            yield
        finally:
            if self._rest:
                seconds = min(self._rest * (loop.time() - started_at), MAX_REST_SECONDS)
                loop.call_later(seconds, self._release_place, company)
            else:
                self._release_place(company)

    def count_waiting(self, company: Hashable) -> int:
        """Return how much work of a company waits."""
        return len(self._turns.get(company, ()))

    def has_place(self, company: Hashable) -> bool:
        """Tell whether a company's work would be admitted at once."""
        return self._running[company] < self._company_places and (
            self._places is None or self._running.total() < self._places
        )

    async def _wait_for_place(self, company: Hashable) -> None:
        """Wait until a place is given to this company."""
        total_waiting = sum(map(len, self._turns.values()))
        if self.count_waiting(company) >= self._company_waiting or (
            self._max_waiting is not None and total_waiting >= self._max_waiting
        ):
            raise self._refuse()
        turn = asyncio.get_running_loop().create_future()
        self._turns.setdefault(company, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._release_place(company)  # given just before
            else:
                self._remove_turn(company, turn)
            raise

    def _release_place(self, company: Hashable) -> None:
        self._running[company] -= 1
        if not self._running[company]:
            del self._running[company]
        self._give_place()

    def _give_place(self) -> None:
        """Give a free place to the first company that may have it, which then waits last."""
        for company in [company for company in self._turns if self.has_place(company)]:
            turns = self._turns.pop(company)
            while turns and (turn := turns.popleft()):
                if not turn.done():
                    self._running[company] += 1
                    turn.set_result(None)
                    break
            else:
                continue  # all were cancelled
            if turns:
                self._turns[company] = turns
            return

    def _remove_turn(self, company: Hashable, turn: Turn) -> None:
        """Remove a turn, and the company if it waits no longer."""
        turns = self._turns.get(company, deque())
        if turn in turns:
            turns.remove(turn)
        if not turns:
            self._turns.pop(company, None)


async def take_places(
    queues: Iterable[FairQueue], company: Hashable, max_seconds: float | None
) -> AsyncExitStack:
    """Wait for a place in each queue. They are held until the returned stack is closed."""
    async with AsyncExitStack() as places, asyncio.timeout(max_seconds):
        for queue in queues:
            await places.enter_async_context(queue.wait_turn(company))
        return places.pop_all()
