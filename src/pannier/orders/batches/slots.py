"""Slots for batches: a company with many batches leaves connections for the others."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from pannier.errors import TooManyRequests

# Batches that a process works on at the same time: in total, and per company.
MAX_BATCHES: Final = 4
MAX_PER_COMPANY: Final = 1
RETRY_SECONDS: Final = 5.0


class TooManyBatches(TooManyRequests):
    """A process works on one batch of a company at a time, and on a few batches in total."""

    code, title = "too_many_batches", "Other batches of orders are in progress."
    remedy = "Send one batch at a time. Retry after the time in `Retry-After`."


class BatchSlots:
    """The batches in progress in a process."""

    def __init__(self) -> None:
        self._counts: Counter[UUID] = Counter()

    @contextmanager
    def claim_slot(self, company: UUID) -> Iterator[None]:
        """Count a batch in progress, or raise TooManyBatches."""
        if self._counts.total() >= MAX_BATCHES or self._counts[company] >= MAX_PER_COMPANY:
            raise TooManyBatches(RETRY_SECONDS)
        self._counts[company] += 1
        try:
            yield
        finally:
            self._counts[company] -= 1
            # Remove zero counts.
            self._counts += Counter()
